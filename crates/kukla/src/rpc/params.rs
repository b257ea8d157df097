//! Parameters of requests, by name and kind.

use serde_json::{Map, Value};

use super::failed::Failed;

/// The parameters of a request, or a group of options in them.
#[derive(Clone, Copy)]
pub(super) struct Params<'p>(pub &'p Map<String, Value>);

impl<'p> Params<'p> {
    /// The value of a parameter, unless it is null.
    pub(super) fn get(self, name: &str) -> Option<&'p Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A string.
    pub(super) fn text(self, name: &str) -> Result<Option<&'p str>, Failed> {
        self.of_kind(name, Value::as_str, "a string")
    }

    /// True or false.
    pub(super) fn flag(self, name: &str) -> Result<Option<bool>, Failed> {
        self.of_kind(name, Value::as_bool, "true or false")
    }

    /// A list of strings; one string is a list, too.
    pub(super) fn texts(self, name: &str) -> Result<Option<Vec<&'p str>>, Failed> {
        let texts = |value: &'p Value| match value {
            Value::String(text) => Some(vec![text.as_str()]),
            Value::Array(values) => values.iter().map(Value::as_str).collect(),
            _ => None,
        };
        self.of_kind(name, texts, "a list of strings")
    }

    /// A number between two others.
    pub(super) fn number(self, name: &str, least: u32, most: u32) -> Result<Option<u32>, Failed> {
        let number = |value: &Value| {
            let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
            number.filter(|number| (least..=most).contains(number))
        };
        self.of_kind(name, number, &format!("a number from {least} to {most}"))
    }

    /// The options in a group; none if it is absent. Every option must be one of `known`.
    pub(super) fn options(self, none: &'p Map<String, Value>, known: &[&str]) -> Result<Params<'p>, Failed> {
        let options = Params(self.of_kind("options", Value::as_object, "an object")?.unwrap_or(none));
        match options.0.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => {
                Err(Failed::request(format!("unknown option '{name}'; expected one of {}", known.join(", "))))
            }
            None => Ok(options),
        }
    }

    /// A value of one kind.
    pub(super) fn of_kind<T>(
        self,
        name: &str,
        read: impl FnOnce(&'p Value) -> Option<T>,
        kind: &str,
    ) -> Result<Option<T>, Failed> {
        let Some(value) = self.get(name) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| Failed::request(format!("{name} is {kind}")))
    }
}
