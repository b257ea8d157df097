//! Differences between two catalogs of one node.

use std::collections::{BTreeMap, BTreeSet};

use kukla_values::shown::{SecretTexts, holds_secret, is_secret};
use kukla_values::{Hash, Shown, Str, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::catalog::Index;
use crate::{Catalog, Edge, Resource, ResourceRef};

/// The differences between two catalogs of one node. The version and locations in the code are ignored: they make no
/// difference to the machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Resources, by name.
    pub resources: BTreeMap<ResourceRef, ResourceDifference>,
    /// Containments that only the catalog after has: the container, and what it contains.
    pub edges_added: Vec<(ResourceRef, ResourceRef)>,
    /// Containments that only the catalog before has.
    pub edges_removed: Vec<(ResourceRef, ResourceRef)>,
    /// Classes that only the catalog after has.
    pub classes_added: Vec<Str>,
    /// Classes that only the catalog before has.
    pub classes_removed: Vec<Str>,
}

/// The difference of one resource.
#[derive(Clone, Debug, PartialEq)]
pub enum ResourceDifference {
    /// Only the catalog after has it.
    Added(Box<Resource>),
    /// Only the catalog before has it.
    Removed(Box<Resource>),
    /// Both have it, and not the same.
    Changed(Box<ResourceChange>),
}

/// The differences of a resource that both catalogs have.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceChange {
    /// As it was.
    pub before: Resource,
    /// As it is.
    pub after: Resource,
    /// The attributes that are not the same, by name.
    pub attributes: Vec<AttributeChange>,
    /// Its container before and after, if they differ.
    pub moved: Option<(Option<ResourceRef>, Option<ResourceRef>)>,
}

/// The difference of one attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct AttributeChange {
    /// Its name.
    pub name: Str,
    /// The value it had.
    pub before: Option<Value>,
    /// The value it has.
    pub after: Option<Value>,
    /// Whether the values must not be shown.
    pub is_secret: bool,
}

/// A difference within a value, and its path.
#[derive(Clone, Debug, PartialEq)]
pub struct PartChange {
    /// The keys and indexes that lead there.
    pub path: Vec<Shown>,
    /// The value before.
    pub before: Option<Shown>,
    /// The value after.
    pub after: Option<Shown>,
    /// Whether the values are secret, so that only the fact that they differ is shown.
    pub is_secret: bool,
}

impl PartChange {
    /// The change of a value that is secret on one side at least; whether each side has one.
    pub fn secret(path: Vec<Shown>, before: bool, after: bool) -> PartChange {
        let some = |is_there: bool| is_there.then(Shown::secret);
        PartChange { path, before: some(before), after: some(after), is_secret: true }
    }

    fn between(path: &[Shown], before: Option<&Value>, after: Option<&Value>) -> PartChange {
        let sides = || before.into_iter().chain(after);
        let (old, new) = (before.map(Shown::of), after.map(Shown::of));
        if sides().any(holds_secret) {
            let mut secrets = SecretTexts::default();
            sides().for_each(|value| secrets.add(value));
            // A value can be secret on one side and the same value plain on the other one.
            let is_plain = |shown: &Shown| secrets.are_in(&shown.to_string());
            if sides().any(is_secret) || old.iter().chain(&new).any(is_plain) {
                return PartChange::secret(path.to_vec(), before.is_some(), after.is_some());
            }
        }
        PartChange { path: path.to_vec(), before: old, after: new, is_secret: false }
    }
}

impl Difference {
    /// The kind of change from the first catalog to the second.
    pub fn between(before: &Catalog, after: &Catalog) -> Difference {
        let mut names = Names::default();
        let (old, new) = (Side::new(before, &mut names), Side::new(after, &mut names));
        let mut resources = BTreeMap::new();
        for (id, place) in names.all() {
            let difference = match (old.resource(id), new.resource(id)) {
                (None, None) => None,
                (Some(gone), None) => Some(ResourceDifference::Removed(Box::new(gone.clone()))),
                (None, Some(come)) => Some(ResourceDifference::Added(Box::new(come.clone()))),
                (Some(was), Some(is)) => {
                    let containers = (old.container(id), new.container(id));
                    let named = |id: Option<u32>| id.map(|id| names.reference(id));
                    let moved =
                        (containers.0 != containers.1).then(|| (named(containers.0), named(containers.1)));
                    change(was, is, moved).map(|change| ResourceDifference::Changed(Box::new(change)))
                }
            };
            resources.extend(difference.map(|difference| (place.reference(), difference)));
        }
        let edges_removed = old.edges_without(&new, &names);
        let edges_added = new.edges_without(&old, &names);
        let (classes_removed, classes_added) = only(&before.classes, &after.classes);
        Difference { resources, edges_added, edges_removed, classes_added, classes_removed }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Difference::default()
    }

