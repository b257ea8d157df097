//! Puppet's benchmark scenarios, timed side by side with real Puppet.
//!
//! A scenario is a small environment under the name Puppet's own suite has for it. Both sides speak the `rpc` protocol, so
//! they answer the same question about the same files in one run; only the ratio means anything on a noisy machine.

pub mod control_repository;
pub mod full_catalog;
pub mod part;
pub mod peer;
pub mod plot;
pub mod scenario;
pub mod timing;
