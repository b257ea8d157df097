//! The declarations that a body always makes: those that depend on no condition.

use kukla::syntax::ast::{self, Expr, Statements};
use kukla::syntax::tree::Node;
use kukla::syntax::{Source, Span};
use kukla::values::Str;

use super::{literal, plain};

/// The owner of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A class.
    Class(Str),
    /// A defined type.
    Define(Str),
    /// A node definition.
    Node,
    /// The top of a manifest.
    Top,
}

/// A body, and its declarations in order.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its owner.
    pub owner: Owner,
    /// The class that it inherits from.
    pub parent: Option<Str>,
    /// The text that contains it.
    pub source: Source,
    /// Its declarations.
    pub declarations: Vec<Declaration>,
}

/// A declaration with a literal title.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The span of the title.
    pub span: Span,
    /// The declared class or resource.
    pub what: Declared,
}

/// A declared class or resource.
#[derive(Clone, Debug)]
pub enum Declared {
    /// `include`, `require` or `contain`: the class is declared unless it is already.
    Included(Str),
    /// `class { name: }`: the class must not be declared already.
    Class(Str),
    /// A resource.
    Resource {
        /// Its type.
        kind: Str,
        /// Its title.
        title: Str,
        /// Whether it is neither virtual nor exported, so that the body of a defined type is evaluated.
        is_real: bool,
    },
}

impl Body {
    /// The declarations that statements always make.
    pub fn new(owner: Owner, parent: Option<Str>, source: &Source, statements: Statements<'_>) -> Body {
        let mut body = Body { owner, parent, source: source.clone(), declarations: Vec::new() };
        for statement in statements {
            body.add(statement);
            // After a condition that returns, nothing is certain.
            if may_return(statement.syntax()) {
                break;
            }
        }
        body
    }

    fn add(&mut self, expr: Expr<'_>) {
        match expr {
            Expr::Paren(paren) => kukla::syntax::deep(|| self.add(paren.inner())),
            Expr::Relationship(relationship) => kukla::syntax::deep(|| {
                self.add(relationship.left());
                self.add(relationship.right());
            }),
            Expr::Resource(resource) => self.add_resource(resource),
            Expr::Call(call) => {
                let Expr::Name(name) = call.function() else { return };
                if matches!(name.name(), "include" | "require" | "contain") {
                    call.arguments().for_each(|argument| self.add_included(argument));
                }
            }
            _ => {}
        }
    }

    fn add_included(&mut self, argument: Expr<'_>) {
        match argument.unwrap_parens() {
            Expr::Array(array) => array.elements().for_each(|element| self.add_included(element)),
            other => {
                let Some(name) = literal::text(other) else { return };
                let what = Declared::Included(plain(&name));
                self.declarations.push(Declaration { span: other.span(), what });
            }
        }
    }

    fn add_resource(&mut self, resource: ast::Resource<'_>) {
        let kind = match resource.type_expr() {
            None => None,
            Some(Expr::Name(name)) => Some(plain(name.name())),
            Some(_) => return,
        };
        let is_real = resource.form() == ast::ResourceForm::Regular;
        for body in resource.bodies() {
            let titles: Vec<Expr<'_>> = match body.title().unwrap_parens() {
                Expr::Array(array) => array.elements().collect(),
                other => vec![other],
            };
            for title in titles {
                let Some(text) = literal::text(title) else { continue };
                let what = match &kind {
                    None => Declared::Class(plain(&text)),
                    Some(kind) => {
                        Declared::Resource { kind: kind.clone(), title: text.as_str().into(), is_real }
                    }
                };
                self.declarations.push(Declaration { span: title.span(), what });
            }
        }
    }
}

/// Whether some part of a statement calls `return`.
fn may_return(statement: Node<'_>) -> bool {
    let is_return = |expr: Expr<'_>| matches!(expr, Expr::Name(name) if name.name() == "return");
    statement
        .descendants()
        .any(|node| matches!(Expr::cast(node), Some(Expr::Call(call)) if is_return(call.function())))
}
