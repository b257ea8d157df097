//! Lowering: from the syntax tree to a [`Program`].

use kukla_syntax::{Source, Strict};
use kukla_values::Name;

use crate::error::Failure;
use crate::program::Program;

/// Reads, checks and lowers a source text. The file may belong to a module.
pub fn lower(source: &Source, module: Option<Name>, strict: Strict) -> Result<Program, Failure> {
    let _ = (source, module, strict);
    Err(Failure::new("SYNTAX_ERROR", "there is no parser yet"))
}
