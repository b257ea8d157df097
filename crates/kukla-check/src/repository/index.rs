//! The index of a repository: its definitions by name.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kukla::catalog::types::{self, NativeType};
use kukla::eval::registry::{FunctionOrigin, Registered};
use kukla::extensions::resource_type::{self, TypeLibrary};
use kukla::values::{Name, Str};
use kukla::world::World;
use kukla_ruby::outline::Outline as RubyOutline;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::contribution::{Candidates, Changes};
use super::counted::Counted;
use super::definition::{Definition, Kind, Parameter};
use super::facts::Facts;
use super::ruby::{self, RubyFiles, RubyFunction};
use super::survey::{Shape, Survey};
use super::types::TypeReader;
use crate::data::Bindings;

/// A definition of a name, and the one that precedes it.
pub type DuplicateDefinition = (Arc<Definition>, Arc<Definition>);

/// The named definitions of a repository.
#[derive(Debug)]
pub struct Index {
    /// Its files.
    pub survey: Arc<Survey>,
    /// Classes by name.
    pub classes: FxHashMap<Str, Arc<Definition>>,
    /// Defined types by name.
    pub defines: FxHashMap<Str, Arc<Definition>>,
    /// Functions in Puppet by name.
    pub functions: FxHashMap<Str, Arc<Definition>>,
    /// Type aliases by name.
    pub aliases: FxHashMap<Str, Arc<Definition>>,
    /// Duplicate definitions of names, each with the first one.
    pub duplicates: FxHashMap<(Kind, Str), Vec<DuplicateDefinition>>,
    /// Variables that site manifests set at top scope.
    pub variables: Counted<Str>,
    /// The types of parameters.
    pub types: Arc<TypeReader>,
    /// Facts.
    pub facts: Facts,
    /// The parameters of EPP templates by `module/name`; `None` if they declare none.
    pub templates: FxHashMap<String, Option<Arc<Vec<Parameter>>>>,
    /// The variables that ERB templates iterate over, by the names of the templates.
    pub iterated: FxHashMap<String, Vec<String>>,
    /// Resource types that have defaults or overrides somewhere, which may add the attributes that a declaration lacks.
    pub defaulted: Counted<Str>,
    /// The keys that data binds.
    pub data: Bindings,
    /// Data keys that are looked up by literal names.
    pub looked_up: Counted<String>,
    /// The literal beginnings and ends of computed data keys.
    pub computed_keys: Counted<(String, String)>,
    /// Classes that are declared with parameters somewhere.
    pub declared: Counted<Str>,
    /// The titles of all resources by type.
    pub titles: FxHashMap<Str, Titles>,
    /// The names of all variables that are set anywhere.
    pub set_names: Counted<Str>,
    /// EPP templates that get parameters with computed names; an empty name means any template.
    pub open_templates: Counted<String>,
    /// Names that texts with syntax errors may define.
    pub(super) uncertain_names: Counted<Str>,
    /// The texts in which some resources have a computed type.
    pub(super) computed_types: Counted<()>,
    /// The classes that each class always requires, with the places of the files that say so.
    pub requires: FxHashMap<Str, Vec<(usize, Str)>>,
    /// All definitions of each name.
    pub(super) candidates: Candidates,
    /// Names of which no definition is chosen, although there are several.
    pub(super) ambiguous: FxHashSet<(Kind, Str)>,
    /// The parts that have changed since the last check.
    pub changes: Changes,
    ruby_functions: FxHashMap<String, RubyFunction>,
    ruby_types: RubyTypes,
    ruby_data_types: FxHashSet<String>,
    /// The major version of puppetlabs-stdlib, if it is here and has a version.
    stdlib: Option<u32>,
    modules: FxHashSet<String>,
    /// A number that changes whenever something changes that [questions](super::Question) and definitions do not cover.
    pub base: u64,
    /// A number that changes whenever a definition gets another name, is added or is removed.
    pub names: u64,
}

