//! Values that the reader of types computes with.

use std::sync::Arc;

use kukla_catalog::types::Change;
use kukla_ruby::outline::{Block, Call, Expr, ParameterKind, literal};

use super::Pattern;

/// How many bytes `join` may put between the elements of a list: the only bytes that are neither in the source nor charged as a copy.
const LONGEST_SEPARATORS: usize = 1 << 20;

/// The value of an expression, as far as it follows from the source.
#[derive(Clone, Debug)]
pub(super) enum StaticValue {
    Nil,
    Boolean(bool),
    Integer(i64),
    Text(String),
    Symbol(String),
    Regexp(String, &'static str),
    Array(Vec<StaticValue>),
    Hash(Vec<(StaticValue, StaticValue)>),
    Module(String),
    /// The type being made.
    Type,
    Block(Arc<Block>),
    Unknown,
}

impl StaticValue {
    /// The cost of a copy. `None` if lists and hashes nest deeper than `levels`.
    pub fn size(&self, levels: usize) -> Option<usize> {
        match self {
            StaticValue::Array(elements) => sizes(elements, levels),
            StaticValue::Hash(pairs) => sizes(pairs.iter().flat_map(|(key, value)| [key, value]), levels),
            StaticValue::Text(text)
            | StaticValue::Symbol(text)
            | StaticValue::Regexp(text, _)
            | StaticValue::Module(text) => Some(Self::size_of_text(text)),
            _ => Some(1),
        }
    }

    pub fn size_of_text(text: &str) -> usize {
        1 + text.len() / 16
    }

    pub fn truth(&self) -> Option<bool> {
        match self {
            StaticValue::Unknown => None,
            StaticValue::Nil | StaticValue::Boolean(false) => Some(false),
            _ => Some(true),
        }
    }

    pub fn text(&self) -> Option<String> {
        match self {
            StaticValue::Text(text) | StaticValue::Symbol(text) => Some(text.clone()),
            StaticValue::Integer(n) => Some(n.to_string()),
            StaticValue::Regexp(source, flags) => {
                let off: String = "mix".chars().filter(|c| !flags.contains(*c)).collect();
                let minus = if off.is_empty() { "" } else { "-" };
                Some(format!("(?{flags}{minus}{off}:{source})"))
            }
            StaticValue::Nil => Some(String::new()),
            _ => None,
        }
    }

    /// A regular expression with its options inside.
    pub fn regexp(&self) -> Option<String> {
        match self {
            StaticValue::Regexp(source, "") => Some(source.clone()),
            StaticValue::Regexp(..) => self.text(),
            _ => None,
        }
    }

    /// The title patterns in the value that `title_patterns` returned, and whether everything they do to a title is understood.
    pub fn patterns(&self) -> Option<(Vec<Pattern>, bool)> {
        let StaticValue::Array(patterns) = self else { return None };
        let mut understood = true;
        let mut attribute = |known: &StaticValue| match known {
            StaticValue::Array(parts) => {
                let changes = match parts.get(1) {
                    None | Some(StaticValue::Nil) => Some(Vec::new()),
                    Some(StaticValue::Block(block)) => changes(block),
                    Some(_) => None,
                };
                understood &= changes.is_some();
                Some((parts.first()?.text()?, changes.unwrap_or_default()))
            }
            other => Some((other.text()?, Vec::new())),
        };
        let pattern = |known: &StaticValue| match known {
            StaticValue::Array(parts) => match &parts[..] {
                [regexp, StaticValue::Array(names), ..] => {
                    Some((regexp.regexp()?, names.iter().map(&mut attribute).collect::<Option<_>>()?))
                }
                _ => None,
            },
            _ => None,
        };
        let patterns = patterns.iter().map(pattern).collect::<Option<_>>()?;
        Some((patterns, understood))
    }

