//! Annotations: values attached to other values from outside.
//!
//! An annotation belongs to one value, not to all that are equal to it. Values are shared when they are copied, so that one
//! value is one piece of memory; keeping it here keeps that memory from becoming another value.

use std::sync::Arc;

use kukla_values::types::object::ObjectType;
use kukla_values::{Type, Value};

/// The annotations of a compilation.
#[derive(Debug, Default)]
pub struct Annotations(Vec<Annotated>);

#[derive(Debug)]
struct Annotated {
    value: Value,
    ty: Arc<ObjectType>,
    annotation: Value,
}

impl Annotations {
    fn position(&self, value: &Value, ty: &ObjectType) -> Option<usize> {
        self.0.iter().position(|known| *known.ty == *ty && same(&known.value, value))
    }

    /// The annotation of that type that was attached to a value.
    pub fn get(&self, value: &Value, ty: &ObjectType) -> Option<Value> {
        self.position(value, ty).map(|at| self.0[at].annotation.clone())
    }

    /// Attaches an annotation in place of any earlier one of its type.
    pub fn set(&mut self, value: Value, ty: &Arc<ObjectType>, annotation: Value) {
        match self.position(&value, ty) {
            Some(at) => self.0[at].annotation = annotation,
            None => self.0.push(Annotated { value, ty: Arc::clone(ty), annotation }),
        }
    }

    /// Takes an annotation away.
    pub fn remove(&mut self, value: &Value, ty: &ObjectType) -> Option<Value> {
        self.position(value, ty).map(|at| self.0.swap_remove(at).annotation)
    }
}

/// Whether two values are one and the same.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => std::ptr::eq(a.as_ptr(), b.as_ptr()),
        (Value::Hash(a), Value::Hash(b)) => std::ptr::eq::<kukla_values::value::Entries>(&**a, &**b),
        // A name means the same type everywhere; brackets make a new one.
        (Value::Type(a), Value::Type(b)) => Arc::ptr_eq(a, b) || (a == b && is_name(a)),
        (Value::Sensitive(a), Value::Sensitive(b)) => Arc::ptr_eq(a, b),
        (Value::Regexp(a), Value::Regexp(b)) => Arc::ptr_eq(a, b),
        (Value::Object(a), Value::Object(b)) => Arc::ptr_eq(a, b),
        (a, b) => a == b,
    }
}

fn is_name(ty: &Type) -> bool {
    match ty {
        Type::Object(object) => object.name.is_some(),
        Type::Alias(_) => true,
        ty => !ty.to_string().contains('['),
    }
}
