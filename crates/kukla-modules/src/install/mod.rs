//! Installing the modules of a lock into directories, each switched in one step.
//!
//! A module is written to a staging directory and exchanged with the one in its place, so that nobody sees half of it. `.kukla/installed.json`
//! beside the Puppetfile records what was installed: with it, a run that changes nothing reads nothing else. A directory that somebody has edited,
//! or that nobody here has installed, is replaced only with `force`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use kukla_syntax::{Problem, ProblemKind};
use rustix::fs::{CWD, FlockOperation, RenameFlags, renameat_with};

use crate::digest::Digest;
use crate::lock::{Lock, LockedModule};
use crate::parallel;
use crate::puppetfile::is_inside;
use crate::store::{Store, Tree, lock_file};

mod compare;
mod record;

pub use compare::{Difference, compare};
use record::stamp;
pub use record::{InstallRecord, Installed, STATE_DIRECTORY};

/// The wishes for an installation.
#[derive(Clone, Copy, Debug, Default)]
pub struct InstallOptions {
    /// Replace directories that were edited, or that nobody here has installed.
    pub force: bool,
    /// The directories to remove.
    pub purge: Purge,
    /// Change nothing, only report.
    pub dry: bool,
    /// How many modules are written at once; 0 for the default.
    pub threads: usize,
}

/// The directories of modules that an installation removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purge {
    /// Those that were installed here and that the lock no longer has.
    #[default]
    Own,
    /// Everything else in the directories that modules are installed in.
    All,
    /// Nothing.
    Nothing,
}

/// The changes of an installation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstallReport {
    /// New modules.
    pub added: Vec<PathBuf>,
    /// Modules with another content.
    pub replaced: Vec<PathBuf>,
    /// Removed directories.
    pub removed: Vec<PathBuf>,
    /// Modules that are as they should be.
    pub unchanged: usize,
}

impl InstallReport {
    /// Whether anything changed.
    pub fn has_changes(&self) -> bool {
        !(self.added.is_empty() && self.replaced.is_empty() && self.removed.is_empty())
    }
}

/// Which paths of a module are installed.
pub fn is_installed_path(keep_spec: bool, path: &str) -> bool {
    keep_spec || !(path == "spec" || path.starts_with("spec/"))
}

/// A module to write.
struct Step<'l> {
    module: &'l LockedModule,
    content: &'l Digest,
    is_new: bool,
}

/// The decision about the directory of a module.
enum Decision {
    Keep,
    /// It has the content, and the record does not say so.
    Adopt,
    Write {
        is_new: bool,
    },
    Refuse(String),
}

/// Installs the modules of a lock below a directory. All must be in the store.
pub fn install(
    store: &Store,
    lock: &Lock,
    base: &Path,
    options: InstallOptions,
) -> Result<InstallReport, Problem> {
    let state = base.join(STATE_DIRECTORY);
    let _lock = if options.dry { None } else { Some(prepare(&state)?) };
    let mut record = InstallRecord::read(base);
    let mut report = InstallReport::default();
    let (mut steps, mut refused, mut adopted) = (Vec::new(), Vec::new(), false);
    for module in &lock.modules {
        let path = module.path();
        if !is_inside(&path) {
            return Err(Problem::new(ProblemKind::Denied, "refused to install")
                .on(format!("'{}'", module.title))
                .because(format!("{} is outside of {}", path.display(), base.display())));
        }
        let Some(content) = &module.content else { continue };
        match decide(store, module, content, base, &record, options)? {
            Decision::Keep => report.unchanged += 1,
            Decision::Adopt => {
                report.unchanged += 1;
                adopted = true;
                record.insert(&path, content, module.keep_spec, &base.join(&path));
            }
            Decision::Write { is_new } => steps.push(Step { module, content, is_new }),
            Decision::Refuse(why) => refused.push(format!("{}: {why}", path.display())),
        }
    }
    let removals = removals(lock, base, &record, store, options, &mut refused);
    if !refused.is_empty() {
        return Err(Problem::new(ProblemKind::Conflict, "refused to replace modules")
            .because(refused.join("; "))
            .help("--force replaces them; `kukla mod verify` shows the differences"));
    }
    for step in &steps {
        let list = if step.is_new { &mut report.added } else { &mut report.replaced };
        list.push(step.module.path());
    }
    report.removed = removals;
    if options.dry {
        return Ok(report);
    }
    if report.has_changes() || adopted {
        apply(store, base, &state, &steps, &report.removed, &mut record, options)?;
    }
    Ok(report)
}

/// Creates the directory of the state and locks it; removes what a killed run has left.
fn prepare(state: &Path) -> Result<File, Problem> {
    let failed = |error: io::Error| Problem::io("create", state, &error);
    fs::create_dir_all(state).map_err(failed)?;
    let lock = lock_file(&state.join("lock"), FlockOperation::LockExclusive)?;
    let ignore = state.join(".gitignore");
    if !ignore.exists() {
        fs::write(&ignore, "*\n").map_err(failed)?;
    }
    let staging = state.join("staging");
    if staging.exists() {
        fs::remove_dir_all(&staging).map_err(|error| Problem::io("remove", &staging, &error))?;
    }
    Ok(lock)
}

