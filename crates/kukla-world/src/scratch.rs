//! Changes of files that stay in memory, over a world that does not change.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::{Change, DirectoryEntry, FileError, FileResult, Opening, Ownership, Stamp, World, is_directory};

/// The most bytes that changed files may have together.
const LARGEST: usize = 64 << 20;
/// The most files and directories that may be changed.
const MOST_ENTRIES: usize = 100_000;

/// Files and directories that were created, changed or removed. Paths have no links.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    entries: BTreeMap<PathBuf, Entry>,
    /// The bytes of all files.
    size: usize,
    /// The number of changes so far.
    version: u64,
}

/// The state of a path that was changed.
#[derive(Clone, Debug)]
enum Entry {
    File { bytes: Vec<u8>, about: About },
    Directory(About),
    Removed,
}

#[derive(Clone, Copy, Debug, Default)]
struct About {
    ownership: Ownership,
    version: u64,
}

/// A system error as the disk would give it: its number tells callers which one it is.
fn failed(number: i32) -> FileError {
    FileError::Other(io::Error::from_raw_os_error(number).to_string())
}

const EEXIST: i32 = 17;
const ENOTDIR: i32 = 20;
const EISDIR: i32 = 21;
const EFBIG: i32 = 27;
const ENOSPC: i32 = 28;
const ENOTEMPTY: i32 = 39;

const REGULAR_FILE: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;
const PERMISSIONS: u32 = 0o7777;

/// A change in the making: the changes so far, the world below them, and the time of the change in nanoseconds.
struct Changing<'s> {
    scratch: &'s mut Scratch,
    below: &'s dyn World,
    now: i64,
}

impl Scratch {
    /// The contents of a file, if this decides them.
    pub fn read(&self, path: &Path) -> Option<FileResult<Vec<u8>>> {
        Some(match self.entries.get(path)? {
            Entry::File { bytes, .. } => Ok(bytes.clone()),
            Entry::Directory(_) => Err(failed(EISDIR)),
            Entry::Removed => Err(FileError::NotFound),
        })
    }

    /// Whether there is something at a path, if this decides it.
    pub fn exists(&self, path: &Path) -> Option<bool> {
        self.entries.get(path).map(|entry| !matches!(entry, Entry::Removed))
    }

    /// The version of what is at a path, if this decides it.
    pub fn stamp(&self, path: &Path) -> Option<Option<Stamp>> {
        Some(match self.entries.get(path)? {
            Entry::File { bytes, about } => {
                Some(Stamp { version: about.version, length: bytes.len() as u64 })
            }
            Entry::Directory(about) => Some(Stamp { version: about.version, length: 0 }),
            Entry::Removed => None,
        })
    }

    /// The owner of what is at a path, if this decides it.
    pub fn ownership(&self, path: &Path) -> Option<FileResult<Ownership>> {
        Some(match self.entries.get(path)? {
            Entry::File { about, .. } | Entry::Directory(about) => Ok(about.ownership),
            Entry::Removed => Err(FileError::NotFound),
        })
    }

    /// The entries of a directory, with those of the world below.
    pub fn list(&self, path: &Path, below: &dyn World) -> Vec<DirectoryEntry> {
        let mut names: BTreeMap<String, DirectoryEntry> =
            below.list(path).into_iter().map(|entry| (entry.name.clone(), entry)).collect();
        for (child, entry) in self.children(path) {
            let Some(name) = child.file_name().map(|name| name.to_string_lossy().into_owned()) else {
                continue;
            };
            match entry {
                Entry::Removed => drop(names.remove(&name)),
                Entry::File { .. } | Entry::Directory(_) => {
                    let is_directory = matches!(entry, Entry::Directory(_));
                    names.insert(
                        name.clone(),
                        DirectoryEntry { name, is_directory, is_link: false, is_special: false },
                    );
                }
            }
        }
        names.into_values().collect()
    }

