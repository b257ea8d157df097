//! The methods of `kukla rpc`, as functions from parameters to results.

use std::sync::Arc;

use kukla_eval::error::Failure;
use kukla_eval::vm::Log;
use kukla_eval::world::World;
use kukla_values::{Type, Value, format};
use serde_json::{Map, Value as Json, json};

use crate::compiler::{self, Outcome};
use crate::request::Request;

/// Why a request has no result: the errors in the shape of the protocol, and what was logged before.
#[derive(Debug)]
pub struct Failed {
    /// At least one error.
    pub errors: Vec<Json>,
    /// The messages.
    pub logs: Vec<Json>,
}

/// What a method gives.
pub type Answer = Result<Json, Failed>;

fn request(params: &Map<String, Json>) -> Result<Request, Failed> {
    Request::from_json(params).map_err(|message| Failed {
        errors: vec![json!({"kind": "request", "issue": "BAD_REQUEST", "message": message, "file": null, "line": null, "column": null})],
        logs: Vec::new(),
    })
}

/// `compile`: the catalog of one node.
pub fn compile(params: &Map<String, Json>, world: Arc<dyn World>) -> Answer {
    let Outcome { result, logs } = compiler::compile(&request(params)?, world);
    let logs: Vec<Json> = logs.iter().map(log).collect();
    match result {
        Ok(catalog) => {
            let catalog: Json = serde_json::from_str(&catalog.to_json()).unwrap_or_default();
            Ok(json!({"catalog": catalog, "logs": logs}))
        }
        Err(failure) => Err(Failed { errors: errors(&failure), logs }),
    }
}

/// `eval`: the value of the last expression of `code`.
pub fn eval(params: &Map<String, Json>, world: Arc<dyn World>) -> Answer {
    let request = request(params)?;
    let Outcome { result, logs } = compiler::eval(&request, world);
    let logs: Vec<Json> = logs.iter().map(log).collect();
    match result {
        Ok(value) => Ok(json!({
            "value": rich(&value),
            "string": format::interpolate(&value).as_str(),
            "type": Type::of(&value).to_string(),
            "logs": logs,
        })),
        Err(failure) => Err(Failed { errors: errors(&failure), logs }),
    }
}

/// A failure and those reported with it, in the shape of the protocol.
pub fn errors(failure: &Failure) -> Vec<Json> {
    std::iter::once(failure).chain(&failure.others).map(error).collect()
}

fn error(failure: &Failure) -> Json {
    let mut json = json!({
        "kind": failure.kind.name(),
        "issue": failure.code,
        "message": failure.message,
        "file": null,
        "line": null,
        "column": null,
    });
    if let Some(location) = &failure.location {
        let at = location.source.line_column(location.span.start);
        json["file"] = location.file().map_or(Json::Null, Json::from);
        json["line"] = at.line.into();
        if !failure.no_column {
            json["column"] = at.column.into();
        }
    }
    if !failure.hints.is_empty() {
        json["hints"] = failure.hints.clone().into();
    }
    json
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

fn rich(value: &Value) -> Json {
    match value {
        Value::Undef => Json::Null,
        Value::Boolean(flag) => (*flag).into(),
        Value::Integer(n) => (*n).into(),
        Value::Float(n) => (*n).into(),
        Value::String(text) => text.as_str().into(),
        Value::Array(values) => values.iter().map(rich).collect(),
        Value::Hash(hash) if hash.keys().all(|key| key.as_str().is_some()) => hash
            .iter()
            .map(|(key, value)| (key.as_str().unwrap_or_default().to_owned(), rich(value)))
            .collect(),
        Value::Hash(hash) => {
            let entries: Vec<Json> = hash.iter().flat_map(|(key, value)| [rich(key), rich(value)]).collect();
            json!({"__ptype": "Hash", "__pvalue": entries})
        }
        Value::Default => json!({"__ptype": "Default"}),
        Value::Regexp(regexp) => json!({"__ptype": "Regexp", "__pvalue": regexp.source()}),
        Value::Sensitive(inner) => json!({"__ptype": "Sensitive", "__pvalue": rich(inner)}),
        other => {
            json!({"__ptype": Type::of(other).to_string(), "__pvalue": format::interpolate(other).as_str()})
        }
    }
}
