//! `cargo bench -p kukla-benches --bench data -- DIRECTORY…`: how fast files of data are read: every `*.yaml` below the
//! directories, by Kukla and by `ruby` (Psych), both from memory and again and again.
//!
//! Without an argument it is the data of a generated control repository.

#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use kukla::formats::yaml::{Options, read};
use kukla_benches::control_repository;

/// So long each side reads.
const LONG: Duration = Duration::from_secs(2);

const RUBY: &str = "
require 'yaml'
texts = ARGV.map { |path| File.binread(path).force_encoding('UTF-8') }
now = -> { Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) }
began, read = now.call, 0
while now.call - began < 2
  texts.each { |text| YAML.safe_load(text, permitted_classes: [Symbol], aliases: true) rescue nil }
  read += texts.sum(&:bytesize)
end
puts read / (now.call - began) / 1e6
";

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(directory).into_iter().flatten().flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type());
        match kind {
            Ok(kind) if kind.is_dir() => files(&path, found),
            Ok(kind) if kind.is_file() && path.extension().is_some_and(|name| name == "yaml") => {
                found.push(path)
            }
            _ => {}
        }
    }
}

/// The CPU time of this process, where the system reports it.
fn spent(start: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|number| number.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn measure(name: &str, directory: &Path) {
    let mut paths = Vec::new();
    files(directory, &mut paths);
    let texts: Vec<Vec<u8>> = paths.iter().filter_map(|path| std::fs::read(path).ok()).collect();
    let size: usize = texts.iter().map(Vec::len).sum();
    let start = Instant::now();
    let (before, mut bytes) = (spent(start), 0);
    while start.elapsed() < LONG && size > 0 {
        for text in &texts {
            let _ = std::hint::black_box(read(text, Options::HIERA));
        }
        bytes += size;
        // What a thread has used is only brought up to date when it rests.
        std::thread::sleep(Duration::from_millis(1));
    }
    let rate = bytes as f64 / 1e6 / (spent(start) - before).as_secs_f64().max(1e-9);
    let theirs = Command::new("ruby").args(["-e", RUBY]).args(&paths).output().ok();
    let theirs = theirs.and_then(|output| String::from_utf8(output.stdout).ok()?.trim().parse::<f64>().ok());
    let rest = theirs.map_or_else(String::new, |theirs| format!(" {theirs:.1} | {:.0} |", rate / theirs));
    println!("| {name} | {} | {:.2} | {rate:.0} |{rest}", texts.len(), size as f64 / 1e6);
}

fn main() {
    println!("| data | files | MB | MB/s | Psych MB/s | ratio |\n|---|---:|---:|---:|---:|---:|");
    let given: Vec<PathBuf> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).map(PathBuf::from).collect();
    for directory in &given {
        measure(&directory.display().to_string(), directory);
    }
    if given.is_empty() {
        let root = std::env::temp_dir().join(format!("kukla-bench-data-{}", std::process::id()));
        control_repository::write(&root, 1_000).expect("a place for the files");
        measure("a generated control repository", &root);
        let _ = std::fs::remove_dir_all(root);
    }
}
