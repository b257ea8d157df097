//! The survey of a repository: its files, and the role of each.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use kukla::control::{BASE_MODULEPATH, Layout, split_path};
use kukla::syntax::validate::OwnModule;
use kukla::world::puppetfile::Puppetfile;
use kukla::world::{World, is_directory};
use kukla::{Diagnostic, Settings};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::gitignore::GitIgnore;
use super::root::is_marked;
use super::submodules;

/// The kind of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A control repository: site manifests, modules, data.
    Control,
    /// A module, which may be in a directory of modules.
    Module,
    /// A directory of modules.
    Modules,
    /// Files that belong to no repository.
    Loose,
}

/// The role of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Puppet code of a module, in `manifests`, `functions` or `types`.
    Module,
    /// A site manifest, or code that belongs to no module.
    Site,
    /// An EPP template.
    Template,
    /// Other Puppet code, such as an example, to which nothing refers.
    Extra,
}

/// A file with Puppet code.
#[derive(Clone, Debug)]
pub struct CodeFile {
    /// Its path.
    pub path: PathBuf,
    /// Its role.
    pub role: Role,
    /// The index of the module it belongs to.
    pub module: Option<usize>,
}

/// A module and the names of its files.
#[derive(Debug, Default)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// Its directory.
    pub root: PathBuf,
    /// The files in `templates`, by their paths below it.
    pub templates: FxHashSet<String>,
    /// The files and directories in `files`, by their paths below it.
    pub files: FxHashSet<String>,
    /// The Ruby files, by their paths below `lib`.
    pub ruby: Vec<String>,
    /// The names of the files of external facts.
    pub facts: Vec<String>,
    /// The contents of its metadata.json.
    pub metadata: Option<serde_json::Value>,
    /// Whether it has a hiera.yaml.
    pub has_data: bool,
    /// Pipes, sockets and devices among its files.
    pub special: Vec<PathBuf>,
    /// Whether it comes from elsewhere: a Puppetfile installs it, or git ignores it.
    pub is_third_party: bool,
}

/// A module that Puppet does not use because another one of the same name precedes it on the module path.
#[derive(Debug)]
pub struct HiddenModule {
    /// Its directory.
    pub root: PathBuf,
    /// The directory of the module that hides it.
    pub by: PathBuf,
}

/// The files of a repository.
#[derive(Debug)]
pub struct Survey {
    /// Its directory.
    pub root: PathBuf,
    /// Its kind.
    pub shape: Shape,
    /// The module, if the repository is one.
    pub own_module: Option<OwnModule>,
    /// The module path.
    pub modulepath: Vec<PathBuf>,
    /// The site manifest, a file or a directory.
    pub manifest: Option<PathBuf>,
    /// The modules, in search order.
    pub modules: Vec<Module>,
    /// The files with Puppet code.
    pub code: Vec<CodeFile>,
    /// Pipes, sockets and devices, which are not read.
    pub special: Vec<PathBuf>,
    /// Whether every required module is here, so that a missing name is an error.
    pub complete: bool,
    /// Modules that another one of the same name hides.
    pub hidden: Vec<HiddenModule>,
    /// Modules of the Puppetfile that are not installed, in order.
    pub not_installed: Vec<String>,
    /// The directories of those that are here, but not on the module path.
    pub installed: Vec<PathBuf>,
    /// Modules whose directories are empty.
    pub empty: Vec<String>,
    /// The directories of submodules of git that are not checked out.
    pub submodules: Vec<PathBuf>,
    /// Directories of the module path that are outside of the repository and do not exist here.
    pub outside: Vec<String>,
    /// Whether every module of the Puppetfile is here.
    deployed: bool,
    /// Missing dependencies of modules: they may be required only by code that is not used.
    missing: FxHashSet<String>,
    /// Computed when first asked for.
    fingerprint: OnceLock<u64>,
}

impl Survey {
    /// The survey of a directory without a repository.
    pub fn empty(root: &Path) -> Survey {
        Survey {
            root: root.to_owned(),
            shape: Shape::Loose,
            own_module: None,
            modulepath: Vec::new(),
            manifest: None,
            modules: Vec::new(),
            code: Vec::new(),
            special: Vec::new(),
            complete: false,
            hidden: Vec::new(),
            not_installed: Vec::new(),
            installed: Vec::new(),
            empty: Vec::new(),
            submodules: Vec::new(),
            outside: Vec::new(),
            deployed: false,
            missing: FxHashSet::default(),
            fingerprint: OnceLock::new(),
        }
    }

