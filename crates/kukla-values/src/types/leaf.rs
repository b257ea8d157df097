//! What the rules of types ask of the values they are about.

use std::cmp::Ordering;
use std::sync::Arc;

use super::Type;
use crate::binary::Binary;
use crate::regexp::Regexp;
use crate::semver::{Version, VersionRange};
use crate::time::{Timespan, Timestamp};
use crate::uri::Uri;
use crate::{Str, Value};

/// Whether the regular expression matches somewhere in the text.
pub(crate) fn matches(regexp: &Regexp, text: &str) -> bool {
    regexp.is_match(text)
}

/// Whether the version is in the range.
pub(crate) fn range_has(_range: &VersionRange, _version: &Version) -> bool {
    false
}

/// Whether all versions of `narrow` are in `wide`.
pub(crate) fn range_covers(wide: &VersionRange, narrow: &VersionRange) -> bool {
    wide == narrow
}

/// The range that holds this version alone.
pub(crate) fn exactly(version: &Version) -> Arc<VersionRange> {
    Arc::new(VersionRange { text: format!("{}.{}.{}", version.major, version.minor, version.patch) })
}

/// Ranges that touch made one.
pub(crate) fn merge_ranges(ranges: Vec<Arc<VersionRange>>) -> Vec<Arc<VersionRange>> {
    ranges
}

/// The range as it was written.
pub(crate) fn range_text(range: &VersionRange) -> &str {
    &range.text
}

pub(crate) fn compare_versions(a: &Version, b: &Version) -> Ordering {
    (a.major, a.minor, a.patch).cmp(&(b.major, b.minor, b.patch))
}

/// The version a value is or spells.
pub(crate) fn version_of(value: &Value) -> Option<Version> {
    match value {
        Value::SemVer(version) => Some((**version).clone()),
        _ => None,
    }
}

pub(crate) fn uri_has(_parameters: &Value, _uri: &Uri) -> bool {
    false
}

pub(crate) fn uri_covers(wide: &Value, narrow: &Value) -> bool {
    wide == narrow
}

pub(crate) fn uri_parameters(_uri: &Uri) -> Option<Value> {
    None
}

pub(crate) fn uri_text(uri: &Uri) -> Str {
    uri.text.as_str().into()
}

/// `Timestamp`.
pub(crate) fn any_timestamp() -> Type {
    Type::Timestamp(Arc::new((Timestamp(i64::MIN), Timestamp(i64::MAX))))
}

/// `Timespan`.
pub(crate) fn any_timespan() -> Type {
    Type::Timespan(Arc::new((Timespan(i64::MIN), Timespan(i64::MAX))))
}

/// The ends of a range of times, as text, where it has them.
pub(crate) fn timestamp_bounds(range: &(Timestamp, Timestamp)) -> (Option<String>, Option<String>) {
    let from = (range.0.0 != i64::MIN).then(|| range.0.0.to_string());
    let to = (range.1.0 != i64::MAX).then(|| range.1.0.to_string());
    (from, to)
}

/// The ends of a range of lengths of time, as text, where it has them.
pub(crate) fn timespan_bounds(range: &(Timespan, Timespan)) -> (Option<String>, Option<String>) {
    let from = (range.0.0 != i64::MIN).then(|| range.0.0.to_string());
    let to = (range.1.0 != i64::MAX).then(|| range.1.0.to_string());
    (from, to)
}

pub(crate) fn nanoseconds(time: &Value) -> Option<i128> {
    match time {
        Value::Timestamp(at) => Some(i128::from(at.0)),
        Value::Timespan(span) => Some(i128::from(span.0)),
        _ => None,
    }
}

pub(crate) fn binary_includes(binary: &Binary, needle: &Value) -> bool {
    let contains = |part: &[u8]| part.is_empty() || binary.0.windows(part.len()).any(|window| window == part);
    match needle {
        Value::Binary(part) => contains(&part.0),
        Value::String(text) => contains(text.as_bytes()),
        Value::Integer(n) => u8::try_from(*n).is_ok_and(|byte| binary.0.contains(&byte)),
        _ => false,
    }
}

/// The text of a version, a range or a time.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::SemVer(version) => Some(format!("{}.{}.{}", version.major, version.minor, version.patch)),
        Value::SemVerRange(range) => Some(range.text.clone()),
        _ => None,
    }
}
