//! The keys of data files, and which of them lookups have used.

use std::path::{Path, PathBuf};

use kukla::Value;
use kukla::formats::{json, yaml};

use super::Collector;
use super::report::own_roots;
use crate::project::Project;

/// A key of a data file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DataKey {
    /// The file, relative to the project.
    pub file: String,
    /// The key.
    pub key: String,
    /// Whether a catalog was compiled with the file in its hierarchy that looked the key up.
    pub is_used: bool,
}

/// Keys that configure lookups.
const OPTIONS: [&str; 1] = ["lookup_options"];

/// The deepest directory to search.
const DEEPEST: usize = 12;

/// The keys of all data files of a project.
pub(super) fn keys(project: &Project, collector: &Collector) -> Vec<DataKey> {
    let mut files = Vec::new();
    for root in own_roots(project) {
        for directory in ["data", "hieradata"] {
            search(project, &root.join(directory), 0, &mut files);
        }
    }
    let mut keys = Vec::new();
    for path in files {
        let Some(Value::Hash(data)) = read(project, &path) else { continue };
        let file = path.strip_prefix(&project.root).unwrap_or(&path).display().to_string();
        for key in data.keys().filter_map(Value::as_str).filter(|key| !OPTIONS.contains(key)) {
            let is_used = collector.is_used(&path, key);
            keys.push(DataKey { file: file.clone(), key: key.to_owned(), is_used });
        }
    }
    keys
}

fn read(project: &Project, path: &Path) -> Option<Value> {
    let bytes = project.world.read(path).ok()?;
    if path.extension().is_some_and(|extension| extension == "json") {
        return Some(json::read(std::str::from_utf8(&bytes).ok()?).ok()?.value);
    }
    Some(yaml::read(&bytes, yaml::Options::HIERA).ok()?.value)
}

fn search(project: &Project, directory: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    if depth > DEEPEST {
        return;
    }
    for entry in project.world.list(directory) {
        let path = directory.join(&entry.name);
        if entry.is_directory && !entry.is_link {
            search(project, &path, depth + 1, files);
        } else if [".yaml", ".yml", ".json", ".eyaml"].iter().any(|ending| entry.name.ends_with(ending)) {
            files.push(path);
        }
    }
}
