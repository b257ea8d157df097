//! Whole repositories, code and data, checked without running anything.
//!
//! | part | holds |
//! | --- | --- |
//! | [`repository`] | the files of a repository, and what they define: the index |
//! | [`walk`] | the way through one text: scopes, and what expressions come to |
//! | [`rules`] | what can be wrong, family by family: the words, and when they are said |
//! | [`data`] | hierarchies and data files |
//! | [`Checker`] | all of it for one repository, kept for as long as nothing changes |
//!
//! What cannot be known is never reported: a name of a module that is not here may be there, a value that is computed may fit.

pub mod baseline;
mod checker;
mod config;
pub mod data;
mod describe;
mod erb;
mod finding;
pub mod fix;
mod ignore;
mod overlap;
pub mod repository;
pub mod rule;
pub mod rules;
mod suggest;
mod text;
pub mod walk;

pub use checker::{Checker, Options, Report};
pub use config::Config;
pub use finding::{Finding, Fix};
pub use repository::survey::root_of;
pub use rule::{Asks, Rule, Target, When};
