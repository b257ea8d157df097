//! Writing an environment beside its place and exchanging it with the one that is there.

use std::fs;
use std::path::{Path, PathBuf};

use kukla_syntax::{Problem, ProblemKind};
use kukla_values::time::Timestamp;

use super::plan::{Content, PlannedEnvironment, tree_of_commit};
use super::purge::Remains;
use super::settings::DeploySettings;
use super::versions;
use crate::install::{STATE_DIRECTORY, is_installed_path, switch};
use crate::lock::{LockedModule, Origin};
use crate::puppetfile::is_inside;
use crate::sources::Sources;

/// The directory in which environments are written before they are switched; it is on the file system that they are on.
pub fn staging(basedir: &Path) -> PathBuf {
    basedir.join(STATE_DIRECTORY).join("staging")
}

/// Writes an environment whose modules are in the store, and puts it in its place.
pub(super) fn deploy(
    settings: &DeploySettings,
    sources: &Sources,
    planned: &PlannedEnvironment,
    content: &Content,
    times: [Timestamp; 2],
) -> Result<(), Problem> {
    let desired = &planned.desired;
    let staged = staging(&desired.basedir).join(&desired.directory);
    let written = write(settings, sources, planned, content, &staged).and_then(|()| {
        let time = |time: Timestamp| match time.format("%Y-%m-%d %H:%M:%S %z", None) {
            Ok(text) => text.to_string(),
            Err(_) => String::new(),
        };
        let times = times.map(time);
        content.stamp.write(&staged, &desired.name, [&times[0], &times[1]], &content.lock.modules)
    });
    let recorded = written.and_then(|()| {
        let (tree, lock) = (content.tree.as_deref(), &content.lock);
        versions::record(&desired.basedir, &desired.directory, &content.stamp, tree, lock)
    });
    // A full disk leaves the environment as it was.
    let switched = recorded.and_then(|()| switch(&staged, &desired.path()));
    let _ = remove(&staged);
    switched
}

fn write(
    settings: &DeploySettings,
    sources: &Sources,
    planned: &PlannedEnvironment,
    content: &Content,
    staged: &Path,
) -> Result<(), Problem> {
    let desired = &planned.desired;
    let store = &sources.store;
    let _lock = store.lock_shared()?;
    let fetched: Vec<(&LockedModule, PathBuf)> = content
        .lock
        .modules
        .iter()
        .filter(|module| !matches!(module.origin, Origin::Local))
        .map(|module| (module, module.path()))
        .collect();
    for (module, path) in &fetched {
        if !is_inside(path) {
            return Err(Problem::new(ProblemKind::Denied, "refused to install")
                .on(format!("'{}'", module.title))
                .because(format!("{} is outside of the environment", path.display())));
        }
    }
    let create = |path: &Path| fs::create_dir_all(path).map_err(|error| Problem::io("create", path, &error));
    create(staged)?;
    if let Some(tree) = &content.tree {
        // A module replaces a directory of the repository.
        store.materialize(tree, staged, |path| {
            !fetched.iter().any(|(_, module)| Path::new(path).starts_with(module))
        })?;
    }
    for (module, path) in &fetched {
        let tree = module.content.as_ref().and_then(|content| store.tree(content)).ok_or_else(|| {
            Problem::not_found("the store lacks").on(format!("'{}' {}", module.title, module.shown_version()))
        })?;
        store.materialize(&tree, &staged.join(path), |path| is_installed_path(module.keep_spec, path))?;
    }
    let Some(before) = &content.before else { return Ok(()) };
    // Without its files nobody can tell what belonged to the repository, so they count as unmanaged ones.
    let tree = desired
        .checkout
        .as_ref()
        .and_then(|checkout| tree_of_commit(sources, &checkout.remote, &before.signature).ok());
    let remains = Remains {
        tree: tree.as_deref(),
        modules: before.details.as_ref().map(|details| &*details.modules).unwrap_or_default(),
        lock: &content.lock,
        levels: settings.purge,
        allowlist: &settings.purge_allowlist,
    };
    remains.carry(&desired.path(), staged)
}

/// Removes whatever is at a path.
pub(super) fn remove(path: &Path) -> Result<(), Problem> {
    let removed = match fs::symlink_metadata(path) {
        Err(_) => return Ok(()),
        Ok(about) if about.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
    };
    removed.map_err(|error| Problem::io("remove", path, &error))
}

/// Finishes what a killed deployment has left: an environment that was moved aside goes back, everything else unfinished is removed.
pub(super) fn recover(basedir: &Path) -> Result<(), Problem> {
    let staging = staging(basedir);
    for entry in fs::read_dir(&staging).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if let Some(environment) = name.to_string_lossy().strip_suffix(".before") {
            let target = basedir.join(environment);
            if fs::symlink_metadata(&target).is_err() {
                fs::rename(entry.path(), &target).map_err(|error| Problem::io("restore", &target, &error))?;
            }
        }
    }
    remove(&staging)?;
    fs::create_dir_all(&staging).map_err(|error| Problem::io("create", &staging, &error))
}
