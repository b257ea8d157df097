//! All nodes of two sites: which of one is which of the other, and what is different about each.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use kukla::Catalog;
use kukla::Compiler;
use kukla::cache::Cache;
use kukla::catalog::Exports;
use kukla::diff::{
    Compared, Comparison, Evidence, Failure, Files, FleetDifference, Known, Outcome, Sides, Subject,
    Surroundings,
};
use kukla::exchange::{Done as Compiled, Exchange, Settled};
use kukla::world::record::{Digest, Recorded};
use rayon::prelude::*;

use super::Args;
use super::sides::{Side, Sites};
use crate::commands::cache;
use crate::commands::fleet::{self, FactsRead, Fleet, Member, Source, Unfit};
use crate::commands::progress::Progress;
use crate::memory::for_good;
use crate::output::errln;

/// Compares the nodes of two sites.
pub fn compare(args: &Args, sites: &Sites) -> Result<Result<FleetDifference, Unfit>, String> {
    let Sites { from, to, .. } = sites;
    let (before, old_exports) = compiler(from, args.target.node().is_none())?;
    let (after, new_exports) = compiler(to, args.target.node().is_none())?;
    let after = after.sharing(&before);
    let (before, after) = (for_good(before), for_good(after));
    let files = for_good(sites.files(before.world(), after.world()));
    let differing = sites.differ_in_files.then_some(&*files);
    let cache;
    let mut comparison = Comparison::new(differing, args.noise.rules(&to.root)?);
    comparison.exports = old_exports.zip(new_exports).map(|(before, after)| Sides { before, after });
    let kept = Mutex::default();
    let mut notes: Vec<String> = Vec::new();
    let nodes = match args.target.node() {
        Some(node) => vec![(node.to_owned(), one(sites, (&before, &after), &comparison, &kept))],
        None => {
            let fleets = Fleet::new(&from.target, from.control(), &before, args.wanted.selection()?);
            let fleets = fleets.and_then(|old| {
                Ok((old, Fleet::new(&to.target, to.control(), &after, args.wanted.selection()?)?))
            });
            let (old, new) = match fleets {
                Ok(fleets) => fleets,
                Err(unfit) => return Ok(Err(unfit)),
            };
            cache = kept_of(args, &old)?;
            comparison.known =
                differing.zip(cache.as_ref()).map(|(files, cache)| Known::new(cache, before.world(), files));
            if args.cache.is_some() {
                comparison.known = comparison.known.map(Known::with_catalogs);
            }
            let mut nodes = Nodes::new(&old, &new, &comparison, &kept).all();
            old.selection.refuse_none(nodes.len())?;
            notes.extend(traded(&mut nodes, &comparison, &kept));
            if let Some(known) = comparison.known.take() {
                // A comparison that could not be kept is as good as any.
                if let Err(wrong) = known.save(&old.opened()) {
                    errln!("kukla: what nodes rest on is not kept for the next time: {wrong}");
                }
            }
            nodes
        }
    };
    let mut report = FleetDifference::new(&from.name, &to.name, nodes);
    report.notes = sites.repository.iter().flat_map(|repository| repository.notes()).chain(notes).collect();
    let surroundings = Surroundings { files: differing, exports: comparison.exports.as_ref() };
    report.explain(&evidence(&report, kept, differing), surroundings);
    report.deny(&comparison.rules);
    report.notes.extend(comparison.rules.problems());
    if sites.differ_in_files {
        report.blame(files.differences());
    }
    Ok(Ok(report))
}

/// The compiler of a side, and what its nodes export to each other, if they do: if resources can be exported at all, and all nodes
/// are compiled.
fn compiler(side: &Side, all: bool) -> Result<(Compiler, Option<Arc<Exchange>>), String> {
    let world = Recorded::new(side.world());
    let others = side.target.known_exports(&world)?;
    let compiler = side.target.compiler_asking(world, None, others.clone());
    // What is wrong with the side is said by whoever compiles its nodes.
    let trades =
        all && side.target.ground(side.control()).is_ok_and(|ground| ground.site.settings.storeconfigs);
    if !trades {
        return Ok((compiler, None));
    }
    let exports = Arc::new(Exchange::new(others));
    Ok((compiler.with_exports(Arc::clone(&exports) as Arc<dyn Exports>), Some(exports)))
}

