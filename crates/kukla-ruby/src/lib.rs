//! Ruby as modules use it: an interpreter in Rust, and the resource types that modules declare.
//!
//! Text becomes prism's tree, the tree a lowered program that every interpreter of the process shares, the program is run by a [`Ruby`], whose
//! [`State`] belongs to one compilation. Nothing is global; all effects go through the [`Host`].
//!
//! A crate of its own because its parser takes longer to build than all the rest together.

mod args;
mod backtrace;
pub mod class;
pub mod comments;
mod convert;
pub mod core;
pub mod data;
mod effects;
mod embed;
pub mod erb;
mod error;
pub mod eval;
pub mod hash;
pub mod host;
pub mod iterate;
mod keys;
pub mod library;
pub mod list;
mod lower;
mod memory;
pub mod method;
mod objects;
pub mod outline;
pub mod proc;
mod program;
pub mod recursion;
mod reflect;
mod ruby;
pub mod symbol;
pub mod text;
pub mod value;

pub use args::Args;
pub use class::ClassId;
pub use error::{Result, Unwind};
pub use host::{Embedder, Host};
pub use library::built_in;
pub use lower::{SyntaxProblem, parse};
pub use memory::taken as memory_taken;
pub use program::Program;
pub use ruby::{Ruby, State};
pub use symbol::Symbol;
pub use value::Value;
