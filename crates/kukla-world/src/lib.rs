//! The world outside a compilation: files, clock, environment variables, commands. All effects go through [`World`], and a
//! [`Policy`] says which of them code may have.

use std::fmt::{self, Debug};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kukla_values::time::Timestamp;

pub mod answers;
mod change;
pub mod codes;
pub mod glob;
mod guard;
mod memory;
pub mod policy;
pub mod record;

pub use change::{Change, Opening, Ownership};
pub use guard::Guarded;
pub use memory::MemoryWorld;
pub use policy::{Policy, Refusal};
use record::Ledger;

/// The result of a file operation; the message is the operating system's.
pub type FileResult<T> = Result<T, FileError>;

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// There is no such file.
    NotFound,
    /// It is there and cannot be read.
    Other(String),
    /// Policy does not allow it.
    Refused(Refusal),
}

impl std::error::Error for FileError {}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::NotFound => f.write_str("no such file or directory"),
            FileError::Other(why) => f.write_str(why),
            FileError::Refused(refusal) => write!(f, "{refusal}"),
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

/// The result of a command.
#[derive(Clone, Debug, Default)]
pub struct CommandOutput {
    /// Its exit code, if it ended by itself.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// A process with which lines are exchanged; it ends when this is dropped.
pub trait Conversation: Send + Debug {
    /// Sends a line and waits for the next one that comes. After an error there are no more.
    fn ask(&mut self, line: &str) -> FileResult<String>;
    /// The text on the process's standard error since the last call.
    fn complaints(&mut self) -> Vec<u8>;
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
    /// An environment variable, if it is set.
    fn env(&self, name: &str) -> FileResult<Option<String>>;
    /// Runs a command (`generate`, external node classifiers), if policy allows.
    fn run(&self, command: &[String]) -> FileResult<CommandOutput>;
    /// Starts a command that is talked to while it runs (an external Ruby), if policy allows.
    fn converse(&self, command: &[String]) -> FileResult<Box<dyn Conversation>> {
        Err(FileError::Other(format!("no commands here: {}", command.join(" "))))
    }
    /// Changes what is at a path (a cache that a function in Ruby keeps), if policy allows.
    fn change(&self, path: &Path, change: Change<'_>) -> FileResult<()> {
        let _ = change;
        Err(FileError::Other(format!("nothing is changed here: {}", path.display())))
    }
    /// The owner of the file at a path, if policy allows it; without a path, the owner of files that are created.
    fn ownership(&self, path: Option<&Path>) -> FileResult<Ownership> {
        let _ = path;
        Ok(Ownership::default())
    }
    /// Where what is asked can be recorded, if it is to be.
    fn ledger(&self) -> Option<&Ledger> {
        None
    }
    /// Whether a path exists.
    fn exists(&self, path: &Path) -> bool {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return true };
        self.list(parent).iter().any(|entry| entry.name.as_str() == name)
    }
    /// The state of a path now, if it exists. A world whose files never change can leave it at that.
    fn stamp(&self, path: &Path) -> Option<Stamp> {
        self.exists(path).then(Stamp::default)
    }
    /// The state of a path and the contents of the file, in an order that reveals a change in between.
    fn read_stamped(&self, path: &Path) -> (Option<Stamp>, FileResult<Vec<u8>>) {
        (self.stamp(path), self.read(path))
    }
    /// Why policy keeps a path from being read, if it does. What may not be read looks as if it were not there; who would
    /// go on without it asks this.
    fn refusal(&self, path: &Path) -> Option<Refusal> {
        let _ = path;
        None
    }
    /// The access policy of this world. A world without a guard hides only what a policy always hides.
    fn policy(&self) -> &Policy {
        static DEFAULT: std::sync::LazyLock<Policy> = std::sync::LazyLock::new(Policy::default);
        &DEFAULT
    }
    /// Where a path leads: absolute, without links and without `..`.
    fn resolve(&self, path: &Path) -> PathBuf {
        normal(&self.here().join(path))
    }
    /// The directory that relative paths start from.
    fn here(&self) -> PathBuf {
        PathBuf::from("/")
    }
}

/// Whether there is a directory at a path.
pub fn is_directory(world: &dyn World, path: &Path) -> bool {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return true };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    world.list(parent).iter().any(|entry| entry.is_directory && entry.name.as_str() == name)
}

/// A path without `.` and `..`, which go by its text alone.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

/// A world that several share.
impl<W: World + ?Sized> World for Arc<W> {
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        (**self).read(path)
    }

    fn read_stamped(&self, path: &Path) -> (Option<Stamp>, FileResult<Vec<u8>>) {
        (**self).read_stamped(path)
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

    fn env(&self, name: &str) -> FileResult<Option<String>> {
        (**self).env(name)
    }

    fn run(&self, command: &[String]) -> FileResult<CommandOutput> {
        (**self).run(command)
    }

    fn converse(&self, command: &[String]) -> FileResult<Box<dyn Conversation>> {
        (**self).converse(command)
    }

    fn change(&self, path: &Path, change: Change<'_>) -> FileResult<()> {
        (**self).change(path, change)
    }

    fn ownership(&self, path: Option<&Path>) -> FileResult<Ownership> {
        (**self).ownership(path)
    }

    fn exists(&self, path: &Path) -> bool {
        (**self).exists(path)
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        (**self).stamp(path)
    }

    fn refusal(&self, path: &Path) -> Option<Refusal> {
        (**self).refusal(path)
    }

    fn policy(&self) -> &Policy {
        (**self).policy()
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        (**self).resolve(path)
    }

    fn here(&self) -> PathBuf {
        (**self).here()
    }

    fn ledger(&self) -> Option<&Ledger> {
        (**self).ledger()
    }
}
