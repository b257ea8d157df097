//! Code that is never reached.

use kukla::syntax::ast::{Expr, Statements};
use kukla::syntax::diagnostic;

use crate::rule::rules;
use crate::walk::Walk;

rules! {
    RULES;

    /// Statements after `fail` or `return` in the same block never run.
    ///
    /// Wrong:
    ///
    /// ```puppet
    /// class web {
    ///   fail('not yet')
    ///   notice('done')
    /// }
    /// ```
    ///
    /// Right:
    ///
    /// ```puppet
    /// class web {
    ///   if $facts['kernel'] != 'Linux' {
    ///     fail('not yet')
    ///   }
    /// }
    /// ```
    UNREACHABLE_CODE = "unreachable-code": Warning Always, "This code is never reached";
}

impl Walk<'_> {
    /// Reports statements after one that leaves the block.
    pub fn check_unreachable(&mut self, statements: Statements<'_>) {
        let mut statements = statements.skip_while(|statement| !leaves_block(*statement));
        let Some(last) = statements.next() else { return };
        // Templates have text between statements, and some blocks end with a literal as their value.
        let next = statements.find(|statement| {
            !matches!(
                statement,
                Expr::RenderText(_)
                    | Expr::FunctionDefinition(_)
                    | Expr::ClassDefinition(_)
                    | Expr::String(_)
                    | Expr::Undef(_)
                    | Expr::Boolean(_)
                    | Expr::Number(_)
            )
        });
        if let Some(next) = next {
            let wrong = diagnostic!(next.span(), UNREACHABLE_CODE);
            self.report(wrong.label(last.span(), "this leaves the block"));
        }
    }
}

/// Whether a statement always leaves its block.
fn leaves_block(statement: Expr<'_>) -> bool {
    match statement {
        Expr::Call(call) => match call.function() {
            Expr::Name(name) => matches!(name.name(), "fail" | "return"),
            _ => false,
        },
        _ => false,
    }
}
