//! The world as it is: the disk, the clock, the process environment.

#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use kukla_eval::world::{Entry, FileError, FileResult, Output, World};
use kukla_values::time::Timestamp;
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

/// The world as it is.
#[derive(Clone, Debug, Default)]
pub struct DiskWorld {
    /// Which commands may run.
    pub commands: Commands,
}

impl World for DiskWorld {
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        std::fs::read(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => FileError::NotFound,
            _ => FileError::Other(error.to_string()),
        })
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
                Some(Entry { name, is_directory })
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
        let output = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| FileError::Other(format!("{program}: {error}")))?;
        Ok(Output { code: output.status.code(), stdout: output.stdout, stderr: output.stderr })
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }
}

/// The disk, remembering what was asked of it, so that it can tell whether the answers would still be the same.
#[derive(Debug)]
pub struct Watched {
    disk: DiskWorld,
    seen: Mutex<FxHashMap<PathBuf, Option<Stamp>>>,
}

/// What changes when a file or directory does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
}

impl Watched {
    /// Watches what is asked of the disk from now on.
    pub fn new(disk: DiskWorld) -> Watched {
        Watched { disk, seen: Mutex::default() }
    }

    /// Whether everything that was asked for is as it was.
    pub fn is_current(&self) -> bool {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter().all(|(path, known)| stamp(path) == *known)
    }

    fn watch(&self, path: &Path) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.contains_key(path) {
            seen.insert(path.to_owned(), stamp(path));
        }
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let found = std::fs::metadata(path).ok()?;
    Some(Stamp { modified: found.modified().ok(), length: found.len() })
}

impl World for Watched {
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        self.watch(path);
        self.disk.read(path)
    }

    fn list(&self, path: &Path) -> Vec<Entry> {
        self.watch(path);
        self.disk.list(path)
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
        self.watch(path);
        self.disk.exists(path)
    }
}
