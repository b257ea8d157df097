//! Finding and reading manifests and templates.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use kukla::DiskWorld;
use kukla::syntax::{Diagnostic, Problem, ProblemKind, Source};
use kukla::world::LARGEST_FILE;

/// The directory that relative paths start from.
pub fn current_directory() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

/// The files with code at or below a path.
#[derive(Debug, Default)]
pub struct CodeFiles {
    /// Manifests and templates, each once, in order.
    pub code: Vec<PathBuf>,
    /// Pipes, sockets and devices, which are not read.
    pub special: Vec<PathBuf>,
}

/// All manifests and templates at or below a path. A file named itself counts whatever its extension. Links that
/// lead out of the directory are not followed.
pub fn find_code(path: &Path) -> Result<CodeFiles, Problem> {
    find_with_extensions(path, &["pp", "epp"])
}

/// All files at or below a path whose names have one of these extensions, as [`find_code`] finds code.
pub fn find_with_extensions(path: &Path, extensions: &[&str]) -> Result<CodeFiles, Problem> {
    let about = std::fs::metadata(path).map_err(|error| Problem::io("read", path, &error))?;
    let mut found = CodeFiles::default();
    if !about.is_dir() {
        found.code.push(path.to_owned());
        return Ok(found);
    }
    let root = path.canonicalize().map_err(|error| Problem::io("read", path, &error))?;
    let mut seen = BTreeSet::new();
    let mut open = vec![path.to_owned()];
    while let Some(directory) = open.pop() {
        let problem = |error: std::io::Error| Problem::io("read", &directory, &error);
        let real = directory.canonicalize().map_err(problem)?;
        // Links may lead back up.
        if !real.starts_with(&root) || !seen.insert(real) {
            continue;
        }
        for entry in std::fs::read_dir(&directory).map_err(problem)? {
            let path = entry.map_err(problem)?.path();
            let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
            if hidden {
                continue;
            }
            let is_code =
                path.extension().is_some_and(|own| extensions.iter().any(|extension| own == *extension));
            match path.metadata().ok() {
                Some(about) if about.is_dir() => open.push(path),
                Some(about) if !about.is_file() => found.special.push(path),
                _ if is_code => found.code.push(path),
                _ => {}
            }
        }
    }
    found.code.sort();
    Ok(found)
}

/// An absolute path, whether or not there is something at it.
#[cfg(feature = "serve")]
pub fn absolute(path: &Path) -> Result<PathBuf, Problem> {
    std::path::absolute(path).map_err(|error| Problem::io("resolve", path, &error))
}

/// Reads a file, or standard input if it is called `-`. Text that is not UTF-8 is a finding, not a failure.
pub fn read(path: &Path) -> Result<(Source, Option<Diagnostic>), Problem> {
    let name = path.to_string_lossy();
    let bytes = if name == "-" { read_stdin()? } else { read_bytes(path)? };
    Ok(kukla::analysis::source(&name, bytes))
}

/// The disk as the command line sees it: users may name pipes.
pub fn named_files() -> DiskWorld {
    DiskWorld { reads_pipes: true, ..DiskWorld::default() }
}

/// The bytes of a file that a user names.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Problem> {
    named_files().read_file(path).1.map_err(|error| Problem::io("read", path, &error))
}

/// The text of a file that a user names.
pub fn read_text(path: &Path) -> Result<String, Problem> {
    text(path, read_bytes(path)?)
}

/// The text of a file that a repository contains, which is not a pipe.
pub fn read_repository_text(path: &Path) -> Result<String, Problem> {
    text(path, read_repository_bytes(path)?)
}

/// The bytes of a file that a directory contains, which is not a pipe.
pub fn read_repository_bytes(path: &Path) -> Result<Vec<u8>, Problem> {
    DiskWorld::default().read_file(path).1.map_err(|error| Problem::io("read", path, &error))
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Problem> {
    String::from_utf8(bytes)
        .map_err(|_| Problem::invalid("cannot read").on(path.display()).because("it is not valid UTF-8"))
}

/// All of standard input.
pub fn read_stdin() -> Result<Vec<u8>, Problem> {
    let problem = |error: &std::io::Error| Problem::from_io("cannot read standard input", error);
    let mut bytes = Vec::new();
    let mut input = std::io::stdin().lock().take(LARGEST_FILE + 1);
    input.read_to_end(&mut bytes).map_err(|error| problem(&error))?;
    match bytes.len() as u64 > LARGEST_FILE {
        true => Err(Problem::new(ProblemKind::LimitExceeded, "cannot read standard input")
            .because(format!("it has more than {LARGEST_FILE} bytes"))),
        false => Ok(bytes),
    }
}
