//! YAML, exactly as Ruby's Psych reads and writes it.

mod build;
mod emit;
mod lines;
mod mistake;
mod plain;
mod quoted;
mod read;
mod scalar;
mod search;
mod tags;
mod tree;

pub use emit::{Layout, Writer, emit, emit_with};
pub use lines::{Lines, lines};
pub use mistake::{Mistake, mistake};
pub use read::{Document, Options, read};
pub use scalar::{Scalar, resolve};
pub use tree::{Node, Part, trees};
