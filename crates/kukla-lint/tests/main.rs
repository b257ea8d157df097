//! Tests of the rules.

mod examples;
mod fixes;
mod lexer;
mod puppet_lint;
