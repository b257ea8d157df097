//! The code under test: a module, a control repository, or neither.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::eval::environment::OwnModule;
use kukla::syntax::Problem;
use kukla::syntax::validate::is_module_name;
use kukla::world::record::Recorded;
use kukla::world::{World, is_directory};
use kukla::{Compiler, Policy};

use crate::coverage::Collector;

/// The code under test, and how it is compiled.
#[derive(Debug)]
pub struct Project {
    /// Its directory, absolute.
    pub root: PathBuf,
    /// Whether it is a module, a control repository, or neither.
    pub kind: ProjectKind,
    /// The directories of further modules.
    pub modulepath: Vec<PathBuf>,
    /// The world that everything is read from.
    pub world: Arc<dyn World>,
    /// The effects that code may have.
    pub policy: Policy,
    /// A compiler over that world; others share its programs.
    pub compiler: Compiler,
}

/// The kind of code under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectKind {
    /// A module.
    Module(OwnModule),
    /// A control repository.
    Control,
    /// Neither: its tests bring all the code they need.
    Plain,
}

/// The files that show that a directory is a control repository.
const CONTROL_FILES: [&str; 5] =
    ["environment.conf", "Puppetfile", "manifests/site.pp", "site-modules", "environments"];

impl Project {
    /// The project that a path belongs to: the nearest directory at or above it with a module or a control repository. Without one it is
    /// the directory itself.
    pub fn locate(world: &Arc<dyn World>, path: &Path, policy: &Policy) -> Project {
        let path = world.resolve(path);
        let start = if is_directory(&**world, &path) { &*path } else { path.parent().unwrap_or(&path) };
        let found = start.ancestors().find_map(|root| Some((root, kind_of(&**world, root)?)));
        let (root, kind) = found.unwrap_or((start, ProjectKind::Plain));
        let modulepath = match kind {
            ProjectKind::Module(_) => module_directories(&**world, root),
            _ => Vec::new(),
        };
        Project {
            root: root.to_owned(),
            kind,
            modulepath,
            world: Arc::clone(world),
            policy: policy.clone(),
            compiler: Compiler::over(Arc::clone(world)).with_policy(policy.clone()),
        }
    }

    /// Uses these directories of modules instead.
    pub fn set_modulepath(&mut self, directories: &[PathBuf]) -> Result<(), Problem> {
        for directory in directories {
            if !is_directory(&*self.world, directory) {
                return Err(Problem::not_found("cannot find").on(directory.display()));
            }
        }
        self.modulepath = directories.iter().map(|directory| self.world.resolve(directory)).collect();
        Ok(())
    }

    /// Uses the parsed files of another compiler.
    pub fn share(&mut self, parsed: &Compiler) {
        self.compiler =
            Compiler::over(Arc::clone(&self.world)).with_policy(self.policy.clone()).sharing(parsed);
    }

    /// Records the inputs of compilations from now on.
    pub fn record(&mut self) {
        self.world = Arc::new(Recorded::new(Arc::clone(&self.world)));
        self.compiler = Compiler::over(Arc::clone(&self.world)).with_policy(self.policy.clone());
    }

    /// Counts what runs from now on.
    pub fn measure(&mut self, collector: &Collector) {
        // The record of a compilation has the data that it used.
        self.record();
        let compiler = Compiler::over(Arc::clone(&self.world)).with_policy(self.policy.clone());
        self.compiler = compiler.measuring(Arc::clone(&collector.programs));
    }

    /// The name of the module, if it is one.
    pub fn module(&self) -> Option<&str> {
        match &self.kind {
            ProjectKind::Module(own) => Some(&own.name),
            _ => None,
        }
    }

    /// The contents of `metadata.json`, if it is a module and has one.
    pub fn metadata(&self) -> Option<serde_json::Value> {
        metadata(&*self.world, &self.root)
    }

    /// A compiler over another world that shares the parsed files.
    pub fn compiler_over(&self, world: Arc<dyn World>) -> Compiler {
        Compiler::over(world).with_policy(self.policy.clone()).sharing(&self.compiler)
    }
}

fn kind_of(world: &dyn World, root: &Path) -> Option<ProjectKind> {
    if CONTROL_FILES.iter().any(|file| world.exists(&root.join(file))) {
        return Some(ProjectKind::Control);
    }
    let name = metadata(world, root)?["name"].as_str()?.rsplit(['/', '-']).next()?.to_owned();
    is_module_name(&name).then(|| ProjectKind::Module(OwnModule { name, root: root.to_owned() }))
}

fn metadata(world: &dyn World, root: &Path) -> Option<serde_json::Value> {
    serde_json::from_slice(&world.read(&root.join("metadata.json")).ok()?).ok()
}

/// The directories that may have the modules that a module depends on: its fixtures, and those of the control repository around it. The directory
/// that it lies in counts if it is a directory of modules.
fn module_directories(world: &dyn World, root: &Path) -> Vec<PathBuf> {
    let mut candidates = vec![root.join("spec/fixtures/modules"), root.join("modules")];
    if let Some(parent) = root.parent() {
        let is_module = |name: &str| metadata(world, &parent.join(name)).is_some();
        let own = root.file_name().unwrap_or_default();
        let in_control =
            parent.parent().is_some_and(|above| kind_of(world, above) == Some(ProjectKind::Control));
        let siblings =
            world.list(parent).iter().any(|entry| entry.name.as_str() != own && is_module(&entry.name));
        if in_control || siblings {
            candidates.push(parent.to_owned());
        }
        if let Some(control) = parent.parent().filter(|_| in_control) {
            candidates.extend(["modules", "site-modules", "site"].map(|name| control.join(name)));
        }
    }
    let mut directories = Vec::new();
    for candidate in candidates {
        if is_directory(world, &candidate) && !directories.contains(&candidate) {
            directories.push(candidate);
        }
    }
    directories
}
