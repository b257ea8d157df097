//! The compiler as a library: environments, nodes, catalogs.

pub mod classify;
pub mod codes;
pub mod compiler;
pub mod conf;
mod context;
pub mod control;
pub mod data;
pub mod disk;
pub mod exports;
pub mod facts;
pub mod provenance;
pub mod puppet_conf;
pub mod request;
pub mod rpc;
pub mod ruby_types;
pub mod site;
