//! When two types are the same type, as hash keys and as members of a `Variant` see it.
//!
//! The language's `==` is wider: types that can each be assigned to the other are equal too (`Type::same_set`).

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::callable::CallableType;
use super::{ResourceType, StructField, Type};
use crate::meter;

impl PartialEq for Type {
    fn eq(&self, other: &Type) -> bool {
        meter::work(1);
        match (self, other) {
            (Type::Integer(a), Type::Integer(b)) => a == b,
            (Type::Float(a, b), Type::Float(c, d)) => a == c && b == d,
            (Type::Boolean(a), Type::Boolean(b)) => a == b,
            (Type::String(a), Type::String(b)) | (Type::Collection(a), Type::Collection(b)) => a == b,
            (Type::Literal(a), Type::Literal(b)) | (Type::Reference(a), Type::Reference(b)) => a == b,
            (Type::Enum(a), Type::Enum(b)) => {
                meter::work(a.values.len());
                a == b
            }
            (Type::Pattern(a), Type::Pattern(b)) => {
                a.len() == b.len()
                    && a.iter().all(|x| {
                        meter::work(b.len());
                        b.iter().any(|y| x.source() == y.source())
                    })
            }
            (Type::Regexp(a), Type::Regexp(b)) => {
                a.as_ref().map(|r| r.source()) == b.as_ref().map(|r| r.source())
            }
            (Type::SemVer(a), Type::SemVer(b)) => a == b,
            (Type::Timestamp(a), Type::Timestamp(b)) => a == b,
            (Type::Timespan(a), Type::Timespan(b)) => a == b,
            (Type::Uri(a), Type::Uri(b)) => a == b,
            (Type::Array(a), Type::Array(b)) => {
                Arc::ptr_eq(a, b) || a.size == b.size && a.element == b.element
            }
            (Type::Tuple(a), Type::Tuple(b)) => Arc::ptr_eq(a, b) || a.size == b.size && a.types == b.types,
            (Type::Hash(a), Type::Hash(b)) => {
                Arc::ptr_eq(a, b) || a.size == b.size && a.key == b.key && a.value == b.value
            }
            (Type::Struct(a), Type::Struct(b)) => Arc::ptr_eq(a, b) || a == b,
            (Type::Variant(a), Type::Variant(b)) => {
                Arc::ptr_eq(a, b) || a.len() == b.len() && a.iter().all(|ty| b.contains(ty))
            }
            (Type::Optional(a), Type::Optional(b))
            | (Type::NotUndef(a), Type::NotUndef(b))
            | (Type::Iterable(a), Type::Iterable(b))
            | (Type::Iterator(a), Type::Iterator(b))
            | (Type::Type(a), Type::Type(b)) => a == b,
            (Type::Sensitive(a), Type::Sensitive(b)) => a == b,
            (Type::Init(a), Type::Init(b)) => a.ty == b.ty && a.args == b.args,
            (Type::Callable(a), Type::Callable(b)) => a == b,
            (Type::Runtime(a), Type::Runtime(b)) => a.runtime == b.runtime && a.name == b.name,
            (Type::Resource(a), Type::Resource(b)) => a == b,
            (Type::Class(a), Type::Class(b)) => a == b,
            (Type::Alias(a), Type::Alias(b)) => Arc::ptr_eq(a, b) || a.name == b.name,
            (Type::Object(a), Type::Object(b)) => Arc::ptr_eq(a, b) || a == b,
            (Type::ObjectExtension(a), Type::ObjectExtension(b)) => Arc::ptr_eq(a, b) || a == b,
            (Type::TypeSet(a), Type::TypeSet(b)) => Arc::ptr_eq(a, b) || a == b,
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
    }
}

impl Eq for Type {}

impl Hash for Type {
    fn hash<H: Hasher>(&self, state: &mut H) {
        meter::work(1);
        std::mem::discriminant(self).hash(state);
        match self {
            Type::Integer(range) | Type::String(range) | Type::Collection(range) => range.hash(state),
            Type::Float(from, to) => ((from + 0.0).to_bits(), (to + 0.0).to_bits()).hash(state),
            Type::Boolean(value) => value.hash(state),
            Type::Literal(text) | Type::Reference(text) => text.hash(state),
            Type::Enum(values) => values.hash(state),
            // Neither the order of patterns nor that of variants makes a difference.
            Type::Pattern(patterns) => patterns.len().hash(state),
            Type::Variant(types) => types.len().hash(state),
            Type::Regexp(Some(regexp)) => regexp.source().hash(state),
            Type::Timestamp(range) => range.hash(state),
            Type::Timespan(range) => range.hash(state),
            Type::Array(array) => (&array.element, array.size).hash(state),
            Type::Tuple(tuple) => (&tuple.types, tuple.size).hash(state),
            Type::Hash(hash) => (&hash.key, &hash.value, hash.size).hash(state),
            Type::Struct(fields) => fields.iter().for_each(|field| field.name.hash(state)),
            Type::Optional(ty)
            | Type::NotUndef(ty)
            | Type::Iterable(ty)
            | Type::Iterator(ty)
            | Type::Type(ty) => {
                ty.hash(state);
            }
            Type::Sensitive(ty) => ty.hash(state),
            Type::Resource(Some(resource)) => {
                resource.name.bytes().for_each(|b| state.write_u8(b.to_ascii_lowercase()));
                resource.title.hash(state);
            }
            Type::Class(name) => name.hash(state),
            Type::Alias(alias) => alias.name.hash(state),
            Type::Callable(Some(callable)) => callable.params.hash(state),
            Type::Object(object) => object.name.hash(state),
            Type::TypeSet(set) => set.name.hash(state),
            _ => {}
        }
    }
}

impl PartialEq for StructField {
    fn eq(&self, other: &StructField) -> bool {
        self.name == other.name && self.optional == other.optional && self.value == other.value
    }
}

impl PartialEq for CallableType {
    fn eq(&self, other: &CallableType) -> bool {
        self.params == other.params
            && self.size == other.size
            && self.block == other.block
            && self.returns == other.returns
    }
}

impl PartialEq for ResourceType {
    fn eq(&self, other: &ResourceType) -> bool {
        self.name.eq_ignore_ascii_case(&other.name) && self.title == other.title
    }
}

impl Type {
    /// The language's `==`: the same type, or two types that can each be assigned to the other.
    pub fn same_set(&self, other: &Type) -> bool {
        self == other || other.covers(self) && self.covers(other)
    }
}
