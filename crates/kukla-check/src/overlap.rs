//! Decides whether a value of one type can be of another, for a checker that reports only certain problems.

use kukla::syntax::deep;
use kukla::values::types::{Range, StructField};
use kukla::values::{Type, Value};

/// Kinds of values, as bits: two types without a common kind have no common value.
pub mod kinds {
    #![allow(missing_docs)]
    pub const UNDEF: u32 = 1;
    pub const DEFAULT: u32 = 1 << 1;
    pub const BOOLEAN: u32 = 1 << 2;
    pub const INTEGER: u32 = 1 << 3;
    pub const FLOAT: u32 = 1 << 4;
    pub const STRING: u32 = 1 << 5;
    pub const REGEXP: u32 = 1 << 6;
    pub const ARRAY: u32 = 1 << 7;
    pub const HASH: u32 = 1 << 8;
    pub const TYPE: u32 = 1 << 9;
    pub const SENSITIVE: u32 = 1 << 10;
    pub const OTHER: u32 = 1 << 11;
    pub const ALL: u32 = (1 << 12) - 1;
    pub const NUMBER: u32 = INTEGER | FLOAT;
    pub const SCALAR_DATA: u32 = BOOLEAN | NUMBER | STRING;
}
use kinds::*;

/// The kinds of values that a type has.
pub fn kinds_of(ty: &Type) -> u32 {
    match ty {
        Type::Undef => UNDEF,
        Type::Default => DEFAULT,
        Type::Scalar => SCALAR_DATA | REGEXP | OTHER,
        Type::ScalarData => SCALAR_DATA,
        Type::Numeric => NUMBER,
        Type::Data => SCALAR_DATA | UNDEF | ARRAY | HASH,
        Type::RichDataKey => STRING | NUMBER,
        Type::Integer(_) => INTEGER,
        Type::Float(..) => FLOAT,
        Type::Boolean(_) => BOOLEAN,
        Type::String(_) | Type::Literal(_) | Type::Enum(_) | Type::Pattern(_) => STRING,
        Type::Regexp(_) => REGEXP,
        Type::Binary | Type::SemVer(_) | Type::SemVerRange | Type::Timestamp(_) | Type::Timespan(_) => OTHER,
        Type::Uri(_) | Type::Callable(_) | Type::Runtime(_) => OTHER,
        Type::Object(_) | Type::ObjectExtension(_) => OTHER,
        Type::Collection(_) => ARRAY | HASH,
        Type::Array(_) | Type::Tuple(_) => ARRAY,
        Type::Hash(_) | Type::Struct(_) => HASH,
        Type::Variant(types) if !types.is_empty() => {
            types.iter().fold(0, |all, ty| all | deep(|| kinds_of(ty)))
        }
        Type::Optional(Some(ty)) => UNDEF | kinds_of(ty),
        Type::NotUndef(Some(ty)) => kinds_of(ty) & !UNDEF,
        Type::NotUndef(None) => ALL & !UNDEF,
        Type::Sensitive(_) => SENSITIVE,
        Type::Type(_) | Type::CatalogEntry | Type::Resource(_) | Type::Class(_) | Type::TypeSet(_) => TYPE,
        Type::Iterable(_) => ARRAY | HASH | INTEGER | STRING | TYPE | OTHER,
        Type::Iterator(_) => OTHER | ARRAY,
        Type::Alias(alias) if alias.is_resolved() && !alias.is_recursive() => {
            deep(|| kinds_of(alias.resolved()))
        }
        _ => ALL,
    }
}

/// Whether too little is known of a type to compare it.
fn is_opaque(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Any
            | Type::Unit
            | Type::RichData
            | Type::Reference(_)
            | Type::Init(_)
            | Type::Optional(None)
            | Type::Callable(_)
    )
}

