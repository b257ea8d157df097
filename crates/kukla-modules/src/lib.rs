//! Puppetfiles: read, resolved, locked and installed from one store of modules.
//!
//! | step | module | from | to |
//! |---|---|---|---|
//! | read | [`puppetfile`] | the Ruby of a Puppetfile | `Puppetfile` with its `Declaration`s |
//! | look up | [`forge`], [`git`] | names, URLs | versions, commits, dependencies |
//! | resolve | [`resolve`] | declarations and dependencies | one version of each module, or an explanation |
//! | lock | [`lock`] | versions | `Puppetfile.lock` |
//! | fetch | [`unpack`], [`store`] | archives, commits | trees of the store |
//! | install | [`install`] | a lock, the store | directories of modules |
//! | deploy | [`deploy`] | the branches of control repositories | directories of environments |
//!
//! Everything works on any Puppetfile and any directory; nothing depends on the command line.

#![allow(clippy::disallowed_methods)] // downloads, the store and installed modules are on the disk; a Puppetfile's code sees a `World` only

pub mod deploy;
pub mod digest;
pub mod forge;
pub mod git;
pub mod install;
pub mod lock;
pub mod metadata;
pub mod network;
pub mod parallel;
pub mod puppetfile;
pub mod report;
pub mod resolve;
pub mod sources;
pub mod store;
pub mod unpack;
pub mod world;
