//! The integration tests of the crate, in one binary: every further binary is another link.

mod browser;
mod common;
mod diff;
mod explain;
mod incremental;
mod manual;
mod octocatalog;
mod safety;
mod sessions;
mod store;
