//! Values without their sensitive parts, for people to read.

use kukla_syntax::deep;
use kukla_values::Value;
use serde_json::Value as Json;

const REDACTED: &str = "Sensitive [value redacted]";

/// A value of a catalog without its sensitive parts, which catalogs have as a hash.
pub fn redacted(value: &Value) -> Value {
    match value {
        Value::Sensitive(_) => REDACTED.into(),
        Value::Array(values) => deep(|| values.iter().map(redacted).collect::<Vec<_>>().into()),
        Value::Hash(entries) if entries.get("__ptype").and_then(Value::as_str) == Some("Sensitive") => {
            REDACTED.into()
        }
        Value::Hash(entries) => {
            let entries = || entries.iter().map(|(key, value)| (redacted(key), redacted(value)));
            Value::Hash(deep(|| entries().collect()))
        }
        other => other.clone(),
    }
}

/// Removes the sensitive parts of rich data.
pub fn redact_json(json: &mut Json) {
    match json {
        Json::Object(entries) if entries.get("__ptype").and_then(Json::as_str) == Some("Sensitive") => {
            *json = REDACTED.into();
        }
        Json::Object(entries) => deep(|| entries.values_mut().for_each(redact_json)),
        Json::Array(values) => deep(|| values.iter_mut().for_each(redact_json)),
        _ => {}
    }
}
