//! Files that appear under their names when they are whole.

#![allow(clippy::disallowed_methods)] // they are written to the disk

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that is written under a name of its own and gets its final one when it is whole. If that never happens, it goes.
#[derive(Debug)]
pub struct Pending {
    path: PathBuf,
    written: Option<PathBuf>,
}

/// Whom a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Whoever asked for it: it has to be on the disk before it has its name.
    Anyone,
    /// Ourselves: nobody else can read it, and if it is lost it is made again.
    Ourselves,
}

impl Pending {
    /// Writes a file to be.
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
            // What could not be finished is not left behind, if it can be helped.
            let _ = std::fs::remove_file(part);
        }
    }
}
