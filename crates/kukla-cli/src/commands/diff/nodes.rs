//! All nodes of two sites: which of one is which of the other, and what is different about each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use kukla::Compiler;
use kukla::diff::{Compared, Comparison, Evidence, Failure, Files, FleetDifference, Outcome, Subject};
use kukla::world::record::Recorded;
use rayon::prelude::*;

use super::Args;
use super::sides::{Side, Sites};
use crate::commands::fleet::{self, Fleet, Member, Source, Unfit};
use crate::memory::for_good;

/// Compares the nodes of two sites.
pub fn compare(args: &Args, sites: &Sites) -> Result<Result<FleetDifference, Unfit>, String> {
    let Sites { from, to, .. } = sites;
    let before = from.target.compiler_of(Recorded::new(from.world()), None)?;
    let after = to.target.compiler_of(Recorded::new(to.world()), None)?.sharing(&before);
    let (before, after) = (for_good(before), for_good(after));
    let files = for_good(sites.files(before.world(), after.world()));
    let differing = sites.differ_in_files.then_some(&*files);
    let comparison = Comparison::new(differing, args.noise.rules(&to.root)?);
    let kept = Mutex::default();
    let nodes = match args.target.node() {
        Some(node) => vec![(node.to_owned(), one(sites, (&before, &after), &comparison, &kept))],
        None => {
            let fleets = Fleet::new(&from.target, from.control(), &before, args.wanted.selection()?);
            let fleets = fleets.and_then(|old| {
                Ok((old, Fleet::new(&to.target, to.control(), &after, args.wanted.selection()?)?))
            });
            match fleets {
                Ok((old, new)) => Nodes { old: &old, new: &new, comparison: &comparison, kept: &kept }.all(),
                Err(unfit) => return Ok(Err(unfit)),
            }
        }
    };
    let mut report = FleetDifference::new(&from.name, &to.name, nodes);
    report.notes = sites.repository.iter().flat_map(|repository| repository.notes()).collect();
    report.explain(&evidence(&report, kept, differing), differing);
    report.deny(&comparison.rules);
    if sites.differ_in_files {
        report.blame(files.differences());
    }
    Ok(Ok(report))
}

/// Nodes whose catalogs differ, on both sides.
type Kept = Mutex<BTreeMap<String, (Subject, Subject)>>;

/// Compares a node, and keeps it if there is something to explain.
fn compared(
    comparison: &Comparison<'_>,
    name: &str,
    before: Result<Subject, Failure>,
    after: Result<Subject, Failure>,
    kept: &Kept,
) -> Compared {
    let both = before.as_ref().ok().cloned().zip(after.as_ref().ok().cloned());
    let compared = comparison.node(before, after);
    if let (Compared::Changed(_), Some(both)) = (&compared, both) {
        kept.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), both);
    }
    compared
}

/// What is known of the nodes that stand for others in a report.
fn evidence(report: &FleetDifference, kept: Kept, files: Option<&Files<'_>>) -> BTreeMap<String, Evidence> {
    let kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
    let first: BTreeSet<&String> = report.groups.iter().filter_map(|group| group.nodes.first()).collect();
    let first: Vec<&String> = first.into_iter().collect();
    let asked = first.into_par_iter().filter_map(|node| {
        let (before, after) = kept.get(node)?;
        Some((node.clone(), Evidence::of(before, after, files)))
    });
    asked.collect()
}

/// The node that the options name.
fn one(
    sites: &Sites,
    (before, after): (&Compiler, &Compiler),
    comparison: &Comparison<'_>,
    kept: &Kept,
) -> Compared {
    let subject = |side: &Side, compiler: &Compiler| {
        let placed = side.target.placed(side.control()).map_err(Failure::Unable)?;
        let site = compiler.open(&placed.site);
        Ok(Subject { node: placed.node, site })
    };
    let name = sites.from.target.node().unwrap_or_default();
    compared(comparison, name, subject(&sites.from, before), subject(&sites.to, after), kept)
}

struct Nodes<'n> {
    old: &'n Fleet<'n>,
    new: &'n Fleet<'n>,
    comparison: &'n Comparison<'n>,
    kept: &'n Kept,
}

/// A node, where it comes from, and what became of it.
struct Done {
    name: String,
    source: String,
    compared: Compared,
}

/// A node that is on one side, as far as one source of nodes tells.
struct Alone {
    member: Member,
    is_after: bool,
}

