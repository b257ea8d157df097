//! Where facts, catalogs and reports are kept for others to ask: the store of the site.

use std::sync::Arc;
use std::time::Duration;

use kukla::catalog::Exports;
use kukla::syntax::Problem;
use kukla::values::Hash;
use kukla::{Catalog, Diagnostic};
use kukla_store::codes::{STORE_LOCKED, STORE_UNREACHABLE};
use kukla_store::{Breaker, Options, Report, Store, StoreExports, Timestamp, Update, UpdateOutcome};

use crate::log;
use crate::nodes::Facts;
use crate::server::Server;
use crate::settings::Settings;

/// The name of what certificates say, among facts.
const TRUSTED: &str = "trusted";

/// How long an agent waits for the store before it has to come back later.
const PATIENCE: Duration = Duration::from_secs(20);

/// A store that is open.
#[derive(Clone, Debug)]
pub struct ServerStore {
    store: Arc<Breaker>,
    /// The URL with which it was opened; it may have a password.
    opened_by: String,
}

/// Whether a problem is that the store does not answer, so that it may be gone later.
pub fn is_unavailable(problem: &Problem) -> bool {
    problem.diagnostic().is_some_and(is_unreachable)
}

/// Whether a failure is that the store does not answer.
pub fn is_unreachable(failure: &Diagnostic) -> bool {
    failure.is(&STORE_UNREACHABLE) || failure.is(&STORE_LOCKED)
}

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
            patience: PATIENCE,
            statement: Some(PATIENCE),
            password: settings.store_password.clone(),
        };
        let store = Arc::new(Breaker::new(kukla_store::open(url, &options).map_err(Problem::from)?));
        Ok(ServerStore { store, opened_by: url.to_owned() })
    }

    /// Whether it was opened by this URL.
    pub fn is_opened_by(&self, url: &str) -> bool {
        self.opened_by == url
    }

    /// The exported resources of nodes, for collectors.
    pub fn exports(&self) -> Arc<dyn Exports> {
        Arc::new(StoreExports::new(Arc::clone(&self.store) as Arc<dyn Store>))
    }

    /// Where it is, without a password.
    pub fn url(&self) -> &str {
        self.store.url()
    }

    /// The number of calls that the store has not answered.
    pub fn failures(&self) -> u64 {
        self.store.failures()
    }

    /// Whether calls go to the store, because it has answered lately.
    pub fn answers(&self) -> bool {
        !self.store.is_open()
    }
}

impl Server {
    /// Keeps what is new about a node, all of it or nothing.
    pub fn store_update(&self, node_update: &NodeUpdate<'_>) -> Result<(), Problem> {
        let Some(ServerStore { store, .. }) = &self.store else { return Ok(()) };
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
        let (node, now) = (node_update.node, update.time);
        match store.update(&update).map_err(Problem::from)? {
            UpdateOutcome::Stored => {}
            UpdateOutcome::Corrected(stored) => log::warning(&format!(
                "replaced facts or a catalog of {node} that were dated {stored}, in the future: the clock of a server is or was wrong"
            )),
            UpdateOutcome::Outdated(stored) => log::warning(&format!(
                "facts or the catalog of {node} were not stored: the store has some from {stored}, and this server's clock says {now}"
            )),
        }
        Ok(())
    }

    /// The last facts of a node, if they are stored.
    pub fn last_facts(&self, node: &str) -> Result<Option<Hash>, Problem> {
        let Some(ServerStore { store, .. }) = &self.store else { return Ok(None) };
        let mut kept = store.facts(node).map_err(Problem::from)?;
        if let Some(facts) = &mut kept {
            facts.remove(TRUSTED);
        }
        Ok(kept)
    }

    /// Keeps a report.
    pub fn store_report(&self, report: &str) -> Result<(), Problem> {
        let Some(ServerStore { store, .. }) = &self.store else { return Ok(()) };
        let report = Report::from_agent(report, &self.settings.host.certname, Timestamp::now());
        report.and_then(|report| store.add_report(&report)).map_err(Problem::from)
    }
}
