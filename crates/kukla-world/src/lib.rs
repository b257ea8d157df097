//! The world outside a compilation: files, clock, environment variables, commands. All effects go through [`World`].

use std::fmt::{self, Debug};
use std::path::Path;

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
pub struct Entry {
    /// Its name within the directory.
    pub name: String,
    /// Whether it is a directory (or a link to one).
    pub is_directory: bool,
    /// Whether it is a link to something else.
    pub is_link: bool,
}

/// What a command gave.
#[derive(Clone, Debug, Default)]
pub struct Output {
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
    fn list(&self, path: &Path) -> Vec<Entry>;
    /// The present.
    fn now(&self) -> Timestamp;
    /// An environment variable.
    fn env(&self, name: &str) -> Option<String>;
    /// Runs a command (`generate`, external node classifiers), if policy allows.
    fn run(&self, command: &[String]) -> FileResult<Output>;
    /// Where what is asked can be recorded, if it is to be.
    fn ledger(&self) -> Option<&Ledger> {
        None
    }
    /// Whether a path exists.
    fn exists(&self, path: &Path) -> bool {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return true };
        self.list(parent).iter().any(|entry| entry.name.as_str() == name)
    }
}
