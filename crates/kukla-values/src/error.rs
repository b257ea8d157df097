//! Errors without a location, which the evaluator adds.

pub use kukla_syntax::{Error, Result};
