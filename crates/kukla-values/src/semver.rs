//! Semantic versions and ranges, as Puppet reads them.

/// A semantic version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    /// First number.
    pub major: u64,
    /// Second number.
    pub minor: u64,
    /// Third number.
    pub patch: u64,
}

/// A set of versions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VersionRange {
    /// As written.
    pub text: String,
}
