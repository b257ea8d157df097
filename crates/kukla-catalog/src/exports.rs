//! Exported resources: what the catalogs of nodes offer to collectors of other nodes.

use std::fmt::Debug;
use std::sync::Arc;

use crate::Resource;

/// A resource that the catalog of some node exports.
#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    /// The node.
    pub node: String,
    /// The resource.
    pub resource: Resource,
}

/// Whoever knows what nodes export: a database, or their catalogs.
pub trait Exports: Send + Sync + Debug {
    /// The resources of a type (`Apache::Vhost`) that nodes other than `node` export, or why they cannot be had.
    fn of(&self, type_name: &str, node: &str) -> Result<Vec<Arc<Exported>>, String>;
}
