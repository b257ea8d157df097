//! The methods of `kukla rpc`, as functions from parameters to results.

use std::fmt::Write as _;

use kukla_eval::data;
use kukla_eval::messages::Log;
use kukla_syntax::Problem;
use kukla_values::{Shown, Type, Value, format};
use serde_json::{Map, Value as Json, json};

use super::Server;
use super::failed::Failed;
use super::request::{Request, from_json};
use super::shape::{log, rich};
use crate::certname;
use crate::compile::{LookupContext, Outcome};

/// The result of a method, which appends its JSON to the output.
pub(super) type Answer = Result<(), Failed>;

fn request(server: &Server, params: &Map<String, Json>) -> Result<Request, Failed> {
    let mut request = Request::from_json(params).map_err(|problem| Failed::request(problem.to_string()))?;
    certname::check(&request.node.name)?;
    let deadline = &mut request.site.settings.limits.deadline;
    *deadline = deadline.or(server.deadline);
    let overrides = &mut request.site.settings.overrides;
    *overrides = overrides.take().or_else(|| server.overrides.clone());
    let (world, site) = (server.compiler.world(), &request.site);
    if let (Some(path), Some(root)) = (&site.environmentpath, site.root()) {
        let is_name = |c: char| c == '_' || c.is_alphanumeric();
        if !site.environment.chars().all(is_name) || !world.exists(&root) {
            let message = format!("no environment {} in {}", site.environment, path.display());
            return Err(Failed::request(message));
        }
    }
    if let Some(path) = site.manifest.as_ref().filter(|path| !world.exists(path)) {
        return Err(Failed::request(format!("no such manifest: {}", path.display())));
    }
    match &site.hiera_config {
        Some(path) if !world.exists(path) => {
            Err(Failed::request(format!("no such hiera_config: {}", path.display())))
        }
        _ => Ok(request),
    }
}

fn all(logs: &[Log]) -> Json {
    logs.iter().map(log).collect()
}

/// A value as rich data, with secrets unless the request declines them: the caller of the machine interface
/// takes the place of the agent.
fn shown(value: &Value, params: &Map<String, Json>) -> Json {
    match params.get("sensitive") {
        Some(Json::Bool(false)) => Shown::of(value).to_json(),
        _ => rich(value),
    }
}

/// `compile`: the catalog of one node.
pub(super) fn compile(server: &Server, params: &Map<String, Json>, out: &mut String) -> Answer {
    let Request { site, node, options } = request(server, params)?;
    let Outcome { result, logs, explanation, .. } = server.compiler.open(&site)?.compile_with(&node, options);
    let compiled = match result {
        Ok(compiled) => compiled,
        Err(failure) => return Err(Failed::new(&failure, &logs).explained(explanation)),
    };
    // A catalog can be megabytes, which are written once and copied never.
    out.push_str(r#"{"catalog":"#);
    compiled.catalog.write_json(out);
    if let Some(explain) = explanation {
        let _ = write!(out, r#","explain":{}"#, Json::from(explain));
    }
    let _ = write!(out, r#","logs":{}}}"#, all(&logs));
    Ok(())
}

/// `eval`: the value of the last expression of `code`.
pub(super) fn eval(server: &Server, params: &Map<String, Json>, out: &mut String) -> Answer {
    let Request { site, node, .. } = request(server, params)?;
    let Outcome { result, logs, .. } = server.compiler.open(&site)?.eval(&node);
    let value = result.map_err(|failure| Failed::new(&failure, &logs))?;
    let answer = json!({
        "value": shown(&value, params),
        "string": format::interpolate(&value).as_str(),
        "type": Type::of(&value).to_string(),
        "logs": all(&logs),
    });
    let _ = write!(out, "{answer}");
    Ok(())
}

/// `lookup`: the value data has for `key`.
pub(super) fn lookup(server: &Server, params: &Map<String, Json>, out: &mut String) -> Answer {
    let Request { site, node, options } = request(server, params)?;
    let wanted = lookup_request(params).map_err(|problem| Failed::request(problem.to_string()))?;
    let site = server.compiler.open(&site)?;
    let Outcome { result, logs, explanation, .. } = match options.explain {
        true => site.lookup_explained(&node, &wanted, LookupContext::Manifest),
        false => site.lookup(&node, &wanted, LookupContext::Manifest),
    };
    let answer = match result {
        Ok(answer) => answer,
        // The site manifest failed before the lookup began, perhaps over a lookup of its own.
        Err(failure) => return Err(Failed::new(&failure, &logs).explained(explanation)),
    };
    let explain = answer.explanation.map(|explanation| explanation.puppet_text());
    match answer.found {
        Ok(found) => {
            let mut result = json!({"value": shown(&found.value, params), "logs": all(&logs)});
            if let Some(explain) = explain {
                result["explain"] = explain.into();
            }
            let _ = write!(out, "{result}");
            Ok(())
        }
        Err(failure) => Err(Failed::new(&failure, &logs).explained(explain)),
    }
}

fn lookup_request(params: &Map<String, Json>) -> Result<data::LookupRequest, Problem> {
    let keys = match params.get("key") {
        Some(Json::String(key)) => vec![key.as_str().into()],
        Some(Json::Array(keys)) => {
            let keys: Option<Vec<_>> = keys.iter().map(|key| Some(key.as_str()?.into())).collect();
            keys.ok_or_else(|| Problem::invalid("key is a string or an array of strings"))?
        }
        _ => return Err(Problem::invalid("lookup needs a key")),
    };
    let value_type = match params.get("type") {
        None | Some(Json::Null) => None,
        Some(Json::String(text)) => {
            Some(Type::parse(text).map_err(|error| Problem::invalid(error.message()))?)
        }
        Some(_) => return Err(Problem::invalid("type is a string")),
    };
    let given = |name: &str| params.get(name).filter(|value| !value.is_null()).map(from_json);
    Ok(data::LookupRequest {
        keys,
        value_type,
        merge: given("merge"),
        // A null default is different from no default.
        default: params.get("default").map(from_json),
        ..data::LookupRequest::default()
    })
}
