//! The edges between resources of a catalog: containment, and relationships as Puppet's terminus finds them for PuppetDB.

use std::collections::{BTreeMap, HashSet};

use kukla_catalog::{Catalog, Resource, types};
use kukla_values::Value;

/// Relationships, whether they lead to the other resource, and what they are called as edges.
const RELATIONSHIPS: [(&str, bool, &str); 4] = [
    ("before", true, "before"),
    ("require", false, "required-by"),
    ("notify", true, "notifies"),
    ("subscribe", false, "subscription-of"),
];

/// Types whose resources need not have names of their own.
const NAMELESS: [&str; 2] = ["exec", "notify"];

/// An edge.
#[derive(Clone, Copy, Debug)]
pub struct ResourceEdge<'c> {
    pub source: &'c Resource,
    pub target: &'c Resource,
    pub relationship: &'static str,
}

/// Which resource contains which, and the relationships between real resources.
pub fn of(catalog: &Catalog) -> Vec<ResourceEdge<'_>> {
    let mut seen = HashSet::new();
    let mut edges = Vec::new();
    let mut add = |source, target, relationship| {
        if seen.insert((std::ptr::from_ref(source), std::ptr::from_ref(target), relationship)) {
            edges.push(ResourceEdge { source, target, relationship });
        }
    };
    let is_kept = |resource: &&Resource| resource.exported || !resource.is_virtual;
    for edge in &catalog.edges {
        let end = |at: u32| catalog.resources.get(at as usize).filter(is_kept);
        if let (Some(source), Some(target)) = (end(edge.source), end(edge.target)) {
            add(source, target, "contains");
        }
    }
    let real = || catalog.resources.iter().filter(|resource| !resource.is_virtual);
    let mut known: BTreeMap<(&str, String), &Resource> = BTreeMap::new();
    for resource in real() {
        for name in aliases(resource) {
            known.entry((&resource.type_name, name)).or_insert(resource);
        }
    }
    known
        .extend(real().map(|resource| ((resource.type_name.as_str(), resource.title.to_string()), resource)));
    for resource in real() {
        for (attribute, leads_there, name) in RELATIONSHIPS {
            for other in resource.related(attribute) {
                let title = match other.type_name().as_str() {
                    "File" => other.title().trim_end_matches('/'),
                    _ => other.title(),
                };
                let title = if title.is_empty() { other.title() } else { title };
                let Some(other) = known.get(&(other.type_name().as_str(), title.to_owned())) else {
                    continue;
                };
                match leads_there {
                    true => add(resource, other, name),
                    false => add(other, resource, name),
                }
            }
        }
    }
    edges
}

/// The other names that a resource goes by: those it is given, and the one that it has where its title is another.
pub fn aliases(resource: &Resource) -> Vec<String> {
    let mut aliases: Vec<String> = match resource.get("alias") {
        Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(value) => value.as_str().map(str::to_owned).into_iter().collect(),
        None => Vec::new(),
    };
    let lower = resource.type_name.to_lowercase();
    let native = types::core(&lower).or_else(|| types::bundled(&lower));
    if native.is_some_and(|native| native.namevars.len() > 1) || NAMELESS.contains(&lower.as_str()) {
        return aliases;
    }
    let namevar = native.map_or("name", |native| native.namevar());
    let name = resource.get(namevar).or_else(|| resource.get("name")).and_then(Value::as_str);
    // To Puppet the title of `Class[main]` and `Stage[main]` is not a string, so their name is another.
    if let Some(name) = name.filter(|name| resource.title != *name || *name == "main")
        && !aliases.iter().any(|known| known == name)
    {
        aliases.push(name.to_owned());
    }
    aliases
}
