//! Resource types that modules write in Ruby, found in their `lib` directories.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kukla_catalog::types::NativeType;
use kukla_eval::Environment;
use kukla_ruby::outline::Outline;
use kukla_world::World;
use rustc_hash::FxHashMap;

use crate::programs::RubyPrograms;
use crate::resource_type::{self, TypeLibrary};

/// The Ruby types of one environment. Directories are listed once, files read when their type is first used.
#[derive(Debug, Default)]
pub struct RubyTypes {
    index: OnceLock<Index>,
    /// The files that types have required, by their paths below `lib`: many types of a module require the same.
    required: Required,
}

/// Outlines of required files; `None` for a file that no module has.
type Required = Mutex<FxHashMap<String, Option<Arc<Outline>>>>;

#[derive(Debug, Default)]
struct Index {
    /// The file of each type; the first module on the path wins.
    types: FxHashMap<String, PathBuf>,
    /// The directories in which modules have providers for a type, if there are any in them.
    providers: FxHashMap<String, Vec<PathBuf>>,
}

impl RubyTypes {
    fn index(&self, environment: &Environment) -> &Index {
        self.index.get_or_init(|| environment.reading(|world| Index::read(world, environment)))
    }
}

impl Index {
    fn read(world: &dyn World, environment: &Environment) -> Index {
        let mut index = Index::default();
        for library in environment.libraries() {
            let lib = library.join("puppet");
            for entry in world.list(&lib.join("type")) {
                if let Some(name) = entry.name.strip_suffix(".rb") {
                    index.types.entry(name.into()).or_insert_with(|| lib.join("type").join(&entry.name));
                }
            }
            let providers = lib.join("provider");
            for entry in world.list(&providers).into_iter().filter(|entry| entry.is_directory) {
                let directory = providers.join(&entry.name);
                index.providers.entry(entry.name).or_default().push(directory);
            }
        }
        index
    }
}

impl RubyTypes {
    /// The type of that name, if some module has one.
    pub fn resource_type(&self, environment: &Environment, name: &str) -> Option<NativeType> {
        let index = self.index(environment);
        let file = index.types.get(name)?;
        let source = environment.reading(|world| outline(world, file))?;
        resource_type::read(name, &source, &Modules { environment, index, required: &self.required })
    }

    /// Whether the file of a type can be run at all, which is found out before an interpreter is made for it.
    pub fn is_ruby(&self, environment: &Environment, programs: &RubyPrograms, name: &str) -> bool {
        self.index(environment).types.get(name).is_some_and(|file| {
            let bytes = environment.reading(|world| world.read(file));
            bytes.is_ok_and(|bytes| programs.code(file, &bytes).is_ok())
        })
    }
}

/// The `lib` directories of an environment's modules.
struct Modules<'e> {
    environment: &'e Environment,
    index: &'e Index,
    required: &'e Required,
}

impl TypeLibrary for Modules<'_> {
    fn outline(&self, path: &str) -> Option<Arc<Outline>> {
        let required = || self.required.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = required().get(path) {
            return known.clone();
        }
        let mut files = self.environment.modules().iter().map(|module| module.root.join("lib").join(path));
        let found = self.environment.reading(|world| {
            files.find_map(|file| world.exists(&file).then(|| outline(world, &file)).flatten())
        });
        let found = found.map(Arc::new);
        required().insert(path.into(), found.clone());
        found
    }

    fn has_providers(&self, type_name: &str) -> bool {
        let directories = self.index.providers.get(type_name).into_iter().flatten();
        let has_code = |directory: &PathBuf| {
            let files = self.environment.reading(|world| world.list(directory));
            files.iter().any(|file| file.name.ends_with(".rb"))
        };
        directories.into_iter().any(has_code)
    }
}

fn outline(world: &dyn World, path: &Path) -> Option<Outline> {
    let bytes = world.read(path).ok()?;
    Some(Outline::new(&String::from_utf8_lossy(&bytes)))
}
