//! The Puppet language's text, tokens, lossless tree, typed AST, validation and PN.

pub mod codes;
mod diagnostic;
mod source;
mod span;

pub use diagnostic::{Code, Diagnostic, Label, Severity, Strict};
pub use source::{InvalidUtf8, Source};
pub use span::{LineColumn, LineIndex, Span};
