//! Chapters: Markdown files in which a heading is a test, prose describes the behaviour, and blocks are files, code and expectations.
//!
//! [`read`] turns a file into sections, [`statement`] finds the claims in a block, and [`check`] asks an [`engine`] and compares. Kukla on a
//! [`Project`] is one engine ([`session`]); the conformance book has another one, which asks real Puppet.

pub mod catalog;
pub mod check;
pub mod claim;
mod condition;
pub mod engine;
pub mod matrix;
pub mod notation;
pub mod options;
mod order;
pub mod read;
pub mod session;
pub mod snapshot;
pub mod statement;
pub mod tally;
pub mod view;

use std::path::Path;
use std::time::Duration;

use kukla::syntax::Problem;

use self::matrix::Case;
use self::read::Section;
use self::session::ProjectEngine;
use self::snapshot::Snapshots;
use crate::model::{Example, Failure, Language, Suite, Verdict};
use crate::project::Project;
use crate::runner::RunOptions;

/// Runs the sections of a chapter.
pub fn run(project: &Project, file: &Path, options: &RunOptions) -> Suite {
    let mut suite = Suite::new(file, Language::Chapter);
    let text = match project.world.read(file) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => return Suite::broken(file, Language::Chapter, kukla::cannot_read(file, &error)),
    };
    let sections = match read::read("", &text) {
        Ok(sections) => sections,
        Err(malformed) => {
            let place = format!("{}:{}", file.display(), malformed.line);
            let problem = Problem::invalid("invalid chapter").on(place).because(malformed.problem);
            return Suite::broken(file, Language::Chapter, problem);
        }
    };
    let engine = ProjectEngine::new(project, options.render)
        .measuring(options.coverage.clone())
        .with_snapshots(Snapshots::of(file, options.accept, options.show_changes));
    for section in &sections {
        let is_there = options.filter.line.is_none_or(|line| (section.line..=section.last).contains(&line));
        let cases = match matrix::cases(project, &section.matrices) {
            Ok(cases) => cases,
            Err(wrong) => {
                let place = format!(
                    "{}:{}",
                    file.display(),
                    section.matrices.last().map_or(section.line, |one| one.line)
                );
                suite.problem = Some(Problem::invalid("invalid matrix").on(place).because(wrong));
                break;
            }
        };
        for case in cases.into_iter().filter(|_| is_there) {
            let mut example = example(section, &case);
            if !options.filter.includes(&example.full_name()) {
                continue;
            }
            if !options.list {
                let began = project.world.elapsed();
                judge(&engine, &suite.file, section, &case, &mut example);
                example.time = project.world.elapsed().saturating_sub(began);
            }
            suite.examples.push(example);
        }
    }
    suite.compiled = engine.compiled();
    suite.inputs = engine.inputs();
    suite
}

/// A section in a case, before it runs.
fn example(section: &Section, case: &Case) -> Example {
    let (groups, name) = section.titles();
    Example {
        groups,
        name,
        case: Some(case.name.clone()).filter(|name| !name.is_empty()),
        line: section.line,
        verdict: Verdict::Passed,
        claims: 0,
        time: Duration::ZERO,
    }
}

fn judge(engine: &ProjectEngine<'_>, file: &str, section: &Section, case: &Case, example: &mut Example) {
    if let Some(missing) = &case.missing {
        example.verdict = Verdict::Skipped(missing.clone());
        return;
    }
    match check::section(engine, file, section, case) {
        Ok(tally) => {
            example.claims = tally.total();
            if !tally.broken.is_empty() {
                example.verdict = Verdict::Failed(tally.broken);
            }
        }
        Err(problem) => example.verdict = Verdict::Failed(vec![Failure::new(problem)]),
    }
}
