//! Measures the formatter over directories of code: `cargo run --profile quick -p kukla-format --example measure -- DIR...`
//!
//! For each directory: how much of the code changes, whether formatting twice changes nothing, whether every result has the syntax tree
//! and the comments of its original, and how long it takes. With `--diff`, also the changes themselves.

#![allow(clippy::disallowed_methods)] // it reads the files it measures

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kukla_format::{FormatError, Language, Options, format};
use similar::TextDiff;

#[derive(Default)]
struct Measure {
    files: usize,
    bytes: usize,
    lines: usize,
    changed_files: usize,
    changed_lines: usize,
    new_lines: usize,
    unparsable: usize,
    wrong: Vec<String>,
    time: Duration,
}

fn main() {
    let (flags, directories): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    println!(
        "corpus                files   lines  changed lines  new lines  changed files  unparsable  wrong   MB/s"
    );
    for directory in &directories {
        let mut measure = Measure::default();
        let mut files = Vec::new();
        find(Path::new(directory), &mut files);
        for file in files {
            measure.add(&file, flags.iter().any(|flag| flag == "--diff"));
        }
        let name = Path::new(directory).file_name().unwrap_or_default().to_string_lossy();
        let rate = measure.bytes as f64 / 1e6 / measure.time.as_secs_f64().max(1e-9);
        println!(
            "{name:20} {:6} {:7} {:5} {:6.2} % {:10} {:14} {:11} {:6} {rate:6.1}",
            measure.files,
            measure.lines,
            measure.changed_lines,
            100.0 * measure.changed_lines as f64 / measure.lines.max(1) as f64,
            measure.new_lines,
            measure.changed_files,
            measure.unparsable,
            measure.wrong.len(),
        );
        for wrong in &measure.wrong {
            println!("  {wrong}");
        }
    }
}

fn find(directory: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.ends_with("spec/fixtures") {
            find(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "pp" || extension == "epp") {
            files.push(path);
        }
    }
}

impl Measure {
    fn add(&mut self, file: &Path, show: bool) {
        let Some(text) = std::fs::read(file).ok().and_then(|bytes| String::from_utf8(bytes).ok()) else {
            return;
        };
        let language = Language::of_path(file);
        let options = Options::default();
        let start = Instant::now();
        let formatted = format(&text, language, &options);
        self.time += start.elapsed();
        self.files += 1;
        self.bytes += text.len();
        self.lines += text.lines().count();
        let formatted = match formatted {
            Ok(formatted) => formatted,
            Err(FormatError::Syntax(_)) => {
                self.unparsable += 1;
                return;
            }
            Err(error) => return self.wrong.push(format!("{}: {error}", file.display())),
        };
        match format(&formatted, language, &options) {
            Ok(again) if again == formatted => {}
            Ok(again) => {
                self.wrong.push(format!("{}: changes again", file.display()));
                if show {
                    println!(
                        "{}",
                        TextDiff::from_lines(&formatted, &again).unified_diff().header("once", "twice")
                    );
                }
            }
            Err(error) => self.wrong.push(format!("{}: formatted once more: {error}", file.display())),
        }
        if formatted == text {
            return;
        }
        self.changed_files += 1;
        let diff = TextDiff::from_lines(&text, &formatted);
        for op in diff.ops() {
            // A stretch of new lines is one change of the line before it.
            self.changed_lines += match op.tag() {
                similar::DiffTag::Equal => 0,
                _ => op.old_range().len().max(1),
            };
            self.new_lines += if op.tag() == similar::DiffTag::Equal { 0 } else { op.new_range().len() };
        }
        if show {
            let name = file.display().to_string();
            println!("{}", diff.unified_diff().context_radius(1).header(&name, &name));
        }
    }
}
