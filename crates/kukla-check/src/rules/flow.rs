//! Code that is never reached.

use kukla::syntax::ast::{Expr, Statements};
use kukla::syntax::diagnostic;

use crate::rule::rules;
use crate::walk::Walk;

rules! {
    RULES;

    /// What stands after `fail` or `return` in the same block is never reached.
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
    UNREACHABLE_CODE = "unreachable-code": Warning Always, "This is never reached";
}

impl Walk<'_> {
    /// Says so if statements follow one that never comes to an end.
    pub fn check_reached(&mut self, statements: Statements<'_>) {
        let mut statements = statements.skip_while(|statement| !ends(*statement));
        let Some(last) = statements.next() else { return };
        // In a template there is text between statements, and some give the block a value for form's sake.
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
            self.report(wrong.label(last.span(), "this ends it"));
        }
    }
}

/// Whether nothing that stands after a statement is reached.
fn ends(statement: Expr<'_>) -> bool {
    match statement {
        Expr::Call(call) => match call.function() {
            Expr::Name(name) => matches!(name.name(), "fail" | "return"),
            _ => false,
        },
        _ => false,
    }
}
