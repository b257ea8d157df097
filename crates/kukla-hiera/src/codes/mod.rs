//! Errors in data, its configuration, and lookups.

mod config;
mod data;

use kukla_syntax::Code;

pub use config::*;
pub use data::*;

/// Every code of lookups.
pub fn all() -> impl Iterator<Item = &'static Code> {
    [DATA, CONFIG].into_iter().flatten().copied()
}
