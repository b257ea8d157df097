//! Data: hierarchies, data files, and the parameters that they bind.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use kukla::world::World;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::finding::Finding;
use crate::repository::index::unordered;
use crate::repository::{Definition, Shape, Survey};

pub mod file;
pub mod hierarchy;

pub use file::DataFile;
pub use hierarchy::Hierarchy;

/// The keys that data binds.
#[derive(Debug, Default)]
pub struct Bindings {
    /// The keys of all data files.
    pub keys: FxHashSet<String>,
    /// Whether these are all keys: no level has data from anywhere but files.
    pub is_whole: bool,
    /// Whether the hierarchy of the environment has data elsewhere, or files that cannot be read.
    is_partial: bool,
    /// Modules whose own data is not all in files.
    open_modules: FxHashSet<String>,
    /// Computed when first asked for.
    fingerprint: OnceLock<u64>,
}

impl Bindings {
    /// A number that changes whenever a key is added or removed.
    pub fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| unordered(&self.keys))
    }

    /// Whether all data that may bind a key is known.
    pub fn is_whole_for(&self, key: &str) -> bool {
        let module = key.split("::").next().unwrap_or_default();
        self.is_whole && !(key.contains("::") && self.open_modules.contains(module))
    }

    /// Whether a file binds a key, or the value that a key with dots goes into.
    pub fn binds(&self, key: &str) -> bool {
        let root = key.split('.').next().unwrap_or(key).trim_matches(['\'', '"']);
        self.keys.contains(key) || self.keys.contains(root)
    }

    /// Whether data binds a parameter of a class, or data that is not here may bind it.
    pub fn may_bind(&self, class: &Definition, parameter: &str) -> bool {
        let module = class.name.split("::").next().unwrap_or_default();
        self.is_partial
            || self.open_modules.contains(module)
            || self.keys.contains(&format!("{}::{parameter}", class.name))
    }

    /// Whether certainly no data binds a parameter of a class.
    pub fn lacks(&self, class: &Definition, parameter: &str) -> bool {
        let module = class.name.split("::").next().unwrap_or_default();
        self.is_whole
            && !self.open_modules.contains(module)
            && !self.keys.contains(&format!("{}::{parameter}", class.name))
    }
}

/// The data of a repository.
#[derive(Debug, Default)]
pub struct Data {
    /// The hierarchies, that of the environment first.
    pub hierarchies: Vec<Hierarchy>,
    /// The data files, each once.
    pub files: Vec<Arc<DataFile>>,
    /// The findings in hierarchies and files that need no other file.
    pub findings: Vec<Finding>,
}

impl Data {
    /// Reads all data of a repository; files that have not changed are taken from `known`.
    /// `extra` are further data files, whether or not a hierarchy finds them.
    pub fn read(
        world: &dyn World,
        survey: &Survey,
        extra: &[&PathBuf],
        known: &FxHashMap<String, Arc<DataFile>>,
    ) -> Data {
        let mut data = Data::default();
        let environment = (survey.shape == Shape::Control).then(|| (survey.root.clone(), None));
        let modules = survey.modules.iter().filter(|module| module.has_data);
        let modules = modules.map(|module| (module.root.clone(), Some(module.name.clone())));
        for (root, module) in environment.into_iter().chain(modules) {
            let (hierarchy, findings) = Hierarchy::read(world, &root, module);
            data.hierarchies.extend(hierarchy);
            data.findings.extend(findings);
        }
        let mut seen = FxHashSet::default();
        for hierarchy in &data.hierarchies {
            for path in &hierarchy.files {
                if seen.insert(path.clone()) {
                    data.files.extend(DataFile::read(world, path, hierarchy.module.as_deref(), known));
                }
            }
        }
        for path in extra.iter().map(|path| path.to_string_lossy().into_owned()) {
            if !path.ends_with("hiera.yaml") && seen.insert(path.clone()) {
                data.files.extend(DataFile::read(world, &path, None, known));
            }
        }
        let broken = data.files.iter().filter_map(|file| file.problem.clone());
        data.findings.extend(broken);
        data
    }

    /// The keys that the data binds.
    pub fn bindings(&self, survey: &Survey) -> Bindings {
        let keys = self.files.iter().flat_map(|file| file.entries.iter().map(|entry| entry.key.to_string()));
        let own = self.hierarchies.iter().find(|hierarchy| hierarchy.module.is_none());
        let is_readable = self.files.iter().all(|file| file.problem.is_none());
        let open = self.hierarchies.iter().filter(|hierarchy| hierarchy.is_open);
        Bindings {
            keys: keys.collect(),
            is_whole: survey.shape == Shape::Control && own.is_some_and(|own| !own.is_open) && is_readable,
            is_partial: own.is_some_and(|own| own.is_open) || !is_readable,
            open_modules: open.filter_map(|hierarchy| hierarchy.module.clone()).collect(),
            fingerprint: OnceLock::new(),
        }
    }
}
