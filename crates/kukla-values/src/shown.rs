//! Values as they may leave the process.
//!
//! A [`Value`] can hold secrets anywhere: a `Sensitive` in an array, as the key of a hash, among the arguments of a `Deferred`, and in
//! catalogs as rich data (`{"__ptype": "Sensitive", ...}`). Reports, queries, renderers and logs take a [`Shown`], which only the walk in this
//! module can make, so none of them has to know about secrets. The catalog that an agent receives is the only document with secrets.

use std::fmt::{self, Display};
use std::sync::Arc;

use kukla_syntax::deep;
use serde_json::Value as Json;

use crate::richdata::{self, TYPE_KEY, VALUE_KEY};
use crate::types::object::Object;
use crate::{Hash, Str, Value, format};

/// The text in place of a secret, which is Puppet's.
pub const REDACTED: &str = "Sensitive [value redacted]";

/// A value without secrets: each `Sensitive` in it, at any depth, is an empty one, which prints as [`REDACTED`].
///
/// ```
/// use kukla_values::{Shown, Value};
///
/// let secret = Value::Sensitive(Value::from("hunter2").into());
/// let value = Value::from(vec![1.into(), secret]);
/// assert_eq!(Shown::of(&value).to_string(), "[1, #<Sensitive [value redacted]>]");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown(Value);

impl Shown {
    /// A value without the secrets in it.
    pub fn of(value: &Value) -> Shown {
        Shown(if holds_secret(value) { redacted(value) } else { value.clone() })
    }

    /// The replacement of a value that is secret as a whole.
    pub fn secret() -> Shown {
        Shown(empty())
    }

    /// A value that is secret as a whole, or else may hold secrets.
    pub fn of_parameter(value: &Value, is_secret: bool) -> Shown {
        if is_secret { Shown::secret() } else { Shown::of(value) }
    }

    /// The value, for its kind and its elements.
    pub fn as_value(&self) -> &Value {
        &self.0
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        self.0.as_str()
    }

    /// The value as rich data; as text if rich data cannot express it.
    pub fn to_json(&self) -> Json {
        let mut json = richdata::to_json(&self.0).unwrap_or_else(|_| self.to_text().as_str().into());
        redact_json(&mut json);
        json
    }

    /// The value as interpolation into a string shows it.
    pub fn to_text(&self) -> Str {
        format::interpolate(&self.0)
    }
}

/// Puppet's notation, on one line.
impl Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match format::format_value(&self.0, &"%p".into()) {
            // The notation of undef is empty.
            Ok(_) if self.0.is_undef() => f.write_str("undef"),
            Ok(text) => f.write_str(&text),
            Err(_) => f.write_str(&self.to_text()),
        }
    }
}

impl From<&Value> for Shown {
    fn from(value: &Value) -> Shown {
        Shown::of(value)
    }
}

/// Whether a value is a secret as a whole: a `Sensitive`, as a value or as rich data.
pub fn is_secret(value: &Value) -> bool {
    match value {
        Value::Sensitive(_) => true,
        Value::Hash(entries) => is_rich_secret(entries),
        _ => false,
    }
}

fn is_rich_secret(entries: &Hash) -> bool {
    entries.get(TYPE_KEY).and_then(Value::as_str) == Some("Sensitive")
}

/// Whether there is a secret anywhere in a value.
pub fn holds_secret(value: &Value) -> bool {
    match value {
        Value::Array(values) => deep(|| values.iter().any(holds_secret)),
        Value::Hash(entries) => {
            is_rich_secret(entries)
                || deep(|| entries.iter().any(|(key, value)| holds_secret(key) || holds_secret(value)))
        }
        Value::Object(object) => deep(|| object.values.iter().any(holds_secret)),
        other => is_secret(other),
    }
}

/// A `Sensitive` without its value.
fn empty() -> Value {
    Value::Sensitive(Arc::new(Value::Undef))
}

fn redacted(value: &Value) -> Value {
    match value {
        value if is_secret(value) => empty(),
        Value::Array(values) => deep(|| values.iter().map(redacted).collect::<Vec<_>>().into()),
        Value::Hash(entries) => {
            let entries = || entries.iter().map(|(key, value)| (redacted(key), redacted(value)));
            Value::Hash(deep(|| entries().collect()))
        }
        Value::Object(object) => {
            let values = deep(|| object.values.iter().map(redacted).collect());
            Value::Object(Arc::new(Object { ty: Arc::clone(&object.ty), values }))
        }
        other => other.clone(),
    }
}

/// Replaces the secrets in rich data.
pub fn redact_json(json: &mut Json) {
    match json {
        Json::Object(entries) if entries.get(TYPE_KEY).and_then(Json::as_str) == Some("Sensitive") => {
            *json = REDACTED.into();
        }
        Json::Object(entries) => deep(|| entries.values_mut().for_each(redact_json)),
        Json::Array(values) => deep(|| values.iter_mut().for_each(redact_json)),
        _ => {}
    }
}

/// The texts of secrets, to be removed from messages of code that saw the values themselves.
#[derive(Clone, Debug, Default)]
pub struct SecretTexts(Vec<String>);