fn decide(
    store: &Store,
    module: &LockedModule,
    content: &Digest,
    base: &Path,
    record: &InstallRecord,
    options: InstallOptions,
) -> Result<Decision, Problem> {
    let path = module.path();
    let directory = base.join(&path);
    let Some(stamp) = stamp(&directory) else {
        // Something else than a directory can be in the place.
        return Ok(match fs::symlink_metadata(&directory) {
            Ok(_) if !options.force => Decision::Refuse("it is not a directory".to_owned()),
            Ok(_) => Decision::Write { is_new: false },
            Err(_) => Decision::Write { is_new: true },
        });
    };
    let known = record.get(&path);
    if let Some(known) = known
        && known.stamp == stamp
        && known.content == *content
        && known.keep_spec == module.keep_spec
    {
        return Ok(Decision::Keep);
    }
    let tree = tree(store, module, content)?;
    if compare(&tree, module.keep_spec, &directory).is_empty() {
        return Ok(Decision::Adopt);
    }
    if options.force {
        return Ok(Decision::Write { is_new: false });
    }
    Ok(match known {
        None => Decision::Refuse("it was not installed by Kukla and differs".to_owned()),
        Some(known) => match store.tree(&known.content) {
            Some(before) if compare(&before, known.keep_spec, &directory).is_empty() => {
                Decision::Write { is_new: false }
            }
            Some(_) => Decision::Refuse("it was edited since it was installed".to_owned()),
            // Nobody can tell any more.
            None if known.stamp == stamp => Decision::Write { is_new: false },
            None => Decision::Refuse("it was replaced since it was installed".to_owned()),
        },
    })
}

fn tree(store: &Store, module: &LockedModule, content: &Digest) -> Result<std::sync::Arc<Tree>, Problem> {
    store.tree(content).ok_or_else(|| {
        Problem::not_found("the store lacks")
            .on(format!("'{}' {}", module.title, module.shown_version()))
            .help("fetch it with `kukla mod sync`")
    })
}

/// The directories to remove, relative to the base.
fn removals(
    lock: &Lock,
    base: &Path,
    record: &InstallRecord,
    store: &Store,
    options: InstallOptions,
    refused: &mut Vec<String>,
) -> Vec<PathBuf> {
    let wanted: BTreeSet<PathBuf> = lock.modules.iter().map(LockedModule::path).collect();
    let mut found = BTreeSet::new();
    if options.purge != Purge::Nothing {
        for (path, known) in record.entries() {
            let directory = base.join(path);
            if wanted.contains(path) || !is_inside(path) || fs::symlink_metadata(&directory).is_err() {
                continue;
            }
            let is_edited = || match store.tree(&known.content) {
                Some(tree) => !compare(&tree, known.keep_spec, &directory).is_empty(),
                None => stamp(&directory) != Some(known.stamp.clone()),
            };
            match options.force || !is_edited() {
                true => drop(found.insert(path.to_owned())),
                false => {
                    refused.push(format!("{}: it is no longer needed, and it was edited", path.display()))
                }
            }
        }
    }
    if options.purge == Purge::All {
        // Directories that hold only what is installed; r10k never purges the environment itself.
        let managed: BTreeSet<&Path> = lock.modules.iter().map(|module| &*module.directory).collect();
        for directory in managed.into_iter().filter(|directory| !directory.as_os_str().is_empty()) {
            for entry in fs::read_dir(base.join(directory)).into_iter().flatten().flatten() {
                let path = directory.join(entry.file_name());
                if !wanted.iter().any(|wanted| wanted.starts_with(&path)) {
                    found.insert(path);
                }
            }
        }
    }
    found.into_iter().collect()
}

fn apply(
    store: &Store,
    base: &Path,
    state: &Path,
    steps: &[Step<'_>],
    removed: &[PathBuf],
    record: &mut InstallRecord,
    options: InstallOptions,
) -> Result<(), Problem> {
    let staging = state.join("staging");
    fs::create_dir_all(&staging).map_err(|error| Problem::io("create", &staging, &error))?;
    let _lock = store.lock_shared()?;
    let numbered: Vec<(usize, &Step<'_>)> = steps.iter().enumerate().collect();
    let threads = if options.threads == 0 { 8 } else { options.threads };
    let written = parallel::map(&numbered, threads, |(number, step)| {
        let tree = tree(store, step.module, step.content)?;
        let staged = staging.join(number.to_string());
        store.materialize(&tree, &staged, |path| is_installed_path(step.module.keep_spec, path))
    });
    // Nothing is switched before everything is written: a full disk leaves all modules as they were.
    if let Some(problem) = written.into_iter().find_map(Result::err) {
        let _ = fs::remove_dir_all(&staging);
        return Err(problem);
    }
    for (number, step) in numbered {
        let path = step.module.path();
        let target = base.join(&path);
        switch(&staging.join(number.to_string()), &target)?;
        record.insert(&path, step.content, step.module.keep_spec, &target);
    }
    for (number, path) in removed.iter().enumerate() {
        let target = base.join(path);
        let to = staging.join(format!("removed-{number}"));
        fs::rename(&target, &to).map_err(|error| Problem::io("remove", &target, &error))?;
        record.remove(path);
    }
    record.write(base)?;
    fs::remove_dir_all(&staging).map_err(|error| Problem::io("remove", &staging, &error))
}

/// Puts a directory in its place in one step; what was there is then where it came from.
pub fn switch(staged: &Path, target: &Path) -> Result<(), Problem> {
    let failed = |error: &io::Error| Problem::io("replace", target, error);
    if fs::symlink_metadata(target).is_err() {
        let parent = target.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(parent).map_err(|error| Problem::io("create", parent, &error))?;
        return fs::rename(staged, target).map_err(|error| failed(&error));
    }
    match renameat_with(CWD, staged, CWD, target, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        // Some file systems cannot exchange two directories.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::OPNOTSUPP) => {
            let mut before = staged.as_os_str().to_owned();
            before.push(".before");
            fs::rename(target, &before)
                .and_then(|()| fs::rename(staged, target))
                .map_err(|error| failed(&error))
        }
        Err(error) => Err(failed(&error.into())),
    }
}
