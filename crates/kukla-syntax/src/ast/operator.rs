//! Operators, assignments, relationships, selectors and accesses.

use super::expr::{Expr, first_expr, nth_expr};
use super::{Arguments, views};
use crate::Number;
use crate::SyntaxKind as K;
use crate::tree::Node;

views! {
    /// `left = right`
    Assignment = Assignment;
    /// `left -> right`
    Relationship = Relationship;
    /// `left + right` and the like
    Binary = Binary;
    /// `!x`
    Not = Not;
    /// `-x`
    Negate = Negate;
    /// `*x`
    Unfold = Unfold;
    /// `(x)`
    Paren = Paren;
    /// `x ? { match => value }`
    Selector = Selector;
    /// `match => value`
    SelectorEntry = SelectorEntry;
    /// `x[keys]`
    Access = Access | AliasedAccess;
}

/// Declares operators: an enum of those that one kind of expression can have.
macro_rules! operators {
    ($(#[$doc:meta])+ $name:ident, $default:ident { $( $(#[$variant_doc:meta])+ $variant:ident = $kind:ident $text:literal ),* $(,)? }) => {
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $( $(#[$variant_doc])+ $variant, )*
        }

        impl $name {
            /// The operator as it is written.
            pub const fn text(self) -> &'static str {
                match self { $( $name::$variant => $text, )* }
            }

            fn of(node: Node<'_>) -> $name {
                let found = node.children().find_map(|child| match child.kind() {
                    $( K::$kind => Some($name::$variant), )*
                    _ => None,
                });
                found.unwrap_or($name::$default)
            }
        }
    };
}

operators! {
    /// The operators of an [`Assignment`].
    AssignOp, Assign {
        /// `=`
        Assign = Equals "=",
        /// `+=`
        Append = PlusEquals "+=",
        /// `-=`
        Delete = MinusEquals "-=",
    }
}

operators! {
    /// The operators of a [`Relationship`].
    ArrowOp, Before {
        /// `->`
        Before = Before "->",
        /// `~>`
        Notify = Notify "~>",
        /// `<-`
        After = After "<-",
        /// `<~`
        Subscribe = Subscribe "<~",
    }
}

operators! {
    /// The operators of a [`Binary`] expression.
    BinaryOp, Add {
        /// `and`
        And = AndKw "and",
        /// `or`
        Or = OrKw "or",
        /// `in`
        In = InKw "in",
        /// `=~`
        Match = Match "=~",
        /// `!~`
        NoMatch = NoMatch "!~",
        /// `+`
        Add = Plus "+",
        /// `-`
        Subtract = Minus "-",
        /// `*`
        Multiply = Star "*",
        /// `/`
        Divide = Slash "/",
        /// `%`
        Modulo = Percent "%",
        /// `<<`
        ShiftLeft = ShiftLeft "<<",
        /// `>>`
        ShiftRight = ShiftRight ">>",
        /// `==`
        Equal = EqualsEquals "==",
        /// `!=`
        NotEqual = NotEquals "!=",
        /// `<`
        Less = Less "<",
        /// `<=`
        LessOrEqual = LessEquals "<=",
        /// `>`
        Greater = Greater ">",
        /// `>=`
        GreaterOrEqual = GreaterEquals ">=",
    }
}

/// Two operands and an operator between them.
macro_rules! binary {
    ($($view:ident, $operator:ident;)*) => { $(
        impl<'t> $view<'t> {
            /// The left operand.
            pub fn left(self) -> Expr<'t> {
                nth_expr(self.0, 0)
            }

            /// The right operand.
            pub fn right(self) -> Expr<'t> {
                nth_expr(self.0, 1)
            }

            /// The operator.
            pub fn operator(self) -> $operator {
                $operator::of(self.0)
            }
        }
    )* };
}

binary! {
    Assignment, AssignOp;
    Relationship, ArrowOp;
    Binary, BinaryOp;
}

/// One operand.
macro_rules! unary {
    ($($view:ident)*) => { $(
        impl<'t> $view<'t> {
            /// The operand.
            pub fn inner(self) -> Expr<'t> {
                first_expr(self.0)
            }
        }
    )* };
}

unary! { Not Negate Unfold Paren }

impl Negate<'_> {
    /// The value of a negative number literal.
    pub fn literal(self) -> Option<Number> {
        let Expr::Number(number) = self.inner() else { return None };
        Some(match number.value() {
            Number::Float(value) => Number::Float(-value),
            Number::Integer { value, radix } => Number::Integer { value: value.map(|value| -value), radix },
        })
    }
}

impl<'t> Selector<'t> {
    /// The value to match.
    pub fn left(self) -> Expr<'t> {
        first_expr(self.0)
    }

    /// The possible matches and their values.
    pub fn entries(self) -> impl Iterator<Item = SelectorEntry<'t>> {
        self.0.children().filter_map(SelectorEntry::cast)
    }
}

impl<'t> SelectorEntry<'t> {
    /// The value to match against.
    pub fn matching(self) -> Expr<'t> {
        nth_expr(self.0, 0)
    }

    /// The value if it matches.
    pub fn value(self) -> Expr<'t> {
        nth_expr(self.0, 1)
    }
}

impl<'t> Access<'t> {
    /// The value that is accessed.
    pub fn left(self) -> Expr<'t> {
        first_expr(self.0)
    }

    /// The keys; consecutive `key => value` entries make up one hash.
    pub fn keys(self) -> Arguments<'t> {
        let bracket = self.0.children().nth(1).map_or(self.0.end_index(), Node::index);
        Arguments::from(self.0, bracket)
    }
}
