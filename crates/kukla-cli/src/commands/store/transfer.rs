//! All that a store knows, as files: to keep, and to take to another store.
//!
//! The directories are those of `puppet db export`, and so are facts and reports; catalogs are what agents get, with when and by whom they were made.

use std::path::{Path, PathBuf};

use kukla::Catalog;
use kukla::facts::FactFile;
use kukla::syntax::Problem;
use kukla_store::{Question, Report, Store, Timestamp, Update};
use serde_json::{Value as Json, json};

use crate::output::{self, errln};
use crate::{CommandResult, ExitKind};

/// Writes everything to a directory.
pub fn export(store: &dyn Store, directory: &Path) -> CommandResult {
    let parts = ["facts", "catalogs", "reports"].map(|part| directory.join(part));
    for part in &parts {
        make_private(part)?;
    }
    let ask = |query: Json| store.query(&Question::Ast(query)).map_err(Problem::from);
    let [facts_to, catalogs_to, reports_to] = &parts;
    let mut counts = [0_usize; 3];
    let times = ["certname", "environment", "producer", "producer_timestamp"];
    for about in ask(json!(["from", "factsets", ["extract", times]]))? {
        let node = text(&about, "certname");
        let Some(facts) = store.facts(node)? else { continue };
        let values = kukla::values::richdata::to_json(&facts.into()).map_err(|wrong| {
            Problem::other("cannot export the facts of").on(node).because(wrong.message())
        })?;
        write(&facts_to.join(format!("{node}.json")), &with(&about, json!({"values": values})))?;
        counts[0] += 1;
    }
    let times = ["certname", "environment", "producer", "producer_timestamp", "transaction_uuid"];
    for about in ask(json!(["from", "catalogs", ["extract", times]]))? {
        let node = text(&about, "certname");
        let Some(catalog) = store.catalog(node)? else { continue };
        let document: Json = serde_json::from_str(&catalog.to_json())
            .map_err(|error| Problem::other("cannot export the catalog of").on(node).because(error))?;
        let mut about = about.clone();
        if let Some(about) = about.as_object_mut() {
            about.shift_remove("certname");
        }
        write(&catalogs_to.join(format!("{node}.json")), &with(&document, about))?;
        counts[1] += 1;
    }
    for report in ask(json!(["from", "reports"]))? {
        let name = format!("{}-{}.json", text(&report, "certname"), text(&report, "hash"));
        write(&reports_to.join(name), &plain(report))?;
        counts[2] += 1;
    }
    let [facts, catalogs, reports] = counts;
    errln!(
        "facts of {facts} nodes, {catalogs} catalogs and {reports} reports are in {}",
        directory.display()
    );
    Ok(ExitKind::Success)
}

/// Stores everything of a directory.
pub fn import(store: &dyn Store, directory: &Path) -> CommandResult {
    std::fs::read_dir(directory).map_err(|error| Problem::io("read", directory, &error))?;
    let mut counts = [0_usize; 3];
    for file in documents(&directory.join("facts"))? {
        let document = read(&file)?;
        let text = document.to_string();
        let facts = FactFile::parse(text.as_bytes(), &file.display().to_string())?
            .into_iter()
            .next()
            .unwrap_or_default();
        let (node, environment) =
            (facts.node_name().unwrap_or_default().to_owned(), text_or(&document, "environment"));
        let update = Update {
            facts: Some(&facts.facts),
            producer: document["producer"].as_str(),
            ..Update::of(&node, environment, time(&document))
        };
        put(store.update(&update), &file)?;
        counts[0] += 1;
    }
    for file in documents(&directory.join("catalogs"))? {
        let document = read(&file)?;
        let agents = as_agents_get(document.clone());
        let catalog = Catalog::from_json(agents.to_string().as_bytes())
            .map_err(|wrong| Problem::invalid("invalid catalog in").on(file.display()).because(wrong))?;
        let update = Update {
            catalog: Some(&catalog),
            producer: document["producer"].as_str(),
            transaction: document["transaction_uuid"].as_str(),
            ..Update::of(&catalog.name, &catalog.environment, time(&document))
        };
        put(store.update(&update), &file)?;
        counts[1] += 1;
    }
    for file in documents(&directory.join("reports"))? {
        put(Report::new(read(&file)?).and_then(|report| store.add_report(&report)), &file)?;
        counts[2] += 1;
    }
    let [facts, catalogs, reports] = counts;
    errln!("facts of {facts} nodes, {catalogs} catalogs and {reports} reports are stored");
    Ok(ExitKind::Success)
}

/// A catalog as agents get it; PuppetDB spells names and edges in its own way.
fn as_agents_get(mut document: Json) -> Json {
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

/// A report as it was sent: what the store has added goes, and lists are lists.
fn plain(mut report: Json) -> Json {
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

fn text_or<'d>(document: &'d Json, key: &str) -> &'d str {
    document[key].as_str().unwrap_or("production")
}

/// When something became true; a file that does not say it is of now.
fn time(document: &Json) -> Timestamp {
    Timestamp::parse(text(document, "producer_timestamp")).unwrap_or_else(Timestamp::now)
}

fn make_private(directory: &Path) -> Result<(), Problem> {
    use std::os::unix::fs::DirBuilderExt;
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map_err(|error| Problem::io("create", directory, &error))
}

fn write(place: &Path, document: &Json) -> Result<(), Problem> {
    use std::os::unix::fs::PermissionsExt;
    output::write_file(place, format!("{document}\n").as_bytes())?;
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(place, private).map_err(|error| Problem::io("write", place, &error))
}

fn documents(directory: &Path) -> Result<Vec<PathBuf>, Problem> {
    if !directory.is_dir() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(directory).map_err(|error| Problem::io("read", directory, &error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    Ok(paths)
}

fn read(file: &Path) -> Result<Json, Problem> {
    let bytes = std::fs::read(file).map_err(|error| Problem::io("read", file, &error))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Problem::invalid("invalid JSON in").on(file.display()).because(error))
}

fn put(stored: kukla_store::Result<()>, file: &Path) -> Result<(), Problem> {
    stored.map_err(|wrong| Problem::other("cannot import").on(file.display()).caused_by(wrong.into()))
}
