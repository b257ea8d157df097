//! The language's own comparisons: `==`, `<`, `in`, and the matching of `case`.
//!
//! They are wider than equality of hash keys: strings compare without regard to case, and numbers across kinds.

use std::cmp::Ordering;

use kukla_syntax::deep;

use crate::case::downcase;
use crate::types::Type;
use crate::types::leaf;
use crate::{Str, Value, meter};

/// `left == right`.
pub fn equals(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Type(a), Value::Type(b)) => a.same_set(b),
        _ => equal_within(left, right),
    }
}

/// Equality inside of collections, where types are equal only if they are the same.
fn equal_within(left: &Value, right: &Value) -> bool {
    meter::work(1);
    match (left, right) {
        (Value::String(a), Value::String(b)) => {
            a.len() == b.len() && {
                meter::text(a.len());
                a.eq_ignore_ascii_case(b)
            }
        }
        (Value::Integer(a), Value::Integer(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Integer(n), Value::Float(f)) | (Value::Float(f), Value::Integer(n)) => {
            compare_numbers(*n, *f) == Some(Ordering::Equal)
        }
        (Value::Timespan(_) | Value::Timestamp(_), Value::Integer(_) | Value::Float(_)) => {
            compare_time(left, right) == Some(Ordering::Equal)
        }
        (Value::Integer(_) | Value::Float(_), Value::Timespan(_) | Value::Timestamp(_)) => {
            compare_time(right, left) == Some(Ordering::Equal)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && deep(|| a.iter().zip(b.iter()).all(|(a, b)| equal_within(a, b)))
        }
        (Value::Hash(a), Value::Hash(b)) => {
            let same = |(key, value)| equal_within(b.get(key).unwrap_or(&Value::Undef), value);
            a.len() == b.len() && deep(|| a.iter().all(same))
        }
        _ => left == right,
    }
}

/// An integer against a float, exactly.
fn compare_numbers(n: i64, f: f64) -> Option<Ordering> {
    if f.is_nan() {
        return None;
    }
    // 2^63 is the first float above all integers.
    if f >= 9_223_372_036_854_775_808.0 {
        return Some(Ordering::Less);
    }
    if f < -9_223_372_036_854_775_808.0 {
        return Some(Ordering::Greater);
    }
    let whole = f.trunc();
    Some(n.cmp(&(whole as i64)).then_with(|| 0.0_f64.partial_cmp(&(f - whole)).unwrap_or(Ordering::Equal)))
}

fn compare_time(time: &Value, other: &Value) -> Option<Ordering> {
    let nanos = leaf::nanoseconds(time)?;
    match other {
        // Whole seconds, rounded down, against whole seconds.
        Value::Integer(n) => Some(nanos.div_euclid(1_000_000_000).cmp(&i128::from(*n))),
        Value::Float(f) => (nanos as f64 / 1e9).partial_cmp(f),
        _ => None,
    }
}

/// The order of two values, or the reason why there is none.
pub fn order(left: &Value, right: &Value) -> std::result::Result<Ordering, &'static str> {
    match (left, right) {
        (Value::String(a), Value::String(b)) => {
            meter::work(1);
            meter::text(a.len().min(b.len()));
            let (a, b) = (a.bytes(), b.bytes());
            Ok(a.map(|b| b.to_ascii_lowercase()).cmp(b.map(|b| b.to_ascii_lowercase())))
        }
        (Value::String(_), _) => Err("A String is not comparable to a non String"),
        (Value::Integer(a), Value::Integer(b)) => Ok(a.cmp(b)),
        (Value::Integer(a), Value::Float(b)) => compare_numbers(*a, *b).ok_or("NaN is not comparable"),
        (Value::Float(a), Value::Integer(b)) => {
            compare_numbers(*b, *a).map(Ordering::reverse).ok_or("NaN is not comparable")
        }
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b).ok_or("NaN is not comparable"),
        (Value::Integer(_) | Value::Float(_), Value::Timespan(_) | Value::Timestamp(_)) => {
            compare_time(right, left).map(Ordering::reverse).ok_or("NaN is not comparable")
        }
        (Value::Integer(_) | Value::Float(_), _) => Err("A Numeric is not comparable to non Numeric"),
        (Value::Timespan(a), Value::Timespan(b)) => Ok(a.cmp(b)),
        (Value::Timespan(_), Value::Integer(_) | Value::Float(_)) => {
            compare_time(left, right).ok_or("NaN is not comparable")
        }
        (Value::Timespan(_), _) => Err("Timespans are only comparable to Timespans, Integers, and Floats"),
        (Value::Timestamp(a), Value::Timestamp(b)) => Ok(a.cmp(b)),
        (Value::Timestamp(_), Value::Integer(_) | Value::Float(_)) => {
            compare_time(left, right).ok_or("NaN is not comparable")
        }
        (Value::Timestamp(_), _) => Err("Timestamps are only comparable to Timestamps, Integers, and Floats"),
        (Value::SemVer(a), Value::SemVer(b)) => Ok(a.compare(b)),
        (Value::SemVer(_), _) => Err("Versions not comparable to non Versions"),
        (Value::Default, Value::Default) => Ok(Ordering::Equal),
        (Value::Default, _) => Err("Symbol not comparable to non Symbol"),
        _ => Err("Only Strings, Numbers, Timespans, Timestamps, and Versions are comparable"),
    }
}

