//! The world in which a repository's directory holds one of its revisions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::ObjectId;
use kukla_world::{Change, Conversation, DirectoryEntry, FileError, FileResult, Stamp, World, normal};

use crate::objects::{Kind, Objects, find};
use crate::repository::Repository;

/// The world in which a repository's directory holds one of its revisions.
#[derive(Debug)]
pub struct Revision {
    repository: Arc<Repository>,
    tree: ObjectId,
}

/// So many links are followed one after the other.
const MOST_LINKS: usize = 40;

/// What is at a path.
#[derive(Debug)]
enum Found {
    File(Arc<Objects>, ObjectId),
    /// A directory, and its path in the repository.
    Directory(Arc<Objects>, ObjectId, PathBuf),
    /// What the disk has there.
    Elsewhere(PathBuf),
    Nothing,
}

impl Revision {
    pub(crate) fn new(repository: Arc<Repository>, tree: ObjectId) -> Revision {
        Revision { repository, tree }
    }

    /// The repository.
    pub fn repository(&self) -> &Arc<Repository> {
        &self.repository
    }

    pub(crate) fn tree(&self) -> ObjectId {
        self.tree
    }

    fn find(&self, path: &Path) -> (PathBuf, Found) {
        let mut path = normal(&self.here().join(path));
        for _ in 0..MOST_LINKS {
            let Ok(inside) = path.strip_prefix(&self.repository.root) else {
                let real = self.repository.disk().resolve(&path);
                if real.starts_with(&self.repository.root) && real != path {
                    path = real;
                    continue;
                }
                return (path.clone(), Found::Elsewhere(path));
            };
            match self.walk(inside) {
                Step::Is(found) => return (path, found),
                Step::Link(target) => path = target,
            }
        }
        (path, Found::Nothing)
    }

    fn walk(&self, inside: &Path) -> Step {
        let root = &self.repository.root;
        let (mut objects, mut tree) = (Arc::clone(&self.repository.objects), self.tree);
        let mut walked = PathBuf::new();
        let mut parts = inside.components();
        while let Some(part) = parts.next() {
            let name = part.as_os_str().to_string_lossy();
            let entries = objects.tree(tree);
            let Some(entry) = find(&entries, &name) else {
                let beside = self.repository.beside(&walked, &entries);
                return Step::Is(match beside.iter().any(|entry| *entry.name == name) {
                    true => {
                        self.repository.note_taken(&walked.join(&*name));
                        Found::Elsewhere(root.join(inside))
                    }
                    false => Found::Nothing,
                });
            };
            match entry.kind {
                Kind::Directory => tree = entry.id,
                Kind::File if parts.as_path().as_os_str().is_empty() => {
                    return Step::Is(Found::File(objects, entry.id));
                }
                Kind::File => return Step::Is(Found::Nothing),
                Kind::Link => {
                    let Ok(target) = objects.blob(entry.id) else { return Step::Is(Found::Nothing) };
                    let target = PathBuf::from(String::from_utf8_lossy(&target).into_owned());
                    return Step::Link(normal(&root.join(&walked).join(target).join(parts.as_path())));
                }
                Kind::Submodule => {
                    let path = walked.join(&*name);
                    let opened = self.repository.submodule(&path);
                    let within = opened.and_then(|opened| Some((opened.tree_of(entry.id).ok()?, opened)));
                    match within {
                        Some((its_tree, opened)) => (tree, objects) = (its_tree, opened),
                        None if self.repository.disk().list(&root.join(&path)).is_empty() => {
                            self.repository.note_absent(&path);
                            return Step::Is(Found::Nothing);
                        }
                        None => {
                            self.repository.note_taken(&path);
                            return Step::Is(Found::Elsewhere(root.join(inside)));
                        }
                    }
                }
            }
            walked.push(&*name);
        }
        Step::Is(Found::Directory(objects, tree, walked))
    }
}

/// What a walk from the root of the repository came to.
enum Step {
    Is(Found),
    Link(PathBuf),
}

impl World for Revision {
    fn inner(&self) -> Option<&dyn World> {
        Some(self.repository.disk())
    }

    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        match self.find(path).1 {
            Found::File(objects, id) => {
                objects.blob(id).map_err(|problem| FileError::Other(problem.to_string()))
            }
            Found::Elsewhere(path) => self.repository.disk().read(&path),
            Found::Directory(..) => Err(FileError::Other("Is a directory (os error 21)".into())),
            Found::Nothing => Err(FileError::NotFound),
        }
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        match self.find(path) {
            (real, Found::Directory(objects, tree, inside)) => {
                let entries = objects.tree(tree);
                let leads_to_directory = |name: &str| {
                    matches!(self.find(&real.join(name)).1, Found::Directory(..))
                        || kukla_world::is_directory(self.repository.disk(), &self.resolve(&real.join(name)))
                };
                let own = entries.iter().map(|entry| DirectoryEntry {
                    is_directory: match entry.kind {
                        Kind::Directory | Kind::Submodule => true,
                        Kind::File => false,
                        Kind::Link => leads_to_directory(&entry.name),
                    },
                    is_link: entry.kind == Kind::Link,
                    name: entry.name.clone(),
                });
                let mut all: Vec<DirectoryEntry> = own.collect();
                all.extend(self.repository.beside(&inside, &entries).iter().cloned());
                all.sort();
                all
            }
            (_, Found::Elsewhere(path)) => self.repository.disk().list(&path),
            (_, Found::File(..) | Found::Nothing) => Vec::new(),
        }
    }

    /// A process would see the files on disk and not those of the revision.
    fn converse(&self, command: &[String]) -> FileResult<Box<dyn Conversation>> {
        Err(FileError::Other(format!(
            "a revision has no directory to run commands in: {}",
            command.join(" ")
        )))
    }

    fn change(&self, path: &Path, change: Change<'_>) -> FileResult<()> {
        let elsewhere = |path: &Path| match self.find(path).1 {
            Found::Elsewhere(path) => Ok(path),
            _ => Err(FileError::Other("a revision is not changed".into())),
        };
        match change {
            Change::Rename(to) => {
                self.repository.disk().change(&elsewhere(path)?, Change::Rename(&elsewhere(to)?))
            }
            change => self.repository.disk().change(&elsewhere(path)?, change),
        }
    }

    fn exists(&self, path: &Path) -> bool {
        match self.find(path).1 {
            Found::File(..) | Found::Directory(..) => true,
            Found::Elsewhere(path) => self.repository.disk().exists(&path),
            Found::Nothing => false,
        }
    }

    /// An object never changes, and no two have the same name. As a time it is one of long ago, which is to say that it has been the
    /// same since.
    fn stamp(&self, path: &Path) -> Option<Stamp> {
        match self.find(path).1 {
            Found::File(_, id) | Found::Directory(_, id, _) => {
                let number =
                    |at: usize| Some(u64::from_be_bytes(id.as_bytes().get(at..at + 8)?.try_into().ok()?));
                Some(Stamp { version: number(0)? >> 8, length: number(8)? })
            }
            Found::Elsewhere(path) => self.repository.disk().stamp(&path),
            Found::Nothing => None,
        }
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        match self.find(path) {
            (_, Found::Elsewhere(path)) => self.repository.disk().resolve(&path),
            (real, _) => real,
        }
    }
}
