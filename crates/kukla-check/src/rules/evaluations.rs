//! The evaluations of all bodies of a repository, which are cached until something changes that they have looked at.

use std::sync::Arc;

use kukla::syntax::{Source, Span};
use kukla::values::Str;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::duplicate::{Bodies, Duplicate, Root, SourceSpan, evaluate};
use super::suspects::Suspects;
use crate::finding::Finding;
use crate::repository::always::{Body, Owner, Reference};
use crate::repository::{Definition, Index, Outline, Role};

/// The evaluations of a repository, from the last check.
#[derive(Debug, Default)]
pub struct Evaluations {
    /// The numbers of the names that evaluations look for; `true` for defined types.
    numbers: FxHashMap<(bool, Str), u32>,
    /// The fingerprints of the bodies in use, by the numbers of their names.
    bodies: FxHashMap<u32, u64>,
    /// The fingerprints of the bodies of each file.
    files: Vec<u64>,
    suspects: Suspects,
    /// Those of the bodies of each file, without tops of site manifests.
    outcomes: Vec<Vec<Outcome>>,
    /// Those of the tops of all site manifests.
    tops: Vec<Outcome>,
}

/// The mistakes that evaluations of one root find, and what they have looked at.
#[derive(Debug, Default)]
struct Outcome {
    /// Whether the root is a node definition of a site manifest.
    is_node: bool,
    duplicates: Vec<Duplicate>,
    cycles: Vec<Circle>,
    /// The names that were looked for, in order.
    lookups: Vec<u32>,
}

/// Resources that come before themselves.
#[derive(Debug)]
struct Circle {
    key: Vec<(Option<String>, Span)>,
    finding: Option<Finding>,
    /// The texts that the finding points at.
    sources: Vec<Source>,
}

/// A root whose evaluation is not cached.
struct Task<'o> {
    /// The place of its file; `None` for the tops of site manifests.
    place: Option<usize>,
    /// Whether it is a node definition of a site manifest.
    is_node: bool,
    /// The bodies before the one that has branches, and that one; for tops, all of them have branches.
    root: Vec<&'o Body>,
}

impl Evaluations {
    /// Finds resources that are declared twice or come before themselves. `outlines` are those of all files, in order; `changed` are the
    /// places and paths of those that have changed since the last check, or `None` for all.
    pub fn check(
        &mut self,
        index: &Index,
        outlines: &[(Role, &Outline)],
        changed: Option<&FxHashMap<usize, &str>>,
    ) -> Vec<Finding> {
        if changed.is_none() || self.outcomes.len() != outlines.len() {
            *self = Evaluations::default();
            self.outcomes.resize_with(outlines.len(), Vec::new);
        }
        let is_first = self.files.is_empty();
        let bodies = bodies(index, outlines);
        let mut renewed = self.renew(&bodies);
        let others = self.renew_suspects(&bodies, outlines);
        let with_others = self.owners(&others, outlines, &mut renewed);
        let is_site = |place: &usize| outlines.get(*place).is_some_and(|(role, _)| *role == Role::Site);
        let has_site_changed = changed.is_some_and(|changed| changed.keys().any(is_site));
        let tops: Vec<&Body> = all(outlines)
            .filter(|(_, role, body)| *role == Role::Site && body.owner == Owner::Top)
            .map(|(_, _, body)| body)
            .collect();
        let texts: FxHashSet<&str> = changed.into_iter().flatten().map(|(_, path)| *path).collect();
        renewed.sort_unstable();
        let holds =
            |outcome: &Outcome| !is_first && !outcome.has_looked_for(&renewed) && !outcome.points_at(&texts);
        let mut tasks = Vec::new();
        if has_site_changed || self.tops.iter().any(|outcome| !holds(outcome)) || self.tops.is_empty() {
            tasks.push(Task { place: None, is_node: false, root: tops.clone() });
            self.tops.clear();
        }
        for (place, (role, outline)) in outlines.iter().enumerate() {
            let has_changed =
                with_others.contains(&place) || changed.is_none_or(|changed| changed.contains_key(&place));
            let depends_on_tops = *role == Role::Site && has_site_changed;
            let outcomes = &self.outcomes[place];
            if !has_changed && !depends_on_tops && outcomes.iter().all(holds) && !is_first {
                continue;
            }
            self.outcomes[place].clear();
            for body in &outline.bodies {
                let is_node = *role == Role::Site && body.owner == Owner::Node;
                let root = match &body.owner {
                    Owner::Top if *role == Role::Site => continue,
                    _ if is_node => tops.iter().copied().chain([body]).collect(),
                    _ => vec![body],
                };
                tasks.push(Task { place: Some(place), is_node, root });
            }
        }
        let suspects = std::mem::take(&mut self.suspects);
        let evaluated: Vec<_> = tasks.par_iter().map(|task| task.run(&bodies, &suspects)).collect();
        for (task, (mut outcome, lookups)) in tasks.iter().zip(evaluated) {
            outcome.lookups =
                lookups.into_iter().map(|(is_define, name)| self.number(is_define, name)).collect();
            let outcomes = match task.place {
                Some(place) => &mut self.outcomes[place],
                None => &mut self.tops,
            };
            outcomes.push(outcome);
        }
        self.suspects = suspects;
        self.findings()
    }

