//! The names of constructs in messages.

use std::fmt::{self, Display};

use crate::ast::{AssignOp, Expr};

/// A construct's name without an article.
pub(super) struct Label<'t>(Expr<'t>);

/// A construct's name without an article.
pub(super) fn label(expr: Expr<'_>) -> Label<'_> {
    Label(expr)
}

impl Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operator = |f: &mut fmt::Formatter<'_>, text: &str| write!(f, "'{text}' expression");
        f.write_str(match self.0 {
            Expr::Undef(_) => "'undef' expression",
            Expr::Default(_) => "'default' expression",
            Expr::Boolean(_) => "Boolean",
            Expr::Number(number) => match number.value() {
                crate::Number::Integer { .. } => "Literal Integer",
                crate::Number::Float(_) => "Literal Float",
            },
            Expr::String(_) => "String",
            Expr::Interpolated(_) => "Double Quoted String",
            Expr::Heredoc(heredoc) => return write!(f, "'@({})' expression", heredoc.syntax_name()),
            Expr::Regex(_) => "Regular Expression",
            Expr::Name(_) => "Name",
            Expr::Type(_) => "Type-Name",
            Expr::Variable(_) => "Variable",
            Expr::Reserved(word) => return write!(f, "Reserved Word '{}'", word.word()),
            Expr::Array(_) => "Array Expression",
            Expr::Hash(_) => "Hash Expression",
            Expr::Assignment(assignment) => {
                return operator(
                    f,
                    match assignment.operator() {
                        AssignOp::Assign => "=",
                        AssignOp::Append => "+=",
                        AssignOp::Delete => "-=",
                    },
                );
            }
            Expr::Relationship(relationship) => return operator(f, relationship.operator().text()),
            Expr::Binary(binary) => return operator(f, binary.operator().text()),
            Expr::Not(_) => "'not' expression",
            Expr::Negate(_) => "Unary Minus",
            Expr::Unfold(_) => "Unfold",
            Expr::Paren(_) => "Parenthesized Expression",
            Expr::Selector(_) => "Selector Expression",
            Expr::Access(_) => "'[]' expression",
            Expr::Call(_) => "Function Call",
            Expr::MethodCall(_) => "Method call",
            Expr::If(_) => "'if' statement",
            Expr::Unless(_) => "'unless' Statement",
            Expr::Case(_) => "'case' statement",
            Expr::Resource(_) => "Resource Statement",
            Expr::ResourceDefaults(_) => "Resource Defaults Expression",
            Expr::ResourceOverride(_) => "Resource Override",
            Expr::UntitledResource(_) => "Block Expression",
            Expr::Collector(collector) => match collector.query() {
                Some(query) if query.is_exported() => "Exported Query",
                _ => "Virtual Query",
            },
            Expr::ClassDefinition(_) => "Host Class Definition",
            Expr::DefineDefinition(_) => "'define' expression",
            Expr::NodeDefinition(_) => "Node Definition",
            Expr::FunctionDefinition(_) => "Function Definition",
            Expr::PlanDefinition(_) => "Plan Definition",
            Expr::Apply(_) => "'apply' expression",
            Expr::TypeAlias(alias) if alias.name().is_none() => "Type Mapping",
            Expr::TypeAlias(_) => "Type Alias",
            Expr::TypeDefinition(_) => "Type Definition",
            Expr::RenderText(_) => "Epp Text",
            Expr::Render(_) => "Epp Interpolated Expression",
            Expr::Error(_) => "Error",
        })
    }
}

/// A construct's name after `a` or `an`.
pub(super) fn with_article(expr: Expr<'_>) -> String {
    crate::article::a_an(&label(expr).to_string())
}

/// A phrase at the beginning of a sentence.
pub(super) struct Capitalized(pub String);

impl Display for Capitalized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut chars = self.0.chars();
        match chars.next() {
            Some(first) => write!(f, "{}{}", first.to_uppercase(), chars.as_str()),
            None => Ok(()),
        }
    }
}
