//! Attributes as written: `name => value`, `name +> value`, `* => hash`.

use kukla_syntax::{Span, diagnostic};
use kukla_values::{Name, Type, Value};

use super::builder::{CodeOrigin, Param};
use super::provenance::AttributeSource;
use crate::codes::{ATTRIBUTE_NAME_NO_STRING, ATTRIBUTES_FROM_NO_HASH, ITERATOR_AS_ATTRIBUTE, NO_REFERENCE};
use crate::error::Flow;
use crate::program::{Attribute, AttributeOperation, Expr};
use crate::vm::Vm;

impl Vm<'_> {
    /// The attributes of a resource, default, override or collector.
    pub(crate) fn eval_attributes(&mut self, attributes: &[Attribute]) -> Flow<Vec<Param>> {
        let mut params = Vec::with_capacity(attributes.len());
        for attribute in attributes {
            match &attribute.operation {
                AttributeOperation::Set(name, value) => {
                    let given = self.eval(value)?;
                    self.fits_catalog(&given, attribute.span, "'=>' expression")?;
                    params.push(self.attribute(*name, given, false, attribute.span, value));
                }
                AttributeOperation::Add(name, value) => {
                    let given = self.eval(value)?;
                    self.fits_catalog(&given, attribute.span, "'+>' expression")?;
                    params.push(self.attribute(*name, given, true, attribute.span, value));
                }
                AttributeOperation::Splat(expr) => {
                    let value = self.eval(expr)?;
                    let Value::Hash(hash) = value else {
                        let actual = Type::of_generalized(&value);
                        return Err(self.fail(expr.span, diagnostic!(ATTRIBUTES_FROM_NO_HASH { actual })));
                    };
                    for (name, value) in &hash {
                        let Value::String(name) = name else {
                            let actual = Type::of_generalized(name);
                            let wrong = diagnostic!(ATTRIBUTE_NAME_NO_STRING { actual });
                            let construct = "'* =>' expression";
                            return Err(self.while_evaluating(wrong, attribute.span, construct));
                        };
                        let (name, value) = (Name::new(name), value.clone());
                        self.fits_catalog(&value, attribute.span, "Object")?;
                        params.push(self.attribute(name, value, false, attribute.span, expr));
                    }
                }
            }
        }
        Ok(params)
    }

    /// Refuses what a catalog cannot hold: what is only to be gone through, and references to nothing in particular.
    fn fits_catalog(&self, value: &Value, span: Span, construct: &'static str) -> Flow<()> {
        let wrong = match invalid_value(value) {
            None => return Ok(()),
            Some(InvalidValue::Iterator) => diagnostic!(ITERATOR_AS_ATTRIBUTE),
            Some(InvalidValue::Reference(name)) => {
                diagnostic!(NO_REFERENCE { reference: format_args!("{name:?}") })
            }
        };
        Err(self.while_evaluating(wrong, span, construct))
    }

    fn attribute(&self, name: Name, value: Value, adds: bool, span: Span, expr: &Expr) -> Param {
        let location = Some(self.location(span));
        let trail = self.trail(AttributeSource::Manifest, Some(expr), location.as_ref());
        Param { name, value, origin: self.origin(), adds, location, trail, shared: 0 }
    }

    /// The code being evaluated.
    pub(crate) fn origin(&self) -> CodeOrigin {
        self.catalog.scope(self.scope()).origin
    }
}

/// A value that a catalog cannot hold.
pub(super) enum InvalidValue {
    Iterator,
    /// A type of references, by its name.
    Reference(&'static str),
}

pub(super) fn invalid_value(value: &Value) -> Option<InvalidValue> {
    match value {
        Value::Iterator(_) => Some(InvalidValue::Iterator),
        Value::Array(values) => values.iter().find_map(invalid_value),
        Value::Hash(hash) => {
            hash.iter().find_map(|(key, value)| invalid_value(key).or_else(|| invalid_value(value)))
        }
        Value::Type(ty) => match &**ty {
            Type::Class(None) => Some(InvalidValue::Reference("class")),
            Type::Resource(None) => Some(InvalidValue::Reference("resource")),
            Type::CatalogEntry => Some(InvalidValue::Reference("catalogentry")),
            _ => None,
        },
        _ => None,
    }
}
