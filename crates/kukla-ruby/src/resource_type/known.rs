//! What the reader knows of a value.

use std::rc::Rc;

use kukla_catalog::types::Change;

use super::Pattern;
use super::tree::{Block, Call, Expr, Part};

/// How many bytes `join` may put between the elements of a list. These are the only ones that nobody has written or copied.
const LONGEST_SEPARATORS: usize = 1 << 20;

/// What an expression is known to be.
#[derive(Clone, Debug)]
pub(super) enum Known {
    Nil,
    Boolean(bool),
    Integer(i64),
    Text(String),
    Symbol(String),
    Regexp(String, &'static str),
    Array(Vec<Known>),
    Hash(Vec<(Known, Known)>),
    Module(String),
    /// The type being made.
    Type,
    Block(Rc<Block>),
    Unknown,
}

impl Known {
    /// How much of a copy there is to make, unless lists and hashes are nested deeper than so many levels.
    pub fn size(&self, levels: usize) -> Option<usize> {
        match self {
            Known::Array(elements) => sizes(elements, levels),
            Known::Hash(pairs) => sizes(pairs.iter().flat_map(|(key, value)| [key, value]), levels),
            Known::Text(text) | Known::Symbol(text) | Known::Regexp(text, _) | Known::Module(text) => {
                Some(Self::size_of_text(text))
            }
            _ => Some(1),
        }
    }

    pub fn size_of_text(text: &str) -> usize {
        1 + text.len() / 16
    }

    pub fn truth(&self) -> Option<bool> {
        match self {
            Known::Unknown => None,
            Known::Nil | Known::Boolean(false) => Some(false),
            _ => Some(true),
        }
    }

    pub fn text(&self) -> Option<String> {
        match self {
            Known::Text(text) | Known::Symbol(text) => Some(text.clone()),
            Known::Integer(n) => Some(n.to_string()),
            Known::Regexp(source, flags) => {
                let off: String = "mix".chars().filter(|c| !flags.contains(*c)).collect();
                let minus = if off.is_empty() { "" } else { "-" };
                Some(format!("(?{flags}{minus}{off}:{source})"))
            }
            Known::Nil => Some(String::new()),
            _ => None,
        }
    }

    /// A regular expression with its options inside.
    pub fn regexp(&self) -> Option<String> {
        match self {
            Known::Regexp(source, "") => Some(source.clone()),
            Known::Regexp(..) => self.text(),
            _ => None,
        }
    }

