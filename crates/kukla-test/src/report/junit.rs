//! JUnit XML: a suite for each file, a case for each example.

use std::fmt::Write;

use super::{ReportOptions, escape};
use crate::model::{Counts, Suite, Verdict};

pub(super) fn render(suites: &[Suite], options: &ReportOptions) -> String {
    let counts = Counts::of(suites);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuites tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
        counts.examples() + counts.broken,
        counts.failed,
        counts.broken,
        counts.skipped + counts.pending
    );
    for suite in suites {
        suite_element(&mut out, suite, options);
    }
    out + "</testsuites>\n"
}

fn suite_element(out: &mut String, suite: &Suite, options: &ReportOptions) {
    let file = escape(options.path(&suite.file));
    let counts = Counts::of(std::slice::from_ref(suite));
    let _ = writeln!(
        out,
        "  <testsuite name=\"{file}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
        counts.examples() + counts.broken,
        counts.failed,
        counts.broken,
        counts.skipped + counts.pending
    );
    if let Some(problem) = &suite.problem {
        let _ = writeln!(
            out,
            "    <testcase classname=\"{file}\" name=\"{file}\">\n      <error message=\"{}\">{}</error>\n    </testcase>",
            escape(&problem.to_string()),
            escape(&problem.with_help())
        );
    }
    for example in &suite.examples {
        let time = match options.slowest {
            Some(_) => format!(" time=\"{:.6}\"", example.time.as_secs_f64()),
            None => String::new(),
        };
        let class = escape(&example.groups.join("."));
        let name = match &example.case {
            Some(case) => escape(&format!("{} ({case})", example.name)),
            None => escape(&example.name),
        };
        let open = format!(
            "    <testcase classname=\"{class}\" name=\"{name}\" file=\"{file}\" line=\"{}\"{time}",
            example.line
        );
        match &example.verdict {
            Verdict::Passed => {
                let _ = writeln!(out, "{open}/>");
            }
            Verdict::Skipped(reason) | Verdict::Pending(reason) => {
                let _ = writeln!(
                    out,
                    "{open}>\n      <skipped message=\"{}\"/>\n    </testcase>",
                    escape(reason)
                );
            }
            Verdict::Failed(failures) => {
                let _ = writeln!(out, "{open}>");
                for failure in failures {
                    let place = format!("{file}:{}", failure.line.unwrap_or(example.line));
                    let text = match &failure.source {
                        Some(source) => format!("{place}\n{source}\n{failure}"),
                        None => format!("{place}\n{failure}"),
                    };
                    let _ = writeln!(
                        out,
                        "      <failure message=\"{}\">{}</failure>",
                        escape(&failure.message),
                        escape(&text)
                    );
                }
                out.push_str("    </testcase>\n");
            }
        }
    }
    out.push_str("  </testsuite>\n");
}
