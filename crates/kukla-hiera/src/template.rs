//! Values with interpolations in them, taken apart once.

use kukla_values::{Str, Value};

use crate::error::Result;
use crate::key::{Key, split};

/// A value, taken apart at its interpolations.
#[derive(Clone, Debug)]
pub(crate) enum Template {
    /// Nothing to interpolate.
    Plain(Value),
    Text(Text),
    Array(Vec<Template>),
    Hash(Vec<(Template, Template)>),
}

/// A text with interpolations.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// All of it, as written.
    pub subject: Str,
    pub parts: Vec<Part>,
}

/// A part of a text.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Plain(Str),
    /// An empty `%{…}`, which is replaced by nothing.
    Empty,
    /// `%{variable.sub.key}`, `%{scope('variable')}`.
    Variable {
        path: Path,
        is_method: bool,
    },
    /// `%{lookup('key')}`, `%{hiera('key')}`.
    Lookup(Result<Key>),
    /// `%{alias('key')}`.
    Alias(Result<Key>),
    /// `%{literal('text')}`.
    Literal(Str),
    /// A method there is not.
    Unknown(Str),
}

/// The way to a variable or something inside it.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// As written.
    pub text: Str,
    /// Its name while it is being evaluated.
    pub name: Str,
    /// The variable and the way on; nothing if it is malformed.
    pub steps: Option<(Str, Vec<Value>)>,
}

impl Path {
    pub fn new(text: &str) -> Path {
        let steps = split(text).map(|steps| {
            let mut steps = steps.into_iter();
            let root = steps.next().map_or_else(Str::default, |root| kukla_values::format::to_s(&root));
            (root, steps.collect())
        });
        Path { text: text.into(), name: format!("scope:{text}").into(), steps }
    }
}

impl Template {
    /// Takes a value apart.
    pub fn new(value: &Value) -> Template {
        if !interpolates(value) {
            return Template::Plain(value.clone());
        }
        match value {
            Value::String(text) => Template::Text(Text::new(text)),
            Value::Array(array) => Template::Array(array.iter().map(Template::new).collect()),
            Value::Hash(hash) => {
                Template::Hash(hash.iter().map(|(k, v)| (Template::new(k), Template::new(v))).collect())
            }
            other => Template::Plain(other.clone()),
        }
    }
}

impl Text {
    /// Takes a text apart.
    pub fn new(subject: &str) -> Text {
        let mut parts = Vec::new();
        let mut rest = subject;
        while let Some(start) = rest.find("%{") {
            let Some(end) = rest[start..].find('}').map(|end| start + end) else { break };
            if start > 0 {
                parts.push(Part::Plain(rest[..start].into()));
            }
            parts.push(Part::new(
                rest[start + 2..end].trim_matches(|c: char| c.is_ascii_whitespace() || c == '\0'),
            ));
            rest = &rest[end + 1..];
        }
        if !rest.is_empty() {
            parts.push(Part::Plain(rest.into()));
        }
        Text { subject: subject.into(), parts }
    }
}

impl Part {
    fn new(expression: &str) -> Part {
        if matches!(expression, "" | "::" | "\"\"" | "''" | "\"::\"" | "'::'") {
            return Part::Empty;
        }
        match method(expression) {
            None => Part::Variable { path: Path::new(expression), is_method: false },
            Some(("scope", key)) => Part::Variable { path: Path::new(key), is_method: true },
            Some(("lookup" | "hiera", key)) => Part::Lookup(Key::new(key)),
            Some(("alias", key)) => Part::Alias(Key::new(key)),
            Some(("literal", text)) => Part::Literal(text.into()),
            Some((method, _)) => Part::Unknown(method.into()),
        }
    }

    /// Whether it is written as a call.
    pub fn is_method(&self) -> bool {
        !matches!(self, Part::Plain(_) | Part::Empty | Part::Variable { is_method: false, .. })
    }
}

/// `name('key')` or `name("key")`.
fn method(expression: &str) -> Option<(&str, &str)> {
    let (name, rest) = expression.split_once('(')?;
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return None;
    }
    let inner = rest.strip_suffix(')')?;
    ['"', '\''].into_iter().find_map(|quote| {
        let key = inner.strip_prefix(quote)?.strip_suffix(quote)?;
        (!key.is_empty() && !key.contains(quote)).then_some((name, key))
    })
}

/// Whether an interpolation is somewhere inside.
pub(crate) fn interpolates(value: &Value) -> bool {
    match value {
        Value::String(text) => has_expression(text),
        Value::Array(array) => array.iter().any(interpolates),
        Value::Hash(hash) => hash.iter().any(|(key, value)| interpolates(key) || interpolates(value)),
        _ => false,
    }
}

/// Whether a text has an interpolation; most are short and have none.
pub(crate) fn has_expression(text: &str) -> bool {
    text.bytes().any(|byte| byte == b'%') && text.contains("%{")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods() {
        assert_eq!(method("lookup('a.b')"), Some(("lookup", "a.b")));
        assert_eq!(method("alias(\"a\")"), Some(("alias", "a")));
        assert_eq!(method("lookup('a' )"), None);
        assert_eq!(method("lookup(a)"), None);
        assert_eq!(method("facts.x"), None);
    }

    #[test]
    fn texts() {
        let parts = Text::new("a %{ b.0 } %{} %{literal('%')}%{open").parts;
        let kinds: Vec<String> = parts
            .iter()
            .map(|part| match part {
                Part::Plain(text) => format!("'{text}'"),
                Part::Variable { path, .. } => format!("${}", path.text),
                Part::Literal(text) => format!("={text}"),
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(kinds, ["'a '", "$b.0", "' '", "Empty", "' '", "=%", "'%{open'"]);
    }
}