    fn children<'s>(&'s self, path: &'s Path) -> impl Iterator<Item = (&'s PathBuf, &'s Entry)> {
        self.entries
            .range(path.to_owned()..)
            .take_while(move |(child, _)| child.starts_with(path))
            .filter(move |(child, _)| child.parent() == Some(path))
    }

    /// Makes a change at a path over a world.
    pub fn change(&mut self, below: &dyn World, path: &Path, change: Change<'_>) -> FileResult<()> {
        self.version += 1;
        let now = i64::try_from(below.now().nanos()).unwrap_or(i64::MAX);
        let mut changing = Changing { scratch: self, below, now };
        match change {
            Change::Open(opening) => changing.open(path, opening),
            Change::Put { at, bytes } => changing.edit(path, |content| put(content, at, bytes)),
            Change::Resize(length) => changing.edit(path, |content| resize(content, length)),
            Change::MakeDirectory(mode) => changing.make_directory(path, mode),
            Change::Remove => changing.remove(path),
            Change::RemoveDirectory => changing.remove_directory(path),
            Change::Rename(to) => changing.rename(path, to),
            Change::Mode(mode) => {
                changing.describe(path, |it| it.mode = (it.mode & !PERMISSIONS) | (mode & PERMISSIONS))
            }
            Change::Owner(user, group) => changing.describe(path, |it| {
                it.user = user.unwrap_or(it.user);
                it.group = group.unwrap_or(it.group);
            }),
            Change::Times(_, modified) => changing.describe(path, |it| it.modified = modified),
        }
    }
}

fn put(content: &mut Vec<u8>, at: u64, bytes: &[u8]) -> FileResult<()> {
    let at = usize::try_from(at).map_err(|_| failed(EFBIG))?;
    let end = at.checked_add(bytes.len()).filter(|end| *end <= LARGEST).ok_or_else(|| failed(EFBIG))?;
    if content.len() < end {
        content.resize(end, 0);
    }
    content[at..end].copy_from_slice(bytes);
    Ok(())
}

fn resize(content: &mut Vec<u8>, length: u64) -> FileResult<()> {
    match usize::try_from(length) {
        Ok(length) if length <= LARGEST => {
            content.resize(length, 0);
            Ok(())
        }
        _ => Err(failed(EFBIG)),
    }
}

/// The kind of what is at a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Directory,
    Absent,
}

