//! The changes of one node's catalog, as they are reported: without secrets, each change once.

use std::collections::BTreeSet;

use kukla_catalog::difference::{Difference, PartChange, ResourceDifference, parts};
use kukla_catalog::{Catalog, Resource, ResourceRef};
use kukla_values::{Shown, Str, Value};

use super::Reason;

/// The changes of one node's catalog.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Resources that are added, removed or not the same, by name.
    pub resources: Vec<ResourceChange>,
    /// Classes that only the catalog after has.
    pub classes_added: Vec<Str>,
    /// Classes that only the catalog before has.
    pub classes_removed: Vec<Str>,
    /// Orderings and notifications that only the catalog after has, between resources that both have.
    pub relations_added: Vec<Relation>,
    /// Orderings and notifications that only the catalog before has, between resources that both have.
    pub relations_removed: Vec<Relation>,
    /// Dependency cycles that only the catalog after has, each as the resources on it.
    pub cycles_added: Vec<Vec<String>>,
    /// Dependency cycles that only the catalog before has.
    pub cycles_removed: Vec<Vec<String>>,
}

/// The change of one resource.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceChange {
    /// The resource.
    pub name: ResourceRef,
    /// Whether it is added, removed or changed.
    pub kind: Kind,
    /// The attributes that are not the same, by name; of a resource that is new or gone all of them, in their order.
    pub attributes: Vec<AttributeChange>,
    /// The old and the new container, if they differ.
    pub moved: Option<(Option<ResourceRef>, Option<ResourceRef>)>,
    /// Tags that it has now and did not have.
    pub tags_added: Vec<Str>,
    /// Tags that it had and has no more.
    pub tags_removed: Vec<Str>,
    /// Whether it was exported and whether it is.
    pub exported: (bool, bool),
    /// Its declaration before.
    pub place_before: Option<DeclarationPosition>,
    /// Its declaration after.
    pub place_after: Option<DeclarationPosition>,
    /// The reasons that it is added or removed; attributes have their own.
    pub reasons: Vec<Reason>,
}

/// Whether a resource is added, removed or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Only the catalog after has it.
    Added,
    /// Only the catalog before has it.
    Removed,
    /// Both have it, and not the same.
    Changed,
}

impl Kind {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Added => "added",
            Kind::Removed => "removed",
            Kind::Changed => "changed",
        }
    }
}

/// The change of one attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct AttributeChange {
    /// Its name.
    pub name: Str,
    /// The parts in which its values differ; a secret has one part, with [`SOME_SECRET`] on each side that has a value.
    pub parts: Vec<PartChange>,
    /// Whether the values must not be shown.
    pub is_secret: bool,
    /// The reasons that it changed.
    pub reasons: Vec<Reason>,
}

/// The placeholder for a value that must not be shown.
pub const SOME_SECRET: &str = "(sensitive)";

/// The position of a resource declaration.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeclarationPosition {
    /// The file.
    pub file: Str,
    /// The line, from one, where known.
    pub line: Option<u32>,
}

/// The ordering of two resources.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Relation {
    /// The one that comes first.
    pub from: ResourceRef,
    /// The one that comes after.
    pub to: ResourceRef,
    /// Whether the second is also notified.
    pub kind: RelationKind,
}

/// The kind of an ordering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RelationKind {
    /// It comes before it.
    Order,
    /// It comes before it and notifies it.
    Notification,
}

impl RelationKind {
    /// The arrow that Puppet code has for it.
    pub const fn arrow(self) -> &'static str {
        match self {
            RelationKind::Order => "->",
            RelationKind::Notification => "~>",
        }
    }
}

impl Changes {
    /// The changes between two catalogs of a node.
    pub fn between(before: &Catalog, after: &Catalog) -> Changes {
        Changes::new(Difference::between(before, after), before, after)
    }

