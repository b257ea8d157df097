//! The shapes that the protocol gives to values, messages and errors.

use kukla_eval::messages::Log;
use kukla_syntax::{Diagnostic, SourcePosition};
use kukla_values::{Value, format, richdata};
use serde_json::{Value as Json, json};

/// A failure and those reported with it, in the shape of the protocol.
pub fn errors(failure: &Diagnostic) -> Vec<Json> {
    std::iter::once(failure).chain(&failure.others).map(error).collect()
}

fn error(failure: &Diagnostic) -> Json {
    let mut json = json!({"kind": failure.stage.name()});
    describe(&mut json, failure);
    let root = failure.root();
    json["reason"] = root.message().into();
    if let Some(class) = root.fact("exception") {
        json["exception"] = class.into();
    }
    if !root.hints.is_empty() {
        json["hints"] = root.hints.clone().into();
    }
    json
}

/// The diagnostics of a text, in the form of the protocol.
pub fn diagnostic(diagnostic: &Diagnostic) -> Json {
    let mut json = json!({"severity": diagnostic.severity.name()});
    describe(&mut json, diagnostic);
    json
}

/// One diagnostic: Puppet's name for it and ours, Puppet's message without the position, the position.
fn describe(json: &mut Json, wrong: &Diagnostic) {
    let place = wrong.position.as_ref();
    json["issue"] = wrong.issue.into();
    json["code"] = wrong.root().code.name.into();
    json["message"] = wrong.puppet_message().into();
    json["file"] = place.and_then(SourcePosition::file).into();
    json["line"] = place.and_then(SourcePosition::line).into();
    json["column"] = place.filter(|_| !wrong.line_only).and_then(SourcePosition::column).into();
}

/// A log message in the shape of the protocol.
pub fn log(log: &Log) -> Json {
    let mut json = json!({"level": log.level.name(), "message": log.message, "source": log.source});
    if let Some(location) = &log.location {
        let at = location.source.line_column(location.span.point);
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

/// A value as JSON. A value that JSON has no notation for is written with its type; what not even that can carry is its text.
pub fn rich(value: &Value) -> Json {
    richdata::to_json(value).unwrap_or_else(|_| format::interpolate(value).as_str().into())
}
