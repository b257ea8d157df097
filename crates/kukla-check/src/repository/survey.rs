//! The survey of a repository: its files, and the role of each.

use std::path::{Path, PathBuf};

use kukla::control::{BASE_MODULEPATH, Layout};
use kukla::world::{World, is_directory};
use kukla::{Diagnostic, Settings};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

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
}

/// The files of a repository.
#[derive(Debug)]
pub struct Survey {
    /// Its directory.
    pub root: PathBuf,
    /// Its kind.
    pub shape: Shape,
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
    /// Whether every module of the Puppetfile is here.
    deployed: bool,
    /// Missing dependencies of modules: they may be required only by code that is not used.
    missing: FxHashSet<String>,
}

/// The nearest root at or above a path; the root of a control repository precedes that of a module.
pub fn root_of(world: &dyn World, path: &Path) -> Option<(PathBuf, Shape)> {
    let above = || path.ancestors().filter(|directory| is_directory(world, directory));
    let control = above().find(|directory| is_control(world, directory));
    let control = control.map(|directory| (directory.to_owned(), Shape::Control));
    let module =
        || above().find(|directory| is_module(world, directory)).map(|root| (root.to_owned(), Shape::Module));
    let modules = || is_modules(world, path).then(|| (path.to_owned(), Shape::Modules));
    control.or_else(module).or_else(modules)
}

fn is_control(world: &dyn World, directory: &Path) -> bool {
    let has = |name: &str| world.exists(&directory.join(name));
    if has("metadata.json") {
        return false;
    }
    has("environment.conf")
        || has("Puppetfile")
        || (has("manifests") && (has("modules") || has("hiera.yaml")))
}

fn is_module(world: &dyn World, directory: &Path) -> bool {
    world.exists(&directory.join("metadata.json"))
        || (["manifests", "lib/puppet"].iter().any(|name| is_directory(world, &directory.join(name)))
            && directory.parent().and_then(Path::file_name).is_some_and(|name| name == "modules"))
}

fn is_modules(world: &dyn World, directory: &Path) -> bool {
    world
        .list(directory)
        .iter()
        .any(|entry| entry.is_directory && is_module(world, &directory.join(&entry.name)))
}

impl Survey {
    /// Lists the files of a repository. `modulepath` and `manifest` replace the module path and site manifest of the repository.
    pub fn of(
        world: &dyn World,
        root: &Path,
        shape: Shape,
        modulepath: &[PathBuf],
        manifest: Option<&Path>,
    ) -> Result<Survey, Box<Diagnostic>> {
        let mut survey = Survey {
            root: root.to_owned(),
            shape,
            modulepath: modulepath.to_vec(),
            manifest: None,
            modules: Vec::new(),
            code: Vec::new(),
            special: Vec::new(),
            complete: false,
            deployed: false,
            missing: FxHashSet::default(),
        };
        match shape {
            Shape::Control => {
                let layout = Layout::read(world, root, BASE_MODULEPATH, &Settings::default())?;
                if modulepath.is_empty() {
                    survey.modulepath = layout.modulepath;
                }
                survey.manifest = Some(manifest.map_or(layout.manifest, Path::to_owned));
            }
            Shape::Modules if modulepath.is_empty() => survey.modulepath = vec![root.to_owned()],
            // Modules in one directory can use each other, and so can the fixtures of a module's tests.
            Shape::Module if modulepath.is_empty() => {
                let name = own_name(world, root);
                let is_named = root
                    .file_name()
                    .is_some_and(|directory| Some(directory.to_string_lossy().into_owned()) == name);
                survey.modulepath.extend(root.parent().filter(|_| is_named).map(Path::to_owned));
                survey.modulepath.push(root.join("spec/fixtures/modules"));
            }
            _ => {}
        }
        survey.list(world);
        survey.deployed = survey.is_deployed(world);
        let needed = survey.modules.iter().flat_map(Module::dependencies);
        survey.missing = needed.filter(|name| survey.module(name).is_none()).collect();
        survey.complete = survey.deployed && survey.missing.is_empty();
        Ok(survey)
    }

    fn list(&mut self, world: &dyn World) {
        let mut roots: Vec<(String, PathBuf)> = Vec::new();
        if self.shape == Shape::Module {
            let directory = self.root.file_name().map(|name| name.to_string_lossy().into_owned());
            roots.extend(own_name(world, &self.root).or(directory).map(|name| (name, self.root.clone())));
        }
        let mut seen: FxHashSet<String> = roots.iter().map(|(name, _)| name.clone()).collect();
        for directory in &self.modulepath {
            for entry in world.list(directory).into_iter().filter(|entry| entry.is_directory) {
                let is_name = entry.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                if is_name && seen.insert(entry.name.clone()) {
                    roots.push((entry.name.clone(), directory.join(&entry.name)));
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

    /// Whether all modules of the Puppetfile are here.
    fn is_deployed(&self, world: &dyn World) -> bool {
        if self.shape == Shape::Loose {
            return false;
        }
        let named = world.read(&self.root.join("Puppetfile")).unwrap_or_default();
        let named = String::from_utf8_lossy(&named).into_owned();
        let mut wanted = named.lines().filter_map(|line| {
            let rest = line
                .trim_start()
                .strip_prefix("mod")?
                .trim_start()
                .strip_prefix(['\'', '"', '('])
                .map(str::trim_start)?;
            let name = rest.trim_start_matches(['\'', '"']).split(['\'', '"']).next()?;
            name.rsplit(['/', '-']).next().map(str::to_owned)
        });
        wanted.all(|name| self.module(&name).is_some())
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

/// The name of a module in its metadata, without the author.
fn own_name(world: &dyn World, root: &Path) -> Option<String> {
    let metadata: serde_json::Value =
        serde_json::from_slice(&world.read(&root.join("metadata.json")).ok()?).ok()?;
    metadata.get("name")?.as_str()?.rsplit(['-', '/']).next().map(str::to_owned)
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
