//! How fast text becomes a tree, on one core.
//!
//! `KUKLA_BENCH_DIR=/path/to/modules cargo bench -p kukla-syntax` reads every manifest and template below that directory;
//! without it, the example control repository of this project.
#![allow(clippy::disallowed_methods)] // a bench reads files and clocks

use std::hint::black_box;
use std::path::{Path, PathBuf};
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

/// The best of several runs.
fn measure(what: &str, bytes: usize, mut run: impl FnMut()) {
    let began = Instant::now();
    let mut best = Duration::MAX;
    let mut runs = 0;
    while runs < 5 || began.elapsed() < Duration::from_secs(2) {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
        runs += 1;
    }
    let rate = bytes as f64 / 1e6 / best.as_secs_f64();
    println!("{what:<28} {:>9.2} ms {rate:>9.1} MB/s", best.as_secs_f64() * 1e3);
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
    measure("text to validated tree", bytes, || {
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
}
