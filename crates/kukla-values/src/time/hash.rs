//! Times given as values: a text with its formats, or a hash, for conversions and for the brackets of types alike.

use super::{Timespan, Timestamp};
use crate::{Array, Hash, Result, Value};

impl Timespan {
    /// `{days => 1, negative => true}`, or `{string => '12', format => '%H'}`.
    pub(crate) fn from_hash(hash: &Hash) -> Result<Timespan> {
        const FIELDS: [&str; 7] =
            ["days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"];
        if let Some(text) = hash.get("string").and_then(Value::as_str) {
            return Timespan::from_text(text, hash.get("format"));
        }
        let negative = hash.get("negative").is_some_and(Value::is_true);
        let fields = FIELDS.map(|name| whole(hash.get(name)));
        Ok(Timespan::from_fields(negative, fields))
    }

    /// Days, hours, minutes and so on, as far as they are given.
    pub(crate) fn from_list(fields: &[Value]) -> Timespan {
        Timespan::from_fields(false, std::array::from_fn(|at| whole(fields.get(at))))
    }

    /// A text in a format, in one of several, or in any of the usual ones.
    pub(crate) fn from_text(text: &str, formats: Option<&Value>) -> Result<Timespan> {
        match formats {
            Some(Value::String(format)) => Timespan::parse_with(text, format),
            Some(Value::Array(formats)) => Timespan::parse_any(text, &listed(formats)),
            _ => Timespan::parse(text),
        }
    }
}

impl Timestamp {
    /// `{string => '2026-01-02', format => '%F', timezone => 'CET'}`.
    pub(crate) fn from_hash(hash: &Hash) -> Result<Timestamp> {
        let text = |name: &str| hash.get(name).and_then(Value::as_str);
        Timestamp::from_text(text("string").unwrap_or_default(), hash.get("format"), text("timezone"))
    }

    /// A text in a format, in one of several, or in any of the usual ones.
    pub(crate) fn from_text(text: &str, formats: Option<&Value>, zone: Option<&str>) -> Result<Timestamp> {
        match formats {
            Some(Value::String(format)) => Timestamp::parse_with(text, format, zone),
            Some(Value::Array(formats)) => Timestamp::parse_any(text, &listed(formats), zone),
            _ => Timestamp::parse(text, zone),
        }
    }
}

fn listed(formats: &Array) -> Vec<&str> {
    formats.iter().filter_map(Value::as_str).collect()
}

fn whole(field: Option<&Value>) -> i64 {
    match field {
        Some(Value::Integer(number)) => *number,
        _ => 0,
    }
}