/// Whether some value of type `actual` can be an `expected`; `true` if that is unknown.
pub fn may_be(expected: &Type, actual: &Type) -> bool {
    deep(|| may_be_inner(expected, actual, 0))
}

/// Whether a value may be `Deferred`. Parameters of classes and defined types accept it by the return type of its function, which
/// Ruby functions rarely declare.
pub fn may_be_deferred(ty: &Type) -> bool {
    deep(|| match ty {
        Type::Object(object) => object.label() == "Deferred",
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => may_be_deferred(inner),
        Type::Variant(types) => types.iter().any(may_be_deferred),
        Type::Alias(alias) if alias.is_resolved() && !alias.is_recursive() => {
            may_be_deferred(alias.resolved())
        }
        _ => false,
    })
}

const DEEPEST: usize = 12;

fn may_be_inner(expected: &Type, actual: &Type, depth: usize) -> bool {
    if depth > DEEPEST || is_opaque(expected) || is_opaque(actual) {
        return true;
    }
    let within = |expected: &Type, actual: &Type| may_be_inner(expected, actual, depth + 1);
    if kinds_of(expected) & kinds_of(actual) == 0 {
        return false;
    }
    match (expected, actual) {
        (Type::Alias(_) | Type::Data, _) => within(expected.unaliased(), actual),
        (_, Type::Alias(_) | Type::Data) => within(expected, actual.unaliased()),
        (_, Type::Variant(types)) if !types.is_empty() => types.iter().any(|ty| within(expected, ty)),
        (_, Type::Optional(Some(ty))) => kinds_of(expected) & UNDEF != 0 || within(expected, ty),
        (_, Type::NotUndef(Some(ty))) => within(expected, ty),
        (Type::Variant(types), _) if !types.is_empty() => types.iter().any(|ty| within(ty, actual)),
        (Type::Optional(Some(ty)), _) => matches!(actual, Type::Undef) || within(ty, actual),
        (Type::NotUndef(Some(ty)), _) => within(ty, actual),
        (Type::Sensitive(expected), Type::Sensitive(actual)) => within(expected, actual),
        (_, Type::Literal(text)) => expected.contains(&Value::String(text.clone())),
        (Type::Literal(text), Type::Enum(_)) => actual.contains(&Value::String(text.clone())),
        (Type::Literal(_), _) => true,
        (Type::Enum(a), Type::Enum(b)) => {
            a.values.is_empty() || b.values.is_empty() || b.values.iter().any(|value| a.has(value))
        }
        (Type::Pattern(_) | Type::String(_), Type::Enum(values)) => {
            values.values.is_empty()
                || values.case_insensitive
                || values.values.iter().any(|value| expected.contains(&Value::String(value.clone())))
        }
        (Type::Integer(a), Type::Integer(b)) => meet(*a, *b),
        (Type::Float(a, b), Type::Float(c, d)) => a <= d && c <= b,
        (Type::Boolean(Some(a)), Type::Boolean(Some(b))) => a == b,
        (Type::String(a), Type::String(b)) => meet(a.as_size(), b.as_size()),
        (Type::Array(_) | Type::Tuple(_), Type::Array(_) | Type::Tuple(_)) => {
            lists_meet(expected, actual, depth)
        }
        (Type::Hash(_) | Type::Struct(_), Type::Hash(_) | Type::Struct(_)) => {
            hashes_meet(expected, actual, depth)
        }
        (Type::Collection(size), Type::Array(_) | Type::Tuple(_)) => meet(*size, elements(actual).1),
        // References and similar types have rules of their own, and certain mismatches are rare there.
        _ => true,
    }
}

fn meet(a: Range, b: Range) -> bool {
    a.min() <= b.max() && b.min() <= a.max()
}

