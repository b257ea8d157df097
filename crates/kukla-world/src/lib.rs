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
mod commands;
pub mod fnmatch;
pub mod glob;
mod guard;
mod isolated;
mod memory;
pub mod policy;
pub mod puppetfile;
pub mod record;
mod scratch;

pub use change::{Change, Opening, Ownership};
pub use commands::CommandOutputs;
pub use guard::{CommandNames, Guarded};
pub use isolated::Isolated;
pub use memory::MemoryWorld;
pub use policy::{Policy, Refusal};
use record::{Digest, Ledger};

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
    /// Whether it is neither a file nor a directory, but a pipe, a socket or a device (or a link to one): opening it may wait
    /// forever.
    pub is_special: bool,
}

/// The largest file that is read, in bytes, on disk or in a git repository.
pub const LARGEST_FILE: u64 = 128 << 20;

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
///
/// There are two sorts of worlds. One at the bottom ([`MemoryWorld`], the disk) states how to read, list and so on; a method that it does
/// not state has no effect and finds nothing. A layer over another world names that one as its [`inner`](World::inner) world and states
/// only the methods that it changes; all others go to the inner world.
///
/// A world that restricts another one, as [`Guarded`] does, has no `inner`: a method that is added to this trait must not reach past the
/// restriction before someone has decided how to restrict it.
pub trait World: Send + Sync + Debug {
    /// The world that answers whatever this one does not state; none at the bottom, and none behind a restriction.
    fn inner(&self) -> Option<&dyn World> {
        None
    }
    /// The contents of a file.
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        self.inner().map_or(Err(FileError::NotFound), |world| world.read(path))
    }
    /// The entries of a directory, sorted by name; none if it is not one.
    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        self.inner().map_or_else(Vec::new, |world| world.list(path))
    }
    /// The present.
    fn now(&self) -> Timestamp {
        self.inner().map_or_else(|| Timestamp::from_clock(0), World::now)
    }
    /// A number that seeds a generator of random numbers: different each time where nothing decides it.
    fn seed(&self) -> Digest {
        self.inner().map_or_else(|| Digest::of([self.now().nanos().to_le_bytes()]), World::seed)
    }
    /// The time since some moment, to measure how long something takes. Where there is no clock, no time passes.
    fn elapsed(&self) -> Duration {
        self.inner().map_or(Duration::ZERO, World::elapsed)
    }
    /// An environment variable, if it is set.
    fn env(&self, name: &str) -> FileResult<Option<String>> {
        self.inner().map_or(Ok(None), |world| world.env(name))
    }
    /// Runs a command (`generate`, external node classifiers), if policy allows.
    fn run(&self, command: &[String]) -> FileResult<CommandOutput> {
        self.inner().map_or_else(|| Err(no_commands(command)), |world| world.run(command))
    }
    /// Starts a command to exchange lines with while it runs (an external Ruby), if policy allows.
    fn converse(&self, command: &[String]) -> FileResult<Box<dyn Conversation>> {
        self.inner().map_or_else(|| Err(no_commands(command)), |world| world.converse(command))
    }
    /// Changes what is at a path (a cache that a function in Ruby keeps), if policy allows.
    fn change(&self, path: &Path, change: Change<'_>) -> FileResult<()> {
        let unchangeable = || Err(FileError::Other(format!("nothing is changed here: {}", path.display())));
        self.inner().map_or_else(unchangeable, |world| world.change(path, change))
    }
    /// The owner and mode of what is at a path, if policy allows to ask; without a path, the owner of files that are created here.
    fn ownership(&self, path: Option<&Path>) -> FileResult<Ownership> {
        self.inner().map_or_else(|| Ok(Ownership::default()), |world| world.ownership(path))
    }
    /// The ledger in which questions and answers can be recorded, if there is one.
    fn ledger(&self) -> Option<&Ledger> {
        self.inner().and_then(World::ledger)
    }
    /// Whether a path exists.
    fn exists(&self, path: &Path) -> bool {
        if let Some(world) = self.inner() {
            return world.exists(path);
        }
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return true };
        self.list(parent).iter().any(|entry| entry.name.as_str() == name)
    }
    /// The version of what is at a path, if anything is. Where files never change, all versions are the same.
    fn stamp(&self, path: &Path) -> Option<Stamp> {
        match self.inner() {
            Some(world) => world.stamp(path),
            None => self.exists(path).then(Stamp::default),
        }
    }
    /// The version of a file and its contents, asked in the order that shows a change in between. Always this world's own `stamp` and
    /// `read`: a layer that changes one of those would otherwise have to remember this.
    fn read_stamped(&self, path: &Path) -> (Option<Stamp>, FileResult<Vec<u8>>) {
        (self.stamp(path), self.read(path))
    }
    /// The reason why policy forbids to read a path, if it does. A forbidden file looks like a missing one; callers that would go on
    /// without it ask this.
    fn refusal(&self, path: &Path) -> Option<Refusal> {
        self.inner().and_then(|world| world.refusal(path))
    }
    /// The policy for code in this world: the default one where nothing is guarded.
    fn policy(&self) -> &Policy {
        static DEFAULT: std::sync::LazyLock<Policy> = std::sync::LazyLock::new(Policy::default);
        self.inner().map_or(&DEFAULT, World::policy)
    }
    /// The absolute path that a path leads to, without links and without `..`.
    fn resolve(&self, path: &Path) -> PathBuf {
        match self.inner() {
            Some(world) => world.resolve(path),
            None => normal(&self.here().join(path)),
        }
    }
    /// The directory that relative paths start from.
    fn here(&self) -> PathBuf {
        self.inner().map_or_else(|| PathBuf::from("/"), World::here)
    }
}

