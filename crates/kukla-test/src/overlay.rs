//! A world with further files over those of another one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::MemoryWorld;
use kukla::world::{DirectoryEntry, FileResult, Stamp, World};

/// A world with further files, which hide those of the inner world under the same paths.
#[derive(Clone, Debug)]
pub struct Overlay {
    inner: Arc<dyn World>,
    files: MemoryWorld,
}

impl Overlay {
    /// The files of `inner`, and these.
    pub fn new(inner: Arc<dyn World>, files: impl IntoIterator<Item = (PathBuf, Vec<u8>)>) -> Overlay {
        let files = MemoryWorld { files: files.into_iter().collect(), ..MemoryWorld::default() };
        Overlay { inner, files }
    }
}

impl World for Overlay {
    fn inner(&self) -> Option<&dyn World> {
        Some(&*self.inner)
    }

    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        self.files.read(path).or_else(|_| self.inner.read(path))
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        let mut entries = self.inner.list(path);
        for own in self.files.list(path) {
            match entries.iter_mut().find(|entry| entry.name == own.name) {
                Some(entry) => *entry = own,
                None => entries.push(own),
            }
        }
        entries.sort();
        entries
    }

    fn exists(&self, path: &Path) -> bool {
        self.files.exists(path) || self.inner.exists(path)
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        match self.files.exists(path) {
            true => self.files.stamp(path),
            false => self.inner.stamp(path),
        }
    }

    fn read_stamped(&self, path: &Path) -> (Option<Stamp>, FileResult<Vec<u8>>) {
        match self.files.exists(path) {
            true => self.files.read_stamped(path),
            false => self.inner.read_stamped(path),
        }
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        match self.files.exists(path) {
            true => self.files.resolve(path),
            false => self.inner.resolve(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_hide_those_below() {
        let inner = MemoryWorld::default().with("/a/x", "old").with("/a/y", "y");
        let files = [(PathBuf::from("/a/x"), b"new".to_vec()), ("/b/z".into(), b"z".to_vec())];
        let world = Overlay::new(Arc::new(inner), files);
        let text = |path: &str| String::from_utf8(world.read(Path::new(path)).unwrap()).unwrap();
        assert_eq!((text("/a/x").as_str(), text("/a/y").as_str(), text("/b/z").as_str()), ("new", "y", "z"));
        let names: Vec<String> = world.list(Path::new("/a")).into_iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["x", "y"]);
        assert!(world.exists(Path::new("/b")) && !world.exists(Path::new("/c")));
    }
}
