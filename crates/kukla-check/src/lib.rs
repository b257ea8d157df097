//! Checks whole repositories, code and data, without running anything.
//!
//! | part | holds |
//! | --- | --- |
//! | [`repository`] | the files of a repository, and the index of their definitions |
//! | [`walk`] | the walk through one text: scopes, and the types of expressions |
//! | [`rules`] | the rules, family by family: their texts, and their checks |
//! | [`data`] | hierarchies and data files |
//! | [`mod@reference`] | the documentation of modules, from their code and comments |
//! | [`symbols`] | the names in all texts: what they mean, and where they occur |
//! | [`Checker`] | the check of one repository, with a cache between runs |
//!
//! Only certain problems are reported: a missing name may belong to a module that is not here, and a computed value may be valid.

pub mod baseline;
mod checker;
mod config;
pub mod data;
mod describe;
pub mod erb;
mod finding;
pub mod fix;
mod notes;
mod overlap;
pub mod readiness;
pub mod reference;
pub mod repository;
pub mod rule;
pub mod rules;
mod suggest;
pub mod symbols;
pub mod text;
pub mod walk;

pub use checker::{CheckedText, Checker, Options, Report, Snapshot};
pub use config::Config;
pub use describe::without_definitions;
pub use finding::{Finding, Fix};
pub use repository::index::DeclaredNames;
pub use repository::root::root_of;
pub use rule::{Rule, RuleSelection, Target, When};
