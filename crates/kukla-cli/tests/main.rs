//! The integration tests of the crate, in one binary: every further binary is another link.

#![allow(clippy::disallowed_methods)] // tests prepare files and processes of their own

mod browser;
mod common;
mod config;
#[cfg(feature = "modules")]
mod deploy;
mod diff;
mod editors;
mod explain;
mod first_contact;
mod incremental;
mod lint_fix;
mod manual;
#[cfg(feature = "modules")]
mod modules;
mod octocatalog;
mod safety;
mod schemas;
mod sessions;
mod store;
mod webhook;