    /// A method of a value that needs no block.
    pub fn method(self, name: &str, args: &[StaticValue]) -> StaticValue {
        match (self, name, args) {
            (value, "freeze" | "dup" | "to_a" | "compact" | "uniq" | "sort" | "to_h", []) => value,
            (StaticValue::Text(text) | StaticValue::Symbol(text), "to_sym" | "intern", []) => {
                StaticValue::Symbol(text)
            }
            (StaticValue::Regexp(source, _), "source", []) => StaticValue::Text(source),
            (
                value @ (StaticValue::Text(_)
                | StaticValue::Symbol(_)
                | StaticValue::Integer(_)
                | StaticValue::Nil),
                "to_s",
                [],
            ) => value.text().map_or(StaticValue::Unknown, StaticValue::Text),
            (StaticValue::Text(a), "+", [StaticValue::Text(b)]) => StaticValue::Text(a + b),
            (StaticValue::Text(text), "downcase", []) => StaticValue::Text(text.to_lowercase()),
            (StaticValue::Text(text), "upcase", []) => StaticValue::Text(text.to_uppercase()),
            (StaticValue::Text(text), "split", []) => {
                StaticValue::Array(text.split_whitespace().map(|w| StaticValue::Text(w.into())).collect())
            }
            (StaticValue::Text(a), "==", [StaticValue::Text(b)])
            | (StaticValue::Symbol(a), "==", [StaticValue::Symbol(b)]) => StaticValue::Boolean(a == *b),
            (StaticValue::Text(a), "!=", [StaticValue::Text(b)])
            | (StaticValue::Symbol(a), "!=", [StaticValue::Symbol(b)]) => StaticValue::Boolean(a != *b),
            (StaticValue::Integer(a), "==", [StaticValue::Integer(b)]) => StaticValue::Boolean(a == *b),
            (StaticValue::Integer(a), "!=", [StaticValue::Integer(b)]) => StaticValue::Boolean(a != *b),
            (value, "nil?", []) if value.truth().is_some() => {
                StaticValue::Boolean(matches!(value, StaticValue::Nil))
            }
            (value, "!", []) => {
                value.truth().map_or(StaticValue::Unknown, |truth| StaticValue::Boolean(!truth))
            }
            (StaticValue::Array(elements), "empty?", []) => StaticValue::Boolean(elements.is_empty()),
            (StaticValue::Array(elements), "count" | "length" | "size", []) => {
                StaticValue::Integer(elements.len() as i64)
            }
            (StaticValue::Array(elements), "first", []) => {
                elements.into_iter().next().unwrap_or(StaticValue::Nil)
            }
            (StaticValue::Array(elements), "last", []) => {
                elements.into_iter().next_back().unwrap_or(StaticValue::Nil)
            }
            (StaticValue::Array(mut elements), "[]", [StaticValue::Integer(at)]) => {
                match usize::try_from(*at) {
                    Ok(at) if at < elements.len() => elements.swap_remove(at),
                    Ok(_) => StaticValue::Nil,
                    Err(_) => StaticValue::Unknown,
                }
            }
            (StaticValue::Array(mut a), "+" | "concat" | "|", [StaticValue::Array(b)]) => {
                a.extend(b.iter().cloned());
                StaticValue::Array(a)
            }
            (StaticValue::Array(elements), "flatten", []) => {
                let mut flat = Vec::new();
                flatten(elements, &mut flat);
                StaticValue::Array(flat)
            }
            (StaticValue::Array(elements), "join", rest) => {
                let parts: Option<Vec<_>> = elements.iter().map(StaticValue::text).collect();
                let separator = rest.first().and_then(StaticValue::text).unwrap_or_default();
                let is_short = separator.len().saturating_mul(elements.len()) < LONGEST_SEPARATORS;
                parts
                    .filter(|_| is_short)
                    .map_or(StaticValue::Unknown, |parts| StaticValue::Text(parts.join(&separator)))
            }
            (StaticValue::Hash(pairs), "keys", []) => {
                StaticValue::Array(pairs.into_iter().map(|(key, _)| key).collect())
            }
            (StaticValue::Hash(pairs), "values", []) => {
                StaticValue::Array(pairs.into_iter().map(|(_, value)| value).collect())
            }
            (StaticValue::Hash(pairs), "[]" | "fetch", [key]) => {
                let found =
                    pairs.into_iter().find(|(name, _)| name.text().is_some() && name.text() == key.text());
                found.map_or(StaticValue::Unknown, |(_, value)| value)
            }
            (StaticValue::Hash(mut a), "merge", [StaticValue::Hash(b)]) => {
                a.extend(b.iter().cloned());
                StaticValue::Hash(a)
            }
            _ => StaticValue::Unknown,
        }
    }
}

/// The size of a list or hash of these.
fn sizes<'a>(parts: impl IntoIterator<Item = &'a StaticValue>, levels: usize) -> Option<usize> {
    let inside = levels.checked_sub(1)?;
    parts.into_iter().try_fold(1, |sum, part| Some(sum + part.size(inside)?))
}

/// The changes that a block of one parameter makes to a text: calls on it, one after the other, whose meaning is known.
fn changes(block: &Block) -> Option<Vec<Change>> {
    let [parameter] = &block.parameters[..] else { return None };
    if parameter.kind != ParameterKind::Required {
        return None;
    }
    let mut changes = Vec::new();
    let mut node = &block.body;
    loop {
        match &node.expr {
            Expr::Sequence(all) if all.len() == 1 => node = &all[0],
            Expr::Local(name) if *name == parameter.name => break,
            Expr::Call(call) => {
                node = call.receiver.as_ref()?;
                changes.extend(change(call)?);
            }
            _ => return None,
        }
    }
    changes.reverse();
    Some(changes)
}

/// The change that a call makes to the text it is made on: `Some(None)` if it leaves it alone, `None` if its meaning is not known.
fn change(call: &Call) -> Option<Option<Change>> {
    let text = |at: usize| match &call.args.get(at)?.expr {
        Expr::Text(parts) => literal(parts),
        _ => None,
    };
    let regexp = || match &call.args.first()?.expr {
        Expr::Regexp(parts, flags) => StaticValue::Regexp(literal(parts)?, flags).regexp(),
        Expr::Text(parts) => literal(parts).map(|text| kukla_values::regexp::escape(&text)),
        _ => None,
    };
    Some(Some(match (call.name.as_str(), call.args.len()) {
        ("to_s" | "to_str" | "to_sym" | "intern" | "dup" | "freeze" | "itself", 0) => return Some(None),
        ("downcase", 0) => Change::Downcase,
        ("upcase", 0) => Change::Upcase,
        ("capitalize", 0) => Change::Capitalize,
        ("strip", 0) => Change::Strip,
        ("chomp", 0) => Change::Chomp(None),
        ("chomp" | "delete_suffix", 1) => Change::Chomp(Some(text(0)?)),
        ("sub", 2) => Change::Replace(regexp()?, text(1)?, false),
        ("gsub", 2) => Change::Replace(regexp()?, text(1)?, true),
        _ => return None,
    }))
}

fn flatten(elements: Vec<StaticValue>, flat: &mut Vec<StaticValue>) {
    for element in elements {
        match element {
            StaticValue::Array(inner) => flatten(inner, flat),
            other => flat.push(other),
        }
    }
}