/// The titles of the resources of a type.
#[derive(Debug, Default)]
pub struct Titles {
    /// Literal titles.
    pub known: Counted<Str>,
    /// Titles of resources that also have a computed name.
    pub renamed: Counted<Str>,
    /// The literal beginnings and ends of computed titles.
    pub computed: Counted<(String, String)>,
    /// Titles of which nothing is known.
    pub(super) open: Counted<()>,
}

impl Titles {
    /// A number that changes whenever a literal title is added or removed.
    pub fn fingerprint(&self) -> u64 {
        self.known.fingerprint()
    }

    /// Whether there are no titles.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty() && self.renamed.is_empty() && self.computed.is_empty() && self.open.is_empty()
    }

    /// Whether a title may be one of the computed ones.
    pub fn may_be_computed(&self, title: &str) -> bool {
        !self.open.is_empty() || self.computed.iter().any(|ends| is_between(title, ends))
    }
}

/// Whether a text has this beginning and end, without overlap.
fn is_between(text: &str, (head, tail): &(String, String)) -> bool {
    text.len() >= head.len() + tail.len() && text.starts_with(head.as_str()) && text.ends_with(tail.as_str())
}

/// The definition of a resource's type.
#[derive(Clone, Debug)]
pub enum Resource {
    /// A defined type.
    Define(Arc<Definition>),
    /// A resource type of the agent.
    Native(Arc<NativeType>),
    /// It may exist in a module that is not here.
    Elsewhere,
    /// It does not exist.
    Missing,
}

/// The target of a call.
#[derive(Clone, Debug)]
pub enum Callee<'i> {
    /// A built-in function.
    Builtin(&'static Registered),
    /// A function in Puppet.
    Puppet(Arc<Definition>),
    /// A function in Ruby.
    Ruby(&'i RubyFunction),
    /// It may exist in a module that is not here.
    Elsewhere,
    /// It does not exist.
    Missing,
}

/// The part of an index that the next index of the same repository reuses.
#[derive(Debug, Default)]
pub struct IndexCache {
    ruby: RubyFiles,
    types: Mutex<Option<(u64, Arc<TypeReader>)>>,
}

impl IndexCache {
    /// The Ruby files of modules.
    pub fn ruby_files(&self) -> &RubyFiles {
        &self.ruby
    }

    /// A reader of types with these aliases, from the cache if they have not changed.
    fn types(&self, aliases: &FxHashMap<Str, Arc<Definition>>) -> Arc<TypeReader> {
        let mut sorted: Vec<&Arc<Definition>> = aliases.values().collect();
        sorted.sort_by(|a, b| a.name.cmp(&b.name));
        let mut hasher = FxHasher::default();
        sorted.iter().for_each(|alias| alias.fingerprint().hash(&mut hasher));
        let mut cache = self.types.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, types)) = &*cache
            && *known == hasher.finish()
        {
            return Arc::clone(types);
        }
        let types = Arc::new(TypeReader::new(sorted.iter().map(|alias| &***alias)));
        *cache = Some((hasher.finish(), Arc::clone(&types)));
        types
    }
}

/// Names that a configuration declares because they are set outside of the repository.
#[derive(Clone, Debug, Default)]
pub struct DeclaredNames {
    /// Top-scope variables.
    pub variables: Vec<String>,
    /// Facts.
    pub facts: Vec<String>,
}

