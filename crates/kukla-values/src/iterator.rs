//! Lazy sequences: nothing is listed before it is asked for.

use std::sync::Arc;

use crate::Result;
use crate::budget::Limits;
use crate::size::check_elements;
use crate::types::{Range, Type};
use crate::value::{Array, Value};

pub mod tree;

use tree::{Tree, Walk};

/// A sequence whose members are made when asked for.
#[derive(Clone, Debug)]
pub enum Iterator {
    /// The members of a value in order.
    Each(Value),
    /// The members of a value, last first.
    Reverse(Value),
    /// Every n-th member of a value.
    Step(Value, i64),
    /// Everything inside a value, with the path to it.
    Tree(Arc<Tree>),
}

/// The members of a value, if it can be iterated.
///
/// An array has its elements, a hash its `[key, value]` pairs, a string its characters, an integer the numbers below it,
/// `Integer[1, 3]` and `Enum[a, b]` what they list, and an iterator what it goes through.
pub fn iterate(value: &Value) -> Option<Members> {
    match value {
        Value::Iterator(iterator) => iterator.members(),
        value => Source::of(value).map(|source| Members::Indexed(Indexed::all(source))),
    }
}

/// Makes lists of what can be iterated, which together have no more members than one collection may have: a value may hold the same
/// endless sequence any number of times.
#[derive(Debug)]
pub struct Lister {
    most: usize,
    listed: usize,
}

impl Default for Lister {
    fn default() -> Lister {
        Lister::up_to(Limits::default().elements)
    }
}

impl Lister {
    /// An iterator with this number of members.
    pub fn up_to(most: usize) -> Lister {
        Lister { most, listed: 0 }
    }

    /// All members of a value; an error if there are too many, before they are created where that is known.
    pub fn list(&mut self, value: &Value) -> Result<Array> {
        let Some(members) = iterate(value) else { return Ok(Array::new()) };
        check_elements(self.listed.saturating_add(members.size_hint().0), self.most)?;
        let list: Array = members.take(self.most - self.listed + 1).collect();
        self.listed += list.len();
        check_elements(self.listed, self.most)?;
        Ok(list)
    }
}

/// Whether iterating over it gives `[key, value]` pairs, which lambdas may take as two parameters.
pub fn gives_pairs(value: &Value) -> bool {
    match value {
        Value::Hash(_) => true,
        Value::Iterator(iterator) => match &**iterator {
            Iterator::Each(value) => gives_pairs(value),
            _ => false,
        },
        _ => false,
    }
}

impl Iterator {
    /// Its members, from the beginning.
    pub fn members(&self) -> Option<Members> {
        match self {
            Iterator::Each(value) => iterate(value),
            Iterator::Reverse(value) => iterate(value).map(Members::reversed),
            Iterator::Step(value, step) => iterate(value).map(|members| members.stepped(*step)),
            Iterator::Tree(tree) => Some(Members::Tree(Box::new(Walk::new(tree.clone())), 1)),
        }
    }

    /// The value it goes through.
    pub fn source(&self) -> &Value {
        match self {
            Iterator::Each(value) | Iterator::Reverse(value) | Iterator::Step(value, _) => value,
            Iterator::Tree(tree) => &tree.root,
        }
    }

    /// The type of its members.
    pub fn element_type(&self) -> Type {
        match self {
            Iterator::Each(value) | Iterator::Reverse(value) => element_type(value),
            Iterator::Step(value, step) => match element_type(value) {
                // A stepped range ends at its last member.
                Type::Integer(range) if range.is_finite() && self.is_range() => {
                    let rest = range.max().abs_diff(range.min()) % (*step).max(1).unsigned_abs();
                    let rest = rest as i64;
                    let reversed = matches!(value, Value::Iterator(i) if i.runs_down());
                    Type::Integer(match reversed {
                        true => Range::new(range.min() + rest, range.max()),
                        false => Range::new(range.min(), range.max() - rest),
                    })
                }
                ty => ty,
            },
            Iterator::Tree(_) => Type::Any,
        }
    }

