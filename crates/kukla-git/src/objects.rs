//! The objects of a repository, each directory read once.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use gix::ObjectId;
use gix::index::State;
use gix::index::entry::Flags;
use gix::objs::tree::EntryKind;
use kukla_syntax::{ContainedPanic, Problem, ProblemKind, contain};
use kukla_world::LARGEST_FILE;
use rustc_hash::FxHashMap;

use crate::extent::Extent;

/// The objects of a repository, for any number of threads.
#[derive(Debug)]
pub struct Objects {
    repository: Mutex<gix::Repository>,
    trees: RwLock<FxHashMap<ObjectId, Arc<[Entry]>>>,
    pub(crate) extents: RwLock<FxHashMap<ObjectId, Extent>>,
}

/// The largest number of tags that lead to one another.
const MOST_TAGS: usize = 20;

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
        Objects { repository: Mutex::new(repository), trees: RwLock::default(), extents: RwLock::default() }
    }

    /// Asks the repository something. A damaged one may make the library that reads it panic, which is a problem like others.
    pub fn ask<T>(
        &self,
        question: impl FnOnce(&gix::Repository) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let repository = self.repository.lock().unwrap_or_else(PoisonError::into_inner);
        contain(|| question(&repository)).unwrap_or_else(|panic| Err(damaged(&panic)))
    }

    /// The content of a file or link.
    pub fn blob(&self, id: ObjectId) -> Result<Vec<u8>, Problem> {
        self.ask(|repository| Ok(object(repository, id)?.detach().data))
    }

    /// The entries of a directory, by name; none if the object is not here.
    pub fn tree(&self, id: ObjectId) -> Arc<[Entry]> {
        if let Some(known) = self.trees.read().unwrap_or_else(PoisonError::into_inner).get(&id) {
            return Arc::clone(known);
        }
        let entries: Arc<[Entry]> =
            self.ask(|repository| read_tree(repository, id)).unwrap_or_default().into();
        self.trees.write().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::clone(&entries));
        entries
    }

    /// The directory that a commit holds; a problem if it is too large to walk through.
    pub fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, Problem> {
        let unreadable = || Problem::invalid("cannot read commit").on(commit);
        let tree = self.ask(|repository| {
            let mut id = commit;
            for _ in 0..MOST_TAGS {
                let object = object(repository, id)?;
                id = match object.kind {
                    gix::objs::Kind::Tree => return Ok(id),
                    gix::objs::Kind::Commit => {
                        object.into_commit().tree_id().map_err(|error| unreadable().because(error))?.detach()
                    }
                    gix::objs::Kind::Tag => {
                        object.into_tag().target_id().map_err(|error| unreadable().because(error))?.detach()
                    }
                    gix::objs::Kind::Blob => return Err(unreadable().because("it is a file")),
                };
            }
            Err(unreadable().because("its tags do not end"))
        })?;
        self.extent(tree).check().map_err(|problem| problem.on(commit))?;
        Ok(tree)
    }

    /// Which of some paths git ignores; the flag says whether a path is a directory.
    pub fn ignored<'p>(&self, paths: impl Iterator<Item = (&'p Path, bool)>) -> Vec<bool> {
        let paths: Vec<(&Path, bool)> = paths.collect();
        let none = vec![false; paths.len()];
        self.ask(|repository| Ok(ignored(repository, &paths))).ok().flatten().unwrap_or(none)
    }
}

fn ignored(repository: &gix::Repository, paths: &[(&Path, bool)]) -> Option<Vec<bool>> {
    let source = gix::worktree::stack::state::ignore::Source::WorktreeThenIdMappingIfNotSkipped;
    let index = repository.index_or_empty().ok()?;
    // What is ignored does not depend on the index but for files that are not checked out, and all of it is looked at each time.
    let is_absent = |entry: &gix::index::Entry| entry.flags.contains(Flags::SKIP_WORKTREE);
    let stack = match index.entries().iter().any(is_absent) {
        true => repository.excludes(&index, None, source),
        false => repository.excludes(&State::new(repository.object_hash()), None, source),
    };
    let mut stack = stack.ok()?;
    let mut is_ignored = |path: &Path, is_directory: bool| {
        let mode = if is_directory { gix::index::entry::Mode::DIR } else { gix::index::entry::Mode::FILE };
        stack.at_path(path, Some(mode)).is_ok_and(|platform| platform.is_excluded())
    };
    Some(paths.iter().map(|(path, is_directory)| is_ignored(path, *is_directory)).collect())
}

fn read_tree(repository: &gix::Repository, id: ObjectId) -> Result<Vec<Entry>, Problem> {
    let tree = object(repository, id)?.try_into_tree().map_err(|_| absent(id))?;
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
    Ok(entries)
}

/// An object whose size, which its header states, is within bounds.
fn object(repository: &gix::Repository, id: ObjectId) -> Result<gix::Object<'_>, Problem> {
    let size = repository.find_header(id).map_err(|_| absent(id))?.size();
    if size > LARGEST_FILE {
        return Err(Problem::new(ProblemKind::LimitExceeded, "cannot read git object")
            .on(id)
            .because(format!("it has {size} bytes, more than the {LARGEST_FILE} allowed")));
    }
    repository.find_object(id).map_err(|_| absent(id))
}

pub fn damaged(panic: &ContainedPanic) -> Problem {
    Problem::invalid("cannot read the git repository")
        .because(format!("its files are damaged in a way that was not expected: {panic}"))
        .help("`git fsck` reports what is damaged")
}

fn absent(id: ObjectId) -> Problem {
    Problem::not_found(format!("git object {id} is not in this clone"))
}

/// The entry of this name.
pub fn find<'e>(entries: &'e [Entry], name: &str) -> Option<&'e Entry> {
    entries.binary_search_by(|entry| entry.name.as_str().cmp(name)).ok().map(|at| &entries[at])
}
