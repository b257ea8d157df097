//! Tests of Puppet code: Markdown chapters and RSpec suites, run without Ruby.
//!
//! A [`Project`] is the module or control repository under test. [`discovery`] finds its files of tests, [`runner`] runs them in parallel
//! and returns a [`Suite`](model::Suite) for each in the order of their paths, and [`report`] writes the results.
//!
//! | module | language |
//! | --- | --- |
//! | [`chapters`] | Markdown: a heading is a test, blocks are files, code and expectations |
//! | [`rspec`] | RSpec and rspec-puppet |

pub mod chapters;
pub mod coverage;
pub mod discovery;
pub mod fleet;
pub mod generate;
pub mod model;
pub mod mutation;
mod overlay;
mod project;
pub mod report;
pub mod rspec;
pub mod runner;

pub use overlay::Overlay;
pub use project::{Project, ProjectKind};
