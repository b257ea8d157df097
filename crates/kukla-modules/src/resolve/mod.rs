//! One version of each module, such that all requirements hold; or the reason why there is none.
//!
//! The search is PubGrub's. A version that the Puppetfile names exactly counts more than the bounds in the metadata of other modules, as with
//! r10k, which does not read them: such a bound becomes a [`Violation`], and with [`Strictness::Strict`] a conflict.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use kukla_syntax::Problem;
use kukla_values::semver::{Version, VersionRange};
use pubgrub::PubGrubError;

use crate::metadata::Dependency;

mod explain;
mod provider;
#[cfg(test)]
mod tests;

use provider::Provider;

/// A module that the Puppetfile declares.
#[derive(Clone, Debug)]
pub struct Request {
    /// The name with its author.
    pub name: String,
    /// The line of the Puppetfile; 0 if there is none.
    pub line: u32,
    /// The accepted versions.
    pub wanted: VersionDemand,
}

/// The versions that a Puppetfile accepts.
#[derive(Clone, Debug)]
pub enum VersionDemand {
    /// Any.
    Any,
    /// One.
    Exact(Version),
    /// A range, and its text.
    Range(VersionRange, String),
    /// A module in git or elsewhere, which has one version, and whatever it requires.
    Fixed(Candidate),
}

/// A version of a module.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The version; none of a module without a valid one, which satisfies all requirements.
    pub version: Option<Version>,
    /// The modules that it requires.
    pub dependencies: Vec<Dependency>,
}

/// The source of all versions of modules.
pub trait Catalogue {
    /// The versions of a module; none if it is unknown.
    fn candidates(&self, name: &str) -> Result<Vec<Candidate>, Problem>;
}

/// How bounds count that an exact version in the Puppetfile is outside of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// They are reported.
    #[default]
    Lenient,
    /// They are conflicts.
    Strict,
}

/// A bound that an exact version in the Puppetfile is outside of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The module with the bound, and its version.
    pub module: String,
    /// The version of the module.
    pub version: String,
    /// The bound.
    pub dependency: Dependency,
    /// The version that the Puppetfile names.
    pub actual: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation { module, version, dependency, actual } = self;
        write!(f, "{module} {version} requires {dependency}, and the Puppetfile has {actual}")
    }
}

/// One version of each module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolution {
    /// The versions by name; those of modules without a valid one are empty.
    pub versions: BTreeMap<String, String>,
    /// The bounds that do not hold.
    pub violations: Vec<Violation>,
}

/// Why there is no resolution.
#[derive(Debug)]
pub enum ResolveError {
    /// No versions fit together; the reasons, one per line.
    Conflict(Vec<String>),
    /// The versions of a module cannot be read.
    Problem(Problem),
}

impl From<ResolveError> for Problem {
    fn from(error: ResolveError) -> Problem {
        match error {
            ResolveError::Problem(problem) => problem,
            ResolveError::Conflict(reasons) => {
                Problem::new(kukla_syntax::ProblemKind::Conflict, "no versions of the modules fit together")
                    .because(format!("\n  {}", reasons.join("\n  ")))
            }
        }
    }
}

/// Resolves requests. Versions in `preferred` are taken where they fit, so that a lock changes as little as possible.
pub fn resolve(
    requests: &[Request],
    catalogue: &dyn Catalogue,
    preferred: &BTreeMap<String, Version>,
    strictness: Strictness,
) -> Result<Resolution, ResolveError> {
    let provider = Provider::new(requests, catalogue, preferred, strictness);
    let solved = pubgrub::resolve(&provider, Package::Root, Ordered::zero());
    let selected = match solved {
        Ok(selected) => selected,
        Err(PubGrubError::NoSolution(mut tree)) => {
            tree.collapse_no_versions();
            return Err(ResolveError::Conflict(explain::reasons(&tree, &provider)));
        }
        Err(
            PubGrubError::ErrorRetrievingDependencies { source, .. }
            | PubGrubError::ErrorChoosingVersion { source, .. }
            | PubGrubError::ErrorInShouldCancel(source),
        ) => return Err(ResolveError::Problem(source)),
    };
    let mut resolution = Resolution::default();
    for (package, version) in &selected {
        if let Package::Module(name) = package {
            let shown = if version.is_unknown() { String::new() } else { version.to_string() };
            resolution.versions.insert(name.to_string(), shown);
        }
    }
    resolution.violations = provider.violations(&resolution.versions);
    Ok(resolution)
}

/// A node of the search: the Puppetfile or a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Package {
    Root,
    Module(Rc<str>),
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Package::Root => "the Puppetfile",
            Package::Module(name) => name,
        })
    }
}

/// A version with the order of versions, in which the build part does not count.
#[derive(Clone, Debug)]
pub(super) struct Ordered(pub Version);

impl Ordered {
    fn zero() -> Ordered {
        Ordered(Version::MIN)
    }

    /// The version of a module that has none.
    fn unknown() -> Ordered {
        Ordered(Version::MAX)
    }

    fn is_unknown(&self) -> bool {
        self.0.compare(&Version::MAX) == Ordering::Equal
    }
}

impl PartialEq for Ordered {
    fn eq(&self, other: &Ordered) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Ordered) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Ordered) -> Ordering {
        self.0.compare(&other.0)
    }
}

impl fmt::Display for Ordered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_unknown() { f.write_str("without a version") } else { self.0.fmt(f) }
    }
}

/// The candidates of modules that were asked for, so that each is asked for once.
type Memo = RefCell<BTreeMap<String, Rc<Vec<Candidate>>>>;
