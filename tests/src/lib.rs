//! The runner of the conformance book: chapters in Markdown become tests that Kukla and real Puppet both answer.
//!
//! [`chapter`] reads a file into sections, [`statement`] finds the claims in a block, [`check`] asks the
//! [`subject`] and compares. [`spec`] runs the cases of the language specification the same way, and
//! [`ratchet`] remembers what held before, so that nothing that held may fail again.

#![allow(clippy::disallowed_methods)] // a test runner reads the disk

#[cfg(test)]
mod architecture;
pub mod catalog;
pub mod chapter;
pub mod check;
pub mod claim;
pub mod fuzz;
pub mod notation;
pub mod options;
pub mod ratchet;
pub mod reference;
pub mod scratch;
pub mod spec;
pub mod statement;
pub mod subject;
pub mod tally;
