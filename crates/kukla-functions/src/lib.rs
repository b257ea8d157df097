//! The built-in functions.
