//! Keys: `name`, `module::name`, `name.sub.0`, `'a.b'.c`.

use kukla_syntax::diagnostic;
use kukla_values::{Array, Hash, Str, Value};

use crate::codes::KEY_SYNTAX;
use crate::error::{Error, Result};

/// A key, split into the name data files hold and the way on from there.
#[derive(Clone, Debug)]
pub struct Key {
    text: Str,
    root: Str,
    module: Option<Str>,
    segments: Vec<Value>,
}

impl Key {
    /// Splits a key; a malformed one is an error.
    pub fn new(text: &str) -> Result<Key> {
        let mut segments =
            split(text).ok_or_else(|| Error::data(diagnostic!(KEY_SYNTAX { key: text })))?.into_iter();
        let root = match segments.next() {
            Some(Value::String(root)) => root,
            // Puppet's own reader trips over a number here; to us it is a name that no file has.
            Some(Value::Integer(n)) => n.to_string().into(),
            _ => text.into(),
        };
        let module = root.find("::").map(|end| root[..end].into());
        Ok(Key { text: text.into(), root, module, segments: segments.collect() })
    }

    /// The reserved key under which data describes how data is looked up.
    pub fn lookup_options() -> Key {
        let text = Str::from(LOOKUP_OPTIONS);
        Key { root: text.clone(), text, module: None, segments: Vec::new() }
    }

    /// As it was written.
    pub fn text(&self) -> &Str {
        &self.text
    }

    /// The name data files hold.
    pub fn root(&self) -> &Str {
        &self.root
    }

    /// The way on from the root.
    pub fn segments(&self) -> &[Value] {
        &self.segments
    }

    /// The module whose data may hold it.
    pub fn module(&self) -> Option<&Str> {
        self.module.as_ref()
    }

    /// A structure that has `value` where the segments lead.
    pub fn undig(&self, value: Value) -> Value {
        self.segments.iter().rev().fold(value, |inner, segment| match segment {
            Value::Integer(n) => {
                let mut list = Array::new();
                for _ in 0..(*n).clamp(0, 10_000) {
                    list.push(Value::Undef);
                }
                list.push(inner);
                list.into()
            }
            name => [(name.clone(), inner)].into_iter().collect::<Hash>().into(),
        })
    }
}

/// The reserved key.
pub const LOOKUP_OPTIONS: &str = "lookup_options";

/// Splits at dots outside quotes; digits become numbers. Nothing if the key is malformed.
pub fn split(key: &str) -> Option<Vec<Value>> {
    if !key.contains(['\'', '"', '.']) {
        return Some(vec![key.into()]);
    }
    let mut segments = Vec::new();
    let mut rest = key;
    loop {
        let blanks = rest.len() - rest.trim_start().len();
        let quote = rest[blanks..].chars().next().filter(|c| matches!(c, '\'' | '"'));
        if let Some(quote) = quote {
            let inner = &rest[blanks + 1..];
            let end = inner.find(quote).filter(|end| *end > 0)?;
            segments.push(Value::from(&inner[..end]));
            rest = inner[end + 1..].trim_start();
        } else {
            let end = rest.find(['\'', '"', '.']).unwrap_or(rest.len());
            if end == 0 {
                return None;
            }
            let text = rest[..end].trim();
            segments.push(number(text).map_or_else(|| text.into(), Value::Integer));
            rest = &rest[end..];
        }
        match rest.strip_prefix('.') {
            Some(more) => rest = more,
            None if rest.is_empty() => return Some(segments),
            None => return None,
        }
    }
}

fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits() {
        let list = |values: &[&str]| Some(values.iter().map(|v| Value::from(*v)).collect::<Vec<_>>());
        assert_eq!(split("a::b"), list(&["a::b"]));
        assert_eq!(split("a.b c.d"), list(&["a", "b c", "d"]));
        assert_eq!(split("'a.b' . \"c\""), list(&["a.b", "c"]));
        assert_eq!(split("a.0"), Some(vec!["a".into(), 0.into()]));
        for bad in ["a..b", ".a", "a.", "'a", "a'b'", "''"] {
            assert_eq!(split(bad), None, "{bad}");
        }
    }
}
