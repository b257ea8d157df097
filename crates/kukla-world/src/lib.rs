//! The world outside a compilation: files, clock, environment variables, commands. All effects go through [`World`].

use std::fmt::{self, Debug};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kukla_values::time::Timestamp;

pub mod glob;
mod memory;
pub mod record;

pub use memory::MemoryWorld;
use record::Ledger;

/// What a file operation gives; the message is the operating system's.
pub type FileResult<T> = Result<T, FileError>;

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// There is no such file.
    NotFound,
    /// It is there and cannot be read.
    Other(String),
}

impl std::error::Error for FileError {}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::NotFound => f.write_str("no such file or directory"),
            FileError::Other(why) => f.write_str(why),
        }
    }
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirectoryEntry {
    /// Its name within the directory.
    pub name: String,
    /// Whether it is a directory (or a link to one).
    pub is_directory: bool,
    /// Whether it is a link to something else.
    pub is_link: bool,
}

/// Something about a file or directory that changes when it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// When it was changed, or which version it is; two versions have two numbers.
    pub version: u64,
    /// How long it is.
    pub length: u64,
}

/// What a command gave.
#[derive(Clone, Debug, Default)]
pub struct CommandOutput {
    /// Its exit code, if it ended by itself.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
}

/// Everything a compilation can see of the outside. The same world gives the same catalog.
pub trait World: Send + Sync + Debug {
    /// The contents of a file.
    fn read(&self, path: &Path) -> FileResult<Vec<u8>>;
    /// The entries of a directory, sorted by name; none if it is not one.
    fn list(&self, path: &Path) -> Vec<DirectoryEntry>;
    /// The present.
    fn now(&self) -> Timestamp;
    /// The time since some moment, to measure how long something takes. Where there is no clock, no time passes.
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
    /// An environment variable.
    fn env(&self, name: &str) -> Option<String>;
    /// Runs a command (`generate`, external node classifiers), if policy allows.
    fn run(&self, command: &[String]) -> FileResult<CommandOutput>;
    /// Where what is asked can be recorded, if it is to be.
    fn ledger(&self) -> Option<&Ledger> {
        None
    }
    /// Whether a path exists.
    fn exists(&self, path: &Path) -> bool {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return true };
        self.list(parent).iter().any(|entry| entry.name.as_str() == name)
    }
    /// What is at a path now, if anything is. A world whose files never change can leave it at that.
    fn stamp(&self, path: &Path) -> Option<Stamp> {
        self.exists(path).then(Stamp::default)
    }
    /// The directory that relative paths start from.
    fn here(&self) -> PathBuf {
        PathBuf::from("/")
    }
}

/// A world that several share.
impl<W: World + ?Sized> World for Arc<W> {
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        (**self).read(path)
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        (**self).list(path)
    }

    fn now(&self) -> Timestamp {
        (**self).now()
    }

    fn elapsed(&self) -> Duration {
        (**self).elapsed()
    }

    fn env(&self, name: &str) -> Option<String> {
        (**self).env(name)
    }

    fn run(&self, command: &[String]) -> FileResult<CommandOutput> {
        (**self).run(command)
    }

    fn exists(&self, path: &Path) -> bool {
        (**self).exists(path)
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        (**self).stamp(path)
    }

    fn here(&self) -> PathBuf {
        (**self).here()
    }

    fn ledger(&self) -> Option<&Ledger> {
        (**self).ledger()
    }
}
