//! The files in which the two ends of a comparison differ.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It exists only after the change.
    Added,
    /// It exists only before the change.
    Removed,
    /// Its content differs.
    Modified,
}

impl Status {
    /// The change in the other direction.
    fn reversed(self) -> Status {
        match self {
            Status::Added => Status::Removed,
            Status::Removed => Status::Added,
            Status::Modified => Status::Modified,
        }
    }
}

/// The files that differ, by their paths in the repository.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// The change of each file.
    pub files: BTreeMap<PathBuf, Status>,
    /// Whether there are links in the repository, so that a file can be at several paths.
    pub has_links: bool,
}

impl Change {
    /// The change in the other direction.
    #[must_use]
    pub fn reversed(self) -> Change {
        let files = self.files.into_iter().map(|(path, status)| (path, status.reversed()));
        Change { files: files.collect(), ..self }
    }
}
