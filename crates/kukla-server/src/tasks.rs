//! Tasks of modules: what there are, and which files they need.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::environments::{module, modules};
use crate::file_metadata::{FileMetadata, Options};
use crate::protected::ProtectedFiles;

/// All tasks: `{"name": "service", "environment": …}`.
pub fn all(modulepath: &[PathBuf], environment: &str) -> Value {
    let mut found = Vec::new();
    for root in modules(modulepath) {
        let Some(module) = root.file_name().and_then(|name| name.to_str()) else { continue };
        for (name, _) in of_module(&root) {
            let full = if name == "init" { module.to_owned() } else { format!("{module}::{name}") };
            found.push(json!({"name": full, "environment": {"name": environment, "code_id": null}}));
        }
    }
    found.into()
}

/// One task with its metadata and files.
pub fn one(
    modulepath: &[PathBuf],
    module_name: &str,
    task: &str,
    protected: &ProtectedFiles,
) -> Option<Value> {
    let root = module(modulepath, module_name)?;
    let (_, file) = of_module(&root).into_iter().find(|(name, _)| name == task)?;
    let metadata = protected.open(&root.join("tasks").join(format!("{task}.json"))).ok();
    let metadata: Value =
        metadata.and_then(|file| serde_json::from_reader(file).ok()).unwrap_or_else(|| json!({}));
    let about = FileMetadata::of(&file, None, &Options::new(protected)).ok()?.to_json();
    let digest = about["checksum"]["value"].as_str()?.trim_start_matches("{sha256}").to_owned();
    let filename = file.file_name()?.to_str()?;
    let size = fs::metadata(&file).ok()?.len();
    let name = if task == "init" { module_name.to_owned() } else { format!("{module_name}::{task}") };
    let uri = json!({"path": format!("/puppet/v3/file_content/tasks/{module_name}/{filename}"), "params": {"environment": null}});
    Some(json!({
        "name": name,
        "metadata": metadata,
        "files": [{"filename": filename, "sha256": digest, "size_bytes": size, "uri": uri}],
    }))
}

/// The executable of each task of a module, in order.
fn of_module(root: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(root.join("tasks")).into_iter().flatten().flatten();
    let mut found: Vec<(String, PathBuf)> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            path.is_file()
                && path
                    .extension()
                    .is_none_or(|ending| !["json", "md", "conf"].iter().any(|other| ending == *other))
        })
        .filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), path)))
        .filter(|(name, _)| name.chars().all(|c| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit()))
        .collect();
    found.sort();
    found
}
