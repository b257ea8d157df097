//! Values that can be iterated over.

use kukla_syntax::diagnostic;
use kukla_values::iterator::{Members, iterate};
use kukla_values::{Result, Value};

use crate::codes::NOT_ITERABLE;
use crate::ruby;

pub use kukla_values::iterator::gives_pairs as hash_style;

/// The members of a value, made as they are asked for.
pub fn items(value: &Value) -> Result<Members> {
    Ok(iterate(value).ok_or_else(|| diagnostic!(NOT_ITERABLE { kind: ruby::class(value) }))?)
}
