//! The Test Anything Protocol, version 14.

use std::fmt::Write;

use super::ReportOptions;
use crate::model::{Counts, Suite, Verdict};

pub(super) fn render(suites: &[Suite], options: &ReportOptions) -> String {
    let counts = Counts::of(suites);
    let mut out = format!("TAP version 14\n1..{}\n", counts.examples() + counts.broken);
    let mut number = 0;
    for suite in suites {
        let file = options.path(&suite.file);
        if let Some(problem) = &suite.problem {
            number += 1;
            let _ = writeln!(out, "not ok {number} - {}", plain(file));
            block(&mut out, file, 1, &problem.with_help());
        }
        for example in &suite.examples {
            number += 1;
            let name = plain(&example.full_name());
            let _ = match &example.verdict {
                Verdict::Passed => writeln!(out, "ok {number} - {name}"),
                Verdict::Skipped(reason) => writeln!(out, "ok {number} - {name} # SKIP {}", plain(reason)),
                Verdict::Pending(reason) => {
                    writeln!(out, "not ok {number} - {name} # TODO {}", plain(reason))
                }
                Verdict::Failed(_) => writeln!(out, "not ok {number} - {name}"),
            };
            if let Verdict::Failed(failures) = &example.verdict {
                for failure in failures {
                    block(&mut out, file, failure.line.unwrap_or(example.line), &failure.to_string());
                }
            }
        }
    }
    out
}

/// A description must not contain what begins a directive.
fn plain(text: &str) -> String {
    text.replace('\\', "\\\\").replace('#', "\\#").replace(['\n', '\r'], " ")
}

/// A YAML block with the place and the message.
fn block(out: &mut String, file: &str, line: usize, message: &str) {
    let _ = writeln!(out, "  ---\n  at: {file:?}\n  line: {line}\n  message: |-");
    for line in message.lines() {
        let _ = writeln!(out, "    {line}");
    }
    out.push_str("  ...\n");
}
