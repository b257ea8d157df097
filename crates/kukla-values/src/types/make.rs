//! Types made in Rust: the short ways.

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::callable::CallableType;
use super::{ArrayType, EnumType, HashType, Range, ResourceType, StructField, TupleType, Type};
use crate::Str;

impl Type {
    /// Every integer.
    pub const INTEGER: Type = Type::Integer(Range::ANY);
    /// Every float.
    pub const FLOAT: Type = Type::Float(f64::NEG_INFINITY, f64::INFINITY);
    /// Every string.
    pub const STRING: Type = Type::String(Range::ANY_SIZE);
    /// Both booleans.
    pub const BOOLEAN: Type = Type::Boolean(None);

    /// `Array`.
    pub fn any_array() -> Type {
        Type::array(Type::Any)
    }

    /// `Hash`.
    pub fn any_hash() -> Type {
        Type::hash(Type::Any, Type::Any)
    }

    /// `Array[element]`.
    pub fn array(element: Type) -> Type {
        Type::array_sized(element, Range::ANY_SIZE)
    }

    /// `Array[element, min, max]`; an empty array has no elements to speak of.
    pub fn array_sized(element: Type, size: Range) -> Type {
        let element = if size == Range::exactly(0) { Type::Unit } else { element };
        Type::Array(Arc::new(ArrayType { element, size }))
    }

    /// `Hash[key, value]`.
    pub fn hash(key: Type, value: Type) -> Type {
        Type::hash_sized(key, value, Range::ANY_SIZE)
    }

    /// `Hash[key, value, min, max]`.
    pub fn hash_sized(key: Type, value: Type, size: Range) -> Type {
        let (key, value) = if size == Range::exactly(0) { (Type::Unit, Type::Unit) } else { (key, value) };
        Type::Hash(Arc::new(HashType { key, value, size }))
    }

    /// `Tuple[types...]`, with a size if one was given.
    pub fn tuple(types: Vec<Type>, size: Option<Range>) -> Type {
        Type::Tuple(Arc::new(TupleType { types, size }))
    }

    /// `Struct[{...}]`.
    pub fn structure(fields: impl IntoIterator<Item = StructField>) -> Type {
        Type::Struct(fields.into_iter().collect())
    }

    /// `Variant[types...]`: nested variants are flattened, duplicates dropped, and a variant of one type is that type.
    pub fn variant(types: impl IntoIterator<Item = Type>) -> Type {
        let mut unique: IndexSet<Type, FxBuildHasher> = IndexSet::default();
        for ty in types {
            match &ty {
                Type::Variant(inner) => unique.extend(inner.iter().cloned()),
                _ => drop(unique.insert(ty)),
            }
        }
        match unique.len() {
            1 => unique.swap_remove_index(0).unwrap_or(Type::Unit),
            _ => Type::Variant(unique.into_iter().collect()),
        }
    }

    /// `Optional[ty]`.
    pub fn optional(ty: Type) -> Type {
        Type::Optional(Some(Arc::new(ty)))
    }

    /// `NotUndef[ty]`.
    pub fn not_undef(ty: Type) -> Type {
        match ty {
            Type::Any => Type::NotUndef(None),
            ty => Type::NotUndef(Some(Arc::new(ty))),
        }
    }

    /// `Sensitive[ty]`, which keeps no more than the general kind of the type.
    pub fn sensitive(ty: Type) -> Type {
        Type::Sensitive(Arc::new(ty.generalized()))
    }

    /// `Type[ty]`.
    pub fn type_of(ty: Type) -> Type {
        Type::Type(Some(Arc::new(ty)))
    }

    /// `Iterable[ty]`.
    pub fn iterable(ty: Type) -> Type {
        Type::Iterable(Some(Arc::new(ty)))
    }

    /// `Iterator[ty]`.
    pub fn iterator(ty: Type) -> Type {
        Type::Iterator(Some(Arc::new(ty)))
    }

    /// `Enum[values...]`.
    pub fn enumeration(values: impl IntoIterator<Item = Str>, case_insensitive: bool) -> Type {
        let mut values: Vec<Str> = values.into_iter().collect();
        values.sort();
        values.dedup();
        Type::Enum(Arc::new(EnumType { values, case_insensitive }))
    }

    /// `Callable[[params..., min, max, block], returns]`.
    pub fn callable(
        params: Vec<Type>,
        size: Option<Range>,
        block: Option<Type>,
        returns: Option<Type>,
    ) -> Type {
        Type::Callable(Some(Arc::new(CallableType::new(params, size, block, returns))))
    }

    /// `File`, or `File['title']`.
    pub fn resource(name: &str, title: Option<Str>) -> Type {
        Type::Resource(Some(Arc::new(ResourceType::new(capitalize(name), title))))
    }
}

/// The name of a type as references spell it: `apache::vhost` becomes `Apache::Vhost`.
///
/// A name that begins with a capital counts as capitalised already, inner segments and all.
pub fn capitalize(name: &str) -> Str {
    if name.as_bytes().first().is_some_and(u8::is_ascii_uppercase) {
        return name.into();
    }
    if name.is_ascii() {
        let mut out = name.to_ascii_lowercase();
        let mut at = 0;
        while let Some(first) = out.get_mut(at..=at) {
            first.make_ascii_uppercase();
            let colons = out.as_bytes()[at..].windows(2).position(|pair| pair == b"::");
            at = colons.map_or(out.len(), |colons| at + colons + 2);
        }
        return out.into();
    }
    let mut out = Str::with_capacity(name.len());
    for (i, segment) in name.split("::").enumerate() {
        if i > 0 {
            out.push_str("::");
        }
        let mut chars = segment.chars();
        if let Some(first) = chars.next() {
            first.to_uppercase().for_each(|c| out.push(c));
            chars.flat_map(char::to_lowercase).for_each(|c| out.push(c));
        }
    }
    out
}

impl StructField {
    /// `name => value`: may be absent if the value may be undef.
    pub fn new(name: impl Into<Str>, value: Type) -> StructField {
        let optional = value.covers(&Type::Undef);
        StructField { name: name.into(), optional, value }
    }

    /// `Optional[name] => value`.
    pub fn optional(name: impl Into<Str>, value: Type) -> StructField {
        StructField { name: name.into(), optional: true, value }
    }

    /// `NotUndef[name] => value`.
    pub fn required(name: impl Into<Str>, value: Type) -> StructField {
        StructField { name: name.into(), optional: false, value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_references_spell_them() {
        assert_eq!(capitalize("apache::vHost"), "Apache::Vhost");
        assert_eq!(capitalize("Apache::vhost"), "Apache::vhost");
        assert_eq!(capitalize("été::Été"), "Été::Été");
        assert_eq!(capitalize("::a:::b::::c::"), "::A:::b::::C::");
    }
}
