//! Environments: what all compilations of one environment share.
//!
//! Files are read once, directories listed once; a text that any environment has read before is not parsed again. Definitions are found by name, as Puppet's autoloader
//! finds them: class `ntp::server` in `ntp/manifests/server.pp`, failing that in the file of an enclosing name. What a
//! search gave, even nothing, is remembered for as long as the environment lives.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::OsString;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, RwLock};

use kukla_catalog::Exports;
use kukla_catalog::types::{self, NativeType};
use kukla_syntax::validate::{FileNamespace, Rules, is_module_name};
use kukla_syntax::{Diagnostic, Source, Strict, diagnostic};
use kukla_values::Name;
use rustc_hash::FxHashMap;
use serde::de::IgnoredAny;

use crate::ahead::Ahead;
use crate::code::{CodeFiles, CodeKind};
use crate::codes::{
    CROWDED_TYPE_FILE, FILE_NOT_READABLE, FILE_NOT_UTF8, FILE_WITHOUT_FUNCTION, FILE_WITHOUT_TYPE,
    MISNAMED_FUNCTION, MISNAMED_TYPE,
};
use crate::error::{Raised, Stage};
use crate::foreign::Extensions;
use crate::function::Quality;
pub use crate::known::KnownAlias;
use crate::known::{Found, Known};
pub use crate::node::Node;
use crate::program::{Class, Define, Definition, NodeDefinition, Program, PuppetFunction};
use crate::programs::{Dialect, Programs};
use crate::registry::{Function, FunctionOrigin, Registered, Registry};
use crate::remark::{Remark, Remarks};
use crate::settings::Settings;
use crate::unit::{Defined, Unit};
use crate::variable::SETTINGS;
use crate::vm::Vm;
use kukla_world::record::{InputSet, tracked};
use kukla_world::{FileError, FileResult, World};

/// A module of the environment.
#[derive(Debug)]
pub struct Module {
    /// Its name: that of its directory.
    pub name: Name,
    /// Its directory.
    pub root: PathBuf,
    metadata: OnceLock<Option<serde_json::Value>>,
    /// Why code cannot be loaded from it, if so.
    fault: OnceLock<Remarks>,
    /// The manifest that is read before any other of the module, if it has one.
    init: OnceLock<Option<PathBuf>>,
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
    libraries: Vec<PathBuf>,
    root_files: CodeFiles,
    stdlib: OnceLock<Option<u32>>,
    /// Whether the functions of stdlib that were asked for are written as the built-in ones take them to be.
    familiar: RwLock<FxHashMap<&'static str, bool>>,
    /// The programs of the process.
    pub programs: Arc<Programs>,
    /// By the text of the path, which is quicker to compare than its parts.
    units: RwLock<FxHashMap<OsString, Loaded>>,
    /// Where evaluation stands before it begins.
    pub(crate) nowhere: Arc<Unit>,
    known: RwLock<Known>,
    /// What other nodes export, if anyone knows.
    pub exports: Option<Arc<dyn Exports>>,
    /// What modules bring in other languages, if that is run.
    pub extensions: Option<Arc<dyn Extensions>>,
    resource_types: RwLock<FxHashMap<Box<str>, Option<Arc<NativeType>>>>,
    inputs: Mutex<InputSet>,
    pub(crate) ahead: Ahead,
}

/// The class that holds the settings, in an environment whose site manifest has none of that name.
static NO_SETTINGS_OF_ITS_OWN: LazyLock<Arc<Defined<Class>>> = LazyLock::new(|| {
    let source = Source::unnamed("class settings { }");
    let program = Programs::default().read(&source, Dialect::Manifest, &Rules::default());
    let unit = Arc::new(Unit::new(source, None, program.expect("a valid program")));
    let class = unit.program.definitions.iter().find_map(|definition| match definition {
        Definition::Class(class) => Some(class),
        _ => None,
    });
    Defined::new(&unit, class.expect("a class"))
});