    /// Lists the files of a repository. `modulepath` and `manifest` replace the module path and site manifest of the repository.
    pub fn of(
        world: &dyn World,
        root: &Path,
        shape: Shape,
        modulepath: &[PathBuf],
        manifest: Option<&Path>,
    ) -> Result<Survey, Box<Diagnostic>> {
        let mut survey = Survey {
            shape,
            own_module: if shape == Shape::Module { own_module(world, root) } else { None },
            modulepath: modulepath.to_vec(),
            submodules: submodules::absent(world, root),
            ..Survey::empty(root)
        };
        match shape {
            Shape::Control => {
                let layout = Layout::read(world, root, BASE_MODULEPATH, &Settings::default())?;
                if modulepath.is_empty() {
                    survey.modulepath = layout.modulepath;
                    survey.outside = outside_directories(world, root);
                }
                survey.manifest = Some(manifest.map_or(layout.manifest, Path::to_owned));
            }
            Shape::Modules if modulepath.is_empty() => survey.modulepath = vec![root.to_owned()],
            // Modules in one directory can use each other, and so can the fixtures of a module's tests.
            Shape::Module if modulepath.is_empty() => {
                let own = survey.own_module.as_ref();
                let is_named = own.is_some_and(|own| root.file_name() == Some(own.name.as_ref()));
                survey.modulepath.extend(root.parent().filter(|_| is_named).map(Path::to_owned));
                survey.modulepath.push(root.join("spec/fixtures/modules"));
            }
            _ => {}
        }
        survey.list(world);
        let puppetfiles = survey.puppetfiles(world);
        survey.mark_third_party(world, &puppetfiles);
        survey.find_installed(world, &puppetfiles);
        survey.deployed = survey.is_deployed(world, &puppetfiles);
        let needed = survey.modules.iter().flat_map(Module::dependencies);
        survey.missing = needed.filter(|name| survey.module(name).is_none()).collect();
        survey.complete = survey.deployed && survey.missing.is_empty();
        Ok(survey)
    }

    fn list(&mut self, world: &dyn World) {
        let own = self.own_module.as_ref().map(|own| (own.name.clone(), own.root.clone()));
        let mut roots: Vec<(String, PathBuf)> = own.into_iter().collect();
        let mut seen: FxHashMap<String, PathBuf> = roots.iter().cloned().collect();
        for directory in &self.modulepath {
            for entry in world.list(directory).into_iter().filter(|entry| entry.is_directory) {
                let is_name = entry.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                if !is_name {
                    continue;
                }
                let root = directory.join(&entry.name);
                if self.own_module.as_ref().is_some_and(|own| own.root == root) {
                    continue;
                }
                // A submodule of git that is not checked out.
                if world.list(&root).is_empty() {
                    self.empty.push(entry.name);
                    continue;
                }
                match seen.get(&entry.name) {
                    None => {
                        seen.insert(entry.name.clone(), root.clone());
                        roots.push((entry.name, root));
                    }
                    Some(by) if self.shape == Shape::Control && *by != root && !entry.is_link => {
                        self.hidden.push(HiddenModule { root, by: by.clone() });
                    }
                    Some(_) => {}
                }
            }
        }
        let listed: Vec<(Module, Vec<CodeFile>)> = roots
            .into_par_iter()
            .enumerate()
            .map(|(at, (name, root))| module(world, at, name, root))
            .collect();
        for (mut module, code) in listed {
            self.special.append(&mut module.special);
            self.modules.push(module);
            self.code.extend(code);
        }
        if let Some(manifest) = &self.manifest {
            let mut found = Vec::new();
            if is_directory(world, manifest) {
                below(world, manifest, "", &mut self.special, &mut |path, _| found.push(path.to_owned()));
                found.retain(|path| path.ends_with(".pp"));
                found.sort();
            }
            let files = if found.is_empty() && world.exists(manifest) && !is_directory(world, manifest) {
                vec![manifest.clone()]
            } else {
                found.iter().map(|path| manifest.join(path)).collect()
            };
            self.code.extend(files.into_iter().map(|path| CodeFile { path, role: Role::Site, module: None }));
        }
        for directory in ["functions", "types"] {
            if self.shape != Shape::Control {
                break;
            }
            let mut found = Vec::new();
            let directory_path = self.root.join(directory);
            below(world, &directory_path, "", &mut self.special, &mut |path, _| found.push(path.to_owned()));
            let files = found.iter().filter(|path| path.ends_with(".pp"));
            self.code.extend(files.map(|path| {
                let path = self.root.join(directory).join(path);
                CodeFile { path, role: Role::Site, module: None }
            }));
        }
    }

    /// Whether every module that the code of a module, or of the site, can use is here. In a control repository, a module with missing
    /// dependencies does not affect the others.
    pub fn is_complete_for(&self, module: Option<&str>) -> bool {
        if self.complete || self.shape != Shape::Control || !self.deployed {
            return self.complete;
        }
        let mut needed: Vec<String> = module.map(str::to_owned).into_iter().collect();
        let mut at = 0;
        while at < needed.len() {
            let Some(module) = self.module(&needed[at]) else { return false };
            let new: Vec<String> =
                module.dependencies().into_iter().filter(|name| !needed.contains(name)).collect();
            needed.extend(new);
            at += 1;
        }
        true
    }