    fn is_range(&self) -> bool {
        match self {
            Iterator::Each(value) | Iterator::Reverse(value) | Iterator::Step(value, _) => match value {
                Value::Iterator(inner) => inner.is_range(),
                value => matches!(value, Value::Integer(_) | Value::Type(_)),
            },
            Iterator::Tree(_) => false,
        }
    }

    fn runs_down(&self) -> bool {
        match self {
            Iterator::Reverse(Value::Iterator(inner)) => !inner.runs_down(),
            Iterator::Reverse(_) => true,
            Iterator::Each(Value::Iterator(inner)) | Iterator::Step(Value::Iterator(inner), _) => {
                inner.runs_down()
            }
            _ => false,
        }
    }
}

/// The type of what iterating over `value` gives.
fn element_type(value: &Value) -> Type {
    let all = |values: &mut dyn std::iter::Iterator<Item = &Value>| Type::variant(values.map(Type::of));
    match value {
        Value::Iterator(iterator) => iterator.element_type(),
        Value::String(_) => Type::String(Range::exactly(1)),
        Value::Array(values) if values.is_empty() => Type::Unit,
        Value::Array(values) => all(&mut values.iter()),
        Value::Hash(hash) => {
            let (key, value) = match hash.is_empty() {
                true => (Type::Unit, Type::Unit),
                false => (all(&mut hash.keys()), all(&mut hash.values())),
            };
            Type::tuple(vec![key, value], Some(Range::exactly(2)))
        }
        Value::Integer(n) if *n > 0 => Type::Integer(Range::new(0, n - 1)),
        Value::Integer(_) => Type::Unit,
        Value::Type(ty) => ty.unaliased().clone(),
        _ => Type::Any,
    }
}

/// A value whose members can be accessed by index.
#[derive(Clone, Debug)]
enum Source {
    Array(Array),
    Hash(crate::Hash),
    Characters(Arc<[char]>),
    Range(i64, u64),
    Strings(Arc<crate::types::EnumType>),
}

impl Source {
    fn of(value: &Value) -> Option<Source> {
        Some(match value {
            Value::Array(values) => Source::Array(values.clone()),
            Value::Hash(hash) => Source::Hash(hash.clone()),
            Value::String(text) => Source::Characters(text.chars().collect()),
            Value::Integer(n) => Source::Range(0, u64::try_from(*n).ok()?),
            Value::Type(ty) => match ty.unaliased() {
                Type::Integer(range) if range.is_finite() => {
                    Source::Range(range.min(), range.max().abs_diff(range.min()).saturating_add(1))
                }
                Type::Enum(values) => Source::Strings(values.clone()),
                _ => return None,
            },
            _ => return None,
        })
    }

    fn len(&self) -> u64 {
        match self {
            Source::Array(values) => values.len() as u64,
            Source::Hash(hash) => hash.len() as u64,
            Source::Characters(chars) => chars.len() as u64,
            Source::Range(_, len) => *len,
            Source::Strings(values) => values.values.len() as u64,
        }
    }

    fn get(&self, at: u64) -> Option<Value> {
        let i = usize::try_from(at).ok();
        match self {
            Source::Array(values) => values.get(i?).cloned(),
            Source::Hash(hash) => {
                hash.get_index(i?).map(|(key, value)| vec![key.clone(), value.clone()].into())
            }
            Source::Characters(chars) => chars.get(i?).map(|c| Value::String(c.to_string().into())),
            Source::Range(from, _) => from.checked_add_unsigned(at).map(Value::Integer),
            Source::Strings(values) => values.values.get(i?).cloned().map(Value::String),
        }
    }
}

/// A walk over numbered members: from `at`, `left` of them, `stride` apart, up or down.
#[derive(Clone, Debug)]
pub struct Indexed {
    source: Source,
    at: u64,
    left: u64,
    stride: u64,
    down: bool,
}

