//! Resource types of the Resource API.

use kukla_ruby::outline::{Call, Expr, Node};

use super::super::Reference;
use super::super::docstring::Docstring;
use super::super::entry::{Attribute, Literal, ResourceType};
use super::{Reader, source};

impl<'t> Reader<'t> {
    /// `Puppet::ResourceApi.register_type(name: …, attributes: { … })`
    pub(super) fn resource_api(&self, statement: &'t Node, call: &'t Call, reference: &mut Reference) {
        let is_hash = |argument: &&Node| {
            matches!(&argument.expr, Expr::Hash(pairs) if !pairs.is_empty())
                && !self.code.text[argument.span.range()].starts_with('{')
        };
        if self.receiver(call) != Some("Puppet::ResourceApi") {
            return;
        }
        let Some(schema) = call.args.first().filter(is_hash).and_then(|argument| self.literal(argument))
        else {
            return;
        };
        let Some(name) = schema.entry("name").and_then(Literal::as_text) else { return };
        let docstring = match schema.entry("docs") {
            Some(Literal::Nil) | None => self.comment(statement).unwrap_or_default(),
            Some(docs) => {
                Docstring::read(&source::scrub(&docs.text()), self.code.outline.line(statement.span.start))
            }
        };
        let origin = self.origin(statement, call);
        let mut ty = ResourceType { name: name.into(), origin, docstring, ..ResourceType::default() };
        if let Some(Literal::Hash(attributes)) = schema.entry("attributes") {
            for (name, definition) in attributes {
                let text = |key: &str| definition.entry(key).and_then(Literal::as_text).map(str::to_owned);
                let behaviour = text("behaviour");
                let attribute = Attribute {
                    name: name.text(),
                    description: text("desc").unwrap_or_default(),
                    data_type: text("type").filter(|ty| !ty.is_empty()),
                    default: definition.entry("default").filter(|value| is_true(value)).cloned(),
                    is_namevar: behaviour.as_deref() == Some("namevar"),
                    ..Attribute::default()
                };
                match behaviour.as_deref() {
                    Some("parameter" | "namevar") => ty.parameters.push(attribute),
                    _ => ty.properties.push(attribute),
                }
            }
        }
        reference.types.push(ty);
    }

    /// The value of an expression. `None` if any part of it is not a literal: then the type is left out.
    fn literal(&self, node: &'t Node) -> Option<Literal> {
        Some(match &node.expr {
            Expr::Nil => Literal::Nil,
            Expr::Boolean(value) => Literal::Boolean(*value),
            Expr::Integer(value) => Literal::Number(value.to_string()),
            Expr::Text(_) | Expr::Symbol(_) | Expr::Regexp(..) => Literal::Text(self.code.string(node)?),
            // Only the first element is read.
            Expr::Array(elements) => match elements.first() {
                Some(_) if self.code.source(node).starts_with('%') => return None,
                Some(first) => Literal::Array(vec![self.literal(first)?]),
                None => Literal::Array(Vec::new()),
            },
            Expr::Hash(pairs) => {
                let mut entries: Vec<(Literal, Literal)> = Vec::new();
                for (key, value) in pairs {
                    let (key, value) = (self.literal(key)?, kukla::syntax::deep(|| self.literal(value))?);
                    match entries.iter_mut().find(|(name, _)| *name == key) {
                        Some(known) => known.1 = value,
                        None => entries.push((key, value)),
                    }
                }
                Literal::Hash(entries)
            }
            _ => return None,
        })
    }
}

/// Whether a value is true to Ruby.
fn is_true(value: &Literal) -> bool {
    !matches!(value, Literal::Nil | Literal::Boolean(false))
}