    /// Whether a repository neither has a module of that name nor depends on one.
    pub fn is_unknown_module(&self, module: &str) -> bool {
        self.shape == Shape::Control
            && self.deployed
            && self.module(module).is_none()
            && !self.missing.contains(module)
    }

    /// The Puppetfiles in the root, in the directories of the module path, and in those between.
    fn puppetfiles(&self, world: &dyn World) -> Vec<Puppetfile> {
        let mut directories = vec![self.root.as_path()];
        if self.shape == Shape::Control {
            let inside = self.modulepath.iter().flat_map(|directory| directory.ancestors());
            directories.extend(inside.filter(|above| above.starts_with(&self.root)));
        }
        let mut seen = FxHashSet::default();
        directories.retain(|directory| seen.insert(directory.to_path_buf()));
        directories.into_iter().flat_map(|directory| Puppetfile::all(world, directory)).collect()
    }

    /// Marks the modules that a Puppetfile installs or git ignores.
    fn mark_third_party(&mut self, world: &dyn World, puppetfiles: &[Puppetfile]) {
        if self.shape != Shape::Control {
            return;
        }
        let ignore = GitIgnore::read(world, &self.root);
        let hidden = &self.hidden;
        for module in self.modules.iter_mut() {
            let Some(directory) = module.root.parent() else { continue };
            let same = hidden.iter().filter(|hidden| hidden.by == module.root);
            let others: Vec<&Path> =
                std::iter::once(directory).chain(same.filter_map(|hidden| hidden.root.parent())).collect();
            module.is_third_party = ignore.ignores(&module.root)
                || puppetfiles.iter().any(|file| file.installs(&module.name, directory, &others));
        }
    }

    /// Finds the modules of a Puppetfile that are here, but not on the module path.
    fn find_installed(&mut self, world: &dyn World, puppetfiles: &[Puppetfile]) {
        let named = puppetfiles.iter().flat_map(|file| file.modules.values()).map(|module| &module.directory);
        let is_elsewhere =
            |path: &&PathBuf| **path != self.root && !self.modules.iter().any(|module| module.root == **path);
        let installed = named.filter(is_elsewhere).filter(|path| world.exists(path)).cloned().collect();
        self.installed = installed;
    }

    /// Whether all modules that the site can use are here: those of the Puppetfile, and those in directories outside of the repository.
    fn is_deployed(&mut self, world: &dyn World, puppetfiles: &[Puppetfile]) -> bool {
        if self.shape == Shape::Loose {
            return false;
        }
        let wanted = puppetfiles.iter().flat_map(|file| file.modules.keys());
        self.not_installed = wanted.filter(|name| self.module(name).is_none()).cloned().collect();
        self.not_installed.sort();
        self.not_installed.dedup();
        // Without a mark and without modules, the module path is configured elsewhere.
        let has_own = self.modulepath.iter().any(|path| path.starts_with(&self.root) && world.exists(path));
        let is_whole = self.shape != Shape::Control || has_own || is_marked(world, &self.root);
        is_whole
            && self.not_installed.is_empty()
            && self.outside.is_empty()
            && self.empty.iter().all(|name| self.module(name).is_some())
            && !self.submodules.iter().any(|path| self.has_modules(path))
            && !puppetfiles.iter().any(|file| file.is_open)
    }

    /// Whether a directory that is not here would contain modules.
    fn has_modules(&self, absent: &Path) -> bool {
        let is_module = |directory: &PathBuf| {
            absent.parent() == Some(directory.as_path()) || directory.starts_with(absent)
        };
        let name = absent.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        self.modulepath.iter().any(is_module) && self.module(name).is_none()
    }

    /// Whether a file may be in a submodule of git that is not checked out.
    pub fn may_be_in_submodule(&self, path: &Path) -> bool {
        self.submodules.iter().any(|absent| path.starts_with(absent))
    }

    /// A number that changes whenever a file is added or removed, or the modules change that code can use.
    pub fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| {
            let mut hasher = FxHasher::default();
            (self.complete, self.is_complete_for(None)).hash(&mut hasher);
            for module in &self.modules {
                let mut files: Vec<&String> = module.files.iter().chain(&module.templates).collect();
                files.sort_unstable();
                (&module.name, files, &module.ruby, module.metadata.is_some()).hash(&mut hasher);
                module.dependencies().hash(&mut hasher);
            }
            hasher.finish()
        })
    }

    /// The module of that name.
    pub fn module(&self, name: &str) -> Option<&Module> {
        self.modules.iter().find(|module| module.name == name)
    }
}

