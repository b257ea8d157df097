//! Walking everything inside a value.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::types::Type;
use crate::types::object::ObjectAttributeKind;
use crate::{Array, Value};

/// The tree to walk, and the values to yield on the way.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Where it starts.
    pub root: Value,
    /// Nearest first, instead of each branch to its end.
    pub breadth_first: bool,
    /// The types that are entered; by default arrays, hashes and objects.
    pub container_type: Option<Type>,
    /// Whether the root itself is shown.
    pub include_root: bool,
    /// Whether containers are shown.
    pub include_containers: bool,
    /// Whether other values are shown.
    pub include_values: bool,
    /// Whether attributes of kind reference are followed.
    pub include_refs: bool,
}

impl Tree {
    /// All of `root`, each branch to its end.
    pub fn new(root: Value) -> Tree {
        Tree {
            root,
            breadth_first: false,
            container_type: None,
            include_root: true,
            include_containers: true,
            include_values: true,
            include_refs: false,
        }
    }

    fn enters(&self, value: &Value) -> bool {
        matches!(value, Value::Array(_) | Value::Hash(_) | Value::Object(_))
            && self.container_type.as_ref().is_none_or(|ty| ty.contains(value))
    }

    fn child(&self, value: &Value, at: usize) -> Option<(Value, Value)> {
        match value {
            Value::Array(values) => values.get(at).map(|v| (Value::Integer(at as i64), v.clone())),
            Value::Hash(hash) => hash.get_index(at).map(|(k, v)| (k.clone(), v.clone())),
            Value::Object(object) => {
                let attributes = object.ty.attributes();
                let shown = |a: &&&crate::types::object::ObjectAttribute| {
                    self.include_refs || a.kind != ObjectAttributeKind::Reference
                };
                let attribute = attributes.iter().filter(shown).nth(at)?;
                Some((attribute.name.clone().into(), object.get(&attribute.name).unwrap_or_default()))
            }
            _ => None,
        }
    }
}

/// A container being gone through.
#[derive(Clone, Debug)]
struct Level {
    value: Value,
    path: Array,
    next: usize,
}

/// A walk in progress; each member is `[path, value]`.
#[derive(Clone, Debug)]
pub struct Walk {
    tree: Arc<Tree>,
    levels: VecDeque<Level>,
    started: bool,
}

impl Walk {
    /// A walk that has not begun.
    pub fn new(tree: Arc<Tree>) -> Walk {
        Walk { tree, levels: VecDeque::new(), started: false }
    }

    fn start(&mut self) -> Option<Value> {
        self.started = true;
        let root = self.tree.root.clone();
        if self.tree.enters(&root) {
            self.levels.push_back(Level { value: root.clone(), path: Array::new(), next: 0 });
        }
        let shown = self.tree.include_root && self.tree.include_containers;
        shown.then(|| vec![Value::Array(Array::new()), root].into())
    }
}

impl Iterator for Walk {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        if !self.started
            && let Some(root) = self.start()
        {
            return Some(root);
        }
        let tree = self.tree.clone();
        loop {
            let level = if tree.breadth_first { self.levels.front_mut() } else { self.levels.back_mut() }?;
            let Some((key, value)) = tree.child(&level.value, level.next) else {
                if tree.breadth_first {
                    self.levels.pop_front()
                } else {
                    self.levels.pop_back()
                };
                continue;
            };
            level.next += 1;
            let mut path = level.path.clone();
            path.push(key);
            let is_container = tree.enters(&value);
            if is_container {
                self.levels.push_back(Level { value: value.clone(), path: path.clone(), next: 0 });
            }
            // Nearest first, values are shown whether asked for or not.
            let shown = if is_container {
                tree.include_containers
            } else {
                tree.include_values || tree.breadth_first
            };
            if shown {
                return Some(vec![Value::Array(path), value].into());
            }
        }
    }
}
