//! Interpolation: `%{variable}`, `%{lookup('key')}`, `%{hiera('key')}`, `%{alias('key')}`, `%{literal('text')}`,
//! `%{scope('variable')}`, `%{}`.

use kukla_values::{Array, Hash, Str, Value};

use crate::error::{Error, Result};
use crate::explain::{Source, What};
use crate::invocation::{Invocation, Reading};
use crate::key;
use crate::ruby;

impl Invocation<'_> {
    /// Replaces the interpolations everywhere in a value, keys included.
    pub fn interpolate(&mut self, value: &Value, methods: bool) -> Result<Value> {
        Ok(match value {
            Value::String(text) if text.contains("%{") => self.interpolate_text(text, methods)?,
            Value::Array(array) => {
                let mut out = Array::with_capacity(array.len());
                for element in array {
                    out.push(self.interpolate(element, methods)?);
                }
                out.into()
            }
            Value::Hash(hash) => {
                let mut out = Hash::new();
                let entries = out.make_mut();
                entries.reserve(hash.len());
                for (key, value) in hash {
                    let key = self.interpolate(key, methods)?;
                    let value = self.interpolate(value, methods)?;
                    entries.insert(key, value);
                }
                out.into()
            }
            other => other.clone(),
        })
    }

    /// The same for a text that has to stay one.
    pub fn interpolate_path(&mut self, text: &str) -> Result<Str> {
        if !text.contains("%{") {
            return Ok(text.into());
        }
        Ok(match self.interpolate_text(text, false)? {
            Value::String(text) => text,
            other => ruby::to_s(&other).into(),
        })
    }

    fn interpolate_text(&mut self, subject: &str, methods: bool) -> Result<Value> {
        self.step(
            || What::Interpolate(subject.into()),
            |this| {
                let mut out = String::with_capacity(subject.len());
                let mut rest = subject;
                while let Some(start) = rest.find("%{") {
                    let Some(end) = rest[start..].find('}').map(|end| start + end) else { break };
                    out.push_str(&rest[..start]);
                    let whole = start == 0 && end + 1 == rest.len() && out.is_empty();
                    let expression =
                        rest[start + 2..end].trim_matches(|c: char| c.is_ascii_whitespace() || c == '\0');
                    if !is_empty(expression) {
                        match this.expression(expression, subject, whole, methods)? {
                            (value, true) => return Ok(value),
                            (value, false) => out.push_str(&ruby::to_s(&value)),
                        }
                    }
                    rest = &rest[end + 1..];
                }
                out.push_str(rest);
                Ok(out.into())
            },
        )
    }

    /// The value of one expression, and whether it stands for the whole text whatever it is.
    fn expression(
        &mut self,
        expression: &str,
        subject: &str,
        whole: bool,
        methods: bool,
    ) -> Result<(Value, bool)> {
        let (value, name) = match method(expression) {
            None => (self.scope_value(expression, subject)?, format!("scope:{expression}")),
            Some(_) if !methods => {
                let message = "Interpolation using method syntax is not allowed in this context";
                return Err(Error::issue("HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED", message));
            }
            Some(("alias", _)) if !whole => {
                let message =
                    "'alias' interpolation is only permitted if the expression is equal to the entire string";
                return Err(Error::issue("HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING", message));
            }
            Some(("alias", key)) => return Ok((self.nested_lookup(key)?, true)),
            Some(("lookup" | "hiera", key)) => (self.nested_lookup(key)?, key.to_owned()),
            Some(("scope", key)) => (self.scope_value(key, subject)?, format!("scope:{key}")),
            Some(("literal", text)) => (text.into(), text.to_owned()),
            Some((method, _)) => {
                let message = format!("Unknown interpolation method '{method}'");
                return Err(Error::issue("HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD", message));
            }
        };
        let value = self.check(name.into(), |this| this.interpolate(&value, methods))?;
        Ok((value, false))
    }

    /// Looks up another key; what is not found is the empty text.
    fn nested_lookup(&mut self, key: &str) -> Result<Value> {
        let parsed = key::Key::new(key)?;
        let top_key = std::mem::replace(&mut self.frame.top_key, parsed.text().clone());
        let module = std::mem::replace(&mut self.frame.module, parsed.module().map(Str::from));
        let origins = std::mem::take(&mut self.frame.origins);
        let value = self.find(&[key], None, None, Some(&"".into()));
        self.frame.top_key = top_key;
        self.frame.module = module;
        self.frame.origins = origins;
        Ok(value?.unwrap_or_default())
    }

    /// The value of a variable, or of something inside it; `undef` if there is none and that is allowed.
    pub fn scope_value(&mut self, key: &str, subject: &str) -> Result<Value> {
        let segments =
            key::split(key).ok_or_else(|| Error::data(format!("Syntax error in string: {subject}")))?;
        let Some((root, segments)) = segments.split_first() else { return Ok(Value::Undef) };
        let root = Str::from(ruby::to_s(root));
        let mut value = self.step(|| What::Scope("Global Scope".into()), |this| this.root_value(&root))?;
        if !value.is_undef() {
            value = self.dig(key, segments, value)?.unwrap_or_default();
        }
        // A top-scope variable that has a value keeps it; all others may change.
        if let Some(resolving) = &mut self.resolving
            && (!key.starts_with("::") || value.is_undef())
            && !resolving.readings.iter().any(|(known, _)| known == key)
        {
            let reading = Reading { root, segments: segments.to_vec(), value: value.clone() };
            resolving.readings.push((key.into(), reading));
        }
        Ok(value)
    }

    fn root_value(&mut self, root: &Str) -> Result<Value> {
        if let Some(value) = self.frame.overrides.get(root.as_str()).cloned() {
            self.tell(|explainer| explainer.found(root.clone(), &value, Source::Overrides, None));
            return Ok(value);
        }
        let default = self.frame.defaults.get(root.as_str()).cloned();
        match (self.variable(root, default.is_some())?, default) {
            (Some(value), _) => {
                self.found(root, &value);
                Ok(value)
            }
            (None, Some(value)) => {
                self.tell(|explainer| explainer.found(root.clone(), &value, Source::Defaults, None));
                Ok(value)
            }
            (None, None) => Ok(Value::Undef),
        }
    }
}

fn is_empty(expression: &str) -> bool {
    matches!(expression, "" | "::" | "\"\"" | "''" | "\"::\"" | "'::'")
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
}
