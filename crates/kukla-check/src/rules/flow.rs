//! Code that is never reached.

use kukla::eval::codes::ILLEGAL_JUMP;
use kukla::syntax::ast::{Expr, Statements};
use kukla::syntax::{Span, diagnostic};

use crate::rule::rules;
use crate::walk::{Scope, ScopeKind, Walk};

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
    /// Reports `break`, `next` and `return` where there is nothing to leave.
    pub fn check_jump(&mut self, word: &str, span: Span) {
        let is_lambda = |scope: &Scope| scope.kind == ScopeKind::Lambda;
        let body = self.scopes.iter().rev().find(|scope| !is_lambda(scope)).map(|scope| &scope.kind);
        let is_outside = self.scopes.last().is_none_or(|scope| !is_lambda(scope));
        let is_wrong = match word {
            "break" => is_outside,
            "next" => is_outside && matches!(body, Some(ScopeKind::Top | ScopeKind::Node)),
            _ => matches!(body, Some(ScopeKind::Top | ScopeKind::Node)),
        };
        if !is_wrong || matches!(body, Some(ScopeKind::Template { .. })) {
            return;
        }
        let hint = match word {
            "break" => "`break` ends the iteration of the lambda around it",
            "next" => "`next` ends a lambda, a function, a class or a defined type",
            _ => "`return` leaves a function, a class or a defined type",
        };
        self.report(diagnostic!(span, ILLEGAL_JUMP { word }).hint(hint));
    }

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
