//! A world that remembers the paths it was asked for, to check later whether they have changed.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use kukla_world::policy::Reach;
use kukla_world::{Change, DirectoryEntry, FileResult, Stamp, World};
use rustc_hash::{FxHashMap, FxHashSet};

/// A world, and the stamps of all paths that were asked for.
#[derive(Debug)]
pub(crate) struct Watched {
    world: Arc<dyn World>,
    seen: RwLock<SeenPaths>,
    /// The time of the last check.
    checked: Mutex<Instant>,
    /// Whether the policy allows all paths, so that a name that is not in its directory does not exist.
    is_open: bool,
}

/// The known paths, by their text, which is faster to compare than their components.
///
/// Modules are searched for far more files than they have. Of missing paths only the outermost missing directory is recorded; a directory in which several
/// files were missing is listed, and names that it does not have are not asked for.
#[derive(Debug, Default)]
struct SeenPaths {
    paths: FxHashMap<Arc<OsStr>, PathEntry>,
    directories: FxHashMap<Arc<OsStr>, Directory>,
    /// The size of the cached texts, in bytes.
    held: usize,
}

/// The entry of a path.
#[derive(Debug)]
struct PathEntry {
    stamp: Option<Stamp>,
    text: Text,
}

/// A directory in which paths were missing.
#[derive(Debug, Default)]
struct Directory {
    missed: u32,
    /// All names in it, in lower case, because some file systems ignore case.
    names: Option<FxHashSet<Box<str>>>,
}

/// The text of a file, if it is cached.
#[derive(Debug)]
enum Text {
    /// It was not read, or is too large to be cached.
    Unread,
    /// It was read once.
    Once,
    /// The text itself: a file that is read twice is read more often.
    Often(Arc<[u8]>),
}

/// The number of missing paths after which a directory is listed.
const MISSES: u32 = 3;
/// The largest file to cache, and the most bytes of all cached files.
const LARGEST_CACHED: usize = 256 << 10;
const MOST_CACHED: usize = 8 << 20;

impl Watched {
    /// Watches the paths that are asked for from now on.
    pub(crate) fn new(world: Arc<dyn World>) -> Watched {
        let is_open = world.policy().files.reach == Reach::Any;
        Watched { world, seen: RwLock::default(), checked: Mutex::new(present()), is_open }
    }

    /// Whether no path has changed; not checked again within `granted` after the last check. No lock is held while the world
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

    /// The number of known paths.
    pub(crate) fn extent(&self) -> usize {
        self.seen().paths.len()
    }

    /// The stamp of a path when it was first asked for.
    pub(crate) fn first_stamp(&self, path: &Path) -> Option<Stamp> {
        self.seen().stamp(path).flatten()
    }

    fn seen(&self) -> RwLockReadGuard<'_, SeenPaths> {
        self.seen.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen_mut(&self) -> RwLockWriteGuard<'_, SeenPaths> {
        self.seen.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stamp of a path: the first one, if it was asked for before.
    fn find(&self, path: &Path) -> Option<Stamp> {
        let known = self.seen().find(path);
        if let Some(known) = known {
            return known;
        }
        self.record(path, self.world.stamp(path))
    }

    /// Records the stamp of a path that was not asked for before.
    fn record(&self, path: &Path, stamp: Option<Stamp>) -> Option<Stamp> {
        if stamp.is_none() && self.is_open {
            self.note_missing(path);
            return None;
        }
        self.note(path, stamp)
    }

    /// Records the stamp of a path, unless another thread has.
    fn note(&self, path: &Path, stamp: Option<Stamp>) -> Option<Stamp> {
        let place = PathEntry { stamp, text: Text::Unread };
        self.seen_mut().paths.entry(path.as_os_str().into()).or_insert(place).stamp
    }

    /// Records that a path is missing, by the outermost of its directories that is missing.
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
            // The stamp is taken before the directory is listed, so that no change is missed.
            self.note(directory, self.world.stamp(directory));
            self.note_names(directory, &self.world.list(directory));
        }
    }

    /// Records the names in a directory. One that seems empty may not be readable.
    fn note_names(&self, directory: &Path, entries: &[DirectoryEntry]) {
        if self.is_open && !entries.is_empty() {
            let names = entries.iter().map(|entry| entry.name.to_lowercase().into()).collect();
            // As the parent of its entries it has no trailing slash.
            let directory = directory.components().as_path().as_os_str();
            self.seen_mut().directories.entry(directory.into()).or_default().names = Some(names);
        }
    }

    fn read_watched(&self, path: &Path, stamp: Stamp) -> FileResult<Vec<u8>> {
        if let Some(PathEntry { text: Text::Often(text), .. }) = self.seen().paths.get(path.as_os_str()) {
            return Ok(text.to_vec());
        }
        let bytes = self.world.read(path)?;
        self.keep(path, stamp, &bytes);
        Ok(bytes)
    }

    /// Records that a file was read, and its text the second time.
    fn keep(&self, path: &Path, stamp: Stamp, bytes: &[u8]) {
        // A file that is generated when it is read has no length, and may differ each time.
        if bytes.len() as u64 != stamp.length || bytes.is_empty() || bytes.len() > LARGEST_CACHED {
            return;
        }
        let SeenPaths { paths, held, .. } = &mut *self.seen_mut();
        let Some(place) = paths.get_mut(path.as_os_str()) else { return };
        match place.text {
            Text::Unread => place.text = Text::Once,
            Text::Once if *held + bytes.len() <= MOST_CACHED => {
                *held += bytes.len();
                place.text = Text::Often(bytes.into());
            }
            Text::Once | Text::Often(_) => {}
        }
    }
}

impl SeenPaths {
    /// The stamp of a path, if it is known or follows from other paths.
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

    /// Forgets a path that code has changed, the names in its directory, and its directories that were missing.
    fn forget(&mut self, path: &Path) {
        for (distance, place) in path.ancestors().enumerate() {
            if distance < 2 || self.stamp(place) == Some(None) {
                self.paths.remove(place.as_os_str());
                self.directories.remove(place.as_os_str());
            }
        }
    }

    /// The stamp of exactly this path.
    fn stamp(&self, path: &Path) -> Option<Option<Stamp>> {
        self.paths.get(path.as_os_str()).map(|place| place.stamp)
    }

    /// Whether a directory is known to exist.
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

/// The clock decides when to check for changes, and never affects a catalog.
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
                // The stamp is taken before the file is read, so that a write in between counts as a change.
                let (stamp, bytes) = self.world.read_stamped(path);
                if let (Some(stamp), Ok(bytes)) = (self.record(path, stamp), &bytes) {
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
