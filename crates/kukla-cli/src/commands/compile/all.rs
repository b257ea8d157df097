//! `kukla compile --all`: the catalogs of many nodes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use kukla::Compiler;
use kukla::cache::{Cache, Facts};
use kukla::eval::Node;
use kukla::eval::profile::Profile;
use kukla::exchange;
use kukla::pending::Pending;
use kukla::world::record::Digest;
use rayon::prelude::*;

use super::formats::{self, Printed};
use super::keep::{Keeper, Kept};
use super::report::Report;
use super::shared::{Parcel, Sharing};
use super::{Args, compile, offered, refused, watch};
use crate::Outcome;
use crate::commands::cache;
use crate::commands::fleet::{self, Fleet, Member, Source};
use crate::commands::progress::Progress;
use crate::commands::stores::told;
use crate::commands::target::Placed;
use crate::output::{self, err, errln};

/// One node of many: what came of it, and its catalog if that is to be a file.
#[derive(Debug, Default)]
struct Done {
    report: Report,
    catalog: Option<Pending>,
    /// The digest of the catalog, if it is kept.
    digest: Option<Digest>,
    /// What goes to a store.
    parcel: Option<Parcel>,
}

/// Compiles all nodes and prints what came of it.
pub fn run(args: &Args, compiler: &Compiler, sharing: Option<&Sharing>) -> Result<Outcome, String> {
    crate::make_pool();
    if args.watch {
        return watch::run(args, compiler);
    }
    let fleet = match Fleet::new(&args.target, &args.path, compiler, args.wanted.selection()?) {
        Ok(fleet) => fleet,
        Err(unfit) => return unfit.told(),
    };
    let cache = args.cache.as_ref().map(|directory| open(directory, args, &fleet)).transpose()?;
    let round = Round::new(args, &fleet, cache.as_ref(), sharing)?;
    fleet.selection.refuse_none(round.reports.len())?;
    if let Some(place) = &args.profile {
        super::profile::show(&round.profile, place)?;
    }
    let Printed { out, err } = formats::render(&round.reports, &args.fail_on, args.format()?);
    err!("{err}");
    output::document(&out);
    if round.left_out > 0 {
        let nothing_stored = if sharing.is_some() { ", and nothing is stored" } else { "" };
        errln!(
            "kukla: stopped at the first failure; {} nodes were not compiled{nothing_stored}",
            round.left_out
        );
    }
    let failed = round.is_unsettled || round.reports.iter().any(|report| report.is_failure(&args.fail_on));
    round.finish(&fleet, args.explain_cache)?;
    Ok(if failed { Outcome::Found } else { Outcome::Done })
}

/// What came of all nodes, once.
pub struct Round<'c> {
    /// What there is to say of each node.
    pub reports: Vec<Report>,
    /// How many nodes were not compiled because one had failed.
    left_out: usize,
    /// Where the time went.
    pub profile: Profile,
    keeper: Option<Keeper<'c>>,
    twice: BTreeMap<String, String>,
    /// Whether nodes never came to rest, or were not given the time to: then nothing was stored.
    is_unsettled: bool,
}

impl<'c> Round<'c> {
    /// Compiles all nodes, or takes what is kept of them.
    pub fn new(
        args: &Args,
        fleet: &'c Fleet<'_>,
        cache: Option<&'c Cache>,
        sharing: Option<&Sharing>,
    ) -> Result<Round<'c>, String> {
        if let Some(directory) = &args.output {
            std::fs::create_dir_all(directory).map_err(|error| crate::files::problem(directory, &error))?;
        }
        let keeper = cache.map(|cache| Keeper::new(cache, fleet));
        let run = Run {
            args,
            progress: Progress::new(fleet.sources.len()),
            fleet,
            keeper: keeper.as_ref(),
            sharing,
            stop: AtomicBool::new(false),
            left_out: AtomicUsize::new(0),
            profile: Mutex::default(),
        };
        let (mut done, sightings, is_unsettled) = match sharing {
            Some(sharing) => run.settled(sharing)?,
            None => {
                let done = run.pass(None)?;
                let sightings = sightings(&done);
                (done, sightings, false)
            }
        };
        run.progress.clear();
        let twice = fleet::twice(sightings.iter().map(|(node, source)| (node.as_str(), source.as_str())));
        for one in &mut done {
            if let Some(problem) = twice.get(&one.report.node) {
                one.report = Report::failed(&one.report.node, &one.report.source, problem);
                one.catalog = None;
                one.parcel = None;
            }
            // Catalogs get their names when there is no doubt left about any of them.
            let Some(pending) = one.catalog.take().filter(|_| !is_unsettled) else { continue };
            output::finish(pending)?;
            if let (Some(keeper), Some(digest), Some(directory)) = (&keeper, one.digest, &args.output) {
                keeper.note_written(place(directory, &one.report.node), digest);
            }
        }
        if let Some(sharing) = sharing.filter(|_| !is_unsettled) {
            let failed = |one: &Done| one.report.is_failure(&args.fail_on);
            sharing.store(done.iter_mut().filter(|one| !failed(one)).filter_map(|one| one.parcel.take()))?;
        }
        let left_out = run.left_out.into_inner();
        let profile = run.profile.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut reports: Vec<Report> = done.into_iter().map(|one| one.report).collect();
        if left_out == 0 {
            let missing = fleet.missing(reports.iter().map(|report| report.node.as_str()));
            let failed = |name: &String| Report::failed(name, "", "there are no facts of this node");
            reports.extend(missing.iter().map(failed));
        }
        Ok(Round { reports, left_out, profile, keeper, twice, is_unsettled })
    }

    /// The catalogs of the nodes that compiled, by the digests that a cache has them under.
    pub fn catalogs(&self) -> BTreeMap<String, Digest> {
        self.keeper.as_ref().map(Keeper::catalogs).unwrap_or_default()
    }

    /// Keeps what is to be kept, and says why nodes were compiled if that is wanted.
    pub fn finish(self, fleet: &Fleet<'_>, explain: bool) -> Result<(), String> {
        match self.keeper {
            Some(keeper) => keeper.finish(fleet, explain, &self.twice),
            None => Ok(()),
        }
    }
}

