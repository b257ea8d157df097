//! The subcommands, one file each.

pub mod check;
pub mod doc;
pub mod explain;
pub mod parse;
pub mod rpc;
