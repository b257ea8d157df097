//! Following references.

use indexmap::IndexSet;
use kukla_syntax::deep;
use kukla_values::{Array, Hash, Value};
use rustc_hash::FxBuildHasher;

use super::parse::MOST_OVER;
use super::{Node, Variables};
use crate::Error;

/// Replaces every reference in the tree.
pub(super) fn resolve(root: &Node, environment: &Variables<'_>) -> Result<Value, Error> {
    let mut resolver = Resolver { root, environment, following: IndexSet::default(), work: 0 };
    let value = resolver.node(root, None, &[])?;
    Ok(value.unwrap_or_else(|| Hash::new().into()))
}

struct Resolver<'n> {
    root: &'n Node,
    environment: &'n Variables<'n>,
    /// The references being followed: one that comes up again is a cycle.
    following: IndexSet<String, FxBuildHasher>,
    work: u64,
}

const MAX_WORK: u64 = 1_000_000;
/// How many references may lead to each other.
const MOST_FOLLOWED: usize = 500;
/// How long a text may become that is put together of others.
const MOST_TEXT: usize = 1 << 26;
const MIXED: &str = "Cannot concatenate object or list with a non-object-or-list";

impl<'n> Resolver<'n> {
    /// The value of a node, `None` if it is an optional reference to nothing. `before` is what stood under the same key
    /// earlier and `here` the path of that key, for references to oneself.
    fn node(
        &mut self,
        node: &'n Node,
        before: Option<&'n Node>,
        here: &[&str],
    ) -> Result<Option<Value>, Error> {
        self.work += 1;
        if self.work > MAX_WORK {
            return Err(Error::hocon("substitutions expand without end", 1));
        }
        deep(|| self.value(node, before, here))
    }

    fn value(
        &mut self,
        node: &'n Node,
        before: Option<&'n Node>,
        here: &[&str],
    ) -> Result<Option<Value>, Error> {
        Ok(Some(match node {
            Node::Value(value) => value.clone(),
            Node::Text(text) => text.as_str().into(),
            Node::Object(entries) => {
                let mut hash = Hash::new();
                let mut path = here.to_vec();
                path.push("");
                for (key, value) in entries.sorted() {
                    *path.last_mut().unwrap_or(&mut "") = key;
                    if let Some(value) = self.node(value, None, &path)? {
                        hash.insert(key, value);
                    }
                }
                hash.into()
            }
            Node::List(elements) => {
                let mut array = Array::new();
                for element in elements {
                    array.extend(self.node(element, before, here)?);
                }
                array.into()
            }
            Node::Reference { path, optional, line } => {
                return self.reference(path, *optional, *line, before, here);
            }
            Node::Joined(parts, line) => return self.joined(parts, *line, before, here),
            Node::Over { levels, .. } if *levels > MOST_OVER => {
                return Err(Error::hocon(format!("a key refers to itself more than {MOST_OVER} times"), 1));
            }
            Node::Over { before, after, .. } => {
                let value = self.node(after, Some(before), here)?;
                match value {
                    None => return self.node(before, None, here),
                    Some(Value::Hash(after)) => match self.node(before, None, here)? {
                        Some(Value::Hash(before)) => merge(&before, &after).into(),
                        _ => Value::Hash(after),
                    },
                    Some(value) => value,
                }
            }
            Node::Append(element, line) => {
                let earlier = match before {
                    Some(before) => self.node(before, None, here)?,
                    None => None,
                };
                let mut list = match earlier {
                    Some(Value::Array(list)) => list,
                    None => Array::new(),
                    Some(_) => return Err(Error::hocon(MIXED, *line)),
                };
                list.extend(self.node(element, before, here)?);
                list.into()
            }
        }))
    }

