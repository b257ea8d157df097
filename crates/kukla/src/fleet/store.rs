//! Stores as fleets use them: they have the exported resources of other nodes and receive catalogs.

use std::fmt::Debug;
use std::sync::Arc;

use kukla_catalog::{Catalog, Exports, Resource, json, read};
use kukla_eval::error::Diagnostic;
use kukla_syntax::Problem;
use kukla_values::{Hash, Value};

use super::node::SiteNode;
use crate::exchange::exported_resources;

/// A store of the facts and catalogs of all nodes. `kukla-store` has implementations; the facade does not depend on any.
pub trait NodeStore: Send + Sync + Debug {
    /// The exported resources of all nodes.
    fn exports(&self) -> Arc<dyn Exports>;

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
    facts.insert("trusted", node.node.trusted.clone());
    facts
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
