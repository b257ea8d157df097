//! Tests of the rules.

#![allow(clippy::disallowed_methods)] // tests read the disk and the environment

mod examples;
mod fixes;
mod lexer;
mod puppet_lint;
mod site;
