//! Values for people to read: without what is sensitive, wherever it is inside.

use kukla_syntax::deep;
use kukla_values::Value;
use serde_json::Value as Json;

const REDACTED: &str = "Sensitive [value redacted]";

/// A value as it stands in a catalog, without what is sensitive; there that is a hash that says so.
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

/// Rich data without what is sensitive.
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