    /// How many resources were added, removed and changed.
    pub fn counts(&self) -> (usize, usize, usize) {
        let count =
            |is: fn(&ResourceDifference) -> bool| self.resources.values().filter(|each| is(each)).count();
        (
            count(|each| matches!(each, ResourceDifference::Added(_))),
            count(|each| matches!(each, ResourceDifference::Removed(_))),
            count(|each| matches!(each, ResourceDifference::Changed(_))),
        )
    }

    /// The difference the other way round.
    pub fn reversed(self) -> Difference {
        let turned = |(name, difference)| {
            let difference = match difference {
                ResourceDifference::Added(resource) => ResourceDifference::Removed(resource),
                ResourceDifference::Removed(resource) => ResourceDifference::Added(resource),
                ResourceDifference::Changed(change) => {
                    let ResourceChange { before, after, attributes, moved } = *change;
                    let attributes = attributes
                        .into_iter()
                        .map(|AttributeChange { name, before, after, is_secret }| AttributeChange {
                            name,
                            before: after,
                            after: before,
                            is_secret,
                        })
                        .collect();
                    let moved = moved.map(|(from, to)| (to, from));
                    ResourceDifference::Changed(Box::new(ResourceChange {
                        before: after,
                        after: before,
                        attributes,
                        moved,
                    }))
                }
            };
            (name, difference)
        };
        Difference {
            resources: self.resources.into_iter().map(turned).collect(),
            edges_added: self.edges_removed,
            edges_removed: self.edges_added,
            classes_added: self.classes_removed,
            classes_removed: self.classes_added,
        }
    }

    /// The catalog after, from the one before; what the difference leaves alone keeps its order, what is added comes last.
    pub fn applied_to(&self, before: &Catalog) -> Catalog {
        let mut after = before.clone();
        after.resources.retain_mut(|resource| match self.resources.get(&resource.reference()) {
            Some(ResourceDifference::Removed(_)) => false,
            Some(ResourceDifference::Changed(change)) => {
                *resource = change.after.clone();
                true
            }
            _ => true,
        });
        for difference in self.resources.values() {
            if let ResourceDifference::Added(resource) = difference {
                after.resources.push((**resource).clone());
            }
        }
        after.index = Index::default();
        let mut named = edges(before);
        named.retain(|edge| !self.edges_removed.contains(edge));
        named.extend(self.edges_added.iter().cloned());
        let placed = |(source, target): &(ResourceRef, ResourceRef)| {
            Some(Edge { source: after.position(source)?, target: after.position(target)? })
        };
        after.edges = named.iter().filter_map(placed).collect();
        after.classes.retain(|class| !self.classes_removed.contains(class));
        after.classes.extend(self.classes_added.iter().cloned());
        after
    }
}

/// The names of resources in two catalogs, as numbers.
#[derive(Default)]
struct Names<'c> {
    numbers: FxHashMap<(&'c Str, &'c Str), u32>,
    /// A resource of each name.
    bearers: Vec<&'c Resource>,
}

impl<'c> Names<'c> {
    fn number(&mut self, resource: &'c Resource) -> u32 {
        let next = self.bearers.len() as u32;
        let number = *self.numbers.entry((&resource.type_name, &resource.title)).or_insert(next);
        if number == next {
            self.bearers.push(resource);
        }
        number
    }

    fn all(&self) -> impl Iterator<Item = (u32, &'c Resource)> {
        (0..).zip(self.bearers.iter().copied())
    }

    fn reference(&self, number: u32) -> ResourceRef {
        self.bearers[number as usize].reference()
    }
}

/// A catalog whose resources go by the numbers of their names.
struct Side<'c> {
    /// The resource of each name; of two with the same the later.
    resources: FxHashMap<u32, &'c Resource>,
    /// The container of each resource.
    containers: FxHashMap<u32, u32>,
    edges: Vec<(u32, u32)>,
}

