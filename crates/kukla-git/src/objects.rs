//! The objects of a repository, each directory read once.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use gix::ObjectId;
use gix::index::State;
use gix::index::entry::Flags;
use gix::objs::tree::EntryKind;
use kukla_syntax::Problem;
use rustc_hash::FxHashMap;

/// The objects of a repository, for any number of threads.
#[derive(Debug)]
pub struct Objects {
    repository: Mutex<gix::Repository>,
    trees: RwLock<FxHashMap<ObjectId, Arc<[Entry]>>>,
}

/// An entry of a directory of a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// The object.
    pub id: ObjectId,
}

/// The kind of an entry of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file.
    File,
    /// A link; the object is the path it leads to.
    Link,
    /// A directory.
    Directory,
    /// A revision of another repository.
    Submodule,
}

impl Objects {
    pub fn new(mut repository: gix::Repository) -> Objects {
        // Deltas of a pack share their bases.
        repository.object_cache_size_if_unset(16 << 20);
        Objects { repository: Mutex::new(repository), trees: RwLock::default() }
    }

    pub fn repository(&self) -> MutexGuard<'_, gix::Repository> {
        self.repository.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The content of a file or link.
    pub fn blob(&self, id: ObjectId) -> Result<Vec<u8>, Problem> {
        let repository = self.repository();
        match repository.find_object(id) {
            Ok(object) => Ok(object.detach().data),
            Err(_) => Err(absent(id)),
        }
    }

    /// The entries of a directory, by name; none if the object is not here.
    pub fn tree(&self, id: ObjectId) -> Arc<[Entry]> {
        if let Some(known) = self.trees.read().unwrap_or_else(PoisonError::into_inner).get(&id) {
            return Arc::clone(known);
        }
        let entries = self.read_tree(id).unwrap_or_default();
        let entries: Arc<[Entry]> = entries.into();
        self.trees.write().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::clone(&entries));
        entries
    }

    fn read_tree(&self, id: ObjectId) -> Option<Vec<Entry>> {
        let repository = self.repository();
        let tree = repository.find_tree(id).ok()?;
        let mut entries: Vec<Entry> = tree
            .iter()
            .flatten()
            .map(|entry| Entry {
                name: entry.filename().to_string(),
                kind: match entry.kind() {
                    EntryKind::Tree => Kind::Directory,
                    EntryKind::Blob | EntryKind::BlobExecutable => Kind::File,
                    EntryKind::Link => Kind::Link,
                    EntryKind::Commit => Kind::Submodule,
                },
                id: entry.object_id(),
            })
            .collect();
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Some(entries)
    }

    /// The directory that a commit holds.
    pub fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, Problem> {
        let repository = self.repository();
        let object = repository.find_object(commit).map_err(|_| absent(commit))?;
        let tree = object
            .peel_to_tree()
            .map_err(|error| Problem::invalid("cannot read commit").on(commit).because(error))?;
        Ok(tree.id().detach())
    }

    /// Which of some paths git ignores; the flag says whether a path is a directory.
    pub fn ignored<'p>(&self, paths: impl Iterator<Item = (&'p Path, bool)>) -> Vec<bool> {
        let repository = self.repository();
        let source = gix::worktree::stack::state::ignore::Source::WorktreeThenIdMappingIfNotSkipped;
        let stack = repository.index_or_empty().and_then(|index| {
            // What is ignored does not depend on the index but for files that are not checked out, and all of it is looked at each time.
            let is_absent = |entry: &gix::index::Entry| entry.flags.contains(Flags::SKIP_WORKTREE);
            match index.entries().iter().any(is_absent) {
                true => repository.excludes(&index, None, source),
                false => repository.excludes(&State::new(repository.object_hash()), None, source),
            }
        });
        let Ok(mut stack) = stack else { return paths.map(|_| false).collect() };
        let mut is_ignored = |path: &Path, is_directory: bool| {
            let mode =
                if is_directory { gix::index::entry::Mode::DIR } else { gix::index::entry::Mode::FILE };
            stack.at_path(path, Some(mode)).is_ok_and(|platform| platform.is_excluded())
        };
        paths.map(|(path, is_directory)| is_ignored(path, is_directory)).collect()
    }
}

fn absent(id: ObjectId) -> Problem {
    Problem::not_found(format!("git object {id} is not in this clone"))
}

/// The entry of this name.
pub fn find<'e>(entries: &'e [Entry], name: &str) -> Option<&'e Entry> {
    entries.binary_search_by(|entry| entry.name.as_str().cmp(name)).ok().map(|at| &entries[at])
}
