//! Calls of functions in all their forms, and lambdas.

use super::definition::{parameters, return_type};
use super::expr::{Block, Expr, Statements, first_expr};
use super::literal::{Hash, HashEntry, QualifiedName};
use super::{Parameter, views};
use crate::SyntaxKind as K;
use crate::tree::Node;

views! {
    /// `function(arguments) |parameters| { }`, or without parentheses as a statement
    Call = Call | StatementCall | BareCall | UntitledResource;
    /// `receiver.function(arguments) |parameters| { }`
    MethodCall = MethodCall;
    /// `|parameters| { statements }`
    Lambda = Lambda;
}

/// How a call is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallForm {
    /// `function(arguments)`
    Parenthesized,
    /// `include a, b`: one of the functions that are called without parentheses
    Statement,
    /// `function argument`: any other function so called, which Puppet does not take for a call
    Bare,
}

/// An argument, a key of an access or an element of an array.
pub type Argument<'t> = Expr<'t>;

impl<'t> Call<'t> {
    /// How the call is written.
    pub fn form(self) -> CallForm {
        match self.0.kind() {
            K::Call => CallForm::Parenthesized,
            K::BareCall => CallForm::Bare,
            _ => CallForm::Statement,
        }
    }

    /// The callee; usually an [`Expr::Name`].
    pub fn function(self) -> Expr<'t> {
        match self.0.children().next() {
            Some(name) if name.kind() == K::TypeKw => Expr::Name(QualifiedName(name)),
            _ => first_expr(self.0),
        }
    }

    /// The arguments.
    pub fn arguments(self) -> Arguments<'t> {
        match self.0.kind() {
            K::Call => Arguments::in_parens(self.0),
            K::UntitledResource => Arguments { next: Some(self.0), end: 0, whole: true },
            _ => {
                let name_end = self.0.children().next().map_or(self.0.end_index(), Node::end_index);
                Arguments::from(self.0, name_end)
            }
        }
    }

    /// The lambda.
    pub fn lambda(self) -> Option<Lambda<'t>> {
        self.0.child(K::Lambda).map(Lambda)
    }
}

impl<'t> MethodCall<'t> {
    /// The first argument of the function.
    pub fn receiver(self) -> Expr<'t> {
        first_expr(self.0)
    }

    /// The token of the function's name.
    pub fn name_token(self) -> Option<Node<'t>> {
        self.0.children().skip_while(|child| child.kind() != K::Dot).nth(1)
    }

    /// The function's name.
    pub fn name(self) -> &'t str {
        self.name_token().map_or("", Node::text)
    }

    /// The arguments after the receiver.
    pub fn arguments(self) -> Arguments<'t> {
        Arguments::in_parens(self.0)
    }

    /// The lambda.
    pub fn lambda(self) -> Option<Lambda<'t>> {
        self.0.child(K::Lambda).map(Lambda)
    }
}

impl<'t> Lambda<'t> {
    /// The parameters.
    pub fn parameters(self) -> impl Iterator<Item = Parameter<'t>> {
        parameters(self.0)
    }

    /// The type the lambda says it returns.
    pub fn return_type(self) -> Option<Expr<'t>> {
        return_type(self.0)
    }

    /// The body, braces included.
    pub fn body(self) -> Option<Block<'t>> {
        self.0.child(K::Block).map(Block)
    }

    /// The statements of the body.
    pub fn statements(self) -> Statements<'t> {
        Statements::of(self.0.child(K::Block).unwrap_or(self.0))
    }
}

/// Arguments, keys or elements. Consecutive `key => value` entries come as one hash without braces.
#[derive(Clone)]
pub struct Arguments<'t> {
    next: Option<Node<'t>>,
    end: u32,
    /// `next` is not an argument but the thing whose braces are the only argument.
    whole: bool,
}

impl<'t> Arguments<'t> {
    /// The arguments among all children of `node`.
    pub(super) fn of(node: Node<'t>) -> Arguments<'t> {
        Arguments { next: node.children().next(), end: node.end_index(), whole: false }
    }

    /// The arguments among the children of `node` from the element `index` on.
    pub(super) fn from(node: Node<'t>, index: u32) -> Arguments<'t> {
        let next = node.children().find(|child| child.index() >= index);
        Arguments { next, end: node.end_index(), whole: false }
    }

    fn in_parens(call: Node<'t>) -> Arguments<'t> {
        match call.child(K::Arguments) {
            Some(arguments) => Arguments::of(arguments),
            None => Arguments { next: None, end: 0, whole: false },
        }
    }
}

impl<'t> Iterator for Arguments<'t> {
    type Item = Expr<'t>;

    fn next(&mut self) -> Option<Expr<'t>> {
        loop {
            let node = self.next?;
            if self.whole {
                self.next = None;
                return Some(Expr::Hash(Hash::Braced(node)));
            }
            if node.kind() == K::HashEntry {
                let bare = BareHash { first: node, end: self.end };
                let last = bare.entries().last().map_or(node, |entry| entry.0);
                self.next = last.followers(self.end).next();
                return Some(Expr::Hash(Hash::Bare(bare)));
            }
            self.next = node.followers(self.end).next();
            if let Some(expr) = Expr::cast(node) {
                return Some(expr);
            }
        }
    }
}

/// A run of `key => value` entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BareHash<'t> {
    pub(super) first: Node<'t>,
    end: u32,
}

impl<'t> BareHash<'t> {
    /// The entries.
    pub fn entries(self) -> impl Iterator<Item = HashEntry<'t>> {
        let rest = self.first.followers(self.end);
        let rest = rest.take_while(|node| matches!(node.kind(), K::HashEntry | K::Comma));
        std::iter::once(self.first).chain(rest).filter_map(HashEntry::cast)
    }
}
