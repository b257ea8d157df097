//! The integration tests of the crate, in one binary: every further binary is another link.

mod engine;
mod gems;
mod lookups;
#[path = "../../kukla-formats/tests/support/mod.rs"]
mod support;
#[path = "../../kukla-formats/tests/support/values.rs"]
mod values;
