//! The rules of values, types and data, by theme.

mod brackets;
mod conversions;
mod data;
mod formatting;
mod limits;
mod objects;
mod operators;
mod rich_data;
mod texts;
mod times;
mod types;

use kukla_syntax::Code;

pub use brackets::*;
pub use conversions::*;
pub use data::*;
pub use formatting::*;
pub use limits::*;
pub use objects::*;
pub use operators::*;
pub use rich_data::*;
pub use texts::*;
pub use times::*;
pub use types::*;

/// Every code of values and types.
pub fn all() -> impl Iterator<Item = &'static Code> {
    [OPERATORS, BRACKETS, TYPES, OBJECTS, CONVERSIONS, FORMATTING, TEXTS, TIMES, RICH_DATA, DATA, LIMITS]
        .into_iter()
        .flatten()
        .copied()
}
