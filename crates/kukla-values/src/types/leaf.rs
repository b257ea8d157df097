//! Questions of the rules of types about values.

use std::cmp::Ordering;
use std::sync::{Arc, LazyLock};

use super::{Range, StructField, Type};
use crate::binary::Binary;
use crate::regexp::Regexp;
use crate::semver::{Version, VersionRange};
use crate::time::{Timespan, Timestamp};
use crate::uri::Uri;
use crate::{Result, Str, Value};

/// Whether the regular expression matches somewhere in the text.
pub(crate) fn matches(regexp: &Regexp, text: &str) -> bool {
    regexp.is_match(text)
}

/// Whether the version is in the range.
pub(crate) fn range_has(range: &VersionRange, version: &Version) -> bool {
    range.includes(version)
}

/// Whether all versions of `narrow` are in `wide`, by their ends.
pub(crate) fn range_covers(wide: &VersionRange, narrow: &VersionRange) -> bool {
    match (wide.min(), wide.max(), narrow.min(), narrow.max()) {
        (Some(from), Some(to), Some(narrow_from), Some(narrow_to)) => {
            from.compare(narrow_from).is_le()
                && match to.compare(narrow_to) {
                    Ordering::Greater => true,
                    Ordering::Equal => !wide.excludes_max() || narrow.excludes_max(),
                    Ordering::Less => false,
                }
        }
        _ => wide == narrow,
    }
}

/// The range that holds this version alone.
pub(crate) fn exactly(version: &Version) -> Arc<VersionRange> {
    Arc::new(VersionRange::between(version.clone(), version.clone(), false))
}

/// Ranges that touch made one.
pub(crate) fn merge_ranges(mut ranges: Vec<Arc<VersionRange>>) -> Vec<Arc<VersionRange>> {
    let mut result = Vec::new();
    while let Some(mut range) = ranges.pop() {
        let mut apart = Vec::new();
        for other in ranges {
            match join_ranges(&range, &other) {
                Some(both) => range = Arc::new(both),
                None => apart.push(other),
            }
        }
        result.push(range);
        ranges = apart;
    }
    result.reverse();
    result
}

fn join_ranges(a: &VersionRange, b: &VersionRange) -> Option<VersionRange> {
    let ((a_from, a_to), (b_from, b_to)) = ((a.min()?, a.max()?), (b.min()?, b.max()?));
    let (a_open, b_open) = (a.excludes_max(), b.excludes_max());
    if a.includes(b_from) || b.includes(a_from) {
        let from = if a_from.compare(b_from).is_le() { a_from } else { b_from };
        let (to, open) = match a_to.compare(b_to) {
            Ordering::Greater => (a_to, a_open),
            Ordering::Less => (b_to, b_open),
            Ordering::Equal => (a_to, a_open && b_open),
        };
        Some(VersionRange::between(from.clone(), to.clone(), open))
    } else if a_open && a_to == b_from {
        Some(VersionRange::between(a_from.clone(), b_to.clone(), b_open))
    } else if b_open && b_to == a_from {
        Some(VersionRange::between(b_from.clone(), a_to.clone(), a_open))
    } else {
        None
    }
}

/// The version a value is or spells.
pub(crate) fn version_of(value: &Value) -> Option<Version> {
    match value {
        Value::SemVer(version) => Some((**version).clone()),
        Value::String(text) => Version::parse(text).ok(),
        _ => None,
    }
}

/// Whether each part of the URI matches what the parameters say of it.
pub(crate) fn uri_has(parameters: &Value, uri: &Uri) -> bool {
    let Value::Hash(parameters) = parameters else { return false };
    parameters.iter().all(|(name, pattern)| {
        let part = name.as_str().map_or(Value::Undef, |name| uri.part(name));
        crate::compare::matches(&part, pattern).is_some()
    })
}