    /// The changes of a difference between two catalogs.
    pub fn new(difference: Difference, before: &Catalog, after: &Catalog) -> Changes {
        let Difference { resources, classes_added, classes_removed, .. } = difference;
        let (mut cycles_added, mut cycles_removed) = (Vec::new(), Vec::new());
        // Relations are attributes, so only those of resources that differ can differ, unless others have them too.
        let of_changed = |side: fn(&ResourceDifference) -> Option<&Resource>| {
            relations(resources.values().filter_map(side))
        };
        let (old, new) = (of_changed(before_of), of_changed(after_of));
        let mut gone: Vec<&Relation> = old.difference(&new).collect();
        let mut come: Vec<&Relation> = new.difference(&old).collect();
        if !gone.is_empty() {
            let all = relations(&after.resources);
            gone.retain(|relation| !all.contains(*relation));
        }
        if !come.is_empty() {
            let all = relations(&before.resources);
            come.retain(|relation| !all.contains(*relation));
        }
        let is_moved = |difference: &ResourceDifference| matches!(difference, ResourceDifference::Changed(change) if change.moved.is_some());
        if !gone.is_empty() || !come.is_empty() || resources.values().any(is_moved) {
            let (old, new) = (before.cycles(), after.cycles());
            cycles_added = new.iter().filter(|cycle| !old.contains(cycle)).cloned().collect();
            cycles_removed = old.into_iter().filter(|cycle| !new.contains(cycle)).collect();
        }
        let in_both = |relation: &&Relation| {
            let is_known = |name: &ResourceRef| !is_whole(resources.get(name));
            is_known(&relation.from) && is_known(&relation.to)
        };
        let relations_added = come.into_iter().filter(in_both).cloned().collect();
        let relations_removed = gone.into_iter().filter(in_both).cloned().collect();
        Changes {
            resources: resources.into_iter().map(|(name, change)| resource(name, change)).collect(),
            classes_added,
            classes_removed,
            relations_added,
            relations_removed,
            cycles_added,
            cycles_removed,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Changes::default()
    }

    /// How many resources are added, removed and changed.
    pub fn counts(&self) -> (usize, usize, usize) {
        let count = |kind: Kind| self.resources.iter().filter(|change| change.kind == kind).count();
        (count(Kind::Added), count(Kind::Removed), count(Kind::Changed))
    }
}

fn before_of(difference: &ResourceDifference) -> Option<&Resource> {
    match difference {
        ResourceDifference::Added(_) => None,
        ResourceDifference::Removed(before) => Some(before),
        ResourceDifference::Changed(change) => Some(&change.before),
    }
}

fn after_of(difference: &ResourceDifference) -> Option<&Resource> {
    match difference {
        ResourceDifference::Added(after) => Some(after),
        ResourceDifference::Removed(_) => None,
        ResourceDifference::Changed(change) => Some(&change.after),
    }
}

/// Whether a resource is new or gone.
fn is_whole(difference: Option<&ResourceDifference>) -> bool {
    matches!(difference, Some(ResourceDifference::Added(_) | ResourceDifference::Removed(_)))
}

fn resource(name: ResourceRef, difference: ResourceDifference) -> ResourceChange {
    let (kind, before, after) = match &difference {
        ResourceDifference::Added(after) => (Kind::Added, None, Some(&**after)),
        ResourceDifference::Removed(before) => (Kind::Removed, Some(&**before), None),
        ResourceDifference::Changed(change) => (Kind::Changed, Some(&change.before), Some(&change.after)),
    };
    let attributes = match &difference {
        ResourceDifference::Added(whole) => whole_attributes(whole, |value| (None, Some(value))),
        ResourceDifference::Removed(whole) => whole_attributes(whole, |value| (Some(value), None)),
        ResourceDifference::Changed(change) => {
            let attribute = |change: &kukla_catalog::difference::AttributeChange| {
                attribute(&change.name, change.before.as_ref(), change.after.as_ref(), change.is_secret)
            };
            change.attributes.iter().map(attribute).collect()
        }
    };
    let moved = match &difference {
        ResourceDifference::Changed(change) => change.moved.clone(),
        _ => None,
    };
    let (mut tags_added, mut tags_removed) = (Vec::new(), Vec::new());
    if let (Some(before), Some(after)) = (before, after) {
        tags_added = only(&after.tags, &before.tags);
        tags_removed = only(&before.tags, &after.tags);
    }
    let is_exported = |side: Option<&Resource>| side.is_some_and(|resource| resource.exported);
    ResourceChange {
        kind,
        attributes,
        moved,
        tags_added,
        tags_removed,
        exported: (is_exported(before), is_exported(after)),
        place_before: before.and_then(place),
        place_after: after.and_then(place),
        reasons: Vec::new(),
        name,
    }
}

/// The tags that only the first has, in order.
fn only(tags: &[Str], others: &[Str]) -> Vec<Str> {
    let mut tags: Vec<Str> = tags.iter().filter(|tag| !others.contains(tag)).cloned().collect();
    tags.sort();
    tags
}

fn place(resource: &Resource) -> Option<DeclarationPosition> {
    Some(DeclarationPosition { file: resource.file.clone()?, line: resource.line })
}

fn whole_attributes(
    resource: &Resource,
    sides: for<'v> fn(&'v Value) -> (Option<&'v Value>, Option<&'v Value>),
) -> Vec<AttributeChange> {
    let attribute = |(name, value): &(Str, Value)| {
        let (before, after) = sides(value);
        attribute(name, before, after, resource.sensitive_parameters.contains(name))
    };
    resource.parameters.iter().map(attribute).collect()
}