/// What earlier comparisons found, if that is wanted and can be told to hold.
fn kept_of(args: &Args, fleet: &Fleet<'_>) -> Result<Option<Cache>, String> {
    let (directory, way) = match (&args.cache, args.no_cache) {
        (_, true) => return Ok(None),
        (Some(directory), _) => (directory.clone(), args.target.way()?),
        // Nobody has asked for it, so nobody is told that there is none.
        (None, _) => match (cache::own_directory(), args.target.way()) {
            (Ok(directory), Ok(way)) => (directory, way),
            _ => return Ok(None),
        },
    };
    let way = Digest::of(["diff".to_owned(), format!("{:?}", fleet.site_spec()), way]);
    let (cache, wrong) = cache::open(&directory, way);
    if let (Some(wrong), Some(_)) = (wrong, &args.cache) {
        errln!("kukla: {wrong}");
    }
    Ok(Some(cache))
}

/// Compares nodes again that collect what others export, now that it is known what they do; what is to be said about it.
fn traded(nodes: &mut [(String, Compared)], comparison: &Comparison<'_>, kept: &Kept) -> Vec<String> {
    let Some(exports) = &comparison.exports else { return Vec::new() };
    let subjects = kept.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut old = settled(&exports.before, &subjects, |found| found.before.as_ref());
    let mut new = settled(&exports.after, &subjects, |found| found.after.as_ref());
    for (name, compared) in nodes {
        let Some(found) = subjects.get(name.as_str()) else { continue };
        let (one, other) = (old.outcomes.remove(name.as_str()), new.outcomes.remove(name.as_str()));
        if one.is_none() && other.is_none() {
            continue;
        }
        *compared = match (&found.before, &found.after) {
            (Some(before), Some(after)) => {
                let one = one.unwrap_or_else(|| before.compile(Some(&exports.before)));
                let other = other.unwrap_or_else(|| after.compile(Some(&exports.after)));
                comparison.subjects((before, one), (after, other))
            }
            _ => match (one, other) {
                (Some(before), _) => Comparison::removed(before),
                (None, Some(after)) => Comparison::added(after),
                (None, None) => continue,
            },
        };
    }
    let unsettled = [old.unsettled, new.unsettled].into_iter().flatten();
    let mut notes: Vec<String> = unsettled.map(|wrong| wrong.to_string()).collect();
    notes.dedup();
    notes
}

/// What came of the nodes of a side that were compiled again until all of them find what the others export.
fn settled(
    exports: &Exchange,
    subjects: &BTreeMap<String, Found>,
    subject: fn(&Found) -> Option<&Subject>,
) -> Settled<Result<Catalog, Failure>> {
    let compile = |name: &String| {
        let outcome = subject(subjects.get(name)?)?.compile(Some(exports));
        let exports = outcome.as_ref().ok().map(Compiled::<()>::exports_of);
        Some(Compiled { node: name.clone(), exports, outcome })
    };
    let pass = |due: Option<&BTreeSet<String>>| {
        let due: Vec<&String> = due.into_iter().flatten().collect();
        Ok::<_, Infallible>(due.into_par_iter().filter_map(compile).collect())
    };
    match exports.settle(pass) {
        Ok(settled) => settled,
    }
}

/// Nodes whose catalogs differ, or that collect what others export.
type Kept = Mutex<BTreeMap<String, Found>>;

