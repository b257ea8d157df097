//! Adding contents to the store: every path is checked, every limit is charged before the work.

use std::collections::BTreeMap;

use kukla_syntax::{Problem, ProblemKind};

use super::tree::{Entry, FileEntry, Tree};
use super::{Store, StoreLock};
use crate::digest::Digest;

/// The limits of one module.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Files, links and directories.
    pub entries: usize,
    /// Bytes of all files together.
    pub bytes: u64,
    /// Bytes of one path.
    pub path: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { entries: 100_000, bytes: 2 << 30, path: 1024 }
    }
}

/// A tree that is being added to the store.
#[derive(Debug)]
pub struct TreeBuilder<'s> {
    store: &'s Store,
    limits: Limits,
    entries: BTreeMap<String, Entry>,
    bytes: u64,
    /// Objects that no tree names yet must not be collected.
    _lock: StoreLock,
}

impl Store {
    /// Starts to add a tree.
    pub fn build(&self, limits: Limits) -> Result<TreeBuilder<'_>, Problem> {
        let _lock = self.lock_shared()?;
        Ok(TreeBuilder { store: self, limits, entries: BTreeMap::new(), bytes: 0, _lock })
    }
}

impl TreeBuilder<'_> {
    /// Charges the bytes of a file before it is read.
    pub fn charge(&mut self, path: &str, bytes: u64) -> Result<(), Problem> {
        self.bytes = self.bytes.saturating_add(bytes);
        match self.bytes <= self.limits.bytes {
            true => Ok(()),
            false => {
                Err(self.exceeded(path, &format!("its files have more than {} bytes", self.limits.bytes)))
            }
        }
    }

    fn exceeded(&self, path: &str, why: &str) -> Problem {
        Problem::new(ProblemKind::LimitExceeded, "the module is too large").on(path).because(why)
    }

    /// Adds a file.
    pub fn file(&mut self, path: &str, executable: bool, bytes: &[u8]) -> Result<(), Problem> {
        let digest = Digest::of(bytes);
        let file = FileEntry { digest, size: bytes.len() as u64, executable };
        if !self.store.has_object(&file) {
            self.store.write_object(&file.digest, executable, bytes)?;
        }
        self.insert(path, Entry::File(file))
    }

    /// Adds a link, whose target must be inside of the tree.
    pub fn link(&mut self, path: &str, target: &str) -> Result<(), Problem> {
        if !stays_inside(path, target) {
            return Err(Problem::new(ProblemKind::Denied, "refused to unpack")
                .on(path)
                .because(format!("it is a link to '{target}', which is outside of the module")));
        }
        self.insert(path, Entry::Link(target.to_owned()))
    }

    /// Adds a directory, which may stay empty.
    pub fn directory(&mut self, path: &str) -> Result<(), Problem> {
        self.insert(path, Entry::Directory)
    }

    fn insert(&mut self, path: &str, entry: Entry) -> Result<(), Problem> {
        check_path(path, self.limits.path)?;
        if self.entries.len() >= self.limits.entries {
            return Err(self.exceeded(path, &format!("it has more than {} files", self.limits.entries)));
        }
        self.entries.insert(path.to_owned(), entry);
        Ok(())
    }

    /// Adds the tree to the store.
    pub fn finish(mut self) -> Result<(Digest, Tree), Problem> {
        // A path cannot be below a file or a link, which archives can claim.
        for path in self.entries.keys() {
            let mut above = path.as_str();
            while let Some((parent, _)) = above.rsplit_once('/') {
                if matches!(self.entries.get(parent), Some(Entry::File(_) | Entry::Link(_))) {
                    return Err(Problem::new(ProblemKind::Denied, "refused to unpack")
                        .on(path)
                        .because(format!("'{parent}' is not a directory")));
                }
                above = parent;
            }
        }
        let entries = std::mem::take(&mut self.entries);
        let needless: Vec<String> = entries
            .iter()
            .filter(|(path, entry)| {
                let inside = format!("{path}/");
                matches!(entry, Entry::Directory)
                    && entries
                        .range(inside.clone()..)
                        .next()
                        .is_some_and(|(next, _)| next.starts_with(&inside))
            })
            .map(|(path, _)| path.clone())
            .collect();
        let mut entries = entries;
        needless.iter().for_each(|path| drop(entries.remove(path)));
        let tree = Tree::new(entries);
        let (text, digest) = (tree.to_text(), tree.digest());
        self.store.write(&self.store.tree_path(&digest), text.as_bytes())?;
        self.store.forget(&digest);
        Ok((digest, tree))
    }
}

/// Whether the target of a link at a path is inside of the tree. It may lead up at its start only: further on, a link could lead up instead.
pub fn stays_inside(path: &str, target: &str) -> bool {
    if target.is_empty() || target.starts_with('/') || target.contains('\0') {
        return false;
    }
    let depth = path.matches('/').count();
    let mut parts = target.split('/').filter(|part| !matches!(*part, "" | ".")).peekable();
    let mut up = 0;
    while parts.next_if_eq(&"..").is_some() {
        up += 1;
    }
    up <= depth && !parts.any(|part| part == "..")
}

/// A path is relative, and none of its parts leads up, is empty, or belongs to git.
fn check_path(path: &str, most: usize) -> Result<(), Problem> {
    let refused = |why: &str| {
        let problem = Problem::new(ProblemKind::Denied, "refused to unpack");
        Err(problem.on(format!("'{}'", path.escape_debug())).because(why))
    };
    if path.len() > most {
        return refused(&format!("its path has more than {most} bytes"));
    }
    if path.contains('\0') {
        return refused("its path has a byte of 0");
    }
    for part in path.split('/') {
        match part {
            "" => return refused("its path is absolute or has an empty part"),
            "." | ".." => return refused("its path leads out of the module"),
            part if part.eq_ignore_ascii_case(".git") => {
                return refused("modules must not bring a git directory");
            }
            part if part.len() > 255 => return refused("a part of its path has more than 255 bytes"),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_out_are_recognised() {
        for (path, target) in
            [("a", "b"), ("a/b", "../c"), ("a/b/c", "../../d"), ("a", "./x/y"), ("a/b", "..")]
        {
            assert!(stays_inside(path, target), "{path} -> {target}");
        }
        for (path, target) in [
            ("a", "../b"),
            ("a/b", "../../c"),
            ("a", "/etc/passwd"),
            ("a", "b/../../c"),
            ("a/b", "c/.."),
            ("a", ""),
        ] {
            assert!(!stays_inside(path, target), "{path} -> {target}");
        }
    }

    #[test]
    fn paths_that_lead_out_are_refused() {
        for path in ["/a", "a//b", "../a", "a/../b", "a/./b", "", ".git/config", "a/.GIT/hooks/x", "a\0b"] {
            assert!(check_path(path, 100).is_err(), "{path:?}");
        }
        assert!(check_path("a/b c/.gitignore", 100).is_ok());
        assert!(check_path(&"a/".repeat(60), 100).is_err());
    }
}
