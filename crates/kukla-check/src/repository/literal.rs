//! Literal values, which need no evaluation.

use kukla::syntax::Number;
use kukla::syntax::ast::Expr;
use kukla::values::{Hash, Value};

/// The value of an expression made of literals alone.
pub fn value(expr: Expr<'_>) -> Option<Value> {
    Some(match expr.unwrap_parens() {
        Expr::Undef(_) => Value::Undef,
        Expr::Default(_) => Value::Default,
        Expr::Boolean(boolean) => Value::Boolean(boolean.value()),
        Expr::Number(number) => self::number(number.value())?,
        Expr::Negate(negate) => self::number(negate.literal()?)?,
        Expr::String(text) => Value::from(&*text.value()),
        Expr::Name(name) => Value::from(name.name()),
        Expr::Heredoc(heredoc) => Value::from(&*heredoc.value()?),
        Expr::Regex(regex) => Value::Regexp(kukla::values::regexp::Regexp::new(&regex.pattern()).ok()?),
        Expr::Array(array) => {
            let values: Option<Vec<Value>> = array.elements().map(value).collect();
            values?.into()
        }
        Expr::Hash(hash) => {
            let mut made = Hash::new();
            for entry in hash.entries() {
                made.insert(value(entry.key())?, value(entry.value())?);
            }
            made.into()
        }
        _ => return None,
    })
}

/// The text of an expression, if it is a literal string or name.
pub fn text(expr: Expr<'_>) -> Option<String> {
    match expr.unwrap_parens() {
        Expr::String(text) => Some(text.value().into_owned()),
        Expr::Name(name) => Some(name.name().to_owned()),
        Expr::Heredoc(heredoc) => heredoc.value().map(|text| text.into_owned()),
        _ => None,
    }
}

fn number(number: Number) -> Option<Value> {
    Some(match number {
        Number::Integer { value, .. } => Value::Integer(i64::try_from(value?).ok()?),
        Number::Float(value) => Value::Float(value),
    })
}
