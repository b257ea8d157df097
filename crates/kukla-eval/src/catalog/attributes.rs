//! Attributes as written: `name => value`, `name +> value`, `* => hash`.

use kukla_syntax::{Span, diagnostic};
use kukla_values::{Name, Type, Value};

use super::builder::{CodeOrigin, Param};
use super::provenance::How;
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
        let wrong = match unfit(value) {
            None => return Ok(()),
            Some(Unfit::Iterator) => diagnostic!(ITERATOR_AS_ATTRIBUTE),
            Some(Unfit::Reference(name)) => {
                diagnostic!(NO_REFERENCE { reference: format_args!("{name:?}") })
            }
        };
        Err(self.while_evaluating(wrong, span, construct))
    }

    fn attribute(&self, name: Name, value: Value, adds: bool, span: Span, expr: &Expr) -> Param {
        let location = Some(self.location(span));
        let trail = self.trail(How::Manifest, Some(expr), location.as_ref());
        Param { name, value, origin: self.origin(), adds, location, trail, shared: 0 }
    }

    /// The code being evaluated.
    pub(crate) fn origin(&self) -> CodeOrigin {
        self.catalog.scope(self.scope()).origin
    }
}

/// Values that a catalog cannot contain.
pub(super) enum Unfit {
    Iterator,
    /// A type of references, by its name.
    Reference(&'static str),
}

pub(super) fn unfit(value: &Value) -> Option<Unfit> {
    match value {
        Value::Iterator(_) => Some(Unfit::Iterator),
        Value::Array(values) => values.iter().find_map(unfit),
        Value::Hash(hash) => hash.iter().find_map(|(key, value)| unfit(key).or_else(|| unfit(value))),
        Value::Type(ty) => match &**ty {
            Type::Class(None) => Some(Unfit::Reference("class")),
            Type::Resource(None) => Some(Unfit::Reference("resource")),
            Type::CatalogEntry => Some(Unfit::Reference("catalogentry")),
            _ => None,
        },
        _ => None,
    }
}
