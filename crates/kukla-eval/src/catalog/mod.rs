//! The catalog half of the evaluator: classes, defines, resources, collectors, relationships.
//!
//! Everything happens in Puppet's order, because order shows: in the order of resources, in which default applies, in whether
//! `defined` finds something. The site manifest is evaluated first, then the node definition, then the classifier's classes.
//! Classes are evaluated where they are declared, but defines and collectors wait: in rounds, first every collector looks
//! for what it has not found yet, then every define that was declared since is evaluated, until a round brings nothing new
//! (`compile.rs`). Overrides of resources nobody has declared, and relationships, wait for the end (`finish.rs`).

mod attributes;
mod builder;
mod class;
mod collect;
mod compile;
mod create;
mod defaults;
mod defined;
mod finish;
pub(crate) mod generated;
mod import;
mod kind;
mod metaparameters;
mod node;
mod output;
mod overrides;
mod parameters;
pub(crate) mod private;
mod provenance;
mod relate;
mod resource;
mod scopes;
mod tags;

pub use builder::{CatalogBuilder, ResourceId};
pub(crate) use class::lower_case;
pub use compile::OutputOptions;
pub use provenance::{AttributeSource, DataOrigins, Part, Provenance, Recorder, Trail};
pub use relate::DrawnRelationship;
