//! Fleets: all nodes of a control repository, compiled together, compiled again after edits, and compared on two sides.
//!
//! ```
//! use std::sync::Arc;
//! use kukla::MemoryWorld;
//! use kukla::fleet::{CompareOptions, Finding, Fleet, FleetCompileOptions, FleetComparison, FleetOptions, FleetSide};
//!
//! // A control repository with facts of two nodes, here in memory; `FleetOptions::at` reads one from the disk.
//! let control = |mode: &str| {
//!     let world = MemoryWorld::default()
//!         .with("/control/manifests/site.pp", format!("file {{ '/etc/motd': mode => '{mode}' }}"))
//!         .with("/control/facts/web1.yaml", "kernel: Linux")
//!         .with("/control/facts/web2.yaml", "kernel: Linux");
//!     FleetOptions::in_world("/control", Arc::new(world))
//! };
//!
//! // Compile every node.
//! let fleet = Fleet::open(&control("0644"))?;
//! let run = fleet.compile::<Finding>(&FleetCompileOptions::default(), &())?;
//! let names: Vec<&str> = run.reports.iter().map(|report| report.node.as_str()).collect();
//! assert_eq!(names, ["web1", "web2"]);
//! assert!(run.reports.iter().all(|report| report.errors.is_empty()));
//!
//! // Compare the nodes of two sides.
//! let (before, after) = (FleetSide::new("before", control("0644")), FleetSide::new("after", control("0600")));
//! let comparison = FleetComparison::open(&before, &after)?;
//! let difference = comparison.compare(&CompareOptions::default(), &())?;
//! assert_eq!(difference.counts().changed, 2);
//! assert_eq!(difference.groups[0].nodes, ["web1", "web2"]);
//! # Ok::<(), kukla::fleet::FleetError>(())
//! ```
//!
//! | type | role |
//! | --- | --- |
//! | [`FleetOptions`] | control repository, nodes, facts, settings, policy |
//! | [`FleetSetup`] | the settings that all nodes share; assembles nodes from facts |
//! | [`NodeParts`] | one node from facts, classification, trusted data and settings |
//! | [`FactSets`] | the facts of nodes that have none of their own |
//! | [`NodeSource`] | the fact file, store or name that nodes come from |
//! | [`Fleet`] | the nodes, and their sites; [`Fleet::compile`] compiles all of them |
//! | [`Watch`] | compiles again after an edit, and finds the catalogs that it changes |
//! | [`FleetComparison`] | compares the nodes of two sides |
//! | [`Observer`], [`Cancellation`] | progress, and the end of a run before its time |
//!
//! Nothing here prints or reads arguments. Files are read through the worlds of the [`Control`] repository; catalogs and caches are written
//! to the disk where options name a directory.

mod catalogs;
mod commands;
mod compare;
mod compile;
mod fact_sets;
mod members;
mod names;
mod node;
mod options;
mod profile;
mod progress;
mod report;
mod run_cache;
mod selection;
mod setup;
mod source;
mod store;
#[cfg(test)]
mod tests;
mod violations;
mod watch;

pub use catalogs::compare_catalogs;
pub use compare::{ChangedFiles, CompareCache, CompareOptions, FleetComparison, FleetSide};
pub use compile::{CacheOptions, FleetCompileOptions, FleetRun, NodeCompilation, NodeCompileOptions};
pub use fact_sets::FactSets;
pub use members::{Fleet, FleetCompiler, FleetError, Member, duplicate_nodes};
pub use names::FACTS_HELP;
pub use node::{AssembledNode, Classifier, NodeParts, SiteNode};
pub use options::{Control, FleetOptions};
pub use profile::FleetProfile;
pub use progress::{Cancellation, FleetEvent, Observer};
pub use report::{FailOn, Finding, NodeMessage, NodeReport};
pub use selection::NodeSelection;
pub use setup::{ChosenNode, FleetSetup};
pub use source::NodeSource;
pub use store::{NodeStore, NodeUpdate, store_node};
pub use watch::{Watch, WatchChanges, WatchStep};