impl Index {
    /// The index of a repository without its texts, which [contribute](Index::replace) to it one by one.
    pub fn new(
        world: &Arc<dyn World>,
        survey: Arc<Survey>,
        declared: &DeclaredNames,
        cache: &IndexCache,
    ) -> Index {
        let mut index = Index {
            classes: FxHashMap::default(),
            defines: FxHashMap::default(),
            functions: FxHashMap::default(),
            aliases: FxHashMap::default(),
            duplicates: FxHashMap::default(),
            variables: Counted::default(),
            types: Arc::default(),
            facts: Facts::default(),
            templates: FxHashMap::default(),
            iterated: FxHashMap::default(),
            defaulted: Counted::default(),
            data: Bindings::default(),
            looked_up: Counted::default(),
            computed_keys: Counted::default(),
            declared: Counted::default(),
            titles: FxHashMap::default(),
            set_names: Counted::default(),
            open_templates: Counted::default(),
            uncertain_names: Counted::default(),
            computed_types: Counted::default(),
            requires: FxHashMap::default(),
            candidates: FxHashMap::default(),
            ambiguous: FxHashSet::default(),
            changes: Changes::any(),
            ruby_functions: FxHashMap::default(),
            ruby_data_types: FxHashSet::default(),
            ruby_types: RubyTypes { world: Arc::clone(world), ..RubyTypes::default() },
            stdlib: None,
            modules: survey.modules.iter().map(|module| module.name.clone()).collect(),
            base: 0,
            names: 0,
            survey,
        };
        index.variables.extend(declared.variables.iter().map(|name| name.trim_start_matches("::").into()));
        index.facts.own.extend(declared.facts.iter().cloned());
        index.facts.is_declared = !declared.variables.is_empty() || !declared.facts.is_empty();
        index.ruby(&**world, &cache.ruby);
        index.stdlib = index.survey.module("stdlib").and_then(|module| {
            let version = module.metadata.as_ref()?.get("version")?.as_str()?;
            version.split('.').next()?.parse().ok()
        });
        // Every catalog has this stage.
        index.titles.entry("stage".into()).or_default().known.extend(["main".into()]);
        index
    }

    /// Replaces the data.
    pub fn set_data(&mut self, data: Bindings) {
        self.data = data;
        self.changes.data = true;
    }

    /// Completes the index after contributions have changed.
    pub fn complete(&mut self, cache: &IndexCache) {
        let has_new_types = self.changes.definitions.iter().any(|(kind, _)| *kind == Kind::Alias);
        if self.changes.all || has_new_types {
            self.types = cache.types(&self.aliases);
        }
        self.base = self.fingerprint();
        self.names = self.names();
    }

    /// Whether some resources have a computed type, so that they may be of any type.
    pub fn has_computed_types(&self) -> bool {
        !self.computed_types.is_empty()
    }

    /// The definitions of a kind.
    pub fn table(&self, kind: Kind) -> &FxHashMap<Str, Arc<Definition>> {
        match kind {
            Kind::Class => &self.classes,
            Kind::Define => &self.defines,
            Kind::Function => &self.functions,
            Kind::Alias => &self.aliases,
        }
    }

    pub(super) fn table_mut(&mut self, kind: Kind) -> &mut FxHashMap<Str, Arc<Definition>> {
        match kind {
            Kind::Class => &mut self.classes,
            Kind::Define => &mut self.defines,
            Kind::Function => &mut self.functions,
            Kind::Alias => &mut self.aliases,
        }
    }

