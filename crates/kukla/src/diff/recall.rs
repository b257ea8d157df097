//! Catalogs of the side before that need not be compiled, because so little of them is not in the catalog of the side after.
//!
//! What is kept of a catalog is its [imprint](crate::cache::Imprint), from which nothing can be read. A resource whose mark a resource of the side after has too is the same as
//! that one. The others are looked for among the resources of nodes that were compiled on the side before: the first node with a change
//! has to be, those after it with the same change need not. Marks leave out the name of the node, so it is put where it belongs.

use std::sync::{Arc, PoisonError, RwLock};

use kukla_catalog::{Catalog, Edge, Resource};
use kukla_syntax::deep;
use kukla_values::{Hash, Str, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::changes::RELATIONS;
use crate::cache::{Imprint, Imprints, Key, Mark, Marks, Place, ResourceMarks};

/// The catalog of a node on the side before, compared by marks with that of the side after.
#[derive(Debug)]
pub(super) enum Recalled {
    /// It has the same resources, in the same order and in the same classes.
    Same,
    /// It is this.
    Is(Box<Catalog>),
    /// It differs from that of the side after in no more than these differ: what is before, and what is after.
    Differs(Box<(Catalog, Catalog)>),
    /// It has something that no node has shown yet; the marks of the side after.
    Unknown(Marks),
    /// It cannot be said.
    Lost,
}

/// What nodes were found to have on the side before and not on the side after.
#[derive(Debug, Default)]
pub(super) struct Seen {
    found: RwLock<Found>,
}

#[derive(Debug, Default)]
struct Found {
    resources: FxHashMap<Mark, Of<Resource>>,
    /// Lists of tags and of classes.
    words: FxHashMap<Mark, Of<Vec<Str>>>,
}

/// Something that a node has.
#[derive(Debug)]
struct Of<T> {
    node: Arc<str>,
    it: T,
}

/// So many resources may differ for it to be worth looking at nothing else.
const FEW: usize = 16;

impl Seen {
    /// The catalog of a node that left an imprint, by its catalog on the side after.
    pub fn recall(
        &self,
        (imprints, imprint): (&Imprints, &Imprint),
        node: &str,
        after: &Catalog,
        key: Key,
    ) -> Recalled {
        let Some(marks) = Marks::of(after, node, key) else { return Recalled::Lost };
        let (Some(kept), Some(edges)) = (imprints.resources(imprint), imprints.edges(imprint)) else {
            return Recalled::Lost;
        };
        let is_inside = |at: u32| (at as usize) < kept.len();
        if !edges.iter().all(|edge| is_inside(edge.source) && is_inside(edge.target)) {
            return Recalled::Lost;
        }
        let found = self.found.read().unwrap_or_else(PoisonError::into_inner);
        let known = Recalling { node, after, marks: &marks, found: &found };
        let has_same_shape =
            kept.len() == marks.resources.len() && edges == after.edges && imprint.classes == marks.classes;
        if has_same_shape {
            let differs = |at: &usize| kept[*at].0 != marks.resources[*at];
            let differing: Vec<usize> = (0..kept.len()).filter(differs).collect();
            if differing.is_empty() {
                return Recalled::Same;
            }
            if let Some(parts) = known.parts(&kept, &edges, &differing) {
                return Recalled::Differs(Box::new(parts));
            }
        }
        match known.whole(&kept, edges, imprint.classes) {
            Some(catalog) => Recalled::Is(Box::new(catalog)),
            None => {
                drop(found);
                Recalled::Unknown(marks)
            }
        }
    }

    /// Takes note of what a node has on the side before and not on the side after.
    pub fn note(&self, before: &Catalog, node: &str, after: &Marks, key: Key) {
        let Some(marks) = Marks::of(before, node, key) else { return };
        let name: Arc<str> = node.into();
        let own: FxHashSet<Mark> = after.resources.iter().map(|marks| marks.own).collect();
        let tags: FxHashSet<Mark> = after.resources.iter().map(|marks| marks.tags).collect();
        let mut found = self.found.write().unwrap_or_else(PoisonError::into_inner);
        let mut note_words = |mark: Mark, words: &Vec<Str>| {
            found.words.entry(mark).or_insert_with(|| Of { node: Arc::clone(&name), it: words.clone() });
        };
        if marks.classes != after.classes {
            note_words(marks.classes, &before.classes);
        }
        let resources = || marks.resources.iter().zip(&before.resources);
        for (marks, resource) in resources().filter(|(marks, _)| !tags.contains(&marks.tags)) {
            note_words(marks.tags, &resource.tags);
        }
        for (marks, resource) in resources().filter(|(marks, _)| !own.contains(&marks.own)) {
            let seen = || Of { node: Arc::clone(&name), it: resource.clone() };
            found.resources.entry(marks.own).or_insert_with(seen);
        }
    }
}

/// What there is to put a catalog together from.
struct Recalling<'r> {
    node: &'r str,
    after: &'r Catalog,
    marks: &'r Marks,
    found: &'r Found,
}

