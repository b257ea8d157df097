//! What data files say, part by part, so that a change of one key is no change to those who asked for others.

use std::collections::BTreeMap;

use kukla_values::Str;
use kukla_world::World;
use kukla_world::record::Digest;

use crate::cache::{DataFile, DataFormat};

/// What a data file says, part by part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileParts {
    /// How it is written.
    pub format: DataFormat,
    /// The module that has it as its own data, where other keys than its own are no good.
    pub module: Option<Str>,
    /// What it says under each key.
    pub keys: BTreeMap<Str, Digest>,
    /// What matters besides, whatever one asks for.
    pub rest: Digest,
}

/// What is different in a data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Something that matters to everyone who reads it.
    Everything,
    /// What it says under some keys.
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

    /// What is different in the file as it is now.
    pub fn difference(&self, now: &FileParts) -> Difference {
        if now.rest != self.rest {
            return Difference::Everything;
        }
        let changed = self.keys.iter().filter(|(key, digest)| now.keys.get(*key) != Some(digest));
        let added = now.keys.keys().filter(|key| !self.keys.contains_key(*key));
        Difference::Keys(changed.map(|(key, _)| key).chain(added).cloned().collect())
    }
}
