//! Typed views of the tree: what the constructs of the language consist of, without a copy of anything.
//!
//! A view is a node that is known to be of some kind; it costs nothing to make and finds its parts when asked. A tree with
//! errors can lack parts, so parts are optional or come as [`Expr::Error`]; in a tree without errors every part that
//! Puppet's grammar demands is there.
//!
//! Every view knows its [span](Expr::span) and its [`puppet_offset`](Expr::puppet_offset): the position Puppet reports for
//! it, which for an operator is that of the sign, for a call that of the function, for an entry that of its arrow.

mod call;
mod control;
mod definition;
mod expr;
mod literal;
mod operator;
mod position;
mod resource;

pub use call::{Argument, Arguments, BareHash, Call, CallForm, Lambda, MethodCall};
pub use control::{Branch, Case, CaseOption, Else, If, Unless};
pub use definition::{
    Apply, ClassDefinition, DefineDefinition, FunctionDefinition, HostMatch, NodeDefinition, Parameter,
    PlanDefinition, Signature, TypeAlias, TypeDefinition, nested_name,
};
pub use expr::{Block, Expr, Manifest, Statements, Template};
pub use literal::{
    Array, Boolean, Hash, HashEntry, Heredoc, InterpolatedString, NumberLiteral, QualifiedName, Regex,
    RenderText, ReservedWord, Segment, StringLiteral, TypeReference, Variable,
};
pub use operator::{
    Access, ArrowOp, AssignOp, Assignment, Binary, BinaryOp, Negate, Not, Paren, Relationship, Selector,
    SelectorEntry, Unfold,
};
pub(crate) use position::puppet_offset;
pub use resource::{
    Attribute, AttributeOp, Attributes, Collector, Query, Render, RenderBody, Resource, ResourceBody,
    ResourceDefaults, ResourceForm, ResourceOverride, UntitledResource,
};

/// Declares views: structs around a node of one of some kinds.
macro_rules! views {
    ($( $(#[$doc:meta])+ $name:ident = $($kind:ident)|+; )*) => { $(
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name<'t>(pub(super) $crate::tree::Node<'t>);

        impl<'t> $name<'t> {
            /// The node as such a view, if it is one.
            pub fn cast(node: $crate::tree::Node<'t>) -> Option<$name<'t>> {
                matches!(node.kind(), $($crate::SyntaxKind::$kind)|+).then_some($name(node))
            }

            /// The node underneath.
            pub fn syntax(self) -> $crate::tree::Node<'t> {
                self.0
            }

            /// Its span.
            pub fn span(self) -> $crate::Span {
                self.0.span()
            }

            /// The position Puppet reports for this.
            pub fn puppet_offset(self) -> u32 {
                $crate::ast::position::puppet_offset(self.0)
            }
        }
    )* };
}
pub(crate) use views;
