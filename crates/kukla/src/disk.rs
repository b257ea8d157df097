//! The world as it is: the disk, the clock, the process environment.

#![allow(clippy::disallowed_methods)]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use kukla_values::time::Timestamp;
use kukla_world::{CommandOutput, DirectoryEntry, FileError, FileResult, Stamp, World};

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
        read(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => FileError::NotFound,
            _ => FileError::Other(error.to_string()),
        })
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        let Ok(directory) = std::fs::read_dir(path) else { return Vec::new() };
        let mut entries: Vec<DirectoryEntry> = directory
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let kind = entry.file_type().ok()?;
                // A link counts as what it leads to; only links cost a further question.
                let is_directory = if kind.is_symlink() { entry.path().is_dir() } else { kind.is_dir() };
                Some(DirectoryEntry { name, is_directory, is_link: kind.is_symlink() })
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
        Timestamp::from_clock(nanoseconds)
    }

    fn env(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn run(&self, command: &[String]) -> FileResult<CommandOutput> {
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
        Ok(CommandOutput { code: output.status.code(), stdout: output.stdout, stderr: output.stderr })
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        let found = std::fs::metadata(path).ok()?;
        let since = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let version = since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX));
        Some(Stamp { version, length: found.len() })
    }

    fn here(&self) -> PathBuf {
        std::env::current_dir().unwrap_or_default()
    }
}

/// Reads a file whose length is asked for once.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = std::fs::File::open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    match length {
        // What has no length, such as a pipe, says itself where it ends.
        0 => file.read_to_end(&mut bytes)?,
        length => file.take(length).read_to_end(&mut bytes)?,
    };
    Ok(bytes)
}
