//! Dependency cycles of catalogs as diagnostics, and the code behind their edges.

use std::collections::BTreeMap;

use kukla_catalog::{Catalog, Resource};
use kukla_eval::environment::Node;
use kukla_eval::error::Location;
use kukla_syntax::{Diagnostic, Severity, diagnostic};
use kukla_values::Value;

use crate::codes::CYCLE;
use crate::{CompileOptions, Compiled, Site};

/// The diagnostic of a dependency cycle on a node, or on several as a text names them. A server accepts the catalog, so a caller may make
/// it a warning; an agent refuses to apply it.
pub fn cycle_diagnostic(cycle: &[String], nodes: &str, severity: Severity) -> Diagnostic {
    let mut diagnostic = diagnostic!(CYCLE { nodes, cycle: cycle.join(" => ") });
    diagnostic.severity = severity;
    diagnostic
}

/// The dependency cycles of a catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cycles {
    /// The resources of each cycle; the first is also the last.
    pub all: Vec<Vec<String>>,
    /// The code behind each edge: from `A => B` to `FILE:LINE: why A comes before B`.
    pub edges: BTreeMap<String, String>,
}

impl Cycles {
    /// The key of an edge.
    pub fn edge(from: &str, to: &str) -> String {
        format!("{from} => {to}")
    }

    /// The code behind the edges of a cycle, in order, as far as it is known.
    pub fn positions<'c>(
        edges: &'c BTreeMap<String, String>,
        cycle: &'c [String],
    ) -> impl Iterator<Item = &'c str> {
        cycle.windows(2).filter_map(|pair| edges.get(&Cycles::edge(&pair[0], &pair[1]))).map(String::as_str)
    }
}

impl Site {
    /// The dependency cycles of a node's catalog. If there are some, the node is compiled once more to find the code behind them.
    pub fn cycles(&self, node: &Node, catalog: &Catalog) -> Cycles {
        let all = catalog.cycles();
        let mut edges = BTreeMap::new();
        if !all.is_empty() {
            let options = CompileOptions { provenance: true, ..CompileOptions::default() };
            if let Ok(compiled) = self.compile_with(node, options).result {
                for pair in all.iter().flat_map(|cycle| cycle.windows(2)) {
                    if let Some(text) = describe(&compiled, &pair[0], &pair[1]) {
                        edges.insert(Cycles::edge(&pair[0], &pair[1]), text);
                    }
                }
            }
        }
        Cycles { all, edges }
    }
}

/// The reason that one resource comes before another, after the place of the code that says so.
fn describe(compiled: &Compiled, from: &str, to: &str) -> Option<String> {
    let catalog = &compiled.catalog;
    let named =
        |name: &str| catalog.resources.iter().find(|resource| resource.reference().to_string() == name);
    let (source, target) = (named(from)?, named(to)?);
    let drawn =
        compiled.relationships.iter().find(|one| one.from.to_string() == from && one.to.to_string() == to);
    if let Some(drawn) = drawn {
        return Some(format!("{}: {from} -> {to}", place(&drawn.location)));
    }
    let attributes = [
        (source, "before", target),
        (source, "notify", target),
        (target, "require", source),
        (target, "subscribe", source),
    ];
    for (owner, attribute, other) in attributes {
        if names(owner, attribute, catalog, other) {
            let trail = compiled
                .provenance
                .iter()
                .flatten()
                .find(|one| one.type_name == owner.type_name && one.title == owner.title);
            let trail =
                trail.and_then(|one| one.parameters.iter().find(|(name, _)| *name == *attribute)?.1.as_ref());
            let written = trail.and_then(|trail| trail.location.as_ref()).map(place);
            let place = written.or_else(|| declaration(owner)).unwrap_or_default();
            return Some(format!("{place}: {attribute} => {} in {}", other.reference(), owner.reference()));
        }
    }
    let contains = |container: &Resource, inner: &Resource| {
        let name = |at: u32| catalog.resources.get(at as usize).map(|one| one.reference().to_string());
        let (container, inner) = (container.reference().to_string(), inner.reference().to_string());
        catalog.edges.iter().any(|edge| {
            name(edge.source).as_ref() == Some(&container) && name(edge.target).as_ref() == Some(&inner)
        })
    };
    if contains(source, target) {
        return Some(format!(
            "{}: {from} contains {to}",
            declaration(target).or_else(|| declaration(source))?
        ));
    }
    if contains(target, source) {
        return Some(format!(
            "{}: {to} contains {from}",
            declaration(source).or_else(|| declaration(target))?
        ));
    }
    None
}

/// Whether a relationship attribute of a resource names another one.
fn names(owner: &Resource, attribute: &str, catalog: &Catalog, other: &Resource) -> bool {
    let Some((_, value)) = owner.parameters.iter().find(|(name, _)| *name == *attribute) else {
        return false;
    };
    let is_it = |written: &str| {
        let at = catalog.position_as_written(written);
        at.and_then(|at| catalog.resources.get(at as usize))
            .is_some_and(|found| found.reference() == other.reference())
    };
    mentions(value, &is_it)
}

fn mentions(value: &Value, is_it: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::Array(all) => all.iter().any(|one| mentions(one, is_it)),
        Value::String(text) => is_it(text),
        Value::Type(ty) => is_it(&ty.to_string()),
        _ => false,
    }
}

/// A place in code, as far as it has a file.
fn place(location: &Location) -> String {
    match location.file() {
        Some(file) => format!("{file}:{}", location.line()),
        None => format!("line {}", location.line()),
    }
}

/// The place where a resource is declared.
fn declaration(resource: &Resource) -> Option<String> {
    let (file, line) = (resource.file.as_ref()?, resource.line?);
    // Code without a file, such as that of an option, has lines all the same.
    Some(if file.is_empty() { format!("line {line}") } else { format!("{file}:{line}") })
}
