//! The contents of data files key by key, so that a change of one key does not affect catalogs that use others.

use std::collections::BTreeMap;

use kukla_values::Str;
use kukla_world::World;
use kukla_world::record::Digest;

use crate::cache::{DataFile, DataFormat};

/// The contents of a data file, key by key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileParts {
    /// How it is written.
    pub format: DataFormat,
    /// The module whose own data it is, which may have no other keys than the module's.
    pub module: Option<Str>,
    /// The digest of the value of each key.
    pub keys: BTreeMap<Str, Digest>,
    /// The digest of everything that matters for every key.
    pub rest: Digest,
}

/// The difference between two versions of a data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Something that matters to everyone who reads it.
    Everything,
    /// The values of some keys.
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

    /// The difference to the current version of the file.
    pub fn difference(&self, now: &FileParts) -> Difference {
        if now.rest != self.rest {
            return Difference::Everything;
        }
        let changed = self.keys.iter().filter(|(key, digest)| now.keys.get(*key) != Some(digest));
        let added = now.keys.keys().filter(|key| !self.keys.contains_key(*key));
        Difference::Keys(changed.map(|(key, _)| key).chain(added).cloned().collect())
    }
}