/// Where modules keep functions written in Ruby, the newer API first: it is preferred.
const RUBY_FUNCTIONS: &[&str] = &["puppet/functions", OLD_RUBY_FUNCTIONS];

const OLD_RUBY_FUNCTIONS: &str = "puppet/parser/functions";

/// A file as it reads.
#[derive(Debug)]
pub(crate) struct ReadText {
    /// What it was read from.
    inputs: InputSet,
    pub(crate) read: Result<(Source, Arc<Program>), Arc<Diagnostic>>,
}

/// The outcome of loading a file.
pub type Loaded = Result<Arc<Unit>, Arc<Diagnostic>>;

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
        let mut libraries = Vec::new();
        let mut inputs = InputSet::default();
        for directory in &modulepath {
            let (entries, listing) = tracked(&*world, |world| world.list(directory));
            inputs.extend(&listing);
            for entry in entries.into_iter().filter(|entry| entry.is_directory) {
                if !entry.name.starts_with('.') {
                    libraries.push(directory.join(&entry.name).join("lib"));
                }
                if !is_module_name(&entry.name) {
                    continue;
                }
                let name = Name::new(&entry.name);
                by_name.entry(name).or_insert_with(|| {
                    modules.push(Module {
                        name,
                        root: directory.join(&entry.name),
                        metadata: OnceLock::new(),
                        fault: OnceLock::new(),
                        init: OnceLock::new(),
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
            libraries,
            root_files: CodeFiles::default(),
            stdlib: OnceLock::new(),
            familiar: RwLock::default(),
            programs: Arc::default(),
            units: RwLock::default(),
            nowhere: Arc::default(),
            known: RwLock::default(),
            exports: None,
            extensions: None,
            resource_types: RwLock::default(),
            inputs: Mutex::new(inputs),
            ahead: Ahead::default(),
        }
    }

    /// The modules, in the order of the module path.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// Where Puppet's autoloader finds resource types, their providers and functions of the old API, in the order of the module path: in
    /// modules that another one hides, too, and in directories that have no name for a module.
    pub fn libraries(&self) -> &[PathBuf] {
        &self.libraries
    }

    /// Reads something that is kept for all compilations, all of which depend on it from then on.
    pub fn reading<T>(&self, read: impl FnOnce(&dyn World) -> T) -> T {
        let (found, inputs) = tracked(&*self.world, read);
        self.depend_on(&inputs);
        found
    }

    /// Adds what the environment was made from elsewhere.
    pub fn depend_on(&self, inputs: &InputSet) {
        if !inputs.is_empty() {
            self.inputs.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).extend(inputs);
        }
    }

    /// What was read for all compilations so far; empty unless the world is recorded.
    pub fn inputs(&self) -> InputSet {
        self.inputs.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    /// The module of that name.
    pub fn module(&self, name: &str) -> Option<&Module> {
        self.by_name.get(&Name::existing(name)?).map(|&at| &self.modules[at])
    }

    /// The contents of a module's `metadata.json`.
    pub fn metadata<'s>(&self, module: &'s Module) -> Option<&'s serde_json::Value> {
        let read = |world: &dyn World| world.read(&module.root.join("metadata.json"));
        let parse = || serde_json::from_slice(&self.reading(read).ok()?).ok();
        module.metadata.get_or_init(parse).as_ref()
    }

    /// Whether code can be loaded from a module: to Puppet one with a faulty `metadata.json` does not exist.
    fn is_sound(&self, module: &Module, heard: &mut Remarks) -> bool {
        let fault = module.fault.get_or_init(|| {
            let mut remarks = Remarks::default();
            if let Ok(bytes) = self.reading(|world| world.read(&module.root.join("metadata.json")))
                && let Some(why) = metadata_fault(&module.name, &bytes, self.settings.strict == Strict::Error)
            {
                remarks.add(Arc::new(Remark::Module(why)));
            }
            remarks
        });
        heard.extend(fault);
        fault.is_empty()
    }

    /// The file of a module that something of that name (without the module's) stands in, if there is one.
    pub(crate) fn module_file<'n>(
        &self,
        module: &Module,
        kind: CodeKind,
        name: impl Iterator<Item = &'n str>,
    ) -> Option<PathBuf> {
        self.reading(|world| module.files.find(world, &module.root, kind, name))
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

    /// A manifest or template, read when first asked for. Its definitions become known.
    pub fn load(&self, path: &Path) -> Loaded {
        if let Some(loaded) = read(&self.units).get(path.as_os_str()) {
            return loaded.clone();
        }
        self.adopt(path, self.read_unit(&Remarks::default(), path))
    }

    /// Whether a file was loaded, or was tried to.
    pub(crate) fn has_loaded(&self, path: &Path) -> bool {
        read(&self.units).contains_key(path.as_os_str())
    }

    /// How many files were loaded so far.
    pub(crate) fn loaded(&self) -> usize {
        read(&self.units).len()
    }

    /// What a file was loaded as, or reads as.
    fn unit_of(&self, others: &Remarks, path: &Path) -> Loaded {
        let known = read(&self.units).get(path.as_os_str()).cloned();
        known.unwrap_or_else(|| self.read_unit(others, path))
    }

    /// Keeps what a file was read as and makes its definitions known, unless it was loaded meanwhile.
    fn adopt(&self, path: &Path, loaded: Loaded) -> Loaded {
        let unit = {
            let mut units = write(&self.units);
            if let Some(earlier) = units.get(path.as_os_str()).cloned() {
                drop(units);
                return earlier.and_then(|unit| self.confirmed(&unit).map(|()| unit));
            }
            let loaded = loaded.and_then(|unit| match self.learn(&unit) {
                Ok(()) => Ok(unit),
                Err(failure) => {
                    self.depend_on(&unit.remarks.inputs());
                    Err(Arc::from(failure))
                }
            });
            units.insert(path.into(), loaded.clone());
            loaded?
        };
        self.confirmed(&unit).inspect_err(|failure| {
            self.depend_on(&unit.remarks.inputs());
            write(&self.known).forget(&unit.program);
            write(&self.units).insert(path.into(), Err(Arc::clone(failure)));
        })?;
        Ok(unit)
    }

    /// Whether the signatures of a unit are good. Its definitions are known before that is known, since types may refer to each
    /// other; so whoever finds one of them meanwhile asks as well, and everyone fails alike.
    fn confirmed(&self, unit: &Arc<Unit>) -> Result<(), Arc<Diagnostic>> {
        thread_local! {
            static ASKED: RefCell<Vec<*const Unit>> = const { RefCell::new(Vec::new()) };
        }
        if let Some(known) = unit.confirmed.get() {
            return known.clone();
        }
        let this = Arc::as_ptr(unit);
        if ASKED.with_borrow(|asked| asked.contains(&this)) {
            return Ok(());
        }
        ASKED.with_borrow_mut(|asked| asked.push(this));
        let found = self.check_signatures(unit);
        ASKED.with_borrow_mut(|asked| asked.retain(|other| *other != this));
        unit.confirmed.get_or_init(|| found).clone()
    }

    /// A definition that was found, if the signatures of its unit are good.
    fn confirmed_in<T>(
        &self,
        found: Option<Arc<Defined<T>>>,
    ) -> Result<Option<Arc<Defined<T>>>, Arc<Diagnostic>> {
        found.as_ref().map_or(Ok(()), |definition| self.confirmed(&definition.unit))?;
        Ok(found)
    }

    /// Reads a text that is no file, and makes its definitions known.
    pub fn load_text(&self, text: &str) -> Loaded {
        let source = Source::unnamed(text);
        let program = self.programs.read(&source, Dialect::Manifest, &self.rules(None)).map_err(Arc::from)?;
        let unit = Arc::new(Unit::new(source, None, program));
        self.learn(&unit).map_err(Arc::from)?;
        self.confirmed(&unit)?;
        Ok(unit)
    }

    /// Resolves the parameter types of the classes and defined types of a file, used or not, as soon as it is loaded.
    fn check_signatures(&self, unit: &Arc<Unit>) -> Result<(), Arc<Diagnostic>> {
        let mut types = unit.program.parameter_types().peekable();
        if types.peek().is_none() {
            return Ok(());
        }
        let node = Node::default();
        let mut vm = Vm::new(self, &node);
        vm.in_unit(unit, |vm| {
            for ty in types {
                if let Err(raise) = vm.eval_type_expr(ty)
                    && let Raised::Error(failure) = raise.into_reason()
                {
                    return Err(Arc::from(failure));
                }
            }
            Ok(())
        })
    }

    fn read_unit(&self, others: &Remarks, path: &Path) -> Loaded {
        let ReadText { inputs, read } =
            self.ahead.take(path.as_os_str()).unwrap_or_else(|| self.read_text(path));
        // What cannot be used has no remarks to tell its users what it was read from.
        let (source, program) = read.inspect_err(|_| self.depend_on(&inputs))?;
        self.ahead.announce(&program);
        Ok(Arc::new(Unit::after(others, inputs, source, self.module_of(path), program)))
    }

    /// A file as it reads, whoever uses it and for what.
    pub(crate) fn read_text(&self, path: &Path) -> ReadText {
        let (bytes, inputs) = tracked(&*self.world, |world| world.read(path));
        ReadText { inputs, read: self.understand(path, bytes) }
    }

    fn understand(
        &self,
        path: &Path,
        bytes: FileResult<Vec<u8>>,
    ) -> Result<(Source, Arc<Program>), Arc<Diagnostic>> {
        let name = path.to_str().map_or_else(|| path.to_string_lossy(), Cow::Borrowed);
        let bytes = bytes.map_err(|error| {
            let why = match error {
                FileError::NotFound => "No such file or directory".to_owned(),
                FileError::Other(why) => why,
                FileError::Refused(refusal) => return Arc::new(refusal.diagnostic()),
            };
            Arc::new(diagnostic!(FILE_NOT_READABLE { file: name, reason: why }))
        })?;
        let source = Source::from_bytes(&*name, bytes).map_err(|error| {
            Arc::new(diagnostic!(FILE_NOT_UTF8 { file: name, reason: error }).in_stage(Stage::Syntax))
        })?;
        let dialect = if name.ends_with(".epp") { Dialect::Epp } else { Dialect::Manifest };
        let program = self.programs.read(&source, dialect, &self.rules(source.name())).map_err(Arc::from)?;
        // Equal texts are kept once.
        let source = match Arc::ptr_eq(&program.text, &source.shared_text()) {
            true => source,
            false => Source::new(&*name, Arc::clone(&program.text)),
        };
        Ok((source, program))
    }

    /// The static rules for a file, by where it lies.
    pub fn rules<'a>(&self, file: Option<&'a str>) -> Rules<'a> {
        let namespace = file
            .map(|file| FileNamespace::of(file, &self.modulepath, self.manifest.as_deref()))
            .unwrap_or_default();
        Rules { strict: self.settings.strict, namespace, tasks: self.settings.tasks }
    }

    /// Makes the definitions of a unit known under their names.
    pub fn learn(&self, unit: &Arc<Unit>) -> Result<(), Box<Diagnostic>> {
        let mut known = write(&self.known);
        unit.program.definitions.iter().try_for_each(|definition| known.add(unit, definition))
    }

    /// The node definitions known so far.
    pub fn nodes(&self) -> Vec<Arc<Defined<NodeDefinition>>> {
        read(&self.known).nodes.clone()
    }

    /// The class of that name (lower case, no leading `::`), loading files as needed.
    pub fn class(
        &self,
        name: Name,
        heard: &mut Remarks,
    ) -> Result<Option<Arc<Defined<Class>>>, Arc<Diagnostic>> {
        let known = read(&self.known).classes.get(&name).map(|found| found.given(heard));
        if let Some(found) = known {
            return self.confirmed_in(found);
        }
        if name.as_str() == SETTINGS {
            return Ok(Some(Arc::clone(&NO_SETTINGS_OF_ITS_OWN)));
        }
        let absent = Found::Absent(self.load_manifests_for(name.as_str(), heard)?);
        Ok(write(&self.known).classes.entry(name).or_insert(absent).given(heard))
    }

    /// The defined type of that name (lower case, no leading `::`), loading files as needed.
    pub fn define(
        &self,
        name: Name,
        heard: &mut Remarks,
    ) -> Result<Option<Arc<Defined<Define>>>, Arc<Diagnostic>> {
        let known = read(&self.known).defines.get(&name).map(|found| found.given(heard));
        if let Some(found) = known {
            return self.confirmed_in(found);
        }
        let absent = Found::Absent(self.load_manifests_for(name.as_str(), heard)?);
        Ok(write(&self.known).defines.entry(name).or_insert(absent).given(heard))
    }

    /// Loads the files a class or define of that name can stand in: always the module's first, then its own, then those of
    /// the names around it. Gives what there is to say about them should nothing be found; what is found has its own remarks.
    pub(crate) fn load_manifests_for(
        &self,
        name: &str,
        heard: &mut Remarks,
    ) -> Result<Remarks, Arc<Diagnostic>> {
        let mut consulted = Remarks::default();
        self.consult_manifests(name, &mut consulted).inspect_err(|_| heard.extend(&consulted))?;
        Ok(consulted)
    }

    fn consult_manifests(&self, name: &str, consulted: &mut Remarks) -> Result<(), Arc<Diagnostic>> {
        let mut segments: Vec<&str> = name.split("::").collect();
        let Some(module) = self.module(segments[0]).filter(|module| self.is_sound(module, consulted)) else {
            return Ok(());
        };
        let file = |names: &[&str]| self.module_file(module, CodeKind::Manifest, names.iter().copied());
        let first = module.init.get_or_init(|| file(&["init"])).as_ref();
        while !segments.is_empty() {
            let is_first = matches!(segments[1..], [] | ["init"]);
            let own = if is_first { None } else { file(&segments[1..]) };
            // Both are read before the definitions of either count.
            let init = first.map(|path| (path, self.unit_of(&Remarks::default(), path)));
            let others = match &init {
                Some((_, Ok(init))) => init.remarks.clone(),
                _ => Remarks::default(),
            };
            let own = own.as_ref().map(|path| (path, self.unit_of(&others, path)));
            for (path, loaded) in init.into_iter().chain(own) {
                let unit = self.adopt(path, loaded)?;
                consulted.extend(&unit.remarks);
            }
            let known = read(&self.known);
            let is_there = |name: Name| {
                known.classes.get(&name).is_some_and(Found::is_there)
                    || known.defines.get(&name).is_some_and(Found::is_there)
            };
            if Name::existing(name).is_some_and(is_there) {
                break;
            }
            segments.pop();
        }
        Ok(())
    }

    /// The function that a name means to the code of a module, or of the site, loading files as needed.
    pub fn function(
        &self,
        name: Name,
        caller: Option<Name>,
        heard: &mut Remarks,
    ) -> Result<Option<Function>, Arc<Diagnostic>> {
        let name = in_lower_case(name);
        // What the site manifest defines wins over what is built in; what modules define does not.
        if let Some(found) = read(&self.known).functions.get(&name) {
            return Ok(found.given(heard));
        }
        if self.settings.overrides.is_some()
            && let Some(replacement) = self.replacement(name)?
        {
            return Ok(Some(replacement));
        }
        let special = self.stdlib().and_then(|major| self.registry.in_stdlib(name, major));
        if let Some(builtin) = special.or_else(|| self.registry.get(name))
            && self.offers(builtin, heard)
        {
            return Ok(Some(Function::Builtin(builtin)));
        }
        // A module has no function of its own name.
        let mut consulted = Remarks::default();
        if name.as_str().contains("::")
            && let Some(path) = self.path_of(CodeKind::Function, name.as_str(), &mut consulted)
        {
            let unit = self.load(&path)?;
            if let Some(failure) = misses_function(&unit.program, &path, name) {
                heard.extend(&unit.remarks);
                return Err(Arc::new(failure));
            }
        }
        if let Some(brought) =
            self.extensions.as_ref().and_then(|brought| brought.function(self, caller, name.as_str()))
        {
            return Ok(Some(Function::Foreign(brought)));
        }
        let absent = Found::Absent(consulted);
        Ok(write(&self.known).functions.entry(name).or_insert(absent).given(heard))
    }

    /// What stands in for the function of that name.
    fn replacement(&self, name: Name) -> Result<Option<Function>, Arc<Diagnostic>> {
        let Some(path) = self.function_override(name.as_str()) else {
            return Ok(self.table(name.as_str())?.map(Function::Foreign));
        };
        let unit = self.load(&path)?;
        match misses_function(&unit.program, &path, name) {
            Some(failure) => Err(Arc::new(failure)),
            None => Ok(read(&self.known)
                .functions
                .get(&name)
                .and_then(|found| found.given(&mut Remarks::default()))),
        }
    }

    /// The file in which a module, or the environment itself, writes in Ruby the function that a name means to a module: its own comes
    /// before those of the modules that it depends on, and these before others'.
    pub fn ruby_function(&self, caller: Option<Name>, name: &str) -> Option<PathBuf> {
        self.ruby_function_in(RUBY_FUNCTIONS, caller, name)
    }

    /// The file in which a module, or the environment itself, writes the function of that name for the old API.
    pub fn old_ruby_function(&self, name: &str) -> Option<PathBuf> {
        self.ruby_function_in(&[OLD_RUBY_FUNCTIONS], None, name)
    }

    fn ruby_function_in(&self, directories: &[&str], caller: Option<Name>, name: &str) -> Option<PathBuf> {
        let file = format!("{}.rb", name.replace("::", "/"));
        let caller = caller.filter(|_| !name.contains("::")).and_then(|name| self.module(&name));
        let near = caller.into_iter().flat_map(|module| iter::once(module).chain(self.dependencies(module)));
        let modules = near.chain(&self.modules).map(|module| &module.root);
        let seen = self.root.iter().chain(modules);
        let seen = seen.flat_map(|root| directories.iter().map(|of| root.join("lib").join(of)));
        let hidden = self.libraries.iter().map(|library| library.join(OLD_RUBY_FUNCTIONS));
        let mut candidates = seen.chain(hidden).map(|directory| directory.join(&file));
        self.reading(|world| candidates.find(|path| world.exists(path)))
    }

    /// The modules that a module's metadata names as those it needs, as far as they are there.
    fn dependencies(&self, module: &Module) -> impl Iterator<Item = &Module> {
        let named = self.metadata(module).and_then(|metadata| metadata["dependencies"].as_array());
        let named = named.into_iter().flatten().filter_map(|dependency| dependency["name"].as_str());
        named.filter_map(|name| self.module(name.rsplit(['/', '-']).next()?))
    }

    /// Whether a built-in function is there and counts: what stdlib writes in Puppet, or in a version whose Ruby says something else,
    /// is as the module at hand has it, and what it dropped in version 9 needs an older one among the modules.
    fn offers(&self, function: &Registered, heard: &mut Remarks) -> bool {
        if function.origin != FunctionOrigin::Core
            && self.path_of(CodeKind::Function, function.builtin.name, heard).is_some()
        {
            return false;
        }
        if function.origin == FunctionOrigin::Beside
            && self.ruby_function(None, function.builtin.name).is_some()
        {
            return false;
        }
        if function.origin.is_stdlib()
            && !function.builtin.is(Quality::BeyondRuby)
            && !self.is_familiar(function)
        {
            return false;
        }
        function.origin != FunctionOrigin::FormerStdlib || self.stdlib().is_some_and(|major| major < 9)
    }

    /// Whether the stdlib at hand has under the name of a built-in function just what that does, or has no functions in Ruby at all.
    fn is_familiar(&self, function: &Registered) -> bool {
        let (Some(module), Some(_)) = (self.module("stdlib"), &self.extensions) else {
            return true;
        };
        let name = function.builtin.name;
        if let Some(known) = read(&self.familiar).get(name) {
            return *known;
        }
        let file = format!("{}.rb", name.replace("::", "/"));
        let directories = RUBY_FUNCTIONS.iter().map(|directory| module.root.join("lib").join(directory));
        let familiar = self.reading(|world| {
            match directories.clone().find_map(|directory| world.read(&directory.join(&file)).ok()) {
                Some(text) => self.registry.takes_the_place_of(name, &text),
                None => directories.clone().all(|directory| world.list(&directory).is_empty()),
            }
        });
        write(&self.familiar).insert(name, familiar);
        familiar
    }

    /// The major version of puppetlabs-stdlib among the modules.
    pub fn stdlib(&self) -> Option<u32> {
        *self.stdlib.get_or_init(|| {
            let version = self.metadata(self.module("stdlib")?)?["version"].as_str()?;
            version.split('.').next()?.parse().ok()
        })
    }

    /// The type alias of that name (lower case), loading files as needed.
    pub fn alias(
        &self,
        lower: Name,
        heard: &mut Remarks,
    ) -> Result<Option<Arc<KnownAlias>>, Arc<Diagnostic>> {
        if let Some(found) = read(&self.known).aliases.get(&lower) {
            return Ok(found.given(heard));
        }
        let mut consulted = Remarks::default();
        if let Some(path) = self.path_of(CodeKind::Type, lower.as_str(), &mut consulted) {
            let unit = self.load(&path)?;
            if let Some(failure) = misses_type(&unit.program, &path, lower) {
                heard.extend(&unit.remarks);
                return Err(Arc::new(failure));
            }
        }
        let absent = Found::Absent(consulted);
        Ok(write(&self.known).aliases.entry(lower).or_insert(absent).given(heard))
    }

    /// The file a function or type of that name stands in, if there is one.
    pub(crate) fn path_of(&self, kind: CodeKind, name: &str, heard: &mut Remarks) -> Option<PathBuf> {
        // A type that is called like a module is the module's set of types.
        let (first, rest) = name.split_once("::").unwrap_or((name, "init_typeset"));
        let rest = rest.split("::");
        if first == "environment" {
            let find = |rest: &mut dyn Iterator<Item = &str>| {
                let root = self.root.as_ref()?;
                self.reading(|world| self.root_files.find(world, root, kind, rest))
            };
            return find(&mut rest.clone()).or_else(|| find(&mut std::iter::once(first).chain(rest)));
        }
        let module = self.module(first)?;
        self.module_file(module, kind, rest).filter(|_| self.is_sound(module, heard))
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
            let foreign = self.extensions.as_ref().and_then(|brought| brought.resource_type(self, lower));
            foreign.or_else(|| types::bundled(lower).cloned())
        };
        let found = found.map(Arc::new);
        // That there is none is worth remembering only of what a text names: there is no end to what can be computed.
        if found.is_none() && Name::existing(lower).is_none() {
            return None;
        }
        write(&self.resource_types).entry(lower.into()).or_insert(found).clone()
    }

    /// Reads the resource type of that name (lower case) before anyone asks for it, if a module has it and no code has to run for that.
    pub(crate) fn read_type(&self, lower: &str) {
        let is_elsewhere = || types::core(lower).is_some() || self.generated_type_file(lower).is_some();
        if lower.contains(':') || read(&self.resource_types).contains_key(lower) || is_elsewhere() {
            return;
        }
        let found = self.extensions.as_ref().and_then(|brought| brought.readable_type(self, lower));
        if let Some(found) = found {
            write(&self.resource_types).entry(lower.into()).or_insert(Some(Arc::new(found)));
        }
    }

    /// Where `puppet generate types` has written down the type of that name for this environment.
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

    /// The classes that are known so far, for suggestions.
    pub(crate) fn class_names(&self) -> Vec<Name> {
        let known = read(&self.known);
        let mut names: Vec<Name> =
            known.classes.iter().filter(|(_, found)| found.is_there()).map(|(name, _)| *name).collect();
        names.sort_unstable();
        names
    }

    /// The functions written in Puppet that are known so far, for suggestions.
    pub fn function_names(&self) -> Vec<Name> {
        let known = read(&self.known);
        let mut names: Vec<Name> =
            known.functions.iter().filter(|(_, found)| found.is_there()).map(|(name, _)| *name).collect();
        names.sort_unstable();
        names
    }

    /// The function of that name, if it is written in Puppet.
    pub fn puppet_function(&self, name: Name) -> Option<Arc<Defined<PuppetFunction>>> {
        match self.function(name, None, &mut Remarks::default()) {
            Ok(Some(Function::Puppet(function))) => Some(function),
            _ => None,
        }
    }
}

