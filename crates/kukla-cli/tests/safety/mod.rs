//! Guarantees for code, data and facts that nobody has reviewed: no secret leaks, no file is lost, no failure goes unreported.

#![allow(clippy::disallowed_methods)] // a test reads the disk

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

mod exits;
mod files;
mod git;
mod hostile;
mod names;
mod reach;
mod secrets;
mod serving;
mod silence;
mod writing;

/// A directory of its own for a test, gone at the end.
struct Scratch {
    root: PathBuf,
}

impl Scratch {
    fn new(name: &str) -> Scratch {
        let root = std::env::temp_dir().join(format!("kukla-safety-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&root).unwrap();
        Scratch { root }
    }

    fn with(self, path: &str, text: &str) -> Scratch {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    fn link(self, path: &str, target: &str) -> Scratch {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
        self
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kukla"));
        command.args(arguments).current_dir(&self.root).stdin(Stdio::null());
        command.env("XDG_CACHE_HOME", self.root.join("caches"));
        command
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.command(arguments).output().unwrap().into()
    }

    /// The names of the files in a directory.
    fn names(&self, directory: &str) -> Vec<String> {
        names(&self.root.join(directory))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The exit code and output of a command.
#[derive(Debug)]
struct CommandOutput {
    code: Option<i32>,
    out: String,
    err: String,
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> CommandOutput {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        CommandOutput { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}
