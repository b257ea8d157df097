//! The texts that are open in the editor, and a world in which they replace the files on the disk.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use kukla::syntax::Span;
use kukla::world::{DirectoryEntry, FileResult, Stamp, World};
use lsp_types::TextDocumentContentChangeEvent;
use rustc_hash::FxHashMap;

use crate::positions::{Encoding, Lines, Positions};

/// An open text.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its path.
    pub path: PathBuf,
    /// The name of its language, as the editor calls it.
    pub language: String,
    /// The version that the editor gave it.
    pub version: i32,
    /// The text.
    pub text: Arc<str>,
    /// Its lines.
    pub lines: Arc<Lines>,
    stamp: Stamp,
}

impl Document {
    /// Its positions.
    pub fn positions(&self, encoding: Encoding) -> Positions<'_> {
        Positions { text: &self.text, lines: &self.lines, encoding }
    }
}

/// The versions of stamps. They are far above those of files, so that a text never has the stamp of a file.
const FIRST_VERSION: u64 = 1 << 63;

/// The open texts above another world. Directories are listed once and remembered until they are [forgotten](EditorWorld::forget).
#[derive(Debug)]
pub struct EditorWorld {
    disk: Arc<dyn World>,
    documents: RwLock<FxHashMap<PathBuf, Document>>,
    listed: RwLock<FxHashMap<PathBuf, Arc<Vec<DirectoryEntry>>>>,
    stamps: RwLock<FxHashMap<PathBuf, Option<Stamp>>>,
    next: AtomicU64,
}

impl EditorWorld {
    /// A world without open texts.
    pub fn new(disk: Arc<dyn World>) -> EditorWorld {
        EditorWorld {
            disk,
            documents: RwLock::default(),
            listed: RwLock::default(),
            stamps: RwLock::default(),
            next: AtomicU64::new(FIRST_VERSION),
        }
    }

    /// The world below the open texts.
    pub fn disk(&self) -> Arc<dyn World> {
        Arc::clone(&self.disk)
    }

    /// This world with the texts as they are now, whatever is edited later.
    pub fn freeze(&self) -> Arc<dyn World> {
        let frozen = EditorWorld::new(Arc::clone(&self.disk));
        frozen.next.store(self.next.load(Ordering::Relaxed), Ordering::Relaxed);
        write(&frozen.documents).clone_from(&read(&self.documents));
        Arc::new(frozen)
    }

    /// Opens a text, or replaces an open one.
    pub fn open(&self, path: PathBuf, language: String, version: i32, text: String) {
        let document = self.document(path, language, version, text);
        write(&self.documents).insert(document.path.clone(), document);
    }

    fn document(&self, path: PathBuf, language: String, version: i32, text: String) -> Document {
        let version_of_stamp = self.next.fetch_add(1, Ordering::Relaxed);
        let stamp = Stamp { version: version_of_stamp, length: text.len() as u64 };
        let lines = Arc::new(Lines::of(&text));
        Document { path, language, version, text: text.into(), lines, stamp }
    }

    /// Applies changes to an open text, each to the result of the one before. Reports whether the text is open.
    pub fn edit(
        &self,
        path: &Path,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> bool {
        let Some(mut document) = self.get(path) else { return false };
        let mut text = document.text.to_string();
        for change in changes {
            match change.range {
                None => text = change.text,
                Some(range) => {
                    let lines = Lines::of(&text);
                    let positions = Positions { text: &text, lines: &lines, encoding };
                    let span: Span = positions.span(range);
                    text.replace_range(span.range(), &change.text);
                }
            }
        }
        document = self.document(document.path, document.language, version, text);
        write(&self.documents).insert(path.to_owned(), document);
        true
    }

    /// Closes a text, so that the file counts again.
    pub fn close(&self, path: &Path) {
        write(&self.documents).remove(path);
        self.forget(path);
    }

    /// The open text of a path.
    pub fn get(&self, path: &Path) -> Option<Document> {
        read(&self.documents).get(path).cloned()
    }

    /// The paths of the open texts.
    pub fn open_paths(&self) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = read(&self.documents).keys().cloned().collect();
        paths.sort();
        paths
    }

    /// The versions of the open texts, which never repeat.
    pub fn open_versions(&self) -> FxHashMap<PathBuf, u64> {
        let documents = read(&self.documents);
        documents.iter().map(|(path, document)| (path.clone(), document.stamp.version)).collect()
    }

    /// Forgets what is known of a path and of the directories around it, which may be new as well.
    pub fn forget(&self, path: &Path) {
        let is_concerned = |known: &Path| known.starts_with(path) || path.starts_with(known);
        write(&self.listed).retain(|known, _| !is_concerned(known));
        write(&self.stamps).retain(|known, _| !is_concerned(known));
    }

    /// Whether a path was on the disk when the session last looked; `None` if it never did.
    pub fn was_on_disk(&self, path: &Path) -> Option<bool> {
        if let Some(stamp) = read(&self.stamps).get(path) {
            return Some(stamp.is_some());
        }
        let listed = read(&self.listed);
        let mut below = path;
        while let Some(directory) = below.parent() {
            if let Some(entries) = listed.get(directory) {
                let name = below.file_name().map(|name| name.to_string_lossy());
                let is_there = entries.iter().any(|entry| Some(entry.name.as_str()) == name.as_deref());
                // Nobody has looked into a directory that was there.
                return (below == path || !is_there).then_some(is_there);
            }
            below = directory;
        }
        None
    }