/// What makes a `metadata.json` good enough, read without keeping any of it, since nearly all are; what these fields cannot hold is looked at
/// more closely.
#[derive(serde::Deserialize)]
struct SoundMetadata {
    source: Option<IgnoredAny>,
    author: Option<IgnoredAny>,
    version: Option<IgnoredAny>,
    license: Option<IgnoredAny>,
    #[serde(rename = "dependencies")]
    _dependencies: Vec<IgnoredAny>,
}

impl SoundMetadata {
    fn is_complete(&self) -> bool {
        [&self.source, &self.author, &self.version, &self.license].iter().all(|field| field.is_some())
    }
}

/// Why a `metadata.json` is not good enough to make its directory a module.
fn metadata_fault(module: &str, bytes: &[u8], is_strict: bool) -> Option<String> {
    if bytes.is_empty()
        || serde_json::from_slice::<SoundMetadata>(bytes).is_ok_and(|found| found.is_complete())
    {
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

/// What is wrong with a file that does not define the function it is named after, which it has to spell in lower case.
fn misses_function(program: &Program, path: &Path, name: Name) -> Option<Diagnostic> {
    let file = path.display();
    let mut functions = program.definitions.iter().filter_map(|definition| match definition {
        Definition::Function(function) => Some(function.name),
        _ => None,
    });
    let reason = match (program.definitions.is_empty(), functions.next()) {
        (true, _) => "it is empty",
        (_, None) => "no function found",
        (_, Some(first)) if first == name || functions.any(|other| other == name) => return None,
        (_, Some(actual)) => return Some(diagnostic!(MISNAMED_FUNCTION { file, name, actual })),
    };
    Some(diagnostic!(FILE_WITHOUT_FUNCTION { file, name, reason }))
}

/// What is wrong with a file that is to define one type and nothing else.
fn misses_type(program: &Program, path: &Path, lower: Name) -> Option<Diagnostic> {
    let (file, name) = (path.display(), lower);
    Some(match program.definitions.as_slice() {
        [] => diagnostic!(FILE_WITHOUT_TYPE { file, name, reason: "it is empty" }),
        [Definition::TypeAlias(alias)] if alias.name.eq_ignore_ascii_case(&lower) => return None,
        [Definition::TypeAlias(alias)] => diagnostic!(MISNAMED_TYPE { file, name, actual: alias.name }),
        [_] => {
            diagnostic!(FILE_WITHOUT_TYPE { file, name, reason: "no type alias or type definition found" })
        }
        _ => diagnostic!(CROWDED_TYPE_FILE { file, name }),
    })
}

/// The name that functions are known by, in whatever case they are called.
fn in_lower_case(name: Name) -> Name {
    match name.as_str().bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Name::new(&name.as_str().to_lowercase()),
        false => name,
    }
}

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(|poisoned| poisoned.into_inner())
}
