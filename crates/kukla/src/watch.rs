//! A world that remembers what was asked of it, so that it can tell whether the answers would still be the same.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use kukla_world::policy::Reach;
use kukla_world::{Change, DirectoryEntry, FileResult, Stamp, World};
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
    paths: FxHashMap<Arc<OsStr>, Place>,
    directories: FxHashMap<Arc<OsStr>, Directory>,
    /// How many bytes the texts that are kept take.
    held: usize,
}

/// What is at a path.
#[derive(Debug)]
struct Place {
    stamp: Option<Stamp>,
    text: Text,
}

/// A directory that someone missed something in.
#[derive(Debug, Default)]
struct Directory {
    missed: u32,
    /// All that is in it, in lower case, as there are file systems that make no difference.
    names: Option<FxHashSet<Box<str>>>,
}

/// What is known of the text at a path.
#[derive(Debug)]
enum Text {
    /// Nobody has read it, or it is too large to be kept.
    Unread,
    /// It was read once.
    Once,
    /// The text itself: who reads it a second time will read it more often.
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
            self.seen().paths.iter().map(|(path, known)| (Arc::clone(path), known.stamp)).collect();
        let holds = seen.iter().all(|(path, known)| self.world.stamp(Path::new(&**path)) == *known);
        if holds {
            *self.checked.lock().unwrap_or_else(PoisonError::into_inner) = begun;
        }
        holds
    }

    /// How many answers are kept.
    pub(crate) fn extent(&self) -> usize {
        self.seen().paths.len()
    }

    /// What was at a path before anyone looked there.
    pub(crate) fn first_stamp(&self, path: &Path) -> Option<Stamp> {
        self.seen().stamp(path).flatten()
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
        let place = Place { stamp, text: Text::Unread };
        self.seen_mut().paths.entry(path.as_os_str().into()).or_insert(place).stamp
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
        if let Some(Place { text: Text::Often(text), .. }) = self.seen().paths.get(path.as_os_str()) {
            return Ok(text.to_vec());
        }
        let bytes = self.world.read(path)?;
        self.keep(path, stamp, &bytes);
        Ok(bytes)
    }

    /// Keeps that a file was read, and its text if that was known.
    fn keep(&self, path: &Path, stamp: Stamp, bytes: &[u8]) {
        // What is made as it is read has no length beforehand, and may be something else each time.
        if bytes.len() as u64 != stamp.length || bytes.is_empty() || bytes.len() > KEPT_FILE {
            return;
        }
        let Seen { paths, held, .. } = &mut *self.seen_mut();
        let Some(place) = paths.get_mut(path.as_os_str()) else { return };
        match place.text {
            Text::Unread => place.text = Text::Once,
            Text::Once if *held + bytes.len() <= KEPT_FILES => {
                *held += bytes.len();
                place.text = Text::Often(bytes.into());
            }
            Text::Once | Text::Often(_) => {}
        }
    }
}

impl Seen {
    /// What was found at a path, or what must be there after what was found elsewhere.
    fn find(&self, path: &Path) -> Option<Option<Stamp>> {
        if let Some(known) = self.stamp(path) {
            return Some(known);
        }
        let mut inner = path;
        while let Some((directory, name)) = parted(inner) {
            if let Some(Directory { names: Some(names), .. }) = self.directories.get(directory.as_os_str()) {
                let is_there =
                    |name: &str| names.contains(name) || names.contains(&*name.to_ascii_lowercase());
                let is_missing = name.is_some_and(|name| name.is_ascii() && !is_there(name));
                return is_missing.then_some(None);
            }
            match self.stamp(directory) {
                Some(None) => return Some(None),
                Some(Some(_)) => return None,
                None => {}
            }
            inner = directory;
        }
        None
    }

    /// Forgets what code has changed itself: what is at a path, what its directory has, and that directories are missing which it lies in.
    fn forget(&mut self, path: &Path) {
        for (distance, place) in path.ancestors().enumerate() {
            if distance < 2 || self.stamp(place) == Some(None) {
                self.paths.remove(place.as_os_str());
                self.directories.remove(place.as_os_str());
            }
        }
    }

    /// What was found at just that path.
    fn stamp(&self, path: &Path) -> Option<Option<Stamp>> {
        self.paths.get(path.as_os_str()).map(|place| place.stamp)
    }

    /// Whether a directory is known to be there.
    fn has(&self, directory: &Path) -> bool {
        self.directories.contains_key(directory.as_os_str())
            || self.stamp(directory).is_some_and(|stamp| stamp.is_some())
    }
}

/// The directory that something is in, and its name there if that is text.
fn parted(path: &Path) -> Option<(&Path, Option<&str>)> {
    // Nearly all paths are written plainly, and text is quicker to take apart than a path.
    let plainly = path.to_str().and_then(|text| text.rsplit_once('/')).filter(|(directory, name)| {
        !directory.is_empty() && !directory.ends_with(['/', '.']) && !matches!(*name, "" | "." | "..")
    });
    match plainly {
        Some((directory, name)) => Some((Path::new(directory), Some(name))),
        None => Some((path.parent()?, path.file_name().and_then(OsStr::to_str))),
    }
}

/// The clock here says when to look for changes again, never what a catalog holds.
#[allow(clippy::disallowed_methods)]
fn present() -> Instant {
    Instant::now()
}

impl World for Watched {
    fn inner(&self) -> Option<&dyn World> {
        Some(&*self.world)
    }

    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        let known = self.seen().find(path);
        match known {
            Some(Some(stamp)) => self.read_watched(path, stamp),
            Some(None) => self.world.read(path),
            None => {
                // Asked before the file is read: what is written in between shows as a change, and so is never missed.
                let (stamp, bytes) = self.world.read_stamped(path);
                if let (Some(stamp), Ok(bytes)) = (self.found(path, stamp), &bytes) {
                    self.keep(path, stamp, bytes);
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

    fn change(&self, path: &Path, change: Change<'_>) -> FileResult<()> {
        let outcome = self.world.change(path, change);
        self.seen_mut().forget(path);
        if let Change::Rename(to) = change {
            self.seen_mut().forget(to);
        }
        outcome
    }

    fn exists(&self, path: &Path) -> bool {
        self.find(path).is_some()
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        self.find(path)
    }
}
