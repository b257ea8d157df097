//! The store of module contents that all environments and users of a machine share.
//!
//! A file of a module is an *object*, named by the digest of its bytes. A [`Tree`] lists the files of one version of a module with their
//! objects, and its own digest identifies that content everywhere: in lock files, in records of installations. A *source* (a Forge release, a
//! commit) names the tree that it had. Objects are installed as hard links or copies.
//!
//! Anything that is written here is written beside and renamed, so a crash leaves nothing half. An object has a modification time that follows
//! from its digest: an edit through a hard link changes it, and is found without reading the object.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use kukla_syntax::{Problem, ProblemKind};
use rustix::fs::FlockOperation;

use crate::digest::Digest;

mod build;
mod collect;
mod materialize;
mod tree;

pub use build::{Limits, TreeBuilder};
pub use collect::Collection;
pub use materialize::{Linking, OTHER_FILESYSTEM};
pub use tree::{Entry, Tree};

/// A store of module contents in a directory.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    /// Trees whose objects were found to be whole in this process.
    whole: Mutex<HashMap<Digest, Arc<Tree>>>,
    /// How objects are installed.
    pub linking: Linking,
}

/// A lock on the store: shared while contents are added and installed, exclusive while some are deleted.
#[derive(Debug)]
pub struct StoreLock(#[expect(dead_code, reason = "closing it releases the lock")] File);

impl Store {
    /// The store in a directory, which is created.
    pub fn open(root: &Path) -> Result<Store, Problem> {
        for directory in ["objects", "trees", "sources", "git", "forge", "tmp"] {
            let path = root.join(directory);
            fs::create_dir_all(&path).map_err(|error| Problem::io("create", &path, &error)).map_err(
                |problem| problem.help("name another store with --module-store or KUKLA_MODULE_STORE"),
            )?;
        }
        Ok(Store { root: root.to_owned(), whole: Mutex::default(), linking: Linking::default() })
    }

    /// The directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Locks the store while contents are added or installed.
    pub fn lock_shared(&self) -> Result<StoreLock, Problem> {
        self.lock(FlockOperation::LockShared)
    }

    /// Locks the store while contents are deleted; waits until nobody uses it.
    pub fn lock_exclusive(&self) -> Result<StoreLock, Problem> {
        self.lock(FlockOperation::LockExclusive)
    }

    fn lock(&self, operation: FlockOperation) -> Result<StoreLock, Problem> {
        lock_file(&self.root.join("lock"), operation).map(StoreLock)
    }

    /// The tree of a digest, if it and all its objects are here and whole.
    pub fn tree(&self, digest: &Digest) -> Option<Arc<Tree>> {
        if let Some(tree) = self.whole.lock().unwrap_or_else(PoisonError::into_inner).get(digest) {
            return Some(Arc::clone(tree));
        }
        let path = self.tree_path(digest);
        let tree = Tree::parse(&fs::read_to_string(&path).ok()?)?;
        let is_whole = tree.digest() == *digest && tree.files().all(|file| self.has_object(file));
        if !is_whole {
            return None;
        }
        // `gc` keeps what was used lately.
        if fs::metadata(&path).and_then(|about| about.modified()).is_ok_and(is_old) {
            let _ = File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        }
        let tree = Arc::new(tree);
        self.whole.lock().unwrap_or_else(PoisonError::into_inner).insert(digest.clone(), Arc::clone(&tree));
        Some(tree)
    }

    /// The tree of a source, such as `forge puppetlabs-stdlib 9.4.1 sha256:…`, if it is here and whole.
    pub fn tree_of(&self, source: &str) -> Option<(Digest, Arc<Tree>)> {
        let text = fs::read_to_string(self.source_path(source)).ok()?;
        let (digest, key) = text.split_once('\n')?;
        let digest = Digest::parse(digest).ok().filter(|_| key.trim_end() == source)?;
        Some((digest.clone(), self.tree(&digest)?))
    }

    /// Records the tree of a source.
    pub fn record_source(&self, source: &str, tree: &Digest) -> Result<(), Problem> {
        self.write(&self.source_path(source), format!("{tree}\n{source}\n").as_bytes())
    }

    /// The content of a file of a tree.
    pub fn read_object(&self, digest: &Digest, executable: bool) -> io::Result<Vec<u8>> {
        fs::read(self.object_path(digest, executable))
    }

    /// Forgets what this process found out about a tree, because something in it turned out to be damaged.
    pub fn forget(&self, digest: &Digest) {
        self.whole.lock().unwrap_or_else(PoisonError::into_inner).remove(digest);
    }

    fn has_object(&self, file: &tree::FileEntry) -> bool {
        let path = self.object_path(&file.digest, file.executable);
        let Ok(about) = fs::symlink_metadata(&path) else { return false };
        if !about.is_file() || about.len() != file.size {
            return false;
        }
        about.mtime() == stamp(&file.digest) && about.mtime_nsec() == 0 || self.restamp(&path, file).is_ok()
    }

    /// Reads an object whose time is not that of its digest. One that was edited is deleted.
    fn restamp(&self, path: &Path, file: &tree::FileEntry) -> io::Result<()> {
        if Digest::of(&fs::read(path)?) == file.digest {
            return File::open(path)?.set_modified(moment(&file.digest));
        }
        fs::remove_file(path)?;
        Err(io::ErrorKind::InvalidData.into())
    }

    pub(crate) fn object_path(&self, digest: &Digest, executable: bool) -> PathBuf {
        let (start, rest) = digest.halves();
        let suffix = if executable { "x" } else { "" };
        self.root.join("objects").join(start).join(format!("{rest}{suffix}"))
    }

    pub(crate) fn tree_path(&self, digest: &Digest) -> PathBuf {
        let (start, rest) = digest.halves();
        self.root.join("trees").join(start).join(rest)
    }

    fn source_path(&self, source: &str) -> PathBuf {
        let digest = Digest::of(source.as_bytes());
        let (start, rest) = digest.halves();
        self.root.join("sources").join(start).join(rest)
    }

    /// A path for something unfinished that no other process uses.
    pub fn temporary(&self) -> PathBuf {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        self.root.join("tmp").join(format!("{}-{number}", std::process::id()))
    }

    /// Writes a file whole or not at all.
    pub(crate) fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Problem> {
        let written = || {
            let temporary = self.temporary();
            let result = fs::write(&temporary, bytes).and_then(|()| place(&temporary, path));
            if result.is_err() {
                let _ = fs::remove_file(&temporary);
            }
            result
        };
        written().map_err(|error| Problem::io("write", path, &error))
    }

    fn write_object(&self, digest: &Digest, executable: bool, bytes: &[u8]) -> Result<(), Problem> {
        let path = self.object_path(digest, executable);
        let written = || {
            let temporary = self.temporary();
            let write = || {
                let mut file = File::create_new(&temporary)?;
                file.write_all(bytes)?;
                file.set_permissions(fs::Permissions::from_mode(if executable { 0o755 } else { 0o644 }))?;
                file.set_modified(moment(digest))?;
                drop(file);
                place(&temporary, &path)
            };
            let result = write();
            if result.is_err() {
                let _ = fs::remove_file(&temporary);
            }
            result
        };
        written().map_err(|error| Problem::io("write", &path, &error))
    }
}

/// Renames a file to its place, whose directory is created.
fn place(temporary: &Path, path: &Path) -> io::Result<()> {
    match fs::rename(temporary, path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
            fs::rename(temporary, path)
        }
        result => result,
    }
}

/// The seconds since 1970 that an object has as its modification time: somewhere between 2001 and 2009.
fn stamp(digest: &Digest) -> i64 {
    let number = i64::from_str_radix(&digest.as_str()[..7], 16).unwrap_or(0);
    978_307_200 + number
}

fn moment(digest: &Digest) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(stamp(digest).unsigned_abs())
}

fn is_old(modified: SystemTime) -> bool {
    modified.elapsed().is_ok_and(|age| age > Duration::from_secs(24 * 3600))
}

/// Locks a file, which is created. The lock ends when the file is closed.
pub(crate) fn lock_file(path: &Path, operation: FlockOperation) -> Result<File, Problem> {
    let failed = |error: &io::Error| Problem::io("lock", path, error);
    let file = File::options().create(true).truncate(false).write(true).open(path).map_err(|e| failed(&e))?;
    rustix::fs::flock(&file, operation).map_err(|error| failed(&error.into()))?;
    Ok(file)
}

/// The problem of content that is not what its digest says.
pub(crate) fn wrong_digest(what: &str, expected: &Digest, actual: &Digest) -> Problem {
    Problem::new(ProblemKind::Conflict, format!("the content of {what} is not the expected one"))
        .because(format!("expected {expected}, got {actual}"))
}
