//! The tests of the formatter: the book, and its guarantees over directories of code.

#![allow(clippy::disallowed_methods)] // tests read their chapters

mod book;
mod corpus;
mod options;
