//! Files that are written whole or not at all, and directories with the right modes.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use kukla::syntax::Problem;

/// The ending of files that are being written; after a crash they may be removed.
pub const UNFINISHED: &str = ".kukla-new";

/// Writes a file so that, whatever happens on the way, there is the old one or the new one under its name and never a part: it is
/// written under another name, brought to the disk, and renamed.
pub fn write_whole(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Problem> {
    write_beside(path, bytes, mode, |unfinished| fs::rename(unfinished, path))
}

/// Writes a file that must not exist yet, whole. If several try at once, one succeeds and the others get a problem of kind
/// [`Conflict`](kukla::syntax::ProblemKind::Conflict).
pub fn write_once(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Problem> {
    write_beside(path, bytes, mode, |unfinished| fs::hard_link(unfinished, path))
}

/// Writes a file under another name in the same directory and then publishes it under its own.
fn write_beside(
    path: &Path,
    bytes: &[u8],
    mode: u32,
    publish: impl FnOnce(&Path) -> io::Result<()>,
) -> Result<(), Problem> {
    let write = || {
        let (parent, unfinished) = beside(path)?;
        let written = write_new(&unfinished, bytes, mode).and_then(|()| publish(&unfinished));
        // After a rename nothing is left under this name; after a failure what is left is of no use.
        let _ = fs::remove_file(&unfinished);
        written?;
        sync_directory(&parent)
    };
    write().map_err(|error| Problem::io("write", path, &error))
}

/// Appends a line to a file and waits until it is on the disk. A line that a crash left unfinished stays one of its own.
pub fn append_line(path: &Path, line: &str, mode: u32) -> Result<(), Problem> {
    append(path, line, mode).map_err(|error| Problem::io("write", path, &error))
}

fn append(path: &Path, line: &str, mode: u32) -> io::Result<()> {
    let is_new = !path.exists();
    let mut file = OpenOptions::new().append(true).create(true).mode(mode).open(path)?;
    let unfinished = !is_new && !ends_with_newline(path)?;
    let text = format!("{}{line}\n", if unfinished { "\n" } else { "" });
    file.write_all(text.as_bytes())?;
    file.sync_data()?;
    if is_new {
        let parent = path.parent().unwrap_or(Path::new("/"));
        belongs_like(&file, parent)?;
        sync_directory(parent)?;
    }
    Ok(())
}

/// Makes a directory, and those above it, unless they are there.
pub fn make_directory(path: &Path, mode: u32) -> Result<(), Problem> {
    make_parents(path, mode).map_err(|error| Problem::io("create directory", path, &error))
}

fn make_parents(path: &Path, mode: u32) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        make_parents(parent, 0o755)?;
    }
    match fs::DirBuilder::new().mode(mode).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        other => other,
    }?;
    if let Some(parent) = path.parent() {
        belongs_like(&File::open(path)?, parent)?;
    }
    Ok(())
}

/// Removes a file and waits until that is on the disk; it need not be there.
pub fn remove(path: &Path) -> Result<bool, Problem> {
    let removed = match fs::remove_file(path) {
        Ok(()) => sync_directory(path.parent().unwrap_or(Path::new("/"))).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    };
    removed.map_err(|error| Problem::io("remove", path, &error))
}

/// The contents of a file, or nothing if there is none.
pub fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Problem> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Problem::io("read", path, &error)),
    }
}

/// The contents of a file that must exist.
pub fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    fs::read(path).map_err(|error| Problem::io("read", path, &error))
}

/// The entries of a directory.
pub fn read_directory(path: &Path) -> Result<Vec<fs::DirEntry>, Problem> {
    let entries = fs::read_dir(path).and_then(Iterator::collect);
    entries.map_err(|error| Problem::io("read", path, &error))
}

/// Removes what crashes left half-written in a directory.
pub fn remove_unfinished(directory: &Path) -> Result<usize, Problem> {
    let mut removed = 0;
    for entry in read_directory(directory)? {
        let path = entry.path();
        if path.extension().is_some_and(|ending| UNFINISHED[1..] == *ending) {
            removed += usize::from(remove(&path)?);
        }
    }
    Ok(removed)
}

/// The version of a file, if there is one: a new file has another number, a changed one another time.
pub fn stamp(path: &Path) -> Option<(u64, i64, i64, u64)> {
    let about = fs::metadata(path).ok()?;
    Some((about.ino(), about.mtime(), about.mtime_nsec(), about.len()))
}

fn beside(path: &Path) -> io::Result<(PathBuf, PathBuf)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let invalid = || io::Error::new(io::ErrorKind::InvalidInput, "a path without a name");
    let parent = path.parent().ok_or_else(invalid)?;
    let name = path.file_name().ok_or_else(invalid)?.to_string_lossy();
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let unfinished = parent.join(format!(".{name}.{}-{number}{UNFINISHED}", std::process::id()));
    Ok((parent.to_owned(), unfinished))
}

fn write_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    // Whatever the mask of the process is: what others must read they can.
    file.set_permissions(Permissions::from_mode(mode))?;
    file.write_all(bytes)?;
    belongs_like(&file, path.parent().unwrap_or(Path::new("/")))?;
    file.sync_all()
}

/// Opens a lock file and waits until no other process holds the lock. A process that dies releases it.
pub fn lock_file(path: &Path) -> Result<File, Problem> {
    let lock = || {
        let file = OpenOptions::new().append(true).create(true).mode(0o660).open(path)?;
        belongs_like(&file, path.parent().unwrap_or(Path::new("/")))?;
        file.lock()?;
        Ok(file)
    };
    lock().map_err(|error| Problem::io("lock", path, &error))
}

/// Gives a file that the superuser creates to the owner of its directory, so that a server of another user can go on with it.
fn belongs_like(file: &File, directory: &Path) -> io::Result<()> {
    let (about, wanted) = (file.metadata()?, fs::metadata(directory)?);
    if about.uid() == 0 && (about.uid(), about.gid()) != (wanted.uid(), wanted.gid()) {
        return fchown(file, Some(wanted.uid()), Some(wanted.gid()));
    }
    Ok(())
}

fn ends_with_newline(path: &Path) -> io::Result<bool> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
