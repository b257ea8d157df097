//! Descriptions of values and expressions in messages: "a Function Call", "an Integer", "an '[]' expression".

pub use kukla_syntax::article::{a_an, a_an_upper};
use kukla_values::Value;

use crate::program::{AssignOperator, CallForm, Expr, Kind};

/// The description of a value in messages.
pub fn of_value(value: &Value) -> String {
    kukla_values::compare::label(value).to_string()
}

/// The description of an expression in messages.
pub fn of_expr(expr: &Expr) -> String {
    let label = match &expr.kind {
        Kind::Nop => "Nop Expression",
        Kind::Literal(Value::Integer(_)) => "Literal Integer",
        Kind::Literal(Value::Float(_)) => "Literal Float",
        Kind::Literal(Value::Boolean(_)) => "Boolean",
        Kind::Literal(Value::Default) => "'default' expression",
        Kind::Literal(Value::Undef) => "'undef' expression",
        Kind::Literal(Value::Regexp(_)) => "Regular Expression",
        Kind::Literal(Value::Array(_)) | Kind::Array(_) => "Array Expression",
        Kind::Literal(Value::Hash(_)) | Kind::Hash(_) => "Hash Expression",
        Kind::Literal(_) => "String",
        Kind::Name(_) => "Name",
        Kind::Variable(_) | Kind::Match(_) => "Variable",
        Kind::Interpolate(_) => "Double Quoted String",
        Kind::Heredoc(heredoc) => return format!("'@({})' expression", heredoc.syntax),
        Kind::TypeName(_) => "Type-Name",
        Kind::Constant(_) | Kind::Access(_) => "'[]' expression",
        Kind::Not(_) => "'not' expression",
        Kind::Negate(_) => "Unary Minus",
        Kind::Unfold(_) => "Unfold",
        Kind::Parens(_) => "Parenthesized Expression",
        Kind::And(_) => "'and' expression",
        Kind::Or(_) => "'or' expression",
        Kind::In(_) => "'in' expression",
        Kind::Arithmetic(operator, _) => return format!("'{operator}' expression"),
        Kind::Compare(operator, _) => return format!("'{}' expression", operator.as_str()),
        Kind::Matches(true, _) => "'=~' expression",
        Kind::Matches(false, _) => "'!~' expression",
        Kind::Assign(assign) => match assign.operator {
            AssignOperator::Set => "'=' expression",
            AssignOperator::Append => "'+=' expression",
            AssignOperator::Remove => "'-=' expression",
        },
        Kind::Call(call) => match call.form {
            CallForm::Method => "Method call",
            CallForm::Prefix | CallForm::Statement => "Function Call",
        },
        Kind::If(test) if test.unless => "'unless' Statement",
        Kind::If(_) => "'if' statement",
        Kind::Case(_) => "'case' statement",
        Kind::Selector(_) => "Selector Expression",
        Kind::Block(_) => "Block Expression",
        Kind::Reserved(word) => return format!("Reserved Word '{word}'"),
        Kind::Resource(_) => "Resource Statement",
        Kind::Defaults(_) => "Resource Defaults Expression",
        Kind::Override(_) => "Resource Override",
        Kind::Collect(collect) if collect.exported => "Exported Query",
        Kind::Collect(_) => "Virtual Query",
        Kind::Relationship(arrow, _) => return format!("'{}' expression", arrow.as_str()),
        Kind::RenderText(_) => "Epp Text",
        Kind::Mark(_) => "Nop Expression",
        Kind::RenderExpr(_) => "Epp Interpolated Expression",
        Kind::Epp(_) => "Epp Template",
        Kind::Apply => "'apply' expression",
    };
    label.to_owned()
}
