//! Ruby as modules use it.
//!
//! A crate of its own because its parser takes longer to build than all the rest together.

pub mod resource_type;
