//! The subcommands, one file each.

pub mod check;
pub mod compile;
pub mod diff;
pub mod doc;
pub mod epp;
pub mod eval;
pub mod explain;
pub mod facts;
mod fleet;
pub mod lookup;
pub mod parse;
mod policy;
pub mod repl;
pub mod rpc;
pub mod ruby;
pub mod store;
mod stores;
mod target;
pub mod why;
