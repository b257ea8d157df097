//! The versions and requirements of modules as PubGrub asks for them.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use kukla_syntax::Problem;
use kukla_values::semver::Version;
use pubgrub::{Dependencies, DependencyConstraints, DependencyProvider, PackageResolutionStatistics, Ranges};

use super::{Candidate, Catalogue, Memo, Ordered, Package, Request, Strictness, VersionDemand, Violation};
use crate::metadata::Dependency;
use crate::puppetfile::split_title;

/// A set of versions. Requirements are turned into those of the versions that exist, so that pre-releases belong to a set exactly when Puppet
/// says so.
pub(super) type Set = Ranges<Ordered>;

/// The versions and requirements of modules.
pub(super) struct Provider<'r> {
    requests: &'r [Request],
    catalogue: &'r dyn Catalogue,
    preferred: &'r BTreeMap<String, Version>,
    strictness: Strictness,
    memo: Memo,
    /// Bounds that were left out, for every version that has one.
    left_out: RefCell<BTreeSet<Violation>>,
}

impl<'r> Provider<'r> {
    pub fn new(
        requests: &'r [Request],
        catalogue: &'r dyn Catalogue,
        preferred: &'r BTreeMap<String, Version>,
        strictness: Strictness,
    ) -> Provider<'r> {
        let (memo, left_out) = (Memo::default(), RefCell::default());
        Provider { requests, catalogue, preferred, strictness, memo, left_out }
    }

    /// The bounds that do not hold among the selected versions.
    pub fn violations(&self, selected: &BTreeMap<String, String>) -> Vec<Violation> {
        let is_selected = |violation: &&Violation| {
            selected.get(&violation.module).is_some_and(|version| *version == violation.version)
        };
        self.left_out.borrow().iter().filter(is_selected).cloned().collect()
    }

    /// The request of the Puppetfile for a module.
    pub fn request(&self, name: &str) -> Option<&'r Request> {
        self.requests.iter().find(|request| request.name == name)
    }

    /// The versions of a module, the lowest first.
    pub fn candidates(&self, name: &str) -> Result<Rc<Vec<Candidate>>, Problem> {
        if let Some(known) = self.memo.borrow().get(name) {
            return Ok(Rc::clone(known));
        }
        let mut candidates = match self.request(name).map(|request| &request.wanted) {
            Some(VersionDemand::Fixed(candidate)) => vec![candidate.clone()],
            _ => self.catalogue.candidates(name)?,
        };
        candidates.sort_by_key(ordered);
        candidates.dedup_by_key(|candidate| ordered(candidate));
        let candidates = Rc::new(candidates);
        self.memo.borrow_mut().insert(name.to_owned(), Rc::clone(&candidates));
        Ok(candidates)
    }

    /// The set of the versions that are accepted: as few ranges as the versions that exist allow.
    fn set(&self, name: &str, accepts: impl Fn(&Version) -> bool) -> Result<Set, Problem> {
        let candidates = self.candidates(name)?;
        let is_in = |candidate: &Candidate| candidate.version.as_ref().is_none_or(&accepts);
        let mut set = Set::empty();
        let mut index = 0;
        while index < candidates.len() {
            if !is_in(&candidates[index]) {
                index += 1;
                continue;
            }
            let start = index;
            while index < candidates.len() && is_in(&candidates[index]) {
                index += 1;
            }
            let run = match (start, candidates.get(index)) {
                (0, None) => Set::full(),
                (0, Some(next)) => Set::strictly_lower_than(ordered(next)),
                (_, None) => Set::higher_than(ordered(&candidates[start])),
                (_, Some(next)) => Set::between(ordered(&candidates[start]), ordered(next)),
            };
            set = set.union(&run);
        }
        Ok(set)
    }

    fn accepted_versions(&self, request: &Request) -> Result<Set, Problem> {
        match &request.wanted {
            VersionDemand::Fixed(_) => Ok(Set::full()),
            VersionDemand::Exact(version) => {
                let exact = self.set(&request.name, |known| known.compare(version).is_eq())?;
                // An unknown version is a set of its own, which an explanation can name.
                Ok(if exact.is_empty() { Set::singleton(Ordered(version.clone())) } else { exact })
            }
            VersionDemand::Range(range, _) => self.set(&request.name, |known| range.includes(known)),
            VersionDemand::Any => {
                let has_stable = self.candidates(&request.name)?.iter().any(is_stable);
                self.set(&request.name, |known| !has_stable || known.is_stable())
            }
        }
    }

    /// The version that the Puppetfile names exactly, if a bound does not accept it.
    fn overrules(&self, dependency: &Dependency) -> Option<String> {
        if self.strictness == Strictness::Strict {
            return None;
        }
        let version = match &self.request(&dependency.name)?.wanted {
            VersionDemand::Exact(version) => Some(version),
            VersionDemand::Fixed(candidate) => candidate.version.as_ref(),
            VersionDemand::Any | VersionDemand::Range(..) => None,
        };
        version.filter(|version| !dependency.accepts(version)).map(ToString::to_string)
    }

    fn dependencies(
        &self,
        name: &str,
        version: &Ordered,
    ) -> Result<DependencyConstraints<Package, Set>, Problem> {
        let mut constraints = DependencyConstraints::default();
        let candidates = self.candidates(name)?;
        let Some(candidate) = candidates.iter().find(|candidate| ordered(candidate) == *version) else {
            return Ok(constraints);
        };
        for dependency in &candidate.dependencies {
            // A module that requires itself says nothing, and no Forge has a module without an author.
            let is_named = self.request(&dependency.name).is_some()
                || matches!(split_title(&dependency.name), Some((Some(_), _)));
            if dependency.name == name || !is_named {
                continue;
            }
            if let Some(actual) = self.overrules(dependency) {
                let (module, version) = (name.to_owned(), version.to_string());
                let violation = Violation { module, version, dependency: dependency.clone(), actual };
                self.left_out.borrow_mut().insert(violation);
                continue;
            }
            let range = dependency.parse_range();
            let has_stable = self.candidates(&dependency.name)?.iter().any(is_stable);
            let set = self.set(&dependency.name, |known| match &range {
                Some(range) => range.includes(known),
                None => !has_stable || known.is_stable(),
            })?;
            let package = Package::Module(dependency.name.as_str().into());
            let set = match constraints.get(&package) {
                Some(other) => set.intersection(other),
                None => set,
            };
            constraints.insert(package, set);
        }
        Ok(constraints)
    }
}

