//! The integration tests of the crate, in one binary: every further binary is another link.

mod counting;
mod differential;
mod generated;
mod host;
mod limits;
mod programs;
