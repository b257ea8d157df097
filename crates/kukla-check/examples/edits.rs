//! Measures a check, the first time and after an edit: `cargo run --profile quick -p kukla-check --example edits -- DIR`.
//!
//! The edits happen in memory: each of several manifests gets another line at its end, which changes only its text, then a parameter,
//! which changes its definition for other files.

#![allow(clippy::disallowed_methods)] // it measures time and reads the directory of its argument

#[path = "../tests/edited/mod.rs"]
mod edited;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use edited::Edited;
use kukla::world::World;
use kukla_check::repository::{Shape, Survey};
use kukla_check::{Checker, Options, root_of};

fn main() {
    let path =
        std::env::args().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from).canonicalize().unwrap();
    let world = Arc::new(Edited::default());
    let (root, shape) = root_of(&*world, &path).unwrap_or((path, Shape::Loose));
    let survey = Survey::of(&*world, &root, shape, &[], None).unwrap();
    let shared: Arc<dyn World> = Arc::clone(&world) as Arc<dyn World>;
    let mut checker = Checker::new(shared, root, shape, Options::default());
    let began = Instant::now();
    let report = checker.check().unwrap();
    println!("first: {:?}, {} files, {} findings", began.elapsed(), report.files, report.findings.len());
    let again = Instant::now();
    checker.check().unwrap();
    println!("again: {:?}", again.elapsed());
    for what in ["another line", "another parameter"] {
        let mut times: Vec<Duration> = Vec::new();
        for file in survey.code.iter().step_by((survey.code.len() / 20).max(1)) {
            let Ok(text) = std::fs::read_to_string(&file.path) else { continue };
            let text = if what == "another line" {
                format!("{text}\n# a line\n")
            } else {
                text.replacen('(', "($another_one = 1, ", 1)
            };
            world.set(&file.path, Some(text.into_bytes()));
            let began = Instant::now();
            checker.check().unwrap();
            times.push(began.elapsed());
        }
        times.sort();
        println!(
            "{what}: median {:?}, longest {:?} of {}",
            times[times.len() / 2],
            times[times.len() - 1],
            times.len()
        );
    }
}