fn is_stable(candidate: &Candidate) -> bool {
    candidate.version.as_ref().is_none_or(Version::is_stable)
}

pub fn ordered(candidate: &Candidate) -> Ordered {
    candidate.version.clone().map_or_else(Ordered::unknown, Ordered)
}

impl DependencyProvider for Provider<'_> {
    type P = Package;
    type V = Ordered;
    type VS = Set;
    type Priority = (u32, Reverse<usize>, Reverse<String>);
    type M = String;
    type Err = Problem;

    fn prioritize(
        &self,
        package: &Package,
        set: &Set,
        statistics: &PackageResolutionStatistics,
    ) -> Self::Priority {
        // Modules with many conflicts and few versions are decided first. The name makes the order, and so the result, always the same.
        let Package::Module(name) = package else { return (u32::MAX, Reverse(0), Reverse(String::new())) };
        let candidates = self.candidates(name).unwrap_or_default();
        let count = candidates.iter().filter(|candidate| set.contains(&ordered(candidate))).count();
        (statistics.conflict_count(), Reverse(count), Reverse(name.to_string()))
    }

    fn choose_version(&self, package: &Package, set: &Set) -> Result<Option<Ordered>, Problem> {
        let Package::Module(name) = package else { return Ok(Some(Ordered::zero())) };
        let candidates = self.candidates(name)?;
        let mut fitting = candidates.iter().map(ordered).filter(|version| set.contains(version));
        if let Some(preferred) = self.preferred.get(&**name) {
            let preferred = Ordered(preferred.clone());
            if fitting.clone().any(|version| version == preferred) {
                return Ok(Some(preferred));
            }
        }
        Ok(fitting.next_back())
    }

    fn get_dependencies(
        &self,
        package: &Package,
        version: &Ordered,
    ) -> Result<Dependencies<Package, Set, String>, Problem> {
        let Package::Module(name) = package else {
            let mut constraints = DependencyConstraints::default();
            for request in self.requests {
                constraints
                    .insert(Package::Module(request.name.as_str().into()), self.accepted_versions(request)?);
            }
            return Ok(Dependencies::Available(constraints));
        };
        Ok(Dependencies::Available(self.dependencies(name, version)?))
    }
}