    fn number(&mut self, is_define: bool, name: &Str) -> u32 {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        *self.numbers.entry((is_define, name.clone())).or_insert(next)
    }

    /// Takes the bodies as they are now. Returns the numbers of the names that have another one.
    fn renew(&mut self, bodies: &Bodies<'_>) -> Vec<u32> {
        let classes = bodies.classes.iter().map(|(name, body)| (false, *name, body.fingerprint));
        let defines = bodies.defines.iter().map(|(name, body)| (true, *name, body.fingerprint));
        let mut now = FxHashMap::default();
        for (is_define, name, fingerprint) in classes.chain(defines) {
            now.insert(self.number(is_define, name), fingerprint);
        }
        let before = std::mem::replace(&mut self.bodies, now);
        let differs = |number: &&u32| before.get(number) != self.bodies.get(number);
        before.keys().chain(self.bodies.keys()).filter(differs).copied().collect()
    }

    /// Finds the suspects again, if a body has changed. Returns those that are new or gone.
    fn renew_suspects(&mut self, bodies: &Bodies<'_>, outlines: &[(Role, &Outline)]) -> FxHashSet<Reference> {
        let print = |outline: &Outline| {
            outline.bodies.iter().fold(0, |all: u64, body| all.rotate_left(5).wrapping_add(body.fingerprint))
        };
        let files: Vec<u64> = outlines.iter().map(|(_, outline)| print(outline)).collect();
        if files == self.files {
            return FxHashSet::default();
        }
        self.files = files;
        let every: Vec<&Body> = all(outlines).map(|(_, _, body)| body).collect();
        let suspects = Suspects::of(&every, bodies.defines.keys().map(|name| name.as_str()));
        let others = suspects.difference(&self.suspects);
        self.suspects = suspects;
        others
    }

    /// Adds the numbers of the names whose bodies mention one of some resources, and returns the places of other bodies that do.
    fn owners(
        &mut self,
        resources: &FxHashSet<Reference>,
        outlines: &[(Role, &Outline)],
        names: &mut Vec<u32>,
    ) -> FxHashSet<usize> {
        let mut places = FxHashSet::default();
        if resources.is_empty() {
            return places;
        }
        let is_one = |resource: &Reference| {
            resources.contains(resource) || resources.contains(&(resource.0.clone(), Str::default()))
        };
        for (place, _, body) in all(outlines) {
            let mut declarations = body.declarations.iter().chain(body.branches.iter().flatten());
            let owner = body.owner.reference();
            let mentions = owner.as_ref().is_some_and(is_one)
                || declarations.any(|declaration| declaration.what.references().iter().any(is_one));
            if !mentions {
                continue;
            }
            match &body.owner {
                Owner::Class(name) => names.push(self.number(false, name)),
                Owner::Define(name) => names.push(self.number(true, name)),
                Owner::Function | Owner::Node | Owner::Top => {}
            }
            places.insert(place);
        }
        places
    }

