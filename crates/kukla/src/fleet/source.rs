//! The sources of the nodes of a fleet: fact files, a store, names.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_syntax::Problem;
use kukla_world::World;

use super::names::FACTS_HELP;
use super::options::{FleetOptions, holds_directory};
use super::store::{NodeStore, stored_nodes};
use crate::problems::missing;

/// A source of nodes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NodeSource {
    /// A file with the facts of one node or several.
    File(PathBuf),
    /// A node of a store that has its facts.
    Store {
        /// The store.
        store: Arc<dyn NodeStore>,
        /// The name of the node.
        node: String,
    },
    /// A node without facts of its own: the name in a node definition, a sample, or one of the selected names.
    Name(String),
}

impl fmt::Display for NodeSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeSource::File(file) => write!(f, "{}", file.display()),
            NodeSource::Store { .. } => f.write_str("the store"),
            NodeSource::Name(_) => f.write_str("the node definitions"),
        }
    }
}

impl NodeSource {
    /// The name of its node; that of a file is a guess.
    pub(super) fn node_name(&self) -> String {
        match self {
            NodeSource::File(file) => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            NodeSource::Store { node, .. } | NodeSource::Name(node) => node.clone(),
        }
    }
}

/// The sources of nodes with facts; none if the options name no facts and the control repository has none.
pub(super) fn sources_with_facts(
    options: &FleetOptions,
    world: &dyn World,
) -> Result<Option<Vec<NodeSource>>, Problem> {
    if let Some(store) = &options.facts_store {
        let names = stored_nodes(&**store)?.into_iter().filter(|name| options.selection.includes(name));
        let source = |node| NodeSource::Store { store: Arc::clone(store), node };
        return Ok(Some(names.map(source).collect()));
    }
    if options.fact_sets.all.is_some() {
        return Ok(None);
    }
    let Some(files) = fact_files(options, world)? else { return Ok(None) };
    let has_file = |name: &str| files.iter().any(|file| file.file_stem().is_some_and(|stem| stem == name));
    let samples = options.samples.iter().filter(|name| !has_file(name)).cloned().map(NodeSource::Name);
    let samples: Vec<NodeSource> = samples.collect();
    Ok(Some(files.into_iter().map(NodeSource::File).chain(samples).collect()))
}

/// The fact files of a fleet; none if the options name no facts and the control repository has none.
fn fact_files(options: &FleetOptions, world: &dyn World) -> Result<Option<Vec<PathBuf>>, Problem> {
    let path = options.facts_path();
    if holds_directory(world, &path) {
        return fact_files_in(world, &path).map(Some);
    }
    match &options.facts {
        None if !world.exists(&path) => Ok(None),
        _ if world.exists(&path) => Ok(Some(vec![path])),
        _ => Err(missing(world, &path).help(FACTS_HELP)),
    }
}

fn fact_files_in(world: &dyn World, directory: &Path) -> Result<Vec<PathBuf>, Problem> {
    let mut paths: Vec<PathBuf> =
        world.list(directory).into_iter().map(|entry| directory.join(entry.name)).collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json" || extension == "yaml" || extension == "yml")
    });
    paths.sort();
    match paths.is_empty() {
        true => Err(Problem::not_found("no fact files (.json, .yaml) in").on(directory.display())),
        false => Ok(paths),
    }
}
