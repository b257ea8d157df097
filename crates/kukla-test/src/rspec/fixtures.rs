//! The modules that a suite needs besides its own: fixtures, and what is installed beside it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use kukla::Compiler;
use kukla::formats::yaml;
use kukla::values::Value;
use kukla::world::{DirectoryEntry, FileResult, Stamp, World, is_directory};

use crate::project::Project;

/// Where Debian installs modules.
const INSTALLED: &str = "/usr/share/puppet/modules";

/// The compiler of a suite. It sees the links that `.fixtures.yml` asks for, whether or not they were made.
pub fn compiler(project: &Project) -> Compiler {
    let links = links(project);
    let world: Arc<dyn World> = Arc::new(Remembered::new(Arc::clone(&project.world)));
    match links.is_empty() {
        true => project.compiler_over(world),
        false => project.compiler_over(Arc::new(Linked { inner: world, links })),
    }
}

/// A world that asks for everything once: code under test does not change while its tests run.
#[derive(Debug)]
struct Remembered {
    inner: Arc<dyn World>,
    listed: Answers<Vec<DirectoryEntry>>,
    existing: Answers<bool>,
    stamps: Answers<Option<Stamp>>,
    resolved: Answers<PathBuf>,
    read: Answers<(Option<Stamp>, FileResult<Vec<u8>>)>,
}

type Answers<T> = Mutex<HashMap<PathBuf, T>>;

impl Remembered {
    fn new(inner: Arc<dyn World>) -> Remembered {
        Remembered {
            inner,
            listed: Mutex::default(),
            existing: Mutex::default(),
            stamps: Mutex::default(),
            resolved: Mutex::default(),
            read: Mutex::default(),
        }
    }
}

fn once<T: Clone>(answers: &Answers<T>, path: &Path, ask: impl FnOnce() -> T) -> T {
    let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = answers.get(path) {
        return known.clone();
    }
    let answer = ask();
    answers.insert(path.to_owned(), answer.clone());
    answer
}

impl World for Remembered {
    fn inner(&self) -> Option<&dyn World> {
        Some(&*self.inner)
    }

    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        self.read_stamped(path).1
    }

    fn read_stamped(&self, path: &Path) -> (Option<Stamp>, FileResult<Vec<u8>>) {
        once(&self.read, path, || self.inner.read_stamped(path))
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        once(&self.listed, path, || self.inner.list(path))
    }

    fn exists(&self, path: &Path) -> bool {
        once(&self.existing, path, || self.inner.exists(path))
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        once(&self.stamps, path, || self.inner.stamp(path))
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        once(&self.resolved, path, || self.inner.resolve(path))
    }
}

/// The directories of modules.
pub fn modulepath(project: &Project) -> Vec<PathBuf> {
    let mut paths = project.modulepath.clone();
    let fixtures = fixture_modules(project);
    if !links(project).is_empty() && !paths.contains(&fixtures) {
        paths.insert(0, fixtures.clone());
    }
    let installed = PathBuf::from(INSTALLED);
    if !is_directory(&*project.world, &fixtures) && is_directory(&*project.world, &installed) {
        paths.push(installed);
    }
    paths
}

fn fixture_modules(project: &Project) -> PathBuf {
    project.root.join("spec/fixtures/modules")
}

/// The links of `.fixtures.yml` to parts of the module itself, as pairs of the link and its target.
fn links(project: &Project) -> Vec<(PathBuf, PathBuf)> {
    let Ok(text) = project.world.read(&project.root.join(".fixtures.yml")) else { return Vec::new() };
    let Ok(document) = yaml::read(&text, yaml::Options::HIERA) else { return Vec::new() };
    let Some(symlinks) = document
        .value
        .as_hash()
        .and_then(|all| all.get("fixtures")?.as_hash()?.get("symlinks")?.as_hash().cloned())
    else {
        return Vec::new();
    };
    let modules = fixture_modules(project);
    let link = |(name, target): (&Value, &Value)| {
        let target = target.as_str().or_else(|| target.as_hash()?.get("target")?.as_str())?;
        let target = target.replace("#{source_dir}", &project.root.to_string_lossy());
        let link = modules.join(name.as_str()?);
        let target = project.root.join(target);
        (!project.world.exists(&link) && project.world.exists(&target)).then_some((link, target))
    };
    symlinks.iter().filter_map(link).collect()
}

/// A world with further links to directories.
#[derive(Debug)]
struct Linked {
    inner: Arc<dyn World>,
    links: Vec<(PathBuf, PathBuf)>,
}

impl Linked {
    fn followed(&self, path: &Path) -> PathBuf {
        for (link, target) in &self.links {
            if let Ok(rest) = path.strip_prefix(link) {
                return if rest.as_os_str().is_empty() { target.clone() } else { target.join(rest) };
            }
        }
        path.to_owned()
    }

    /// Whether a path is a directory of links or above one.
    fn holds_links(&self, path: &Path) -> bool {
        self.links.iter().any(|(link, _)| link.starts_with(path))
    }
}

impl World for Linked {
    fn inner(&self) -> Option<&dyn World> {
        Some(&*self.inner)
    }

    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        self.inner.read(&self.followed(path))
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        let mut entries = self.inner.list(&self.followed(path));
        // The directories above a link need not exist, either.
        for (link, _) in &self.links {
            let mut below = link.strip_prefix(path).into_iter().flat_map(Path::components);
            let Some(name) = below.next() else { continue };
            let name = name.as_os_str().to_string_lossy().into_owned();
            let is_link = below.next().is_none();
            if !entries.iter().any(|entry| entry.name == name) {
                entries.push(DirectoryEntry { name, is_directory: true, is_link, is_special: false });
            }
        }
        entries.sort();
        entries
    }

    fn exists(&self, path: &Path) -> bool {
        self.inner.exists(&self.followed(path)) || self.holds_links(path)
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        self.inner.stamp(&self.followed(path))
    }

    fn read_stamped(&self, path: &Path) -> (Option<Stamp>, FileResult<Vec<u8>>) {
        self.inner.read_stamped(&self.followed(path))
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        self.inner.resolve(&self.followed(path))
    }
}
