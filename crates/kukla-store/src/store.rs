//! The interface of all stores.

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kukla_catalog::{Catalog, ExportQuery, ExportedResource};
use kukla_values::Hash;
use serde_json::Value as Json;

use crate::{Question, Report, Result, Timestamp};

/// How stores are reached, where their URL does not say it.
#[derive(Clone, Debug)]
pub struct Options {
    /// The certificate that this machine shows, in PEM.
    pub certificate: Option<PathBuf>,
    /// Its private key, in PEM.
    pub key: Option<PathBuf>,
    /// The certificates of authorities that servers are trusted for, in PEM.
    pub authorities: Option<PathBuf>,
    /// The name of this machine, sent as the producer of its documents.
    pub producer: Option<String>,
    /// How long to wait for a server to accept a connection, or for others to let go of a file.
    pub patience: Duration,
    /// How long a statement may take on a database server, if there is a limit.
    pub statement: Option<Duration>,
    /// The password of the user in the URL.
    pub password: Option<Password>,
}

/// A password, which is never shown.
#[derive(Clone)]
pub struct Password(
    // Without drivers there is no server to tell it to.
    #[cfg_attr(not(feature = "drivers"), allow(dead_code))] String,
);

impl Password {
    /// The password in this text.
    pub fn new(text: impl Into<String>) -> Password {
        Password(text.into())
    }

    /// The text, for the server.
    #[cfg(feature = "drivers")]
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password([redacted])")
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            certificate: None,
            key: None,
            authorities: None,
            producer: None,
            patience: Duration::from_secs(30),
            statement: None,
            password: None,
        }
    }
}

/// An update of a node: facts, a catalog, or both at once.
#[derive(Clone, Copy, Debug)]
pub struct Update<'u> {
    /// The node's name.
    pub node: &'u str,
    /// The environment.
    pub environment: &'u str,
    /// When it became true. What is older than what the store has is not taken, so it does not matter who comes last.
    pub time: Timestamp,
    /// The machine that compiled; by default the one of the store's [`Options`].
    pub producer: Option<&'u str>,
    /// The facts that take the place of all earlier ones.
    pub facts: Option<&'u Hash>,
    /// The catalog that takes the place of the earlier one. What it exports is found by collectors of other nodes, so it is
    /// compiled with what nothing collected (`CompileOptions::keep_virtual`); virtual resources that are not exported are left out.
    pub catalog: Option<&'u Catalog>,
    /// The identifier of the agent's run that asked for it.
    pub transaction: Option<&'u str>,
}

impl<'u> Update<'u> {
    /// Nothing new about a node yet.
    pub fn of(node: &'u str, environment: &'u str, time: Timestamp) -> Update<'u> {
        Update { node, environment, time, producer: None, facts: None, catalog: None, transaction: None }
    }
}

/// The outcome of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UpdateOutcome {
    /// All of it is stored.
    Stored,
    /// All of it is stored, and has replaced something of this time, which is in the future: a clock was wrong.
    Corrected(Timestamp),
    /// Some of it is not stored, because the store has something newer, of this time.
    Outdated(Timestamp),
}

/// The latest facts and catalog of each node, and its reports.
pub trait Store: Send + Sync + Debug {
    /// Where it is, without passwords.
    fn url(&self) -> &str;

    /// Replaces what is known of a node, all of it or nothing. A node that was deactivated before that time is active again.
    fn update(&self, update: &Update<'_>) -> Result<UpdateOutcome>;

    /// Keeps the report of an agent's run; the same report twice is kept once.
    fn add_report(&self, report: &Report) -> Result<()>;

    /// The exported resources of other nodes that a collector matches, by the name of the node and then as their catalogs have it. Nodes that are
    /// deactivated or expired export nothing.
    fn exported(&self, wanted: &ExportQuery) -> Result<Vec<Arc<ExportedResource>>>;

    /// The rows of a query.
    fn query(&self, question: &Question) -> Result<Vec<Json>>;

    /// The latest facts of a node.
    fn facts(&self, node: &str) -> Result<Option<Hash>>;

    /// The latest catalog of a node, with what it exports.
    fn catalog(&self, node: &str) -> Result<Option<Catalog>>;

    /// Makes a node one that is no more: nothing that it exports is found, and queries leave it out unless they ask for `node_state`.
    /// Whether there is such a node.
    fn deactivate(&self, node: &str, time: Timestamp) -> Result<bool>;

    /// Makes nodes expired of which nothing was heard since a time; their names.
    fn expire(&self, silent_since: Timestamp, now: Timestamp) -> Result<Vec<String>>;

    /// Deletes nodes that were deactivated or expired by a time, with all that is known of them; their names.
    fn purge_nodes(&self, until: Timestamp) -> Result<Vec<String>>;

    /// Deletes reports that are from before a time; how many there were.
    fn purge_reports(&self, before: Timestamp) -> Result<u64>;
}