/// Whether the parameters `wide` say nothing that `narrow` does not.
pub(crate) fn uri_covers(wide: &Value, narrow: &Value) -> bool {
    let (Value::Hash(wide), Value::Hash(narrow)) = (wide, narrow) else { return wide == narrow };
    wide.iter().all(|(name, pattern)| {
        narrow.get(name).is_some_and(|part| {
            crate::compare::matches(part, pattern).is_some()
                || matches!((pattern, part), (Value::Type(wide), Value::Type(narrow)) if wide.covers(narrow))
        })
    })
}

/// The parts a URI has, as parameters of its type.
pub(crate) fn uri_parameters(uri: &Uri) -> Option<Value> {
    let parts = uri.parameters();
    (!parts.is_empty()).then_some(Value::Hash(parts))
}

/// Reads a URI.
pub(crate) fn parse_uri(text: &str) -> Result<Arc<Uri>> {
    Uri::parse(text).map(Arc::new)
}

/// The keys of `URI[{...}]`.
pub(crate) static URI_PARAMETERS: LazyLock<Type> =
    LazyLock::new(|| {
        let asked = [Type::NotUndef(None), Type::Undef].map(Type::type_of);
        let text = [Type::String(Range::at_least(1)), Type::Regexp(None)];
        let sets = [Type::Pattern([].into()), Type::enumeration([], false)].map(Type::type_of);
        let text = Type::optional(Type::variant(text.into_iter().chain(sets).chain(asked.clone())));
        let number = Type::Integer(Range::at_least(0));
        let port = Type::optional(Type::variant([number].into_iter().chain(asked)));
        Type::structure(["scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque"].map(
            |part| StructField::optional(part, if part == "port" { port.clone() } else { text.clone() }),
        ))
    });

/// The URI as text.
pub(crate) fn uri_text(uri: &Uri) -> Str {
    ecow::eco_format!("{uri}")
}

/// `Timestamp`.
pub(crate) fn any_timestamp() -> Type {
    Type::Timestamp(Arc::new((Timestamp::MIN, Timestamp::MAX)))
}

/// `Timespan`.
pub(crate) fn any_timespan() -> Type {
    Type::Timespan(Arc::new((Timespan::MIN, Timespan::MAX)))
}

/// The ends of a range of times, as text, where it has them.
pub(crate) fn timestamp_bounds(range: &(Timestamp, Timestamp)) -> (Option<String>, Option<String>) {
    let from = (range.0 != Timestamp::MIN).then(|| range.0.to_string());
    let to = (range.1 != Timestamp::MAX).then(|| range.1.to_string());
    (from, to)
}

/// The ends of a range of lengths of time, as text, where it has them.
pub(crate) fn timespan_bounds(range: &(Timespan, Timespan)) -> (Option<String>, Option<String>) {
    let from = (range.0 != Timespan::MIN).then(|| range.0.to_string());
    let to = (range.1 != Timespan::MAX).then(|| range.1.to_string());
    (from, to)
}

pub(crate) fn nanoseconds(time: &Value) -> Option<i128> {
    match time {
        Value::Timestamp(at) => Some(at.nanos()),
        Value::Timespan(span) => Some(span.nanos()),
        _ => None,
    }
}

pub(crate) fn binary_includes(binary: &Binary, needle: &Value) -> bool {
    let contains = |part: &[u8]| part.is_empty() || binary.0.windows(part.len()).any(|window| window == part);
    match needle {
        Value::Binary(part) => contains(&part.0),
        Value::String(text) => contains(text.as_bytes()),
        Value::Integer(n) => u8::try_from(*n).is_ok_and(|byte| binary.0.contains(&byte)),
        Value::Float(n) => binary.0.iter().any(|byte| f64::from(*byte) == *n),
        _ => false,
    }
}

/// The text of a version, a range or a time.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::SemVer(version) => Some(version.to_string()),
        Value::SemVerRange(range) => Some(range.to_string()),
        Value::Timestamp(at) => Some(at.to_string()),
        Value::Timespan(span) => Some(span.to_string()),
        _ => None,
    }
}
