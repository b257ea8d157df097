//! `--watch`: compiles what an edit touches as soon as it is made, and prints what that changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use indexmap::IndexMap;
use kukla::cache::Cache;
use kukla::diff::Changes;
use kukla::world::record::Digest;
use kukla::{Catalog, Compiler};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::Args;
use super::all::{self, Round};
use super::formats;
use super::report::Report;
use crate::Outcome;
use crate::commands::cache;
use crate::commands::fleet::{Fleet, Unfit};
use crate::output::{err, errln, out, outln};
use crate::render::{difference, shown};

/// An edit is over when nothing has happened for so long.
const QUIET: Duration = Duration::from_millis(100);

/// Compiles all nodes, and again those that an edit touches, until it is stopped.
pub fn run(args: &Args, compiler: &Compiler) -> Result<Outcome, String> {
    let directory = match &args.cache {
        Some(directory) => directory.clone(),
        None => cache::own_directory()?,
    };
    let mut known = State::default();
    let (sender, events) = channel();
    let mut watcher: Option<RecommendedWatcher> = None;
    loop {
        match Fleet::new(&args.target, &args.path, compiler, args.wanted.selection()?) {
            Ok(fleet) => known.advance(args, &directory, &fleet)?,
            Err(Unfit::Unable(problem)) if watcher.is_none() => return Err(problem),
            Err(unfit) => match unfit.told() {
                Ok(_) => {}
                Err(problem) => errln!("kukla: {problem}"),
            },
        }
        if watcher.is_none() {
            let sender = sender.clone();
            let mut fresh = notify::recommended_watcher(move |event| drop(sender.send(event)))
                .map_err(|error| format!("files cannot be watched: {error}"))?;
            let places = known.places(args);
            for place in &places {
                let watch = fresh.watch(place, RecursiveMode::Recursive);
                watch.map_err(|error| format!("{}: it cannot be watched: {error}", place.display()))?;
            }
            errln!("watching {}; Ctrl-C ends it", listed(&places));
            watcher = Some(fresh);
        }
        let Some(edited) =
            next_edit(&events, &[Some(&directory), args.output.as_ref(), args.profile.as_ref()])
        else {
            return Ok(Outcome::Done);
        };
        // Editors write to files that are soon gone.
        let (there, gone): (Vec<PathBuf>, Vec<PathBuf>) = edited.into_iter().partition(|path| path.is_file());
        errln!("\n{} changed", listed(if there.is_empty() { &gone } else { &there }));
    }
}

fn listed(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| shown(&path.display().to_string()).to_owned()).collect();
    match names.len() {
        0..=3 => names.join(", "),
        n => format!("{} and {} more", names[..3].join(", "), n - 3),
    }
}

/// Waits for the next edit; the files that were changed by it. `None` if nobody watches any more.
fn next_edit(
    events: &Receiver<notify::Result<notify::Event>>,
    ours: &[Option<&PathBuf>],
) -> Option<BTreeSet<PathBuf>> {
    let is_ours = |path: &Path| {
        let hidden = path.components().any(|part| part.as_os_str() == ".git");
        hidden
            || ours.iter().flatten().any(|own| path.starts_with(own.canonicalize().as_ref().unwrap_or(own)))
    };
    let mut edited = BTreeSet::new();
    loop {
        let event = match edited.is_empty() {
            true => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => events.recv_timeout(QUIET),
        };
        match event {
            Ok(Ok(event)) if !matches!(event.kind, EventKind::Access(_)) => {
                edited.extend(event.paths.into_iter().filter(|path| !is_ours(path)));
            }
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => return Some(edited),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// What was known after the last edit.
#[derive(Default)]
struct State {
    reports: BTreeMap<String, Report>,
    catalogs: BTreeMap<String, Digest>,
    places: BTreeSet<PathBuf>,
}

impl State {
    /// Compiles what has changed and prints the difference; the first time, what came of all nodes.
    fn advance(&mut self, args: &Args, directory: &Path, fleet: &Fleet<'_>) -> Result<(), String> {
        let cache = all::open(directory, args, fleet)?;
        let round = Round::new(args, fleet, Some(&cache), None)?;
        if self.reports.is_empty() {
            let printed = formats::render(&round.reports, &args.fail_on, args.format()?);
            err!("{}", printed.err);
            out!("{}", printed.out);
        } else {
            self.compare(&cache, &round);
        }
        if let Some(place) = &args.profile {
            super::profile::show(&round.profile, place)?;
        }
        let reports = round.reports.iter().map(|report| (report.node.clone(), report.clone()));
        self.reports = reports.collect();
        self.catalogs.extend(round.catalogs());
        for site in fleet.opened() {
            self.places.extend(site.environment.root.iter().cloned());
            self.places.extend(site.environment.modulepath().iter().cloned());
        }
        round.finish(fleet, args.explain_cache)
    }

    fn compare(&self, cache: &Cache, round: &Round<'_>) {
        let read = |digest: &Digest| Catalog::from_json(cache.catalog(*digest)?.as_bytes()).ok();
        let now = round.catalogs();
        let mut groups = IndexMap::<String, Vec<&str>>::new();
        let mut troubled = Vec::new();
        for report in &round.reports {
            let before = self.reports.get(&report.node);
            if before
                .is_some_and(|before| before.errors != report.errors || before.warnings != report.warnings)
            {
                troubled.push(report.clone());
            }
            if let (Some(old), Some(new)) = (self.catalogs.get(&report.node), now.get(&report.node))
                && old != new
                && let (Some(old), Some(new)) = (read(old), read(new))
            {
                groups
                    .entry(difference::human(&Changes::between(&old, &new)))
                    .or_default()
                    .push(&report.node);
            }
        }
        err!("{}", formats::pictures(&troubled, &[]));
        for report in troubled.iter().filter(|report| report.errors.is_empty() && report.warnings.is_empty())
        {
            outln!("{} compiles again", report.node);
        }
        let mut unchanged = troubled.is_empty();
        for (text, nodes) in groups.iter().filter(|(text, _)| !text.is_empty()) {
            unchanged = false;
            match nodes.as_slice() {
                [one] => outln!("{one}:"),
                _ => outln!("{} nodes: {}:", nodes.len(), formats::some(nodes)),
            }
            out!("{text}");
        }
        if unchanged {
            outln!("no catalog changes");
        }
    }

    /// The directories to watch: the outermost of those that hold code, data and facts.
    fn places(&self, args: &Args) -> Vec<PathBuf> {
        let given = [args.path.clone(), args.target.fact_place(&args.path).0];
        let all = self.places.iter().cloned().chain(given);
        let all: BTreeSet<PathBuf> = all.filter_map(|path| path.canonicalize().ok()).collect();
        let is_within = |path: &PathBuf| all.iter().any(|other| other != path && path.starts_with(other));
        all.iter().filter(|path| !is_within(path)).cloned().collect()
    }
}
