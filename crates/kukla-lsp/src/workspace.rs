//! The repositories of folders and files.

use std::path::{Path, PathBuf};

use kukla::world::World;
use kukla_check::repository::Shape;

/// The repository that a folder or file belongs to: a control repository, a module, a directory of modules; else the directory itself.
pub fn repository_of(world: &dyn World, path: &Path, folders: &[PathBuf]) -> (PathBuf, Shape) {
    let directory = if is_text(path) { path.parent().unwrap_or(path) } else { path };
    if let Some(found) = kukla_check::root_of(world, directory) {
        return found;
    }
    let folder = folders.iter().filter(|folder| path.starts_with(folder));
    let folder = folder.max_by_key(|folder| folder.components().count());
    (folder.cloned().unwrap_or_else(|| directory.to_owned()), Shape::Loose)
}

/// Whether a path is that of a file which this server knows, by its name.
pub fn is_text(path: &Path) -> bool {
    Language::of(path, "").is_some()
}

/// The language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// A manifest.
    Manifest,
    /// An EPP template.
    Epp,
    /// An ERB template.
    Erb,
    /// Data in YAML, or a hierarchy.
    Yaml,
    /// Data in JSON.
    Json,
}

impl Language {
    /// The language of a file by its name, or by what the editor calls it.
    pub fn of(path: &Path, name: &str) -> Option<Language> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        Some(match (extension, name) {
            ("pp", _) => Language::Manifest,
            ("epp", _) => Language::Epp,
            ("erb", _) => Language::Erb,
            ("yaml" | "yml" | "eyaml", _) => Language::Yaml,
            ("json", _) => Language::Json,
            (_, "puppet") => Language::Manifest,
            (_, "epp" | "eppuppet" | "puppet-epp") => Language::Epp,
            (_, "erb") => Language::Erb,
            (_, "yaml") => Language::Yaml,
            (_, "json") => Language::Json,
            _ => return None,
        })
    }

    /// Whether it is Puppet code, alone or in a template.
    pub fn is_puppet(self) -> bool {
        matches!(self, Language::Manifest | Language::Epp)
    }
}
