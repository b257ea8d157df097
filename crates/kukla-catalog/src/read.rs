//! Catalog documents, read back.

use kukla_values::{Str, Value};
use serde_json::Value as Json;

use crate::resource::ResourceKind;
use crate::{Catalog, Edge, Resource, ResourceRef};

/// Why a text is not a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidCatalog(String);

impl std::fmt::Display for InvalidCatalog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidCatalog {}

impl Catalog {
    /// Reads a catalog document: bare, inside a wire document (`data`) or inside an answer of the machine interface.
    pub fn from_json(text: &[u8]) -> Result<Catalog, InvalidCatalog> {
        let json: Json =
            serde_json::from_slice(text).map_err(|error| InvalidCatalog(format!("not JSON: {error}")))?;
        let mut document = &json;
        for wrapper in ["result", "catalog", "data"] {
            if document.get("resources").is_none()
                && let Some(inner @ Json::Object(_)) = document.get(wrapper)
            {
                document = inner;
            }
        }
        catalog(document)
    }
}

fn catalog(document: &Json) -> Result<Catalog, InvalidCatalog> {
    let Some(resources) = document.get("resources").and_then(Json::as_array) else {
        return Err(InvalidCatalog("the document has no resources".into()));
    };
    let mut catalog = Catalog {
        name: text(document, "name").unwrap_or_default(),
        version: document.get("version").map(data).unwrap_or_default(),
        code_id: text(document, "code_id"),
        uuid: text(document, "catalog_uuid"),
        environment: text(document, "environment").unwrap_or_default(),
        tags: texts(document, "tags"),
        classes: texts(document, "classes"),
        resources: resources.iter().map(resource).collect::<Result<_, _>>()?,
        ..Catalog::default()
    };
    let end = |edge: &Json, side| {
        let named = edge.get(side).and_then(Json::as_str).unwrap_or_default();
        let found = ResourceRef::parse(named).and_then(|reference| catalog.position(&reference));
        found.ok_or_else(|| InvalidCatalog(format!("Could not find relationship {side} \"{named}\"")))
    };
    let edges = document.get("edges").and_then(Json::as_array).into_iter().flatten();
    let edges = edges.map(|edge| Ok(Edge { source: end(edge, "source")?, target: end(edge, "target")? }));
    catalog.edges = edges.collect::<Result<_, _>>()?;
    Ok(catalog)
}

fn resource(json: &Json) -> Result<Resource, InvalidCatalog> {
    let required = |key| {
        let missing = || InvalidCatalog(format!("No resource {key} provided in serialized data"));
        text(json, key).ok_or_else(missing)
    };
    let flag = |key| json.get(key).and_then(Json::as_bool).unwrap_or_default();
    let parameters = json.get("parameters").and_then(Json::as_object).into_iter().flatten();
    Ok(Resource {
        type_name: required("type")?,
        title: required("title")?,
        tags: texts(json, "tags"),
        file: text(json, "file"),
        line: json.get("line").and_then(Json::as_u64).and_then(|line| line.try_into().ok()),
        exported: flag("exported"),
        is_virtual: flag("virtual"),
        kind: json.get("kind").and_then(Json::as_str).map(ResourceKind::from_name).unwrap_or_default(),
        parameters: parameters.map(|(name, each)| (name.as_str().into(), data(each))).collect(),
        sensitive_parameters: texts(json, "sensitive_parameters"),
    })
}

fn text(json: &Json, key: &str) -> Option<Str> {
    json.get(key)?.as_str().map(Str::from)
}

fn texts(json: &Json, key: &str) -> Vec<Str> {
    let all = json.get(key).and_then(Json::as_array).into_iter().flatten();
    all.filter_map(Json::as_str).map(Str::from).collect()
}

/// JSON as plain data.
pub fn data(json: &Json) -> Value {
    match json {
        Json::Null => Value::Undef,
        Json::Bool(b) => (*b).into(),
        Json::Number(n) => match n.as_i64() {
            Some(n) => n.into(),
            None => n.as_f64().unwrap_or_default().into(),
        },
        Json::String(text) => text.as_str().into(),
        Json::Array(values) => Value::Array(values.iter().map(data).collect()),
        Json::Object(entries) => {
            Value::Hash(entries.iter().map(|(key, each)| (key.as_str(), data(each))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"{"tags":["settings"],"name":"web","version":7,"code_id":null,"catalog_uuid":"u","catalog_format":2,"environment":"production","resources":[{"type":"Class","title":"main","tags":["class"],"exported":false,"kind":"unknown","parameters":{"name":"main"}},{"type":"File","title":"/a]","tags":["file"],"file":"/s.pp","line":3,"exported":false,"kind":"compilable_type","parameters":{"content":"s","mode":null},"sensitive_parameters":["content"]}],"edges":[{"source":"Class[main]","target":"File[/a]]"}],"classes":["settings"]}"#;

    #[test]
    fn what_is_read_is_written() {
        let catalog = Catalog::from_json(DOCUMENT.as_bytes()).unwrap();
        assert_eq!(catalog.to_json(), DOCUMENT);
        assert_eq!(catalog.container(1).unwrap().reference().to_string(), "Class[main]");
    }

    #[test]
    fn an_edge_to_nowhere_is_refused() {
        let broken = DOCUMENT.replace(r#""target":"File[/a]]""#, r#""target":"File[/b]""#);
        assert!(Catalog::from_json(broken.as_bytes()).is_err());
    }
}
