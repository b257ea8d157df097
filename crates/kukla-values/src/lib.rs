//! Puppet's values, its type system and the rules between them.
//!
//! A [`Value`] is what an expression evaluates to; a [`Type`] is a set of values and is itself a value. Everything
//! here is pure: no files, no clock, no scopes.

pub mod arithmetic;
pub mod binary;
pub mod budget;
pub mod case;
pub mod codes;
pub mod compare;
pub mod convert;
pub mod error;
pub mod format;
pub mod iterator;
pub mod json;
pub mod meter;
pub mod name;
pub mod random;
pub mod regexp;
pub mod richdata;
pub mod semver;
pub mod shown;
mod size;
pub mod time;
pub mod types;
pub mod uri;
pub mod uuid;
pub mod value;

pub use budget::{Budget, Limits};
pub use error::{Error, Result};
pub use name::Name;
pub use shown::Shown;
pub use types::Type;
pub use value::{Array, Hash, Value};

/// Text in a value: sixteen bytes, short strings inline, cheap to clone.
pub type Str = ecow::EcoString;
