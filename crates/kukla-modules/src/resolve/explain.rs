//! A conflict in words: the requirements that do not fit together, and what follows from each pair of them.

use pubgrub::{
    DefaultStringReporter, DerivationTree, Derived, External, Map, ReportFormatter, Reporter, Term,
};

use super::provider::{Provider, Set, ordered};
use super::{Ordered, Package, VersionDemand};

type Tree = DerivationTree<Package, Set, String>;

/// The reasons why there is no resolution, one per line.
pub fn reasons(tree: &Tree, provider: &Provider<'_>) -> Vec<String> {
    let words = Words { provider };
    let report = match tree {
        Tree::External(external) => words.external(external),
        Tree::Derived(_) => DefaultStringReporter::report_with_formatter(tree, &words),
    };
    report.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

struct Words<'w, 'r> {
    provider: &'w Provider<'r>,
}

impl Words<'_, '_> {
    /// A set of versions of a module: `puppetlabs-stdlib 9.0.0 and later`.
    fn versions(&self, package: &Package, set: &Set) -> String {
        let Package::Module(name) = package else { return "the Puppetfile".to_owned() };
        let candidates = self.provider.candidates(name).unwrap_or_default();
        let known: Vec<Ordered> = candidates.iter().map(ordered).collect();
        let inside: Vec<bool> = known.iter().map(|version| set.contains(version)).collect();
        if known.is_empty() || inside.iter().all(|inside| *inside) {
            return match known.as_slice() {
                [only] if !only.is_unknown() => format!("{name} {only}"),
                _ => (**name).to_owned(),
            };
        }
        let mut runs = Vec::new();
        let mut index = 0;
        while index < known.len() {
            let start = index;
            while index < known.len() && inside[index] {
                index += 1;
            }
            if index > start {
                runs.push(match (start, index) {
                    (first, end) if first + 1 == end => known[first].to_string(),
                    (0, end) => format!("up to {}", known[end - 1]),
                    (first, end) if end == known.len() => format!("{} and later", known[first]),
                    (first, end) => format!("{} to {}", known[first], known[end - 1]),
                });
            } else {
                index += 1;
            }
        }
        match runs.as_slice() {
            [] => match set.as_singleton() {
                Some(version) => format!("{name} {version}"),
                None => format!("a version of {name} that does not exist"),
            },
            runs if runs.len() > 4 => format!("{name} {}, and others", runs[..3].join(", ")),
            runs => format!("{name} {}", runs.join(", ")),
        }
    }

    /// The requirement of some versions of a module, as it is written.
    fn requirement(&self, package: &Package, set: &Set, required: &Package, accepted: &Set) -> String {
        let Package::Module(name) = required else { return String::new() };
        let subject = self.versions(package, set);
        let range = match package {
            Package::Root => self.provider.request(name).map(|request| {
                let text = match &request.wanted {
                    VersionDemand::Any => String::new(),
                    VersionDemand::Exact(version) => format!(" {version}"),
                    VersionDemand::Range(_, text) => format!(" {text}"),
                    VersionDemand::Fixed(candidate) => {
                        let version = candidate.version.as_ref();
                        version.map_or_else(String::new, |version| format!(" {version}"))
                    }
                };
                let line = (request.line > 0).then(|| format!("line {}", request.line));
                (text, line)
            }),
            Package::Module(dependent) => {
                let candidates = self.provider.candidates(dependent).unwrap_or_default();
                let found = candidates.iter().rev().filter(|candidate| set.contains(&ordered(candidate)));
                let mut ranges =
                    found.flat_map(|candidate| &candidate.dependencies).filter(|each| each.name == **name);
                ranges.next().map(|dependency| {
                    let space = if dependency.range.is_empty() { "" } else { " " };
                    (format!("{space}{}", dependency.range), None)
                })
            }
        };
        let (range, line) = range.unwrap_or_default();
        let problem = match self.provider.candidates(name) {
            Ok(candidates) if candidates.is_empty() => Some("not on the Forge".to_owned()),
            Ok(candidates) if !candidates.iter().any(|known| accepted.contains(&ordered(known))) => {
                Some("no such version".to_owned())
            }
            _ => None,
        };
        let notes: Vec<String> = line.into_iter().chain(problem).collect();
        let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
        format!("{subject} requires {name}{range}{notes}")
    }

    fn external(&self, external: &External<Package, Set, String>) -> String {
        match external {
            External::NotRoot(..) => "the Puppetfile is to be resolved".to_owned(),
            External::NoVersions(package, set) => format!("there is no {}", self.versions(package, set)),
            External::Custom(package, set, reason) => format!("{}: {reason}", self.versions(package, set)),
            External::FromDependencyOf(package, set, required, accepted) => {
                self.requirement(package, set, required, accepted)
            }
        }
    }

    fn conclusion(&self, terms: &Map<Package, Term<Set>>) -> String {
        let is_root = terms.contains_key(&Package::Root);
        let mut others: Vec<(&Package, &Term<Set>)> =
            terms.iter().filter(|(package, _)| **package != Package::Root).collect();
        others.sort_by_key(|(package, _)| package.to_string());
        let named = |positive: bool| {
            others.iter().filter_map(move |(package, term)| match term {
                Term::Positive(set) if positive => Some(self.versions(package, set)),
                Term::Negative(set) if !positive => Some(self.versions(package, set)),
                _ => None,
            })
        };
        let positive: Vec<String> = named(true).collect();
        let negative: Vec<String> = named(false).collect();
        match (positive.as_slice(), negative.as_slice()) {
            ([], []) => "the Puppetfile cannot be resolved".to_owned(),
            ([], needed) => format!("the Puppetfile requires {}", needed.join(" or ")),
            ([one], []) if is_root => format!("the Puppetfile excludes {one}"),
            ([one], []) => format!("{one} cannot be installed"),
            ([one], needed) => format!("{one} requires {}", needed.join(" or ")),
            (several, []) => format!("{} cannot be installed together", several.join(" and ")),
            (several, needed) => {
                format!("{} together require {}", several.join(" and "), needed.join(" or "))
            }
        }
    }

    fn derived(&self, reference: usize, derived: &Derived<Package, Set, String>) -> String {
        format!("{} ({reference})", self.conclusion(&derived.terms))
    }
}

impl ReportFormatter<Package, Set, String> for Words<'_, '_> {
    type Output = String;

    fn format_external(&self, external: &External<Package, Set, String>) -> String {
        self.external(external)
    }

    fn format_terms(&self, terms: &Map<Package, Term<Set>>) -> String {
        self.conclusion(terms)
    }

    fn explain_both_external(
        &self,
        one: &External<Package, Set, String>,
        other: &External<Package, Set, String>,
        terms: &Map<Package, Term<Set>>,
    ) -> String {
        // The Puppetfile comes first.
        let is_root = matches!(other, External::FromDependencyOf(Package::Root, ..));
        let (one, other) = if is_root { (other, one) } else { (one, other) };
        format!("Because {} and {}, {}.", self.external(one), self.external(other), self.conclusion(terms))
    }

    fn explain_both_ref(
        &self,
        one: usize,
        derived: &Derived<Package, Set, String>,
        other: usize,
        second: &Derived<Package, Set, String>,
        terms: &Map<Package, Term<Set>>,
    ) -> String {
        let (first, second) = (self.derived(one, derived), self.derived(other, second));
        format!("Because {first} and {second}, {}.", self.conclusion(terms))
    }

    fn explain_ref_and_external(
        &self,
        reference: usize,
        derived: &Derived<Package, Set, String>,
        external: &External<Package, Set, String>,
        terms: &Map<Package, Term<Set>>,
    ) -> String {
        let (derived, external) = (self.derived(reference, derived), self.external(external));
        format!("Because {derived} and {external}, {}.", self.conclusion(terms))
    }

    fn and_explain_external(
        &self,
        external: &External<Package, Set, String>,
        terms: &Map<Package, Term<Set>>,
    ) -> String {
        format!("And because {}, {}.", self.external(external), self.conclusion(terms))
    }

    fn and_explain_ref(
        &self,
        reference: usize,
        derived: &Derived<Package, Set, String>,
        terms: &Map<Package, Term<Set>>,
    ) -> String {
        format!("And because {}, {}.", self.derived(reference, derived), self.conclusion(terms))
    }

    fn and_explain_prior_and_external(
        &self,
        prior: &External<Package, Set, String>,
        external: &External<Package, Set, String>,
        terms: &Map<Package, Term<Set>>,
    ) -> String {
        let (prior, external) = (self.external(prior), self.external(external));
        format!("And because {prior} and {external}, {}.", self.conclusion(terms))
    }
}
