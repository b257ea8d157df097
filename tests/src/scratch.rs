//! Scratch directories: where the files of a section or a case lie while it runs.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A directory that goes away with its owner.
pub struct Scratch {
    root: PathBuf,
}

static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Scratch {
    /// A new, empty directory.
    pub fn new() -> std::io::Result<Self> {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("kukla-tests-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&root)?;
        Ok(Self { root })
    }

    /// Writes a file below the directory; names that would leave it are refused.
    pub fn write(&self, name: &str, text: &str) -> std::io::Result<()> {
        let inside = Path::new(name).components().all(|c| matches!(c, std::path::Component::Normal(_)));
        if !inside {
            return Err(std::io::Error::other(format!("`{name}` is not a plain relative path")));
        }
        let path = self.root.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)
    }

    /// The directory itself, or a place in it.
    pub fn path(&self, below: &str) -> String {
        self.root.join(below).to_string_lossy().trim_end_matches('/').to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}