fn attribute(name: &Str, before: Option<&Value>, after: Option<&Value>, is_secret: bool) -> AttributeChange {
    let parts = match is_secret {
        true => vec![secret_part(before.is_some(), after.is_some())],
        false => parts(before, after),
    };
    AttributeChange { name: name.clone(), parts, is_secret, reasons: Vec::new() }
}

fn secret_part(before: bool, after: bool) -> PartChange {
    let some = |is_there: bool| is_there.then(|| Shown::of(&SOME_SECRET.into()));
    PartChange { path: Vec::new(), before: some(before), after: some(after), is_secret: true }
}

impl AttributeChange {
    /// Leaves out the values, which must not be shown after all.
    pub fn hide(&mut self) {
        let has =
            |side: fn(&PartChange) -> &Option<Shown>| self.parts.iter().any(|part| side(part).is_some());
        self.parts = vec![secret_part(has(|part| &part.before), has(|part| &part.after))];
        self.is_secret = true;
    }
}

/// The attributes that relate a resource to others: whether it comes first, and what else it does.
pub(super) const RELATIONS: [(&str, bool, RelationKind); 4] = [
    ("before", true, RelationKind::Order),
    ("notify", true, RelationKind::Notification),
    ("require", false, RelationKind::Order),
    ("subscribe", false, RelationKind::Notification),
];

fn relations<'r>(resources: impl IntoIterator<Item = &'r Resource>) -> BTreeSet<Relation> {
    let mut found = BTreeSet::new();
    for resource in resources {
        for (attribute, is_first, kind) in RELATIONS {
            for other in resource.related(attribute) {
                let (own, other) = (resource.reference(), other.capitalized());
                let (from, to) = if is_first { (own, other) } else { (other, own) };
                found.insert(Relation { from, to, kind });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(title: &str, parameters: &[(&str, Value)]) -> Resource {
        Resource {
            type_name: "File".into(),
            title: title.into(),
            parameters: parameters.iter().map(|(name, value)| ((*name).into(), value.clone())).collect(),
            sensitive_parameters: vec!["content".into()],
            ..Resource::default()
        }
    }

    fn catalog(resources: Vec<Resource>) -> Catalog {
        Catalog { resources, ..Catalog::default() }
    }

    #[test]
    fn secrets_are_not_in_it() {
        let changes = Changes::between(
            &catalog(vec![file("a", &[("content", "alpha".into())])]),
            &catalog(vec![
                file("a", &[("content", "beta".into()), ("mode", "0600".into())]),
                file("b", &[("content", "gamma".into())]),
            ]),
        );
        assert_eq!(changes.counts(), (1, 0, 1));
        let text = format!("{changes:?}");
        assert!(text.contains("0600") && text.contains(SOME_SECRET), "{text}");
        for secret in ["alpha", "beta", "gamma"] {
            assert!(!text.contains(secret), "{text}");
        }
    }

    #[test]
    fn the_same_relation_can_be_written_on_either_side() {
        let plain = |title: &str| file(title, &[]);
        let before = catalog(vec![file("a", &[("before", "File[b]".into())]), plain("b")]);
        let required = catalog(vec![plain("a"), file("b", &[("require", "file[a]".into())])]);
        let changes = Changes::between(&before, &required);
        assert!(changes.relations_added.is_empty() && changes.relations_removed.is_empty());
        let notified = catalog(vec![file("a", &[("notify", "File[b]".into())]), plain("b")]);
        let changes = Changes::between(&before, &notified);
        let text =
            |relation: &Relation| format!("{} {} {}", relation.from, relation.kind.arrow(), relation.to);
        assert_eq!(changes.relations_added.iter().map(text).collect::<Vec<_>>(), ["File[a] ~> File[b]"]);
        assert_eq!(changes.relations_removed.iter().map(text).collect::<Vec<_>>(), ["File[a] -> File[b]"]);
        let circle = catalog(vec![
            file("a", &[("before", "File[b]".into())]),
            file("b", &[("before", "File[a]".into())]),
        ]);
        assert_eq!(Changes::between(&before, &circle).cycles_added.len(), 1);
        assert_eq!(Changes::between(&circle, &before).cycles_removed.len(), 1);
    }
}
