//! Errors without a position: the evaluator adds it.

pub use kukla_syntax::{Error, Result};
