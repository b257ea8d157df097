//! Attributes as written: `name => value`, `name +> value`, `* => hash`.

use kukla_syntax::Span;
use kukla_values::{Name, Type, Value};

use super::builder::{Origin, Param};
use crate::error::{Flow, Raise};
use crate::program::{Attribute, AttributeOperation};
use crate::vm::Vm;

impl Vm<'_> {
    /// The attributes of a resource, default, override or collector.
    pub(crate) fn eval_attributes(&mut self, attributes: &[Attribute]) -> Flow<Vec<Param>> {
        let mut params = Vec::with_capacity(attributes.len());
        for attribute in attributes {
            match &attribute.operation {
                AttributeOperation::Set(name, value) => {
                    let value = self.eval(value)?;
                    params.push(self.attribute(*name, value, false, attribute.span)?);
                }
                AttributeOperation::Add(name, value) => {
                    let value = self.eval(value)?;
                    params.push(self.attribute(*name, value, true, attribute.span)?);
                }
                AttributeOperation::Splat(expr) => {
                    let value = self.eval(expr)?;
                    let Value::Hash(hash) = value else {
                        let actual = Type::of(&value).generalized();
                        let message = format!("expected a Hash value, got {actual}");
                        return Err(self.fail(expr.span, "TYPE_MISMATCH", message));
                    };
                    for (name, value) in &hash {
                        let Value::String(name) = name else {
                            let actual = Type::of(name).generalized();
                            let message = format!("Attribute names must be strings, got {actual}");
                            return Err(self.while_evaluating(
                                Raise::runtime(message),
                                attribute.span,
                                "a '* =>' expression",
                            ));
                        };
                        params.push(self.attribute(Name::new(name), value.clone(), false, attribute.span)?);
                    }
                }
            }
        }
        Ok(params)
    }

    fn attribute(&self, name: Name, value: Value, adds: bool, span: Span) -> Flow<Param> {
        if has_iterator(&value) {
            let refused = Raise::runtime("Use of an Iterator is not supported here");
            let construct = if adds { "a '+>' expression" } else { "a '=>' expression" };
            return Err(self.while_evaluating(refused, span, construct));
        }
        Ok(Param { name, value, origin: self.origin(), adds, location: Some(self.location(span)), shared: 0 })
    }

    /// The code being evaluated.
    pub(crate) fn origin(&self) -> Origin {
        self.scopes.get(self.at.scope).slots.origin
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
