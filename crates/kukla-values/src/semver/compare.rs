//! Comparing version numbers of packages, which follow no scheme.

use std::cmp::Ordering;

/// The order `versioncmp` gives two version texts: parts are hyphens, dots, digits and the rest, and a hyphen comes first.
pub fn versioncmp(a: &str, b: &str, ignore_trailing_zeroes: bool) -> Ordering {
    let (a, b) = if ignore_trailing_zeroes {
        (without_zeroes(a), without_zeroes(b))
    } else {
        (a.to_owned(), b.to_owned())
    };
    for (a, b) in parts(&a).into_iter().zip(parts(&b)) {
        if a == b {
            continue;
        }
        for separator in ["-", "."] {
            if a == separator {
                return Ordering::Less;
            }
            if b == separator {
                return Ordering::Greater;
            }
        }
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if digits(a) && digits(b) && !a.starts_with('0') && !b.starts_with('0') {
            return a.len().cmp(&b.len()).then_with(|| a.cmp(b));
        }
        return a.to_uppercase().cmp(&b.to_uppercase());
    }
    a.cmp(&b)
}

fn parts(version: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        '-' | '.' => 0,
        '0'..='9' => 1,
        _ => 2,
    };
    let mut parts = Vec::new();
    let mut start = 0;
    let mut previous = None;
    for (at, c) in version.char_indices() {
        if previous.is_some_and(|previous| previous != kind(c) || previous == 0) {
            parts.push(&version[start..at]);
            start = at;
        }
        previous = Some(kind(c));
    }
    if start < version.len() {
        parts.push(&version[start..]);
    }
    parts
}

fn without_zeroes(version: &str) -> String {
    let (first, rest) = version.split_once('-').map_or((version, None), |(first, rest)| (first, Some(rest)));
    let first = first.trim_end_matches(['.', '0']);
    match rest.map(|rest| rest.trim_end_matches('-')) {
        Some(rest) if !rest.is_empty() => format!("{first}-{rest}"),
        _ => first.to_owned(),
    }
}
