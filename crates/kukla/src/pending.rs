//! Files that appear under their names when they are complete.

#![allow(clippy::disallowed_methods)] // they are written to the disk

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

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
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let part = path.with_file_name(format!(".{name}.{}-{number}.part", std::process::id()));
        let mode = if audience == Audience::Ourselves { 0o600 } else { 0o666 };
        let mut pending = Pending { path: path.to_owned(), written: None };
        let mut file = File::options().write(true).create_new(true).mode(mode).open(&part)?;
        pending.written = Some(part);
        file.write_all(bytes)?;
        if audience == Audience::Anyone {
            file.sync_all()?;
        }
        Ok(pending)
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
