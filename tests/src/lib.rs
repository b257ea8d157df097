//! The runner of the conformance book: chapters in Markdown become tests that Kukla and real Puppet both answer.
//!
//! The runner of the chapters is that of `kukla test` (`kukla_test::chapters`). The [`subject`] is Kukla or real Puppet, [`spec`] runs the
//! cases of the language specification, and [`ratchet`] remembers what held before, so that nothing that held may fail again.

#![allow(clippy::disallowed_methods)] // a test runner reads the disk

#[cfg(test)]
mod architecture;
pub mod fuzz;
pub mod ratchet;
pub mod reference;
pub mod scratch;
pub mod spec;
pub mod subject;
