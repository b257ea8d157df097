//! Environments: what all compilations of one environment share.
//!
//! Files are read, parsed and lowered once, directories listed once. Definitions are found by name, as Puppet's autoloader
//! finds them: class `ntp::server` in `ntp/manifests/server.pp`, failing that in the file of an enclosing name. What a
//! search gave, even nothing, is remembered for as long as the environment lives.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use kukla_catalog::Exports;
use kukla_catalog::types::{self, NativeType};
use kukla_syntax::validate::{Place, Rules};
use kukla_syntax::{Diagnostic, Source, Strict};
use kukla_values::Name;
use rustc_hash::FxHashMap;

use crate::code::{CodeFiles, CodeKind};
use crate::error::{Failure, FailureKind, Raised};
use crate::known::Known;
pub use crate::known::KnownAlias;
pub use crate::node::Node;
use crate::program::{Class, Define, Definition, NodeDefinition, Program, PuppetFunction};
use crate::registry::{Function, Origin, Registered, Registry};
use crate::settings::Settings;
use crate::vm::Vm;
use kukla_world::{FileError, World};

/// A module of the environment.
#[derive(Debug)]
pub struct Module {
    /// Its name: that of its directory.
    pub name: Name,
    /// Its directory.
    pub root: PathBuf,
    metadata: OnceLock<Option<serde_json::Value>>,
    sound: OnceLock<bool>,
    files: CodeFiles,
}

/// What all compilations of one environment share.
#[derive(Debug)]
pub struct Environment {
    /// Its name.
    pub name: Name,
    /// Its directory, if it has one.
    pub root: Option<PathBuf>,
    /// The directories its modules were found in.
    pub modulepath: Vec<PathBuf>,
    /// Its site manifest, a file or a directory, if it has one.
    pub manifest: Option<PathBuf>,
    /// Its settings.
    pub settings: Settings,
    /// Where files are read and the clock is asked.
    pub world: Arc<dyn World>,
    /// The built-in functions.
    pub registry: Arc<Registry>,
    modules: Vec<Module>,
    by_name: FxHashMap<Name, usize>,
    root_files: CodeFiles,
    stdlib: OnceLock<Option<u32>>,
    /// By the text of the path, which is quicker to compare than its parts.
    programs: RwLock<FxHashMap<OsString, Loaded>>,
    known: RwLock<Known>,
    warnings: Mutex<Vec<(Source, Diagnostic)>>,
    /// Whether there are warnings or faults that nobody has logged yet, to be asked without a lock.
    unsaid: AtomicBool,
    faults: Mutex<Vec<String>>,
    /// What other nodes export, if anyone knows.
    pub exports: Option<Arc<dyn Exports>>,
    /// How resource types of other languages are read, if they are.
    pub foreign_types: Option<Arc<dyn ForeignTypes>>,
    resource_types: RwLock<FxHashMap<Box<str>, Option<Arc<NativeType>>>>,
}

/// Resource types that are written in another language, such as Ruby.
pub trait ForeignTypes: Send + Sync + std::fmt::Debug {
    /// The type of that name, if some module of the environment has one.
    fn resource_type(&self, environment: &Environment, name: &str) -> Option<NativeType>;
}

/// The outcome of loading a file.
pub type Loaded = Result<Arc<Program>, Arc<Failure>>;

impl Environment {
    /// An environment with its modules; directories are listed now, files read when needed.
    pub fn new(
        name: &str,
        root: Option<PathBuf>,
        modulepath: Vec<PathBuf>,
        settings: Settings,
        world: Arc<dyn World>,
        registry: Arc<Registry>,
    ) -> Environment {
        let mut modules: Vec<Module> = Vec::new();
        let mut by_name = FxHashMap::default();
        for directory in &modulepath {
            for entry in
                world.list(directory).into_iter().filter(|entry| entry.is_directory && is_module(&entry.name))
            {
                let name = Name::new(&entry.name);
                by_name.entry(name).or_insert_with(|| {
                    modules.push(Module {
                        name,
                        root: directory.join(&entry.name),
                        metadata: OnceLock::new(),
                        sound: OnceLock::new(),
                        files: CodeFiles::default(),
                    });
                    modules.len() - 1
                });
            }
        }
        Environment {
            name: Name::new(name),
            root,
            modulepath,
            manifest: None,
            settings,
            world,
            registry,
            modules,
            by_name,
            root_files: CodeFiles::default(),
            stdlib: OnceLock::new(),
            programs: RwLock::default(),
            known: RwLock::default(),
            warnings: Mutex::default(),
            unsaid: AtomicBool::new(false),
            faults: Mutex::default(),
            exports: None,
            foreign_types: None,
            resource_types: RwLock::default(),
        }
    }

