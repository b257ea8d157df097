//! The results of a file, from what the interpreter has returned.

use std::time::Duration;

use kukla::syntax::Problem;
use kukla::values::Value;
use kukla_ruby::symbol::sym;
use kukla_ruby::{Ruby, Unwind};

use crate::model::{Example, Failure, Suite, Verdict};

/// Adds the examples that the run has listed.
pub fn read(results: &Value, suite: &mut Suite) {
    for result in results.as_array().iter().flat_map(|all| all.iter()) {
        let Some(result) = result.as_hash() else { continue };
        let text = |name: &str| result.get(name).and_then(Value::as_str).map(str::to_owned);
        let texts = |name: &str| -> Vec<String> {
            let all = result.get(name).and_then(Value::as_array);
            all.iter()
                .flat_map(|all| all.iter())
                .filter_map(|text| text.as_str().map(str::to_owned))
                .collect()
        };
        let line = |name: &str| match result.get(name) {
            Some(Value::Integer(line)) => usize::try_from(*line).ok(),
            _ => None,
        };
        let reason = || text("reason").unwrap_or_default();
        let verdict = match text("status").as_deref().filter(|status| !status.is_empty()) {
            Some("passed") => Verdict::Passed,
            None => Verdict::Skipped("not run".to_owned()),
            Some("skipped") => Verdict::Skipped(reason()),
            Some("pending") => Verdict::Pending(reason()),
            _ => Verdict::Failed(vec![Failure {
                message: text("message").unwrap_or_default(),
                file: text("failed_file"),
                line: line("failed_line"),
                expected: text("expected"),
                got: text("got"),
                trace: texts("trace"),
                ..Failure::default()
            }]),
        };
        let seconds = match result.get("time") {
            Some(Value::Float(seconds)) => seconds.max(0.0),
            _ => 0.0,
        };
        suite.examples.push(Example {
            groups: texts("groups"),
            name: text("name").unwrap_or_default(),
            case: None,
            line: line("line").unwrap_or_default(),
            verdict,
            claims: 1,
            time: Duration::from_secs_f64(seconds),
        });
    }
}

/// The exception that ended a file before its examples ran.
pub fn problem(ruby: &mut Ruby<'_>, unwind: Unwind) -> Problem {
    let exception = match unwind {
        Unwind::Raise(exception) => exception,
        Unwind::Stop(error) => return Problem::other(error.to_string()),
        _ => return Problem::other("a jump left the file"),
    };
    let class = ruby.class_name_of(&exception);
    let message = ruby.send(&exception, sym::MESSAGE, &[]).and_then(|text| ruby.display(&text));
    let message = message.map(|text| text.to_str_lossy().into_owned()).unwrap_or_default();
    let problem = Problem::other(format!("{class}: {message}"));
    let place = ruby.send(&exception, sym::BACKTRACE, &[]).ok();
    match place {
        Some(kukla_ruby::Value::Array(lines)) => match lines.get(0) {
            Some(first) => match ruby.display(&first) {
                Ok(first) => problem.help(format!("raised at {}", first.to_str_lossy())),
                Err(_) => problem,
            },
            None => problem,
        },
        _ => problem,
    }
}
