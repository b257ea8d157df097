//! Watches the files of folders, for clients that do not report changes.

use std::path::PathBuf;

use notify::{EventKind, RecursiveMode, Watcher};

/// Calls `changed` with the paths of files that change, are added or removed, until the watcher is dropped.
pub fn watch(
    folders: &[PathBuf],
    changed: impl Fn(Vec<PathBuf>) + Send + 'static,
) -> notify::Result<notify::RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if let Ok(event) = event
            && !matches!(event.kind, EventKind::Access(_))
        {
            // Git writes much that is not part of the repository's code.
            let is_code = |path: &PathBuf| !path.components().any(|part| part.as_os_str() == ".git");
            let paths: Vec<PathBuf> = event.paths.into_iter().filter(is_code).collect();
            if !paths.is_empty() {
                changed(paths);
            }
        }
    })?;
    for folder in folders {
        watcher.watch(folder, RecursiveMode::Recursive)?;
    }
    Ok(watcher)
}