    /// The findings of all evaluations.
    fn findings(&self) -> Vec<Finding> {
        let of =
            |is_node: bool| self.outcomes.iter().flatten().filter(move |outcome| outcome.is_node == is_node);
        // Those of nodes come last, so that other findings name the nearest cause.
        let outcomes: Vec<&Outcome> = of(false).chain(&self.tops).chain(of(true)).collect();
        let (mut seen, mut places) = (FxHashSet::default(), FxHashSet::default());
        let key = |(source, span): &SourceSpan| (source.name().map(str::to_owned), *span);
        let duplicates = outcomes.iter().flat_map(|outcome| &outcome.duplicates).filter(|duplicate| {
            let (mut a, mut b) = (key(&duplicate.first), key(&duplicate.place));
            if b < a {
                std::mem::swap(&mut a, &mut b);
            }
            seen.insert((a, b)) && places.insert(key(&duplicate.place))
        });
        let mut findings: Vec<Finding> = duplicates.map(Duplicate::finding).collect();
        let mut circles = FxHashSet::default();
        let cycles = outcomes.iter().flat_map(|outcome| &outcome.cycles);
        let new = cycles.filter(|circle| circles.insert(&circle.key));
        findings.extend(new.filter_map(|circle| circle.finding.clone()));
        findings
    }
}

impl Outcome {
    /// Whether it depends on one of these names, which are sorted.
    fn has_looked_for(&self, names: &[u32]) -> bool {
        !names.is_empty() && self.lookups.iter().any(|name| names.binary_search(name).is_ok())
    }

    /// Whether a finding points at one of these texts.
    fn points_at(&self, texts: &FxHashSet<&str>) -> bool {
        let is_there = |source: &Source| source.name().is_some_and(|name| texts.contains(name));
        let of_duplicates = self.duplicates.iter().flat_map(|one| {
            [&one.place, &one.first].into_iter().chain(&one.instance).map(|(source, _)| source)
        });
        let of_cycles = self.cycles.iter().flat_map(|circle| &circle.sources);
        of_duplicates.chain(of_cycles).any(is_there)
    }
}

impl<'o> Task<'o> {
    /// Evaluates the root without branches, and with each branch. Also returns the names that were looked for.
    fn run(&self, bodies: &'o Bodies<'o>, suspects: &'o Suspects) -> (Outcome, Vec<(bool, &'o Str)>) {
        let mut outcome = Outcome { is_node: self.is_node, ..Outcome::default() };
        let mut lookups: FxHashSet<(bool, &Str)> = FxHashSet::default();
        let branched = match self.place {
            Some(_) => self.root.len().saturating_sub(1)..self.root.len(),
            None => 0..self.root.len(),
        };
        let branches =
            branched.flat_map(|at| self.root[at].branches.iter().map(move |branch| Some((at, branch))));
        for branch in [None].into_iter().chain(branches) {
            let result = evaluate(bodies, suspects, Root { bodies: &self.root, branch });
            outcome.duplicates.extend(result.duplicates);
            let cycle = result.cycle.filter(|cycle| !cycle.is_of_classes());
            outcome.cycles.extend(cycle.map(|cycle| Circle {
                key: cycle.key(),
                finding: cycle.finding(),
                sources: cycle.sources(),
            }));
            lookups.extend(result.classes.into_iter().map(|name| (false, name)));
            lookups.extend(result.defines.into_iter().map(|name| (true, name)));
        }
        (outcome, lookups.into_iter().collect())
    }
}

/// All bodies, each with the place and role of its file.
fn all<'o>(outlines: &[(Role, &'o Outline)]) -> impl Iterator<Item = (usize, Role, &'o Body)> {
    let files = outlines.iter().enumerate();
    files.flat_map(|(place, (role, outline))| outline.bodies.iter().map(move |body| (place, *role, body)))
}

/// The bodies in use.
fn bodies<'o>(index: &Index, outlines: &[(Role, &'o Outline)]) -> Bodies<'o> {
    let mut bodies = Bodies::default();
    for (_, _, body) in all(outlines) {
        // Of several definitions of a class, only one is in use.
        match &body.owner {
            Owner::Class(name) if is_in_use(index.classes.get(name), body) => {
                bodies.classes.insert(name, body);
            }
            Owner::Define(name) if is_in_use(index.defines.get(name), body) => {
                bodies.defines.insert(name, body);
            }
            _ => {}
        }
    }
    bodies
}

fn is_in_use(definition: Option<&Arc<Definition>>, body: &Body) -> bool {
    definition.is_some_and(|definition| definition.source.name() == body.source.name())
}
