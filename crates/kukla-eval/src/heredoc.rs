//! Heredocs that say what they are written in: `@("END":json)` must be JSON once its variables are filled in.

use kukla_syntax::validate::check_syntax;
use kukla_values::Value;

use crate::error::Flow;
use crate::program::Heredoc;
use crate::vm::Vm;

impl Vm<'_> {
    pub(crate) fn eval_heredoc(&mut self, heredoc: &Heredoc) -> Flow {
        let value = self.eval(&heredoc.text)?;
        if let Value::String(text) = &value
            && let Some(wrong) = check_syntax(text, &heredoc.syntax, heredoc.text.span)
        {
            return Err(wrong.in_source(&self.unit().source).into());
        }
        Ok(value)
    }
}
