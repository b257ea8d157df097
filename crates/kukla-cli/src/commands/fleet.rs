//! Options, stores and errors of commands about all nodes of a control repository.

use std::path::PathBuf;
use std::sync::Arc;

use kukla::Diagnostic;
use kukla::catalog::Exports;
use kukla::fleet::{FleetError, NodeSelection, NodeStore, NodeUpdate};
use kukla::syntax::Problem;
use kukla::values::Hash;
use kukla_store::{Question, Store, StoreExports, Timestamp, Update};
use serde_json::json;

use super::stores::StoreOptions;
use crate::files;
use crate::output::{err, errln};
use crate::render::failure::{self, ErrorFormat};
use crate::{CommandResult, ExitKind};

/// The options that select nodes of a fleet.
#[derive(Debug, clap::Args)]
pub struct SelectionArgs {
    /// Compile only nodes whose name matches GLOB, such as 'web*.example.com'; several are separated by commas
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    nodes: Vec<String>,
    /// Compile only nodes named in FILE, one per line, or on standard input with '-'; they need no facts if there are none at all
    #[arg(long, value_name = "FILE")]
    nodes_from: Option<PathBuf>,
}

impl SelectionArgs {
    /// It is a problem if nodes are selected without --all.
    pub fn require_all(&self, all: bool) -> Result<(), Problem> {
        match (all, self.nodes.is_empty() && self.nodes_from.is_none()) {
            (false, false) => Err(Problem::invalid("--nodes and --nodes-from require --all")),
            _ => Ok(()),
        }
    }

    /// The selected nodes.
    pub fn read(&self) -> Result<NodeSelection, Problem> {
        let mut selection = NodeSelection { patterns: self.nodes.clone(), names: None };
        if let Some(file) = &self.nodes_from {
            let text = match file.as_os_str() == "-" {
                true => String::from_utf8_lossy(&files::read_stdin()?).into_owned(),
                false => files::read_text(file)?,
            };
            let names = NodeSelection::parse_names(&text);
            selection.names =
                Some(names.map_err(|problem| Problem::invalid("--nodes-from").caused_by(problem))?);
        }
        Ok(selection)
    }
}

/// Prints the option that allows the commands that code needs, if some were refused.
pub fn report_commands(names: &Option<Vec<String>>) {
    let Some(names) = names else { return };
    let list = names.join(",");
    errln!(
        "kukla: code runs commands that are not allowed; if you trust it, allow them with --commands {list}"
    );
    let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    errln!("  or in kukla.toml, below [policy]: commands = [{}]", quoted.join(", "));
}

/// A store of `kukla-store` as fleets use it.
#[derive(Debug)]
pub struct StoreAdapter(Arc<dyn Store>);

impl StoreAdapter {
    /// Opens the store that options name, if they name one.
    pub fn open(options: &StoreOptions) -> Result<Option<Arc<dyn NodeStore>>, Problem> {
        Ok(options.open()?.map(|store| Arc::new(StoreAdapter(store)) as Arc<dyn NodeStore>))
    }
}

impl NodeStore for StoreAdapter {
    fn exports(&self) -> Arc<dyn Exports> {
        Arc::new(StoreExports::new(Arc::clone(&self.0)))
    }

    fn nodes(&self) -> Result<Vec<String>, Box<Diagnostic>> {
        let query = json!(["from", "factsets", ["extract", ["certname"]]]);
        let rows = self.0.query(&Question::Ast(query))?;
        Ok(rows.iter().filter_map(|row| Some(row["certname"].as_str()?.to_owned())).collect())
    }

    fn facts(&self, node: &str) -> Result<Option<Hash>, Box<Diagnostic>> {
        self.0.facts(node)
    }

    fn update(&self, update: &NodeUpdate<'_>) -> Result<(), Box<Diagnostic>> {
        let update = Update {
            facts: Some(update.facts),
            catalog: Some(update.catalog),
            ..Update::of(update.node, update.environment, Timestamp::now())
        };
        self.0.update(&update).map(|_| ())
    }
}

/// Prints the error of a site manifest, which is a finding; any other error is a problem of the command.
pub fn report(error: FleetError) -> CommandResult {
    match error {
        FleetError::Problem(problem) => Err(problem),
        FleetError::Manifest(failure) => {
            let mut out = String::new();
            failure::render(&mut out, &failure, "", ErrorFormat::Human);
            err!("{out}");
            Ok(ExitKind::Findings)
        }
        FleetError::Cancelled => Err(Problem::other(error.to_string())),
    }
}

#[cfg(all(test, feature = "store"))]
mod tests {
    use kukla::catalog::Catalog;
    use kukla_store::Options;

    use super::*;

    #[test]
    fn a_store_lists_active_nodes_with_facts() {
        let directory = std::env::temp_dir().join(format!("kukla-fleet-store-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let url = format!("sqlite:{}/store.db", directory.display());
        let store = StoreAdapter(kukla_store::open(&url, &Options::default()).unwrap());
        assert!(store.nodes().unwrap().is_empty());
        let facts: Hash = [("kernel", "Linux")].into_iter().collect();
        for node in ["b", "a", "gone"] {
            let catalog = Catalog { name: node.into(), ..Catalog::default() };
            let update = NodeUpdate { node, environment: "production", facts: &facts, catalog: &catalog };
            store.update(&update).unwrap();
        }
        store.0.deactivate("gone", Timestamp::now()).unwrap();
        let mut nodes = store.nodes().unwrap();
        nodes.sort();
        assert_eq!(nodes, ["a", "b"]);
        assert_eq!(store.facts("a").unwrap(), Some(facts));
        assert_eq!(store.facts("x").unwrap(), None);
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
