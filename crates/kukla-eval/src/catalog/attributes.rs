//! Attributes as written: `name => value`, `name +> value`, `* => hash`.

use kukla_syntax::Span;
use kukla_values::{Name, Type, Value};

use super::builder::{CodeOrigin, Param};
use super::provenance::How;
use crate::error::{Flow, Raise};
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
                    params.push(self.attribute(*name, given, false, attribute.span, value)?);
                }
                AttributeOperation::Add(name, value) => {
                    let given = self.eval(value)?;
                    params.push(self.attribute(*name, given, true, attribute.span, value)?);
                }
                AttributeOperation::Splat(expr) => {
                    let value = self.eval(expr)?;
                    let Value::Hash(hash) = value else {
                        let actual = Type::of_generalized(&value);
                        let message = format!("Expected value of type Hash, got {actual}");
                        return Err(self.fail(expr.span, "TYPE_MISMATCH", message));
                    };
                    for (name, value) in &hash {
                        let Value::String(name) = name else {
                            let actual = Type::of_generalized(name);
                            let message = format!("Attribute names must be strings, got {actual}");
                            return Err(self.while_evaluating(
                                Raise::runtime(message),
                                attribute.span,
                                "'* =>' expression",
                            ));
                        };
                        let (name, value) = (Name::new(name), value.clone());
                        params.push(self.attribute(name, value, false, attribute.span, expr)?);
                    }
                }
            }
        }
        Ok(params)
    }

    fn attribute(&self, name: Name, value: Value, adds: bool, span: Span, expr: &Expr) -> Flow<Param> {
        if has_iterator(&value) {
            let refused = Raise::runtime("Use of an Iterator is not supported here");
            let construct = if adds { "'+>' expression" } else { "'=>' expression" };
            return Err(self.while_evaluating(refused, span, construct));
        }
        let location = Some(self.location(span));
        let trail = self.trail(How::Manifest, Some(expr), location.as_ref());
        Ok(Param { name, value, origin: self.origin(), adds, location, trail, shared: 0 })
    }

    /// The code being evaluated.
    pub(crate) fn origin(&self) -> CodeOrigin {
        self.scopes.get(self.scope()).slots.origin
    }
}

fn has_iterator(value: &Value) -> bool {
    match value {
        Value::Iterator(_) => true,
        Value::Array(values) => values.iter().any(has_iterator),
        Value::Hash(hash) => hash.iter().any(|(key, value)| has_iterator(key) || has_iterator(value)),
        _ => false,
    }
}
