//! The order of a catalog: relationships and containment as one graph.
//!
//! Every resource has a beginning and an end. A container begins before its contents and ends after them; `A -> B` leads from the end of A to
//! the beginning of B. So a relationship of a class holds for everything in it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A relationship: the earlier resource, whether it notifies, the later resource.
pub type Edge = (String, bool, String);

/// The order of the resources of a catalog.
#[derive(Debug, Default)]
pub struct Order {
    numbers: HashMap<String, usize>,
    names: Vec<String>,
    /// The next points; resource `n` begins at `2n` and ends at `2n + 1`.
    next: Vec<Vec<usize>>,
    inside: BTreeMap<usize, BTreeSet<usize>>,
    notifications: Vec<(usize, usize)>,
}

impl Order {
    /// The order that these relationships and containers give.
    pub fn new(edges: &BTreeSet<Edge>, containment: &BTreeSet<(String, String)>) -> Order {
        let mut order = Order::default();
        for (outer, inner) in containment {
            let (outer, inner) = (order.number(outer), order.number(inner));
            order.next[2 * outer].push(2 * inner);
            order.next[2 * inner + 1].push(2 * outer + 1);
            order.inside.entry(inner).or_default().insert(outer);
        }
        for (from, notifies, to) in edges {
            let (from, to) = (order.number(from), order.number(to));
            order.next[2 * from + 1].push(2 * to);
            if *notifies {
                order.notifications.push((from, to));
            }
        }
        order
    }

    fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len();
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        self.next.push(Vec::new());
        // A resource begins before it ends, also if it contains nothing.
        self.next[2 * number].push(2 * number + 1);
        self.next.push(Vec::new());
        number
    }

    /// Whether one resource is applied before another.
    pub fn is_before(&self, first: &str, second: &str) -> bool {
        let (Some(&first), Some(&second)) = (self.numbers.get(first), self.numbers.get(second)) else {
            return false;
        };
        let (mut open, mut seen) = (vec![2 * first + 1], HashSet::new());
        while let Some(point) = open.pop() {
            if point == 2 * second {
                return true;
            }
            open.extend(self.next[point].iter().copied().filter(|next| seen.insert(*next)));
        }
        false
    }

    /// Whether a change of one resource refreshes another: they, or what contains them, have a notification between them.
    pub fn notifies(&self, from: &str, to: &str) -> bool {
        let (Some(&from), Some(&to)) = (self.numbers.get(from), self.numbers.get(to)) else { return false };
        let (from, to) = (self.around(from), self.around(to));
        self.notifications.iter().any(|(source, target)| from.contains(source) && to.contains(target))
    }

    /// Whether one resource contains another, directly or not.
    pub fn contains(&self, outer: &str, inner: &str) -> bool {
        let (Some(&outer), Some(&inner)) = (self.numbers.get(outer), self.numbers.get(inner)) else {
            return false;
        };
        outer != inner && self.around(inner).contains(&outer)
    }

    /// The containers of a resource.
    pub fn containers(&self, name: &str) -> Vec<&str> {
        let Some(&number) = self.numbers.get(name) else { return Vec::new() };
        let around = self.around(number);
        around.into_iter().filter(|outer| *outer != number).map(|outer| self.names[outer].as_str()).collect()
    }

    /// A resource and its containers.
    fn around(&self, number: usize) -> BTreeSet<usize> {
        let (mut open, mut seen) = (vec![number], BTreeSet::from([number]));
        while let Some(inner) = open.pop() {
            let outer = self.inside.get(&inner).into_iter().flatten().copied();
            open.extend(outer.filter(|outer| seen.insert(*outer)));
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relationships_of_containers_hold_for_their_contents() {
        let edge = |from: &str, notifies, to: &str| (from.to_owned(), notifies, to.to_owned());
        let edges = [edge("A", false, "B"), edge("B", true, "C")].into();
        let inside = |outer: &str, inner: &str| (outer.to_owned(), inner.to_owned());
        let containment =
            [inside("Main", "A"), inside("A", "a"), inside("B", "b"), inside("C", "c"), inside("c", "d")]
                .into();
        let order = Order::new(&edges, &containment);
        assert!(order.is_before("a", "b") && order.is_before("a", "d") && order.is_before("A", "c"));
        assert!(!order.is_before("b", "a") && !order.is_before("A", "a") && !order.is_before("a", "A"));
        assert!(order.notifies("b", "d") && order.notifies("B", "C") && !order.notifies("a", "b"));
        assert!(order.contains("Main", "a") && order.contains("C", "d") && !order.contains("B", "d"));
        assert_eq!(order.containers("d"), ["C", "c"]);
    }
}
