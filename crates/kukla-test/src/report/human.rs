//! The report for people: a block for each failure, then one line with the numbers.

use std::fmt::Write;

use super::ReportOptions;
use crate::model::{Counts, Example, Failure, Suite, Verdict};

pub(super) fn render(suites: &[Suite], options: &ReportOptions) -> String {
    let mut out = String::new();
    for suite in suites {
        if options.verbose {
            list(&mut out, suite, options);
        }
        if let Some(problem) = &suite.problem {
            let _ = writeln!(out, "error: {}\n", problem.with_help());
        }
        for example in &suite.examples {
            if let Verdict::Failed(failures) = &example.verdict {
                failed(&mut out, suite, example, failures, options);
            }
        }
    }
    if let Some(count) = options.slowest {
        slowest(&mut out, suites, count, options);
    }
    let _ = writeln!(out, "{}", summary(suites));
    out
}

fn list(out: &mut String, suite: &Suite, options: &ReportOptions) {
    let _ = writeln!(out, "{}", options.path(&suite.file));
    for example in &suite.examples {
        let (mark, reason) = match &example.verdict {
            Verdict::Passed => ("ok     ", ""),
            Verdict::Failed(_) => ("FAILED ", ""),
            Verdict::Skipped(reason) => ("skipped", reason.as_str()),
            Verdict::Pending(reason) => ("pending", reason.as_str()),
        };
        let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        let _ = writeln!(out, "  {mark} {}{reason}", example.full_name());
    }
    out.push('\n');
}

fn failed(out: &mut String, suite: &Suite, example: &Example, failures: &[Failure], options: &ReportOptions) {
    let file = options.path(&suite.file);
    let _ = writeln!(out, "FAILED {}\n       {file}:{}", example.full_name(), example.line);
    for failure in failures {
        let place = failure.file.as_deref().map_or(file, |file| options.path(file));
        let line = failure.line.unwrap_or(example.line);
        let _ = writeln!(out, "\n  {place}:{line}: {}", failure.message);
        for line in failure.source.iter().flat_map(|source| source.trim_end().lines()) {
            let _ = writeln!(out, "    | {line}");
        }
        for (label, text) in [("expected", &failure.expected), ("got", &failure.got)] {
            labelled(out, label, text.as_deref());
        }
        labelled(out, "catalog", failure.catalog.as_deref());
        labelled(out, "nearest", failure.nearest.as_deref());
        let facts: Vec<String> =
            failure.facts.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        labelled(out, "facts", Some(facts.join(", ")).filter(|facts| !facts.is_empty()).as_deref());
        for call in &failure.trace {
            let _ = writeln!(out, "    at {call}");
        }
        if let Some(diagnostic) = &failure.diagnostic {
            for line in (options.excerpt)(diagnostic).trim_end().lines() {
                let _ = writeln!(out, "    {line}");
            }
        }
    }
    out.push('\n');
}

fn labelled(out: &mut String, label: &str, text: Option<&str>) {
    let mut lines = text.into_iter().flat_map(|text| text.trim_matches('\n').lines());
    if let Some(first) = lines.next() {
        let _ = writeln!(out, "    {label:<8} {first}");
    }
    for line in lines {
        let _ = writeln!(out, "             {line}");
    }
}

fn slowest(out: &mut String, suites: &[Suite], count: usize, options: &ReportOptions) {
    let mut all: Vec<(&Suite, &Example)> =
        suites.iter().flat_map(|suite| suite.examples.iter().map(move |example| (suite, example))).collect();
    all.sort_by_key(|(_, example)| std::cmp::Reverse(example.time));
    let _ = writeln!(out, "slowest examples:");
    for (suite, example) in all.into_iter().take(count) {
        let (file, line) = (options.path(&suite.file), example.line);
        let _ = writeln!(
            out,
            "  {:>9.3} ms  {file}:{line} {}",
            example.time.as_secs_f64() * 1e3,
            example.full_name()
        );
    }
    out.push('\n');
}

/// One line with the numbers.
fn summary(suites: &[Suite]) -> String {
    let counts = Counts::of(suites);
    let mut parts = vec![format!("{} passed", counts.passed)];
    for (count, label) in [
        (counts.failed, "failed"),
        (counts.pending, "pending"),
        (counts.skipped, "skipped"),
        (counts.broken, "files could not run"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {label}"));
        }
    }
    let plural =
        |count: usize, one: &str| if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") };
    format!(
        "{} in {}: {} ({})",
        plural(counts.examples(), "test"),
        plural(suites.len(), "file"),
        parts.join(", "),
        plural(counts.claims, "claim")
    )
}