impl<'c> Side<'c> {
    fn new(catalog: &'c Catalog, names: &mut Names<'c>) -> Side<'c> {
        let numbers: Vec<u32> = catalog.resources.iter().map(|resource| names.number(resource)).collect();
        let number = |at: u32| numbers.get(at as usize).copied();
        let edges: Vec<(u32, u32)> = catalog
            .edges
            .iter()
            .filter_map(|edge| Some((number(edge.source)?, number(edge.target)?)))
            .collect();
        Side {
            resources: numbers.iter().copied().zip(&catalog.resources).collect(),
            containers: edges.iter().map(|(source, target)| (*target, *source)).collect(),
            edges,
        }
    }

    fn resource(&self, number: u32) -> Option<&'c Resource> {
        self.resources.get(&number).copied()
    }

    fn container(&self, number: u32) -> Option<u32> {
        self.containers.get(&number).copied()
    }

    /// The edges that another side does not have, in their order.
    fn edges_without(&self, other: &Side<'_>, names: &Names<'_>) -> Vec<(ResourceRef, ResourceRef)> {
        let others: FxHashSet<(u32, u32)> = other.edges.iter().copied().collect();
        let own = self.edges.iter().filter(|edge| !others.contains(edge));
        own.map(|(source, target)| (names.reference(*source), names.reference(*target))).collect()
    }
}

/// Containment, by name.
fn edges(catalog: &Catalog) -> Vec<(ResourceRef, ResourceRef)> {
    let name = |at: u32| catalog.resources.get(at as usize).map(Resource::reference);
    catalog.edges.iter().filter_map(|edge| Some((name(edge.source)?, name(edge.target)?))).collect()
}

/// The elements that only the first has and those that only the second has, each in its own order.
fn only<T: Clone + Ord>(before: &[T], after: &[T]) -> (Vec<T>, Vec<T>) {
    let (old, new): (BTreeSet<&T>, BTreeSet<&T>) = (before.iter().collect(), after.iter().collect());
    let without =
        |all: &[T], others: &BTreeSet<&T>| all.iter().filter(|one| !others.contains(one)).cloned().collect();
    (without(before, &new), without(after, &old))
}

fn change(
    before: &Resource,
    after: &Resource,
    moved: Option<(Option<ResourceRef>, Option<ResourceRef>)>,
) -> Option<ResourceChange> {
    // Most resources are the same to the last attribute.
    if moved.is_none() && before.parameters == after.parameters && before.is_alike(after) {
        return None;
    }
    let named = before.parameters.iter().chain(&after.parameters).map(|(name, _)| name);
    let names: BTreeSet<Str> = named.cloned().collect();
    let mut attributes = Vec::new();
    for name in names {
        let (old, new) = (before.get(&name).cloned(), after.get(&name).cloned());
        if old != new {
            let is_secret = [before, after].iter().any(|one| one.sensitive_parameters.contains(&name));
            attributes.push(AttributeChange { name, before: old, after: new, is_secret });
        }
    }
    let is_same = attributes.is_empty() && moved.is_none() && before.is_alike(after);
    (!is_same).then(|| ResourceChange { before: before.clone(), after: after.clone(), attributes, moved })
}

impl Resource {
    /// Whether all but attributes and places is the same.
    fn is_alike(&self, other: &Resource) -> bool {
        (self.tags == other.tags || sorted(&self.tags) == sorted(&other.tags))
            && self.exported == other.exported
            && self.is_virtual == other.is_virtual
            && sorted(&self.sensitive_parameters) == sorted(&other.sensitive_parameters)
    }
}

fn sorted(texts: &[Str]) -> Vec<&Str> {
    let mut texts: Vec<&Str> = texts.iter().collect();
    texts.sort_unstable();
    texts
}

/// The differences within two values: in hashes key by key, in arrays element by element where the lengths are the same, and
/// otherwise all of it. Secrets are compared, and not shown.
pub fn parts(before: Option<&Value>, after: Option<&Value>) -> Vec<PartChange> {
    let mut found = Vec::new();
    gather(&mut Vec::new(), before, after, &mut found);
    found
}

fn gather(path: &mut Vec<Shown>, before: Option<&Value>, after: Option<&Value>, found: &mut Vec<PartChange>) {
    if before == after {
        return;
    }
    match (before, after) {
        (before, after) if before.into_iter().chain(after).any(is_secret) => {
            found.push(PartChange::between(path, before, after));
        }
        (Some(Value::Hash(old)), Some(Value::Hash(new))) => kukla_syntax::deep(|| {
            for key in all_keys(old, new) {
                path.push(Shown::of(&key));
                gather(path, old.get(&key), new.get(&key), found);
                path.pop();
            }
        }),
        (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
            kukla_syntax::deep(|| {
                for (at, (old, new)) in old.iter().zip(new.iter()).enumerate() {
                    path.push(Shown::of(&Value::Integer(at as i64)));
                    gather(path, Some(old), Some(new), found);
                    path.pop();
                }
            })
        }
        _ => found.push(PartChange::between(path, before, after)),
    }
    // Keys in another order are a difference too, if not one of any part.
    if found.is_empty() && path.is_empty() {
        found.push(PartChange::between(path, before, after));
    }
}

