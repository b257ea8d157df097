//! How fast text becomes a tree, on one core.
//!
//! `KUKLA_BENCH_DIR=/path/to/modules cargo bench -p kukla-syntax` reads every manifest and template below that directory;
//! without it, the example control repository of this project. `KUKLA_BENCH_PEER=command` has another implementation, one
//! that answers `command rpc`, do the same work and shows the ratio.
#![allow(clippy::disallowed_methods)] // a bench reads files and clocks

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kukla_syntax::ast::{Expr, Manifest};
use kukla_syntax::pn::Pn;
use kukla_syntax::validate::{Rules, check};
use kukla_syntax::{Source, parse, parse_epp};

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "pp" || extension == "epp") {
            files.push(path);
        }
    }
}

/// How long this process has been running on a core, where the system tells; a busy machine shows less of that.
fn time_on_cpu() -> Option<Duration> {
    let statistics = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    statistics.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// Shows the best of several runs or their mean time on a core, whichever is less. Returns their mean rate by the clock on
/// the wall in MB/s, the only one that can be compared with another process's single run.
fn measure(what: &str, bytes: usize, mut run: impl FnMut()) -> f64 {
    let began = Instant::now();
    let mut elapsed = Duration::ZERO;
    let busy = time_on_cpu();
    let mut best = Duration::MAX;
    let mut runs = 0;
    while runs < 5 || began.elapsed() < Duration::from_secs(2) {
        let start = Instant::now();
        run();
        let run_time = start.elapsed();
        best = best.min(run_time);
        elapsed += run_time;
        runs += 1;
    }
    if let (Some(before), Some(after)) = (busy, time_on_cpu()) {
        best = best.min((after - before) / runs);
    }
    let rate = bytes as f64 / 1e6 / best.as_secs_f64();
    println!("{what:<28} {:>9.2} ms {rate:>9.1} MB/s", best.as_secs_f64() * 1e3);
    bytes as f64 / 1e6 * f64::from(runs) / elapsed.as_secs_f64()
}

/// How fast another implementation of the `rpc` protocol parses and validates the same files; MB/s.
fn measure_peer(command: &str, files: &[PathBuf], bytes: usize) -> std::io::Result<f64> {
    let mut words = command.split_whitespace();
    let mut child = Command::new(words.next().unwrap_or_default())
        .args(words)
        .arg("rpc")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(std::io::Error::other("the process has no pipes"));
    };
    let mut answers = BufReader::new(output).lines();
    let mut ask = |params: serde_json::Value| -> std::io::Result<()> {
        writeln!(input, "{}", serde_json::json!({ "id": 1, "method": "parse", "params": params }))?;
        input.flush()?;
        answers.next().transpose().map(drop)
    };
    // The first answer waits for the process to start.
    ask(serde_json::json!({ "code": "1" }))?;
    let start = Instant::now();
    for file in files {
        ask(serde_json::json!({ "manifest": file }))?;
    }
    let seconds = start.elapsed().as_secs_f64();
    let rate = bytes as f64 / 1e6 / seconds;
    println!("{:<28} {:>9.2} ms {rate:>9.1} MB/s", "the peer", seconds * 1e3);
    child.kill()?;
    child.wait()?;
    Ok(rate)
}

fn main() {
    let directory = std::env::var("KUKLA_BENCH_DIR")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples").to_owned());
    let mut files = Vec::new();
    collect(Path::new(&directory), &mut files);
    files.sort();
    let sources: Vec<(Source, bool)> = files
        .iter()
        .filter_map(|path| {
            let text = std::fs::read_to_string(path).ok()?;
            Some((Source::unnamed(text), path.extension().is_some_and(|extension| extension == "epp")))
        })
        .collect();
    let bytes: usize = sources.iter().map(|(source, _)| source.text().len()).sum();
    println!("{} files, {:.2} MB from {directory}", sources.len(), bytes as f64 / 1e6);
    let parsed = |(source, epp): &(Source, bool)| if *epp { parse_epp(source) } else { parse(source) };

    measure("text to tree", bytes, || {
        for source in &sources {
            black_box(parsed(source));
        }
    });
    measure("text to tree to AST", bytes, || {
        for source in &sources {
            let parse = parsed(source);
            black_box(parse.tree.elements().filter_map(Expr::cast).count());
            black_box(Manifest::of(&parse.tree).map(|manifest| manifest.statements().count()));
        }
    });
    let validated = measure("text to validated tree", bytes, || {
        for source in &sources {
            let parse = parsed(source);
            black_box(check(&source.0, &parse, &Rules::default()));
        }
    });
    measure("text to tree to PN text", bytes, || {
        for source in &sources {
            let parse = parsed(source);
            black_box(Pn::of(&parse.tree).to_text());
        }
    });
    if let Ok(command) = std::env::var("KUKLA_BENCH_PEER") {
        match measure_peer(&command, &files, bytes) {
            Ok(rate) => println!("to the validated tree, {:.0} times the peer's speed", validated / rate),
            Err(error) => println!("the peer does not answer: {error}"),
        }
    }
}
