//! Files that are never served, whichever link in a module leads to them: the directory of the certificate authority, private keys, the files of
//! the store, settings and passwords, backups of files, and what the system shows of its processes.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::settings::Settings;

/// Where the system shows processes, with their environment variables, and devices.
const SYSTEM: [&str; 3] = ["/proc", "/sys", "/dev"];

/// The endings of files that SQLite writes beside a database.
const BESIDE_DATABASE: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// The files that are never served.
#[derive(Clone, Debug, Default)]
pub struct ProtectedFiles {
    /// Directories and files, without links in their paths.
    paths: Vec<PathBuf>,
    /// The same files as the disk knows them: a hard link to one has another path.
    identities: Vec<(u64, u64)>,
}

impl ProtectedFiles {
    /// The files of these settings that exist.
    pub fn of(settings: &Settings) -> ProtectedFiles {
        let mut paths = vec![settings.tls.key.clone(), settings.host.key()];
        paths.extend(settings.host.key().parent().map(Path::to_owned));
        if let Some((layout, _)) = &settings.authority {
            paths.extend([layout.directory.clone(), layout.key.clone()]);
        }
        if let Some(database) = settings.store.as_deref().and_then(|url| url.strip_prefix("sqlite:")) {
            paths.extend(BESIDE_DATABASE.map(|ending| PathBuf::from(format!("{database}{ending}"))));
        }
        // Both can have the password of a store.
        paths.extend(["puppet.conf", "kukla.toml"].map(|name| settings.confdir.join(name)));
        paths.extend(settings.store_password_file.clone());
        paths.push(settings.bucket.clone());
        paths.extend(SYSTEM.map(PathBuf::from));
        ProtectedFiles::new(&paths)
    }

    /// These files and directories, with everything below them.
    pub fn new(paths: &[PathBuf]) -> ProtectedFiles {
        // A file that does not exist yet may exist later.
        let real = |path: &PathBuf| match (path.canonicalize(), path.parent().map(Path::canonicalize)) {
            (Ok(real), _) => Some(real),
            (Err(_), Some(Ok(parent))) => path.file_name().map(|name| parent.join(name)),
            _ => None,
        };
        let paths: Vec<PathBuf> = paths.iter().filter_map(real).collect();
        let entries = paths.iter().filter_map(|path| fs::read_dir(path).ok()).flatten().flatten();
        let files = paths.iter().cloned().chain(entries.map(|entry| entry.path()));
        let identities = files.filter_map(|path| fs::metadata(path).ok()).filter(Metadata::is_file);
        let identities = identities.map(|about| (about.dev(), about.ino())).collect();
        ProtectedFiles { paths, identities }
    }

    /// Whether a path leads to something that may be served.
    pub fn allows(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|real| self.allows_real(&real))
    }

    /// Whether a file may be served as far as its other names tell.
    pub fn allows_file(&self, about: &Metadata) -> bool {
        about.nlink() < 2 || !self.identities.contains(&(about.dev(), about.ino()))
    }

    fn allows_real(&self, real: &Path) -> bool {
        !self.paths.iter().any(|path| real.starts_with(path))
    }

    /// Opens a regular file that may be served. The file that was opened is asked for its path, so no link can change in between.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        // Opening a pipe would block.
        let flags = OFlags::NONBLOCK.bits().cast_signed();
        let file = fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        let about = file.metadata()?;
        let real =
            fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).or_else(|_| path.canonicalize())?;
        if about.is_file() && self.allows_file(&about) && self.allows_real(&real) {
            Ok(file)
        } else {
            Err(missing())
        }
    }
}
