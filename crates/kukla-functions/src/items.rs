//! What can be iterated over.

use kukla_values::iterator::{Members, iterate};
use kukla_values::{Error, Result, Value};

use crate::ruby;

pub use kukla_values::iterator::gives_pairs as hash_style;

/// The members of a value, made as they are asked for.
pub fn items(value: &Value) -> Result<Members> {
    iterate(value).ok_or_else(|| {
        Error::runtime(format!("wrong argument type ({}; is not Iterable.", ruby::class(value)))
    })
}
