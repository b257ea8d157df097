//! What went wrong, before anyone knows where.

use std::fmt;

/// A failure that knows no position; the evaluator adds the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Puppet's issue code, or a finer one of ours.
    pub code: &'static str,
    /// The message, in Puppet's shape.
    pub message: String,
}

/// The result of an operation on values.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A failure with a code of its own.
    pub fn new(code: &'static str, message: impl Into<String>) -> Error {
        Error { code, message: message.into() }
    }

    /// A failure Puppet has no code for.
    pub fn runtime(message: impl Into<String>) -> Error {
        Error::new("RUNTIME_ERROR", message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
