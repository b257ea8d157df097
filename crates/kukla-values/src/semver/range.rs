//! Sets of versions: `>=1.0.0 <2.0.0`, `~1.2`, `^1`, `1.x`, `1.0.0 - 2.0.0`, `a || b`.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use kukla_syntax::bail;
use regex::Regex;

use super::{Number, Version, prerelease};
use crate::codes::INVALID_VERSION_RANGE;
use crate::{Result, Str};

/// A set of versions.
#[derive(Clone, Debug)]
pub struct VersionRange {
    text: Str,
    ranges: Vec<Span>,
}

/// One bound, or a version by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Bound {
    All,
    After(Version),
    From(Version),
    Before(Version),
    Upto(Version),
    Exactly(Version),
}

/// A connected set of versions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Span {
    One(Bound),
    Between(Bound, Bound),
}

const PARTIAL: &str = r"(?:x|X|\*|0|[1-9][0-9]*)(?:\.(?:x|X|\*|0|[1-9][0-9]*)(?:\.(?:x|X|\*|0|[1-9][0-9]*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)?)?";

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a valid pattern")
}

static TIGHTEN: LazyLock<Regex> = LazyLock::new(|| pattern(r"([><=~^])(?:[ \t\r\n\f\v]+|[ \t\r\n\f\v]*v)"));
static OR: LazyLock<Regex> = LazyLock::new(|| pattern(r"[ \t\r\n\f\v]*\|\|[ \t\r\n\f\v]*"));
static SPACE: LazyLock<Regex> = LazyLock::new(|| pattern(r"[ \t\r\n\f\v]+"));
static SIMPLE: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"\A(<=|>=|~>|~=|[<>=~^])?({PARTIAL})\z")));
static HYPHEN: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"\A({PARTIAL})[ \t\r\n\f\v]+-[ \t\r\n\f\v]+({PARTIAL})\z")));

static LOWEST: Version = Version::MIN;
static HIGHEST: Version = Version::MAX;

/// A version some of whose numbers may be left open.
struct Partial {
    major: Option<Number>,
    minor: Option<Number>,
    patch: Option<Number>,
    qualified: Version,
}

impl Partial {
    fn parse(text: &str) -> Result<Partial> {
        let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
        let (numbers, pre) = text.split_once('-').map_or((text, None), |(text, pre)| (text, Some(pre)));
        let mut numbers =
            numbers.split('.').map(|part| (!matches!(part, "x" | "X" | "*")).then(|| Number::parse(part)));
        let (major, minor, patch) =
            (numbers.next().flatten(), numbers.next().flatten(), numbers.next().flatten());
        let qualified = Version {
            major: major.clone().unwrap_or(Number::ZERO),
            minor: minor.clone().unwrap_or(Number::ZERO),
            patch: patch.clone().unwrap_or(Number::ZERO),
            prerelease: pre.map(prerelease).transpose()?,
            build: build.map(|build| build.split('.').map(Str::from).collect()),
        };
        Ok(Partial { major, minor, patch, qualified })
    }

    /// `~1.2.3`, and `1.x` when `exact` numbers mean themselves.
    fn same_minor(self, exact: bool) -> Span {
        let Some(major) = self.major else { return Span::One(Bound::All) };
        let Some(minor) = self.minor else {
            return from_before(first_minor(&major), next_major(&major));
        };
        if self.patch.is_none() {
            return from_before(first_patch(&major, &minor), next_minor(major, &minor));
        }
        if exact {
            return Span::One(Bound::Exactly(self.qualified));
        }
        from_before(self.qualified, next_minor(major, &minor))
    }

    /// `^1.2.3`.
    fn same_major(mut self) -> Span {
        match (&self.major, &self.minor, &self.patch) {
            (Some(Number::ZERO) | None, ..) => self.same_minor(false),
            (Some(major), None, _) => from_before(first_minor(major), next_major(major)),
            (Some(major), Some(minor), None) => from_before(first_patch(major, minor), next_major(major)),
            (Some(major), ..) => {
                if self.qualified.prerelease.is_none() {
                    self.qualified.build = None;
                }
                let before = next_major(major);
                from_before(self.qualified, before)
            }
        }
    }

    fn after(self) -> Span {
        Span::One(match (self.major, self.minor, self.patch) {
            (None, ..) => Bound::Before(Version::MIN),
            (Some(major), None, _) => Bound::From(next_major(&major)),
            (Some(major), Some(minor), None) => Bound::From(next_minor(major, &minor)),
            _ => Bound::After(self.qualified),
        })
    }

