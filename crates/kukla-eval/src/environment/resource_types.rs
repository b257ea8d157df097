//! Resource types that agents can apply: Puppet's own, those of modules, and generated ones.

use std::path::PathBuf;
use std::sync::{Arc, RwLock};

use kukla_catalog::types::{self, NativeType};
use kukla_values::Name;
use rustc_hash::FxHashMap;

use super::{Environment, read, write};

/// The resource types that were searched for so far.
#[derive(Debug, Default)]
pub(super) struct ResourceTypes {
    by_name: RwLock<FxHashMap<Box<str>, Option<Arc<NativeType>>>>,
}

impl Environment {
    /// The resource type of that name (lower case) that agents know how to apply: Puppet's own, a module's, or one that agent
    /// packages carry. Defined types are found with [`Environment::define`].
    pub fn resource_type(&self, lower: &str) -> Option<Arc<NativeType>> {
        if let Some(found) = read(&self.resource_types.by_name).get(lower) {
            return found.clone();
        }
        // All native types live in one namespace.
        let found = if lower.contains(':') {
            None
        } else if let Some(generated) = self.generated_type(lower) {
            Some(generated)
        } else if let Some(core) = types::core(lower) {
            Some(core.clone())
        } else {
            let foreign = self.extensions.as_ref().and_then(|brought| brought.resource_type(self, lower));
            foreign.or_else(|| types::bundled(lower).cloned())
        };
        let found = found.map(Arc::new);
        // A missing type is cached only if a text names it: computed names have no limit.
        if found.is_none() && Name::existing(lower).is_none() {
            return None;
        }
        write(&self.resource_types.by_name).entry(lower.into()).or_insert(found).clone()
    }

    /// Reads the resource type of that name (lower case) ahead of its use, if a module has it and no code has to run for that.
    pub(crate) fn read_type(&self, lower: &str) {
        let is_elsewhere = || types::core(lower).is_some() || self.generated_type_file(lower).is_some();
        if lower.contains(':') || read(&self.resource_types.by_name).contains_key(lower) || is_elsewhere() {
            return;
        }
        let found = self.extensions.as_ref().and_then(|brought| brought.readable_type(self, lower));
        if let Some(found) = found {
            write(&self.resource_types.by_name).entry(lower.into()).or_insert(Some(Arc::new(found)));
        }
    }

    /// The file that `puppet generate types` has written for the type of that name in this environment.
    fn generated_type_file(&self, lower: &str) -> Option<PathBuf> {
        let directory = self.root.as_ref()?.join(".resource_types");
        let path = directory.join(lower).with_extension("pp");
        self.reading(|world| world.exists(&path)).then_some(path)
    }

    fn generated_type(&self, lower: &str) -> Option<NativeType> {
        let path = self.generated_type_file(lower)?;
        let unit = self.load(&path).ok()?;
        self.depend_on(&unit.remarks.inputs());
        crate::catalog::generated::read(&unit.program)
    }
}
