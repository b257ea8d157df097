//! Equal changes, put together: each change once, with the nodes that have it.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use kukla_values::Str;
use kukla_world::record::Digest;

use super::changes::{Changes, Relation, ResourceChange};
use super::document;

/// The same changes on the same nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The names of the nodes, in order.
    pub nodes: Vec<String>,
    /// The changes, as the first of the nodes has them; where they name the node itself, the others have their own names.
    pub changes: Changes,
}

/// One change.
enum Piece {
    Resource(ResourceChange),
    ClassAdded(Str),
    ClassRemoved(Str),
    RelationAdded(Relation),
    RelationRemoved(Relation),
    CycleAdded(Vec<String>),
    CycleRemoved(Vec<String>),
}

fn pieces(changes: Changes) -> impl Iterator<Item = Piece> {
    let Changes {
        resources,
        classes_added,
        classes_removed,
        relations_added,
        relations_removed,
        cycles_added,
        cycles_removed,
    } = changes;
    let resources = resources.into_iter().map(Piece::Resource);
    let classes = classes_added.into_iter().map(Piece::ClassAdded);
    let classes = classes.chain(classes_removed.into_iter().map(Piece::ClassRemoved));
    let relations = relations_added.into_iter().map(Piece::RelationAdded);
    let relations = relations.chain(relations_removed.into_iter().map(Piece::RelationRemoved));
    let cycles = cycles_added.into_iter().map(Piece::CycleAdded);
    let cycles = cycles.chain(cycles_removed.into_iter().map(Piece::CycleRemoved));
    resources.chain(classes).chain(relations).chain(cycles)
}

impl Changes {
    fn add(&mut self, piece: Piece) {
        match piece {
            Piece::Resource(resource) => self.resources.push(resource),
            Piece::ClassAdded(class) => self.classes_added.push(class),
            Piece::ClassRemoved(class) => self.classes_removed.push(class),
            Piece::RelationAdded(relation) => self.relations_added.push(relation),
            Piece::RelationRemoved(relation) => self.relations_removed.push(relation),
            Piece::CycleAdded(cycle) => self.cycles_added.push(cycle),
            Piece::CycleRemoved(cycle) => self.cycles_removed.push(cycle),
        }
    }
}

/// The key of equal changes: all of a change except the name of the node.
fn key(piece: &Piece, node: &str) -> Digest {
    let (kind, text) = match piece {
        Piece::Resource(change) => ("resource", document::resource(change).to_string()),
        Piece::ClassAdded(class) => ("class added", class.to_string()),
        Piece::ClassRemoved(class) => ("class removed", class.to_string()),
        Piece::RelationAdded(relation) => ("relation added", document::relation(relation).to_string()),
        Piece::RelationRemoved(relation) => ("relation removed", document::relation(relation).to_string()),
        Piece::CycleAdded(cycle) => ("cycle added", cycle.join(" ")),
        Piece::CycleRemoved(cycle) => ("cycle removed", cycle.join(" ")),
    };
    let text = if node.is_empty() { text } else { text.replace(node, "\u{1}") };
    Digest::of([kind, text.as_str()])
}

/// Puts together what changes on the same nodes, what changes on most nodes first.
pub(super) fn groups(changed: impl IntoIterator<Item = (String, Changes)>) -> Vec<Group> {
    let mut nodes = Vec::new();
    let mut known = IndexMap::<Digest, (Piece, Vec<u32>)>::new();
    for (node, changes) in changed {
        let number = u32::try_from(nodes.len()).unwrap_or(u32::MAX);
        for piece in pieces(changes) {
            known.entry(key(&piece, &node)).or_insert_with(|| (piece, Vec::new())).1.push(number);
        }
        nodes.push(node);
    }
    let mut groups = IndexMap::<Vec<u32>, Changes>::new();
    for (piece, nodes) in known.into_values() {
        groups.entry(nodes).or_default().add(piece);
    }
    let named = |numbers: Vec<u32>| {
        let names = numbers.into_iter().filter_map(|number| nodes.get(number as usize).cloned());
        names.collect::<Vec<_>>()
    };
    let named = groups.into_iter().map(|(numbers, changes)| Group { nodes: named(numbers), changes });
    let mut groups: Vec<Group> = named.collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.nodes.len()));
    groups
}

/// The numbers of the groups that each node belongs to.
pub(super) fn memberships(groups: &[Group]) -> BTreeMap<&str, Vec<usize>> {
    let mut memberships = BTreeMap::<&str, Vec<usize>>::new();
    for (at, group) in groups.iter().enumerate() {
        group.nodes.iter().for_each(|node| memberships.entry(node).or_default().push(at));
    }
    memberships
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(classes: &[&str]) -> Changes {
        Changes { classes_added: classes.iter().map(|class| (*class).into()).collect(), ..Changes::default() }
    }

    #[test]
    fn changes_of_the_same_nodes_are_one_group() {
        let found = groups([
            ("a".to_owned(), changes(&["x", "y", "of a"])),
            ("b".to_owned(), changes(&["x", "y", "of b", "z"])),
            ("c".to_owned(), changes(&["z"])),
        ]);
        let named: Vec<(String, String)> = found
            .iter()
            .map(|group| (group.nodes.join(" "), group.changes.classes_added.join(" ")))
            .collect();
        let expected = [("a b", "x y of a"), ("b c", "z")];
        assert_eq!(named, expected.map(|(nodes, classes)| (nodes.to_owned(), classes.to_owned())));
        assert_eq!(memberships(&found)["b"], [0, 1]);
    }
}