/// Nodes, each with the source it comes from.
type Homes = Vec<(String, String)>;

/// A run over all nodes, as every thread sees it.
struct Run<'r> {
    args: &'r Args,
    fleet: &'r Fleet<'r>,
    keeper: Option<&'r Keeper<'r>>,
    sharing: Option<&'r Sharing>,
    progress: Progress,
    stop: AtomicBool,
    left_out: AtomicUsize,
    /// Where the time of all nodes went.
    profile: Mutex<Profile>,
}

impl Run<'_> {
    /// Compiles all nodes, or those that are due.
    fn pass(&self, due: Option<&Due>) -> Result<Vec<Done>, String> {
        let sources = self.fleet.sources.par_iter();
        let sources =
            sources.filter(|source| due.is_none_or(|due| due.sources.contains(&source.to_string())));
        sources.flat_map(|source| self.source(source, due)).collect()
    }

    /// Compiles all nodes, and again those that find something else than before, until nothing changes; with where they come from, and whether
    /// that has no end.
    fn settled(&self, sharing: &Sharing) -> Result<(Vec<Done>, Homes, bool), String> {
        let mut homes = Homes::new();
        let settled = sharing.exchange.settle(|due| {
            let due = due.map(|names| {
                let sources = homes.iter().filter(|(node, _)| names.contains(node));
                Due { names: names.clone(), sources: sources.map(|(_, source)| source.clone()).collect() }
            });
            let mut done = self.pass(due.as_ref())?;
            if homes.is_empty() {
                homes = sightings(&done);
            }
            let offer = |one: &mut Done| exchange::Done {
                node: one.report.node.clone(),
                exports: one.parcel.as_mut().map(|parcel| std::mem::take(&mut parcel.exports)),
                outcome: std::mem::take(one),
            };
            Ok::<_, String>(done.iter_mut().map(offer).collect())
        })?;
        if let Some(wrong) = &settled.unsettled {
            errln!("kukla: {}", told(wrong));
        }
        let is_unsettled = settled.unsettled.is_some() || self.left_out.load(Ordering::Relaxed) > 0;
        Ok((settled.outcomes.into_values().collect(), homes, is_unsettled))
    }

    /// The nodes of one source: those that are kept, and those that are compiled.
    fn source(&self, source: &Source, due: Option<&Due>) -> Vec<Result<Done, String>> {
        if let Some(keeper) = self.keeper
            && let Some(known) = keeper.unchanged(source)
            && let Some(done) = self.all_kept(keeper, source, known)
        {
            self.progress.expect(done.len());
            done.iter().for_each(|one| self.progress.step(&one.report.node));
            return done.into_iter().map(Ok).collect();
        }
        let mut read = self.fleet.read(source);
        let (stamp, content) = (read.stamp, read.content.take());
        let members = self.fleet.members(source, read);
        if let (Some(keeper), Some(content)) = (self.keeper, content) {
            let names = members.iter().map(|member| member.name.clone()).collect();
            keeper.note_source(source, stamp, &content, names);
        }
        let is_wanted = |member: &Member| {
            self.fleet.selection.takes(&member.name) && due.is_none_or(|due| due.names.contains(&member.name))
        };
        let members: Vec<Member> = members.into_iter().filter(is_wanted).collect();
        self.progress.expect(members.len());
        members.into_par_iter().filter_map(|member| self.member(member)).collect()
    }

    /// The nodes of a file of facts that has not changed, if all of them are kept.
    fn all_kept(&self, keeper: &Keeper<'_>, source: &Source, names: &[String]) -> Option<Vec<Done>> {
        let names = names.iter().filter(|name| self.fleet.selection.takes(name));
        names
            .map(|name| {
                let placed = self.fleet.place_without_facts(name).ok()?;
                let kept = keeper.kept(&placed, Facts::Same)?;
                self.take(kept, &placed.node, &source.to_string())
            })
            .collect()
    }

    fn member(&self, Member { name, source, placed }: Member) -> Option<Result<Done, String>> {
        if self.args.fail_fast && self.stop.load(Ordering::Relaxed) {
            self.left_out.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let done = match placed {
            Ok(placed) => self.placed(&source, &placed),
            Err(problem) => Ok(Done { report: Report::failed(&name, &source, &problem), ..Done::default() }),
        };
        // Who asked for what others export may yet succeed, when it finds it.
        let is_final = self.sharing.is_none_or(|sharing| !sharing.exchange.has_asked(&name));
        if is_final && done.as_ref().is_ok_and(|one| one.report.is_failure(&self.args.fail_on)) {
            self.stop.store(true, Ordering::Relaxed);
        }
        self.progress.step(&name);
        Some(done)
    }

    fn placed(&self, source: &str, placed: &Placed) -> Result<Done, String> {
        let facts = Facts::Are(&placed.node.facts);
        let kept = self.keeper.and_then(|keeper| keeper.kept(placed, facts));
        if let Some(done) = kept.and_then(|kept| self.take(kept, &placed.node, source)) {
            return Ok(done);
        }
        let site = self.fleet.site(placed);
        let mut compilation = compile(self.args, site.clone(), placed);
        let offered = offered(self.args, &mut compilation);
        let refused = refused(self.args, site.as_ref().ok(), placed, &mut compilation);
        let report = Report::new(&placed.node.name, source, &compilation, &refused);
        let mut done = Done { report, ..Done::default() };
        if !done.report.errors.is_empty() {
            return Ok(done);
        }
        let Ok(compiled) = &compilation.result else { return Ok(done) };
        done.parcel = offered.map(|catalog| Parcel::new(placed, &catalog));
        if let Some(profile) = &compiled.profile {
            self.profile.lock().unwrap_or_else(PoisonError::into_inner).absorb(profile);
        }
        if self.args.output.is_none() && self.keeper.is_none() {
            return Ok(done);
        }
        let text = compiled.catalog.to_json();
        if let (Some(keeper), Some(record)) = (self.keeper, &compilation.record) {
            done.digest = Some(keeper.keep(placed, record, &done.report, &text)?);
        }
        done.catalog = self.pending(&placed.node, &text)?;
        Ok(done)
    }

    /// What is kept of a node, with its catalog where it is wanted; `None` if that is gone.
    fn take(&self, kept: Kept<'_>, node: &Node, source: &str) -> Option<Done> {
        let report = kept.report(&node.name, source)?;
        let mut done = Done { report, digest: Some(kept.digest), ..Done::default() };
        self.keeper.inspect(|keeper| keeper.note_catalog(&node.name, kept.digest));
        if let Some(directory) = &self.args.output
            && !kept.is_written_to(&place(directory, &node.name))
        {
            let taken = kept.catalog().and_then(|text| self.pending(node, &text).ok());
            if taken.is_none() {
                self.keeper.inspect(|keeper| keeper.lost(&node.name));
            }
            done.catalog = taken?;
        }
        Some(done)
    }

    /// The catalog as a file to be, if it is to be one.
    fn pending(&self, node: &Node, text: &str) -> Result<Option<Pending>, String> {
        let write = |directory: &PathBuf| output::pending(&place(directory, &node.name), text.as_bytes());
        Ok(self.args.output.as_ref().map(write).transpose()?)
    }
}

/// Which nodes are to be compiled again, and where they come from.
struct Due {
    names: BTreeSet<String>,
    sources: BTreeSet<String>,
}

/// Where nodes come from.
fn sightings(done: &[Done]) -> Vec<(String, String)> {
    done.iter().map(|one| (one.report.node.clone(), one.report.source.clone())).collect()
}

/// The file that the catalog of a node is written to.
fn place(directory: &Path, node: &str) -> PathBuf {
    directory.join(format!("{node}.json"))
}

/// What is kept of runs like this one.
pub fn open(directory: &Path, args: &Args, fleet: &Fleet<'_>) -> Result<Cache, String> {
    let run = format!("{} {}", args.keep_virtual, args.validate);
    let way = [format!("{:?}", fleet.site_spec()), args.target.way()?, run];
    let (cache, wrong) = cache::open(directory, Digest::of(way));
    wrong.inspect(|wrong| errln!("kukla: {wrong}"));
    Ok(cache)
}
