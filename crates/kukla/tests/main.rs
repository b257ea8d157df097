//! The integration tests of the crate, in one binary: every further binary is another link.

mod ahead;
mod budget;
mod changes;
mod common;
mod deep;
mod escapes;
mod external;
mod fleet;
mod functions;
mod lookups;
mod names;
mod overrides;
mod panics;
mod provenance;
mod record;
mod secrets;
mod sharing;
mod sites;
#[path = "../../kukla-formats/tests/support/mod.rs"]
mod support;
