//! A world that remembers what was asked of it, so that it can tell whether the answers would still be the same.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use kukla_values::time::Timestamp;
use kukla_world::policy::Reach;
use kukla_world::record::Ledger;
use kukla_world::{CommandOutput, Conversation, DirectoryEntry, FileResult, Policy, Refusal, Stamp, World};
use rustc_hash::{FxHashMap, FxHashSet};

/// A world, and what was at every path that someone asked about.
#[derive(Debug)]
pub(crate) struct Watched {
    world: Arc<dyn World>,
    seen: RwLock<Seen>,
    /// When all answers were last known to hold.
    checked: Mutex<Instant>,
    /// Whether all of the world can be seen, so that what is in no directory is not there.
    is_open: bool,
}

/// What was found, by the text of the path, which is quicker to compare than its components.
///
/// Modules are searched for far more files than they have. Of what is missing, only the outermost missing directory is kept; where several
/// files were missed in a directory, it is read, and whatever it does not have is not asked for.
#[derive(Debug, Default)]
struct Seen {
    stamps: FxHashMap<Arc<OsStr>, Option<Stamp>>,
    directories: FxHashMap<Arc<OsStr>, Directory>,
    files: FxHashMap<Arc<OsStr>, File>,
    /// How many bytes the texts of `files` take.
    held: usize,
}

/// A directory that someone missed something in.
#[derive(Debug, Default)]
struct Directory {
    missed: u32,
    /// All that is in it, in lower case, as there are file systems that make no difference.
    names: Option<FxHashSet<Box<str>>>,
}

/// A file that was read.
#[derive(Debug)]
enum File {
    Once,
    /// Its text: who reads it a second time will read it more often.
    Often(Arc<[u8]>),
}

/// After so many misses a directory is read.
const MISSES: u32 = 3;
/// How large a file may be to be kept, and how much all may take.
const KEPT_FILE: usize = 256 << 10;
const KEPT_FILES: usize = 8 << 20;

impl Watched {
    /// Watches what is asked of a world from now on.
    pub(crate) fn new(world: Arc<dyn World>) -> Watched {
        let is_open = world.policy().files.reach == Reach::Any;
        Watched { world, seen: RwLock::default(), checked: Mutex::new(present()), is_open }
    }

    /// Whether everything that was asked for is as it was; taken for granted for so long. No lock is held while the world
    /// is asked.
    pub(crate) fn is_current(&self, granted: Duration) -> bool {
        let begun = present();
        let checked = *self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if begun.saturating_duration_since(checked) < granted {
            return true;
        }
        let seen: Vec<(Arc<OsStr>, Option<Stamp>)> =
            self.seen().stamps.iter().map(|(path, known)| (Arc::clone(path), *known)).collect();
        let holds = seen.iter().all(|(path, known)| self.world.stamp(Path::new(&**path)) == *known);
        if holds {
            *self.checked.lock().unwrap_or_else(PoisonError::into_inner) = begun;
        }
        holds
    }

    /// What was at a path before anyone looked there.
    pub(crate) fn first_stamp(&self, path: &Path) -> Option<Stamp> {
        self.seen().stamps.get(path.as_os_str()).copied().flatten()
    }

    fn seen(&self) -> RwLockReadGuard<'_, Seen> {
        self.seen.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen_mut(&self) -> RwLockWriteGuard<'_, Seen> {
        self.seen.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is at a path: the answer that was given before, if it was asked before.
    fn find(&self, path: &Path) -> Option<Stamp> {
        let known = self.seen().find(path);
        if let Some(known) = known {
            return known;
        }
        self.found(path, self.world.stamp(path))
    }

    /// Keeps what was found at a path that nobody had asked for.
    fn found(&self, path: &Path, stamp: Option<Stamp>) -> Option<Stamp> {
        if stamp.is_none() && self.is_open {
            self.note_missing(path);
            return None;
        }
        self.note(path, stamp)
    }

    /// Keeps what was at a path, unless someone else has seen it before.
    fn note(&self, path: &Path, stamp: Option<Stamp>) -> Option<Stamp> {
        *self.seen_mut().stamps.entry(path.as_os_str().into()).or_insert(stamp)
    }

