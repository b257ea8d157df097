//! Which constructs do nothing but produce a value.

use crate::ast::{BinaryOp, Block, Expr};

/// Whether evaluating this changes nothing, so that it is pointless unless its value is used. What looks pointless but
/// calls a function somewhere inside an operator or a string is pointless all the same: nobody should rely on that.
pub(super) fn has_no_effect(expr: Expr<'_>) -> bool {
    match expr {
        Expr::Undef(_)
        | Expr::Default(_)
        | Expr::Boolean(_)
        | Expr::Number(_)
        | Expr::String(_)
        | Expr::Interpolated(_)
        | Expr::Heredoc(_)
        | Expr::Regex(_)
        | Expr::Name(_)
        | Expr::Type(_)
        | Expr::Variable(_)
        | Expr::Array(_)
        | Expr::Hash(_)
        | Expr::Not(_)
        | Expr::Negate(_)
        | Expr::Unfold(_)
        | Expr::Selector(_)
        | Expr::UntitledResource(_)
        | Expr::Access(_) => true,
        // A match sets `$0` and so on.
        Expr::Binary(binary) => !matches!(binary.operator(), BinaryOp::Match | BinaryOp::NoMatch),
        Expr::Paren(paren) => has_no_effect(paren.inner()),
        Expr::If(branches) => {
            branches.branches().all(|branch| has_no_effect(branch.test()) && block_has_none(branch.block()))
                && block_has_none(branches.else_block())
        }
        Expr::Unless(unless) => {
            has_no_effect(unless.test())
                && block_has_none(unless.block())
                && block_has_none(unless.else_block())
        }
        Expr::Case(case) => {
            has_no_effect(case.test())
                && case
                    .options()
                    .all(|option| option.values().all(has_no_effect) && block_has_none(option.block()))
        }
        _ => false,
    }
}

fn block_has_none(block: Option<Block<'_>>) -> bool {
    block.is_none_or(|block| block.statements().all(has_no_effect))
}
