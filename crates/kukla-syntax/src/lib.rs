//! The Puppet language's text, tokens, lossless tree, typed AST, validation and PN.

pub mod article;
pub mod ast;
mod code;
pub mod codes;
mod contain;
mod decode;
mod deep;
mod diagnostic;
mod float;
mod kind;
mod lexer;
mod parser;
pub mod pn;
mod problem;
mod source;
mod span;
pub mod suggest;
pub mod tree;
pub mod validate;
pub mod words;

pub use code::{Code, Severity, Strict};
pub use contain::{ContainedPanic, contain, silence_contained_panics};
pub use decode::Number;
pub use deep::{deep, roomy, with_stack};
pub use diagnostic::{
    Diagnostic, Error, Fact, ForeignException, Frame, Label, Location, NAMELESS, Result, SourcePosition,
    Stage, ToFact, Trace,
};
pub use float::float_text;
pub use kind::SyntaxKind;
pub use parser::{Parse, ParseOptions, parse, parse_epp, parse_signature, parse_with};
pub use problem::{Problem, ProblemKind};
pub use source::{InvalidUtf8, Source};
pub use span::{LineColumn, LineIndex, Span};
pub use tree::Tree;