fn no_commands(command: &[String]) -> FileError {
    FileError::Other(format!("no commands here: {}", command.join(" ")))
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

/// A world with several owners.
impl<W: World> World for Arc<W> {
    fn inner(&self) -> Option<&dyn World> {
        Some(&**self)
    }

    fn read_stamped(&self, path: &Path) -> (Option<Stamp>, FileResult<Vec<u8>>) {
        (**self).read_stamped(path)
    }
}

/// A world of any type with several owners.
impl World for Arc<dyn World> {
    fn inner(&self) -> Option<&dyn World> {
        Some(&**self)
    }

    fn read_stamped(&self, path: &Path) -> (Option<Stamp>, FileResult<Vec<u8>>) {
        (**self).read_stamped(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A layer that changes nothing.
    #[derive(Debug)]
    struct Layer(MemoryWorld);

    impl World for Layer {
        fn inner(&self) -> Option<&dyn World> {
            Some(&self.0)
        }
    }

    #[test]
    fn a_layer_answers_like_the_world_below_it() {
        let mut world = MemoryWorld { now: 5, ..MemoryWorld::default() }.with("/a/b", "text");
        world.env.insert("HOME".into(), "/root".into());
        let layer = Arc::new(Layer(world.clone()));
        let shared: Arc<dyn World> = Arc::clone(&layer) as Arc<dyn World>;
        for layer in [&layer as &dyn World, &shared] {
            let path = Path::new("/a/b");
            assert_eq!(layer.read(path), Ok(b"text".to_vec()));
            assert_eq!(layer.read_stamped(path), world.read_stamped(path));
            assert_eq!(layer.list(Path::new("/a")), world.list(Path::new("/a")));
            assert!(layer.exists(path) && !layer.exists(Path::new("/b")));
            assert_eq!((layer.now(), layer.env("HOME")), (world.now(), world.env("HOME")));
            assert_eq!(layer.resolve(Path::new("a/../b")), Path::new("/b"));
            assert!(layer.run(&["x".to_owned()]).is_err() && layer.ledger().is_none());
        }
    }
}
