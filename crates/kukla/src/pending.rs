//! Files that appear under their names when they are complete.

#![allow(clippy::disallowed_methods)] // they are written to the disk

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How many characters of a file's name its temporary name contains.
const LONGEST_NAME: usize = 48;

/// A file that is written under a temporary name and gets its final one when it is complete. Otherwise it is removed.
#[derive(Debug)]
pub struct Pending {
    path: PathBuf,
    written: Option<PathBuf>,
}

/// The readers of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Anyone: it must be on the disk before it gets its name.
    Anyone,
    /// Ourselves: nobody else can read it, and it can be made again.
    Ourselves,
}

impl Pending {
    /// Writes a file under a temporary name.
    pub fn write(path: &Path, bytes: &[u8], audience: Audience) -> io::Result<Pending> {
        let mode = if audience == Audience::Ourselves { 0o600 } else { 0o666 };
        let (pending, mut file) = Pending::create(path, mode)?;
        file.write_all(bytes)?;
        if audience == Audience::Anyone {
            file.sync_all()?;
        }
        Ok(pending)
    }

    /// Writes a file under a temporary name with the owner, the group and the mode of the file that it is going to replace. Nobody
    /// else can read it before it has them.
    pub fn write_like(path: &Path, bytes: &[u8], original: &Metadata) -> io::Result<Pending> {
        let (pending, mut file) = Pending::create(path, 0o600)?;
        file.write_all(bytes)?;
        let about = file.metadata()?;
        if (about.uid(), about.gid()) != (original.uid(), original.gid()) {
            fchown(&file, Some(original.uid()), Some(original.gid()))?;
        }
        // After the owner, because a change of owner clears the bits for running as another user.
        file.set_permissions(original.permissions())?;
        file.sync_all()?;
        Ok(pending)
    }

    /// Creates an empty file under a temporary name.
    fn create(path: &Path, mode: u32) -> io::Result<(Pending, File)> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // The temporary name is longer, and must not be too long where the final one is not.
        let name: String = name.chars().take(LONGEST_NAME).collect();
        let part = path.with_file_name(format!(".{name}.{}-{number}.part", std::process::id()));
        let file = File::options().write(true).create_new(true).mode(mode).open(&part)?;
        Ok((Pending { path: path.to_owned(), written: Some(part) }, file))
    }

    /// The path it is going to have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name.
    pub fn finish(mut self) -> io::Result<()> {
        let Some(part) = &self.written else { return Ok(()) };
        std::fs::rename(part, &self.path)?;
        self.written = None;
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(part) = &self.written {
            // An incomplete file is removed, if possible.
            let _ = std::fs::remove_file(part);
        }
    }
}