    fn upto(self) -> Span {
        Span::One(match (self.major, self.minor, self.patch) {
            (None, ..) => Bound::All,
            (Some(major), None, _) => Bound::Before(next_major(&major)),
            (Some(major), Some(minor), None) => Bound::Before(next_minor(major, &minor)),
            _ => Bound::Upto(self.qualified),
        })
    }
}

fn first_minor(major: &Number) -> Version {
    Version::new(major.clone(), Number::ZERO, Number::ZERO)
}

fn first_patch(major: &Number, minor: &Number) -> Version {
    Version::new(major.clone(), minor.clone(), Number::ZERO)
}

fn next_major(major: &Number) -> Version {
    Version::new(major.next(), Number::ZERO, Number::ZERO)
}

fn next_minor(major: Number, minor: &Number) -> Version {
    Version::new(major, minor.next(), Number::ZERO)
}

fn from_before(from: Version, before: Version) -> Span {
    Span::Between(Bound::From(from), Bound::Before(before))
}

impl VersionRange {
    /// Reads a range in any of its forms.
    pub fn parse(text: &str) -> Result<VersionRange> {
        let tight = TIGHTEN.replace_all(text, "$1");
        let mut parts: Vec<&str> = if tight.is_empty() { Vec::new() } else { OR.split(&tight).collect() };
        while parts.last().is_some_and(|part| part.is_empty()) {
            parts.pop();
        }
        if parts.is_empty() {
            return Ok(VersionRange { text: "*".into(), ranges: vec![Span::One(Bound::All)] });
        }
        let mut ranges = Vec::new();
        for part in parts {
            let span = if let Some(found) = HYPHEN.captures(part) {
                let from = Bound::From(Partial::parse(&found[1])?.qualified);
                Span::One(from).intersection(&Span::One(Bound::Upto(Partial::parse(&found[2])?.qualified)))
            } else {
                simple(part, text)?
            };
            if let Some(span) = span
                && !ranges.contains(&span)
            {
                ranges.push(span);
            }
        }
        Ok(VersionRange::of(ranges, text))
    }

    /// The range between two versions. The text shows them the wrong way round, as Puppet's does.
    pub fn between(min: Version, max: Version, exclude_max: bool) -> VersionRange {
        let text = if exclude_max { format!(">={max} <{min}") } else { format!("{max} - {min}") };
        let upper = if exclude_max { Bound::Before(max) } else { Bound::Upto(max) };
        let span = Span::One(Bound::From(min)).intersection(&Span::One(upper));
        VersionRange::of(span.into_iter().collect(), &text)
    }

    fn of(ranges: Vec<Span>, text: &str) -> VersionRange {
        VersionRange { text: text.into(), ranges: merged(ranges) }
    }

    /// Whether a version is within. A pre-release is so only if a bound has the same numbers and is one too.
    pub fn includes(&self, version: &Version) -> bool {
        self.ranges
            .iter()
            .any(|range| range.includes(version) && (version.is_stable() || range.admits_prerelease(version)))
    }

    /// The versions in both.
    pub fn intersection(&self, other: &VersionRange) -> VersionRange {
        let mut ranges = Vec::new();
        for mine in &self.ranges {
            for yours in &other.ranges {
                if let Some(span) = mine.intersection(yours)
                    && !ranges.contains(&span)
                {
                    ranges.push(span);
                }
            }
        }
        let mut both = VersionRange::of(ranges, "");
        both.text = both.normalized().into();
        both
    }

    /// Whether there may be a version in both.
    pub fn overlaps(&self, other: &VersionRange) -> bool {
        self.ranges.iter().any(|mine| other.ranges.iter().any(|yours| mine.intersection(yours).is_some()))
    }

    /// The lower end, if the range is connected.
    pub fn min(&self) -> Option<&Version> {
        self.only().map(|range| range.begin())
    }

    /// The upper end, if the range is connected.
    pub fn max(&self) -> Option<&Version> {
        self.only().map(|range| range.end())
    }

    /// Whether the upper end itself is outside.
    pub fn excludes_max(&self) -> bool {
        self.only().is_some_and(Span::excludes_end)
    }

