//! One JSON document with everything that is known about the results.

use serde_json::{Value, json};

use super::ReportOptions;
use crate::model::{Counts, Example, Failure, Suite, Verdict};

pub(super) fn render(suites: &[Suite], options: &ReportOptions) -> String {
    let counts = Counts::of(suites);
    let document = json!({
        "files": suites.iter().map(|suite| file(suite, options)).collect::<Vec<_>>(),
        "summary": {
            "tests": counts.examples(),
            "passed": counts.passed,
            "failed": counts.failed,
            "skipped": counts.skipped,
            "pending": counts.pending,
            "broken_files": counts.broken,
            "claims": counts.claims,
        },
    });
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

fn file(suite: &Suite, options: &ReportOptions) -> Value {
    let mut json = json!({
        "file": options.path(&suite.file),
        "language": suite.language.name(),
        "tests": suite.examples.iter().map(|one| example(suite, one, options)).collect::<Vec<_>>(),
    });
    if let Some(problem) = &suite.problem {
        json["problem"] = problem.with_help().into();
    }
    json
}

fn example(suite: &Suite, example: &Example, options: &ReportOptions) -> Value {
    let (verdict, reason) = match &example.verdict {
        Verdict::Passed => ("passed", None),
        Verdict::Failed(_) => ("failed", None),
        Verdict::Skipped(reason) => ("skipped", Some(reason)),
        Verdict::Pending(reason) => ("pending", Some(reason)),
    };
    let mut json = json!({
        "groups": example.groups,
        "name": example.name,
        "line": example.line,
        "verdict": verdict,
        "claims": example.claims,
    });
    if let Some(case) = &example.case {
        json["case"] = case.as_str().into();
    }
    if let Some(reason) = reason {
        json["reason"] = reason.as_str().into();
    }
    if options.slowest.is_some() {
        json["seconds"] = example.time.as_secs_f64().into();
    }
    if let Verdict::Failed(failures) = &example.verdict {
        json["failures"] =
            failures.iter().map(|one| failure(suite, example, one, options)).collect::<Vec<_>>().into();
    }
    json
}

fn failure(suite: &Suite, example: &Example, failure: &Failure, options: &ReportOptions) -> Value {
    let mut json = json!({
        "message": failure.message,
        "file": options.path(failure.file.as_deref().unwrap_or(&suite.file)),
        "line": failure.line.unwrap_or(example.line),
    });
    for (name, text) in [
        ("source", &failure.source),
        ("expected", &failure.expected),
        ("got", &failure.got),
        ("catalog", &failure.catalog),
        ("nearest", &failure.nearest),
    ] {
        if let Some(text) = text {
            json[name] = text.as_str().into();
        }
    }
    if !failure.facts.is_empty() {
        let facts = failure.facts.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        json["facts"] = facts.collect();
    }
    if !failure.trace.is_empty() {
        json["trace"] = failure.trace.clone().into();
    }
    if let Some(diagnostic) = &failure.diagnostic {
        json["errors"] = kukla::rpc::errors(diagnostic).into();
    }
    json
}
