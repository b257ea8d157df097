//! In which files two sides of a comparison differ, found without reading what is the same.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::ObjectId;
use kukla_syntax::deep;
use kukla_world::DirectoryEntry;

use crate::change::{Change, Status};
use crate::objects::{Entry, Kind, Objects, find};
use crate::repository::Repository;
use crate::revision::Revision;

impl Revision {
    /// The files in which another revision differs from this one.
    pub fn changed_in(&self, other: &Revision) -> Change {
        let mut walk = Walk { repository: self.repository(), change: Change::default() };
        let objects = &self.repository().objects;
        walk.trees(Path::new(""), Some((objects, self.tree())), Some((objects, other.tree())));
        // Links need not be among what differs.
        walk.change.has_links = self.has_links() || other.has_links();
        walk.change
    }

    /// The files in which the files as they are differ from this revision.
    pub fn changed_in_working_tree(&self) -> Change {
        let mut walk = Walk { repository: self.repository(), change: Change::default() };
        let objects = Arc::clone(&self.repository().objects);
        let fresh = Fresh::new(&objects);
        walk.files(Path::new(""), &objects, self.tree(), &fresh);
        walk.change.has_links |= self.has_links();
        walk.change
    }

    fn has_links(&self) -> bool {
        self.repository().objects.extent(self.tree()).has_links
    }
}

type TreeRef<'o> = (&'o Arc<Objects>, ObjectId);

struct Walk<'r> {
    repository: &'r Repository,
    change: Change,
}

impl Walk<'_> {
    fn note(&mut self, path: PathBuf, status: Status) {
        self.change.files.insert(path, status);
    }

    fn trees(&mut self, at: &Path, before: Option<TreeRef<'_>>, after: Option<TreeRef<'_>>) {
        let entries =
            |place: Option<TreeRef<'_>>| place.map(|(objects, tree)| objects.tree(tree)).unwrap_or_default();
        let (old, new) = (entries(before), entries(after));
        for entry in old.iter() {
            let other = find(&new, &entry.name);
            if other.is_none_or(|other| other.id != entry.id || other.kind != entry.kind) {
                self.entries(&at.join(&entry.name), (before, Some(entry)), (after, other));
            }
        }
        for entry in new.iter().filter(|entry| find(&old, &entry.name).is_none()) {
            self.entries(&at.join(&entry.name), (before, None), (after, Some(entry)));
        }
    }

    /// Two entries that differ.
    fn entries(
        &mut self,
        path: &Path,
        (before, old): (Option<TreeRef<'_>>, Option<&Entry>),
        (after, new): (Option<TreeRef<'_>>, Option<&Entry>),
    ) {
        let inner = |place: Option<TreeRef<'_>>, entry: Option<&Entry>| -> Option<(Arc<Objects>, ObjectId)> {
            let (entry, (objects, _)) = (entry?, place?);
            match entry.kind {
                Kind::Directory => Some((Arc::clone(objects), entry.id)),
                Kind::Submodule => {
                    let opened = self.repository.submodule(path)?;
                    let tree = opened.tree_of(entry.id).ok()?;
                    Some((opened, tree))
                }
                Kind::File | Kind::Link => None,
            }
        };
        let (within_old, within_new) = (inner(before, old), inner(after, new));
        let is_leaf =
            |entry: Option<&Entry>| entry.is_some_and(|entry| matches!(entry.kind, Kind::File | Kind::Link));
        let status = match (is_leaf(old), is_leaf(new)) {
            (true, true) => Some(Status::Modified),
            (true, false) => Some(Status::Removed),
            (false, true) => Some(Status::Added),
            // A submodule of which nobody knows what is in it.
            (false, false) => (within_old.is_none() && within_new.is_none()).then_some(Status::Modified),
        };
        if let Some(status) = status {
            self.note(path.to_owned(), status);
        }
        fn place(within: &Option<(Arc<Objects>, ObjectId)>) -> Option<TreeRef<'_>> {
            within.as_ref().map(|(objects, tree)| (objects, *tree))
        }
        if within_old.is_some() || within_new.is_some() {
            deep(|| self.trees(path, place(&within_old), place(&within_new)));
        }
    }

    /// A directory of a revision and the one on disk.
    fn files(&mut self, at: &Path, objects: &Arc<Objects>, tree: ObjectId, fresh: &Fresh) {
        let repository = self.repository;
        let root = repository.root.clone();
        let own = objects.tree(tree);
        let listed = repository.disk().list(&root.join(at));
        let ignored = repository.beside(at, &own);
        for entry in own.iter() {
            let path = at.join(&entry.name);
            let there = listed_as(&listed, &entry.name);
            match (entry.kind, there) {
                (Kind::Directory, Some(there)) if there.is_directory && !there.is_link => {
                    deep(|| self.files(&path, objects, entry.id, fresh));
                }
                (Kind::Submodule, Some(there)) if there.is_directory => {
                    let opened = repository.submodule(&path);
                    if let Some((tree, opened)) =
                        opened.and_then(|opened| Some((opened.tree_of(entry.id).ok()?, opened)))
                    {
                        deep(|| self.files(&path, &opened, tree, &Fresh::default()));
                    }
                }
                (Kind::Directory | Kind::Submodule, there) => {
                    self.trees(&path, Some((objects, entry.id)), None);
                    if there.is_some() {
                        self.note(path, Status::Modified);
                    }
                }
                (Kind::File | Kind::Link, None) => self.note(path, Status::Removed),
                (Kind::File, Some(there)) if !there.is_link && !there.is_directory => {
                    let is_same = fresh.is_same(&root, &path, entry.id)
                        || repository
                            .disk()
                            .read(&root.join(&path))
                            .is_ok_and(|bytes| is_object(&bytes, entry.id));
                    if !is_same {
                        self.note(path, Status::Modified);
                    }
                }
                (Kind::Link, Some(there)) if there.is_link => {
                    self.change.has_links = true;
                    if !link(&root.join(&path)).is_some_and(|target| is_object(target.as_bytes(), entry.id)) {
                        self.note(path, Status::Modified);
                    }
                }
                (Kind::File | Kind::Link, Some(_)) => self.note(path, Status::Modified),
            }
        }
        for entry in &listed {
            let is_new = entry.name != ".git"
                && !entry.is_special
                && find(&own, &entry.name).is_none()
                && listed_as(&ignored, &entry.name).is_none();
            if is_new {
                self.change.has_links |= entry.is_link;
                self.added(&at.join(&entry.name), entry.is_directory && !entry.is_link);
            }
        }
    }

    /// Something on disk that the revision does not have.
    fn added(&mut self, path: &Path, is_directory: bool) {
        if !is_directory {
            return self.note(path.to_owned(), Status::Added);
        }
        let ignored = self.repository.beside(path, &[]);
        for entry in self.repository.disk().list(&self.repository.root.join(path)) {
            if entry.name != ".git" && !entry.is_special && listed_as(&ignored, &entry.name).is_none() {
                self.change.has_links |= entry.is_link;
                deep(|| self.added(&path.join(&entry.name), entry.is_directory && !entry.is_link));
            }
        }
    }
}

