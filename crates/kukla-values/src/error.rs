//! What went wrong, before anyone knows where: the evaluator adds the place.

pub use kukla_syntax::{Error, Result};