    /// The modules, in the order of the module path.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// The module of that name.
    pub fn module(&self, name: &str) -> Option<&Module> {
        self.by_name.get(&Name::existing(name)?).map(|&at| &self.modules[at])
    }

    /// The contents of a module's `metadata.json`.
    pub fn metadata<'s>(&self, module: &'s Module) -> Option<&'s serde_json::Value> {
        let read = || serde_json::from_slice(&self.world.read(&module.root.join("metadata.json")).ok()?).ok();
        module.metadata.get_or_init(read).as_ref()
    }

    /// Whether code can be loaded from a module: to Puppet one with a faulty `metadata.json` does not exist.
    fn is_sound(&self, module: &Module) -> bool {
        *module.sound.get_or_init(|| {
            let Ok(bytes) = self.world.read(&module.root.join("metadata.json")) else { return true };
            let fault = metadata_fault(&module.name, &bytes, self.settings.strict == Strict::Error);
            let is_sound = fault.is_none();
            self.faults.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).extend(fault);
            self.unsaid.store(true, Ordering::Release);
            is_sound
        })
    }

    /// What was wrong with modules used since this was last asked.
    pub fn take_faults(&self) -> Vec<String> {
        std::mem::take(&mut *self.faults.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    /// The file of a module that something of that name (without the module's) stands in, if there is one.
    fn module_file<'n>(
        &self,
        module: &Module,
        kind: CodeKind,
        name: impl Iterator<Item = &'n str>,
    ) -> Option<PathBuf> {
        module.files.find(&*self.world, &module.root, kind, name)
    }

    /// The module a path lies in.
    pub fn module_of(&self, path: &Path) -> Option<Name> {
        // Nearly all paths were put together from the module path as it is written, and text is quicker to compare.
        let as_text = |directory: &PathBuf| {
            let inside = path.to_str()?.strip_prefix(directory.to_str()?)?.strip_prefix('/')?;
            inside.split('/').next().filter(|first| !first.is_empty())
        };
        let by_parts = |directory: &PathBuf| path.strip_prefix(directory).ok()?.iter().next()?.to_str();
        let mut first = self.modulepath.iter().find_map(as_text);
        if first.is_none() {
            first = self.modulepath.iter().find_map(by_parts);
        }
        self.module(first?).map(|module| module.name)
    }

    /// The program of a manifest or template, read when first asked for. Its definitions become known.
    pub fn load(&self, path: &Path) -> Loaded {
        if let Some(loaded) = read(&self.programs).get(path.as_os_str()) {
            return loaded.clone();
        }
        let loaded = self.read_program(path);
        self.adopt(path, loaded)
    }

    /// Keeps what a file was read as and makes its definitions known, unless it was loaded meanwhile.
    fn adopt(&self, path: &Path, loaded: Loaded) -> Loaded {
        let program = {
            let mut programs = write(&self.programs);
            if let Some(earlier) = programs.get(path.as_os_str()) {
                return earlier.clone();
            }
            let loaded = loaded.and_then(|program| self.learn(&program).map(|()| program).map_err(Arc::new));
            programs.insert(path.into(), loaded.clone());
            loaded?
        };
        self.check_signatures(&program).inspect_err(|failure| {
            write(&self.known).forget(&program);
            write(&self.programs).insert(path.into(), Err(Arc::clone(failure)));
        })?;
        Ok(program)
    }

    /// Resolves the parameter types of the classes and defined types of a file, used or not, as soon as it is loaded.
    pub fn check_signatures(&self, program: &Program) -> Result<(), Arc<Failure>> {
        let params = program.definitions.iter().flat_map(|definition| match definition {
            Definition::Class(class) => &class.params[..],
            Definition::Define(define) => &define.params[..],
            _ => &[],
        });
        let mut types = params.filter_map(|param| param.ty.as_ref()).filter(|ty| ty.constant).peekable();
        if types.peek().is_none() {
            return Ok(());
        }
        let node = Node::default();
        let mut vm = Vm::new(self, &node);
        vm.source = program.source.clone();
        for ty in types {
            if let Err(mut raise) = vm.eval_type_expr(ty)
                && let Raised::Error(failure) = raise.reason_mut()
            {
                return Err(Arc::new(failure.clone()));
            }
        }
        Ok(())
    }

    fn read_program(&self, path: &Path) -> Loaded {
        let name = path.to_string_lossy();
        let bytes = self.world.read(path).map_err(|error| {
            let why = match error {
                FileError::NotFound => "No such file or directory".to_owned(),
                FileError::Other(why) => why,
            };
            Arc::new(Failure::new("FILE_NOT_READABLE", format!("Could not read {name}: {why}")))
        })?;
        let source = Source::from_bytes(&*name, bytes).map_err(|error| {
            let mut failure = Failure::new("INVALID_UTF8", format!("{name}: {error}"));
            failure.kind = FailureKind::Syntax;
            Arc::new(failure)
        })?;
        let rules = self.rules(source.name());
        let lower = if name.ends_with(".epp") { crate::lower::lower_epp } else { crate::lower::lower };
        let program = lower(&source, self.module_of(path), &rules).map_err(Arc::new)?;
        if !program.warnings.is_empty() {
            let warnings = program.warnings.iter().map(|warning| (source.clone(), warning.clone()));
            self.warnings.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).extend(warnings);
            self.unsaid.store(true, Ordering::Release);
        }
        Ok(Arc::new(program))
    }

    /// The static rules for a file, by where it lies.
    pub fn rules<'a>(&self, file: Option<&'a str>) -> Rules<'a> {
        let place =
            file.map(|file| Place::of(file, &self.modulepath, self.manifest.as_deref())).unwrap_or_default();
        Rules { strict: self.settings.strict, place, tasks: self.settings.tasks }
    }

    /// Whether something was questionable in files loaded since it was last logged.
    pub(crate) fn has_something_to_say(&self) -> bool {
        self.unsaid.load(Ordering::Relaxed) && self.unsaid.swap(false, Ordering::AcqRel)
    }

    /// Forgets what was questionable in some of the files loaded so far.
    pub fn keep_warnings(&self, keep: impl Fn(&Source) -> bool) {
        let mut warnings = self.warnings.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        warnings.retain(|(source, _)| keep(source));
    }

    /// What was questionable in files loaded since this was last asked.
    pub fn take_warnings(&self) -> Vec<(Source, Diagnostic)> {
        std::mem::take(&mut *self.warnings.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    /// Makes the definitions of a program known under their names.
    pub fn learn(&self, program: &Program) -> Result<(), Failure> {
        let mut known = write(&self.known);
        for definition in &program.definitions {
            known.add(definition)?;
        }
        Ok(())
    }

    /// The node definitions known so far.
    pub fn nodes(&self) -> Vec<Arc<NodeDefinition>> {
        read(&self.known).nodes.clone()
    }

    /// The class of that name (lower case, no leading `::`), loading files as needed.
    pub fn class(&self, name: Name) -> Result<Option<Arc<Class>>, Arc<Failure>> {
        if let Some(found) = read(&self.known).classes.get(&name) {
            return Ok(found.clone());
        }
        self.load_manifests_for(name)?;
        Ok(write(&self.known).classes.entry(name).or_insert(None).clone())
    }

    /// The defined type of that name (lower case, no leading `::`), loading files as needed.
    pub fn define(&self, name: Name) -> Result<Option<Arc<Define>>, Arc<Failure>> {
        if let Some(found) = read(&self.known).defines.get(&name) {
            return Ok(found.clone());
        }
        self.load_manifests_for(name)?;
        Ok(write(&self.known).defines.entry(name).or_insert(None).clone())
    }

    /// Loads the files a class or define of that name can stand in: always the module's first, then its own, then those of
    /// the names around it.
    fn load_manifests_for(&self, name: Name) -> Result<(), Arc<Failure>> {
        let mut segments: Vec<&str> = name.as_str().split("::").collect();
        let Some(module) = self.module(segments[0]).filter(|module| self.is_sound(module)) else {
            return Ok(());
        };
        let file = |segments: &[&str]| {
            let name = if segments.len() == 1 { &["init"] } else { &segments[1..] };
            self.module_file(module, CodeKind::Manifest, name.iter().copied())
        };
        let init = file(&segments[..1]);
        while !segments.is_empty() {
            let own = file(&segments).filter(|own| Some(own) != init.as_ref());
            // Both are read before the definitions of either count.
            let unread =
                init.iter().chain(&own).filter(|path| !read(&self.programs).contains_key(path.as_os_str()));
            let texts: Vec<_> = unread.map(|path| (path, self.read_program(path))).collect();
            for (path, loaded) in texts {
                self.adopt(path, loaded)?;
            }
            for path in init.iter().chain(&own) {
                self.load(path)?;
            }
            let known = read(&self.known);
            if known.classes.get(&name).is_some_and(Option::is_some)
                || known.defines.get(&name).is_some_and(Option::is_some)
            {
                break;
            }
            segments.pop();
        }
        Ok(())
    }

    /// The function of that name, built in or written in Puppet, loading files as needed.
    pub fn function(&self, name: Name) -> Result<Option<Function>, Arc<Failure>> {
        // What the site manifest defines wins over what is built in; what modules define does not.
        if let Some(found) = read(&self.known).functions.get(&name) {
            return Ok(found.clone());
        }
        let special = self.stdlib().and_then(|major| self.registry.in_stdlib(name, major));
        if let Some(builtin) = special.or_else(|| self.registry.get(name))
            && self.offers(builtin)
        {
            return Ok(Some(Function::Builtin(builtin)));
        }
        // A module has no function of its own name.
        if name.as_str().contains("::")
            && let Some(path) = self.path_of(CodeKind::Function, name.as_str())
        {
            let program = self.load(&path)?;
            if !read(&self.known).functions.contains_key(&name) {
                return Err(Arc::new(misses_function(&program, &path, name)));
            }
        }
        Ok(write(&self.known).functions.entry(name).or_insert(None).clone())
    }

    /// The file in which a module, or the environment itself, writes the function of that name in Ruby.
    pub fn ruby_function(&self, name: Name) -> Option<PathBuf> {
        let file = format!("{}.rb", name.as_str().replace("::", "/"));
        let libraries = self.modules.iter().map(|module| &module.root).chain(&self.root);
        let candidates = libraries.flat_map(|root| {
            ["lib/puppet/functions", "lib/puppet/parser/functions"]
                .map(|directory| root.join(directory).join(&file))
        });
        candidates.into_iter().find(|path| self.world.exists(path))
    }

    /// Whether a built-in function is there and counts: those that stdlib dropped in version 9 need an older one among the
    /// modules, and a setting can let the module's own win.
    fn offers(&self, function: &Registered) -> bool {
        if self.settings.module_functions
            && function.origin != Origin::Core
            && self.path_of(CodeKind::Function, function.builtin.name).is_some()
        {
            return false;
        }
        function.origin != Origin::FormerStdlib || self.stdlib().is_some_and(|major| major < 9)
    }

    /// The major version of puppetlabs-stdlib among the modules.
    pub fn stdlib(&self) -> Option<u32> {
        *self.stdlib.get_or_init(|| {
            let version = self.metadata(self.module("stdlib")?)?["version"].as_str()?;
            version.split('.').next()?.parse().ok()
        })
    }

    /// Makes a function known that no file of Puppet code defines.
    pub fn add_function(&self, name: Name, function: Function) {
        write(&self.known).functions.insert(name, Some(function));
    }

    /// The type alias of that name (lower case), loading files as needed.
    pub fn alias(&self, lower: Name) -> Result<Option<Arc<KnownAlias>>, Arc<Failure>> {
        if let Some(found) = read(&self.known).aliases.get(&lower) {
            return Ok(found.clone());
        }
        if let Some(path) = self.path_of(CodeKind::Type, lower.as_str()) {
            let program = self.load(&path)?;
            if let Some(failure) = misses_type(&program, &path, lower) {
                return Err(Arc::new(failure));
            }
        }
        Ok(write(&self.known).aliases.entry(lower).or_insert(None).clone())
    }

    /// The file a function or type of that name stands in, if there is one.
    fn path_of(&self, kind: CodeKind, name: &str) -> Option<PathBuf> {
        // A type that is called like a module is the module's set of types.
        let (first, rest) = name.split_once("::").unwrap_or((name, "init_typeset"));
        let rest = rest.split("::");
        if first == "environment" {
            let find = |rest: &mut dyn Iterator<Item = &str>| {
                self.root_files.find(&*self.world, self.root.as_ref()?, kind, rest)
            };
            return find(&mut rest.clone()).or_else(|| find(&mut std::iter::once(first).chain(rest)));
        }
        let module = self.module(first)?;
        self.module_file(module, kind, rest).filter(|_| self.is_sound(module))
    }

    /// The resource type of that name (lower case) that agents know how to apply: Puppet's own, a module's, or one that agent
    /// packages carry. Defined types are found with [`Environment::define`].
    pub fn resource_type(&self, lower: &str) -> Option<Arc<NativeType>> {
        if let Some(found) = read(&self.resource_types).get(lower) {
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
            let foreign = self.foreign_types.as_ref().and_then(|types| types.resource_type(self, lower));
            foreign.or_else(|| types::bundled(lower).cloned())
        };
        let found = found.map(Arc::new);
        write(&self.resource_types).entry(lower.into()).or_insert(found).clone()
    }

    /// The type that `puppet generate types` has written down for this environment.
    fn generated_type(&self, lower: &str) -> Option<NativeType> {
        let directory = self.root.as_ref()?.join(".resource_types");
        let path = directory.join(lower).with_extension("pp");
        if !self.world.exists(&path) {
            return None;
        }
        crate::catalog::generated::read(&*self.load(&path).ok()?)
    }

    /// The functions written in Puppet that are known so far, for suggestions.
    pub fn function_names(&self) -> Vec<Name> {
        let known = read(&self.known);
        let mut names: Vec<Name> =
            known.functions.iter().filter(|(_, found)| found.is_some()).map(|(name, _)| *name).collect();
        names.sort_unstable();
        names
    }

    /// The file of a function written in Puppet.
    pub fn puppet_function(&self, name: Name) -> Option<Arc<PuppetFunction>> {
        match self.function(name) {
            Ok(Some(Function::Puppet(function))) => Some(function),
            _ => None,
        }
    }
}

/// Why a `metadata.json` is not good enough to make its directory a module.
fn metadata_fault(module: &str, bytes: &[u8], is_strict: bool) -> Option<String> {
    if bytes.is_empty() {
        return None;
    }
    let metadata: serde_json::Value = match serde_json::from_slice(bytes) {
        Ok(metadata) => metadata,
        Err(error) => {
            return is_strict.then(|| {
                format!("{module} has an invalid and unparsable metadata.json file. The parse error: {error}")
            });
        }
    };
    if metadata.as_object().is_none_or(serde_json::Map::is_empty) {
        return None;
    }
    let required = ["source", "author", "version", "license", "dependencies"];
    if let Some(missing) = required.into_iter().find(|key| metadata[key].is_null()) {
        return Some(format!("No {missing} module metadata provided for {module}"));
    }
    let dependencies = &metadata["dependencies"];
    (!dependencies.is_array()).then(|| {
        format!(
            "The value for the key dependencies in the file metadata.json of the module {module} must be an array, not: '{dependencies}'"
        )
    })
}

/// What is wrong with a file that does not define the function it is named after.
#[cold]
fn misses_function(program: &Program, path: &Path, name: Name) -> Failure {
    let why = match program.definitions.as_slice() {
        [] => "it is empty",
        _ => "no function found",
    };
    let path = path.display();
    let message = format!("The code loaded from {path} does not define the function '{name}' - {why}.");
    Failure::new("RUNTIME_ERROR", message)
}

/// What is wrong with a file that is to define one type and nothing else.
fn misses_type(program: &Program, path: &Path, lower: Name) -> Option<Failure> {
    let path = path.display();
    let message = match program.definitions.as_slice() {
        [] => format!("The code loaded from {path} does not define the type '{lower}' - it is empty."),
        [Definition::TypeAlias(alias)] if alias.name.eq_ignore_ascii_case(&lower) => return None,
        [Definition::TypeAlias(alias)] => format!(
            "The code loaded from {path} produced type with the wrong name, expected '{lower}', actual '{}'",
            alias.name
        ),
        [_] => format!(
            "The code loaded from {path} does not define the type '{lower}' - no type alias or type definition found."
        ),
        _ => format!(
            "The code loaded from {path} must contain only the type '{lower}' - it has additional definitions."
        ),
    };
    Some(Failure::new("RUNTIME_ERROR", message))
}

fn is_module(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(|poisoned| poisoned.into_inner())
}