impl Changing<'_> {
    fn kind(&self, path: &Path) -> Kind {
        match self.scratch.entries.get(path) {
            Some(Entry::File { .. }) => Kind::File,
            Some(Entry::Directory(_)) => Kind::Directory,
            Some(Entry::Removed) => Kind::Absent,
            None if is_directory(self.below, path) => Kind::Directory,
            None if self.below.exists(path) => Kind::File,
            None => Kind::Absent,
        }
    }

    /// That a path can be created: its directory exists.
    fn check_parent(&self, path: &Path) -> FileResult<()> {
        match path.parent().map_or(Kind::Directory, |parent| self.kind(parent)) {
            Kind::Directory => Ok(()),
            Kind::File => Err(failed(ENOTDIR)),
            Kind::Absent => Err(FileError::NotFound),
        }
    }

    fn insert(&mut self, path: &Path, entry: Entry) -> FileResult<()> {
        if self.scratch.entries.len() >= MOST_ENTRIES && !self.scratch.entries.contains_key(path) {
            return Err(failed(ENOSPC));
        }
        let size = |entry: &Entry| match entry {
            Entry::File { bytes, .. } => bytes.len(),
            Entry::Directory(_) | Entry::Removed => 0,
        };
        let before = self.scratch.entries.get(path).map_or(0, size);
        let after = self.scratch.size - before + size(&entry);
        if after > LARGEST {
            return Err(failed(ENOSPC));
        }
        self.scratch.size = after;
        self.scratch.entries.insert(path.to_owned(), entry);
        Ok(())
    }

    /// The owner of something that is created now.
    fn new_owner(&self, kind: u32, mode: u32) -> About {
        let owner = self.below.ownership(None).unwrap_or_default();
        let ownership = Ownership { mode: kind | (mode & PERMISSIONS), modified: self.now, ..owner };
        About { ownership, version: self.scratch.version }
    }

    /// The state of a path, as an entry that can be changed.
    fn entry(&self, path: &Path) -> FileResult<Entry> {
        if let Some(entry) = self.scratch.entries.get(path) {
            return match entry {
                Entry::Removed => Err(FileError::NotFound),
                entry => Ok(entry.clone()),
            };
        }
        let about = || {
            FileResult::Ok(About {
                ownership: self.below.ownership(Some(path))?,
                version: self.scratch.version,
            })
        };
        match self.kind(path) {
            Kind::Absent => Err(FileError::NotFound),
            Kind::Directory => Ok(Entry::Directory(about()?)),
            Kind::File => Ok(Entry::File { bytes: self.below.read(path)?, about: about()? }),
        }
    }

    fn open(&mut self, path: &Path, opening: Opening) -> FileResult<()> {
        match self.kind(path) {
            Kind::Directory => Err(failed(EISDIR)),
            Kind::File if opening.new => Err(failed(EEXIST)),
            Kind::File if opening.truncate => self.edit(path, |content| resize(content, 0)),
            Kind::File => {
                let entry = self.entry(path)?;
                self.insert(path, entry)
            }
            Kind::Absent if !opening.create => Err(FileError::NotFound),
            Kind::Absent => {
                self.check_parent(path)?;
                let about = self.new_owner(REGULAR_FILE, opening.mode);
                self.insert(path, Entry::File { bytes: Vec::new(), about })
            }
        }
    }

    fn edit(&mut self, path: &Path, change: impl FnOnce(&mut Vec<u8>) -> FileResult<()>) -> FileResult<()> {
        let (now, version) = (self.now, self.scratch.version);
        // Taken out and put back, so that a file that grows by small writes is not copied for each.
        let taken = match self.scratch.entries.get_mut(path) {
            Some(Entry::File { bytes, about }) => Some((std::mem::take(bytes), *about)),
            _ => None,
        };
        let (mut content, mut about) = match taken {
            Some((bytes, about)) => {
                self.scratch.size -= bytes.len();
                (bytes, about)
            }
            None => match self.entry(path)? {
                Entry::File { bytes, about } => (bytes, about),
                Entry::Directory(_) | Entry::Removed => return Err(failed(EISDIR)),
            },
        };
        let before = content.len();
        let mut outcome = change(&mut content);
        if outcome.is_ok() && self.scratch.size + content.len() > LARGEST {
            content.truncate(before);
            outcome = Err(failed(ENOSPC));
        }
        about.ownership.modified = now;
        about.version = version;
        self.insert(path, Entry::File { bytes: content, about })?;
        outcome
    }

    fn make_directory(&mut self, path: &Path, mode: u32) -> FileResult<()> {
        if self.kind(path) != Kind::Absent {
            return Err(failed(EEXIST));
        }
        self.check_parent(path)?;
        let about = self.new_owner(DIRECTORY, mode);
        self.insert(path, Entry::Directory(about))
    }

    fn remove(&mut self, path: &Path) -> FileResult<()> {
        match self.kind(path) {
            Kind::File => self.insert(path, Entry::Removed),
            Kind::Directory => Err(failed(EISDIR)),
            Kind::Absent => Err(FileError::NotFound),
        }
    }

    fn remove_directory(&mut self, path: &Path) -> FileResult<()> {
        match self.kind(path) {
            Kind::Directory if self.scratch.list(path, self.below).is_empty() => {
                self.insert(path, Entry::Removed)
            }
            Kind::Directory => Err(failed(ENOTEMPTY)),
            Kind::File => Err(failed(ENOTDIR)),
            Kind::Absent => Err(FileError::NotFound),
        }
    }

    /// Moves a file, or a directory with all that is in it. Directories are moved one entry at a time, deepest last, without recursion.
    fn rename(&mut self, from: &Path, to: &Path) -> FileResult<()> {
        if from == to {
            return self.entry(from).map(drop);
        }
        if to.starts_with(from) {
            return Err(failed(22));
        }
        self.check_parent(to)?;
        match (self.kind(from), self.kind(to)) {
            (Kind::Absent, _) => return Err(FileError::NotFound),
            (Kind::File, Kind::Directory) => return Err(failed(EISDIR)),
            (Kind::Directory, Kind::File) => return Err(failed(ENOTDIR)),
            (Kind::Directory, Kind::Directory) if !self.scratch.list(to, self.below).is_empty() => {
                return Err(failed(ENOTEMPTY));
            }
            _ => {}
        }
        let mut moves = vec![(from.to_owned(), to.to_owned())];
        while let Some((from, to)) = moves.pop() {
            let entry = self.entry(&from)?;
            if matches!(entry, Entry::Directory(_)) {
                let inside = self.scratch.list(&from, self.below);
                moves.extend(inside.into_iter().map(|entry| (from.join(&entry.name), to.join(&entry.name))));
            }
            self.insert(&from, Entry::Removed)?;
            self.insert(&to, entry)?;
        }
        Ok(())
    }

    fn describe(&mut self, path: &Path, change: impl FnOnce(&mut Ownership)) -> FileResult<()> {
        let mut entry = self.entry(path)?;
        if let Entry::File { about, .. } | Entry::Directory(about) = &mut entry {
            change(&mut about.ownership);
            about.version = self.scratch.version;
        }
        self.insert(path, entry)
    }
}
