//! Where the values of a catalog come from, as a document and as text.

use std::fmt::Write;

use kukla_eval::catalog::{How, Provenance, Trail};
use kukla_eval::error::Location;
use serde_json::{Map, Value as Json, json};

/// The document that stands beside a catalog: for each attribute of each resource how it got its value.
pub fn document(node: &str, provenance: &[Provenance]) -> Json {
    let resources: Vec<Json> = provenance.iter().map(resource).collect();
    json!({"node": node, "resources": resources})
}

fn resource(provenance: &Provenance) -> Json {
    let mut parameters = Map::new();
    for (name, trail) in &provenance.parameters {
        let json = trail.as_ref().map_or_else(|| json!({"from": "compiler"}), |trail| step(trail));
        parameters.insert(name.to_string(), json);
    }
    let mut json = json!({"type": provenance.type_name.as_str(), "title": provenance.title.as_str()});
    place(&mut json, provenance.location.as_ref());
    json["parameters"] = parameters.into();
    json
}

fn place(json: &mut Json, location: Option<&Location>) {
    if let Some(location) = location {
        json["file"] = location.file().map_or(Json::Null, Json::from);
        json["line"] = location.line().into();
    }
}

fn step(trail: &Trail) -> Json {
    let mut json = json!({"from": name(trail.how)});
    place(&mut json, trail.location.as_ref());
    if !trail.data.is_empty() {
        json["data"] = trail
            .data
            .iter()
            .map(|place| {
                json!({
                    "key": place.key.as_str(),
                    "file": place.file.as_ref().map(|file| file.as_str()),
                    "line": place.line,
                    "level": place.level.as_str(),
                })
            })
            .collect();
    }
    if let Some((owner, parameter)) = &trail.through {
        json["through"] = json!({"resource": owner, "parameter": parameter.as_str()});
        if let Some(from) = &trail.from {
            json["through"]["value"] = step(from);
        }
    }
    if let Some(replaced) = &trail.replaced {
        json["replaced"] = step(replaced);
    }
    json
}

fn name(how: How) -> &'static str {
    match how {
        How::Manifest => "manifest",
        How::Default => "default",
        How::Override => "override",
        How::Collector => "collector",
        How::Classifier => "classifier",
        How::ParameterDefault => "parameter default",
        How::Data => "data",
    }
}

/// The chain behind one attribute, one step a line, from the resource towards the origin of the value.
pub fn chain(trail: Option<&Trail>) -> String {
    let mut out = String::new();
    match trail {
        Some(trail) => write_chain(&mut out, trail, "  "),
        None => out.push_str("  added by the compiler\n"),
    }
    out
}

fn write_chain(out: &mut String, trail: &Trail, indent: &str) {
    let place = trail.location.as_ref().map(|location| match location.file() {
        Some(file) => format!(" at {file}:{}", location.line()),
        None => format!(" at line {}", location.line()),
    });
    let how = match trail.how {
        How::Manifest => Some("set"),
        How::Default => Some("resource default"),
        How::Override => Some("override"),
        How::Collector => Some("collector"),
        How::Classifier => Some("given by the node classifier"),
        How::ParameterDefault => Some("default of the parameter"),
        How::Data => None,
    };
    if let Some(how) = how {
        let _ = writeln!(out, "{indent}{how}{}", place.unwrap_or_default());
    }
    if trail.how == How::Data && trail.data.is_empty() {
        let _ = writeln!(out, "{indent}data");
    }
    for place in trail.data.iter() {
        let file = match (&place.file, place.line) {
            (Some(file), Some(line)) => format!(" in {file}:{line}"),
            (Some(file), None) => format!(" in {file}"),
            (None, _) => String::new(),
        };
        let _ = writeln!(out, "{indent}data: key {}{file} (level \"{}\")", place.key, place.level);
    }
    if let Some((owner, parameter)) = &trail.through {
        let _ = writeln!(out, "{indent}through parameter ${parameter} of {owner}");
        if let Some(from) = &trail.from {
            write_chain(out, from, &format!("{indent}  "));
        }
    }
    if let Some(replaced) = &trail.replaced {
        let _ = writeln!(out, "{indent}instead of");
        write_chain(out, replaced, &format!("{indent}  "));
    }
}

/// Whether the value passed through something encrypted on its way.
pub fn is_secret(trail: &Trail) -> bool {
    trail.data.iter().any(|place| place.encrypted) || trail.from.as_ref().is_some_and(|from| is_secret(from))
}
