//! The values that data gives to parameters.

use std::path::Path;

use kukla::values::Value;
use kukla::values::types::write;
use rustc_hash::FxHashMap;

use crate::data::Data;
use crate::data::hierarchy::finds;

/// A value in a data file.
pub struct Binding {
    /// The value in Puppet's notation.
    pub value: String,
    /// The path of the hierarchy's level, as written.
    pub level: String,
    /// The data file, relative to the repository.
    pub file: String,
    /// Its line.
    pub line: u32,
}

/// The values of all keys.
pub struct Bindings(FxHashMap<String, Vec<Binding>>);

impl Bindings {
    /// Collects the values of the data of a repository, the highest level first.
    pub fn new(data: &Data, root: &Path) -> Bindings {
        let mut found: FxHashMap<String, Vec<(usize, Binding)>> = FxHashMap::default();
        for file in &data.files {
            let path = Path::new(&file.path);
            let hierarchies = data.hierarchies.iter().filter(|hierarchy| hierarchy.module == file.module);
            let levels = hierarchies.flat_map(|hierarchy| hierarchy.paths.iter().enumerate());
            let level = levels
                .filter_map(|(at, (directory, pattern))| {
                    let inside = path.strip_prefix(directory).ok()?.to_string_lossy().into_owned();
                    finds(pattern, &inside).then(|| (at, pattern.clone()))
                })
                .next();
            let Some((at, level)) = level else { continue };
            // The data of modules comes after that of the environment.
            let rank = at + if file.module.is_some() { 1_000_000 } else { 0 };
            for entry in &file.entries {
                let binding = Binding {
                    value: shown(&entry.value),
                    level: level.clone(),
                    file: path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned(),
                    line: file.source.lines().line(entry.span.start),
                };
                found.entry(entry.key.to_string()).or_default().push((rank, binding));
            }
        }
        let sorted = found.into_iter().map(|(key, mut all)| {
            all.sort_by(|(a, one), (b, other)| (a, &one.file).cmp(&(b, &other.file)));
            (key, all.into_iter().map(|(_, binding)| binding).collect())
        });
        Bindings(sorted.collect())
    }

    /// The values of a parameter of a class.
    pub fn of(&self, class: &str, parameter: &str) -> &[Binding] {
        self.0.get(&format!("{class}::{parameter}")).map_or(&[], Vec::as_slice)
    }
}

/// A value in Puppet's notation, without what is encrypted.
fn shown(value: &Value) -> String {
    const LONGEST: usize = 400;
    let text = write::literal(value);
    if text.contains("ENC[") {
        return "(encrypted)".into();
    }
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}
