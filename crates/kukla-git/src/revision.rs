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

/// The largest number of links that are followed one after the other.
const MOST_LINKS: usize = 40;

/// The entry at a path.
#[derive(Debug)]
enum PathEntry {
    File(Arc<Objects>, ObjectId),
    /// A directory, and its path in the repository.
    Directory(Arc<Objects>, ObjectId, PathBuf),
    /// An entry that the disk has there.
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

    fn find(&self, path: &Path) -> (PathBuf, PathEntry) {
        let mut path = normal(&self.here().join(path));
        for _ in 0..MOST_LINKS {
            let Ok(inside) = path.strip_prefix(&self.repository.root) else {
                let real = self.repository.disk().resolve(&path);
                if real.starts_with(&self.repository.root) && real != path {
                    path = real;
                    continue;
                }
                return (path.clone(), PathEntry::Elsewhere(path));
            };
            match self.walk(inside) {
                Step::Is(found) => return (path, found),
                Step::Link(target) => path = target,
            }
        }
        (path, PathEntry::Nothing)
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
                        PathEntry::Elsewhere(root.join(inside))
                    }
                    false => PathEntry::Nothing,
                });
            };
            match entry.kind {
                Kind::Directory => tree = entry.id,
                Kind::File if parts.as_path().as_os_str().is_empty() => {
                    return Step::Is(PathEntry::File(objects, entry.id));
                }
                Kind::File => return Step::Is(PathEntry::Nothing),
                Kind::Link => {
                    let Ok(target) = objects.blob(entry.id) else { return Step::Is(PathEntry::Nothing) };
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
                            return Step::Is(PathEntry::Nothing);
                        }
                        None => {
                            self.repository.note_taken(&path);
                            return Step::Is(PathEntry::Elsewhere(root.join(inside)));
                        }
                    }
                }
            }
            walked.push(&*name);
        }
        Step::Is(PathEntry::Directory(objects, tree, walked))
    }
}

/// The result of a walk from the root of the repository.
enum Step {
    Is(PathEntry),
    Link(PathBuf),
}

impl World for Revision {
    fn inner(&self) -> Option<&dyn World> {
        Some(self.repository.disk())
    }

    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        match self.find(path).1 {
            PathEntry::File(objects, id) => {
                objects.blob(id).map_err(|problem| FileError::Other(problem.to_string()))
            }
            PathEntry::Elsewhere(path) => self.repository.disk().read(&path),
            PathEntry::Directory(..) => Err(FileError::Other("Is a directory (os error 21)".into())),
            PathEntry::Nothing => Err(FileError::NotFound),
        }
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        match self.find(path) {
            (real, PathEntry::Directory(objects, tree, inside)) => {
                let entries = objects.tree(tree);
                let leads_to_directory = |name: &str| {
                    matches!(self.find(&real.join(name)).1, PathEntry::Directory(..))
                        || kukla_world::is_directory(self.repository.disk(), &self.resolve(&real.join(name)))
                };
                let own = entries.iter().map(|entry| DirectoryEntry {
                    is_directory: match entry.kind {
                        Kind::Directory | Kind::Submodule => true,
                        Kind::File => false,
                        Kind::Link => leads_to_directory(&entry.name),
                    },
                    is_link: entry.kind == Kind::Link,
                    is_special: false,
                    name: entry.name.clone(),
                });
                let mut all: Vec<DirectoryEntry> = own.collect();
                all.extend(self.repository.beside(&inside, &entries).iter().cloned());
                all.sort();
                all
            }
            (_, PathEntry::Elsewhere(path)) => self.repository.disk().list(&path),
            (_, PathEntry::File(..) | PathEntry::Nothing) => Vec::new(),
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
            PathEntry::Elsewhere(path) => Ok(path),
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
            PathEntry::File(..) | PathEntry::Directory(..) => true,
            PathEntry::Elsewhere(path) => self.repository.disk().exists(&path),
            PathEntry::Nothing => false,
        }
    }

    /// An object never changes, and no two have the same name. As a time it is one of long ago, which is to say that it has been the
    /// same since.
    fn stamp(&self, path: &Path) -> Option<Stamp> {
        match self.find(path).1 {
            PathEntry::File(_, id) | PathEntry::Directory(_, id, _) => {
                let number =
                    |at: usize| Some(u64::from_be_bytes(id.as_bytes().get(at..at + 8)?.try_into().ok()?));
                Some(Stamp { version: number(0)? >> 8, length: number(8)? })
            }
            PathEntry::Elsewhere(path) => self.repository.disk().stamp(&path),
            PathEntry::Nothing => None,
        }
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        match self.find(path) {
            (_, PathEntry::Elsewhere(path)) => self.repository.disk().resolve(&path),
            (real, _) => real,
        }
    }
}
