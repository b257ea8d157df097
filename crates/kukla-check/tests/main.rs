//! The integration tests of the crate, in one binary: every further binary is another link.

#![allow(clippy::disallowed_methods)] // tests prepare files and processes of their own

mod agreement;
mod breaking;
mod edited;
mod mutations;
mod references;
mod refusals;
mod repositories;
mod rules;
