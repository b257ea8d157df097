//! The tests that are neither chapters of the book nor mutations, in one binary: every further binary is another link.

mod codes;
mod differential;
