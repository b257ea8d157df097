//! The world as it is: the disk, the clock, the process environment.

#![allow(clippy::disallowed_methods)]

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use kukla_values::time::Timestamp;
use kukla_world::{Entry, FileError, FileResult, Output, World};
use rustc_hash::FxHashMap;

/// Which commands a compilation may run (`generate`, `config_version`, an external node classifier).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Commands {
    /// None: the default, since a catalog should depend on its inputs alone.
    #[default]
    Off,
    /// Those whose path is listed.
    Only(Vec<String>),
    /// All.
    On,
}

impl Commands {
    /// Whether policy lets this command run.
    pub fn allow(&self, command: &str) -> bool {
        match self {
            Commands::Off => false,
            Commands::Only(list) => list.iter().any(|allowed| allowed == command),
            Commands::On => true,
        }
    }
}

/// `off`, `on`, or paths separated by commas.
impl From<&str> for Commands {
    fn from(policy: &str) -> Commands {
        match policy {
            "off" => Commands::Off,
            "on" => Commands::On,
            list => Commands::Only(list.split(',').map(str::to_owned).collect()),
        }
    }
}

/// The world as it is.
#[derive(Clone, Debug, Default)]
pub struct DiskWorld {
    /// Which commands may run.
    pub commands: Commands,
}

impl World for DiskWorld {
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        read(path).map(|(bytes, _)| bytes)
    }

    fn list(&self, path: &Path) -> Vec<Entry> {
        let Ok(directory) = std::fs::read_dir(path) else { return Vec::new() };
        let mut entries: Vec<Entry> = directory
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let kind = entry.file_type().ok()?;
                // A link counts as what it leads to; only links cost a further question.
                let is_directory = if kind.is_symlink() { entry.path().is_dir() } else { kind.is_dir() };
                Some(Entry { name, is_directory, is_link: kind.is_symlink() })
            })
            .collect();
        entries.sort();
        entries
    }

    fn now(&self) -> Timestamp {
        let fixed = self.env("SOURCE_DATE_EPOCH").and_then(|text| text.trim().parse::<i64>().ok());
        let nanoseconds = match fixed {
            Some(seconds) => seconds.saturating_mul(1_000_000_000),
            None => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)),
        };
        Timestamp::from_nanos(i128::from(nanoseconds))
    }

    fn env(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn run(&self, command: &[String]) -> FileResult<Output> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(FileError::Other("no command was given".into()));
        };
        if !self.commands.allow(program) {
            return Err(FileError::Other(format!(
                "running '{program}' is not allowed; --commands says which commands a compilation may run"
            )));
        }
        let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().map_err(
            |error| match error.kind() {
                std::io::ErrorKind::NotFound => FileError::NotFound,
                _ => FileError::Other(format!("{program}: {error}")),
            },
        )?;
        Ok(Output { code: output.status.code(), stdout: output.stdout, stderr: output.stderr })
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }
}

/// Reads a file and says what it was like when it was opened.
fn read(path: &Path) -> FileResult<(Vec<u8>, Stamp)> {
    let attempt = || {
        let mut file = std::fs::File::open(path)?;
        let stamp = Stamp::of(&file.metadata()?);
        let mut bytes = Vec::with_capacity(usize::try_from(stamp.length).unwrap_or_default());
        match stamp.length {
            // What has no length, such as a pipe, says itself where it ends.
            0 => file.read_to_end(&mut bytes)?,
            length => (&mut file).take(length).read_to_end(&mut bytes)?,
        };
        Ok((bytes, stamp))
    };
    attempt().map_err(|error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => FileError::NotFound,
        _ => FileError::Other(error.to_string()),
    })
}

/// The disk, remembering what was asked of it, so that it can tell whether the answers would still be the same.
#[derive(Debug)]
pub struct Watched {
    disk: DiskWorld,
    /// By the text of the path, which is quicker to compare than its components.
    seen: Mutex<FxHashMap<OsString, Option<Stamp>>>,
    since: Instant,
}

/// What changes when a file or directory does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
}

impl Stamp {
    fn of(metadata: &std::fs::Metadata) -> Stamp {
        Stamp { modified: metadata.modified().ok(), length: metadata.len() }
    }

    /// What is at a path now, if anything is.
    fn at(path: &Path) -> Option<Stamp> {
        std::fs::metadata(path).ok().map(|found| Stamp::of(&found))
    }
}

impl Watched {
    /// Watches what is asked of the disk from now on.
    pub fn new(disk: DiskWorld) -> Watched {
        Watched { disk, seen: Mutex::default(), since: Instant::now() }
    }

    /// Whether everything that was asked for is as it was; taken for granted for so long.
    pub fn is_current(&self, granted: Duration) -> bool {
        self.since.elapsed() < granted
            || self.seen().iter().all(|(path, known)| Stamp::at(Path::new(path)) == *known)
    }

    /// Whether there is something at a path: the answer that was given before, if it was asked before.
    fn watch(&self, path: &Path) -> bool {
        let mut seen = self.seen();
        if let Some(known) = seen.get(path.as_os_str()) {
            return known.is_some();
        }
        let stamp = Stamp::at(path);
        seen.insert(path.into(), stamp);
        stamp.is_some()
    }

    fn seen(&self) -> MutexGuard<'_, FxHashMap<OsString, Option<Stamp>>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl World for Watched {
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        let found = read(path);
        let mut seen = self.seen();
        if !seen.contains_key(path.as_os_str()) {
            // A file that cannot be read is watched for what can be seen of it.
            let stamp = match &found {
                Ok((_, stamp)) => Some(*stamp),
                Err(_) => Stamp::at(path),
            };
            seen.insert(path.into(), stamp);
        }
        found.map(|(bytes, _)| bytes)
    }

    fn list(&self, path: &Path) -> Vec<Entry> {
        match self.watch(path) {
            true => self.disk.list(path),
            false => Vec::new(),
        }
    }

    fn now(&self) -> Timestamp {
        self.disk.now()
    }

    fn env(&self, name: &str) -> Option<String> {
        self.disk.env(name)
    }

    fn run(&self, command: &[String]) -> FileResult<Output> {
        self.disk.run(command)
    }

    fn exists(&self, path: &Path) -> bool {
        self.watch(path)
    }
}
