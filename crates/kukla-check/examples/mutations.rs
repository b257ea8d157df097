//! Breaks working code in one place after the other, and counts the reports without compiling:
//!
//! ```text
//! cargo run --profile quick -p kukla-check --example mutations -- ROOT FACTS MANIFESTS [MOST] [SEED] [OUT]
//! ```
//!
//! ROOT is a control repository, FACTS a directory of fact files, MANIFESTS one of site manifests, each of which is compiled with the first facts
//! with which it compiles. Every file that a compilation reads is broken in at most MOST places of each kind, which SEED chooses. OUT gets a
//! line of JSON for each mutation.

#![allow(clippy::disallowed_methods)] // it reads the files of its arguments

#[path = "../tests/breaking/mod.rs"]
mod breaking;
#[path = "../tests/edited/mod.rs"]
mod edited;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use breaking::bench::{Bench, Outcome, Verdict};

/// The number of mutations that failed to compile, by kind and location of the report.
type Table = BTreeMap<&'static str, BTreeMap<Verdict, usize>>;

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(directory).unwrap().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [root, facts, manifests, rest @ ..] = &arguments[..] else {
        eprintln!("mutations ROOT FACTS MANIFESTS [MOST] [SEED] [OUT]");
        std::process::exit(2);
    };
    let number = |at: usize, otherwise| rest.get(at).map_or(otherwise, |text| text.parse().unwrap());
    let (most, seed) = (number(0, 3), number(1, 0));
    let mut out = rest.get(2).map(|path| std::fs::File::create(path).unwrap());
    let (mut table, mut broken, mut agreed) = (Table::new(), BTreeSet::new(), Agreement::default());
    for manifest in files(Path::new(manifests)) {
        let mut tried = files(Path::new(facts)).into_iter();
        let found = tried.find_map(|facts| {
            let mut bench = Bench::new(Path::new(root), Some(manifest.clone()), &facts);
            let read = bench.files()?;
            Some((bench, facts, read))
        });
        let Some((mut bench, facts, read)) = found else {
            eprintln!("{}: does not compile", manifest.display());
            continue;
        };
        for file in read {
            let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            let is_code =
                matches!(ending, "pp" | "epp" | "yaml" | "json") && !file.ends_with("metadata.json");
            if !is_code || !broken.insert(file.clone()) {
                continue;
            }
            bench.break_file(&file, most, seed, &mut |outcome| {
                agreed.count(&outcome);
                if outcome.error.is_some() {
                    *table.entry(outcome.mutation.kind).or_default().entry(outcome.verdict).or_default() += 1;
                }
                if let Some(out) = &mut out {
                    writeln!(out, "{}", json(&outcome, &manifest, &facts)).unwrap();
                }
            });
        }
        let all: usize = table.values().flat_map(|row| row.values()).sum();
        eprintln!("{}: {all} so far", manifest.display());
    }
    print(&table);
    println!();
    println!("{agreed:#?}");
}

/// The number of mutations reported as errors, and of those that the compiler reports as well.
#[derive(Debug, Default)]
struct Agreement {
    reported: usize,
    fails: usize,
    not_reached: usize,
    reached_and_compiles: usize,
    unknown: usize,
}

impl Agreement {
    fn count(&mut self, outcome: &Outcome) {
        if outcome.reports.is_empty() {
            return;
        }
        self.reported += 1;
        match (&outcome.error, outcome.is_reached) {
            (Some(_), _) => self.fails += 1,
            (None, Some(false)) => self.not_reached += 1,
            (None, Some(true)) => self.reached_and_compiles += 1,
            (None, None) => self.unknown += 1,
        }
    }
}

fn json(outcome: &Outcome, manifest: &Path, facts: &Path) -> serde_json::Value {
    serde_json::json!({
        "kind": outcome.mutation.kind, "file": outcome.file, "line": outcome.line, "was": outcome.was,
        "text": outcome.mutation.text, "from": outcome.mutation.span.start, "to": outcome.mutation.span.end,
        "error": outcome.error, "verdict": format!("{:?}", outcome.verdict), "reports": outcome.reports,
        "reached": outcome.is_reached, "manifest": manifest, "facts": facts,
    })
}

fn print(table: &Table) {
    println!("| broken | fail | at the line | in the statement | at the use | elsewhere | missed | right |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let verdicts = [Verdict::Line, Verdict::Statement, Verdict::Use, Verdict::Elsewhere, Verdict::Missed];
    let mut sum = vec![0; verdicts.len()];
    let row = |name: &str, counts: &[usize]| {
        let all: usize = counts.iter().sum();
        let right: usize = counts[..3].iter().sum();
        let cells: Vec<String> = counts.iter().map(usize::to_string).collect();
        println!(
            "| {name} | {all} | {} | {:.1} % |",
            cells.join(" | "),
            100.0 * right as f64 / all.max(1) as f64
        );
    };
    for (kind, found) in table {
        let counts: Vec<usize> =
            verdicts.iter().map(|verdict| found.get(verdict).copied().unwrap_or(0)).collect();
        counts.iter().zip(&mut sum).for_each(|(count, sum)| *sum += count);
        row(kind, &counts);
    }
    row("all", &sum);
}
