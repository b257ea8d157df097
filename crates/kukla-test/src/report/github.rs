//! Annotations that GitHub Actions shows beside the code.

use std::fmt::Write;

use super::ReportOptions;
use crate::model::{Counts, Suite, Verdict};

pub(super) fn render(suites: &[Suite], options: &ReportOptions) -> String {
    let mut out = String::new();
    for suite in suites {
        let file = options.path(&suite.file);
        if let Some(problem) = &suite.problem {
            annotation(&mut out, file, 1, "test", &problem.with_help());
        }
        for example in &suite.examples {
            let Verdict::Failed(failures) = &example.verdict else { continue };
            for failure in failures {
                let place = failure.file.as_deref().map_or(file, |file| options.path(file));
                let line = failure.line.unwrap_or(example.line);
                annotation(&mut out, place, line, &example.full_name(), &failure.to_string());
            }
        }
    }
    let counts = Counts::of(suites);
    let _ = writeln!(out, "{} tests, {} failed", counts.examples(), counts.failed + counts.broken);
    out
}

fn annotation(out: &mut String, file: &str, line: usize, title: &str, text: &str) {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let _ = writeln!(
        out,
        "::error file={},line={line},title={}::{}",
        property(file),
        property(title),
        data(text)
    );
}
