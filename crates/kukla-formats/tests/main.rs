//! The integration tests of the crate, in one binary: every further binary is another link.

mod eyaml;
mod gems;
mod psych;
mod support;
#[path = "support/values.rs"]
mod values;
