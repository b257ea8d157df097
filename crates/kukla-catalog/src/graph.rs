//! The graph of a catalog: resources, containers and relationships, also in Graphviz's language.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::{Catalog, Resource, ResourceRef};

/// The resources of a catalog and the edges between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatalogGraph {
    /// The references of the resources.
    pub nodes: Vec<String>,
    /// The edges.
    pub edges: Vec<GraphEdge>,
}

/// An edge of a catalog's graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphEdge {
    /// The container, or the resource that comes first.
    pub from: String,
    /// The contained resource, or the one that comes later.
    pub to: String,
    /// Its kind.
    pub kind: GraphEdgeKind,
    /// Whether it is part of a cycle that is shown.
    pub is_in_cycle: bool,
}

/// The kind of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphEdgeKind {
    /// A container and something in it.
    Contains,
    /// `before` and `require`.
    Before,
    /// `notify` and `subscribe`.
    Notify,
}

impl Catalog {
    /// The graph of all resources.
    pub fn graph(&self) -> CatalogGraph {
        let mut graph = CatalogGraph {
            nodes: self.resources.iter().map(|resource| resource.reference().to_string()).collect(),
            edges: Vec::new(),
        };
        for edge in &self.edges {
            let ends = (self.resources.get(edge.source as usize), self.resources.get(edge.target as usize));
            if let (Some(source), Some(target)) = ends {
                graph.add(&source.reference(), &target.reference(), GraphEdgeKind::Contains);
            }
        }
        for resource in &self.resources {
            let this = resource.reference();
            for (attribute, forward, kind) in [
                ("before", true, GraphEdgeKind::Before),
                ("notify", true, GraphEdgeKind::Notify),
                ("require", false, GraphEdgeKind::Before),
                ("subscribe", false, GraphEdgeKind::Notify),
            ] {
                for written in resource.related(attribute) {
                    let found = self
                        .position_as_written(&written.to_string())
                        .and_then(|at| self.resources.get(at as usize));
                    let other = found.map_or(written, Resource::reference);
                    match forward {
                        true => graph.add(&this, &other, kind),
                        false => graph.add(&other, &this, kind),
                    }
                }
            }
        }
        graph
    }

    /// The graph of the resources in dependency cycles, with the edges between them.
    pub fn cycle_graph(&self, cycles: &[Vec<String>]) -> CatalogGraph {
        let members: BTreeSet<&String> = cycles.iter().flatten().collect();
        let steps: BTreeSet<(&String, &String)> =
            cycles.iter().flat_map(|cycle| cycle.windows(2)).map(|pair| (&pair[0], &pair[1])).collect();
        let mut graph = self.graph();
        graph.nodes.retain(|node| members.contains(node));
        graph.edges.retain(|edge| members.contains(&edge.from) && members.contains(&edge.to));
        for edge in &mut graph.edges {
            // The end of what is contained comes before the end of the container.
            edge.is_in_cycle = steps.contains(&(&edge.from, &edge.to))
                || edge.kind == GraphEdgeKind::Contains && steps.contains(&(&edge.to, &edge.from));
        }
        graph
    }
}

impl CatalogGraph {
    fn add(&mut self, from: &ResourceRef, to: &ResourceRef, kind: GraphEdgeKind) {
        let edge = GraphEdge { from: from.to_string(), to: to.to_string(), kind, is_in_cycle: false };
        self.edges.push(edge);
    }

    /// The graph in Graphviz's language.
    pub fn to_dot(&self, name: &str) -> String {
        let mut out = format!("digraph {} {{\n  node [shape=box];\n", quoted(name));
        for node in &self.nodes {
            let _ = writeln!(out, "  {};", quoted(node));
        }
        for edge in &self.edges {
            let style = match (edge.kind, edge.is_in_cycle) {
                (GraphEdgeKind::Contains, false) => " [color=grey]",
                (GraphEdgeKind::Before, false) => "",
                (GraphEdgeKind::Notify, false) => " [style=dashed]",
                (GraphEdgeKind::Contains | GraphEdgeKind::Before, true) => " [color=red]",
                (GraphEdgeKind::Notify, true) => " [color=red, style=dashed]",
            };
            let _ = writeln!(out, "  {} -> {}{style};", quoted(&edge.from), quoted(&edge.to));
        }
        out.push_str("}\n");
        out
    }
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
        let dot = Catalog::from_json(text.as_bytes()).unwrap().graph().to_dot("n");
        for source in ["Class[K]", "Class[main]", "File[gone]"] {
            assert!(dot.contains(&format!("\"{source}\" -> \"Notify[a]\";")), "{dot}");
        }
    }
}
