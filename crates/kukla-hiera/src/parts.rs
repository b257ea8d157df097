//! The content of data files, key by key, so that a changed key affects only lookups of that key.

use std::collections::BTreeMap;

use kukla_values::Str;
use kukla_world::World;
use kukla_world::record::Digest;

use crate::cache::{DataFile, DataFormat};

/// The content of a data file, key by key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileParts {
    /// How it is written.
    pub format: DataFormat,
    /// The module whose data it is; other keys than the module's own are invalid in it.
    pub module: Option<Str>,
    /// The digest of each key's value.
    pub keys: BTreeMap<Str, Digest>,
    /// Content that matters for every lookup.
    pub rest: Digest,
}

/// The difference between two versions of a data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Something that matters to everyone who reads it.
    Everything,
    /// The changed keys.
    Keys(Vec<Str>),
}

impl FileParts {
    /// The same file as it is now; `None` if nothing can be found in it.
    pub fn read_again(&self, world: &dyn World, path: &Str) -> Option<FileParts> {
        let file = DataFile::read(world, path, self.format).ok()?;
        if let Some(module) = &self.module {
            file.foreign_keys(module);
        }
        Some(file.parts())
    }

    /// The differences of the file from its current content.
    pub fn difference(&self, now: &FileParts) -> Difference {
        if now.rest != self.rest {
            return Difference::Everything;
        }
        let changed = self.keys.iter().filter(|(key, digest)| now.keys.get(*key) != Some(digest));
        let added = now.keys.keys().filter(|key| !self.keys.contains_key(*key));
        Difference::Keys(changed.map(|(key, _)| key).chain(added).cloned().collect())
    }
}