/// The entry of a directory with a name; worlds list them by name.
fn listed_as<'e>(entries: &'e [DirectoryEntry], name: &str) -> Option<&'e DirectoryEntry> {
    entries.binary_search_by(|entry| entry.name.as_str().cmp(name)).ok().map(|at| &entries[at])
}

fn is_object(bytes: &[u8], id: ObjectId) -> bool {
    gix::objs::compute_hash(id.kind(), gix::objs::Kind::Blob, bytes).is_ok_and(|hash| hash == id)
}

/// Where a link leads.
#[allow(clippy::disallowed_methods)] // a world follows links and does not tell them
fn link(path: &Path) -> Option<String> {
    std::fs::read_link(path).ok().map(|target| target.to_string_lossy().into_owned())
}

/// Files that git has looked at and that are as they were then.
#[derive(Default)]
struct Fresh {
    known: std::collections::HashMap<PathBuf, (ObjectId, u32, u32, u32), rustc_hash::FxBuildHasher>,
}

impl Fresh {
    fn new(objects: &Objects) -> Fresh {
        objects.ask(|repository| Ok(Fresh::of(repository))).unwrap_or_default()
    }

    fn of(repository: &gix::Repository) -> Fresh {
        let Ok(index) = repository.index() else { return Fresh::default() };
        let written = index.timestamp().unix_seconds();
        let entries = index.entries().iter().filter_map(|entry| {
            let stat = &entry.stat;
            // What changed in the second in which the index was written may have changed after it.
            let is_settled = i64::from(stat.mtime.secs) < written;
            let path = PathBuf::from(entry.path(&index).to_string());
            is_settled.then_some((path, (entry.id, stat.mtime.secs, stat.mtime.nsecs, stat.size)))
        });
        Fresh { known: entries.collect() }
    }

    /// Whether a file is the one that git knows under an object's name.
    #[allow(clippy::disallowed_methods)] // a world does not tell the time that git goes by
    fn is_same(&self, root: &Path, path: &Path, id: ObjectId) -> bool {
        use std::os::unix::fs::MetadataExt;
        let Some((known, secs, nsecs, size)) = self.known.get(path) else { return false };
        let Ok(about) = std::fs::symlink_metadata(root.join(path)) else { return false };
        *known == id
            && about.mtime() == i64::from(*secs)
            && about.mtime_nsec() == i64::from(*nsecs)
            && about.len() == u64::from(*size)
    }
}
