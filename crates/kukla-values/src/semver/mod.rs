//! Semantic versions and ranges, as Puppet reads them.

mod compare;
mod number;
mod range;

use std::cmp::Ordering;
use std::fmt;
use std::sync::LazyLock;

use kukla_syntax::bail;
use regex::Regex;

use crate::codes::{INVALID_VERSION, VERSION_WITH_LEADING_ZERO};
use crate::{Result, Str};
pub use compare::versioncmp;
pub use number::Number;
pub use range::VersionRange;

/// A semantic version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    /// First number; that of [`Version::MAX`] is infinite.
    pub major: Number,
    /// Second number.
    pub minor: Number,
    /// Third number.
    pub patch: Number,
    /// The identifiers after a hyphen, split at dots. An empty list comes before everything and is only in [`Version::MIN`].
    pub prerelease: Option<Vec<Identifier>>,
    /// The identifiers after a plus sign, split at dots.
    pub build: Option<Vec<Str>>,
}

/// One part of a pre-release.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Identifier {
    /// Compared as a number, before all texts.
    Number(Number),
    /// Compared as text.
    Text(Str),
}

static FULL: LazyLock<Regex> = LazyLock::new(|| {
    let parts = r"([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)";
    let number = "(0|[1-9][0-9]*)";
    Regex::new(&format!(r"\A{number}\.{number}\.{number}(?:-{parts})?(?:\+{parts})?\n?\z"))
        .expect("a valid pattern")
});

impl Version {
    /// Before every version.
    pub const MIN: Version = Version {
        major: Number::ZERO,
        minor: Number::ZERO,
        patch: Number::ZERO,
        prerelease: Some(Vec::new()),
        build: None,
    };
    /// After every version.
    pub const MAX: Version = Version::new(Number::Infinite, Number::ZERO, Number::ZERO);

    /// A version without qualifiers.
    pub const fn new(major: Number, minor: Number, patch: Number) -> Version {
        Version { major, minor, patch, prerelease: None, build: None }
    }

    /// Whether a text is spelt like a version; numeric pre-release parts may still have forbidden zeroes.
    pub fn is_like(text: &str) -> bool {
        FULL.is_match(text)
    }

    /// Reads `1.2.3-rc.1+build`.
    pub fn parse(text: &str) -> Result<Version> {
        let Some(found) = FULL.captures(text) else {
            bail!(INVALID_VERSION { text });
        };
        let number =
            |group: usize| found.get(group).map_or(Number::ZERO, |digits| Number::parse(digits.as_str()));
        Ok(Version {
            major: number(1),
            minor: number(2),
            patch: number(3),
            prerelease: found.get(4).map(|text| prerelease(text.as_str())).transpose()?,
            build: found.get(5).map(|text| text.as_str().split('.').map(Str::from).collect()),
        })
    }

    /// Whether it has no pre-release part.
    pub fn is_stable(&self) -> bool {
        self.prerelease.as_ref().is_none_or(Vec::is_empty)
    }

    /// The order of versions; the build part does not matter, though it does for equality.
    pub fn compare(&self, other: &Version) -> Ordering {
        self.numbers().cmp(&other.numbers()).then_with(|| match (&self.prerelease, &other.prerelease) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(mine), Some(yours)) => mine.cmp(yours),
        })
    }

    fn numbers(&self) -> [&Number; 3] {
        [&self.major, &self.minor, &self.patch]
    }

    fn next_patch(&self) -> Version {
        Version::new(self.major.clone(), self.minor.clone(), self.patch.next())
    }
}

impl PartialOrd for Identifier {
    fn partial_cmp(&self, other: &Identifier) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Identifier {
    fn cmp(&self, other: &Identifier) -> Ordering {
        match (self, other) {
            (Identifier::Number(a), Identifier::Number(b)) => a.cmp(b),
            (Identifier::Number(_), Identifier::Text(_)) => Ordering::Less,
            (Identifier::Text(_), Identifier::Number(_)) => Ordering::Greater,
            (Identifier::Text(a), Identifier::Text(b)) => a.cmp(b),
        }
    }
}

impl fmt::Display for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Identifier::Number(number) => write!(f, "{number}"),
            Identifier::Text(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if let Some(parts) = &self.prerelease {
            write!(f, "-{}", joined(parts))?;
        }
        if let Some(parts) = &self.build {
            write!(f, "+{}", joined(parts))?;
        }
        Ok(())
    }
}

fn joined(parts: &[impl fmt::Display]) -> String {
    parts.iter().map(|part| part.to_string()).collect::<Vec<_>>().join(".")
}

fn prerelease(text: &str) -> Result<Vec<Identifier>> {
    text.split('.')
        .map(|part| {
            if !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return Ok(Identifier::Text(part.into()));
            }
            if part.len() > 1 && part.starts_with('0') {
                bail!(VERSION_WITH_LEADING_ZERO);
            }
            Ok(Identifier::Number(Number::parse(part)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn included(range: &str, version: &str) -> bool {
        VersionRange::parse(range).unwrap().includes(&Version::parse(version).unwrap())
    }

    #[test]
    fn versions_compare_by_precedence_and_equal_by_build() {
        let version = |text| Version::parse(text).unwrap();
        assert_eq!(version("1.0.0-rc.2").compare(&version("1.0.0-rc.10")), Ordering::Less);
        assert_eq!(version("1.0.0-1").compare(&version("1.0.0-a")), Ordering::Less);
        assert_eq!(version("1.0.0-a").compare(&version("1.0.0")), Ordering::Less);
        assert_eq!(version("1.0.0+a").compare(&version("1.0.0+b")), Ordering::Equal);
        assert_ne!(version("1.0.0+a"), version("1.0.0+b"));
        assert_eq!(version("1.2.3-rc.1+b.01").to_string(), "1.2.3-rc.1+b.01");
        assert!(Version::parse("1.2.3-01").is_err() && Version::parse("1.2").is_err());
    }

    #[test]
    fn ranges_of_every_form() {
        assert!(included("1.x", "1.9.9") && !included("1.x", "2.0.0"));
        assert!(included("~1.2.3", "1.2.9") && !included("~1.2.3", "1.3.0"));
        assert!(included("^1.2", "1.9.0") && !included("^0.2.3", "0.3.0"));
        assert!(included("1.0.0 - 2.0.0", "2.0.0") && !included(">1.x", "1.9.0"));
        assert!(included(">= 1.0.0 <2.0.0 || 3.x", "3.1.0") && included("*", "1.0.0-a"));
        assert!(!included(">=1.0.0", "2.0.0-a") && included(">=1.0.0-a", "1.0.0-b"));
        assert!(!included("1.2.3 2.0.0", "1.2.3") && !included("1.0.0", "1.0.0+b"));
        assert!(VersionRange::parse(" 1.0.0").is_err() && VersionRange::parse("nope").is_err());
    }

    #[test]
    fn ranges_print_as_written_or_normalised() {
        let range = VersionRange::parse("~> 1.2").unwrap();
        assert_eq!((range.to_string(), range.normalized()), ("~> 1.2".into(), ">=1.2.0 <1.3.0".into()));
        let merged = VersionRange::parse(">=1.0.0 <2.0.0 || >=1.5.0 <3.0.0").unwrap();
        assert_eq!(merged.normalized(), ">=1.0.0 <3.0.0");
    }

    #[test]
    fn versions_of_packages() {
        assert_eq!(versioncmp("1.2-3", "1.2.3", false), Ordering::Less);
        assert_eq!(versioncmp("1.10", "1.9", false), Ordering::Greater);
        assert_eq!(versioncmp("1.0.0", "1", true), Ordering::Equal);
    }
}
