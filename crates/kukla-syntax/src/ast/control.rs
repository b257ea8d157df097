//! `if`, `unless` and `case`.

use super::expr::{Block, Expr, first_expr};
use super::views;
use crate::SyntaxKind as K;
use crate::tree::Node;

views! {
    /// `if test { } elsif test { } else { }`
    If = If;
    /// `unless test { } else { }`
    Unless = Unless;
    /// `case test { options }`
    Case = Case;
    /// `a, b: { statements }`
    CaseOption = CaseOption;
}

/// A condition and what to do if it holds: the first branch of an `if`, or an `elsif`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch<'t>(Node<'t>);

impl<'t> Branch<'t> {
    /// The node behind the view.
    pub fn syntax(self) -> Node<'t> {
        self.0
    }

    /// The condition.
    pub fn test(self) -> Expr<'t> {
        first_expr(self.0)
    }

    /// The body.
    pub fn block(self) -> Option<Block<'t>> {
        self.0.child(K::Block).map(Block)
    }

    /// The position Puppet reports for the `if` or `elsif`.
    pub fn puppet_offset(self) -> u32 {
        self.0.start()
    }

    /// The span of the branch; for the first one, the whole `if`.
    pub fn span(self) -> crate::Span {
        self.0.span()
    }
}

/// The body of `else`.
pub type Else<'t> = Block<'t>;

impl<'t> If<'t> {
    /// The `if` and every `elsif`, in order; there is at least one.
    pub fn branches(self) -> impl Iterator<Item = Branch<'t>> {
        let elsifs = self.0.children().filter(|child| child.kind() == K::Elsif);
        std::iter::once(self.0).chain(elsifs).map(Branch)
    }

    /// The `else`.
    pub fn else_block(self) -> Option<Else<'t>> {
        else_block(self.0)
    }
}

fn else_block(node: Node<'_>) -> Option<Block<'_>> {
    node.child(K::Else)?.child(K::Block).map(Block)
}

impl<'t> Unless<'t> {
    /// The condition.
    pub fn test(self) -> Expr<'t> {
        first_expr(self.0)
    }

    /// The body if the condition is false.
    pub fn block(self) -> Option<Block<'t>> {
        self.0.child(K::Block).map(Block)
    }

    /// The body if the condition is true.
    pub fn else_block(self) -> Option<Else<'t>> {
        else_block(self.0)
    }
}

impl<'t> Case<'t> {
    /// The value to match.
    pub fn test(self) -> Expr<'t> {
        first_expr(self.0)
    }

    /// The options, in order.
    pub fn options(self) -> impl Iterator<Item = CaseOption<'t>> {
        self.0.children().filter_map(CaseOption::cast)
    }
}

impl<'t> CaseOption<'t> {
    /// The values to match against; there is at least one.
    pub fn values(self) -> impl Iterator<Item = Expr<'t>> {
        self.0.children().take_while(|child| child.kind() != K::Colon).filter_map(Expr::cast)
    }

    /// The body if it matches.
    pub fn block(self) -> Option<Block<'t>> {
        self.0.child(K::Block).map(Block)
    }
}
