//! Objects before references are followed.

use rustc_hash::FxHashMap;

use super::Node;

/// Keys with their values, in an order that grows at both ends: the latest value that a text has for a key comes before
/// earlier ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Object {
    entries: FxHashMap<String, (i64, Node)>,
    first: i64,
    last: i64,
}

impl Object {
    /// An object with one key.
    pub fn of(key: String, node: Node) -> Object {
        let mut object = Object::default();
        object.put(key, node, |_, after| after);
        object
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries.get(key).map(|(_, node)| node)
    }

    /// The values of the keys, in no order.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.entries.values().map(|(_, node)| node)
    }

    /// All keys in order.
    pub fn sorted(&self) -> Vec<(&str, &Node)> {
        let mut all: Vec<_> = self.entries.iter().collect();
        all.sort_unstable_by_key(|(_, (place, _))| *place);
        all.into_iter().map(|(key, (_, node))| (key.as_str(), node)).collect()
    }

    /// Puts something under a key, at the end unless the key is known: then in the place of what was there.
    pub fn put(&mut self, key: String, node: Node, join: impl FnOnce(Node, Node) -> Node) {
        match self.entries.get_mut(&key) {
            Some((_, known)) => {
                let before = std::mem::replace(known, Node::List(Vec::new()));
                *known = join(before, node);
            }
            None => {
                self.last += 1;
                self.entries.insert(key, (self.last, node));
            }
        }
    }

    /// Puts all of a later object before what is here.
    pub fn precede(&mut self, later: Object, join: impl Fn(Node, Node) -> Node) {
        let mut later: Vec<(String, (i64, Node))> = later.entries.into_iter().collect();
        later.sort_unstable_by_key(|(_, (place, _))| std::cmp::Reverse(*place));
        for (key, (_, node)) in later {
            let node = match self.entries.remove(&key) {
                Some((_, before)) => join(before, node),
                None => node,
            };
            self.first -= 1;
            self.entries.insert(key, (self.first, node));
        }
    }
}
