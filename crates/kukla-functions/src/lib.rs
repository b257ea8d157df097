//! The built-in functions.

use kukla_eval::function::Builtin;

/// The functions of every file.
pub static TABLES: &[&[Builtin]] = &[];