    /// Forgets everything that is known of the disk.
    pub fn forget_all(&self) {
        write(&self.listed).clear();
        write(&self.stamps).clear();
    }

    fn listed(&self, path: &Path) -> Arc<Vec<DirectoryEntry>> {
        if let Some(known) = read(&self.listed).get(path) {
            return Arc::clone(known);
        }
        let entries = Arc::new(self.disk.list(path));
        write(&self.listed).insert(path.to_owned(), Arc::clone(&entries));
        entries
    }
}

impl World for EditorWorld {
    fn inner(&self) -> Option<&dyn World> {
        Some(&*self.disk)
    }

    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        match read(&self.documents).get(path) {
            Some(document) => Ok(document.text.as_bytes().to_vec()),
            None => self.disk.read(path),
        }
    }

    fn read_stamped(&self, path: &Path) -> (Option<Stamp>, FileResult<Vec<u8>>) {
        match self.get(path) {
            Some(document) => (Some(document.stamp), Ok(document.text.as_bytes().to_vec())),
            None => self.disk.read_stamped(path),
        }
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        if let Some(document) = read(&self.documents).get(path) {
            return Some(document.stamp);
        }
        if let Some(known) = read(&self.stamps).get(path) {
            return *known;
        }
        let stamp = self.disk.stamp(path);
        write(&self.stamps).insert(path.to_owned(), stamp);
        stamp
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        let listed = self.listed(path);
        let documents = read(&self.documents);
        // A new text may be in a new directory.
        let new = documents.keys().filter_map(|open| {
            let mut parts = open.strip_prefix(path).ok()?.components();
            let name = parts.next()?.as_os_str().to_string_lossy().into_owned();
            Some((name, parts.next().is_some()))
        });
        let mut new: Vec<(String, bool)> =
            new.filter(|(name, _)| listed.iter().all(|entry| entry.name != *name)).collect();
        if new.is_empty() {
            return (*listed).clone();
        }
        new.sort();
        new.dedup();
        let mut entries = (*listed).clone();
        entries.extend(new.into_iter().map(|(name, is_directory)| DirectoryEntry {
            name,
            is_directory,
            is_link: false,
            is_special: false,
        }));
        entries.sort();
        entries
    }

    fn exists(&self, path: &Path) -> bool {
        read(&self.documents).contains_key(path) || self.stamp(path).is_some()
    }
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kukla::MemoryWorld;
    use lsp_types::{Position, Range};

    fn change(range: Option<(u32, u32, u32, u32)>, text: &str) -> TextDocumentContentChangeEvent {
        let range = range.map(|(line, column, end_line, end)| Range {
            start: Position { line, character: column },
            end: Position { line: end_line, character: end },
        });
        TextDocumentContentChangeEvent { range, range_length: None, text: text.into() }
    }

    #[test]
    fn an_open_text_replaces_the_file() {
        let disk = MemoryWorld::default().with("/a/b.pp", "on disk");
        let world = EditorWorld::new(Arc::new(disk));
        let path = Path::new("/a/b.pp");
        let on_disk = world.stamp(path);
        world.open(path.into(), "puppet".into(), 1, "one\ntwo".into());
        assert_eq!(world.read(path), Ok(b"one\ntwo".to_vec()));
        let opened = world.stamp(path);
        assert_ne!(opened, on_disk);
        let edits = [change(Some((1, 0, 1, 3)), "2"), change(Some((0, 3, 1, 0)), " "), change(None, "x")];
        assert!(world.edit(path, 2, edits[..2].to_vec(), Encoding::Utf16));
        assert_eq!(world.read(path), Ok(b"one 2".to_vec()));
        assert!(world.edit(path, 3, edits[2..].to_vec(), Encoding::Utf16));
        assert_eq!(world.read(path), Ok(b"x".to_vec()));
        assert_ne!(world.stamp(path), opened);
        world.close(path);
        assert_eq!((world.read(path), world.stamp(path)), (Ok(b"on disk".to_vec()), on_disk));
        assert!(!world.edit(path, 4, Vec::new(), Encoding::Utf16));
    }

    #[test]
    fn a_new_text_is_in_its_directory() {
        let disk = MemoryWorld::default().with("/a/b.pp", "");
        let world = EditorWorld::new(Arc::new(disk));
        let names = || world.list(Path::new("/a")).into_iter().map(|entry| entry.name).collect::<Vec<_>>();
        assert_eq!(names(), ["b.pp"]);
        world.open("/a/c.pp".into(), "puppet".into(), 1, String::new());
        assert_eq!(names(), ["b.pp", "c.pp"]);
        world.close(Path::new("/a/c.pp"));
        assert_eq!(names(), ["b.pp"]);
        world.open("/a/new/c.pp".into(), "puppet".into(), 1, String::new());
        assert_eq!(names(), ["b.pp", "new"]);
        assert!(kukla::world::is_directory(&world, Path::new("/a/new")));
    }
}
