//! The type two types have in common: what an array of both is an array of.

use std::sync::Arc;

use super::{ResourceType, Type};

impl Type {
    /// The common type: one of the two if it covers the other, otherwise the nearest kind both belong to.
    pub fn unite(&self, other: &Type) -> Type {
        match (self, other) {
            // undef leaves no trace, so that `[1, undef]` is still an array of integers.
            (Type::Undef, _) => return other.clone(),
            (_, Type::Undef) => return self.clone(),
            (Type::Unit, _) => return other.clone(),
            (_, Type::Unit) => return self.clone(),
            _ => {}
        }
        if self.covers(other) {
            return self.clone();
        }
        if other.covers(self) {
            return other.clone();
        }
        match (self, other) {
            (Type::Array(a), Type::Array(b)) => Type::array(a.element.unite(&b.element)),
            (Type::Hash(a), Type::Hash(b)) => Type::hash(a.key.unite(&b.key), a.value.unite(&b.value)),
            (Type::Class(_), Type::Class(_)) => Type::Class(None),
            (Type::Resource(Some(a)), Type::Resource(Some(b))) if a.name == b.name => {
                Type::Resource(Some(Arc::new(ResourceType::new(a.name.clone(), None))))
            }
            (Type::Resource(_), Type::Resource(_)) => Type::Resource(None),
            (Type::Integer(a), Type::Integer(b)) => Type::Integer(a.unite(*b)),
            (Type::Float(a, b), Type::Float(c, d)) => Type::Float(a.min(*c), b.max(*d)),
            (Type::Literal(a), Type::Literal(b)) => Type::enumeration([a.clone(), b.clone()], false),
            (Type::Literal(a), Type::Enum(b)) | (Type::Enum(b), Type::Literal(a)) => {
                Type::enumeration(b.values.iter().chain([a]).cloned(), false)
            }
            (Type::String(_), Type::Enum(_)) | (Type::Enum(_), Type::String(_)) => {
                Type::enumeration([], false)
            }
            (Type::String(a), Type::String(b)) if !a.is_any() && !b.is_any() => Type::String(a.unite(*b)),
            (Type::String(_) | Type::Literal(_), Type::String(_) | Type::Literal(_)) => Type::STRING,
            (Type::Pattern(a), Type::Pattern(b)) => {
                let fresh = b.iter().filter(|p| !a.iter().any(|q| p.source() == q.source()));
                Type::Pattern(a.iter().chain(fresh).cloned().collect())
            }
            (Type::Enum(a), Type::Enum(b)) => {
                Type::enumeration(a.values.iter().chain(&b.values).cloned(), false)
            }
            (Type::Variant(a), Type::Variant(b)) => Type::variant(a.iter().chain(b.iter()).cloned()),
            (Type::Regexp(_), Type::Regexp(_)) => Type::Regexp(None),
            (Type::Callable(_), Type::Callable(_)) => Type::Callable(None),
            _ => self.nearest_kind(other),
        }
    }

    fn nearest_kind(&self, other: &Type) -> Type {
        for kind in [Type::Numeric, Type::ScalarData, Type::Scalar, Type::Data] {
            if kind.covers(self) && kind.covers(other) {
                return kind;
            }
        }
        match (self, other) {
            (Type::Type(Some(a)), Type::Type(Some(b))) => Type::type_of(a.unite(b)),
            _ if Type::RichData.covers(self) && Type::RichData.covers(other) => Type::RichData,
            _ => Type::Any,
        }
    }
}
