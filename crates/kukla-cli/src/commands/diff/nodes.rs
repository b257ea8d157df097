//! All nodes of two sites: which of one is which of the other, and what is different about each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use kukla::Compiler;
use kukla::cache::Cache;
use kukla::catalog::Exports;
use kukla::diff::{
    Compared, Comparison, Evidence, Failure, Files, FleetDifference, Known, Outcome, Sides, Subject,
    Surroundings,
};
use kukla::fleet_exports::FleetExports;
use kukla::world::record::{Digest, Recorded};
use rayon::prelude::*;

use super::Args;
use super::sides::{Side, Sites};
use crate::commands::cache;
use crate::commands::fleet::{self, Fleet, Member, Source, Unfit};
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
            let mut nodes = Nodes::new(&old, &new, &comparison, &kept).all();
            if let Some(note) = traded(&mut nodes, &comparison, &kept) {
                notes.push(note);
            }
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
fn compiler(side: &Side, all: bool) -> Result<(Compiler, Option<Arc<FleetExports>>), String> {
    let world = Recorded::new(side.world());
    let others = side.target.exports(&world)?.unwrap_or_default();
    let compiler = side.target.compiler_of(world, None)?;
    // What is wrong with the side is said by whoever compiles its nodes.
    let trades =
        all && side.target.ground(side.control()).is_ok_and(|ground| ground.site.settings.storeconfigs);
    if !trades {
        return Ok((compiler, None));
    }
    let exports = Arc::new(FleetExports::with(others));
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
fn traded(nodes: &mut [(String, Compared)], comparison: &Comparison<'_>, kept: &Kept) -> Option<String> {
    let exports = comparison.exports.as_ref()?;
    let subjects = kept.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let settle = |exports: &FleetExports, subject: fn(&(Subject, Subject)) -> &Subject| {
        exports.settle(|names| {
            let one = |name: String| {
                let catalog = subject(subjects.get(&name)?).compile(Some(exports));
                Some((name, catalog))
            };
            names.into_par_iter().filter_map(one).collect()
        })
    };
    let (mut old, old_agree) = settle(&exports.before, |(before, _)| before);
    let (mut new, new_agree) = settle(&exports.after, |(_, after)| after);
    for (name, compared) in nodes {
        let Some((before, after)) = subjects.get(name.as_str()) else { continue };
        let (one, other) = (old.remove(name), new.remove(name));
        if one.is_some() || other.is_some() {
            let one = one.unwrap_or_else(|| before.compile(Some(&exports.before)));
            let other = other.unwrap_or_else(|| after.compile(Some(&exports.after)));
            *compared = comparison.subjects((before, one), (after, other));
        }
    }
    (!old_agree || !new_agree).then(|| {
        "What nodes export to each other never comes to an end; they are compared as they were after ten rounds".to_owned()
    })
}

/// Nodes on both sides whose catalogs differ, or that collect what others export.
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
    let collects =
        comparison.exports.iter().any(|sides| sides.before.collects(name) || sides.after.collects(name));
    if let Some(both) = both
        && (collects || matches!(compared, Compared::Changed(_)))
    {
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
