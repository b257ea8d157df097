//! Definitions: classes, defines, nodes, functions, plans, types.

use super::expr::{Block, Expr, Statements, first_expr};
use super::{Arguments, views};
use crate::SyntaxKind as K;
use crate::tree::{Node, Tree};

views! {
    /// `class name (parameters) inherits parent { }`
    ClassDefinition = ClassDefinition;
    /// `define name (parameters) { }`
    DefineDefinition = DefineDefinition;
    /// `node names { }`
    NodeDefinition = NodeDefinition;
    /// `function name(parameters) >> Type { }`
    FunctionDefinition = FunctionDefinition;
    /// `plan name(parameters) { }`
    PlanDefinition = PlanDefinition;
    /// `apply(arguments) { }`
    Apply = Apply;
    /// `type Name = Type`
    TypeAlias = TypeAlias;
    /// `type Name inherits Parent { }`
    TypeDefinition = TypeDefinition;
    /// `Type *$name = default`
    Parameter = Parameter;
    /// `parameters >> Type`: the signature of a built-in function.
    Signature = Signature;
}

/// The full name of a class, define or plan with this name inside of the classes with those names, outermost first.
pub fn nested_name(around: &[&str], name: &str) -> String {
    if around.is_empty() {
        return name.to_owned();
    }
    let full = format!("{}::{name}", around.join("::"));
    full.strip_prefix("::").map(str::to_owned).unwrap_or(full)
}

pub(super) fn parameters(node: Node<'_>) -> impl Iterator<Item = Parameter<'_>> {
    node.child(K::Parameters).into_iter().flat_map(|list| list.children().filter_map(Parameter::cast))
}

pub(super) fn return_type(node: Node<'_>) -> Option<Expr<'_>> {
    node.child(K::ReturnType).map(first_expr)
}

/// The common parts of definitions with a name. The name follows the keyword.
macro_rules! definitions {
    ($($view:ident $keyword:ident;)*) => { $(
        impl<'t> $view<'t> {
            /// The token of the name.
            pub fn name_token(self) -> Option<Node<'t>> {
                self.0.children().skip_while(|child| child.kind() != K::$keyword).nth(1)
            }

            /// The name as it is written, without the names of classes around it.
            pub fn name(self) -> &'t str {
                self.name_token().map_or("", Node::text)
            }

            /// Whether the definition says `private`.
            pub fn is_private(self) -> bool {
                self.0.child(K::PrivateKw).is_some()
            }

            /// The parameters.
            pub fn parameters(self) -> impl Iterator<Item = Parameter<'t>> {
                parameters(self.0)
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
    )* };
}

definitions! {
    ClassDefinition ClassKw;
    DefineDefinition DefineKw;
    FunctionDefinition FunctionKw;
    PlanDefinition PlanKw;
    TypeDefinition TypeKw;
}

impl<'t> ClassDefinition<'t> {
    /// The token of the parent's name.
    pub fn parent_token(self) -> Option<Node<'t>> {
        self.0.children().skip_while(|child| child.kind() != K::InheritsKw).nth(1)
    }

    /// The name of the class this one inherits from.
    pub fn parent(self) -> Option<&'t str> {
        self.parent_token().map(Node::text)
    }
}

impl<'t> FunctionDefinition<'t> {
    /// The type the function says it returns.
    pub fn return_type(self) -> Option<Expr<'t>> {
        return_type(self.0)
    }
}

impl<'t> TypeDefinition<'t> {
    /// The name of the type this one inherits from.
    pub fn parent(self) -> Option<&'t str> {
        self.0.children().skip_while(|child| child.kind() != K::InheritsKw).nth(1).map(Node::text)
    }
}

/// A matcher of node names: a string, a regular expression, `default`; a string with interpolation is an error of the
/// validator's.
pub type HostMatch<'t> = Expr<'t>;