/// A node on the sides that have it.
#[derive(Clone, Default)]
struct Found {
    before: Option<Subject>,
    after: Option<Subject>,
}

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
    if let Some((before, after)) = both
        && (collects(comparison, name) || matches!(compared, Compared::Changed(_)))
    {
        keep(kept, name, Found { before: Some(before), after: Some(after) });
    }
    compared
}

fn collects(comparison: &Comparison<'_>, name: &str) -> bool {
    comparison.exports.iter().any(|sides| sides.before.collects(name) || sides.after.collects(name))
}

fn keep(kept: &Kept, name: &str, found: Found) {
    kept.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), found);
}

/// What is known of the nodes that stand for others in a report.
fn evidence(report: &FleetDifference, kept: Kept, files: Option<&Files<'_>>) -> BTreeMap<String, Evidence> {
    let kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
    let first: BTreeSet<&String> = report.groups.iter().filter_map(|group| group.nodes.first()).collect();
    let first: Vec<&String> = first.into_iter().collect();
    let asked = first.into_par_iter().filter_map(|node| {
        let Found { before: Some(before), after: Some(after) } = kept.get(node)? else { return None };
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
    progress: Progress,
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

impl<'n> Nodes<'n> {
    fn new(
        old: &'n Fleet<'n>,
        new: &'n Fleet<'n>,
        comparison: &'n Comparison<'n>,
        kept: &'n Kept,
    ) -> Nodes<'n> {
        Nodes { old, new, comparison, kept, progress: Progress::new(old.sources.len()) }
    }

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
        self.progress.clear();
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
        let members = |fleet: &Fleet<'_>, read: Option<(&Source, FactsRead)>| -> Vec<Member> {
            let all = read.into_iter().flat_map(|(source, read)| fleet.members(source, read));
            all.filter(|member| fleet.selection.takes(&member.name)).collect()
        };
        let before = old.map(|source| (source, self.old.read(source)));
        let same = before.as_ref().map(|(_, read)| read);
        let after = new.map(|source| (source, self.new.read_beside(source, same)));
        let (mut pairs, mut alone) = (Vec::new(), Vec::new());
        let mut after = members(self.new, after);
        for member in members(self.old, before) {
            match after.iter().position(|other| other.name == member.name) {
                Some(at) => pairs.push((member, after.swap_remove(at))),
                None => alone.push(Alone { member, is_after: false }),
            }
        }
        alone.extend(after.into_iter().map(|member| Alone { member, is_after: true }));
        self.progress.expect(pairs.len());
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
                let exports = self.comparison.exports.as_ref().map(|sides| &*sides.before);
                let found = |before| Found { before: Some(before), after: None };
                Some(self.one_sided(self.old, old, exports, found, Comparison::removed))
            }
            (None, Some(new)) => {
                let exports = self.comparison.exports.as_ref().map(|sides| &*sides.after);
                let found = |after| Found { before: None, after: Some(after) };
                Some(self.one_sided(self.new, new, exports, found, Comparison::added))
            }
            (None, None) => None,
        };
        work.into_par_iter().filter_map(compare).collect()
    }

    /// A node that only one side has.
    fn one_sided(
        &self,
        fleet: &Fleet<'_>,
        member: Member,
        exports: Option<&Exchange>,
        found: impl FnOnce(Subject) -> Found,
        outcome: fn(Result<Catalog, Failure>) -> Compared,
    ) -> Done {
        let (name, source) = (member.name.clone(), member.source.clone());
        let compared = match subject(fleet, member) {
            Ok(subject) => {
                let catalog = subject.compile(exports);
                if collects(self.comparison, &name) {
                    keep(self.kept, &name, found(subject));
                }
                outcome(catalog)
            }
            Err(failure) => outcome(Err(failure)),
        };
        Done { name, source, compared }
    }

    fn pair(&self, old: Member, new: Member) -> Done {
        let (name, source) = (old.name.clone(), old.source.clone());
        let (old, new) = (subject(self.old, old), subject(self.new, new));
        let compared = compared(self.comparison, &name, old, new, self.kept);
        self.progress.step(&name);
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
