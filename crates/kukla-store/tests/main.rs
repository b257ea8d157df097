//! The integration tests of the crate, in one binary: every further binary is another link.

mod common;
mod concurrency;
mod crash;
#[path = "common/fake.rs"]
mod fake;
mod outage;
mod postgres;
mod puppetdb;
mod sqlite;
mod stores;