impl SecretTexts {
    /// Adds the texts in the secrets of a value.
    pub fn add(&mut self, value: &Value) {
        match value {
            Value::Sensitive(inner) => self.add_all(inner),
            Value::Hash(entries) if is_rich_secret(entries) => {
                entries.get(VALUE_KEY).into_iter().for_each(|inner| self.add_all(inner));
            }
            Value::Array(values) => deep(|| values.iter().for_each(|value| self.add(value))),
            Value::Hash(entries) => deep(|| {
                entries.iter().for_each(|(key, value)| {
                    self.add(key);
                    self.add(value);
                });
            }),
            Value::Object(object) => deep(|| object.values.iter().for_each(|value| self.add(value))),
            _ => {}
        }
    }

    /// Adds all texts in a value that is secret as a whole.
    pub fn add_all(&mut self, value: &Value) {
        match value {
            Value::Undef | Value::Default | Value::Boolean(_) => {}
            Value::Sensitive(inner) => deep(|| self.add_all(inner)),
            Value::Array(values) => deep(|| values.iter().for_each(|value| self.add_all(value))),
            Value::Hash(entries) => deep(|| {
                let is_rich = entries.get(TYPE_KEY).is_some();
                for (key, value) in
                    entries.iter().filter(|(key, _)| !is_rich || key.as_str() != Some(TYPE_KEY))
                {
                    if !is_rich {
                        self.add_all(key);
                    }
                    self.add_all(value);
                }
            }),
            Value::Object(object) => deep(|| object.values.iter().for_each(|value| self.add_all(value))),
            other => self.add_text(&format::to_s(other)),
        }
    }

    /// A text can also be printed with escapes, or line by line.
    fn add_text(&mut self, text: &str) {
        let inspected = format::inspect(&Value::from(text));
        let escaped = inspected.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let lines = text.lines().filter(|line| line.len() >= SHORTEST_LINE);
        let forms = [text].into_iter().chain(escaped).chain(lines);
        for form in forms.filter(|form| !form.trim().is_empty()) {
            if !self.0.iter().any(|known| known == form) {
                self.0.push(form.to_owned());
            }
        }
        // The longest first, because one can be a part of another.
        self.0.sort_by_key(|text| std::cmp::Reverse(text.len()));
    }

    /// Whether a text contains one of them.
    pub fn are_in(&self, text: &str) -> bool {
        self.0.iter().any(|secret| text.contains(secret))
    }

    /// A message without the texts.
    pub fn redact(&self, message: &str) -> String {
        self.0.iter().fold(message.to_owned(), |message, secret| message.replace(secret, "[redacted]"))
    }
}

/// The length of a line that is removed without the other lines of its text.
const SHORTEST_LINE: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(value: impl Into<Value>) -> Value {
        Value::Sensitive(Arc::new(value.into()))
    }

    fn hash(pairs: Vec<(Value, Value)>) -> Value {
        Value::Hash(pairs.into_iter().collect())
    }

    /// A secret at each place that a value can have one.
    fn values() -> Vec<Value> {
        let rich = hash(vec![(TYPE_KEY.into(), "Sensitive".into()), (VALUE_KEY.into(), "hunter2".into())]);
        let whole =
            [secret("hunter2"), secret(secret("hunter2")), secret(vec![Value::from("hunter2")]), rich];
        let mut all = Vec::new();
        for one in whole {
            all.push(Value::from(vec![one.clone(), 1.into()]));
            all.push(hash(vec![("a".into(), vec![one.clone()].into())]));
            all.push(hash(vec![(one.clone(), 1.into())]));
            let pairs = Value::from(vec![one.clone(), 1.into()]);
            all.push(hash(vec![(TYPE_KEY.into(), "Hash".into()), (VALUE_KEY.into(), pairs)]));
            let arguments = Value::from(vec![hash(vec![("a".into(), one.clone())])]);
            all.push(hash(vec![(TYPE_KEY.into(), "Deferred".into()), ("arguments".into(), arguments)]));
            all.push(one);
        }
        all
    }

    #[test]
    fn nothing_shows_a_secret() {
        for value in values() {
            let shown = Shown::of(&value);
            let text = format!("{shown} {shown:?} {} {}", shown.to_json(), shown.to_text());
            assert!(!text.contains("hunter2") && text.contains("redacted"), "{text}");
        }
    }

    #[test]
    fn a_value_without_secrets_is_shown_as_it_is() {
        let value =
            hash(vec![("a".into(), vec![Value::from(1), "b".into()].into()), (2.into(), Value::Undef)]);
        assert_eq!(Shown::of(&value).as_value(), &value);
        assert_eq!(Shown::of(&Value::Undef).to_string(), "undef");
    }

    #[test]
    fn messages_lose_the_texts_of_secrets() {
        for value in values() {
            let mut texts = SecretTexts::default();
            texts.add(&value);
            assert_eq!(
                texts.redact("Invalid value \"hunter2\""),
                "Invalid value \"[redacted]\"",
                "{value:?}"
            );
        }
        let mut texts = SecretTexts::default();
        texts.add(&secret("first line\nsay \"x\""));
        assert_eq!(texts.redact("a: first line"), "a: [redacted]");
        assert_eq!(texts.redact(r#"a: "first line\nsay \"x\"""#), r#"a: "[redacted]""#);
        assert_eq!(SecretTexts::default().redact("as it is"), "as it is");
    }
}
