//! The integration tests of the crate, in one binary: every further binary is another link.

mod breaking;
mod edited;
mod mutations;
mod refusals;
mod rules;
