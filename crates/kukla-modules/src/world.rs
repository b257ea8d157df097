//! The world in which the locked modules of a control repository are installed, though they are only in the store.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_syntax::Problem;
use kukla_world::{DirectoryEntry, FileError, FileResult, Stamp, World, is_directory, normal};

use crate::digest::Digest;
use crate::forge::Forge;
use crate::install::{InstallRecord, is_installed_path};
use crate::lock::{self, Lock};
use crate::network::{Network, NetworkOptions};
use crate::puppetfile::{self, GitReference, Puppetfile, ReadOptions, Source, VersionRequest, is_inside};
use crate::store::{Entry, Store, Tree};

/// The world in which the locked modules of a control repository are installed.
#[derive(Debug)]
pub struct LockedModules {
    inner: Arc<dyn World>,
    store: Arc<Store>,
    mounts: BTreeMap<PathBuf, Mount>,
    /// Modules that are locked and neither installed nor in the store.
    missing: Vec<String>,
}

/// A module that is seen in a directory.
#[derive(Clone, Debug)]
struct Mount {
    content: Digest,
    keep_spec: bool,
    tree: Arc<Tree>,
}

/// A module as a lock or an exact declaration identifies it.
struct PinnedModule {
    title: String,
    path: PathBuf,
    keep_spec: bool,
    content: Option<Digest>,
}

/// The largest number of links that are followed one after the other.
const MOST_LINKS: usize = 20;

impl LockedModules {
    /// The world with the modules that the control repository in a directory of `inner` has locked; without a lock, with those that its
    /// Puppetfile pins. Modules of the working tree are seen as they are, unless they were installed from another lock.
    pub fn new(
        inner: Arc<dyn World>,
        store: Arc<Store>,
        base: &Path,
        is_revision: bool,
    ) -> Result<LockedModules, Problem> {
        let base = normal(&inner.here().join(base));
        let record = InstallRecord::read(&base);
        let mut mounts = BTreeMap::new();
        let mut missing = Vec::new();
        for PinnedModule { title, path, keep_spec, content } in read_pinned(&*inner, &store, &base)? {
            let directory = base.join(&path);
            let is_there = is_directory(&*inner, &directory);
            let is_from_another_lock =
                || record.get(&path).is_some_and(|installed| Some(&installed.content) != content.as_ref());
            if !is_revision && is_there && !is_from_another_lock() {
                continue;
            }
            match content.and_then(|content| Some((content.clone(), store.tree(&content)?))) {
                Some((content, tree)) => {
                    mounts.insert(directory, Mount { content, keep_spec, tree });
                }
                None if is_revision || !is_there => missing.push(title),
                None => {}
            }
        }
        Ok(LockedModules { inner, store, mounts, missing })
    }

    /// Whether no module is seen that `inner` does not have.
    pub fn is_empty(&self) -> bool {
        self.mounts.is_empty()
    }

    /// The modules that are locked and neither installed nor in the store.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// The files of modules that differ from those of another world, with their digests here and there.
    pub fn changes(&self, other: &LockedModules) -> Vec<(PathBuf, bool, bool)> {
        let directories: BTreeSet<&PathBuf> = self.mounts.keys().chain(other.mounts.keys()).collect();
        let mut changes = Vec::new();
        for directory in directories {
            let (one, two) = (self.mounts.get(directory), other.mounts.get(directory));
            if one.map(|mount| (&mount.content, mount.keep_spec))
                == two.map(|mount| (&mount.content, mount.keep_spec))
            {
                continue;
            }
            let entry =
                |mount: Option<&Mount>, path: &str| mount.and_then(|mount| mount.tree.get(path).cloned());
            let paths =
                [one, two].into_iter().flatten().flat_map(|mount| mount.tree.entries().map(|(path, _)| path));
            for path in paths.collect::<BTreeSet<&str>>() {
                let (before, after) = (entry(one, path), entry(two, path));
                if before != after {
                    changes.push((directory.join(path), before.is_some(), after.is_some()));
                }
            }
        }
        changes
    }

    /// The module that a path is in, and the path within it.
    fn mount(&self, path: &Path) -> Option<(&Mount, String)> {
        if self.mounts.is_empty() {
            return None;
        }
        let path = normal(&self.inner.here().join(path));
        path.ancestors().find_map(|directory| {
            let mount = self.mounts.get(directory)?;
            let inside = path.strip_prefix(directory).ok()?.to_string_lossy().into_owned();
            Some((mount, inside))
        })
    }
}

impl Mount {
    /// The path that a path leads to, links followed.
    fn follow(&self, path: &str) -> Option<String> {
        let mut path = path.to_owned();
        'links: for _ in 0..MOST_LINKS {
            let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
            for end in ends {
                if let Some(Entry::Link(target)) = self.tree.get(&path[..end]) {
                    let above = Path::new(&path[..end]).parent().unwrap_or(Path::new(""));
                    let rest = path[end..].trim_start_matches('/');
                    path = normal(&above.join(target).join(rest))
                        .to_string_lossy()
                        .trim_end_matches('/')
                        .to_owned();
                    continue 'links;
                }
            }
            return is_installed_path(self.keep_spec, &path).then_some(path);
        }
        None
    }

    fn entry(&self, path: &str) -> Option<Entry> {
        let path = self.follow(path)?;
        match self.tree.get(&path) {
            Some(entry) => Some(entry.clone()),
            None if path.is_empty() || !self.tree.list(&path).is_empty() => Some(Entry::Directory),
            None => None,
        }
    }

    fn list(&self, path: &str) -> Vec<DirectoryEntry> {
        let Some(path) = self.follow(path) else { return Vec::new() };
        let inside = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        let names = self.tree.list(&path);
        let entries = names.into_iter().filter_map(|(name, is_directory)| {
            let path = inside(name);
            let is_link = matches!(self.tree.get(&path), Some(Entry::Link(_)));
            let is_directory = is_directory || is_link && matches!(self.entry(&path), Some(Entry::Directory));
            is_installed_path(self.keep_spec, &path).then(|| DirectoryEntry {
                name: name.to_owned(),
                is_directory,
                is_link,
                is_special: false,
            })
        });
        entries.collect()
    }
}

