//! Measures the language server on a repository: `cargo run --release -p kukla-lsp --example measure -- DIRECTORY [EDITS]`.
//!
//! Prints the time until the server is ready, percentiles of the answers to every request after random edits, and the memory in between.

#![allow(clippy::disallowed_methods)] // this measures

#[path = "../tests/client.rs"]
#[allow(dead_code)]
mod client;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use client::{Client, position_of, uri};
use serde_json::json;

/// Random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most.max(1) as u64) as usize
    }
}

/// The resident memory of this process, in MB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// The processor time of all threads of this process so far, which does not depend on what else the machine does.
fn processor_time() -> Duration {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let texts = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("schedstat")).ok());
    let spent = texts.filter_map(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    Duration::from_nanos(spent.sum())
}

fn manifests(directory: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            manifests(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pp") {
            found.push(path);
        }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let root = PathBuf::from(arguments.next().expect("a directory")).canonicalize().expect("a directory");
    let edits: usize = arguments.next().map_or(500, |number| number.parse().expect("a number"));
    let mut files = Vec::new();
    manifests(&root, &mut files);
    files.retain(|path| path.components().any(|part| part.as_os_str() == "manifests"));
    files.sort();
    println!("{} manifests", files.len());
    let begun = Instant::now();
    let mut client = Client::on_disk(&root);
    client.request("workspace/symbol", json!({"query": "profile"})).unwrap();
    println!("ready after {} ms, {} MB", begun.elapsed().as_millis(), memory());
    let mut times: BTreeMap<&str, Vec<(Duration, Duration)>> = BTreeMap::new();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut opened: BTreeMap<PathBuf, (String, i32)> = BTreeMap::new();
    let mut failures = 0;
    for edit in 0..edits {
        let path = files[random.below(files.len().min(200)) * files.len() / files.len().min(200)].clone();
        if !opened.contains_key(&path) {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            client.open(&path, &text);
            client.diagnostics(&path);
            opened.insert(path.clone(), (text, 1));
        }
        let (text, version) = opened.get_mut(&path).unwrap();
        let original = text.clone();
        let mut at = random.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        // Something that people type; the next step takes it away again.
        let typed = ["$x = ", "include profile::", "\n", "}", "'", "file { '/a': ", "x", "# a", "Class["]
            [random.below(9)];
        for (start, end, new) in [(at, at, typed), (at, at + typed.len(), "")] {
            *version += 1;
            let range = json!({"start": position_of(text, start), "end": position_of(text, end)});
            let change = json!({
                "textDocument": {"uri": uri(&path), "version": *version},
                "contentChanges": [{"range": range, "text": new}],
            });
            client.notify("textDocument/didChange", change);
            text.replace_range(start..end, new);
            let cursor = json!({
                "textDocument": {"uri": uri(&path)},
                "position": position_of(text, start + new.len()),
            });
            let document = json!({"textDocument": {"uri": uri(&path)}});
            let mut measure = |name: &'static str, method: &str, params: serde_json::Value| {
                let (begun, spent) = (Instant::now(), processor_time());
                if client.request(method, params).is_err() {
                    failures += 1;
                }
                times
                    .entry(name)
                    .or_default()
                    .push((begun.elapsed(), processor_time().saturating_sub(spent)));
            };
            measure("completion after an edit", "textDocument/completion", cursor.clone());
            measure("diagnostics after an edit", "textDocument/diagnostic", document.clone());
            if edit % 10 == 0 && new.is_empty() {
                let word = text.match_indices("::").map(|(at, _)| at).next().unwrap_or(0);
                let at = json!({
                    "textDocument": {"uri": uri(&path)},
                    "position": position_of(text, word),
                    "context": {"includeDeclaration": true},
                    "newName": "profile::renamed_by_the_measurement",
                });
                measure("references", "textDocument/references", at.clone());
                measure("rename", "textDocument/rename", at.clone());
                measure("hover", "textDocument/hover", at.clone());
                measure("definition", "textDocument/definition", at);
                measure("semantic tokens", "textDocument/semanticTokens/full", document.clone());
                measure("document symbols", "textDocument/documentSymbol", document.clone());
                measure("code lens", "textDocument/codeLens", document);
            }
        }
        assert_eq!(*text, original);
        client.received.clear();
        if edit % (edits / 5).max(1) == 0 {
            println!("{edit} edits: {} MB", memory());
        }
    }
    println!("{edits} edits and undos: {} MB, {failures} requests without a result", memory());
    println!("{:28} {:>7}  {:^24}  {:^24}", "", "", "time: p50, p99, max", "processor time");
    for (name, own) in times {
        let at = |mut own: Vec<Duration>, part: f64| {
            own.sort();
            own[((own.len() - 1) as f64 * part) as usize].as_secs_f64() * 1000.0
        };
        let columns =
            [own.iter().map(|one| one.0).collect::<Vec<_>>(), own.iter().map(|one| one.1).collect()];
        print!("{name:28} n={:5}", own.len());
        for column in columns {
            print!(
                "  {:7.1} {:7.1} {:7.1}",
                at(column.clone(), 0.5),
                at(column.clone(), 0.99),
                at(column, 1.0)
            );
        }
        println!(" ms");
    }
}
