//! The tests of the language server, by a client that knows no editor.

#![allow(clippy::disallowed_methods)] // tests read files and clocks

mod client;
mod equality;
mod lifecycle;
mod navigation;
mod refactoring;
mod typing;
