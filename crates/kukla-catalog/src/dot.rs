//! A catalog as a graph for Graphviz: containment in grey, ordering in black, notification dashed.

use std::fmt::Write;

use kukla_values::Value;

use crate::resource::split_reference;
use crate::{Catalog, Resource};

impl Catalog {
    /// The graph in Graphviz's language.
    pub fn to_dot(&self) -> String {
        let mut out = format!("digraph {} {{\n  node [shape=box];\n", quoted(&self.name));
        for resource in &self.resources {
            let _ = writeln!(out, "  {};", quoted(&resource.reference()));
        }
        for edge in &self.edges {
            let ends = (self.resources.get(edge.source as usize), self.resources.get(edge.target as usize));
            if let (Some(source), Some(target)) = ends {
                line(&mut out, &source.reference(), &target.reference(), " [color=grey]");
            }
        }
        for resource in &self.resources {
            let this = resource.reference();
            for (attribute, forward, style) in [
                ("before", true, ""),
                ("notify", true, " [style=dashed]"),
                ("require", false, ""),
                ("subscribe", false, " [style=dashed]"),
            ] {
                for other in self.related(resource, attribute) {
                    match forward {
                        true => line(&mut out, &this, &other, style),
                        false => line(&mut out, &other, &this, style),
                    }
                }
            }
        }
        out.push_str("}\n");
        out
    }

    /// The references in a relationship attribute, as the resources they lead to spell themselves.
    pub fn related(&self, resource: &Resource, attribute: &str) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(value) = resource.get(attribute) {
            references(value, &mut found);
        }
        for reference in &mut found {
            if let Some((type_name, title)) = split_reference(reference)
                && let Some(resource) = self.find(type_name, title)
            {
                *reference = resource.reference();
            }
        }
        found
    }
}

fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.to_string()),
        Value::Array(values) => values.iter().for_each(|each| references(each, found)),
        _ => {}
    }
}

fn line(out: &mut String, source: &str, target: &str, style: &str) {
    let _ = writeln!(out, "  {} -> {}{style};", quoted(source), quoted(target));
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
