//! Resources, their defaults and overrides, collectors, and what a template renders.

use super::call::Call;
use super::expr::{Block, Expr, first_expr, nth_expr};
use super::views;
use crate::SyntaxKind as K;
use crate::parser::is_statement_function;
use crate::tree::Node;

views! {
    /// `type { title: attributes }`, perhaps virtual or exported
    Resource = Resource | Virtual;
    /// `title: attributes`
    ResourceBody = ResourceBody;
    /// `Type { attributes }`
    ResourceDefaults = ResourceDefaults | Virtual;
    /// `Type[title] { attributes }`
    ResourceOverride = ResourceOverride | Virtual;
    /// `name { attributes }`, which has no title and so is not a resource
    UntitledResource = UntitledResource;
    /// `name => value`, `name +> value`, `* => hash`
    Attribute = Attribute | AttributeSplat;
    /// `Type <| query |> { attributes }`
    Collector = Collector;
    /// `<| query |>`
    Query = Query;
    /// `<%= expression %>`
    Render = EppRender;
}

/// Whether a resource is in the catalog, waits to be collected, or is exported to other nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceForm {
    /// `file { }`
    Regular,
    /// `@file { }`
    Virtual,
    /// `@@file { }`
    Exported,
}

impl ResourceForm {
    /// The form's name as PN spells it.
    pub const fn name(self) -> &'static str {
        match self {
            ResourceForm::Regular => "regular",
            ResourceForm::Virtual => "virtual",
            ResourceForm::Exported => "exported",
        }
    }

    fn of(node: Node<'_>) -> ResourceForm {
        if node.kind() != K::Virtual {
            ResourceForm::Regular
        } else if node.child(K::AtAt).is_some() {
            ResourceForm::Exported
        } else {
            ResourceForm::Virtual
        }
    }
}

/// The resource behind any number of `@`.
pub(super) fn innermost(node: Node<'_>) -> Node<'_> {
    let mut inner = node;
    while inner.kind() == K::Virtual {
        match inner.children().nth(1) {
            Some(next) => inner = next,
            None => break,
        }
    }
    inner
}

/// How an attribute is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttributeOp {
    /// `name => value`
    Set,
    /// `name +> value`
    Append,
    /// `* => hash`
    Splat,
}

impl<'t> Attribute<'t> {
    /// How the attribute is set.
    pub fn operator(self) -> AttributeOp {
        if self.0.kind() == K::AttributeSplat {
            AttributeOp::Splat
        } else if self.0.child(K::PlusArrow).is_some() {
            AttributeOp::Append
        } else {
            AttributeOp::Set
        }
    }

    /// The token of the name, or of the `*` in its place.
    pub fn name_token(self) -> Node<'t> {
        self.0.children().next().unwrap_or(self.0)
    }

    /// The name, or `*`.
    pub fn name(self) -> &'t str {
        self.name_token().text()
    }

    /// The value, or the hash of values.
    pub fn value(self) -> Expr<'t> {
        self.0.children().nth(2).and_then(Expr::cast).unwrap_or(Expr::Error(self.0))
    }
}

/// Attributes, in order.
pub type Attributes<'t> = Box<dyn Iterator<Item = Attribute<'t>> + 't>;

fn attributes(node: Node<'_>) -> impl Iterator<Item = Attribute<'_>> {
    node.children().filter_map(Attribute::cast)
}

/// The common parts of resources, defaults and overrides.
macro_rules! resource_forms {
    ($($view:ident)*) => { $(
        impl<'t> $view<'t> {
            /// Regular, virtual or exported.
            pub fn form(self) -> ResourceForm {
                ResourceForm::of(self.0)
            }

            fn inner(self) -> Node<'t> {
                innermost(self.0)
            }
        }
    )* };
}

resource_forms! { Resource ResourceDefaults ResourceOverride }

impl<'t> Resource<'t> {
    /// The type; usually an [`Expr::Name`]. `None` for `class { }`.
    pub fn type_expr(self) -> Option<Expr<'t>> {
        let inner = self.inner();
        match inner.children().next() {
            Some(class) if class.kind() == K::ClassKw => None,
            _ => Some(first_expr(inner)),
        }
    }

    /// Whether this is `class { 'name': }`.
    pub fn is_class(self) -> bool {
        self.type_expr().is_none()
    }

    /// Titles and attributes.
    pub fn bodies(self) -> impl Iterator<Item = ResourceBody<'t>> {
        self.inner().children().filter_map(ResourceBody::cast)
    }
}

impl<'t> ResourceBody<'t> {
    /// The title or titles.
    pub fn title(self) -> Expr<'t> {
        first_expr(self.0)
    }

    /// The attributes.
    pub fn attributes(self) -> impl Iterator<Item = Attribute<'t>> {
        attributes(self.0)
    }
}

impl<'t> ResourceDefaults<'t> {
    /// The type.
    pub fn type_expr(self) -> Expr<'t> {
        first_expr(self.inner())
    }

    /// The attributes.
    pub fn attributes(self) -> impl Iterator<Item = Attribute<'t>> {
        attributes(self.inner())
    }
}

impl<'t> ResourceOverride<'t> {
    /// The references to the resources.
    pub fn resources(self) -> Expr<'t> {
        first_expr(self.inner())
    }

    /// The attributes.
    pub fn attributes(self) -> impl Iterator<Item = Attribute<'t>> {
        attributes(self.inner())
    }
}

impl<'t> UntitledResource<'t> {
    /// The expression before the braces.
    pub fn name(self) -> Expr<'t> {
        first_expr(self.0)
    }

    /// The content of the braces.
    pub fn attributes(self) -> impl Iterator<Item = Attribute<'t>> {
        attributes(self.0)
    }

    /// With a function that needs no parentheses, as in `notice { a => 1 }`, this is a call with a hash.
    pub fn call(self) -> Option<Call<'t>> {
        match self.name() {
            Expr::Name(name) if is_statement_function(name.name()) => Some(Call(self.0)),
            _ => None,
        }
    }
}

impl<'t> Collector<'t> {
    /// The type of what is collected.
    pub fn type_expr(self) -> Expr<'t> {
        first_expr(self.0)
    }

    /// Which are collected.
    pub fn query(self) -> Option<Query<'t>> {
        self.0.child(K::Query).map(Query)
    }

    /// The attributes to set on them.
    pub fn attributes(self) -> impl Iterator<Item = Attribute<'t>> {
        attributes(self.0)
    }
}

impl<'t> Query<'t> {
    /// Whether exported resources are meant: `<<| |>>`.
    pub fn is_exported(self) -> bool {
        self.0.child(K::ExportedCollectOpen).is_some()
    }

    /// The condition; without one, all are collected.
    pub fn condition(self) -> Option<Expr<'t>> {
        self.0.children().find_map(Expr::cast)
    }
}

/// The expression of `<%= %>`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RenderBody<'t> {
    /// The value of an expression.
    Expr(Expr<'t>),
    /// The value of the last of some statements: `<%= { ... } %>`.
    Block(Block<'t>),
}

impl<'t> Render<'t> {
    /// The rendered text.
    pub fn body(self) -> RenderBody<'t> {
        match self.0.child(K::Block) {
            Some(block) => RenderBody::Block(Block(block)),
            None => RenderBody::Expr(nth_expr(self.0, 0)),
        }
    }
}
