//! Comparing an installed module with the tree that it should have.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::is_installed_path;
use crate::digest::Digest;
use crate::store::{Entry, Tree};

/// A difference of an installed module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// A file that should be there.
    Missing(String),
    /// A file with another content, another kind or another mode.
    Changed(String),
    /// A file that should not be there.
    Added(String),
}

/// The differences of a directory from a tree, by path. The directory of git is ignored.
pub fn compare(tree: &Tree, keep_spec: bool, directory: &Path) -> Vec<Difference> {
    let mut actual = BTreeMap::new();
    list(directory, "", &mut actual);
    let mut differences = Vec::new();
    for (path, entry) in tree.entries().filter(|(path, _)| is_installed_path(keep_spec, path)) {
        match actual.remove(path) {
            None => differences.push(Difference::Missing(path.to_owned())),
            Some(kind) if !is_same(entry, kind, &directory.join(path)) => {
                differences.push(Difference::Changed(path.to_owned()));
            }
            Some(_) => {}
        }
    }
    let added = actual.into_iter().filter(|(_, kind)| *kind != Kind::Directory);
    differences.extend(added.map(|(path, _)| Difference::Added(path)));
    differences.sort();
    differences
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    File { executable: bool, size: u64 },
    Link,
    Directory,
    Other,
}

fn list(directory: &Path, prefix: &str, found: &mut BTreeMap<String, Kind>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if prefix.is_empty() && name == ".git" {
            continue;
        }
        let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        let Ok(about) = entry.metadata() else { continue };
        let kind = match about.file_type() {
            kind if kind.is_dir() => Kind::Directory,
            kind if kind.is_symlink() => Kind::Link,
            kind if kind.is_file() => {
                Kind::File { executable: about.permissions().mode() & 0o100 != 0, size: about.len() }
            }
            _ => Kind::Other,
        };
        if kind == Kind::Directory {
            list(&entry.path(), &path, found);
        }
        found.insert(path, kind);
    }
}

fn is_same(entry: &Entry, kind: Kind, path: &Path) -> bool {
    match (entry, kind) {
        (Entry::File(file), Kind::File { executable, size }) => {
            file.executable == executable
                && file.size == size
                && fs::read(path).is_ok_and(|bytes| Digest::of(&bytes) == file.digest)
        }
        (Entry::Link(target), Kind::Link) => {
            fs::read_link(path).is_ok_and(|actual| actual == Path::new(target))
        }
        (Entry::Directory, Kind::Directory) => true,
        _ => false,
    }
}
