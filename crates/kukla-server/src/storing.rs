//! Where facts, catalogs and reports are kept for others to ask.

use std::sync::Arc;

use kukla::Catalog;
use kukla::catalog::Exports;
use serde_json::Value;

use crate::nodes::Facts;
use crate::server::Server;

/// A store.
#[derive(Clone, Debug)]
pub enum Storing {}

impl Storing {
    /// What nodes export.
    pub fn exports(&self) -> Arc<dyn Exports> {
        match *self {}
    }
}

impl Server {
    /// Keeps the facts of a node.
    pub fn keep_facts(&self, _node: &str, _environment: &str, _facts: &Facts) -> Result<(), String> {
        Ok(())
    }

    /// Keeps the catalog of a node.
    pub fn keep_catalog(&self, _node: &str, _environment: &str, _catalog: &Catalog, _transaction: Option<&str>) -> Result<(), String> {
        Ok(())
    }

    /// Keeps a report.
    pub fn keep_report(&self, _report: &Value) -> Result<(), String> {
        Ok(())
    }
}
