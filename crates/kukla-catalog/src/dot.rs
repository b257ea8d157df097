//! A catalog as a graph for Graphviz: containment in grey, ordering in black, notification dashed.

use std::fmt::Write;

use crate::{Catalog, ResourceRef};

impl Catalog {
    /// The graph in Graphviz's language.
    pub fn to_dot(&self) -> String {
        let mut out = format!("digraph {} {{\n  node [shape=box];\n", quoted(&self.name));
        for resource in &self.resources {
            let _ = writeln!(out, "  {};", quoted(&resource.reference().to_string()));
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
                for other in resource.related(attribute) {
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
}

fn line(out: &mut String, source: &ResourceRef, target: &ResourceRef, style: &str) {
    let (source, target) = (source.to_string(), target.to_string());
    let _ = writeln!(out, "  {} -> {}{style};", quoted(&source), quoted(&target));
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
