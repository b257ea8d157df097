//! YAML, exactly as Ruby's Psych reads and writes it.

use std::fmt;
use std::sync::Arc;

mod emit;
mod lines;
mod read;
mod scalar;
mod tags;

pub use emit::{EmitError, Layout, emit, emit_with};
pub use lines::{Lines, lines};
pub use read::{Document, Options, read};
pub use scalar::{Scalar, resolve};

/// Why a text is not the YAML that was wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    problem: Arc<str>,
    place: Option<(u32, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ErrorKind {
    /// The text is not YAML.
    Syntax,
    /// It is, but asks for a Ruby class that is not allowed.
    Class,
    /// It is, but a value in it makes no sense.
    Other,
}

impl Error {
    /// The message in Puppet's shape, which names the file for some kinds of errors only.
    pub fn message(&self, file: &str) -> String {
        match (self.kind, self.place) {
            (ErrorKind::Syntax, Some((line, column))) => {
                format!("({file}): {} at line {line} column {column}", self.problem)
            }
            (ErrorKind::Class, _) => format!("({file}): {}", self.problem),
            _ => self.problem.to_string(),
        }
    }

    /// Line and column, from one, where known.
    pub fn place(&self) -> Option<(u32, u32)> {
        self.place
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message("<unknown>"))
    }
}

impl std::error::Error for Error {}
