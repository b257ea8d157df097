//! A catalog as YAML, for people to read and compare.

use kukla_formats::yaml::{Layout, emit_with};
use kukla_syntax::deep;
use kukla_values::{Hash, Str, Value};

use crate::{Catalog, Resource};

impl Catalog {
    /// The document's content as YAML, without the identifier that changes with every compile.
    pub fn to_yaml(&self) -> String {
        let list = |all: &[Str]| Value::Array(all.iter().cloned().map(Value::from).collect());
        let edge = |at: u32| {
            self.resources.get(at as usize).map_or(Str::new(), |resource| resource.reference().into())
        };
        let edges = self.edges.iter().map(|e| [("source", edge(e.source)), ("target", edge(e.target))]);
        let document: Hash = [
            ("name", Value::from(self.name.clone())),
            ("version", self.version.clone()),
            ("environment", self.environment.clone().into()),
            ("classes", list(&self.classes)),
            ("tags", list(&self.tags)),
            ("resources", Value::Array(self.resources.iter().map(resource).collect())),
            ("edges", Value::Array(edges.map(|pair| Value::Hash(pair.into_iter().collect())).collect())),
        ]
        .into_iter()
        .collect();
        let layout = Layout { line_width: -1, ..Layout::default() };
        // What is nested too deep for the one is still a document in the other, which YAML includes.
        emit_with(&copy(&document.into()), layout).unwrap_or_else(|_| self.to_json())
    }
}

fn resource(resource: &Resource) -> Value {
    let list = |all: &[Str]| Value::Array(all.iter().cloned().map(Value::from).collect());
    let mut hash = Hash::new();
    hash.insert("type", resource.type_name.clone());
    hash.insert("title", resource.title.clone());
    hash.insert("tags", list(&resource.tags));
    if let Some(file) = &resource.file {
        hash.insert("file", file.clone());
    }
    if let Some(line) = resource.line {
        hash.insert("line", i64::from(line));
    }
    hash.insert("exported", resource.exported);
    hash.insert("kind", resource.kind.name());
    if !resource.parameters.is_empty() {
        hash.insert("parameters", resource.parameters.iter().cloned().collect::<Hash>());
    }
    if !resource.sensitive_parameters.is_empty() {
        hash.insert("sensitive_parameters", list(&resource.sensitive_parameters));
    }
    hash.into()
}

/// The value, nothing in which is the same as anything else: people are not helped by references.
fn copy(value: &Value) -> Value {
    match value {
        Value::Array(values) => Value::Array(deep(|| values.iter().map(copy).collect())),
        Value::Hash(hash) => {
            Value::Hash(deep(|| hash.iter().map(|(key, value)| (copy(key), copy(value))).collect()))
        }
        Value::Undef | Value::Boolean(_) | Value::Integer(_) | Value::Float(_) | Value::String(_) => {
            value.clone()
        }
        // A finished catalog has nothing else.
        _ => Value::Undef,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_is_written_out() {
        let list = Value::from(vec![Value::from(1), Value::from("x: y")]);
        let parameters = vec![("a".into(), list.clone()), ("b".into(), list), ("no".into(), "no".into())];
        let catalog = Catalog {
            name: "n".into(),
            resources: vec![Resource { type_name: "Notify".into(), parameters, ..Resource::default() }],
            ..Catalog::default()
        };
        let yaml = catalog.to_yaml();
        let wanted =
            "  parameters:\n    a:\n    - 1\n    - 'x: y'\n    b:\n    - 1\n    - 'x: y'\n    'no': 'no'\n";
        assert!(yaml.contains(wanted), "{yaml}");
    }
}
