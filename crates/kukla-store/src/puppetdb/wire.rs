//! The documents of PuppetDB's commands, and the rows of its answers.

use kukla_catalog::{
    Catalog, Edge, ExportQuery, ExportedResource, Filter, Resource, ResourceRef, json, read,
};
use kukla_syntax::deep;
use kukla_values::shown::holds_secret;
use kukla_values::{Hash, Shown, Str, Value, format};
use serde_json::{Map, Value as Json, json};

use crate::edges::{self, ResourceEdge};
use crate::{Timestamp, Update};

/// Metaparameters that are lists without an order.
const UNORDERED: [&str; 8] = ["alias", "audit", "before", "check", "notify", "require", "subscribe", "tag"];

fn data(value: &Value) -> Json {
    let mut text = String::new();
    json::value(&mut text, value);
    serde_json::from_str(&text).unwrap_or_default()
}

fn hash(values: &Hash) -> Json {
    values
        .iter()
        .map(|(name, value)| (format::to_s(name).to_string(), data(value)))
        .collect::<Map<_, _>>()
        .into()
}

/// The document of `replace facts`, version 5.
pub fn facts(update: &Update<'_>, values: &Hash) -> Json {
    json!({
        "certname": update.node,
        "values": hash(values),
        "environment": update.environment,
        "producer_timestamp": update.time.to_string(),
        "producer": update.producer,
    })
}

/// The document of `replace catalog`, version 9. Sensitive parameters are left out, as by the real terminus; so is what is virtual, unless
/// it is exported. Secrets in other parameters are redacted, or the parameter is left out of an exported resource: a node that
/// collects it must not take the replacement for the value.
pub fn catalog(update: &Update<'_>, catalog: &Catalog) -> Json {
    let is_kept = |resource: &&Resource| resource.exported || !resource.is_virtual;
    let kept: Vec<&Resource> = catalog.resources.iter().filter(is_kept).collect();
    let version = match &catalog.version {
        Value::Undef => String::new(),
        version => format::to_s(version).to_string(),
    };
    json!({
        "version": version,
        "code_id": catalog.code_id.as_deref(),
        "catalog_uuid": catalog.uuid.as_deref().or(update.transaction),
        "resources": kept.iter().map(|each| resource(each)).collect::<Vec<_>>(),
        "edges": edges::of(catalog).iter().map(edge).collect::<Vec<_>>(),
        "job_id": null,
        "certname": update.node,
        "transaction_uuid": update.transaction,
        "environment": update.environment,
        "producer_timestamp": update.time.to_string(),
        "producer": update.producer,
    })
}