/// The types of the elements of a list, the last of which repeats, and the range of its length.
fn elements(ty: &Type) -> (Vec<&Type>, Range) {
    match ty {
        Type::Array(array) => (vec![&array.element], array.size.as_size()),
        Type::Tuple(tuple) => {
            let count = tuple.types.len() as i64;
            let size =
                tuple.size.unwrap_or(if count == 0 { Range::at_least(0) } else { Range::exactly(count) });
            (tuple.types.iter().collect(), size)
        }
        _ => (Vec::new(), Range::at_least(0)),
    }
}

fn lists_meet(expected: &Type, actual: &Type, depth: usize) -> bool {
    let ((wanted, size), (given, length)) = (elements(expected), elements(actual));
    if !meet(size, length) {
        return false;
    }
    // A list that may be empty matches whatever the type of its elements.
    let least = usize::try_from(length.min().max(size.min())).unwrap_or_default();
    (0..least.min(wanted.len().max(given.len()))).all(|at| {
        let (wanted, given) = (wanted.get(at).or(wanted.last()), given.get(at).or(given.last()));
        match (wanted, given) {
            (Some(wanted), Some(given)) => may_be_inner(wanted, given, depth + 1),
            _ => true,
        }
    })
}

fn hashes_meet(expected: &Type, actual: &Type, depth: usize) -> bool {
    let within = |expected: &Type, actual: &Type| may_be_inner(expected, actual, depth + 1);
    match (expected, actual) {
        (Type::Struct(wanted), Type::Struct(given)) => {
            let find =
                |fields: &'_ [StructField], name: &str| fields.iter().position(|field| field.name == name);
            let fits = |field: &StructField| match find(given, &field.name) {
                Some(at) => within(&field.value, &given[at].value) || given[at].optional,
                None => field.optional,
            };
            wanted.iter().all(fits)
                && given.iter().all(|field| field.optional || find(wanted, &field.name).is_some())
        }
        (Type::Hash(wanted), Type::Struct(given)) => {
            let required: Vec<&StructField> = given.iter().filter(|field| !field.optional).collect();
            meet(wanted.size.as_size(), Range::new(required.len() as i64, given.len() as i64))
                && required.iter().all(|field| {
                    within(&wanted.key, &Type::Literal(field.name.clone()))
                        && within(&wanted.value, &field.value)
                })
        }
        (Type::Hash(wanted), Type::Hash(given)) => {
            let is_filled = given.size.as_size().min() > 0;
            meet(wanted.size.as_size(), given.size.as_size())
                && (!is_filled || (within(&wanted.key, &given.key) && within(&wanted.value, &given.value)))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meets(expected: &str, actual: &str) -> bool {
        let ty = |text: &str| Type::parse(text).unwrap_or_else(|_| panic!("{text}"));
        may_be(&ty(expected), &ty(actual))
    }

    #[test]
    fn certain_and_possible_matches() {
        for (expected, actual) in [
            ("String", "Integer"),
            ("Enum[a, b]", "Enum[c]"),
            ("Integer[1, 10]", "Integer[11]"),
            ("Array[String]", "Tuple[Integer]"),
            ("Struct[{a => String}]", "Struct[{b => String}]"),
            ("Variant[String, Integer]", "Boolean"),
            ("Hash[String, Integer]", "Struct[{a => String}]"),
            ("Optional[String]", "Array[String]"),
            ("String[1]", "Undef"),
            ("Variant[String, Deferred]", "Struct[{a => String}]"),
        ] {
            assert!(!meets(expected, actual), "{expected} {actual}");
        }
        for (expected, actual) in [
            ("String", "Optional[String]"),
            ("Enum[a, b]", "String"),
            ("Array[String]", "Array[Integer]"),
            ("Any", "Integer"),
            ("Data", "Array[String]"),
            ("Pattern[/^a/]", "String"),
            ("Struct[{a => String, Optional[b] => Any}]", "Struct[{a => String}]"),
            ("Variant[String, Integer]", "Variant[Integer, Boolean]"),
        ] {
            assert!(meets(expected, actual), "{expected} {actual}");
        }
    }
}
