//! Attributes as written: `name => value`, `name +> value`, `* => hash`.

use kukla_syntax::{Span, diagnostic};
use kukla_values::{Name, Type, Value};

use super::builder::{CodeOrigin, Param};
use super::provenance::How;
use crate::codes::{ATTRIBUTE_NAME_NO_STRING, ATTRIBUTES_FROM_NO_HASH, ITERATOR_AS_ATTRIBUTE};
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
                    self.refuse_iterator(&given, attribute.span, "'=>' expression")?;
                    params.push(self.attribute(*name, given, false, attribute.span, value));
                }
                AttributeOperation::Add(name, value) => {
                    let given = self.eval(value)?;
                    self.refuse_iterator(&given, attribute.span, "'+>' expression")?;
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
                        self.refuse_iterator(&value, attribute.span, "Object")?;
                        params.push(self.attribute(name, value, false, attribute.span, expr));
                    }
                }
            }
        }
        Ok(params)
    }

    /// A catalog cannot hold what is only to be gone through.
    fn refuse_iterator(&self, value: &Value, span: Span, construct: &'static str) -> Flow<()> {
        match has_iterator(value) {
            true => Err(self.while_evaluating(diagnostic!(ITERATOR_AS_ATTRIBUTE), span, construct)),
            false => Ok(()),
        }
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

pub(super) fn has_iterator(value: &Value) -> bool {
    match value {
        Value::Iterator(_) => true,
        Value::Array(values) => values.iter().any(has_iterator),
        Value::Hash(hash) => hash.iter().any(|(key, value)| has_iterator(key) || has_iterator(value)),
        _ => false,
    }
}