fn resource(resource: &Resource) -> Json {
    let mut parameters: Map<String, Json> = Map::new();
    for (name, value) in resource.parameters.iter().filter(|(name, _)| !resource.is_sensitive(name)) {
        match holds_secret(value) {
            false => drop(parameters.insert(name.to_string(), data(value))),
            true if resource.exported => {}
            true => drop(parameters.insert(name.to_string(), Shown::of(value).to_json())),
        }
    }
    let aliases = edges::aliases(resource);
    if !aliases.is_empty() {
        parameters.insert("alias".to_owned(), aliases.into());
    }
    for name in UNORDERED {
        if let Some(Json::Array(values)) = parameters.get_mut(name) {
            values.sort_by_key(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
    }
    let mut row = Map::new();
    row.insert("type".into(), resource.type_name.as_str().into());
    row.insert("title".into(), resource.title.as_str().into());
    row.insert("tags".into(), resource.tags.iter().map(Str::as_str).collect::<Vec<_>>().into());
    if let Some(file) = &resource.file {
        row.insert("file".into(), file.as_str().into());
    }
    if let Some(line) = resource.line {
        row.insert("line".into(), line.into());
    }
    row.insert("exported".into(), resource.exported.into());
    row.insert("kind".into(), resource.kind.name().into());
    row.insert("parameters".into(), parameters.into());
    row.into()
}

fn edge(edge: &ResourceEdge<'_>) -> Json {
    let end =
        |resource: &Resource| json!({"type": resource.type_name.as_str(), "title": resource.title.as_str()});
    json!({"source": end(edge.source), "target": end(edge.target), "relationship": edge.relationship})
}

/// The document of `deactivate node`, version 3.
pub fn deactivation(node: &str, time: Timestamp) -> Json {
    json!({"certname": node, "producer_timestamp": time.to_string()})
}

/// The query of a collector, as the real terminus asks it.
pub fn collector(wanted: &ExportQuery) -> Json {
    let mut query = vec![
        json!("and"),
        json!(["=", "type", wanted.type_name.as_str()]),
        json!(["=", "exported", true]),
        json!(["not", ["=", "certname", wanted.node.as_str()]]),
    ];
    query.extend(wanted.filter.as_ref().and_then(filter));
    query.into()
}

/// A filter as a query; nothing where PuppetDB cannot express it, and more is asked for than needed.
fn filter(filter: &Filter) -> Option<Json> {
    let joined = |word: &str, parts: Vec<Json>| match <[Json; 1]>::try_from(parts) {
        Ok([part]) => part,
        Err(parts) => std::iter::once(word.into()).chain(parts).collect::<Vec<Json>>().into(),
    };
    match filter {
        Filter::Title(title) => Some(json!(["=", "title", title.as_str()])),
        Filter::Tagged(tag) => Some(json!(["=", "tag", tag.as_str()])),
        Filter::Attribute(_, Value::Undef) => None,
        Filter::Attribute(name, value) => Some(json!(["=", ["parameter", name.as_str()], data(value)])),
        Filter::Not(inner) => Some(json!(["not", deep(|| self::filter(inner))?])),
        Filter::All(parts) => {
            let parts: Vec<Json> = parts.iter().filter_map(|part| deep(|| self::filter(part))).collect();
            (!parts.is_empty()).then(|| joined("and", parts))
        }
        // Nothing has no title.
        Filter::Any(parts) if parts.is_empty() => Some(json!(["=", "certname", ""])),
        Filter::Any(parts) => {
            let parts: Option<Vec<Json>> = parts.iter().map(|part| deep(|| self::filter(part))).collect();
            Some(joined("or", parts?))
        }
    }
}

/// A row of `resources`.
pub fn exported(row: &Json) -> Option<ExportedResource> {
    let node = row["certname"].as_str()?.into();
    let mut resource = found(row)?;
    resource.exported = true;
    resource.is_virtual = true;
    Some(ExportedResource { node, resource })
}

fn found(row: &Json) -> Option<Resource> {
    let texts = |key: &str| {
        row[key].as_array().into_iter().flatten().filter_map(Json::as_str).map(Str::from).collect()
    };
    let parameters = row["parameters"].as_object().into_iter().flatten();
    Some(Resource {
        type_name: row["type"].as_str()?.into(),
        title: row["title"].as_str()?.into(),
        tags: texts("tags"),
        file: row["file"].as_str().map(Str::from),
        line: row["line"].as_u64().and_then(|line| line.try_into().ok()),
        exported: row["exported"] == true,
        parameters: parameters.map(|(name, value)| (Str::from(name.as_str()), read::data(value))).collect(),
        ..Resource::default()
    })
}

/// A row of `catalogs`. PuppetDB does not keep the order of resources; here they stand by their names.
pub fn whole(row: &Json) -> Catalog {
    let text = |key: &str| row[key].as_str().map(Str::from);
    let mut resources: Vec<Resource> =
        row["resources"]["data"].as_array().into_iter().flatten().filter_map(found).collect();
    resources.sort_by(|a, b| (&a.type_name, &a.title).cmp(&(&b.type_name, &b.title)));
    let mut catalog = Catalog {
        name: text("certname").unwrap_or_default(),
        version: text("version").unwrap_or_default().into(),
        code_id: text("code_id"),
        uuid: text("catalog_uuid"),
        environment: text("environment").unwrap_or_default(),
        resources,
        ..Catalog::default()
    };
    let is_class = |resource: &&Resource| resource.type_name == "Class" && resource.title != "main";
    catalog.classes =
        catalog.resources.iter().filter(is_class).map(|class| class.title.to_lowercase()).collect();
    let place = |row: &Json, side: &str| {
        let of = |part: &str| row[format!("{side}_{part}")].as_str().unwrap_or_default();
        catalog.position(&ResourceRef::new(of("type"), of("title")))
    };
    let rows = row["edges"]["data"].as_array().into_iter().flatten();
    let contained = rows.filter(|edge| edge["relationship"] == "contains");
    let edges: Vec<Edge> = contained
        .filter_map(|edge| Some(Edge { source: place(edge, "source")?, target: place(edge, "target")? }))
        .collect();
    catalog.edges = edges;
    catalog
}