    fn reference(
        &mut self,
        path: &[String],
        optional: bool,
        line: u32,
        before: Option<&'n Node>,
        here: &[&str],
    ) -> Result<Option<Value>, Error> {
        let name = path.join(".");
        // A key may refer to what it was before.
        let itself = path.iter().map(String::as_str).eq(here.iter().copied());
        if itself && let Some(before) = before {
            return self.node(before, None, here);
        }
        let failed = |message: String| {
            Err(Error::hocon(format!("Could not resolve substitution to a value: {message}"), line))
        };
        if itself && optional {
            return Ok((self.environment)(&name)?.map(Value::from));
        }
        if self.following.contains(&name) {
            if optional {
                return Ok(None);
            }
            let mut names: Vec<String> = self.following.iter().map(|name| format!("${{{name}}}")).collect();
            names.push(format!("${{{name}}}"));
            return failed(format!(
                "${{{name}}} was part of a cycle of substitutions involving {}",
                names.join(", ")
            ));
        }
        if self.following.len() >= MOST_FOLLOWED {
            return Err(Error::hocon(
                format!("more than {MOST_FOLLOWED} substitutions lead to each other"),
                line,
            ));
        }
        self.following.insert(name.clone());
        let found = self.follow(path);
        self.following.pop();
        match found? {
            Some(value) => Ok(Some(value)),
            None => match (self.environment)(&name)? {
                Some(text) => Ok(Some(text.into())),
                None if optional => Ok(None),
                None => failed(format!("${{{name}}}")),
            },
        }
    }

    /// The value at a path from the root.
    fn follow(&mut self, path: &[String]) -> Result<Option<Value>, Error> {
        let mut nodes: Vec<(&'n Node, usize)> = vec![(self.root, 0)];
        // Candidates, the most recent first: a value that overrides another may lack the key.
        while let Some((node, depth)) = nodes.pop() {
            if depth == path.len() {
                let here: Vec<&str> = path.iter().map(String::as_str).collect();
                return self.node(node, None, &here);
            }
            match node {
                Node::Object(entries) => {
                    if let Some(value) = entries.get(&path[depth]) {
                        nodes.push((value, depth + 1));
                    }
                }
                Node::Over { before, after, .. } => {
                    nodes.push((before, depth));
                    nodes.push((after, depth));
                }
                Node::Reference { .. } | Node::Joined(..) => {
                    let here: Vec<&str> = path[..depth].iter().map(String::as_str).collect();
                    let mut value = self.node(node, None, &here)?;
                    for key in &path[depth..] {
                        value = value.and_then(|value| value.as_hash()?.get(key.as_str()).cloned());
                    }
                    if value.is_some() {
                        return Ok(value);
                    }
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// Lists join to a list, objects to an object, everything else to text.
    fn joined(
        &mut self,
        parts: &'n [Node],
        line: u32,
        before: Option<&'n Node>,
        here: &[&str],
    ) -> Result<Option<Value>, Error> {
        let mut values: Vec<(Value, bool)> = Vec::new();
        for part in parts {
            let blank = matches!(part, Node::Text(text) if text.trim().is_empty());
            if let Some(value) = self.node(part, before, here)? {
                values.push((value, blank));
            }
        }
        let collections = values.iter().any(|(value, _)| matches!(value, Value::Array(_) | Value::Hash(_)));
        if collections {
            values.retain(|(_, blank)| !blank);
        }
        let mut values = values.into_iter().map(|(value, _)| value);
        let Some(mut all) = values.next() else { return Ok(None) };
        for value in values {
            all = match (all, value) {
                (Value::Array(mut left), Value::Array(right)) => {
                    self.work += right.len() as u64;
                    left.extend(right);
                    left.into()
                }
                (Value::Hash(left), Value::Hash(right)) => merge(&left, &right).into(),
                (Value::Array(_) | Value::Hash(_), _) | (_, Value::Array(_) | Value::Hash(_)) => {
                    return Err(Error::hocon(MIXED, line));
                }
                (left, right) => {
                    let joined = format!("{}{}", text(&left), text(&right));
                    if joined.len() > MOST_TEXT {
                        return Err(Error::hocon("substitutions expand without end", line));
                    }
                    joined.into()
                }
            };
        }
        Ok(Some(all))
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Undef => "null".into(),
        Value::Boolean(b) => b.to_string(),
        Value::Integer(n) => n.to_string(),
        Value::Float(n) => kukla_values::format::float_text(*n),
        _ => String::new(),
    }
}

/// The entries of `after`, then those of `before` that it lacks; objects on both sides join.
fn merge(before: &Hash, after: &Hash) -> Hash {
    let mut merged = after.clone();
    for (key, old) in before {
        let joined = match (merged.get(key), old) {
            (None, old) => old.clone(),
            (Some(Value::Hash(new)), Value::Hash(old)) => merge(old, new).into(),
            (Some(_), _) => continue,
        };
        merged.insert(key.clone(), joined);
    }
    merged
}
