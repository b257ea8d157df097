//! Files that are written whole or not at all, and directories with the right modes.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use kukla::syntax::{Problem, ProblemKind};
use rustix::fs::OFlags;

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
    append(path, line, mode).map_err(|error| failed("write", path, &error))
}

fn append(path: &Path, line: &str, mode: u32) -> io::Result<()> {
    let (mut file, is_new) = open_or_create(path, mode)?;
    let unfinished = !ends_with_newline(&file)?;
    let text = format!("{}{line}\n", if unfinished { "\n" } else { "" });
    file.write_all(text.as_bytes())?;
    file.sync_data()?;
    if is_new { sync_directory(parent_of(path)) } else { Ok(()) }
}

/// Makes sure that a file exists, be it empty.
pub fn create_if_missing(path: &Path, mode: u32) -> Result<(), Problem> {
    open_or_create(path, mode).map(drop).map_err(|error| failed("write", path, &error))
}

/// Opens a file for reading and appending, and creates it if there is none; whether it was created. The last part of the path is never a
/// link that is followed: users who may write to the directory could otherwise make the superuser write to any file, or give it to them. For
/// the same reason only a file that was just created changes its owner.
fn open_or_create(path: &Path, mode: u32) -> io::Result<(File, bool)> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    loop {
        // Creating a file that must not exist follows no link either.
        match OpenOptions::new().read(true).append(true).create_new(true).mode(mode).open(path) {
            Ok(file) => {
                belongs_like(&file, parent_of(path))?;
                return Ok((file, true));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        match OpenOptions::new().read(true).append(true).custom_flags(flags).open(path) {
            Ok(file) if file.metadata()?.is_file() => return Ok((file, false)),
            Ok(_) => return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
            // Another process removed it in between.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}

/// A failed operation on a file that must not be a link.
fn failed(verb: &str, path: &Path, error: &io::Error) -> Problem {
    if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
        return Problem::new(ProblemKind::Denied, format!("cannot {verb}"))
            .on(path.display())
            .because("it is a symbolic link")
            .help("replace the link with a regular file");
    }
    Problem::io(verb, path, error)
}

fn parent_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
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
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => return Ok(()),
        other => other?,
    }
    let flags = (OFlags::NOFOLLOW | OFlags::DIRECTORY).bits().cast_signed();
    let directory = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    belongs_like(&directory, parent_of(path))
}

/// Removes a file and waits until that is on the disk; it need not be there.
pub fn remove(path: &Path) -> Result<bool, Problem> {
    let removed = match fs::remove_file(path) {
        Ok(()) => sync_directory(parent_of(path)).map(|()| true),
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
    path.file_name().ok_or_else(invalid)?;
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    // Without the name of the file, which may be as long as names can be.
    let unfinished = parent.join(format!(".{}-{number}{UNFINISHED}", std::process::id()));
    Ok((parent.to_owned(), unfinished))
}

fn write_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    // Whatever the mask of the process is: what others must read they can.
    file.set_permissions(Permissions::from_mode(mode))?;
    file.write_all(bytes)?;
    belongs_like(&file, parent_of(path))?;
    file.sync_all()
}

/// Opens a lock file and waits until no other process holds the lock. A process that dies releases it.
pub fn lock_file(path: &Path) -> Result<File, Problem> {
    let lock = || {
        let (file, _) = open_or_create(path, 0o660)?;
        file.lock()?;
        Ok(file)
    };
    lock().map_err(|error| failed("lock", path, &error))
}

/// Gives a file that the superuser creates to the owner of its directory, so that a server of another user can go on with it.
fn belongs_like(file: &File, directory: &Path) -> io::Result<()> {
    let (about, wanted) = (file.metadata()?, fs::metadata(directory)?);
    if about.uid() == 0 && (about.uid(), about.gid()) != (wanted.uid(), wanted.gid()) {
        return fchown(file, Some(wanted.uid()), Some(wanted.gid()));
    }
    Ok(())
}

fn ends_with_newline(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::FileExt;
    let Some(last) = file.metadata()?.len().checked_sub(1) else { return Ok(true) };
    let mut byte = [0];
    file.read_exact_at(&mut byte, last)?;
    Ok(byte == *b"\n")
}

fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function that opens a file which may exist already refuses a link, and leaves its target alone.
    #[test]
    fn links_are_not_followed() {
        let root = std::env::temp_dir().join(format!("kukla-links-{}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        let (target, link, dangling) = (root.join("target"), root.join("link"), root.join("dangling"));
        fs::write(&target, "before").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        std::os::unix::fs::symlink(root.join("nowhere"), &dangling).unwrap();
        for path in [&link, &dangling] {
            for refused in
                [append_line(path, "x", 0o644), lock_file(path).map(drop), create_if_missing(path, 0o644)]
            {
                let problem = refused.unwrap_err();
                assert!(problem.to_string().ends_with("it is a symbolic link"), "{problem}");
            }
        }
        assert_eq!(fs::read_to_string(&target).unwrap(), "before");
        assert!(!root.join("nowhere").exists());
        // A file that is written whole takes the place of a link.
        write_whole(&link, b"whole", 0o644).unwrap();
        assert_eq!(
            (fs::read_to_string(&link).unwrap(), fs::read_to_string(&target).unwrap()),
            ("whole".into(), "before".into())
        );
        // Lines are kept apart, whether the last one was finished or not.
        let list = root.join("list");
        for line in ["a", "b"] {
            append_line(&list, line, 0o644).unwrap();
        }
        OpenOptions::new().append(true).open(&list).unwrap().write_all(b"torn").unwrap();
        append_line(&list, "c", 0o644).unwrap();
        assert_eq!(fs::read_to_string(&list).unwrap(), "a\nb\ntorn\nc\n");
        fs::remove_dir_all(&root).unwrap();
    }
}