type Kept<'i> = (ResourceMarks, Place<'i>);

impl Recalling<'_> {
    /// All of it.
    fn whole(&self, kept: &[Kept<'_>], edges: Vec<Edge>, classes: Mark) -> Option<Catalog> {
        let classes = match classes == self.marks.classes {
            true => self.after.classes.clone(),
            false => self.found.words.get(&classes)?.named(self.node),
        };
        let resources = self.resources(kept.iter())?;
        Some(Catalog { resources, edges, classes, ..Catalog::default() })
    }

    /// The resources at some places of catalogs that have the same at all others, before and after, if the others cannot have any part in
    /// what is different: none of these contains or is related to another, and none has a namesake.
    fn parts(&self, kept: &[Kept<'_>], edges: &[Edge], places: &[usize]) -> Option<(Catalog, Catalog)> {
        if places.len() > FEW || edges.iter().any(|edge| places.contains(&(edge.source as usize))) {
            return None;
        }
        let before = self.resources(places.iter().map(|at| &kept[*at]))?;
        let after: Vec<Resource> = places.iter().map(|at| self.after.resources[*at].clone()).collect();
        let mut both = before.iter().chain(&after);
        let is_related = |one: &Resource| RELATIONS.iter().any(|(name, ..)| one.get(name).is_some());
        let mut others = self.after.resources.iter().enumerate().filter(|(at, _)| !places.contains(at));
        let has_namesake = others.any(|(_, other)| {
            let mut both = before.iter().chain(&after);
            both.any(|one| one.title == other.title && one.type_name == other.type_name)
        });
        if both.any(is_related) || has_namesake {
            return None;
        }
        let catalog = |resources: Vec<Resource>| Catalog { resources, ..Catalog::default() };
        Some((catalog(before), catalog(after)))
    }

    /// Resources of the side before: those that the side after has too, and those that were seen with another node.
    fn resources<'k>(&self, kept: impl Iterator<Item = &'k Kept<'k>>) -> Option<Vec<Resource>> {
        let pairs = || self.marks.resources.iter().zip(&self.after.resources);
        let own: FxHashMap<Mark, (Mark, &Resource)> =
            pairs().map(|(marks, resource)| (marks.own, (marks.tags, resource))).collect();
        let words: FxHashMap<Mark, &Vec<Str>> =
            pairs().map(|(marks, resource)| (marks.tags, &resource.tags)).collect();
        let tags = |mark: Mark| match words.get(&mark) {
            Some(same) => Some((*same).clone()),
            None => Some(self.found.words.get(&mark)?.named(self.node)),
        };
        let resource = |(marks, place): &Kept<'_>| {
            let mut resource = match own.get(&marks.own) {
                Some((same_tags, same)) if *same_tags == marks.tags => (*same).clone(),
                Some((_, same)) => Resource { tags: tags(marks.tags)?, ..(*same).clone() },
                None => {
                    let seen = self.found.resources.get(&marks.own)?.named(self.node);
                    Resource { tags: tags(marks.tags)?, ..seen }
                }
            };
            resource.file = place.file.cloned();
            resource.line = place.line;
            Some(resource)
        };
        kept.map(resource).collect()
    }
}

impl Of<Resource> {
    /// As another node has it, but for its tags and its place.
    fn named(&self, node: &str) -> Resource {
        let name = Renaming { from: &self.node, to: node };
        let Resource { type_name, title, parameters, sensitive_parameters, .. } = &self.it;
        Resource {
            type_name: name.text(type_name),
            title: name.text(title),
            tags: Vec::new(),
            parameters: parameters
                .iter()
                .map(|(attribute, value)| (name.text(attribute), name.value(value)))
                .collect(),
            sensitive_parameters: name.texts(sensitive_parameters),
            file: None,
            line: None,
            ..self.it
        }
    }
}

