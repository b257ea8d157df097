//! The record of installed modules.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use kukla_syntax::Problem;
use serde_json::{Value as Json, json};

use crate::digest::Digest;

/// The directory beside a Puppetfile with the record and with what is unfinished.
pub const STATE_DIRECTORY: &str = ".kukla";

/// The installed modules, by their directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstallRecord {
    modules: BTreeMap<PathBuf, Installed>,
}

/// An installed module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The digest of its files.
    pub content: Digest,
    /// Whether its directory `spec` is installed, too.
    pub keep_spec: bool,
    /// The identity of its directory, which another one in its place does not have.
    pub stamp: String,
}

impl InstallRecord {
    /// The record of a directory; empty if there is none, or if it is damaged: then everything is compared.
    pub fn read(base: &Path) -> InstallRecord {
        let text = fs::read(path(base)).unwrap_or_default();
        let json: Json = serde_json::from_slice(&text).unwrap_or_default();
        let rows = json["modules"].as_object().into_iter().flatten();
        let modules = rows.filter_map(|(path, row)| {
            let content = Digest::parse(row["content"].as_str()?).ok()?;
            let keep_spec = row["spec"].as_bool().unwrap_or_default();
            let stamp = row["stamp"].as_str()?.to_owned();
            Some((PathBuf::from(path), Installed { content, keep_spec, stamp }))
        });
        InstallRecord { modules: modules.collect() }
    }

    /// The module of a directory, relative to the base.
    pub fn get(&self, path: &Path) -> Option<&Installed> {
        self.modules.get(path)
    }

    /// All of them.
    pub fn entries(&self) -> impl Iterator<Item = (&Path, &Installed)> {
        self.modules.iter().map(|(path, module)| (path.as_path(), module))
    }

    pub(super) fn insert(&mut self, path: &Path, content: &Digest, keep_spec: bool, directory: &Path) {
        let stamp = stamp(directory).unwrap_or_default();
        self.modules.insert(path.to_owned(), Installed { content: content.clone(), keep_spec, stamp });
    }

    pub(super) fn remove(&mut self, path: &Path) {
        self.modules.remove(path);
    }

    pub(super) fn write(&self, base: &Path) -> Result<(), Problem> {
        let rows = self.modules.iter().map(|(path, module)| {
            let Installed { content, keep_spec, stamp } = module;
            let row = json!({"content": content.to_string(), "spec": keep_spec, "stamp": stamp});
            (path.display().to_string(), row)
        });
        let json = json!({"modules": rows.collect::<serde_json::Map<String, Json>>()});
        let path = path(base);
        let unfinished = path.with_extension("json.new");
        fs::write(&unfinished, format!("{json:#}\n"))
            .and_then(|()| fs::rename(&unfinished, &path))
            .map_err(|error| Problem::io("write", &path, &error))
    }
}

fn path(base: &Path) -> PathBuf {
    base.join(STATE_DIRECTORY).join("installed.json")
}

/// The identity of a directory: a new one, or one with other entries, has another. Moving it and what is around it changes nothing.
pub(super) fn stamp(directory: &Path) -> Option<String> {
    let about = fs::symlink_metadata(directory).ok().filter(fs::Metadata::is_dir)?;
    Some(format!("{}:{}.{:09}", about.ino(), about.mtime(), about.mtime_nsec()))
}