    /// What `title_patterns` returned, and whether all that it does to parts of a title is known.
    pub fn patterns(&self) -> Option<(Vec<Pattern>, bool)> {
        let Known::Array(patterns) = self else { return None };
        let mut understood = true;
        let mut attribute = |known: &Known| match known {
            Known::Array(parts) => {
                let changes = match parts.get(1) {
                    None | Some(Known::Nil) => Some(Vec::new()),
                    Some(Known::Block(block)) => changes(block),
                    Some(_) => None,
                };
                understood &= changes.is_some();
                Some((parts.first()?.text()?, changes.unwrap_or_default()))
            }
            other => Some((other.text()?, Vec::new())),
        };
        let pattern = |known: &Known| match known {
            Known::Array(parts) => match &parts[..] {
                [regexp, Known::Array(names), ..] => {
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
    pub fn method(self, name: &str, args: &[Known]) -> Known {
        match (self, name, args) {
            (value, "freeze" | "dup" | "to_a" | "compact" | "uniq" | "sort" | "to_h", []) => value,
            (Known::Text(text) | Known::Symbol(text), "to_sym" | "intern", []) => Known::Symbol(text),
            (Known::Regexp(source, _), "source", []) => Known::Text(source),
            (value @ (Known::Text(_) | Known::Symbol(_) | Known::Integer(_) | Known::Nil), "to_s", []) => {
                value.text().map_or(Known::Unknown, Known::Text)
            }
            (Known::Text(a), "+", [Known::Text(b)]) => Known::Text(a + b),
            (Known::Text(text), "downcase", []) => Known::Text(text.to_lowercase()),
            (Known::Text(text), "upcase", []) => Known::Text(text.to_uppercase()),
            (Known::Text(text), "split", []) => {
                Known::Array(text.split_whitespace().map(|w| Known::Text(w.into())).collect())
            }
            (Known::Text(a), "==", [Known::Text(b)]) | (Known::Symbol(a), "==", [Known::Symbol(b)]) => {
                Known::Boolean(a == *b)
            }
            (Known::Text(a), "!=", [Known::Text(b)]) | (Known::Symbol(a), "!=", [Known::Symbol(b)]) => {
                Known::Boolean(a != *b)
            }
            (Known::Integer(a), "==", [Known::Integer(b)]) => Known::Boolean(a == *b),
            (Known::Integer(a), "!=", [Known::Integer(b)]) => Known::Boolean(a != *b),
            (value, "nil?", []) if value.truth().is_some() => Known::Boolean(matches!(value, Known::Nil)),
            (value, "!", []) => value.truth().map_or(Known::Unknown, |truth| Known::Boolean(!truth)),
            (Known::Array(elements), "empty?", []) => Known::Boolean(elements.is_empty()),
            (Known::Array(elements), "count" | "length" | "size", []) => {
                Known::Integer(elements.len() as i64)
            }
            (Known::Array(elements), "first", []) => elements.into_iter().next().unwrap_or(Known::Nil),
            (Known::Array(elements), "last", []) => elements.into_iter().next_back().unwrap_or(Known::Nil),
            (Known::Array(mut elements), "[]", [Known::Integer(at)]) => match usize::try_from(*at) {
                Ok(at) if at < elements.len() => elements.swap_remove(at),
                Ok(_) => Known::Nil,
                Err(_) => Known::Unknown,
            },
            (Known::Array(mut a), "+" | "concat" | "|", [Known::Array(b)]) => {
                a.extend(b.iter().cloned());
                Known::Array(a)
            }
            (Known::Array(elements), "flatten", []) => {
                let mut flat = Vec::new();
                flatten(elements, &mut flat);
                Known::Array(flat)
            }
            (Known::Array(elements), "join", rest) => {
                let parts: Option<Vec<_>> = elements.iter().map(Known::text).collect();
                let separator = rest.first().and_then(Known::text).unwrap_or_default();
                let is_short = separator.len().saturating_mul(elements.len()) < LONGEST_SEPARATORS;
                parts.filter(|_| is_short).map_or(Known::Unknown, |parts| Known::Text(parts.join(&separator)))
            }
            (Known::Hash(pairs), "keys", []) => Known::Array(pairs.into_iter().map(|(key, _)| key).collect()),
            (Known::Hash(pairs), "values", []) => {
                Known::Array(pairs.into_iter().map(|(_, value)| value).collect())
            }
            (Known::Hash(pairs), "[]" | "fetch", [key]) => {
                let found =
                    pairs.into_iter().find(|(name, _)| name.text().is_some() && name.text() == key.text());
                found.map_or(Known::Unknown, |(_, value)| value)
            }
            (Known::Hash(mut a), "merge", [Known::Hash(b)]) => {
                a.extend(b.iter().cloned());
                Known::Hash(a)
            }
            _ => Known::Unknown,
        }
    }
}

/// The size of a list or hash of these.
fn sizes<'a>(parts: impl IntoIterator<Item = &'a Known>, levels: usize) -> Option<usize> {
    let inside = levels.checked_sub(1)?;
    parts.into_iter().try_fold(1, |sum, part| Some(sum + part.size(inside)?))
}

/// What a block of one parameter does to a text: calls on it, one after the other, whose meaning is known.
fn changes(block: &Block) -> Option<Vec<Change>> {
    let [(parameter, None)] = &block.params.names[..] else { return None };
    let mut changes = Vec::new();
    let mut expr = &block.body;
    loop {
        match expr {
            Expr::Sequence(all) if all.len() == 1 => expr = &all[0],
            Expr::Local(name) if name == parameter => break,
            Expr::Call(call) => {
                expr = call.receiver.as_ref()?;
                changes.extend(change(call)?);
            }
            _ => return None,
        }
    }
    changes.reverse();
    Some(changes)
}

/// What a call does to the text it is made on: `Some(None)` if nothing.
fn change(call: &Call) -> Option<Option<Change>> {
    let text = |at: usize| match call.args.get(at) {
        Some(Expr::Text(parts)) => plain(parts),
        _ => None,
    };
    let regexp = || match call.args.first()? {
        Expr::Regexp(parts, flags) => Known::Regexp(plain(parts)?, flags).regexp(),
        Expr::Text(parts) => plain(parts).map(|text| kukla_values::regexp::escape(&text)),
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

fn plain(parts: &[Part]) -> Option<String> {
    parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Code(_) => None,
        })
        .collect()
}

fn flatten(elements: Vec<Known>, flat: &mut Vec<Known>) {
    for element in elements {
        match element {
            Known::Array(inner) => flatten(inner, flat),
            other => flat.push(other),
        }
    }
}
