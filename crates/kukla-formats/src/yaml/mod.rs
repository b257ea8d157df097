//! YAML, exactly as Ruby's Psych reads and writes it.

mod emit;
mod lines;
mod read;
mod scalar;
mod tags;

pub use emit::{Layout, emit, emit_with};
pub use lines::{Lines, lines};
pub use read::{Document, Options, read};
pub use scalar::{Scalar, resolve};
