//! Resources and plain data as columns, and back.

use std::borrow::Cow;
use std::fmt;

use kukla_catalog::resource::ResourceKind;
use kukla_catalog::{Resource, json};
use kukla_values::shown::holds_secret;
use kukla_values::{Shown, Str, Value};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{Param, Row};

/// The columns of a resource but for its place.
pub const RESOURCE: [&str; 9] =
    ["type", "title", "tags", "file", "line", "exported", "virtual", "kind", "parameters"];

/// Plain data as JSON.
pub fn document(value: &Value) -> String {
    let mut out = String::new();
    json::value(&mut out, value);
    out
}

/// A list of texts as JSON.
pub fn list(texts: &[Str]) -> String {
    let mut out = String::new();
    json::strings(&mut out, texts);
    out
}

/// Plain data, read from JSON without a tree in between: a collector may find tens of thousands of resources.
struct Data(Value);

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Data, D::Error> {
        deserializer.deserialize_any(Reader).map(Data)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("plain data")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Undef)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(i64::try_from(number).map_or_else(|_| (number as f64).into(), Value::from))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Data(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Value, A::Error> {
        let entries = pairs(entries)?;
        Ok(Value::Hash(entries.into_iter().collect()))
    }
}

fn pairs<'de, A: MapAccess<'de>>(mut entries: A) -> Result<Vec<(Str, Value)>, A::Error> {
    let mut all = Vec::new();
    while let Some((name, Data(value))) = entries.next_entry::<Cow<'_, str>, Data>()? {
        all.push((Str::from(&*name), value));
    }
    Ok(all)
}

/// The parameters of a resource, in their order.
#[derive(Default)]
struct Parameters(Vec<(Str, Value)>);

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Parameters, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Parameters;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("parameters")
            }

            fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Parameters, A::Error> {
                pairs(entries).map(Parameters)
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

/// JSON as plain data; nothing if it is malformed.
pub fn data(text: Option<&str>) -> Value {
    text.and_then(|text| serde_json::from_str::<Data>(text).ok()).map(|Data(value)| value).unwrap_or_default()
}

/// The texts of a list.
pub fn texts(text: Option<&str>) -> Vec<Str> {
    let read = text.and_then(|text| serde_json::from_str::<Vec<Cow<'_, str>>>(text).ok());
    read.unwrap_or_default().into_iter().map(|text| Str::from(&*text)).collect()
}

/// Whether a row has the secrets of its resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// It has them, for the nodes that collect the resource.
    Stored,
    /// They are redacted.
    Redacted,
}

/// A resource as a row of `resources`, after its node and position: the columns of `RESOURCE`, and which of its parameters are secret.
pub fn of(resource: &Resource, secrets: Secrets) -> Vec<Param<'_>> {
    let mut parameters = String::from("{");
    for (at, (name, value)) in resource.parameters.iter().enumerate() {
        if at > 0 {
            parameters.push(',');
        }
        json::string(&mut parameters, name);
        parameters.push(':');
        let is_sensitive = resource.is_sensitive(name);
        match secrets == Secrets::Redacted && (is_sensitive || holds_secret(value)) {
            true => parameters.push_str(&Shown::of_parameter(value, is_sensitive).to_json().to_string()),
            false => json::value(&mut parameters, value),
        }
    }
    parameters.push('}');
    let secrets = (!resource.sensitive_parameters.is_empty()).then(|| list(&resource.sensitive_parameters));
    vec![
        resource.type_name.as_str().into(),
        resource.title.as_str().into(),
        list(&resource.tags).into(),
        resource.file.as_deref().into(),
        resource.line.map(i64::from).into(),
        resource.exported.into(),
        resource.is_virtual.into(),
        resource.kind.name().into(),
        parameters.into(),
        secrets.into(),
    ]
}

/// The resource of a row whose columns from `first` on are those that [`of`] gives.
pub fn resource(row: &dyn Row, first: usize) -> Resource {
    let text = |at: usize| row.text(first + at);
    let parameters =
        text(8).and_then(|text| serde_json::from_str::<Parameters>(text).ok()).unwrap_or_default();
    Resource {
        type_name: text(0).unwrap_or_default().into(),
        title: text(1).unwrap_or_default().into(),
        tags: texts(text(2)),
        file: text(3).map(Str::from),
        line: row.int(first + 4).and_then(|line| line.try_into().ok()),
        exported: row.flag(first + 5),
        is_virtual: row.flag(first + 6),
        kind: ResourceKind::from_name(text(7).unwrap_or_default()),
        parameters: parameters.0,
        sensitive_parameters: texts(text(9)),
    }
}