    fn ruby(&mut self, world: &dyn World, files: &RubyFiles) {
        let survey = Arc::clone(&self.survey);
        for module in &survey.modules {
            for path in &module.ruby {
                let read = || files.read(world, &module.root.join("lib").join(path));
                if let Some(name) = ruby::function_name(path) {
                    let known = kukla::registry().get(Name::new(&name)).is_some();
                    let file = (!known).then(read).filter(|file| file.syntax_error.is_none());
                    let signatures = file.map(|file| file.signatures(&name)).unwrap_or_default();
                    self.ruby_functions.entry(name.clone()).or_insert(RubyFunction { name, signatures });
                } else if let Some(name) =
                    path.strip_prefix("puppet/type/").and_then(|name| name.strip_suffix(".rb"))
                {
                    let path = module.root.join("lib").join(path);
                    self.ruby_types.files.entry(name.into()).or_insert((path, OnceLock::new()));
                } else if let Some(name) = path.strip_prefix("puppet/datatypes/") {
                    let name = name.trim_end_matches(".rb").replace('/', "::").replace('_', "");
                    self.ruby_data_types.insert(name);
                } else if let Some(rest) = path.strip_prefix("puppet/provider/") {
                    let name = rest.split('/').next().unwrap_or_default();
                    self.ruby_types.providers.insert(name.to_owned());
                } else if path.starts_with("facter/") {
                    let file = read();
                    let stem = path.rsplit('/').next().and_then(|name| name.strip_suffix(".rb"));
                    self.facts.own.extend(stem.map(str::to_owned));
                    self.facts.own.extend(file.facts.iter().cloned());
                    self.facts.open |= file.has_computed_facts;
                }
            }
            self.facts.open |= !module.facts.is_empty();
            self.ruby_types.libraries.push(module.root.join("lib"));
        }
        let root = self.survey.root.join("facts");
        for entry in world.list(&root) {
            // A module may be called `facts`.
            if self.survey.shape != Shape::Control || entry.is_directory {
                continue;
            }
            let read = world.read(&root.join(&entry.name)).unwrap_or_default();
            for file in kukla::facts::FactFile::parse(&read, &entry.name).unwrap_or_default() {
                self.facts.has_fact_sets = true;
                self.facts
                    .own
                    .extend(file.facts.iter().filter_map(|(name, _)| name.as_str().map(str::to_owned)));
            }
        }
    }

    /// The names of all definitions, and of those that texts with syntax errors may contain.
    fn names(&self) -> u64 {
        let tables = [&self.classes, &self.defines, &self.functions, &self.aliases];
        let known =
            tables.iter().zip(0u8..).flat_map(|(table, kind)| table.keys().map(move |name| (kind, name)));
        unordered(known).rotate_left(1).wrapping_add(self.uncertain_names.fingerprint())
    }

    fn fingerprint(&self) -> u64 {
        let parts = [
            unordered(self.aliases.values().map(|alias| (&alias.name, &alias.ty))),
            self.variables.fingerprint(),
            unordered(&self.facts.own),
            unordered(self.ruby_functions.keys()),
            unordered(self.iterated.iter()),
            self.survey.fingerprint(),
        ];
        let flags = (self.facts.is_closed(), self.facts.open);
        let mut hasher = FxHasher::default();
        (parts, flags).hash(&mut hasher);
        hasher.finish()
    }

    /// Whether code looks up a data key, or may do so.
    pub fn looks_up(&self, key: &str) -> bool {
        self.looked_up.contains(key) || self.computed_keys.iter().any(|ends| is_between(key, ends))
    }

    /// The name by which a template of a module is rendered.
    pub fn template_name(&self, path: &Path) -> Option<String> {
        let of = |module: &super::Module| {
            let inside = path.strip_prefix(module.root.join("templates")).ok()?;
            Some(format!("{}/{}", module.name, inside.to_str()?))
        };
        self.survey.modules.iter().find_map(of)
    }

    /// Whether the module that a qualified name begins with is here, so that a missing name is an error.
    pub fn owns(&self, name: &str) -> bool {
        let first = name.split("::").next().unwrap_or(name);
        self.modules.contains(first)
    }

    /// Whether a module of that name is here.
    pub fn has_module(&self, name: &str) -> bool {
        self.modules.contains(name)
    }

    /// Whether a missing name cannot be defined elsewhere. `complete`: whether all modules that could define it are here.
    pub fn is_nowhere(&self, name: &str, complete: bool) -> bool {
        (complete || self.owns(name)) && !self.is_uncertain(name)
    }

    /// Whether a text with syntax errors may define a name. In such a text, the class around a definition is unknown.
    pub fn is_uncertain(&self, name: &str) -> bool {
        let name = super::plain(name);
        let last = name.rsplit("::").next().unwrap_or_default();
        self.uncertain_names.contains(&name) || self.uncertain_names.contains(last)
    }

