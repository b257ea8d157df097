//! The `parse` method: the tree of a text and its diagnostics.

use std::fmt::Write as _;
use std::path::Path;

use kukla_syntax::pn::Pn;
use kukla_syntax::{Source, Strict};
use kukla_world::World;
use serde_json::{Map, Value};

use super::failed::Failed;
use super::methods::Answer;
use super::shape::diagnostic;
use crate::analysis::{self, Analysis, Rules};

/// Parses `code` or `manifest`. Text without a tree is a failure; broken rules are diagnostics beside the tree.
pub(super) fn answer(world: &dyn World, params: &Map<String, Value>, out: &mut String) -> Answer {
    let text = |name: &str| match params.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(Failed::request(format!("{name} is a string"))),
    };
    let name = text("filename")?.or(text("file")?);
    let (source, invalid) = match (text("code")?, text("manifest")?) {
        (Some(code), manifest) => match manifest.or(name) {
            Some(name) => (Source::new(name, code), None),
            None => (Source::unnamed(code), None),
        },
        (None, Some(manifest)) if !world.exists(Path::new(manifest)) => {
            return Err(Failed::request(format!("no such manifest: {manifest}")));
        }
        (None, Some(manifest)) => match world.read(Path::new(manifest)) {
            Ok(bytes) => analysis::source(manifest, bytes),
            Err(why) => return Err(Failed::request(format!("{manifest}: {why}"))),
        },
        (None, None) => return Err(Failed::request("parse needs code or manifest")),
    };
    if let Some(invalid) = invalid {
        return Err(Failed::program([&invalid]));
    }
    let analysis = Analysis::new(&source, &rules(world, params)?);
    if analysis.has_no_tree() {
        return Err(Failed::program(analysis.diagnostics.iter().filter(|d| d.is_error())));
    }
    let diagnostics: Vec<Value> = analysis.diagnostics.iter().map(diagnostic).collect();
    let pn = Pn::of(&analysis.parse.tree).to_json();
    let _ = write!(out, r#"{{"pn":{pn},"diagnostics":{}}}"#, Value::Array(diagnostics));
    Ok(())
}

fn rules(world: &dyn World, params: &Map<String, Value>) -> Result<Rules, Failed> {
    let none = Value::Null;
    let settings = params.get("settings").unwrap_or(&none);
    let strict = match &settings["strict"] {
        Value::Null => Strict::default(),
        Value::String(level) => level.parse().map_err(|e| Failed::request(format!("strict: {e}")))?,
        _ => return Err(Failed::request("strict is 'off', 'warning' or 'error'")),
    };
    let epp = match params.get("epp") {
        None | Some(Value::Null) => None,
        Some(Value::Bool(epp)) => Some(*epp),
        Some(_) => return Err(Failed::request("epp is true or false")),
    };
    let modulepath = match params.get("modulepath") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(paths)) => paths.iter().filter_map(Value::as_str).map(Into::into).collect(),
        Some(_) => return Err(Failed::request("modulepath is an array of directories")),
    };
    let site = params.get("manifest_setting").and_then(Value::as_str).map(Into::into);
    let tasks = settings["tasks"].as_bool().unwrap_or_default();
    Ok(Rules { strict, epp, tasks, modulepath, own_module: None, site, here: world.here() })
}