impl Of<Vec<Str>> {
    fn named(&self, node: &str) -> Vec<Str> {
        Renaming { from: &self.node, to: node }.texts(&self.it)
    }
}

/// Puts one node's name where another's stands.
struct Renaming<'n> {
    from: &'n str,
    to: &'n str,
}

impl Renaming<'_> {
    fn text(&self, text: &Str) -> Str {
        match !self.from.is_empty() && text.contains(self.from) {
            true => text.replace(self.from, self.to),
            false => text.clone(),
        }
    }

    fn texts(&self, texts: &[Str]) -> Vec<Str> {
        texts.iter().map(|text| self.text(text)).collect()
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(values) => {
                Value::Array(deep(|| values.iter().map(|value| self.value(value)).collect()))
            }
            Value::Hash(hash) => {
                let entries = || hash.iter().map(|(key, value)| (self.value(key), self.value(value)));
                Value::Hash(deep(|| entries().collect::<Hash>()))
            }
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use kukla_catalog::Difference;

    use super::*;
    use crate::diff::Changes;
    use crate::{Compiler, MemoryWorld, Node, SiteSpec};

    fn catalog(code: &str, node: &str) -> Catalog {
        let site = Compiler::new(MemoryWorld::default()).open(&SiteSpec::of(code)).unwrap();
        site.compile(&Node::named(node)).result.unwrap()
    }

    /// Compares two nodes by imprints, the second by what was seen of the first; how that went, and that what came of it is right.
    fn recalled(before: &str, after: &str) -> String {
        let key = Key::default();
        let (mut imprints, seen) = (Imprints::of(key.name()), Seen::default());
        let mut told = String::new();
        for node in ["web1", "another.example.com"] {
            let (old, new) = (catalog(before, node), catalog(after, node));
            let imprint = imprints.take(&old, &Marks::of(&old, node, key).unwrap()).unwrap();
            let expected = Changes::between(&old, &new);
            let (kind, changes) = match seen.recall((&imprints, &imprint), node, &new, key) {
                Recalled::Same => ("same", Changes::default()),
                Recalled::Is(recalled) => {
                    assert_eq!(recalled.resources, old.resources);
                    assert!(Difference::between(&recalled, &old).is_empty());
                    ("whole", Changes::between(&recalled, &new))
                }
                Recalled::Differs(parts) => ("parts", Changes::between(&parts.0, &parts.1)),
                Recalled::Unknown(marks) => {
                    seen.note(&old, node, &marks, key);
                    ("unknown", expected.clone())
                }
                Recalled::Lost => ("lost", expected.clone()),
            };
            assert_eq!(changes, expected, "{before} to {after}: {node}");
            told = format!("{told} {kind}");
        }
        told
    }

    #[test]
    fn what_one_node_has_shown_is_known_of_the_next() {
        let name = "${trusted['certname']}";
        for (before, after, expected) in [
            ("notify { 'a': }", "\n\nnotify { 'a': }", " same same"),
            ("notify { 'a': message => 'x' }", "notify { 'a': message => 'y' }", " unknown parts"),
            ("notify { 'a': tag => 'x' }", "notify { 'a': tag => 'y' }", " unknown parts"),
            ("notify { 'a': }", "notify { 'b': }", " unknown parts"),
            // What is new has no part in what was before.
            ("notify { 'a': }", "notify { 'a': } notify { 'b': }", " whole whole"),
            ("notify { 'a': } notify { 'b': }", "notify { 'b': } notify { 'a': }", " parts parts"),
            ("notify { 'a': } notify { 'b': }", "notify { 'a': }", " unknown whole"),
            (
                "class c { notify { 'a': } } include c",
                "class c {} include c notify { 'a': }",
                " unknown whole",
            ),
            ("class c {} include c", "class d {} include d", " unknown whole"),
            (
                "notify { 'a': } notify { 'b': require => Notify['a'] }",
                "notify { 'a': require => Notify['b'] } notify { 'b': }",
                " unknown whole",
            ),
        ] {
            assert_eq!(recalled(before, after), expected, "{before} to {after}");
        }
        let named = |code: &str| code.replace("NAME", name);
        let before =
            named("notify { \"on NAME\": message => { \"NAME\" => [\"NAMENAME\"] }, tag => \"NAME\" }");
        assert_eq!(recalled(&before, &before.replace("on", "at")), " unknown parts");
        assert_eq!(recalled("user { 'u': password => Sensitive('x') }", "user { 'u': }"), " unknown parts");
    }
}