    /// The definition of a resource type, by its name in lower case.
    pub fn resource(&self, name: &str, complete: bool) -> Resource {
        if let Some(define) = self.defines.get(name) {
            return Resource::Define(Arc::clone(define));
        }
        if let Some(native) = self.native(name) {
            return Resource::Native(native);
        }
        let certain = (complete || name.contains("::")) && self.is_nowhere(name, complete);
        if certain && name != "class" && name != "node" { Resource::Missing } else { Resource::Elsewhere }
    }

    fn native(&self, name: &str) -> Option<Arc<NativeType>> {
        let builtin = |native: &'static NativeType| Arc::new(native.clone());
        types::core(name)
            .map(builtin)
            .or_else(|| self.ruby_types.get(name))
            .or_else(|| types::bundled(name).map(builtin))
    }

    /// The file of a resource type that a module defines in Ruby and that is not built in.
    pub fn ruby_type(&self, name: &str) -> Option<&Path> {
        let (path, _) = self.ruby_types.files.get(name)?;
        (!self.defines.contains_key(name) && types::core(name).is_none()).then_some(path)
    }

    /// The number of resource types in Ruby that defined types replace.
    pub fn replaced_types(&self) -> usize {
        self.ruby_types.files.keys().filter(|name| self.defines.contains_key(name.as_str())).count()
    }

    /// The target of a call of that name.
    pub fn function(&self, name: &str, complete: bool) -> Callee<'_> {
        let plain = name.strip_prefix("::").unwrap_or(name);
        // The module's own version has the exact signature.
        let is_core =
            |found: &Registered| matches!(found.origin, FunctionOrigin::Core | FunctionOrigin::Beside);
        if let Some(function) = self.functions.get(plain)
            && !kukla::registry().get(Name::new(plain)).is_some_and(is_core)
        {
            return Callee::Puppet(Arc::clone(function));
        }
        if let Some(found) = kukla::registry().get(Name::new(plain)) {
            let major = self.stdlib.unwrap_or(9);
            let special = kukla::registry().in_stdlib(Name::new(plain), major);
            let (is_here, is_known) = (self.has_module("stdlib"), complete);
            match found.origin {
                FunctionOrigin::FormerStdlib
                    if major >= 9 && is_here && !self.ruby_functions.contains_key(plain) => {}
                _ if is_core(found) => return Callee::Builtin(found),
                // The Puppetfile installs some version, whose signatures are not known.
                _ if !is_here && self.survey.not_installed.iter().any(|name| name == "stdlib") => {
                    return Callee::Elsewhere;
                }
                _ if is_here || !is_known => return Callee::Builtin(special.unwrap_or(found)),
                _ => {}
            }
        }
        if let Some(function) = self.ruby_functions.get(plain) {
            return Callee::Ruby(function);
        }
        let certain = (complete || plain.contains("::")) && self.is_nowhere(plain, complete);
        if certain { Callee::Missing } else { Callee::Elsewhere }
    }

    /// Whether a module may define a data type of that name in Ruby, or in a type set.
    pub fn has_ruby_data_type(&self, name: &str) -> bool {
        let module = name.split("::").next().unwrap_or(name);
        self.ruby_data_types.contains(&name.replace('_', ""))
            || self.aliases.get(module).is_some_and(|alias| alias.ty.is_none())
    }

    /// The names of all functions that can be called.
    pub fn function_names(&self) -> Vec<&str> {
        let registry = kukla::registry();
        let builtin = registry
            .names()
            .into_iter()
            .filter(|name| matches!(self.function(name.as_str(), self.survey.complete), Callee::Builtin(_)));
        let mut names: Vec<&str> = builtin.map(|name| name.as_str()).collect();
        names.extend(self.functions.keys().map(|name| name.as_str()));
        names.extend(self.ruby_functions.keys().map(String::as_str));
        names
    }

    /// The names of all resource types.
    pub fn resource_names(&self) -> Vec<&str> {
        let builtin = types::builtin().map(|native| native.name);
        let own = self.ruby_types.files.keys().map(String::as_str);
        builtin.chain(own).chain(self.defines.keys().map(|name| name.as_str())).collect()
    }

    /// Whether the repository defines types of objects, whose attributes are called like functions.
    pub fn has_object_types(&self) -> bool {
        let is_object = |alias: &Arc<Definition>| {
            alias.ty.as_deref().is_some_and(|text| text.contains("Object") || text.starts_with('{'))
        };
        !self.ruby_data_types.is_empty() || self.aliases.values().any(is_object)
    }

    /// A class and its ancestors, nearest first, and whether all ancestors are known.
    pub fn lineage(&self, name: &str) -> (Vec<Arc<Definition>>, bool) {
        let mut found: Vec<Arc<Definition>> = Vec::new();
        let mut next = Some(Str::from(name));
        while let Some(name) = next {
            match self.classes.get(&name) {
                Some(class) if found.iter().all(|known| known.name != class.name) => {
                    next = class.parent.clone();
                    found.push(Arc::clone(class));
                }
                Some(_) => break,
                None => return (found, false),
            }
        }
        (found, true)
    }
}

