//! The disk with one edited file, for tests of edits.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use kukla::DiskWorld;
use kukla::world::{DirectoryEntry, FileResult, Stamp, World};

/// The disk, with one file edited.
#[derive(Debug, Default)]
pub struct Edited {
    disk: DiskWorld,
    file: Mutex<Option<(PathBuf, Vec<u8>, u64)>>,
    seen: Mutex<BTreeSet<PathBuf>>,
    hidden: Mutex<BTreeSet<PathBuf>>,
}

impl Edited {
    /// Replaces the text of a file, or restores it if `text` is `None`.
    pub fn set(&self, path: &Path, text: Option<Vec<u8>>) {
        let mut file = self.file.lock().unwrap();
        // Later than all files on disk.
        let version = file.as_ref().map_or(1 << 60, |(_, _, version)| version + 1);
        let path = text.as_ref().map_or_else(PathBuf::new, |_| path.to_owned());
        *file = Some((path, text.unwrap_or_default(), version));
    }
}

impl Edited {
    /// The files that have been read so far.
    #[allow(dead_code)] // not all users of edits need it
    pub fn seen(&self) -> Vec<PathBuf> {
        self.seen.lock().unwrap().iter().cloned().collect()
    }

    /// Hides these paths when directories are listed.
    #[allow(dead_code)] // not all users of edits need it
    pub fn hide(&self, paths: BTreeSet<PathBuf>) {
        *self.hidden.lock().unwrap() = paths;
    }
}

impl World for Edited {
    fn inner(&self) -> Option<&dyn World> {
        Some(&self.disk)
    }

    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        self.seen.lock().unwrap().insert(path.to_owned());
        match &*self.file.lock().unwrap() {
            Some((edited, text, _)) if edited == path => Ok(text.clone()),
            _ => self.disk.read(path),
        }
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        let mut found = self.disk.list(path);
        let hidden = self.hidden.lock().unwrap();
        if !hidden.is_empty() {
            found.retain(|entry| !hidden.contains(&path.join(&entry.name)));
        }
        found
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        match &*self.file.lock().unwrap() {
            Some((edited, text, version)) if edited == path => {
                Some(Stamp { version: *version, length: text.len() as u64 })
            }
            _ => self.disk.stamp(path),
        }
    }
}