impl Indexed {
    fn all(source: Source) -> Indexed {
        let left = source.len();
        Indexed { source, at: 0, left, stride: 1, down: false }
    }

    fn reversed(self) -> Indexed {
        let span = self.left.saturating_sub(1).saturating_mul(self.stride);
        let last = if self.down { self.at.saturating_sub(span) } else { self.at.saturating_add(span) };
        Indexed { at: last, down: !self.down, ..self }
    }

    fn stepped(self, step: u64) -> Indexed {
        let (left, stride) = (self.left.div_ceil(step), self.stride.saturating_mul(step));
        Indexed { left, stride, ..self }
    }
}

/// The members of a value, one after the other.
#[derive(Clone, Debug)]
pub enum Members {
    /// Of something with numbered members.
    Indexed(Indexed),
    /// Of a tree, every n-th.
    Tree(Box<Walk>, usize),
}

impl Members {
    fn reversed(self) -> Members {
        match self {
            Members::Indexed(members) => Members::Indexed(members.reversed()),
            // A tree shows its end only when it was walked.
            tree => {
                let mut all: Vec<Value> = tree.collect();
                all.reverse();
                Members::Indexed(Indexed::all(Source::Array(all.into())))
            }
        }
    }

    fn stepped(self, step: i64) -> Members {
        let step = step.unsigned_abs().max(1);
        match self {
            Members::Indexed(members) => Members::Indexed(members.stepped(step)),
            Members::Tree(walk, each) => {
                Members::Tree(walk, each.saturating_mul(usize::try_from(step).unwrap_or(usize::MAX)))
            }
        }
    }
}

impl std::iter::Iterator for Members {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        match self {
            Members::Indexed(members) => {
                members.left = members.left.checked_sub(1)?;
                let value = members.source.get(members.at);
                members.at = match members.down {
                    true => members.at.saturating_sub(members.stride),
                    false => members.at.saturating_add(members.stride),
                };
                value
            }
            Members::Tree(walk, each) => {
                let value = walk.next()?;
                for _ in 1..*each {
                    if walk.next().is_none() {
                        break;
                    }
                }
                Some(value)
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Members::Indexed(members) => match usize::try_from(members.left) {
                Ok(left) => (left, Some(left)),
                Err(_) => (usize::MAX, None),
            },
            Members::Tree(..) => (0, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(value: Value) -> Vec<Value> {
        iterate(&value).into_iter().flatten().collect()
    }

    fn ints(values: &[i64]) -> Vec<Value> {
        values.iter().map(|n| Value::Integer(*n)).collect()
    }

    fn iterator(iterator: Iterator) -> Value {
        Value::Iterator(Arc::new(iterator))
    }

    #[test]
    fn steps_and_reversals_compose_without_listing() {
        let huge = Value::of_type(Type::Integer(Range::new(1, i64::MAX - 1)));
        let reversed = iterator(Iterator::Reverse(huge.clone()));
        assert_eq!(
            iterate(&iterator(Iterator::Step(reversed, 10))).unwrap().take(2).collect::<Vec<_>>(),
            ints(&[i64::MAX - 1, i64::MAX - 11])
        );
        let four = Value::of_type(Type::Integer(Range::new(1, 4)));
        let down = iterator(Iterator::Reverse(four.clone()));
        assert_eq!(list(iterator(Iterator::Step(down, 2))), ints(&[4, 2]));
        let odd = iterator(Iterator::Step(four, 2));
        assert_eq!(list(iterator(Iterator::Reverse(odd))), ints(&[3, 1]));
        assert_eq!(list(Value::Integer(3)), ints(&[0, 1, 2]));
        assert!(iterate(&Value::Integer(-1)).is_none());
        assert_eq!(list(Value::from("åb")), [Value::from("å"), Value::from("b")]);
    }
}
