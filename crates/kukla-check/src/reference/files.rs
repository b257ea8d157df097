//! The files that a reference is made of.

use std::path::Path;

use kukla::world::{World, glob, is_directory};

/// The files of a module that have entries.
pub const DEFAULT_PATTERNS: &[&str] = &[
    "manifests/**/*.pp",
    "functions/**/*.pp",
    "types/**/*.pp",
    "lib/**/*.rb",
    "tasks/*.json",
    "plans/**/*.pp",
];

/// The files in a directory that patterns match, each once, in the order of the patterns; the shorter names of a pattern come first.
pub fn files<'p>(
    world: &dyn World,
    directory: &Path,
    patterns: impl IntoIterator<Item = &'p str>,
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for pattern in patterns {
        let whole = directory.join(pattern);
        let whole = whole.to_string_lossy();
        let inside = |path: String| match Path::new(&path).strip_prefix(directory) {
            Ok(inside) => inside.to_string_lossy().into_owned(),
            Err(_) => path,
        };
        let mut matches: Vec<String> = if pattern.contains('*') {
            glob::files(world, &whole).into_iter().map(inside).collect()
        } else if is_directory(world, Path::new(&*whole)) {
            glob::files(world, &format!("{whole}/**/*.rb")).into_iter().map(inside).collect()
        } else {
            vec![pattern.to_owned()]
        };
        matches.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        found.extend(matches);
    }
    let mut seen = rustc_hash::FxHashSet::default();
    found.retain(|file| seen.insert(file.clone()));
    found
}
