//! Literals: numbers out of range, keys that stand twice.

use rustc_hash::FxHashSet;

use super::codes::*;
use super::{Checker, at_node};
use crate::ast::{self, Expr, Segment};
use crate::tree::Node;
use crate::{Number, SyntaxKind as K, diagnostic};

impl<'t> Checker<'_, 't> {
    pub(super) fn number(&mut self, token: Node<'t>) {
        // Few literals are long enough to be too large.
        if token.text().len() < 17 {
            return;
        }
        let Some(Number::Integer { value, .. }) = crate::decode::number(token.text()) else { return };
        let negated = self.around(token).is_some_and(|parent| parent.kind() == K::Negate);
        let limit = i128::from(i64::MAX) + i128::from(negated);
        if value.is_none_or(|value| value > limit) {
            let value = match value {
                Some(value) => format!("{value:+#x}"),
                None => token.text().to_owned(),
            };
            self.report(diagnostic!(at_node(token), NUMERIC_OVERFLOW { value };
                hint: "integers have 64 bits: -9223372036854775808 to 9223372036854775807"));
        }
    }

    pub(super) fn duplicate_keys(&mut self, node: Node<'t>) {
        if node.children().filter(|child| child.kind() == K::HashEntry).nth(1).is_none() {
            return;
        }
        let mut seen = FxHashSet::default();
        // A type with brackets counts as a key to be computed, as it did until Puppet 8: modules that many use repeat one.
        for entry in ast::Hash::Braced(node).entries().filter(|entry| !matches!(entry.key(), Expr::Access(_)))
        {
            let (Some(key), Some(shown)) = (inside(entry.key()), literal(entry.key())) else { continue };
            if !seen.insert(key) {
                self.report(diagnostic!(at_node(entry.syntax()), DUPLICATE_KEY { key: shown }));
            }
        }
    }
}

/// The value of a literal as messages show it; `None` if it has to be computed.
pub(super) fn literal(expr: Expr<'_>) -> Option<String> {
    Some(match expr {
        Expr::String(string) => string.value().into_owned(),
        Expr::Name(name) => name.name().to_owned(),
        Expr::Type(ty) => ty.name().to_lowercase(),
        Expr::Undef(_) => String::new(),
        Expr::Default(_) => "default".into(),
        Expr::Boolean(boolean) => boolean.value().to_string(),
        Expr::Number(number) => match number.value() {
            Number::Integer { value, .. } => value?.to_string(),
            Number::Float(value) => format!("{value:?}"),
        },
        Expr::Negate(negate) => format!("-{}", literal(negate.inner())?),
        Expr::Regex(regex) => format!("(?-mix:{})", regex.pattern()),
        Expr::Interpolated(string) => {
            let mut segments = string.segments();
            match (segments.next(), segments.next()) {
                (Some(Segment::Text(text, _)), None) => text.into_owned(),
                _ => return None,
            }
        }
        Expr::Access(access) => {
            let keys: Vec<Expr<'_>> = access.keys().collect();
            if let [Expr::Array(_)] = keys[..] {
                return None;
            }
            list(keys.into_iter())?
        }
        Expr::Array(array) => list(array.elements())?,
        Expr::Hash(hash) => {
            let entries: Option<Vec<String>> = hash
                .entries()
                .map(|entry| Some(format!("{}=>{}", inside(entry.key())?, inside(entry.value())?)))
                .collect();
            format!("{{{}}}", entries?.join(", "))
        }
        _ => return None,
    })
}

fn list<'t>(values: impl Iterator<Item = Expr<'t>>) -> Option<String> {
    let values: Option<Vec<String>> = values.map(inside).collect();
    Some(format!("[{}]", values?.join(", ")))
}

/// A literal inside another: text is quoted there, which distinguishes it from other values. A bare word, a quoted string and a
/// type's name are the same if they read the same, as they are for Puppet.
fn inside(expr: Expr<'_>) -> Option<String> {
    let text = literal(expr)?;
    Some(match expr {
        Expr::String(_) | Expr::Name(_) | Expr::Type(_) | Expr::Interpolated(_) => format!("{text:?}"),
        Expr::Undef(_) => "nil".into(),
        Expr::Regex(regex) => format!("/{}/", regex.pattern()),
        Expr::Negate(_) if text == "-0.0" => "0.0".into(),
        _ => text,
    })
}
