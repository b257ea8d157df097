//! Where facts, catalogs and reports are kept for others to ask: the store of the site.

use std::sync::Arc;

use kukla::Catalog;
use kukla::catalog::Exports;
use kukla::syntax::Problem;
use kukla::values::Hash;
use kukla_store::{Options, Report, Store, StoreExports, Timestamp, Update};
use serde_json::Value;

use crate::nodes::Facts;
use crate::server::Server;
use crate::settings::Settings;

/// The name of what certificates say, among facts.
const TRUSTED: &str = "trusted";

/// A store.
#[derive(Clone, Debug)]
pub struct ServerStore(Arc<dyn Store>);

/// An update of a node: facts, a catalog, or both.
#[derive(Clone, Copy, Debug)]
pub struct NodeUpdate<'n> {
    /// The node.
    pub node: &'n str,
    /// The environment.
    pub environment: &'n str,
    /// Its facts.
    pub facts: Option<&'n Facts>,
    /// The data of its certificate, which is stored among its facts as Puppet does.
    pub trusted: &'n Hash,
    /// Its catalog, with what it exports.
    pub catalog: Option<&'n Catalog>,
    /// The agent's run.
    pub transaction: Option<&'n str>,
}

impl ServerStore {
    /// Opens the store that a URL names; the server shows its own certificate there.
    pub fn open(url: &str, settings: &Settings) -> Result<ServerStore, Problem> {
        let there = |path: &std::path::Path| path.exists().then(|| path.to_owned());
        let options = Options {
            certificate: there(&settings.tls.certificate),
            key: there(&settings.tls.key),
            authorities: there(&settings.tls.authorities),
            producer: Some(settings.host.certname.clone()),
            ..Options::default()
        };
        kukla_store::open(url, &options).map(ServerStore).map_err(Problem::from)
    }

    /// The exported resources of nodes, for collectors.
    pub fn exports(&self) -> Arc<dyn Exports> {
        Arc::new(StoreExports::new(Arc::clone(&self.0)))
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        self.0.url()
    }
}

impl Server {
    /// Keeps what is new about a node, all of it or nothing.
    pub fn store_update(&self, node_update: &NodeUpdate<'_>) -> Result<(), Problem> {
        let Some(ServerStore(store)) = &self.store else { return Ok(()) };
        if node_update.facts.is_none() && node_update.catalog.is_none() {
            return Ok(());
        }
        let facts = node_update.facts.map(|facts| {
            let mut all = facts.values.clone();
            all.insert(TRUSTED, node_update.trusted.clone());
            all
        });
        let update = Update {
            facts: facts.as_ref(),
            catalog: node_update.catalog,
            transaction: node_update.transaction,
            ..Update::of(node_update.node, node_update.environment, Timestamp::now())
        };
        store.update(&update).map_err(Problem::from)
    }

    /// The last facts of a node, if they are stored.
    pub fn last_facts(&self, node: &str) -> Result<Option<Hash>, Problem> {
        let Some(ServerStore(store)) = &self.store else { return Ok(None) };
        let mut kept = store.facts(node).map_err(Problem::from)?;
        if let Some(facts) = &mut kept {
            facts.remove(TRUSTED);
        }
        Ok(kept)
    }

    /// Keeps a report.
    pub fn store_report(&self, report: &Value) -> Result<(), Problem> {
        let Some(ServerStore(store)) = &self.store else { return Ok(()) };
        let report = Report::from_agent(report, &self.settings.host.certname, Timestamp::now());
        report.and_then(|report| store.add_report(&report)).map_err(Problem::from)
    }
}
