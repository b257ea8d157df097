//! The methods of `kukla rpc`, as functions from parameters to results.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::LazyLock;

use kukla_eval::data;
use kukla_eval::error::{Failure, FailureKind};
use kukla_eval::vm::Log;
use kukla_values::{Type, Value, format, richdata};
use regex::Regex;
use serde_json::{Map, Value as Json, json};

use crate::compiler::{Compiler, Outcome};
use crate::request::{Request, from_json};

/// Why a request has no result: the errors in the shape of the protocol, and what was logged before.
#[derive(Debug)]
pub struct Failed {
    /// At least one error.
    pub errors: Vec<Json>,
    /// The messages.
    pub logs: Vec<Json>,
}

/// What a method gives: nothing but the JSON text it has appended, or why there is none.
pub type Answer = Result<(), Failed>;

fn bad_request(message: String) -> Failed {
    let error = json!({"kind": "request", "issue": "BAD_REQUEST", "message": message, "file": null, "line": null, "column": null});
    Failed { errors: vec![error], logs: Vec::new() }
}

fn request(compiler: &Compiler, params: &Map<String, Json>) -> Result<Request, Failed> {
    let request = Request::from_json(params).map_err(bad_request)?;
    if let (Some(path), Some(root)) = (&request.environmentpath, request.root()) {
        let is_name = |c: char| c == '_' || c.is_alphanumeric();
        if !request.environment.chars().all(is_name) || !compiler.exists(&root) {
            let message = format!("no environment {} in {}", request.environment, path.display());
            return Err(bad_request(message));
        }
    }
    if let Some(path) = request.manifest.as_ref().filter(|path| !compiler.exists(path)) {
        return Err(bad_request(format!("no such manifest: {}", path.display())));
    }
    match &request.hiera_config {
        Some(path) if !compiler.exists(path) => {
            Err(bad_request(format!("no such hiera_config: {}", path.display())))
        }
        _ => Ok(request),
    }
}

fn failed(failure: &Failure, logs: &[Log]) -> Failed {
    Failed { errors: errors(failure), logs: logs.iter().map(log).collect() }
}

fn all(logs: &[Log]) -> Json {
    logs.iter().map(log).collect()
}

/// `compile`: the catalog of one node.
pub fn compile(compiler: &Compiler, params: &Map<String, Json>, out: &mut String) -> Answer {
    let request = request(compiler, params)?;
    let (result, logs) = match request.explain {
        true => {
            let Outcome { result, logs, .. } = compiler.compile_explained(&request);
            (result.map(|(catalog, explain)| (catalog, Some(explain))), logs)
        }
        false => {
            let Outcome { result, logs, .. } = compiler.compile(&request);
            (result.map(|catalog| (catalog, None)), logs)
        }
    };
    let (catalog, explain) = result.map_err(|failure| failed(&failure, &logs))?;
    // A catalog can be megabytes, which are written once and copied never.
    out.push_str(r#"{"catalog":"#);
    catalog.write_json(out);
    if let Some(explain) = explain {
        let _ = write!(out, r#","explain":{}"#, Json::from(explain));
    }
    let _ = write!(out, r#","logs":{}}}"#, all(&logs));
    Ok(())
}

/// `eval`: the value of the last expression of `code`.
pub fn eval(compiler: &Compiler, params: &Map<String, Json>, out: &mut String) -> Answer {
    let Outcome { result, logs, .. } = compiler.eval(&request(compiler, params)?);
    let value = result.map_err(|failure| failed(&failure, &logs))?;
    let answer = json!({
        "value": rich(&value),
        "string": format::interpolate(&value).as_str(),
        "type": Type::of(&value).to_string(),
        "logs": all(&logs),
    });
    let _ = write!(out, "{answer}");
    Ok(())
}

/// `lookup`: the value data has for `key`.
pub fn lookup(compiler: &Compiler, params: &Map<String, Json>, out: &mut String) -> Answer {
    let request = request(compiler, params)?;
    let wanted = wanted(params).map_err(bad_request)?;
    let Outcome { result, logs, .. } = compiler.lookup(&request, &wanted);
    let answer = result.map_err(|failure| failed(&failure, &logs))?;
    let explain = answer.explanation.map(|explanation| explanation.puppet_text());
    match answer.found {
        Ok(found) => {
            let mut result = json!({"value": rich(&found.value), "logs": all(&logs)});
            if let Some(explain) = explain {
                result["explain"] = explain.into();
            }
            let _ = write!(out, "{result}");
            Ok(())
        }
        Err(failure) => {
            let mut failed = failed(&failure, &logs);
            if let (Some(explain), Some(error)) = (explain, failed.errors.first_mut()) {
                error["explain"] = explain.into();
            }
            Err(failed)
        }
    }
}

fn wanted(params: &Map<String, Json>) -> Result<data::Request, String> {
    let keys = match params.get("key") {
        Some(Json::String(key)) => vec![key.as_str().into()],
        Some(Json::Array(keys)) => {
            let keys: Option<Vec<_>> = keys.iter().map(|key| Some(key.as_str()?.into())).collect();
            keys.ok_or("key is a string or an array of strings")?
        }
        _ => return Err("lookup needs a key".into()),
    };
    let value_type = match params.get("type") {
        None | Some(Json::Null) => None,
        Some(Json::String(text)) => Some(Type::parse(text).map_err(|error| error.message)?),
        Some(_) => return Err("type is a string".into()),
    };
    let given = |name: &str| params.get(name).filter(|value| !value.is_null()).map(from_json);
    Ok(data::Request {
        keys,
        value_type,
        merge: given("merge"),
        // That the default is null is something else than that there is none.
        default: params.get("default").map(from_json),
        ..data::Request::default()
    })
}

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
