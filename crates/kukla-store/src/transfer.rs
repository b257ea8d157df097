//! The contents of a store as documents, to keep and to move to another store.
//!
//! Facts and reports have the format of `puppet db export`; catalogs are those that agents receive, with their time and their producer.

use kukla_catalog::Catalog;
use kukla_syntax::Problem;
use kukla_values::{Hash, richdata};
use serde_json::{Value as Json, json};

use crate::{Question, Report, Store, Timestamp, Update};

/// The kind of a document, which is also the name of its directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// The facts of a node.
    Facts,
    /// The catalog of a node.
    Catalog,
    /// A report.
    Report,
}

impl DocumentKind {
    /// All kinds.
    pub const ALL: [DocumentKind; 3] = [DocumentKind::Facts, DocumentKind::Catalog, DocumentKind::Report];

    /// The directory that `puppet db export` has for it.
    pub const fn directory(self) -> &'static str {
        match self {
            DocumentKind::Facts => "facts",
            DocumentKind::Catalog => "catalogs",
            DocumentKind::Report => "reports",
        }
    }
}

/// Passes all documents of a store to `write`, each with its kind and the name of its file.
pub fn export(
    store: &dyn Store,
    write: &mut dyn FnMut(DocumentKind, &str, &Json) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let ask = |query: Json| store.query(&Question::Ast(query));
    let columns = ["certname", "environment", "producer", "producer_timestamp"];
    for row in ask(json!(["from", "factsets", ["extract", columns]]))? {
        let node = text(&row, "certname");
        let Some(facts) = store.facts(node)? else { continue };
        let values = richdata::to_json(&facts.into()).map_err(|error| {
            Problem::other("cannot export the facts of").on(node).because(error.message())
        })?;
        write(DocumentKind::Facts, &format!("{node}.json"), &with(&row, json!({"values": values})))?;
    }
    let columns = ["certname", "environment", "producer", "producer_timestamp", "transaction_uuid"];
    for mut row in ask(json!(["from", "catalogs", ["extract", columns]]))? {
        let node = text(&row, "certname").to_owned();
        let Some(catalog) = store.catalog(&node)? else { continue };
        let document: Json = serde_json::from_str(&catalog.to_json())
            .map_err(|error| Problem::other("cannot export the catalog of").on(&node).because(error))?;
        if let Some(fields) = row.as_object_mut() {
            fields.shift_remove("certname");
        }
        write(DocumentKind::Catalog, &format!("{node}.json"), &with(&document, row))?;
    }
    for report in ask(json!(["from", "reports"]))? {
        let name = format!("{}-{}.json", text(&report, "certname"), text(&report, "hash"));
        write(DocumentKind::Report, &name, &report_as_sent(report))?;
    }
    Ok(())
}

/// Stores the facts of a node from a document, which has their time and their producer.
pub fn import_facts(store: &dyn Store, node: &str, facts: &Hash, document: &Json) -> Result<(), Problem> {
    let environment = document["environment"].as_str().unwrap_or("production");
    let update = Update {
        facts: Some(facts),
        producer: document["producer"].as_str(),
        ..Update::of(node, environment, time(document))
    };
    store.update(&update)?;
    Ok(())
}

/// Stores the catalog of a document.
pub fn import_catalog(store: &dyn Store, document: &Json) -> Result<(), Problem> {
    let agents = catalog_for_agents(document.clone());
    let catalog = Catalog::from_json(agents.to_string().as_bytes())
        .map_err(|error| Problem::invalid("invalid catalog").because(error))?;
    let update = Update {
        catalog: Some(&catalog),
        producer: document["producer"].as_str(),
        transaction: document["transaction_uuid"].as_str(),
        ..Update::of(&catalog.name, &catalog.environment, time(document))
    };
    store.update(&update)?;
    Ok(())
}

/// Stores the report of a document.
pub fn import_report(store: &dyn Store, document: Json) -> Result<(), Problem> {
    Ok(Report::new(&document).and_then(|report| store.add_report(&report))?)
}

/// A catalog as agents receive it; PuppetDB has other names for the node and for the ends of edges.
fn catalog_for_agents(mut document: Json) -> Json {
    let Some(fields) = document.as_object_mut() else { return document };
    if let Some(name) = fields.get("certname").cloned() {
        fields.entry("name").or_insert(name);
    }
    let end = |end: &Json| json!(format!("{}[{}]", text(end, "type"), text(end, "title")));
    if let Some(Json::Array(edges)) = fields.get_mut("edges")
        && edges.iter().any(|edge| edge["source"].is_object())
    {
        edges.retain(|edge| edge["relationship"] == "contains");
        for edge in edges {
            *edge = json!({"source": end(&edge["source"]), "target": end(&edge["target"])});
        }
    }
    document
}

/// A report as it was sent: without the fields that the store adds, and with plain lists.
fn report_as_sent(mut report: Json) -> Json {
    if let Some(fields) = report.as_object_mut() {
        for added in ["hash", "receive_time"] {
            fields.shift_remove(added);
        }
        for list in ["logs", "metrics", "resources"] {
            if let Some(data) = fields.get(list).and_then(|list| list.get("data")).cloned() {
                fields.insert(list.to_owned(), data);
            }
        }
    }
    report
}

fn with(document: &Json, more: Json) -> Json {
    let mut document = document.clone();
    if let (Some(fields), Json::Object(more)) = (document.as_object_mut(), more) {
        fields.extend(more);
    }
    document
}

fn text<'d>(document: &'d Json, key: &str) -> &'d str {
    document[key].as_str().unwrap_or_default()
}

/// The time of a document, by default the present.
fn time(document: &Json) -> Timestamp {
    Timestamp::parse(text(document, "producer_timestamp")).unwrap_or_else(Timestamp::now)
}
