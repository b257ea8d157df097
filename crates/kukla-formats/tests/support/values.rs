//! Values as JSON and back.
#![allow(dead_code, reason = "every test uses some of it")]

use kukla_values::{Array, Hash, Value};
use serde_json::{Value as Json, json};

/// A value from JSON.
pub fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Undef,
        Json::Bool(b) => (*b).into(),
        Json::Number(n) => n.as_i64().map_or_else(|| n.as_f64().unwrap_or(0.0).into(), Value::Integer),
        Json::String(text) => text.as_str().into(),
        Json::Array(list) => list.iter().map(from_json).collect::<Array>().into(),
        Json::Object(map) => map.iter().map(|(k, v)| (k.as_str(), from_json(v))).collect::<Hash>().into(),
    }
}

/// A value as JSON.
pub fn to_json(value: &Value) -> Json {
    match value {
        Value::Undef => Json::Null,
        Value::Boolean(b) => (*b).into(),
        Value::Integer(n) => (*n).into(),
        Value::Float(n) => (*n).into(),
        Value::String(text) => text.as_str().into(),
        Value::Array(array) => array.iter().map(to_json).collect(),
        Value::Hash(hash) => hash
            .iter()
            .map(|(k, v)| (k.as_str().unwrap_or_default().to_owned(), to_json(v)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Sensitive(inner) => json!({"__ptype": "Sensitive", "__pvalue": to_json(inner)}),
        other => json!(format!("{other:?}")),
    }
}