impl World for LockedModules {
    fn inner(&self) -> Option<&dyn World> {
        Some(&*self.inner)
    }

    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        let Some((mount, inside)) = self.mount(path) else { return self.inner.read(path) };
        match mount.entry(&inside) {
            Some(Entry::File(file)) => self
                .store
                .read_object(&file.digest, file.executable)
                .map_err(|error| FileError::Other(format!("the store of modules is damaged: {error}"))),
            Some(_) => Err(FileError::Other("Is a directory".to_owned())),
            None => Err(FileError::NotFound),
        }
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        if let Some((mount, inside)) = self.mount(path) {
            return mount.list(&inside);
        }
        let mut entries = self.inner.list(path);
        let directory = normal(&self.inner.here().join(path));
        for mount in self.mounts.keys() {
            let Ok(rest) = mount.strip_prefix(&directory) else { continue };
            let Some(name) = rest.components().next() else { continue };
            let name = name.as_os_str().to_string_lossy().into_owned();
            entries.retain(|entry| entry.name != name);
            entries.push(DirectoryEntry { name, is_directory: true, is_link: false, is_special: false });
        }
        entries.sort();
        entries
    }

    fn exists(&self, path: &Path) -> bool {
        match self.mount(path) {
            Some((mount, inside)) => mount.entry(&inside).is_some(),
            None => self.inner.exists(path) || !self.list(path).is_empty(),
        }
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        let Some((mount, inside)) = self.mount(path) else {
            // A directory of modules changes with them.
            let directory = normal(&self.inner.here().join(path));
            let is_above = self.mounts.keys().any(|mount| mount.starts_with(&directory));
            return match self.inner.stamp(path) {
                Some(stamp) if is_above => {
                    Some(Stamp { version: stamp.version ^ self.version(&directory), ..stamp })
                }
                None if is_above => Some(Stamp { version: self.version(&directory), length: 0 }),
                stamp => stamp,
            };
        };
        match mount.entry(&inside)? {
            Entry::File(file) => Some(Stamp { version: number(&file.digest), length: file.size }),
            Entry::Link(_) | Entry::Directory => Some(Stamp { version: number(&mount.content), length: 0 }),
        }
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        match self.mount(path) {
            Some(_) => normal(&self.inner.here().join(path)),
            None => self.inner.resolve(path),
        }
    }
}

impl LockedModules {
    /// A number that changes when the modules below a directory do.
    fn version(&self, directory: &Path) -> u64 {
        let inside = self.mounts.iter().filter(|(path, _)| path.starts_with(directory));
        inside.fold(0, |version, (_, mount)| version.rotate_left(7) ^ number(&mount.content))
    }
}

/// The first digits of a digest.
fn number(digest: &Digest) -> u64 {
    u64::from_str_radix(&digest.as_str()[..16], 16).unwrap_or_default()
}

/// The modules of the control repository in a directory: those of its lock, or those that its Puppetfile pins.
fn read_pinned(world: &dyn World, store: &Store, base: &Path) -> Result<Vec<PinnedModule>, Problem> {
    let path = base.join(lock::FILE_NAME);
    let lock = world.read(&path).ok().map(|text| Lock::parse(&path, &String::from_utf8_lossy(&text)));
    if let Some(lock) = lock {
        // Lock files of librarian-puppet are not ours to complain about.
        let Ok(lock) = lock else { return Ok(Vec::new()) };
        let modules = lock.modules.into_iter().filter(|module| module.content.is_some());
        return Ok(modules
            .map(|module| PinnedModule {
                path: module.path(),
                title: module.title,
                keep_spec: module.keep_spec,
                content: module.content,
            })
            .collect());
    }
    let path = base.join(puppetfile::FILE_NAME);
    let Ok(text) = world.read(&path) else { return Ok(Vec::new()) };
    // A Puppetfile that cannot be evaluated here does not matter for code that does not need its modules.
    let Ok(puppetfile) = Puppetfile::evaluate(world, &path, &text, &ReadOptions::default()) else {
        return Ok(Vec::new());
    };
    let network = Network::new(NetworkOptions { offline: true, ..NetworkOptions::default() });
    let forge = Forge::new(store, &network, puppetfile.forge.as_deref(), None, None);
    let declared = puppetfile.modules.iter().filter(|module| module.source != Source::Local);
    let known = declared.filter_map(|module| {
        let content = match &module.source {
            Source::Forge(VersionRequest::Exact(version)) => {
                store.tree_of(&forge.source(&module.title, version))
            }
            Source::Git(request) => match &request.reference {
                Some(GitReference::Name(name)) => store.tree_of(&format!("git {name}")),
                _ => None,
            },
            Source::Tarball { sha256: Some(digest), .. } => store.tree_of(&format!("tarball {digest}")),
            _ => None,
        };
        let content = content.map(|(content, _)| content);
        let (title, path) = (module.title.clone(), module.path());
        is_inside(&path).then_some(PinnedModule { title, path, keep_spec: module.keep_spec, content })
    });
    Ok(known.collect())
}
