//! PuppetDB: gets the commands and queries that a Puppet server sends it.
//!
//! It processes commands after it has answered them, so what was just stored may not be found yet.

use std::sync::Arc;

use kukla_catalog::{Catalog, ExportQuery, ExportedResource, read};
use kukla_syntax::bail;
use kukla_values::Hash;
use kukla_values::shown::redact_json;
use serde_json::Value as Json;

use crate::codes::STORE_FAILED;
use crate::{Options, Question, Report, Result, Store, Timestamp, Update, UpdateOutcome};
use client::{Client, encoded};

mod client;
mod wire;

/// A PuppetDB.
#[derive(Debug)]
pub struct PuppetDb {
    client: Client,
    url: String,
    producer: Option<String>,
}

impl PuppetDb {
    /// The PuppetDB at an address; nobody is asked yet.
    pub fn open(address: &str, url: &str, options: &Options) -> Result<PuppetDb> {
        let client = Client::new(address, url, options)?;
        Ok(PuppetDb { client, url: url.to_owned(), producer: options.producer.clone() })
    }

    fn ends_by_itself<T>(&self) -> Result<T> {
        bail!(STORE_FAILED { url: &self.url, problem: "PuppetDB ends nodes and reports by itself" };
            hint: "its settings node-ttl, node-purge-ttl and report-ttl say when")
    }
}

impl Store for PuppetDb {
    fn url(&self) -> &str {
        &self.url
    }

    fn update(&self, update: &Update<'_>) -> Result<UpdateOutcome> {
        let update = Update { producer: update.producer.or(self.producer.as_deref()), ..*update };
        if let Some(values) = update.facts {
            self.client.command(
                "replace facts",
                5,
                update.node,
                update.time,
                &wire::facts(&update, values).to_string(),
            )?;
        }
        if let Some(catalog) = update.catalog {
            self.client.command(
                "replace catalog",
                9,
                update.node,
                update.time,
                &wire::catalog(&update, catalog).to_string(),
            )?;
        }
        Ok(UpdateOutcome::Stored)
    }

    fn add_report(&self, report: &Report) -> Result<()> {
        self.client.command("store report", 8, report.node(), report.time(), report.document())
    }

    fn exported(&self, wanted: &ExportQuery) -> Result<Vec<Arc<ExportedResource>>> {
        let rows = self.client.query(Some("resources"), &wire::collector(wanted))?;
        let mut found: Vec<Arc<ExportedResource>> =
            rows.iter().filter_map(wire::exported).map(Arc::new).collect();
        found.retain(|each| wanted.matches(&each.node, &each.resource));
        // PuppetDB gives them in no order at all, and does not know where in a catalog they stood.
        found.sort_by(|a, b| (&a.node, &a.resource.title).cmp(&(&b.node, &b.resource.title)));
        Ok(found)
    }

    fn query(&self, question: &Question) -> Result<Vec<Json>> {
        let query = match question {
            Question::Pql(text) => text.as_str().into(),
            Question::Ast(array) => array.clone(),
        };
        let mut rows = self.client.query(None, &query)?;
        // Other servers send rich data with secrets to PuppetDB.
        rows.iter_mut().for_each(redact_json);
        Ok(rows)
    }

    fn facts(&self, node: &str) -> Result<Option<Hash>> {
        let rows = self.client.get(&format!("/pdb/query/v4/nodes/{}/facts", encoded(node)))?;
        let rows = rows.as_ref().and_then(Json::as_array).filter(|rows| !rows.is_empty());
        let fact = |row: &Json| Some((row["name"].as_str()?.to_owned(), read::data(&row["value"])));
        Ok(rows.map(|rows| {
            let mut facts: Vec<(String, kukla_values::Value)> = rows.iter().filter_map(fact).collect();
            facts.sort_by(|(a, _), (b, _)| a.cmp(b));
            facts.into_iter().collect()
        }))
    }

    fn catalog(&self, node: &str) -> Result<Option<Catalog>> {
        let found = self.client.get(&format!("/pdb/query/v4/catalogs/{}", encoded(node)))?;
        Ok(found.as_ref().map(wire::whole))
    }

    fn deactivate(&self, node: &str, time: Timestamp) -> Result<bool> {
        if self.client.get(&format!("/pdb/query/v4/nodes/{}", encoded(node)))?.is_none() {
            return Ok(false);
        }
        self.client.command("deactivate node", 3, node, time, &wire::deactivation(node, time).to_string())?;
        Ok(true)
    }

    fn expire(&self, _: Timestamp, _: Timestamp) -> Result<Vec<String>> {
        self.ends_by_itself()
    }

    fn purge_nodes(&self, _: Timestamp) -> Result<Vec<String>> {
        self.ends_by_itself()
    }

    fn purge_reports(&self, _: Timestamp) -> Result<u64> {
        self.ends_by_itself()
    }
}
