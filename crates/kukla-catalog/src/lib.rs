//! Catalogs: resources, their relationships, and the documents that carry them.
//!
//! A [`Catalog`] is finished: nothing in it is virtual, every reference is resolved and every value is plain data, just as
//! an agent receives it. The evaluator builds one; stores, agents and tools begin with one.

pub mod catalog;
pub mod codes;
pub mod cycles;
pub mod difference;
pub mod exports;
pub mod graph;
pub mod json;
pub mod read;
pub mod reference;
pub mod resource;
pub mod summary;
pub mod tags;
pub mod types;
pub mod yaml;

pub use catalog::{Catalog, Edge};
pub use difference::Difference;
pub use exports::{ExportQuery, ExportedResource, Exports, Filter};
pub use graph::{CatalogGraph, GraphEdge, GraphEdgeKind};
pub use reference::ResourceRef;
pub use resource::{Resource, ResourceKind};