fn all_keys(old: &Hash, new: &Hash) -> Vec<Value> {
    let added = new.keys().filter(|key| old.get(*key).is_none());
    old.keys().chain(added).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(title: &str, parameters: &[(&str, Value)]) -> Resource {
        Resource {
            type_name: "File".into(),
            title: title.into(),
            parameters: parameters.iter().map(|(name, value)| ((*name).into(), value.clone())).collect(),
            ..Resource::default()
        }
    }

    fn catalog(resources: Vec<Resource>, container: &str) -> Catalog {
        let class = Resource { type_name: "Class".into(), title: container.into(), ..Resource::default() };
        let resources: Vec<Resource> = std::iter::once(class).chain(resources).collect();
        let edges = (1..resources.len() as u32).map(|target| Edge { source: 0, target }).collect();
        Catalog { resources, edges, classes: vec![container.into()], ..Catalog::default() }
    }

    #[test]
    fn each_kind_of_change() {
        let a = catalog(
            vec![
                resource("same", &[("mode", "1".into())]),
                resource("gone", &[]),
                resource("changed", &[("mode", "1".into()), ("owner", "x".into())]),
            ],
            "One",
        );
        let b = catalog(
            vec![
                resource("changed", &[("mode", "2".into()), ("group", "y".into())]),
                resource("new", &[]),
                resource("same", &[("mode", "1".into())]),
            ],
            "One",
        );
        let difference = Difference::between(&a, &b);
        assert_eq!(difference.counts(), (1, 1, 1));
        let name = ResourceRef::new("File", "changed");
        let Some(ResourceDifference::Changed(change)) = difference.resources.get(&name) else { panic!() };
        let names: Vec<&str> = change.attributes.iter().map(|change| change.name.as_str()).collect();
        assert_eq!(names, ["group", "mode", "owner"]);
        assert!(Difference::between(&a, &a).is_empty());
        assert_eq!(Difference::between(&b, &a), difference.clone().reversed());
        assert!(Difference::between(&b, &difference.applied_to(&a)).is_empty());
        let moved = Difference::between(&a, &catalog(a.resources[1..].to_vec(), "Other"));
        assert_eq!(moved.counts(), (1, 1, 3));
        assert_eq!((moved.classes_added.len(), moved.edges_removed.len()), (1, 3));
    }

    #[test]
    fn a_secret_within_a_value_is_compared_and_not_shown() {
        let secret = |text: &str| {
            let entries = [("__ptype", Value::from("Sensitive")), ("__pvalue", text.into())];
            Value::Hash(entries.into_iter().collect())
        };
        let list = |values: &[Value]| Value::from(values.to_vec());
        let cases = [
            (secret("alpha"), secret("beta")),
            (secret("alpha"), "alpha".into()),
            (list(&[1.into(), secret("alpha")]), list(&[1.into(), secret("beta")])),
            (list(&["alpha".into()]), list(&[secret("alpha"), 1.into()])),
            (list(&[secret("alpha")]), list(&[secret("beta"), 1.into()])),
            (Value::Hash([("a", secret("alpha"))].into_iter().collect()), Value::Hash(Hash::new())),
            (secret("alpha"), Value::Hash([("__pvalue", "beta")].into_iter().collect())),
        ];
        for (before, after) in cases {
            for (before, after) in [(&before, &after), (&after, &before)] {
                let found = parts(Some(before), Some(after));
                let text = format!("{found:?}");
                assert!(!found.is_empty() && !text.contains("alpha") && !text.contains("beta"), "{text}");
            }
        }
        assert!(parts(Some(&secret("alpha")), Some(&secret("alpha"))).is_empty());
    }

    #[test]
    fn parts_of_values() {
        let hash = |pairs: &[(&str, Value)]| {
            Value::Hash(pairs.iter().map(|(k, v)| (Value::from(*k), v.clone())).collect())
        };
        let old = hash(&[("a", 1.into()), ("b", vec![Value::from(1), 2.into()].into()), ("c", "x".into())]);
        let new = hash(&[("a", 1.into()), ("b", vec![Value::from(1), 3.into()].into()), ("d", "y".into())]);
        let found: Vec<_> = parts(Some(&old), Some(&new)).into_iter().map(|part| part.path).collect();
        let path = |keys: &[Value]| keys.iter().map(Shown::of).collect::<Vec<_>>();
        assert_eq!(found, [path(&["b".into(), 1.into()]), path(&["c".into()]), path(&["d".into()])]);
    }
}
