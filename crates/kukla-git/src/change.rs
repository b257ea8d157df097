//! The files in which two sides of a comparison differ.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Only the side after has it.
    Added,
    /// Only the side before has it.
    Removed,
    /// Both have it, and not the same.
    Modified,
}

impl Status {
    /// What it is the other way round.
    fn reversed(self) -> Status {
        match self {
            Status::Added => Status::Removed,
            Status::Removed => Status::Added,
            Status::Modified => Status::Modified,
        }
    }
}

/// The files in which two sides differ, by their paths in the repository.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// What became of each.
    pub files: BTreeMap<PathBuf, Status>,
    /// Whether there are links in the repository, so that a file can be at several paths.
    pub has_links: bool,
}

impl Change {
    /// The same the other way round.
    #[must_use]
    pub fn reversed(self) -> Change {
        let files = self.files.into_iter().map(|(path, status)| (path, status.reversed()));
        Change { files: files.collect(), ..self }
    }
}
