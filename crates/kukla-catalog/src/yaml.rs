//! A catalog as YAML, for people to read and compare.

use std::fmt::Write;

use kukla_values::{Hash, Str, Value};

use crate::json;
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
        let mut out = String::from("---\n");
        entries(&mut out, &document, 0);
        out
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

fn entries(out: &mut String, hash: &Hash, depth: usize) {
    for (i, (key, value)) in hash.iter().enumerate() {
        if i > 0 {
            indent(out, depth);
        }
        scalar(out, key);
        out.push(':');
        nested(out, value, depth);
    }
}

/// What follows `key:`.
fn nested(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Hash(hash) if !hash.is_empty() => {
            out.push('\n');
            indent(out, depth + 1);
            entries(out, hash, depth + 1);
        }
        Value::Array(values) if !values.is_empty() => {
            out.push('\n');
            indent(out, depth);
            items(out, values, depth);
        }
        _ => {
            out.push(' ');
            scalar(out, value);
            out.push('\n');
        }
    }
}

fn items(out: &mut String, values: &[Value], depth: usize) {
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            indent(out, depth);
        }
        out.push_str("- ");
        match value {
            Value::Hash(hash) if !hash.is_empty() => entries(out, hash, depth + 1),
            Value::Array(values) if !values.is_empty() => items(out, values, depth + 1),
            _ => {
                scalar(out, value);
                out.push('\n');
            }
        }
    }
}

fn indent(out: &mut String, depth: usize) {
    let _ = write!(out, "{:1$}", "", depth * 2);
}

/// A word that reads as itself stands bare; all else is written as JSON, which YAML includes.
fn scalar(out: &mut String, value: &Value) {
    match value {
        Value::String(text) if is_bare(text) => out.push_str(text),
        _ => json::value(out, value),
    }
}

fn is_bare(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '.' | '-');
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '/'));
    let reserved = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    starts && text.chars().all(word) && !reserved.iter().any(|word| word.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting() {
        let inner: Hash =
            [("a", Value::from(vec![Value::from(1), Value::from("x: y")])), ("b", Hash::new().into())]
                .into_iter()
                .collect();
        let hash: Hash = [("k", Value::from(vec![inner.into()])), ("no", "no".into())].into_iter().collect();
        let mut out = String::new();
        entries(&mut out, &hash, 0);
        assert_eq!(out, "k:\n- a:\n  - 1\n  - \"x: y\"\n  b: {}\n\"no\": \"no\"\n");
    }
}
