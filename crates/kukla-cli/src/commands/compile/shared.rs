//! `--store`: nodes collect what others export, and what comes of them goes to the store.

use std::sync::Arc;

use kukla::catalog::{Resource, json, read};
use kukla::exchange::{Done, Exchange};
use kukla::values::{Hash, Value};
use kukla::{Catalog, DiskWorld};
use kukla_store::{Store, StoreExports, Timestamp, Update};

use super::{Args, all};
use crate::Outcome;
use crate::commands::stores::told;
use crate::commands::target::Placed;
use crate::memory::for_good;

/// Nodes that are compiled together, and the store that has all others.
#[derive(Debug)]
pub struct Sharing {
    /// What they export to each other.
    pub exchange: Arc<Exchange>,
    store: Arc<dyn Store>,
}

/// Compiles all nodes until what they export has settled.
pub fn run(args: &Args, store: Arc<dyn Store>) -> Result<Outcome, String> {
    let without = [
        (args.cache.is_some(), "--cache", "it could not tell whether other nodes export the same again"),
        (args.watch, "--watch", "an edit may concern nodes that collect what others export"),
    ];
    if let Some((_, option, why)) = without.iter().find(|(is_given, ..)| *is_given) {
        return Err(format!("{option} is not for a store: {why}"));
    }
    let others = Arc::new(StoreExports::new(Arc::clone(&store)));
    let exchange = Arc::new(Exchange::new(Some(others)));
    let compiler = args.target.compiler_asking(DiskWorld::default(), None, Some(Arc::clone(&exchange) as _));
    all::run(args, &for_good(compiler), Some(&Sharing { exchange, store }))
}

impl Sharing {
    /// Stores what came of nodes, each by itself.
    pub fn store(&self, parcels: impl Iterator<Item = Parcel>) -> Result<(), String> {
        for parcel in parcels {
            let Parcel { node, environment, facts, catalog, .. } = parcel;
            let facts = match read::data(&serde_json::from_slice(&unpacked(&facts)?).map_err(damaged)?) {
                Value::Hash(facts) => facts,
                _ => Hash::new(),
            };
            let catalog = Catalog::from_json(&unpacked(&catalog)?).map_err(damaged)?;
            update(&*self.store, &node, &environment, &facts, &catalog)?;
        }
        Ok(())
    }
}

/// What goes to the store of one node, packed: a fleet has many, and nothing is stored before all of them are done.
#[derive(Debug)]
pub struct Parcel {
    node: String,
    environment: String,
    facts: Vec<u8>,
    catalog: Vec<u8>,
    /// What it exports.
    pub exports: Vec<Resource>,
}

impl Parcel {
    /// What came of a node.
    pub fn new(placed: &Placed, catalog: &Catalog) -> Parcel {
        let mut facts = String::new();
        json::value(&mut facts, &known(placed).into());
        Parcel {
            node: placed.node.name.clone(),
            environment: placed.site.environment.clone(),
            facts: lz4_flex::compress_prepend_size(facts.as_bytes()),
            catalog: lz4_flex::compress_prepend_size(catalog.to_json().as_bytes()),
            exports: Done::<()>::exports_of(catalog),
        }
    }
}

fn unpacked(packed: &[u8]) -> Result<Vec<u8>, String> {
    lz4_flex::decompress_size_prepended(packed).map_err(damaged)
}

fn damaged(error: impl std::fmt::Display) -> String {
    format!("what was to be stored cannot be read again: {error}")
}

/// Stores what came of one node.
pub fn store_one(store: &dyn Store, placed: &Placed, catalog: &Catalog) -> Result<(), String> {
    update(store, &placed.node.name, &placed.site.environment, &known(placed), catalog)
}

/// All that is known of a node: its facts, and what its certificate says.
fn known(placed: &Placed) -> Hash {
    let mut facts = placed.node.facts.clone();
    facts.insert("trusted", placed.node.trusted.clone());
    facts
}

fn update(
    store: &dyn Store,
    node: &str,
    environment: &str,
    facts: &Hash,
    catalog: &Catalog,
) -> Result<(), String> {
    let update = Update {
        facts: Some(facts),
        catalog: Some(catalog),
        ..Update::of(node, environment, Timestamp::now())
    };
    store.update(&update).map_err(|wrong| format!("the catalog of {node} is not stored: {}", told(&wrong)))
}
