//! Stores as fleets use them: they have nodes with their facts and exported resources, and receive catalogs.

use std::fmt::Debug;
use std::sync::Arc;

use kukla_catalog::{Catalog, Exports, Resource, json, read};
use kukla_eval::error::Diagnostic;
use kukla_syntax::Problem;
use kukla_values::{Hash, Value};

use super::node::SiteNode;
use crate::exchange::exported_resources;
use crate::facts::FactFile;

/// The name of the trusted data among stored facts.
const TRUSTED: &str = "trusted";

/// A store of the facts and catalogs of all nodes. `kukla-store` has implementations; the facade does not depend on any.
pub trait NodeStore: Send + Sync + Debug {
    /// The exported resources of all nodes.
    fn exports(&self) -> Arc<dyn Exports>;

    /// The names of all active nodes that have facts, in any order.
    fn nodes(&self) -> Result<Vec<String>, Box<Diagnostic>>;

    /// The facts of a node, with its trusted data under `trusted`; none if the store has none.
    fn facts(&self, node: &str) -> Result<Option<Hash>, Box<Diagnostic>>;

    /// Replaces the facts and the catalog of a node, both or neither. The facts include trusted data under `trusted`.
    fn update(&self, update: &NodeUpdate<'_>) -> Result<(), Box<Diagnostic>>;
}

/// The new facts and the new catalog of a node.
#[derive(Clone, Copy, Debug)]
pub struct NodeUpdate<'u> {
    /// The node's name.
    pub node: &'u str,
    /// Its environment.
    pub environment: &'u str,
    /// Its facts, with its trusted data.
    pub facts: &'u Hash,
    /// Its catalog, with everything it exports.
    pub catalog: &'u Catalog,
}

/// Stores the facts and the catalog of a node.
pub fn store_node(store: &dyn NodeStore, node: &SiteNode, catalog: &Catalog) -> Result<(), Problem> {
    let facts = facts_to_store(node);
    update(
        store,
        &NodeUpdate { node: &node.node.name, environment: &node.site.environment, facts: &facts, catalog },
    )
}

fn update(store: &dyn NodeStore, update: &NodeUpdate<'_>) -> Result<(), Problem> {
    store.update(update).map_err(|failure| {
        Problem::other("cannot store the catalog of").on(update.node).caused_by(Problem::from(failure))
    })
}

/// The facts of a node, with its trusted data.
fn facts_to_store(node: &SiteNode) -> Hash {
    let mut facts = node.node.facts.clone();
    facts.insert(TRUSTED, node.node.trusted.clone());
    facts
}

/// The names of the nodes of a store, in order.
pub(super) fn stored_nodes(store: &dyn NodeStore) -> Result<Vec<String>, Problem> {
    let mut names = store.nodes().map_err(|failure| {
        Problem::other("cannot list the nodes of the store").caused_by(Problem::from(failure))
    })?;
    names.sort_unstable();
    names.dedup();
    match names.is_empty() {
        true => Err(Problem::not_found("no nodes found").because("the store has no facts")),
        false => Ok(names),
    }
}

/// The facts of a node of a store, with its trusted data.
pub(super) fn stored_facts(store: &dyn NodeStore, node: &str) -> Result<FactFile, Problem> {
    let facts = store.facts(node).map_err(|failure| {
        Problem::other("cannot read the facts of").on(node).caused_by(Problem::from(failure))
    })?;
    match facts {
        Some(facts) => Ok(FactFile { node: Some(node.to_owned()), facts }),
        None => Err(Problem::not_found("no facts of").on(node).because("they are not in the store")),
    }
}

/// Removes the trusted data from stored facts, and returns the part of it that does not follow from the node's name.
pub(super) fn take_trusted(facts: &mut Hash) -> Hash {
    let Some(Value::Hash(trusted)) = facts.remove(TRUSTED) else { return Hash::new() };
    let parts = ["extensions", "external"].into_iter();
    parts.filter_map(|part| Some((part, trusted.get(part)?.clone()))).collect()
}

/// The facts and the catalog of a node, compressed: a fleet has many, and nothing is stored before all of them are compiled.
#[derive(Debug)]
pub(super) struct PackedNode {
    node: String,
    environment: String,
    facts: Vec<u8>,
    catalog: Vec<u8>,
    /// The resources that its catalog exports.
    pub exports: Vec<Resource>,
}

impl PackedNode {
    pub fn pack(node: &SiteNode, catalog: &Catalog) -> PackedNode {
        let mut facts = String::new();
        json::value(&mut facts, &facts_to_store(node).into());
        PackedNode {
            node: node.node.name.clone(),
            environment: node.site.environment.clone(),
            facts: lz4_flex::compress_prepend_size(facts.as_bytes()),
            catalog: lz4_flex::compress_prepend_size(catalog.to_json().as_bytes()),
            exports: exported_resources(catalog),
        }
    }

    pub fn store(&self, store: &dyn NodeStore) -> Result<(), Problem> {
        let facts = serde_json::from_slice(&unpack(&self.facts)?).map_err(damaged)?;
        let facts = match read::data(&facts) {
            Value::Hash(facts) => facts,
            _ => Hash::new(),
        };
        let catalog = Catalog::from_json(&unpack(&self.catalog)?).map_err(damaged)?;
        let PackedNode { node, environment, .. } = self;
        update(store, &NodeUpdate { node, environment, facts: &facts, catalog: &catalog })
    }
}

fn unpack(packed: &[u8]) -> Result<Vec<u8>, Problem> {
    lz4_flex::decompress_size_prepended(packed).map_err(damaged)
}

fn damaged(error: impl std::fmt::Display) -> Problem {
    Problem::other("cannot read a catalog that was to be stored").because(error)
}