/// The kind of a value, in messages.
pub fn label(value: &Value) -> Str {
    let label = match value {
        Value::Undef => "Undef Value",
        Value::Boolean(_) => "Boolean",
        Value::Integer(_) => "Integer",
        Value::Float(_) => "Float",
        Value::String(_) => "String",
        Value::Regexp(_) => "Regexp",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Sensitive(_) => "Sensitive",
        Value::Timestamp(_) => "Timestamp",
        Value::Timespan(_) => "Timespan",
        Value::SemVer(_) => "Semver",
        Value::SemVerRange(_) => "SemverRange",
        Value::Binary(_) => "Binary",
        Value::Type(ty) => {
            return match &**ty {
                Type::Resource(Some(resource)) if resource.title.is_some() => {
                    format!("{ty} Resource-Reference").into()
                }
                ty => format!("{ty}-Type").into(),
            };
        }
        Value::Default | Value::Uri(_) | Value::Iterator(_) | Value::Host(_) | Value::Object(_) => "Object",
    };
    label.into()
}

/// How a value was found: plainly, or by a regular expression that matched this text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueMatch {
    /// Without a regular expression.
    Plain,
    /// By a regular expression in this text; its groups become `$0`, `$1`...
    Regexp(Str),
}

fn found(yes: bool) -> Option<ValueMatch> {
    yes.then_some(ValueMatch::Plain)
}

/// `needle in haystack`.
pub fn includes(haystack: &Value, needle: &Value) -> Option<ValueMatch> {
    match haystack {
        Value::String(text) => match needle {
            Value::String(part) => {
                meter::text(2 * text.len() + part.len());
                found(downcase(text).contains(&*downcase(part)))
            }
            Value::Regexp(regexp) => regexp.is_match(text).then(|| ValueMatch::Regexp(text.clone())),
            _ => None,
        },
        Value::Binary(binary) => {
            meter::text(binary.0.len());
            found(leaf::binary_includes(binary, needle))
        }
        Value::Array(values) => includes_any(values.iter(), needle),
        Value::Hash(hash) => includes_any(hash.keys(), needle),
        Value::SemVerRange(range) => {
            found(leaf::version_of(needle).is_some_and(|v| leaf::range_has(range, &v)))
        }
        _ => None,
    }
}

fn includes_any<'a>(mut values: impl Iterator<Item = &'a Value>, needle: &Value) -> Option<ValueMatch> {
    match needle {
        Value::Regexp(regexp) => values.find_map(|value| match value {
            Value::String(text) if regexp.is_match(text) => Some(ValueMatch::Regexp(text.clone())),
            _ => None,
        }),
        // Here the elements are the patterns.
        Value::String(_) | Value::SemVer(_) => values.find_map(|element| matches(needle, element)),
        Value::Type(ty) => found(values.any(|value| ty.contains(value))),
        needle => found(values.any(|value| equal_within(value, needle))),
    }
}

/// Whether `value` matches `pattern` as an option of `case` does: types by membership, regular expressions by text, arrays
/// and hashes part by part, the rest by equality.
pub fn matches(value: &Value, pattern: &Value) -> Option<ValueMatch> {
    meter::work(1);
    match pattern {
        Value::Default => Some(ValueMatch::Plain),
        Value::Regexp(regexp) => match value {
            Value::String(text) if regexp.is_match(text) => Some(ValueMatch::Regexp(text.clone())),
            _ => None,
        },
        Value::Type(ty) => found(ty.contains(value)),
        Value::SemVer(version) => found(leaf::version_of(value).is_some_and(|v| v == **version)),
        Value::SemVerRange(range) => {
            found(leaf::version_of(value).is_some_and(|v| leaf::range_has(range, &v)))
        }
        Value::Array(patterns) => match value {
            Value::Array(values) if values.len() == patterns.len() => {
                let mut last = ValueMatch::Plain;
                for (value, pattern) in values.iter().zip(patterns.iter()) {
                    match matches(value, pattern)? {
                        ValueMatch::Plain => {}
                        by_text => last = by_text,
                    }
                }
                Some(last)
            }
            _ => None,
        },
        Value::Hash(patterns) => match value {
            Value::Hash(hash) => {
                let mut last = ValueMatch::Plain;
                for (key, pattern) in patterns {
                    match matches(hash.get(key).unwrap_or(&Value::Undef), pattern)? {
                        ValueMatch::Plain => {}
                        by_text => last = by_text,
                    }
                }
                Some(last)
            }
            _ => None,
        },
        pattern => found(equal_within(value, pattern)),
    }
}
