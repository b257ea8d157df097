//! Finding and reading manifests and templates.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kukla::syntax::{Diagnostic, Source};

/// The directory that relative paths start from.
pub fn here() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

/// All manifests and templates among and below some paths, each once, in order. A file given by name counts whatever its ending.
pub fn below(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for path in paths {
        let about = std::fs::metadata(path).map_err(|e| problem(path, &e))?;
        if about.is_dir() {
            walk(path, &mut found, &mut BTreeSet::new())?;
        } else {
            found.push(path.clone());
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn walk(directory: &Path, found: &mut Vec<PathBuf>, seen: &mut BTreeSet<PathBuf>) -> Result<(), String> {
    let problem = |e: std::io::Error| problem(directory, &e);
    // Links may lead back up.
    if !seen.insert(directory.canonicalize().map_err(problem)?) {
        return Ok(());
    }
    for entry in std::fs::read_dir(directory).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        if path.is_dir() {
            walk(&path, found, seen)?;
        } else if path.extension().is_some_and(|e| e == "pp" || e == "epp") {
            found.push(path);
        }
    }
    Ok(())
}

/// Why a file or directory cannot be read.
pub fn problem(path: &Path, error: &std::io::Error) -> String {
    let why = match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        std::io::ErrorKind::IsADirectory => "this is a directory".to_owned(),
        _ => error.to_string(),
    };
    format!("{}: {why}", path.display())
}

/// Directories of a module whose files define what they are named for.
const AUTOLOADED: [&str; 4] = ["functions", "manifests", "plans", "types"];

/// The directory of modules in which an autoloaded file's module lies, if its metadata.json has the module directory's name.
pub fn module_directory(file: &Path) -> Option<PathBuf> {
    let module = file.ancestors().skip(1).find(|d| d.join("metadata.json").is_file())?;
    let kind = file.strip_prefix(module).ok()?.iter().next()?.to_string_lossy().into_owned();
    if !AUTOLOADED.contains(&kind.as_str()) {
        return None;
    }
    let metadata: serde_json::Value =
        serde_json::from_slice(&std::fs::read(module.join("metadata.json")).ok()?).ok()?;
    let name = metadata["name"].as_str()?.rsplit(['-', '/']).next()?.to_owned();
    let fits = module.file_name().is_some_and(|directory| directory.to_string_lossy() == name);
    fits.then(|| module.parent().map(Path::to_owned)).flatten()
}

/// Reads a file, or standard input if it is called `-`. Text that is not UTF-8 is a finding, not a failure.
pub fn read(path: &Path) -> Result<(Source, Option<Diagnostic>), String> {
    let name = path.to_string_lossy();
    let bytes = if name == "-" {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    let bytes = bytes.map_err(|e| problem(path, &e))?;
    Ok(kukla::analysis::source(&name, bytes))
}
