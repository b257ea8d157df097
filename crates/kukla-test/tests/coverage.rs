//! Coverage is true: a line that no test reaches can fail without any test noticing, and a line that is reached cannot.
//!
//! A sample of the example site runs with every run of the tests. `KUKLA_COVERAGE=DIR` names another project with tests, and
//! `KUKLA_COVERAGE_LINES=N` the number of lines to try.

#![allow(clippy::disallowed_methods)] // a test reads the environment

use std::path::PathBuf;

use kukla::eval::coverage::{MarkKind, Measured, Way};
use kukla::syntax::{Source, Span};
use kukla_test::coverage::CoverageReport;
use kukla_test::model::Suite;
use kukla_test::runner;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::common;

/// A line to change: where, and whether tests reach it.
struct Line {
    path: PathBuf,
    line: u32,
    is_reached: bool,
    text: String,
}

#[test]
fn lines_fail_exactly_if_they_are_reached() {
    let root = std::env::var("KUKLA_COVERAGE").map_or_else(|_| common::site(), PathBuf::from);
    let most = std::env::var("KUKLA_COVERAGE_LINES").map_or(40, |text| text.parse().expect("a number"));
    let root = root.canonicalize().expect("a directory");
    let files = common::tests(&root);
    let (suites, collector) = common::measure(&files);
    assert!(suites.iter().all(Suite::passed), "the tests fail without any change");
    let project = common::project(&root);
    let report = CoverageReport::new(&project, &collector);
    let texts = collector.programs.texts();
    let mut lines = Vec::new();
    for file in &report.files {
        let path = root.join(&file.path);
        let source = Source::new(file.path.as_str(), &*file.text);
        let own =
            texts.iter().find(|one| *one.file == *path.display().to_string() && *one.text == *file.text);
        for (&line, &count) in &file.lines {
            let span = own.and_then(|measured| statement(measured, &source, line));
            // A file that was never loaded has no marks; nothing in it can be noticed.
            let text = match span {
                Some(span) if file.path.ends_with(".erb") => {
                    let (before, after) = file.text.split_at(span.start as usize);
                    format!("{before}<% raise 'coverage' %>{after}")
                }
                Some(span) => failing(&file.text, span, file.path.ends_with(".epp")),
                None if own.is_none() => "fail('coverage')\n".to_owned(),
                None => continue,
            };
            lines.push(Line { path: path.clone(), line, is_reached: count > 0, text });
        }
    }
    let all = lines.len();
    let chosen: Vec<&Line> = lines
        .iter()
        .enumerate()
        .filter(|(at, _)| at * most / all != (at + 1) * most / all || all <= most)
        .map(|(_, line)| line)
        .collect();
    let wrong: Vec<String> = chosen.par_iter().filter_map(|line| contradiction(line, &files)).collect();
    let reached = chosen.iter().filter(|line| line.is_reached).count();
    println!("{} lines of {all}: {reached} reached, {} not reached", chosen.len(), chosen.len() - reached);
    assert!(reached > 0, "no line is reached");
    assert!(wrong.is_empty(), "{} of {} lines:\n{}", wrong.len(), chosen.len(), wrong.join("\n"));
}

/// The outermost statement that begins on a line.
fn statement(measured: &Measured, source: &Source, line: u32) -> Option<Span> {
    let begins = |span: Span| source.line_column(span.start).line == line;
    // Code between the tags of ERB is left to its lines; only what begins outside of a tag can be replaced.
    if source.name().is_some_and(|name| name.ends_with(".erb")) {
        let text = source.text();
        let start = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum::<usize>();
        let is_open = text[..start].matches("<%").count() > text[..start].matches("%>").count();
        return (!is_open).then(|| Span::new(start as u32, start as u32));
    }
    let counts =
        |kind: MarkKind| matches!(kind, MarkKind::Statement | MarkKind::Branch { way: Way::Arm, .. });
    let own = measured.marks.iter().find(|mark| counts(mark.kind) && begins(mark.span));
    own.map(|mark| mark.span).or_else(|| {
        // A line within the text of a template: the place where it begins.
        let texts = measured.marks.iter().filter(|mark| mark.kind == MarkKind::Text);
        texts.map(|mark| mark.span).find_map(|span| {
            let text = source.text();
            let start =
                text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum::<usize>() as u32;
            let at = start.max(span.start);
            (span.start <= at && at < span.end && source.line_column(at).line == line)
                .then_some(Span::new(at, at))
        })
    })
}

/// The text with a failure in place of a statement; the lines stay the same.
fn failing(text: &str, span: Span, is_template: bool) -> String {
    let statement = &text[span.range()];
    let lines = "\n".repeat(statement.matches('\n').count());
    let fail = match is_template {
        true if span.start == span.end || statement.starts_with("<%") => "<% fail('coverage') %>",
        _ => "fail('coverage')",
    };
    format!("{}{fail}{lines}{}", &text[..span.start as usize], &text[span.end as usize..])
}

/// The contradiction between the coverage of a line and the tests, if there is one.
fn contradiction(line: &Line, files: &[kukla_test::discovery::TestFile]) -> Option<String> {
    let world = common::changed(vec![(line.path.clone(), line.text.clone())]);
    let suites = runner::run(&world, files, &common::options(), &());
    let is_noticed = !suites.iter().all(Suite::passed);
    let name = format!("{}:{}", line.path.display(), line.line);
    match (line.is_reached, is_noticed) {
        (true, false) => Some(format!("{name}: reached, but no test notices that it fails")),
        (false, true) => Some(format!("{name}: not reached, but a test notices that it fails")),
        _ => None,
    }
}
