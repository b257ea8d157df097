//! Finding and reading manifests and templates.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kukla::syntax::{Diagnostic, Problem, Source};

/// The directory that relative paths start from.
pub fn current_directory() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

/// All manifests and templates among and below some paths, each once, in order. A file named itself counts whatever its extension. Links
/// that lead out of a directory are not followed.
pub fn find_code(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    let mut found = Vec::new();
    for path in paths {
        let about = std::fs::metadata(path).map_err(|error| Problem::io("read", path, &error))?;
        if about.is_dir() {
            let root = path.canonicalize().map_err(|error| Problem::io("read", path, &error))?;
            walk(&root, path, &mut found, &mut BTreeSet::new())?;
        } else {
            found.push(path.clone());
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn walk(
    root: &Path,
    directory: &Path,
    found: &mut Vec<PathBuf>,
    seen: &mut BTreeSet<PathBuf>,
) -> Result<(), Problem> {
    let problem = |error: std::io::Error| Problem::io("read", directory, &error);
    let real = directory.canonicalize().map_err(problem)?;
    // Links may lead back up.
    if !real.starts_with(root) || !seen.insert(real) {
        return Ok(());
    }
    for entry in std::fs::read_dir(directory).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        if path.is_dir() {
            walk(root, &path, found, seen)?;
        } else if path.extension().is_some_and(|e| e == "pp" || e == "epp") {
            found.push(path);
        }
    }
    Ok(())
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

/// The bytes of a file.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Problem> {
    std::fs::read(path).map_err(|error| Problem::io("read", path, &error))
}

/// The text of a file.
pub fn read_text(path: &Path) -> Result<String, Problem> {
    std::fs::read_to_string(path).map_err(|error| Problem::io("read", path, &error))
}

/// All of standard input.
pub fn read_stdin() -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    match std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Problem::from_io("cannot read standard input", &error)),
    }
}
