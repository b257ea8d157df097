//! The subcommands, one module each, and the options they share.

pub mod about;
#[cfg(not(all(feature = "modules", feature = "serve")))]
pub mod absent;
#[cfg(feature = "serve")]
pub mod ca;
mod cache;
pub mod check;
pub mod compile;
pub mod completions;
#[cfg(feature = "modules")]
pub mod deploy;
pub mod diff;
pub mod doc;
pub mod doctor;
pub mod epp;
pub mod eval;
pub mod explain;
pub mod facts;
mod fleet;
pub mod fmt;
pub mod init;
#[cfg(feature = "serve")]
mod key_work;
pub mod lint;
mod locked_modules;
pub mod lookup;
pub mod lsp;
pub mod man;
#[cfg(feature = "modules")]
pub mod modules;
pub mod new;
mod options;
pub mod pages;
pub mod parse;
pub mod policy;
mod progress;
pub mod repl;
pub mod rpc;
pub mod ruby;
#[cfg(feature = "serve")]
pub mod serve;
#[cfg(feature = "serve")]
mod server_options;
pub mod store;
mod stores;
mod suggestion;
mod target;
pub mod test;
pub mod why;
