//! `--watch`: compiles the nodes that an edit affects as soon as it is made, and prints the changes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use indexmap::IndexMap;
use kukla::fleet::{
    Fleet, FleetCompileOptions, FleetCompiler, FleetError, FleetOptions, Watch, WatchChanges, WatchStep,
};
use kukla::syntax::Problem;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::report::RenderedMessage;
use super::{Args, all, formats, profile};
use crate::commands::fleet;
use crate::commands::progress::ProgressLine;
use crate::output::{self, err, errln, out, outln};
use crate::render::{difference, relative_path};
use crate::{CommandResult, ExitKind};

/// An edit is complete when nothing has happened for so long.
const QUIET: Duration = Duration::from_millis(100);

/// Compiles all nodes, and again those that an edit affects, until the command is interrupted.
pub fn run(
    args: &Args,
    options: &FleetOptions,
    compile: &FleetCompileOptions,
    compiler: &FleetCompiler,
) -> CommandResult {
    let mut watch = Watch::default();
    let (sender, events) = channel();
    let mut watcher: Option<RecommendedWatcher> = None;
    let cache = compile.cache.as_ref().map(|cache| &cache.directory);
    loop {
        let step = Fleet::with_compiler(options, compiler)
            .and_then(|fleet| watch.step(&fleet, compile, &ProgressLine::default()));
        match step {
            Ok(step) => print(args, step)?,
            Err(FleetError::Problem(problem)) if watcher.is_none() => return Err(problem),
            Err(error) => {
                if let Err(problem) = fleet::report(error) {
                    output::report(&problem);
                }
            }
        }
        if watcher.is_none() {
            let sender = sender.clone();
            let mut fresh = notify::recommended_watcher(move |event| drop(sender.send(event)))
                .map_err(|error| Problem::other("cannot watch files").because(error))?;
            let directories = watch.directories(options);
            for directory in &directories {
                let watched = fresh.watch(directory, RecursiveMode::Recursive);
                watched
                    .map_err(|error| Problem::other("cannot watch").on(directory.display()).because(error))?;
            }
            errln!("watching {}; stop with Ctrl-C", listed(&directories));
            watcher = Some(fresh);
        }
        let Some(edited) = next_edit(&events, &[cache, args.output.as_ref(), args.profile.as_ref()]) else {
            return Ok(ExitKind::Success);
        };
        // Editors write temporary files that are soon removed.
        let (existing, removed): (Vec<PathBuf>, Vec<PathBuf>) =
            edited.into_iter().partition(|path| path.is_file());
        errln!("\n{} changed", listed(if existing.is_empty() { &removed } else { &existing }));
    }
}

/// The names of paths, or how many there are.
pub fn listed(paths: &[PathBuf]) -> String {
    let names: Vec<String> =
        paths.iter().map(|path| relative_path(&path.display().to_string()).to_owned()).collect();
    match names.len() {
        0..=3 => names.join(", "),
        n => format!("{} and {} more", names[..3].join(", "), n - 3),
    }
}

/// Waits for the next edit and returns the files that it changed; `None` if files are no longer watched.
pub fn next_edit(
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

/// Prints the changes of an edit; the first time, the results of all nodes.
fn print(args: &Args, WatchStep { run, changes }: WatchStep<RenderedMessage>) -> Result<(), Problem> {
    match &changes {
        None => {
            let printed = formats::render(&run.reports, args.failing(), args.format()?);
            err!("{}", printed.err);
            out!("{}", printed.out);
        }
        Some(changes) => print_changes(changes),
    }
    if let Some(path) = &args.profile {
        profile::show(&run.profile, path)?;
    }
    all::explain_cache(args, &run);
    run.cache_problem.map_or(Ok(()), Err)
}

fn print_changes(changes: &WatchChanges<RenderedMessage>) {
    err!("{}", formats::messages(&changes.messages));
    let repaired =
        changes.messages.iter().filter(|report| report.errors.is_empty() && report.warnings.is_empty());
    for report in repaired {
        outln!("{} compiles again", report.node);
    }
    let mut groups = IndexMap::<String, Vec<&str>>::new();
    for (node, changes) in &changes.catalogs {
        groups.entry(difference::human(changes)).or_default().push(node);
    }
    let mut is_unchanged = changes.messages.is_empty();
    for (text, nodes) in groups.iter().filter(|(text, _)| !text.is_empty()) {
        is_unchanged = false;
        match nodes.as_slice() {
            [one] => outln!("{one}:"),
            _ => outln!("{} nodes: {}:", nodes.len(), formats::some(nodes)),
        }
        out!("{text}");
    }
    if is_unchanged {
        outln!("no catalog changes");
    }
}