    fn only(&self) -> Option<&Span> {
        match self.ranges.as_slice() {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The range written with plain bounds.
    pub fn normalized(&self) -> String {
        self.ranges.iter().map(|range| range.to_string()).collect::<Vec<_>>().join(" || ")
    }
}

impl PartialEq for VersionRange {
    fn eq(&self, other: &VersionRange) -> bool {
        self.ranges == other.ranges
    }
}

impl Eq for VersionRange {}

impl Hash for VersionRange {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.ranges.hash(state);
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Comparators side by side: all must hold.
fn simple(part: &str, whole: &str) -> Result<Option<Span>> {
    if part.is_empty() {
        return Ok(None);
    }
    let mut all: Option<Option<Span>> = None;
    // As Ruby splits: what is empty at the end does not count.
    let mut comparators: Vec<&str> = SPACE.split(part).collect();
    while comparators.last().is_some_and(|last| last.is_empty()) {
        comparators.pop();
    }
    for comparator in comparators {
        let Some(found) = SIMPLE.captures(comparator) else {
            bail!(INVALID_VERSION_RANGE { text: whole });
        };
        let partial = Partial::parse(&found[2])?;
        let span = match found.get(1).map_or("", |operator| operator.as_str()) {
            "~" | "~>" | "~=" => partial.same_minor(false),
            "^" => partial.same_major(),
            ">" => partial.after(),
            ">=" => Span::One(Bound::From(partial.qualified)),
            "<" => Span::One(Bound::Before(partial.qualified)),
            "<=" => partial.upto(),
            _ => partial.same_minor(true),
        };
        all = Some(match all {
            None => Some(span),
            Some(before) => before.and_then(|before| before.intersection(&span)),
        });
    }
    Ok(all.flatten())
}

/// Joins ranges that overlap or touch, until none do.
fn merged(mut ranges: Vec<Span>) -> Vec<Span> {
    let mut changed = true;
    while ranges.len() > 1 && changed {
        changed = false;
        let mut result = Vec::new();
        while let Some(mut span) = ranges.pop() {
            let mut apart = Vec::new();
            for other in ranges {
                match span.merge(&other) {
                    Some(both) => {
                        changed = true;
                        span = both;
                    }
                    None => apart.push(other),
                }
            }
            result.push(span);
            ranges = apart;
        }
        result.reverse();
        ranges = result;
    }
    if ranges.is_empty() {
        ranges.push(Span::One(Bound::Before(Version::MIN)));
    }
    ranges
}

impl Bound {
    fn includes(&self, version: &Version) -> bool {
        match self {
            Bound::All => true,
            Bound::After(bound) => version.compare(bound) == Ordering::Greater,
            Bound::From(bound) => version.compare(bound) != Ordering::Less,
            Bound::Before(bound) => version.compare(bound) == Ordering::Less,
            Bound::Upto(bound) => version.compare(bound) != Ordering::Greater,
            Bound::Exactly(bound) => version == bound,
        }
    }

    fn begin(&self) -> &Version {
        match self {
            Bound::After(bound) | Bound::From(bound) | Bound::Exactly(bound) => bound,
            Bound::All | Bound::Before(_) | Bound::Upto(_) => &LOWEST,
        }
    }

    fn end(&self) -> &Version {
        match self {
            Bound::Before(bound) | Bound::Upto(bound) | Bound::Exactly(bound) => bound,
            Bound::All | Bound::After(_) | Bound::From(_) => &HIGHEST,
        }
    }

    fn has_lower(&self) -> bool {
        match self {
            Bound::After(_) => true,
            Bound::From(bound) | Bound::Exactly(bound) => *bound != Version::MIN,
            Bound::All | Bound::Before(_) | Bound::Upto(_) => false,
        }
    }

    fn has_upper(&self) -> bool {
        match self {
            Bound::Before(_) => true,
            Bound::Upto(bound) | Bound::Exactly(bound) => *bound != Version::MAX,
            Bound::All | Bound::After(_) | Bound::From(_) => false,
        }
    }

    fn admits_prerelease(&self, version: &Version) -> bool {
        match self {
            Bound::All => true,
            Bound::After(bound)
            | Bound::From(bound)
            | Bound::Before(bound)
            | Bound::Upto(bound)
            | Bound::Exactly(bound) => !bound.is_stable() && bound.numbers() == version.numbers(),
        }
    }
}

impl Span {
    fn lower(&self) -> &Bound {
        match self {
            Span::One(bound) | Span::Between(bound, _) => bound,
        }
    }

    fn upper(&self) -> &Bound {
        match self {
            Span::One(bound) | Span::Between(_, bound) => bound,
        }
    }

    fn begin(&self) -> &Version {
        self.lower().begin()
    }

    fn end(&self) -> &Version {
        self.upper().end()
    }

    fn excludes_begin(&self) -> bool {
        matches!(self.lower(), Bound::After(_))
    }

    fn excludes_end(&self) -> bool {
        matches!(self.upper(), Bound::Before(_))
    }

    fn includes(&self, version: &Version) -> bool {
        self.lower().includes(version) && self.upper().includes(version)
    }

    fn admits_prerelease(&self, version: &Version) -> bool {
        self.lower().admits_prerelease(version) || self.upper().admits_prerelease(version)
    }

    fn intersection(&self, other: &Span) -> Option<Span> {
        if matches!(self, Span::One(Bound::All)) {
            return Some(other.clone());
        }
        match self.begin().compare(other.end()) {
            Ordering::Greater => return None,
            Ordering::Equal if self.excludes_begin() || other.excludes_end() => return None,
            Ordering::Equal => return Some(Span::One(Bound::Exactly(self.begin().clone()))),
            Ordering::Less => {}
        }
        match other.begin().compare(self.end()) {
            Ordering::Greater => return None,
            Ordering::Equal if other.excludes_begin() || self.excludes_end() => return None,
            Ordering::Equal => return Some(Span::One(Bound::Exactly(other.begin().clone()))),
            Ordering::Less => {}
        }
        let lower = match self.begin().compare(other.begin()) {
            Ordering::Less => other,
            Ordering::Greater => self,
            Ordering::Equal if self.excludes_begin() => self,
            Ordering::Equal => other,
        };
        let upper = match self.end().compare(other.end()) {
            Ordering::Greater => other,
            Ordering::Less => self,
            Ordering::Equal if self.excludes_end() => self,
            Ordering::Equal => other,
        };
        if !upper.upper().has_upper() {
            Some(lower.clone())
        } else if !lower.lower().has_lower() {
            Some(upper.clone())
        } else {
            Some(Span::Between(lower.lower().clone(), upper.upper().clone()))
        }
    }

    fn merge(&self, other: &Span) -> Option<Span> {
        if matches!(self, Span::One(Bound::All)) {
            return Some(self.clone());
        }
        if self.includes(other.begin()) || other.includes(self.begin()) {
            let (min, after) = match self.begin().compare(other.begin()) {
                Ordering::Less => (self.begin(), self.excludes_begin()),
                Ordering::Greater => (other.begin(), other.excludes_begin()),
                Ordering::Equal => (self.begin(), self.excludes_begin() && other.excludes_begin()),
            };
            let (max, before) = match self.end().compare(other.end()) {
                Ordering::Greater => (self.end(), self.excludes_end()),
                Ordering::Less => (other.end(), other.excludes_end()),
                Ordering::Equal => (self.end(), self.excludes_end() && other.excludes_end()),
            };
            return joined(min, after, max, before);
        }
        let touches = |a: &Span, b: &Span| a.excludes_end() && !b.excludes_begin() && a.end() == b.begin();
        let follows = |a: &Span, b: &Span| {
            !a.excludes_end() && !b.excludes_begin() && a.end().next_patch() == *b.begin()
        };
        if touches(self, other) || follows(self, other) {
            return joined(self.begin(), self.excludes_begin(), other.end(), other.excludes_end());
        }
        if touches(other, self) || follows(other, self) {
            return joined(other.begin(), other.excludes_begin(), self.end(), self.excludes_end());
        }
        None
    }
}

fn joined(min: &Version, after: bool, max: &Version, before: bool) -> Option<Span> {
    let lower = if after { Bound::After(min.clone()) } else { Bound::From(min.clone()) };
    let upper = if before { Bound::Before(max.clone()) } else { Bound::Upto(max.clone()) };
    Span::One(lower).intersection(&Span::One(upper))
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::All => f.write_str("*"),
            Bound::After(bound) => write!(f, ">{bound}"),
            Bound::From(bound) => write!(f, ">={bound}"),
            Bound::Before(bound) if *bound == Version::MIN => f.write_str("<0.0.0"),
            Bound::Before(bound) => write!(f, "<{bound}"),
            Bound::Upto(bound) => write!(f, "<={bound}"),
            Bound::Exactly(bound) => write!(f, "{bound}"),
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Span::One(bound) => write!(f, "{bound}"),
            Span::Between(lower, upper) => write!(f, "{lower} {upper}"),
        }
    }
}
