//! `--watch`: runs the files of tests that an edit touches.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;

use kukla::World;
use kukla::syntax::Problem;
use kukla_test::discovery::{self, TestFile};
use kukla_test::model::Suite;
use kukla_test::runner::{self, RunOptions};
use notify::{RecursiveMode, Watcher};

use super::{Args, print};
use crate::commands::compile::watch::{listed, next_edit};
use crate::output::{errln, flush};
use crate::{CommandResult, ExitKind};

/// Runs all files, and after each edit those that it touches, until the command is interrupted.
pub fn run(
    args: &Args,
    world: &Arc<dyn World>,
    paths: &[PathBuf],
    root: &Path,
    options: &RunOptions,
) -> CommandResult {
    let options = RunOptions { record: true, ..options.clone() };
    let (sender, events) = channel();
    let mut watcher = notify::recommended_watcher(move |event| drop(sender.send(event)))
        .map_err(|error| Problem::other("cannot watch files").because(error))?;
    watcher
        .watch(root, RecursiveMode::Recursive)
        .map_err(|error| Problem::other("cannot watch").on(root.display()).because(error))?;
    let mut known: Vec<(TestFile, Suite)> = Vec::new();
    let mut stale: Vec<TestFile> = discovery::find(&**world, paths)?;
    loop {
        let suites = runner::run(world, &stale, &options, &());
        print(args, &suites)?;
        for (file, suite) in stale.drain(..).zip(suites) {
            known.retain(|(other, _)| *other != file);
            known.push((file, suite));
        }
        errln!("watching {}; stop with Ctrl-C", root.display());
        flush(ExitKind::Success);
        loop {
            let Some(edited) = next_edit(&events, &[args.output.as_ref()]) else {
                return Ok(ExitKind::Success);
            };
            stale = touched(&discovery::find(&**world, paths)?, &known, &edited);
            if !stale.is_empty() {
                errln!("\n{} changed", listed(&edited.into_iter().collect::<Vec<_>>()));
                break;
            }
        }
    }
}

/// The files of tests whose results an edit may change: those with an edited input, and all if nothing is known about an edited file of code.
fn touched(files: &[TestFile], known: &[(TestFile, Suite)], edited: &BTreeSet<PathBuf>) -> Vec<TestFile> {
    let is_touched = |file: &&TestFile| {
        if edited.contains(&file.path) {
            return true;
        }
        match known.iter().find(|(other, _)| other == *file) {
            None => true,
            Some((_, suite)) => match &suite.inputs {
                None => edited.iter().any(|path| is_code(path)),
                Some(inputs) => edited.iter().any(|path| {
                    inputs.contains(path) || path.parent().is_some_and(|parent| inputs.contains(parent))
                }),
            },
        }
    };
    files.iter().filter(is_touched).cloned().collect()
}

/// Whether a file may be an input of tests whose inputs are not recorded.
fn is_code(path: &Path) -> bool {
    let extensions = ["pp", "epp", "erb", "rb", "yaml", "yml", "json", "conf", "eyaml"];
    path.extension().and_then(|own| own.to_str()).is_some_and(|own| extensions.contains(&own))
}