impl Nodes<'_> {
    fn all(&self) -> Vec<(String, Compared)> {
        let mut sources = BTreeMap::<String, (Option<&Source>, Option<&Source>)>::new();
        self.old.sources.iter().for_each(|source| sources.entry(key(source)).or_default().0 = Some(source));
        self.new.sources.iter().for_each(|source| sources.entry(key(source)).or_default().1 = Some(source));
        let sources: Vec<_> = sources.into_values().collect();
        let (mut nodes, mut alone) = (Vec::new(), Vec::new());
        let done: Vec<_> = sources.into_par_iter().map(|(old, new)| self.source(old, new)).collect();
        for (done, left) in done {
            nodes.extend(done);
            alone.extend(left);
        }
        nodes.extend(self.left_over(alone));
        let twice = fleet::twice(nodes.iter().map(|one| (one.name.as_str(), one.source.as_str())));
        let mut nodes: Vec<(String, Compared)> =
            nodes.into_iter().map(|one| (one.name, one.compared)).collect();
        nodes.retain(|(node, _)| !twice.contains_key(node));
        let known: BTreeSet<&str> = nodes.iter().map(|(node, _)| node.as_str()).collect();
        let known = known.into_iter().chain(twice.keys().map(String::as_str));
        let missing = self.old.missing(known);
        let unable = |node: String, why: &str| {
            let failure = Failure::Unable(why.to_owned());
            (node, Compared::Otherwise(Outcome::Fails(failure.clone(), failure)))
        };
        nodes.extend(missing.into_iter().map(|node| unable(node, "there are no facts of this node")));
        nodes.extend(twice.into_iter().map(|(node, why)| unable(node, &why)));
        nodes
    }

    /// Compares the nodes of a source that both sides have there; which they are, and who is alone.
    fn source(&self, old: Option<&Source>, new: Option<&Source>) -> (Vec<Done>, Vec<Alone>) {
        let members = |fleet: &Fleet<'_>, source: Option<&Source>| -> Vec<Member> {
            let all = source.into_iter().flat_map(|source| fleet.members(source, fleet.read(source)));
            all.filter(|member| fleet.selection.takes(&member.name)).collect()
        };
        let (mut pairs, mut alone) = (Vec::new(), Vec::new());
        let mut after = members(self.new, new);
        for member in members(self.old, old) {
            match after.iter().position(|other| other.name == member.name) {
                Some(at) => pairs.push((member, after.swap_remove(at))),
                None => alone.push(Alone { member, is_after: false }),
            }
        }
        alone.extend(after.into_iter().map(|member| Alone { member, is_after: true }));
        (pairs.into_par_iter().map(|(old, new)| self.pair(old, new)).collect(), alone)
    }

    /// Nodes that are not in the same source on both sides may be in others.
    fn left_over(&self, alone: Vec<Alone>) -> Vec<Done> {
        let (after, before): (Vec<Alone>, Vec<Alone>) = alone.into_iter().partition(|one| one.is_after);
        let mut after: BTreeMap<String, Member> =
            after.into_iter().map(|one| (one.member.name.clone(), one.member)).collect();
        let mut work: Vec<(Option<Member>, Option<Member>)> = Vec::new();
        for Alone { member, .. } in before {
            let other = after.remove(&member.name);
            work.push((Some(member), other));
        }
        work.extend(after.into_values().map(|member| (None, Some(member))));
        let compare = |(old, new): (Option<Member>, Option<Member>)| match (old, new) {
            (Some(old), Some(new)) => Some(self.pair(old, new)),
            (Some(old), None) => {
                let (name, source) = (old.name.clone(), old.source.clone());
                Some(Done { name, source, compared: self.comparison.removed(subject(self.old, old)) })
            }
            (None, Some(new)) => {
                let (name, source) = (new.name.clone(), new.source.clone());
                Some(Done { name, source, compared: self.comparison.added(subject(self.new, new)) })
            }
            (None, None) => None,
        };
        work.into_par_iter().filter_map(compare).collect()
    }

    fn pair(&self, old: Member, new: Member) -> Done {
        let (name, source) = (old.name.clone(), old.source.clone());
        let (old, new) = (subject(self.old, old), subject(self.new, new));
        let compared = compared(self.comparison, &name, old, new, self.kept);
        Done { name, source, compared }
    }
}

/// What a source is called on both sides.
fn key(source: &Source) -> String {
    match source {
        Source::File(file) => file.file_name().map(|name| name.to_string_lossy().into_owned()),
        Source::Name(name) => Some(name.clone()),
    }
    .unwrap_or_default()
}

fn subject(fleet: &Fleet<'_>, member: Member) -> Result<Subject, Failure> {
    let placed = member.placed.map_err(Failure::Unable)?;
    let site = fleet.site(&placed);
    Ok(Subject { node: placed.node, site })
}