/// A fingerprint of elements whose order does not matter.
pub fn unordered<T: Hash>(elements: impl IntoIterator<Item = T>) -> u64 {
    let hash = |element: T| {
        let mut hasher = FxHasher::default();
        element.hash(&mut hasher);
        hasher.finish()
    };
    elements.into_iter().map(hash).fold(0, u64::wrapping_add)
}

/// A type that is read on first use.
type Reading = OnceLock<Option<Arc<NativeType>>>;

/// The resource types that modules define in Ruby, each read on first use.
#[derive(Debug)]
struct RubyTypes {
    world: Arc<dyn World>,
    files: FxHashMap<String, (PathBuf, Reading)>,
    providers: FxHashSet<String>,
    libraries: Vec<PathBuf>,
    /// The files that types require, by their paths below `lib`.
    required: Mutex<FxHashMap<String, Option<Arc<RubyOutline>>>>,
}

impl Default for RubyTypes {
    fn default() -> RubyTypes {
        RubyTypes {
            world: Arc::new(kukla::MemoryWorld::default()),
            files: FxHashMap::default(),
            providers: FxHashSet::default(),
            libraries: Vec::new(),
            required: Mutex::default(),
        }
    }
}

impl RubyTypes {
    fn get(&self, name: &str) -> Option<Arc<NativeType>> {
        let (path, slot) = self.files.get(name)?;
        let read = || {
            let text = self.world.read(path).ok()?;
            let outline = RubyOutline::new(&String::from_utf8_lossy(&text));
            let is_readable = outline.syntax_error().is_none();
            is_readable.then(|| resource_type::read(name, &outline, self)).flatten().map(Arc::new)
        };
        let unreadable = || {
            let open = resource_type::TypeModel::default();
            let mut native = open.into_type(name);
            native.open = true;
            Some(Arc::new(native))
        };
        slot.get_or_init(|| read().or_else(unreadable)).clone()
    }
}

impl TypeLibrary for RubyTypes {
    fn outline(&self, path: &str) -> Option<Arc<RubyOutline>> {
        let required = || self.required.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = required().get(path) {
            return known.clone();
        }
        let read = |library: &PathBuf| self.world.read(&library.join(path)).ok();
        let bytes = self.libraries.iter().find_map(read);
        let outline = bytes.map(|bytes| Arc::new(RubyOutline::new(&String::from_utf8_lossy(&bytes))));
        required().insert(path.to_owned(), outline.clone());
        outline
    }

    fn has_providers(&self, type_name: &str) -> bool {
        self.providers.contains(type_name)
    }
}
