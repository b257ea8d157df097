//! Writing a tree to a directory.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

use kukla_syntax::{Problem, ProblemKind};

use super::Store;
use super::tree::{Entry, FileEntry, Tree};

/// How objects become files of an installed module.
#[derive(Debug, Default)]
pub struct Linking {
    /// Set when a way has failed once: it is on another file system, or not supported.
    failed: AtomicU8,
    /// Always copy, so that an edit of an installed file can never reach another directory.
    pub copies: bool,
}

const CLONE: u8 = 1;
const LINK: u8 = 2;

/// The advice for a store that cannot be linked from.
pub const OTHER_FILESYSTEM: &str = "files are copied, because the store is on another file system; `--module-store` can name one on the same";

impl Linking {
    fn may(&self, way: u8) -> bool {
        !self.copies && self.failed.load(Ordering::Relaxed) & way == 0
    }

    fn fail(&self, way: u8) {
        self.failed.fetch_or(way, Ordering::Relaxed);
    }

    /// Whether files had to be copied so far.
    pub fn had_to_copy(&self) -> bool {
        !self.copies && self.failed.load(Ordering::Relaxed) & LINK != 0
    }

    /// Installs an object: as a clone that shares its blocks where the file system can, else as a hard link, else as a copy.
    fn install(&self, object: &Path, path: &Path) -> io::Result<()> {
        if self.may(CLONE) {
            match clone(object, path) {
                Ok(()) => return Ok(()),
                Err(error) if is_full(&error) || error.kind() == io::ErrorKind::NotFound => {
                    return Err(error);
                }
                Err(_) => self.fail(CLONE),
            }
        }
        if self.may(LINK) {
            match fs::hard_link(object, path) {
                Ok(()) => return Ok(()),
                Err(error) if is_full(&error) => return Err(error),
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists) =>
                {
                    return Err(error);
                }
                // An object can have too many links; the next one may have room.
                Err(error) if error.kind() == io::ErrorKind::TooManyLinks => {}
                Err(_) => self.fail(LINK),
            }
        }
        copy(object, path)
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn clone(object: &Path, path: &Path) -> io::Result<()> {
    let source = File::open(object)?;
    let target = File::create_new(path)?;
    if let Err(error) = rustix::fs::ioctl_ficlone(&target, &source) {
        drop(target);
        fs::remove_file(path)?;
        return Err(error.into());
    }
    finish(&source, &target)
}

fn copy(object: &Path, path: &Path) -> io::Result<()> {
    let mut source = File::open(object)?;
    let mut target = File::create_new(path)?;
    io::copy(&mut source, &mut target)?;
    finish(&source, &target)
}

fn finish(source: &File, target: &File) -> io::Result<()> {
    let about = source.metadata()?;
    target.set_permissions(about.permissions())?;
    target.set_modified(about.modified()?)
}

impl Store {
    /// Writes a tree to a new directory. Only paths that `filter` accepts are written.
    pub fn materialize(
        &self,
        tree: &Tree,
        directory: &Path,
        filter: impl Fn(&str) -> bool,
    ) -> Result<(), Problem> {
        create_directory(directory)?;
        let mut created = String::new();
        for (path, entry) in tree.entries().filter(|(path, _)| filter(path)) {
            let above = path.rsplit_once('/').map_or("", |(above, _)| above);
            // Entries are sorted, so one directory is mostly that of the entry before.
            if above != created && !above.is_empty() {
                create_directory(&directory.join(above))?;
                above.clone_into(&mut created);
            }
            let to = directory.join(path);
            match entry {
                Entry::File(file) => self.install(file, &to)?,
                Entry::Link(target) => {
                    symlink(target, &to).map_err(|error| Problem::io("create", &to, &error))?;
                }
                Entry::Directory => create_directory(&to)?,
            }
        }
        Ok(())
    }

    fn install(&self, file: &FileEntry, to: &Path) -> Result<(), Problem> {
        let object = self.object_path(&file.digest, file.executable);
        self.linking.install(&object, to).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Problem::new(ProblemKind::NotFound, "the store lacks")
                .on(object.display())
                .because("another process has deleted it"),
            _ => Problem::io("write", to, &error),
        })
    }
}

fn create_directory(path: &Path) -> Result<(), Problem> {
    fs::create_dir_all(path).map_err(|error| Problem::io("create", path, &error))
}
