//! Where the values of a catalog come from, as a document and as text.

use std::fmt::Write;
use std::sync::Arc;

use kukla_eval::catalog::{AttributeSource, Part, Provenance, Trail};
use kukla_eval::error::Location;
use kukla_hiera::ValueOrigin;
use serde_json::{Map, Value as Json, json};

/// The document beside a catalog: the origin of each attribute of each resource.
pub fn document(node: &str, provenance: &[Provenance]) -> Json {
    let resources: Vec<Json> = provenance.iter().map(resource).collect();
    json!({"node": node, "resources": resources})
}

fn resource(provenance: &Provenance) -> Json {
    let mut parameters = Map::new();
    for (name, trail) in &provenance.parameters {
        let json = trail.as_ref().map_or_else(|| json!({"from": "compiler"}), |trail| step(trail, 0));
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

/// So deep a chain is followed: variables made of variables can branch at every step.
const DEEPEST: usize = 12;

fn step(trail: &Trail, depth: usize) -> Json {
    let mut json = json!({"from": name(trail.how)});
    place(&mut json, trail.location.as_ref());
    match &trail.parts[..] {
        [] => {}
        _ if depth > DEEPEST => json["parts"] = "...".into(),
        // A single item needs no list.
        [Part::Data(places)] => json["data"] = data(places),
        [Part::Parameter(..) | Part::Variable(..)] => json["through"] = part(&trail.parts[0], depth),
        parts => json["parts"] = parts.iter().map(|p| part(p, depth)).collect(),
    }
    if let Some(replaced) = &trail.replaced {
        json["replaced"] = step(replaced, depth + 1);
    }
    json
}

fn data(origins: &[Arc<ValueOrigin>]) -> Json {
    let place = |origin: &Arc<ValueOrigin>| {
        let mut json = json!({
            "key": origin.key.as_str(),
            "file": origin.location.as_ref().map(|file| file.as_str()),
            "line": origin.line,
            "level": origin.level.as_str(),
        });
        if !origin.interpolated.is_empty() {
            json["interpolated"] = data(&origin.interpolated);
        }
        json
    };
    origins.iter().map(place).collect()
}

fn part(part: &Part, depth: usize) -> Json {
    let (mut json, trail) = match part {
        Part::Data(places) => return json!({"data": data(places)}),
        Part::Parameter(owner, name, trail) => {
            (json!({"resource": owner.to_string(), "parameter": name.as_str()}), trail)
        }
        Part::Variable(name, trail) => (json!({"variable": name.as_str()}), trail),
        Part::File(path) => return json!({"file": path.as_str()}),
    };
    if let Some(trail) = trail {
        json["value"] = step(trail, depth + 1);
    }
    json
}

fn name(how: AttributeSource) -> &'static str {
    match how {
        AttributeSource::Manifest => "manifest",
        AttributeSource::Default => "default",
        AttributeSource::Override => "override",
        AttributeSource::Collector => "collector",
        AttributeSource::Classifier => "classifier",
        AttributeSource::ParameterDefault => "parameter default",
        AttributeSource::Data => "data",
        AttributeSource::Variable => "variable",
        AttributeSource::Lambda => "lambda",
    }
}

/// The chain behind one attribute, one step a line, from the resource towards the origin of the value. Paths are written as `shown` has them.
pub fn chain(trail: Option<&Trail>, shown: &dyn Fn(&str) -> String) -> String {
    let mut chain = Chain { out: String::new(), shown };
    match trail {
        Some(trail) => chain.trail(trail, "  "),
        None => chain.out.push_str("  added by the compiler\n"),
    }
    chain.out
}

struct Chain<'s> {
    out: String,
    shown: &'s dyn Fn(&str) -> String,
}

impl Chain<'_> {
    fn trail(&mut self, trail: &Trail, indent: &str) {
        let place = trail.location.as_ref().map(|location| match location.file() {
            Some(file) => format!(" at {}:{}", (self.shown)(file), location.line()),
            None => format!(" at line {}", location.line()),
        });
        let how = match trail.how {
            AttributeSource::Manifest => Some("set"),
            AttributeSource::Default => Some("resource default"),
            AttributeSource::Override => Some("override"),
            AttributeSource::Collector => Some("collector"),
            AttributeSource::Classifier => Some("given by the node classifier"),
            AttributeSource::ParameterDefault => Some("default of the parameter"),
            AttributeSource::Variable => Some("assigned"),
            AttributeSource::Lambda => Some("given to a lambda"),
            AttributeSource::Data => None,
        };
        if let Some(how) = how {
            let _ = writeln!(self.out, "{indent}{how}{}", place.unwrap_or_default());
        }
        if indent.len() > 2 * DEEPEST && !trail.parts.is_empty() {
            let _ = writeln!(self.out, "{indent}...");
            return;
        }
        let inner = format!("{indent}  ");
        for part in trail.parts.iter() {
            let trail = match part {
                Part::Data(origins) => {
                    if origins.is_empty() {
                        let _ = writeln!(self.out, "{indent}data: nothing found, the default of the lookup");
                    }
                    self.data(origins, indent, "");
                    continue;
                }
                Part::Parameter(owner, parameter, trail) => {
                    let _ = writeln!(self.out, "{indent}through parameter ${parameter} of {owner}");
                    trail
                }
                Part::Variable(name, trail) => {
                    let _ = writeln!(self.out, "{indent}through variable ${name}");
                    trail
                }
                Part::File(path) => {
                    let _ = writeln!(self.out, "{indent}through file {}", (self.shown)(path));
                    continue;
                }
            };
            if let Some(trail) = trail {
                self.trail(trail, &inner);
            }
        }
        if let Some(replaced) = &trail.replaced {
            let _ = writeln!(self.out, "{indent}instead of");
            self.trail(replaced, &inner);
        }
    }

    /// The keys of data, and below each those that are interpolated into its value.
    fn data(&mut self, origins: &[Arc<ValueOrigin>], indent: &str, how: &str) {
        for origin in origins {
            let file = match (&origin.location, origin.line) {
                (Some(file), Some(line)) => format!(" in {}:{line}", (self.shown)(file)),
                (Some(file), None) => format!(" in {}", (self.shown)(file)),
                (None, _) => String::new(),
            };
            let _ = writeln!(
                self.out,
                "{indent}data: {how}key {}{file} (level \"{}\")",
                origin.key, origin.level
            );
            if indent.len() <= 2 * DEEPEST {
                self.data(&origin.interpolated, &format!("{indent}  "), "interpolated ");
            }
        }
    }
}

/// Whether the value passed through something encrypted on its way.
pub fn is_secret(trail: &Trail) -> bool {
    trail.parts.iter().any(|part| match part {
        Part::Data(origins) => origins.iter().any(|origin| origin.is_secret()),
        Part::Parameter(_, _, trail) | Part::Variable(_, trail) => {
            trail.as_ref().is_some_and(|trail| is_secret(trail))
        }
        Part::File(_) => false,
    })
}
