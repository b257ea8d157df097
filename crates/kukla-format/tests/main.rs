//! The tests of the formatter: the book, and its guarantees over all code that there is.

mod corpus;
