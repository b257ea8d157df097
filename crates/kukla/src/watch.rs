//! A world that remembers what was asked of it, so that it can tell whether the answers would still be the same.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use kukla_values::time::Timestamp;
use kukla_world::record::Ledger;
use kukla_world::{CommandOutput, DirectoryEntry, FileResult, Policy, Refusal, Stamp, World};
use rustc_hash::FxHashMap;

/// A world, and what was at every path that someone asked about.
#[derive(Debug)]
pub(crate) struct Watched {
    world: Arc<dyn World>,
    /// By the text of the path, which is quicker to compare than its components.
    seen: RwLock<FxHashMap<Arc<OsStr>, Option<Stamp>>>,
    /// When all answers were last known to hold.
    checked: Mutex<Instant>,
}

impl Watched {
    /// Watches what is asked of a world from now on.
    pub(crate) fn new(world: Arc<dyn World>) -> Watched {
        Watched { world, seen: RwLock::default(), checked: Mutex::new(present()) }
    }

    /// Whether everything that was asked for is as it was; taken for granted for so long. No lock is held while the world
    /// is asked.
    pub(crate) fn is_current(&self, granted: Duration) -> bool {
        let begun = present();
        let checked = *self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if begun.saturating_duration_since(checked) < granted {
            return true;
        }
        let seen: Vec<(Arc<OsStr>, Option<Stamp>)> = {
            let seen = self.seen.read().unwrap_or_else(PoisonError::into_inner);
            seen.iter().map(|(path, known)| (Arc::clone(path), *known)).collect()
        };
        let holds = seen.iter().all(|(path, known)| self.world.stamp(Path::new(&**path)) == *known);
        if holds {
            *self.checked.lock().unwrap_or_else(PoisonError::into_inner) = begun;
        }
        holds
    }

    /// What was at a path before anyone looked there.
    pub(crate) fn first_stamp(&self, path: &Path) -> Option<Stamp> {
        self.known(path).flatten()
    }

    /// Whether there is something at a path: the answer that was given before, if it was asked before.
    fn watch(&self, path: &Path) -> bool {
        let known = self.known(path);
        known.unwrap_or_else(|| self.note(path, self.world.stamp(path))).is_some()
    }

    fn known(&self, path: &Path) -> Option<Option<Stamp>> {
        self.seen.read().unwrap_or_else(PoisonError::into_inner).get(path.as_os_str()).copied()
    }

    /// Keeps what was at a path, unless someone else has seen it before.
    fn note(&self, path: &Path, stamp: Option<Stamp>) -> Option<Stamp> {
        let mut seen = self.seen.write().unwrap_or_else(PoisonError::into_inner);
        *seen.entry(path.as_os_str().into()).or_insert(stamp)
    }
}

/// The clock here says when to look for changes again, never what a catalog holds.
#[allow(clippy::disallowed_methods)]
fn present() -> Instant {
    Instant::now()
}

impl World for Watched {
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        // Asked before the file is read: what is written in between shows as a change, and so is never missed.
        self.watch(path);
        self.world.read(path)
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        match self.watch(path) {
            true => self.world.list(path),
            false => Vec::new(),
        }
    }

    fn now(&self) -> Timestamp {
        self.world.now()
    }

    fn elapsed(&self) -> Duration {
        self.world.elapsed()
    }

    fn env(&self, name: &str) -> FileResult<Option<String>> {
        self.world.env(name)
    }

    fn run(&self, command: &[String]) -> FileResult<CommandOutput> {
        self.world.run(command)
    }

    fn exists(&self, path: &Path) -> bool {
        self.watch(path)
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        self.known(path).unwrap_or_else(|| self.note(path, self.world.stamp(path)))
    }

    fn refusal(&self, path: &Path) -> Option<Refusal> {
        self.world.refusal(path)
    }

    fn policy(&self) -> &Policy {
        self.world.policy()
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        self.world.resolve(path)
    }

    fn here(&self) -> PathBuf {
        self.world.here()
    }

    fn ledger(&self) -> Option<&Ledger> {
        self.world.ledger()
    }
}