    /// Keeps that something is missing: the outermost of the directories it would be in that is missing as well.
    fn note_missing(&self, path: &Path) {
        let mut missing = path;
        let directory = loop {
            let Some(parent) = missing.parent().filter(|parent| !parent.as_os_str().is_empty()) else {
                break None;
            };
            if self.seen().has(parent) || self.world.exists(parent) {
                break Some(parent);
            }
            missing = parent;
        };
        self.note(missing, None);
        let Some(directory) = directory else { return };
        let missed = {
            let mut seen = self.seen_mut();
            let directory = seen.directories.entry(directory.as_os_str().into()).or_default();
            directory.missed += 1;
            directory.missed
        };
        if missed == MISSES {
            // Asked before it is read: what changes in between is never missed.
            self.note(directory, self.world.stamp(directory));
            self.note_names(directory, &self.world.list(directory));
        }
    }

    /// Keeps what is in a directory that is watched. One that seems empty may just not be readable.
    fn note_names(&self, directory: &Path, entries: &[DirectoryEntry]) {
        if self.is_open && !entries.is_empty() {
            let names = entries.iter().map(|entry| entry.name.to_lowercase().into()).collect();
            // As the parent of what is in it, it has no slash at its end.
            let directory = directory.components().as_path().as_os_str();
            self.seen_mut().directories.entry(directory.into()).or_default().names = Some(names);
        }
    }

    fn read_watched(&self, path: &Path, stamp: Stamp) -> FileResult<Vec<u8>> {
        let is_known = match self.seen().files.get(path.as_os_str()) {
            Some(File::Often(text)) => return Ok(text.to_vec()),
            known => known.is_some(),
        };
        let bytes = self.world.read(path)?;
        self.keep(path, stamp, &bytes, is_known);
        Ok(bytes)
    }

    /// Keeps that a file was read, and its text if that was known.
    fn keep(&self, path: &Path, stamp: Stamp, bytes: &[u8], is_known: bool) {
        // What is made as it is read has no length beforehand, and may be something else each time.
        if bytes.len() as u64 != stamp.length || bytes.is_empty() || bytes.len() > KEPT_FILE {
            return;
        }
        let mut seen = self.seen_mut();
        if is_known && seen.held + bytes.len() <= KEPT_FILES {
            seen.held += bytes.len();
            seen.files.insert(path.as_os_str().into(), File::Often(bytes.into()));
        } else if !is_known {
            seen.files.insert(path.as_os_str().into(), File::Once);
        }
    }
}

impl Seen {
    /// What was found at a path, or what must be there after what was found elsewhere.
    fn find(&self, path: &Path) -> Option<Option<Stamp>> {
        if let Some(known) = self.stamps.get(path.as_os_str()) {
            return Some(*known);
        }
        let mut inner = path;
        for directory in path.ancestors().skip(1) {
            if let Some(Directory { names: Some(names), .. }) = self.directories.get(directory.as_os_str()) {
                let name = inner.file_name().and_then(OsStr::to_str).filter(|name| name.is_ascii());
                let is_missing = name.is_some_and(|name| !names.contains(&*name.to_ascii_lowercase()));
                return is_missing.then_some(None);
            }
            match self.stamps.get(directory.as_os_str()) {
                Some(None) => return Some(None),
                Some(Some(_)) => return None,
                None => {}
            }
            inner = directory;
        }
        None
    }

    /// Whether a directory is known to be there.
    fn has(&self, directory: &Path) -> bool {
        self.directories.contains_key(directory.as_os_str())
            || self.stamps.get(directory.as_os_str()).is_some_and(Option::is_some)
    }
}

/// The clock here says when to look for changes again, never what a catalog holds.
#[allow(clippy::disallowed_methods)]
fn present() -> Instant {
    Instant::now()
}

impl World for Watched {
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        let known = self.seen().find(path);
        match known {
            Some(Some(stamp)) => self.read_watched(path, stamp),
            Some(None) => self.world.read(path),
            None => {
                // Asked before the file is read: what is written in between shows as a change, and so is never missed.
                let (stamp, bytes) = self.world.read_stamped(path);
                if let (Some(stamp), Ok(bytes)) = (self.found(path, stamp), &bytes) {
                    self.keep(path, stamp, bytes, false);
                }
                bytes
            }
        }
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        match self.find(path) {
            Some(_) => {
                let entries = self.world.list(path);
                self.note_names(path, &entries);
                entries
            }
            None => Vec::new(),
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

    fn converse(&self, command: &[String]) -> FileResult<Box<dyn Conversation>> {
        self.world.converse(command)
    }

    fn exists(&self, path: &Path) -> bool {
        self.find(path).is_some()
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        self.find(path)
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
