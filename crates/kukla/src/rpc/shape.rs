//! The shapes that the protocol gives to values, messages and errors.

use std::borrow::Cow;
use std::sync::LazyLock;

use kukla_eval::error::{Failure, FailureKind};
use kukla_eval::vm::Log;
use kukla_syntax::{Diagnostic, Source};
use kukla_values::{Value, format, richdata};
use regex::Regex;
use serde_json::{Value as Json, json};

/// A failure and those reported with it, in the shape of the protocol.
pub fn errors(failure: &Failure) -> Vec<Json> {
    std::iter::once(failure).chain(&failure.others).map(error).collect()
}

fn error(failure: &Failure) -> Json {
    let mut json = json!({
        "kind": failure.kind.name(),
        "issue": failure.code,
        "message": without_locations(&failure.message),
        "file": null,
        "line": null,
        "column": null,
    });
    // What is wrong with data is not the fault of the code that asked for it.
    let location = failure.location.as_ref().filter(|_| failure.kind != FailureKind::Data);
    if let Some(location) = location {
        let at = location.source.line_column(location.span.start);
        json["file"] = location.file().map_or(Json::Null, Json::from);
        json["line"] = at.line.into();
        if !failure.no_column {
            json["column"] = at.column.into();
        }
    }
    if let Some((file, line)) = failure.data_file.as_deref() {
        json["file"] = file.as_deref().map_or(Json::Null, Json::from);
        json["line"] = line.map_or(Json::Null, Json::from);
    }
    if !failure.hints.is_empty() {
        json["hints"] = failure.hints.clone().into();
    }
    json
}

/// A message without the places it repeats from errors inside it: `(file: a.pp, line: 1, column: 2)`.
fn without_locations(message: &str) -> Cow<'_, str> {
    static PLACE: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r" \((?:file: [^()]*?, line: \d+|file: [^()]*?|line: \d+)(?:, column: \d+)?\)";
        Regex::new(pattern).expect("a valid pattern")
    });
    PLACE.replace_all(message, "")
}

/// What is wrong with a text, in the shape of the protocol.
pub fn diagnostic(source: &Source, diagnostic: &Diagnostic) -> Json {
    let at = source.line_column(diagnostic.span.start);
    json!({
        "severity": diagnostic.severity.name(),
        "issue": diagnostic.code.name,
        "message": diagnostic.message,
        "file": source.name(),
        "line": at.line,
        "column": at.column,
    })
}

/// A log message in the shape of the protocol.
pub fn log(log: &Log) -> Json {
    let mut json = json!({"level": log.level.name(), "message": log.message, "source": log.source});
    if let Some(location) = &log.location {
        let at = location.source.line_column(location.span.start);
        if let Some(file) = location.file() {
            json["file"] = file.into();
        }
        json["line"] = at.line.into();
        json["column"] = at.column.into();
    }
    if let Some(issue) = log.issue {
        json["issue"] = issue.into();
    }
    json
}

/// A value that JSON has no notation for is written with its type; what not even that can carry is its text.
pub fn rich(value: &Value) -> Json {
    richdata::to_json(value).unwrap_or_else(|_| format::interpolate(value).as_str().into())
}
