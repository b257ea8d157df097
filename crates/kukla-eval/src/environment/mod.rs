//! Environments: everything that all compilations of one environment share.
//!
//! Files are read once, directories listed once; a text that any environment has read before is not parsed again. Definitions
//! are found by name, as Puppet's autoloader finds them: class `ntp::server` in `ntp/manifests/server.pp`, failing that in the
//! file of an enclosing name. The outcome of a search, even an empty one, is cached for as long as the environment lives.
//!
//! | file | holds |
//! | --- | --- |
//! | `modules` | the module path: modules, their files and metadata |
//! | `code` | the files of Puppet code below one directory |
//! | `load` | reading files into units, checking their signatures |
//! | `alias` | type aliases that were loaded |
//! | `definitions` | the table of definitions by name |
//! | `find` | classes, defined types and aliases: looked up, loaded as needed |
//! | `functions` | the function that a name means |
//! | `resource_types` | resource types that agents can apply |
//! | `computed` | names that a program computes |

mod alias;
mod code;
mod computed;
mod definitions;
mod find;
mod functions;
mod load;
mod metadata;
mod modules;
mod resource_types;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use kukla_catalog::Exports;
pub use kukla_syntax::validate::OwnModule;
use kukla_syntax::validate::{FileNamespace, Rules};
use kukla_values::Name;
use kukla_world::World;
use kukla_world::record::{InputSet, tracked};

pub use self::alias::LoadedAlias;
pub(crate) use self::code::CodeKind;
use self::functions::StdlibFunctions;
pub use self::load::Loaded;
use self::load::Units;
pub(crate) use self::load::{ReadText, SignatureCheck};
pub use self::modules::Module;
use self::modules::ModuleLayout;
use self::resource_types::ResourceTypes;
use crate::ahead::ReadAhead;
use crate::foreign::Extensions;
pub use crate::node::Node;
use crate::programs::Programs;
use crate::registry::Registry;
use crate::settings::Settings;
use crate::unit::Unit;

/// Everything that an environment is made from.
#[derive(Debug)]
pub struct EnvironmentSpec {
    /// Its name.
    pub name: String,
    /// Its directory, if it has one.
    pub root: Option<PathBuf>,
    /// The directories of its modules, in order.
    pub modulepath: Vec<PathBuf>,
    /// The module that is being developed, if it is not in the module path.
    pub own_module: Option<OwnModule>,
    /// Its settings.
    pub settings: Settings,
    /// Access to files and the clock.
    pub world: Arc<dyn World>,
    /// The built-in functions.
    pub registry: Arc<Registry>,
    /// The programs that it shares with other environments.
    pub programs: Arc<Programs>,
    /// The exported resources of other nodes, if they are available.
    pub exports: Option<Arc<dyn Exports>>,
    /// The interpreter of module code in other languages, if there is one.
    pub extensions: Option<Arc<dyn Extensions>>,
    /// The inputs that led to this description, on which all compilations depend.
    pub inputs: InputSet,
}

impl EnvironmentSpec {
    /// An environment without files, exports and extensions.
    pub fn new(name: &str, world: Arc<dyn World>, registry: Arc<Registry>) -> EnvironmentSpec {
        EnvironmentSpec {
            name: name.to_owned(),
            root: None,
            modulepath: Vec::new(),
            own_module: None,
            settings: Settings::default(),
            world,
            registry,
            programs: Arc::default(),
            exports: None,
            extensions: None,
            inputs: InputSet::default(),
        }
    }
}

/// Everything that all compilations of one environment share.
#[derive(Debug)]
pub struct Environment {
    /// Its name.
    pub name: Name,
    /// Its directory, if it has one.
    pub root: Option<PathBuf>,
    /// Its settings.
    pub settings: Settings,
    /// Access to files and the clock.
    pub world: Arc<dyn World>,
    /// The built-in functions.
    pub registry: Arc<Registry>,
    /// The programs that it shares with other environments.
    pub programs: Arc<Programs>,
    /// The exported resources of other nodes, if they are available.
    pub exports: Option<Arc<dyn Exports>>,
    /// The interpreter of module code in other languages, if there is one.
    pub extensions: Option<Arc<dyn Extensions>>,
    layout: ModuleLayout,
    units: Units,
    stdlib_functions: StdlibFunctions,
    resource_types: ResourceTypes,
    /// The inputs of everything that is cached for all compilations.
    inputs: Mutex<InputSet>,
    pub(crate) ahead: ReadAhead,
    /// The unit where evaluation begins.
    pub(crate) empty_unit: Arc<Unit>,
}

impl Environment {
    /// An environment with its modules: directories are listed now, files are read when needed.
    pub fn new(spec: EnvironmentSpec) -> Environment {
        let EnvironmentSpec { name, root, modulepath, settings, world, registry, .. } = spec;
        let EnvironmentSpec { programs, exports, extensions, own_module, mut inputs, .. } = spec;
        let layout = ModuleLayout::list(&*world, modulepath, own_module, &mut inputs);
        Environment {
            name: Name::new(&name),
            root,
            settings,
            world,
            registry,
            programs,
            exports,
            extensions,
            layout,
            units: Units::default(),
            stdlib_functions: StdlibFunctions::default(),
            resource_types: ResourceTypes::default(),
            inputs: Mutex::new(inputs),
            ahead: ReadAhead::default(),
            empty_unit: Arc::default(),
        }
    }

    /// The directories of its modules, in order.
    pub fn modulepath(&self) -> &[PathBuf] {
        self.layout.modulepath()
    }

    /// The modules, in the order of the module path.
    pub fn modules(&self) -> &[Module] {
        self.layout.modules()
    }

    /// The directories where Puppet's autoloader finds resource types, their providers and functions of the old API, in the order
    /// of the module path: also those of modules that another one hides, and of directories whose names are not valid for modules.
    pub fn libraries(&self) -> &[PathBuf] {
        self.layout.libraries()
    }

    /// The module of that name.
    pub fn module(&self, name: &str) -> Option<&Module> {
        self.layout.module(name)
    }

    /// The module a path lies in.
    pub fn module_of(&self, path: &Path) -> Option<Name> {
        self.layout.module_of(path)
    }

    /// Reads something that is cached for all compilations, all of which depend on it from then on.
    pub fn reading<T>(&self, read: impl FnOnce(&dyn World) -> T) -> T {
        let (found, inputs) = tracked(&*self.world, read);
        self.depend_on(&inputs);
        found
    }

    /// Adds inputs on which all compilations depend.
    fn depend_on(&self, inputs: &InputSet) {
        if !inputs.is_empty() {
            self.inputs.lock().unwrap_or_else(PoisonError::into_inner).extend(inputs);
        }
    }

    /// The inputs of everything that is cached for all compilations; empty unless the world is recorded.
    pub fn inputs(&self) -> InputSet {
        self.inputs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The static rules for a file, by where it lies.
    pub fn rules<'a>(&self, file: Option<&'a str>) -> Rules<'a> {
        let namespace =
            file.map(|file| FileNamespace::of(file, &self.layout.directories(), None)).unwrap_or_default();
        Rules { strict: self.settings.strict, namespace, tasks: self.settings.tasks }
    }
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
