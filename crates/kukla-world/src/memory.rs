//! A world held in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kukla_values::time::Timestamp;

use crate::{DirectoryEntry, FileError, FileResult, World};

/// A world held in memory, for tests and unsaved buffers.
#[derive(Clone, Debug, Default)]
pub struct MemoryWorld {
    /// The files by path.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
    /// The environment variables.
    pub env: BTreeMap<String, String>,
    /// Nanoseconds since 1970.
    pub now: i64,
}

impl MemoryWorld {
    /// Adds a file.
    #[must_use]
    pub fn with(mut self, path: impl Into<PathBuf>, text: impl Into<Vec<u8>>) -> MemoryWorld {
        self.files.insert(path.into(), text.into());
        self
    }

    /// The file at a path, or the files below it if it is a directory.
    fn below<'w>(&'w self, path: &'w Path) -> impl Iterator<Item = &'w PathBuf> {
        self.files
            .range(path.to_owned()..)
            .map(|(file, _)| file)
            .take_while(move |file| file.starts_with(path))
    }
}

impl World for MemoryWorld {
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        self.files.get(path).cloned().ok_or(FileError::NotFound)
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        let mut entries: Vec<DirectoryEntry> = Vec::new();
        for file in self.below(path) {
            let Ok(rest) = file.strip_prefix(path) else { continue };
            let mut parts = rest.components();
            let Some(first) = parts.next() else { continue };
            let name = first.as_os_str().to_string_lossy().into_owned();
            let is_directory = parts.next().is_some();
            let entry = DirectoryEntry { name, is_directory, is_link: false, is_special: false };
            entries.push(entry);
        }
        entries.sort();
        entries.dedup();
        entries
    }

    fn exists(&self, path: &Path) -> bool {
        self.below(path).next().is_some()
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_clock(self.now)
    }

    fn env(&self, name: &str) -> FileResult<Option<String>> {
        Ok(self.env.get(name).cloned())
    }
}
