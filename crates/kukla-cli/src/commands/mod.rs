//! The subcommands, one file each.

pub mod explain;
pub mod rpc;
