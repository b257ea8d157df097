//! The module path: which modules there are, where their files lie, and what their `metadata.json` says.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use kukla_syntax::Strict;
use kukla_syntax::validate::{ModuleDirectories, OwnModule, is_module_name};
use kukla_values::Name;
use kukla_world::World;
use kukla_world::record::{InputSet, tracked};
use rustc_hash::FxHashMap;

use super::Environment;
use super::code::{CodeFiles, CodeKind};
use super::metadata::metadata_fault;
use crate::remark::{Remark, Remarks};

/// A module of the environment.
#[derive(Debug)]
pub struct Module {
    /// Its name: that of its directory.
    pub name: Name,
    /// Its directory.
    pub root: PathBuf,
    metadata: OnceLock<Option<serde_json::Value>>,
    /// The reason why no code can be loaded from it; empty if it can.
    fault: OnceLock<Remarks>,
    /// The manifest that is read before any other of the module, if it has one.
    init: OnceLock<Option<PathBuf>>,
    files: CodeFiles,
}

impl Module {
    fn new(name: Name, root: PathBuf) -> Module {
        Module {
            name,
            root,
            metadata: OnceLock::new(),
            fault: OnceLock::new(),
            init: OnceLock::new(),
            files: CodeFiles::default(),
        }
    }
}

/// The modules of an environment and where code lies in it.
#[derive(Debug)]
pub(super) struct ModuleLayout {
    modulepath: Vec<PathBuf>,
    modules: Vec<Module>,
    by_name: FxHashMap<Name, usize>,
    libraries: Vec<PathBuf>,
    own: Option<OwnModule>,
    /// The code of the environment's own directory.
    own_files: CodeFiles,
}

impl ModuleLayout {
    /// Lists the directories of a module path; what was read is added to `inputs`.
    pub fn list(
        world: &dyn World,
        modulepath: Vec<PathBuf>,
        own: Option<OwnModule>,
        inputs: &mut InputSet,
    ) -> ModuleLayout {
        let mut modules: Vec<Module> = Vec::new();
        let mut by_name = FxHashMap::default();
        let mut libraries = Vec::new();
        if let Some(OwnModule { name, root }) = &own {
            let name = Name::new(name);
            by_name.insert(name, 0);
            libraries.push(root.join("lib"));
            modules.push(Module::new(name, root.clone()));
        }
        for directory in &modulepath {
            let (entries, listing) = tracked(world, |world| world.list(directory));
            inputs.extend(&listing);
            for entry in entries.into_iter().filter(|entry| entry.is_directory) {
                let root = directory.join(&entry.name);
                if own.as_ref().is_some_and(|own| own.root == root) {
                    continue;
                }
                if !entry.name.starts_with('.') {
                    libraries.push(root.join("lib"));
                }
                if !is_module_name(&entry.name) {
                    continue;
                }
                let name = Name::new(&entry.name);
                by_name.entry(name).or_insert_with(|| {
                    modules.push(Module::new(name, root));
                    modules.len() - 1
                });
            }
        }
        ModuleLayout { modulepath, modules, by_name, libraries, own, own_files: CodeFiles::default() }
    }

    pub fn modulepath(&self) -> &[PathBuf] {
        &self.modulepath
    }

    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    pub fn libraries(&self) -> &[PathBuf] {
        &self.libraries
    }

    pub fn module(&self, name: &str) -> Option<&Module> {
        self.by_name.get(&Name::existing(name)?).map(|&at| &self.modules[at])
    }

    /// The directories where modules lie.
    pub fn directories(&self) -> ModuleDirectories<'_> {
        ModuleDirectories { own: self.own.as_ref(), modulepath: &self.modulepath, here: Path::new("") }
    }

    pub fn module_of(&self, path: &Path) -> Option<Name> {
        let file = self.directories().locate(path)?;
        self.module(&file.module).map(|module| module.name)
    }
}

impl Environment {
    /// The contents of a module's `metadata.json`.
    pub fn metadata<'s>(&self, module: &'s Module) -> Option<&'s serde_json::Value> {
        let read = |world: &dyn World| world.read(&module.root.join("metadata.json"));
        let parse = || serde_json::from_slice(&self.reading(read).ok()?).ok();
        module.metadata.get_or_init(parse).as_ref()
    }

    /// The modules that a module's metadata names as dependencies, as far as they are installed.
    pub(super) fn dependencies(&self, module: &Module) -> impl Iterator<Item = &Module> {
        let named = self.metadata(module).and_then(|metadata| metadata["dependencies"].as_array());
        let named = named.into_iter().flatten().filter_map(|dependency| dependency["name"].as_str());
        named.filter_map(|name| self.module(name.rsplit(['/', '-']).next()?))
    }

    /// Whether code can be loaded from a module: to Puppet one with a faulty `metadata.json` does not exist.
    pub(super) fn is_sound(&self, module: &Module, heard: &mut Remarks) -> bool {
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

    /// The file of a module that defines something of that name (without the module's), if it exists.
    pub(crate) fn module_file<'n>(
        &self,
        module: &Module,
        kind: CodeKind,
        name: impl Iterator<Item = &'n str>,
    ) -> Option<PathBuf> {
        self.reading(|world| module.files.find(world, &module.root, kind, name))
    }

    /// The manifest that is read before any other of a module, if it has one.
    pub(super) fn init_manifest<'m>(&self, module: &'m Module) -> Option<&'m PathBuf> {
        let find = || self.module_file(module, CodeKind::Manifest, std::iter::once("init"));
        module.init.get_or_init(find).as_ref()
    }

    /// The file that defines the function or type of that name, if it exists.
    pub(crate) fn path_of(&self, kind: CodeKind, name: &str, heard: &mut Remarks) -> Option<PathBuf> {
        // A type that is called like a module is the module's set of types.
        let (first, rest) = name.split_once("::").unwrap_or((name, "init_typeset"));
        let rest = rest.split("::");
        if first == "environment" {
            let find = |rest: &mut dyn Iterator<Item = &str>| {
                let root = self.root.as_ref()?;
                self.reading(|world| self.layout.own_files.find(world, root, kind, rest))
            };
            return find(&mut rest.clone()).or_else(|| find(&mut std::iter::once(first).chain(rest)));
        }
        let module = self.module(first)?;
        self.module_file(module, kind, rest).filter(|_| self.is_sound(module, heard))
    }
}
