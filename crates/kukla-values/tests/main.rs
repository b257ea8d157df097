//! The integration tests of the crate, in one binary: every further binary is another link.

mod regexp;
mod types;