impl Module {
    /// The names of the modules in its dependencies.
    pub fn dependencies(&self) -> Vec<String> {
        let list = self.metadata.as_ref().and_then(|metadata| metadata.get("dependencies")?.as_array());
        let names = list.into_iter().flatten().filter_map(|entry| entry.get("name")?.as_str());
        names.filter_map(|name| name.rsplit(['/', '-']).next().map(str::to_owned)).collect()
    }
}

/// The directories of a module path that lie outside of the repository and do not exist here, as written.
fn outside_directories(world: &dyn World, root: &Path) -> Vec<String> {
    let text = world.read(&root.join("environment.conf")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let settings = text.lines().filter_map(|line| line.split_once('='));
    let paths =
        settings.filter(|(name, _)| name.trim() == "modulepath").flat_map(|(_, path)| split_path(path));
    let is_base = |path: &str| path.contains('$') || split_path(BASE_MODULEPATH).any(|base| base == path);
    let is_outside = |path: &str| Path::new(path).is_absolute() || path.starts_with("..");
    let is_missing = |path: &str| path.contains('*') || !world.exists(&root.join(path));
    let paths = paths.map(|path| path.trim().trim_matches(['"', '\'']));
    paths.filter(|path| is_outside(path) && !is_base(path) && is_missing(path)).map(str::to_owned).collect()
}

/// The name of a module in its metadata, without the author.
/// The module in a directory: its name is in `metadata.json`, else it is the directory's.
fn own_module(world: &dyn World, root: &Path) -> Option<OwnModule> {
    let named = || {
        let metadata: serde_json::Value =
            serde_json::from_slice(&world.read(&root.join("metadata.json")).ok()?).ok()?;
        metadata.get("name")?.as_str()?.rsplit(['-', '/']).next().map(str::to_owned)
    };
    let directory = || Some(root.file_name()?.to_string_lossy().into_owned());
    Some(OwnModule { name: named().or_else(directory)?, root: root.to_owned() })
}

fn module(world: &dyn World, at: usize, name: String, root: PathBuf) -> (Module, Vec<CodeFile>) {
    let mut module = Module { name, ..Module::default() };
    let (mut code, mut special) = (Vec::new(), Vec::new());
    let present: FxHashSet<String> = world.list(&root).into_iter().map(|entry| entry.name).collect();
    for directory in ["manifests", "functions", "types"] {
        if present.contains(directory) {
            below(world, &root.join(directory), "", &mut special, &mut |path, is_directory| {
                if !is_directory && path.ends_with(".pp") {
                    let path = root.join(directory).join(path);
                    code.push(CodeFile { path, role: Role::Module, module: Some(at) });
                }
            });
        }
    }
    if present.contains("templates") {
        below(world, &root.join("templates"), "", &mut special, &mut |path, is_directory| {
            if !is_directory {
                module.templates.insert(path.to_owned());
                if path.ends_with(".epp") {
                    let path = root.join("templates").join(path);
                    code.push(CodeFile { path, role: Role::Template, module: Some(at) });
                }
            }
        });
    }
    if present.contains("files") {
        below(world, &root.join("files"), "", &mut special, &mut |path, _| {
            module.files.insert(path.to_owned());
        });
    }
    if present.contains("lib") {
        below(world, &root.join("lib"), "", &mut special, &mut |path, is_directory| {
            if !is_directory && path.ends_with(".rb") {
                module.ruby.push(path.to_owned());
            }
        });
    }
    if present.contains("facts.d") {
        module.facts = world.list(&root.join("facts.d")).into_iter().map(|entry| entry.name).collect();
    }
    if present.contains("metadata.json") {
        let read = world.read(&root.join("metadata.json")).ok();
        module.metadata = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    }
    module.has_data = present.contains("hiera.yaml");
    module.root = root;
    module.special = special;
    (module, code)
}

/// The maximum depth of directories.
const DEEPEST: usize = 30;

/// Visits everything below a directory: the path below it, and whether it is a directory. Pipes, sockets and devices are not visited
/// but listed in `special`.
pub fn below(
    world: &dyn World,
    root: &Path,
    prefix: &str,
    special: &mut Vec<PathBuf>,
    visit: &mut dyn FnMut(&str, bool),
) {
    if prefix.matches('/').count() > DEEPEST {
        return;
    }
    for entry in world.list(&root.join(prefix)) {
        let path = if prefix.is_empty() { entry.name.clone() } else { format!("{prefix}/{}", entry.name) };
        if entry.is_special {
            special.push(root.join(path));
            continue;
        }
        visit(&path, entry.is_directory);
        // Links may lead back up.
        if entry.is_directory && !entry.is_link {
            below(world, root, &path, special, visit);
        }
    }
}