impl<'t> NodeDefinition<'t> {
    /// The matchers.
    pub fn hosts(self) -> impl Iterator<Item = HostMatch<'t>> {
        let names = self.0.children().take_while(|child| !matches!(child.kind(), K::InheritsKw | K::Block));
        names.filter_map(Expr::cast)
    }

    /// The node this one inherits from, which Puppet no longer supports.
    pub fn parent(self) -> Option<HostMatch<'t>> {
        self.0.children().skip_while(|child| child.kind() != K::InheritsKw).nth(1).and_then(Expr::cast)
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

impl<'t> Apply<'t> {
    /// The arguments.
    pub fn arguments(self) -> Arguments<'t> {
        match self.0.child(K::Arguments) {
            Some(arguments) => Arguments::of(arguments),
            None => Arguments::from(self.0, self.0.end_index()),
        }
    }

    /// The body, braces included.
    pub fn body(self) -> Option<Block<'t>> {
        self.0.child(K::Block).map(Block)
    }
}

impl<'t> TypeAlias<'t> {
    /// The left-hand side: an [`Expr::Type`], or for a type mapping an [`Expr::Access`].
    pub fn left(self) -> Expr<'t> {
        self.0.children().nth(1).and_then(Expr::cast).unwrap_or(Expr::Error(self.0))
    }

    /// The name of the alias; `None` for a type mapping.
    pub fn name(self) -> Option<&'t str> {
        match self.left() {
            Expr::Type(name) => Some(name.name()),
            _ => None,
        }
    }

    fn right_parts(self) -> impl Iterator<Item = Expr<'t>> {
        self.0.children().skip_while(|child| child.kind() != K::Equals).filter_map(Expr::cast)
    }

    /// The right-hand side: a type, a hash or an array. A hash means `Object[{ ... }]`.
    pub fn right(self) -> Expr<'t> {
        self.right_parts().next().unwrap_or(Expr::Error(self.0))
    }

    /// The hash after the type on the right, as in `type A = Parent { attributes => ... }`, which means
    /// `Object[{ attributes => ..., parent => Parent }]` unless the type is `Object` or `TypeSet`.
    pub fn object_hash(self) -> Option<super::Hash<'t>> {
        match self.right_parts().nth(1) {
            Some(Expr::Hash(hash)) => Some(hash),
            _ => None,
        }
    }
}

impl<'t> Parameter<'t> {
    /// The token of the variable, `$` included.
    pub fn name_token(self) -> Option<Node<'t>> {
        self.0.child(K::Variable)
    }

    /// The name without `$`.
    pub fn name(self) -> &'t str {
        let text = self.name_token().map_or("", Node::text);
        text.strip_prefix('$').unwrap_or(text)
    }

    /// The type.
    pub fn type_expr(self) -> Option<Expr<'t>> {
        let before = self.0.children().take_while(|child| child.kind() != K::Variable);
        before.filter(|child| child.kind() != K::PrivateKw).find_map(Expr::cast)
    }

    /// The default value.
    pub fn default(self) -> Option<Expr<'t>> {
        let after = self.0.children().skip_while(|child| child.kind() != K::Equals);
        after.skip(1).find_map(Expr::cast)
    }

    /// Whether this is `*$name`, which takes all arguments that are left.
    pub fn captures_rest(self) -> bool {
        self.0.child(K::Star).is_some()
    }

    /// Whether this is `&$name`, the lambda that goes with a call.
    pub fn is_block(self) -> bool {
        self.0.child(K::Ampersand).is_some()
    }

    /// Whether the parameter says `private`.
    pub fn is_private(self) -> bool {
        self.0.child(K::PrivateKw).is_some()
    }
}

impl<'t> Signature<'t> {
    /// The signature a tree is of; `None` if it is of something else.
    pub fn of(tree: &'t Tree) -> Option<Signature<'t>> {
        Signature::cast(tree.root())
    }

    /// The parameters, the block among them.
    pub fn parameters(self) -> impl Iterator<Item = Parameter<'t>> {
        parameters(self.0)
    }

    /// The type the function returns.
    pub fn return_type(self) -> Option<Expr<'t>> {
        return_type(self.0)
    }
}
