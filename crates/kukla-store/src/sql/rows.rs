//! Resources and plain data as columns, and back.

use kukla_catalog::resource::ResourceKind;
use kukla_catalog::{Resource, json, read};
use kukla_values::{Str, Value};
use serde_json::Value as Json;

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

/// JSON as plain data; what is no JSON is nothing.
pub fn data(text: Option<&str>) -> Value {
    text.and_then(|text| serde_json::from_str::<Json>(text).ok())
        .map(|json| read::data(&json))
        .unwrap_or_default()
}

/// The texts of a list.
pub fn texts(text: Option<&str>) -> Vec<Str> {
    let read = text.and_then(|text| serde_json::from_str::<Vec<std::borrow::Cow<'_, str>>>(text).ok());
    read.unwrap_or_default().into_iter().map(|text| Str::from(&*text)).collect()
}

/// A resource as a row of `resources`, after its node and position: the columns of `RESOURCE`, and which of its parameters are secret.
pub fn of(resource: &Resource) -> Vec<Param<'_>> {
    let mut parameters = String::from("{");
    for (at, (name, value)) in resource.parameters.iter().enumerate() {
        if at > 0 {
            parameters.push(',');
        }
        json::string(&mut parameters, name);
        parameters.push(':');
        json::value(&mut parameters, value);
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
    let parameters: Option<serde_json::Map<String, Json>> =
        text(8).and_then(|text| serde_json::from_str(text).ok());
    let parameter = |(name, value): (String, Json)| (Str::from(name), read::data(&value));
    Resource {
        type_name: text(0).unwrap_or_default().into(),
        title: text(1).unwrap_or_default().into(),
        tags: texts(text(2)),
        file: text(3).map(Str::from),
        line: row.int(first + 4).and_then(|line| line.try_into().ok()),
        exported: row.flag(first + 5),
        is_virtual: row.flag(first + 6),
        kind: ResourceKind::from_name(text(7).unwrap_or_default()),
        parameters: parameters.into_iter().flatten().map(parameter).collect(),
        sensitive_parameters: texts(text(9)),
    }
}
