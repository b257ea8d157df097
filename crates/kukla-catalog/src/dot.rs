//! A catalog as a graph for Graphviz: containment in grey, ordering in black, notification dashed.

use std::fmt::Write;

use crate::{Catalog, Resource, ResourceRef};

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
                for written in resource.related(attribute) {
                    let found = self
                        .position_as_written(&written.to_string())
                        .and_then(|at| self.resources.get(at as usize));
                    let other = found.map_or(written, Resource::reference);
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

#[cfg(test)]
mod tests {
    use crate::Catalog;

    #[test]
    fn arrows_lead_to_the_boxes_that_are_there() {
        let text = r#"{"name":"n","version":1,"environment":"e","catalog_format":2,"classes":[],"tags":[],"edges":[],"resources":[
            {"type":"Notify","title":"a","tags":[],"exported":false,"parameters":{"require":["class[k]","Class[main]","File[gone]"]}},
            {"type":"Class","title":"K","tags":[],"exported":false},
            {"type":"Class","title":"main","tags":[],"exported":false}]}"#;
        let dot = Catalog::from_json(text.as_bytes()).unwrap().to_dot();
        for source in ["Class[K]", "Class[main]", "File[gone]"] {
            assert!(dot.contains(&format!("\"{source}\" -> \"Notify[a]\";")), "{dot}");
        }
    }
}
