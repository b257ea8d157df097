//! Deleting contents that nothing needs any more.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use kukla_syntax::Problem;

use super::Store;
use super::tree::{Entry, Tree};
use crate::digest::Digest;
use crate::install::is_installed_path;

/// The result of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collection {
    /// Module versions that were deleted.
    pub trees: usize,
    /// Files that were deleted.
    pub objects: usize,
    /// Git repositories that were deleted.
    pub repositories: usize,
    /// The bytes that were freed.
    pub bytes: u64,
}

impl Store {
    /// Deletes versions of modules that were not used for some time and that no installation has links to, and everything that belongs to
    /// them alone. With `dry`, only counts them.
    pub fn collect(&self, unused: Duration, dry: bool) -> Result<Collection, Problem> {
        let _lock = self.lock_exclusive()?;
        let mut collection = Collection::default();
        let mut needed: HashSet<PathBuf> = HashSet::new();
        for path in files(&self.root.join("trees")) {
            let tree = fs::read_to_string(&path).ok().and_then(|text| Tree::parse(&text));
            match tree {
                Some(tree) if !is_unused(&path, unused) || self.is_linked(&tree) => {
                    needed.extend(tree.files().map(|file| self.object_path(&file.digest, file.executable)));
                }
                _ => {
                    collection.trees += 1;
                    collection.delete(&path, dry);
                }
            }
        }
        for path in files(&self.root.join("objects")).into_iter().filter(|path| !needed.contains(path)) {
            collection.objects += 1;
            collection.delete(&path, dry);
        }
        for path in files(&self.root.join("sources")) {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let digest = text.lines().next().and_then(|line| Digest::parse(line).ok());
            if !dry && digest.is_none_or(|digest| !self.tree_path(&digest).exists()) {
                let _ = fs::remove_file(&path);
            }
        }
        for path in children(&self.root.join("git")).into_iter().chain(children(&self.root.join("tmp"))) {
            let age = if path.parent().and_then(Path::file_name) == Some(OsStr::new("tmp")) {
                Duration::from_secs(24 * 3600)
            } else {
                unused
            };
            if !is_unused(&path, age) {
                continue;
            }
            collection.repositories += usize::from(path.is_dir());
            collection.bytes += files(&path).iter().map(|file| size(file)).sum::<u64>();
            if !dry {
                let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            }
        }
        self.whole.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
        Ok(collection)
    }
}

impl Store {
    /// Whether a directory has links to all files that are installed of a tree: single files are shared by many versions.
    fn is_linked(&self, tree: &Tree) -> bool {
        let mut installed = tree.entries().filter_map(|(path, entry)| match entry {
            Entry::File(file) if is_installed_path(false, path) => Some(file),
            _ => None,
        });
        installed.all(|file| {
            let object = self.object_path(&file.digest, file.executable);
            fs::symlink_metadata(object).is_ok_and(|about| about.nlink() > 1)
        })
    }
}

impl Collection {
    fn delete(&mut self, path: &Path, dry: bool) {
        self.bytes += size(path);
        if !dry {
            let _ = fs::remove_file(path);
        }
    }
}

fn size(path: &Path) -> u64 {
    fs::symlink_metadata(path).map_or(0, |about| about.len())
}

fn is_unused(path: &Path, limit: Duration) -> bool {
    let modified =
        fs::symlink_metadata(path).as_ref().ok().and_then(|about: &Metadata| about.modified().ok());
    let age = modified.and_then(|time| SystemTime::now().duration_since(time).ok());
    age.is_some_and(|age| age >= limit)
}

/// The entries of a directory.
fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// All files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        for path in children(&directory) {
            match fs::symlink_metadata(&path) {
                Ok(about) if about.is_dir() => pending.push(path),
                _ => found.push(path),
            }
        }
    }
    found
}
