//! Errors of the built-in functions, by theme.

mod arguments;
mod collections;
mod control;
mod files;
mod numbers;
mod parsing;
mod resources;
mod ruby;
mod secrets;
mod text;
mod validation;

use kukla_syntax::Code;

pub use arguments::*;
pub use collections::*;
pub use control::*;
pub use files::*;
pub use numbers::*;
pub use parsing::*;
pub use resources::*;
pub use ruby::*;
pub use secrets::*;
pub use text::*;
pub use validation::*;

/// Every code of the built-in functions.
pub fn all() -> impl Iterator<Item = &'static Code> {
    [ARGUMENTS, RUBY, NUMBERS, TEXT, COLLECTIONS, CONTROL, RESOURCES, FILES, PARSING, SECRETS, VALIDATION]
        .into_iter()
        .flatten()
        .copied()
}
