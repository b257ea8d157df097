//! The smallest set a value is in.
//!
//! Two answers, as `type()` gives them: in detail, where every element of an array and every entry of a hash keeps its own
//! type (`Tuple[Integer[1, 1], String]`), and reduced, where they share one (`Array[Scalar, 2, 2]`).

use std::sync::Arc;

use kukla_syntax::deep;

use super::{Range, StructField, Type, leaf};
use crate::{Value, meter};

impl Type {
    /// The type of `value` in every detail.
    pub fn of(value: &Value) -> Type {
        match value {
            Value::Array(values) if !values.is_empty() => {
                meter::memory(values.len() * size_of::<Type>());
                deep(|| Type::tuple(values.iter().map(Type::of).collect(), None))
            }
            Value::Hash(hash) if !hash.is_empty() => deep(|| {
                meter::memory(hash.len() * size_of::<StructField>());
                if hash.keys().all(|key| key.as_str().is_some_and(|text| !text.is_empty())) {
                    Type::structure(hash.iter().map(|(key, value)| {
                        StructField::required(key.as_str().unwrap_or_default(), Type::of(value))
                    }))
                } else {
                    Type::hash_sized(
                        Type::variant(hash.keys().map(Type::of)),
                        Type::variant(hash.values().map(Type::of)),
                        Range::exactly(hash.len() as i64),
                    )
                }
            }),
            Value::SemVer(version) => Type::SemVer([leaf::exactly(version)].into()),
            value => Type::of_reduced(value),
        }
    }

    /// The type of `value` with one type for all elements, keys or values of a collection.
    pub fn of_reduced(value: &Value) -> Type {
        match value {
            Value::Undef => Type::Undef,
            Value::Default => Type::Default,
            Value::Boolean(b) => Type::Boolean(Some(*b)),
            Value::Integer(n) => Type::Integer(Range::exactly(*n)),
            Value::Float(n) => Type::Float(*n, *n),
            Value::String(text) => Type::Literal(text.clone()),
            Value::Regexp(regexp) => Type::Regexp(Some(regexp.clone())),
            Value::Array(values) => {
                let element = reduce(values.iter());
                Type::array_sized(element, Range::exactly(values.len() as i64))
            }
            Value::Hash(hash) => {
                let (key, value) = (reduce(hash.keys()), reduce(hash.values()));
                Type::hash_sized(key, value, Range::exactly(hash.len() as i64))
            }
            Value::Type(ty) => Type::Type(Some(ty.clone())),
            Value::Sensitive(inner) => deep(|| Type::sensitive(Type::of_reduced(inner))),
            Value::Timestamp(at) => Type::Timestamp(Arc::new((*at, *at))),
            Value::Timespan(span) => Type::Timespan(Arc::new((*span, *span))),
            Value::SemVer(_) => Type::SemVer([].into()),
            Value::SemVerRange(_) => Type::SemVerRange,
            Value::Binary(_) => Type::Binary,
            Value::Uri(uri) => Type::Uri(leaf::uri_parameters(uri).map(Arc::new)),
            Value::Iterator(iterator) => Type::iterator(iterator.element_type()),
            Value::Host(host) => host.object_type(),
            Value::Object(object) => object.inferred(),
        }
    }

    /// The general type of `value`: no sizes, no ranges, no literal strings.
    pub fn of_generalized(value: &Value) -> Type {
        Type::of_reduced(value).generalized()
    }
}

/// How many types are united one after the other.
const PORTION: usize = 256;

/// One type for all of them.
fn reduce<'a>(values: impl Iterator<Item = &'a Value>) -> Type {
    let all =
        |values: &mut dyn Iterator<Item = Type>| values.reduce(|a, b| a.unite(&b)).unwrap_or(Type::Unit);
    deep(|| {
        let mut types = values.inspect(|_| meter::work(1)).map(Type::of_reduced).peekable();
        let mut portions = Vec::new();
        // The common type of many can be long to write (an `Enum` of all of them), so it is not written again for each.
        while types.peek().is_some() {
            portions.push(all(&mut types.by_ref().take(PORTION)));
        }
        while portions.len() > 1 {
            portions = portions.chunks(PORTION).map(|portion| all(&mut portion.iter().cloned())).collect();
        }
        portions.pop().unwrap_or(Type::Unit)
    })
}
