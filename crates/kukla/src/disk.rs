//! The world as it is: the disk, the clock, the process environment.

#![allow(clippy::disallowed_methods)]

use std::fs::{File, FileTimes, Metadata, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use kukla_syntax::Problem;
use kukla_values::time::Timestamp;
use kukla_world::policy::NOTHING;
use kukla_world::{
    Change, CommandOutput, Conversation, DirectoryEntry, FileError, FileResult, LARGEST_FILE, Opening,
    Ownership, Stamp, World, normal,
};

use crate::conversation::Talk;
use crate::pending::{Audience, Pending};
use crate::pipe;

/// The disk, the clock and the commands of this machine, without restrictions; a [`Policy`](kukla_world::Policy) restricts code.
///
/// These limits hold for every file and every command.
#[derive(Clone, Debug)]
pub struct DiskWorld {
    /// How many bytes a file may have.
    pub largest_file: u64,
    /// How many bytes a command may write.
    pub most_output: u64,
    /// How long a command may run.
    pub longest_run: Duration,
    /// Whether pipes and devices are read like files, which can wait forever: for paths that users name themselves.
    pub reads_pipes: bool,
}

impl Default for DiskWorld {
    fn default() -> DiskWorld {
        DiskWorld {
            largest_file: LARGEST_FILE,
            most_output: 32 << 20,
            longest_run: Duration::from_secs(60),
            reads_pipes: false,
        }
    }
}

impl DiskWorld {
    /// Reads a file, up to the limit; pipes and devices only where they are allowed.
    pub fn read_file(&self, path: &Path) -> (Option<Stamp>, io::Result<Vec<u8>>) {
        // The one device that manifests name on purpose, for an empty file.
        if path.as_os_str() == NOTHING {
            return (self.stamp(path), Ok(Vec::new()));
        }
        // Asking the open file takes no second walk down the path, and a pipe does not block.
        let opened = File::options().read(true).custom_flags(NONBLOCKING | NO_TERMINAL).open(path);
        match opened.and_then(|file| Ok((file.metadata()?, file))) {
            Ok((about, file)) => {
                let is_pipe = self.reads_pipes && !about.is_file() && !about.is_dir();
                let read = match is_pipe {
                    true => pipe::read(path, file, &about, self.largest_file),
                    false => regular(&about).and_then(|()| read(file, &about, self.largest_file)),
                };
                (Some(stamp(&about)), read)
            }
            Err(error) => (self.stamp(path), Err(error)),
        }
    }

    /// Runs a command that finds a text on its standard input.
    pub fn run_with_input(&self, command: &[String], input: Vec<u8>) -> FileResult<CommandOutput> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(FileError::Other("no command was given".into()));
        };
        let unable = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => FileError::NotFound,
            _ => FileError::Other(format!("{program}: {error}")),
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(unable)?;
        if let Some(mut pipe) = child.stdin.take() {
            // A command need not read its input.
            in_thread(move || drop(pipe.write_all(&input))).map_err(unable)?;
        }
        let running = Running { child, until: Instant::now() + self.longest_run };
        running.output(self.most_output).map_err(|why| match why {
            Stopped::Failed(error) => unable(error),
            Stopped::TooLong => {
                let seconds = self.longest_run.as_secs();
                FileError::Other(format!(
                    "{program}: it was stopped because it ran for more than {seconds} seconds"
                ))
            }
            Stopped::TooMuch => {
                let most = self.most_output;
                FileError::Other(format!("{program}: it was stopped because it wrote more than {most} bytes"))
            }
        })
    }
}

impl World for DiskWorld {
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        self.read_stamped(path).1
    }

    fn read_stamped(&self, path: &Path) -> (Option<Stamp>, FileResult<Vec<u8>>) {
        let (stamp, read) = self.read_file(path);
        let read = read.map_err(|error| match (error.kind(), stamp) {
            (io::ErrorKind::NotFound, None) => FileError::NotFound,
            // There is something all the same, which is not ours to read.
            _ => FileError::Other(error.to_string()),
        });
        (stamp, read)
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        let Ok(directory) = std::fs::read_dir(path) else { return Vec::new() };
        let mut entries: Vec<DirectoryEntry> = directory
            .flatten()
            .filter_map(|entry| {
                // A name that is not valid text leads nowhere, so reading the file fails.
                let name = entry.file_name().to_string_lossy().into_owned();
                let kind = entry.file_type().ok()?;
                // A link counts as its target; only links cost a further call.
                let is_link = kind.is_symlink();
                let target = if is_link {
                    entry.path().metadata().map(|about| about.file_type()).ok()
                } else {
                    Some(kind)
                };
                let is_directory = target.is_some_and(|kind| kind.is_dir());
                let is_special = target.is_some_and(|kind| !kind.is_dir() && !kind.is_file());
                Some(DirectoryEntry { name, is_directory, is_link, is_special })
            })
            .collect();
        entries.sort();
        entries
    }

    fn elapsed(&self) -> Duration {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    }

    fn now(&self) -> Timestamp {
        let fixed = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.trim().parse::<i64>().ok());
        let nanoseconds = match fixed {
            Some(seconds) => seconds.saturating_mul(1_000_000_000),
            None => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)),
        };
        Timestamp::from_clock(nanoseconds)
    }

    fn env(&self, name: &str) -> FileResult<Option<String>> {
        Ok(std::env::var(name).ok())
    }

    fn run(&self, command: &[String]) -> FileResult<CommandOutput> {
        self.run_with_input(command, Vec::new())
    }

    fn converse(&self, command: &[String]) -> FileResult<Box<dyn Conversation>> {
        Ok(Box::new(Talk::start(command, self.longest_run, self.most_output)?))
    }

    fn change(&self, path: &Path, change: Change<'_>) -> FileResult<()> {
        // Writes to the null device are discarded.
        if path.as_os_str() == NOTHING {
            return Ok(());
        }
        alter(path, change, self.largest_file).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => FileError::NotFound,
            _ => FileError::Other(error.to_string()),
        })
    }

    fn ownership(&self, path: Option<&Path>) -> FileResult<Ownership> {
        let about =
            std::fs::metadata(path.unwrap_or(Path::new("/proc/self"))).map_err(|_| FileError::NotFound)?;
        let modified = about.mtime().saturating_mul(1_000_000_000).saturating_add(about.mtime_nsec());
        let (user, group) = match path {
            Some(_) => (about.uid(), about.gid()),
            None => (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw()),
        };
        Ok(Ownership { user, group, mode: about.mode(), modified })
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        std::fs::metadata(path).ok().as_ref().map(stamp)
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        // Of a path that does not exist, the part that exists is resolved.
        let whole = self.here().join(path);
        for there in whole.ancestors() {
            if let (Ok(real), Ok(rest)) = (there.canonicalize(), whole.strip_prefix(there)) {
                return normal(&real.join(rest));
            }
        }
        normal(&whole)
    }

    fn here(&self) -> PathBuf {
        std::env::current_dir().unwrap_or_default()
    }
}

/// The time by the clock that files are stamped with, in nanoseconds.
pub(crate) fn clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Reads a file of our own making.
pub(crate) fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    DiskWorld::default().read_file(path).1
}

/// Reads a file of our own making that nobody else can read.
pub(crate) fn read_private(path: &Path) -> io::Result<Vec<u8>> {
    let about = std::fs::metadata(path)?;
    match about.permissions().mode() & 0o077 {
        0 => read_own(path),
        _ => Err(io::Error::from(io::ErrorKind::PermissionDenied)),
    }
}

/// Random bytes of the system.
pub(crate) fn random_bytes(count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; count];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file for ourselves, which nobody else can read, and which appears under its name when it is whole.
pub(crate) fn write_own(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    let write = || {
        if let Some(directory) = path.parent() {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        }
        Pending::write(path, bytes, Audience::Ourselves)?.finish()
    };
    write().map_err(|error: io::Error| Problem::io("write", path, &error))
}

/// Removes a file of our own making.
pub(crate) fn remove_own(path: &Path) -> io::Result<()> {
    std::fs::remove_file(path)
}

/// `O_NONBLOCK`, which the standard library has no name for.
pub(crate) const NONBLOCKING: i32 = if cfg!(target_os = "linux") { 0o4000 } else { 0x4 };
/// `O_NOCTTY`: a terminal that is opened does not become the one that governs this process.
pub(crate) const NO_TERMINAL: i32 = if cfg!(target_os = "linux") { 0o400 } else { 0x2_0000 };
/// `O_NOFOLLOW`: a link is not followed.
pub(crate) const NO_LINK: i32 =
    match (cfg!(target_os = "linux"), cfg!(any(target_arch = "aarch64", target_arch = "arm"))) {
        (true, false) => 0o400_000,
        (true, true) => 0o100_000,
        (false, _) => 0x100,
    };

fn stamp(about: &Metadata) -> Stamp {
    // Not the time of modification, which a program can set freely.
    let since = about.ctime().saturating_mul(1_000_000_000).saturating_add(about.ctime_nsec());
    Stamp { version: since.unsigned_abs(), length: about.len() }
}

/// Reads a file of a known length, up to a limit.
fn read(mut file: File, about: &Metadata, most: u64) -> io::Result<Vec<u8>> {
    // Files that are made as they are read, such as those in /proc, have no length beforehand.
    let expected = if about.len() == 0 { most } else { about.len().min(most) };
    // One byte more than there is: if it stays empty, the file is at its end, and there is no need to ask.
    let mut bytes = vec![0; usize::try_from(about.len().min(most)).unwrap_or_default() + 1];
    let first = file.read(&mut bytes)?;
    let is_whole = first as u64 == about.len() && first > 0;
    bytes.truncate(first);
    if !is_whole {
        file.take(expected.saturating_add(1).saturating_sub(first as u64)).read_to_end(&mut bytes)?;
    }
    pipe::within(bytes, most)
}

/// Changes the file at a path. The policy has checked the resolved path, so a link that appeared since is not followed.
fn alter(path: &Path, change: Change<'_>, most: u64) -> io::Result<()> {
    match change {
        Change::Open(Opening { create, new, truncate, mode }) => {
            let mut how = File::options();
            how.write(true)
                .create(create)
                .create_new(new)
                .mode(mode)
                .custom_flags(NONBLOCKING | NO_TERMINAL | NO_LINK);
            let file = how.open(path)?;
            regular(&file.metadata()?)?;
            if truncate { file.set_len(0) } else { Ok(()) }
        }
        Change::Put { at, bytes } => {
            within(at.saturating_add(bytes.len() as u64), most)?;
            writable(path)?.write_all_at(bytes, at)
        }
        Change::Resize(length) => {
            within(length, most)?;
            writable(path)?.set_len(length)
        }
        Change::MakeDirectory(mode) => std::fs::DirBuilder::new().mode(mode).create(path),
        Change::Remove => std::fs::remove_file(path),
        Change::RemoveDirectory => std::fs::remove_dir(path),
        Change::Rename(to) => std::fs::rename(path, to),
        Change::Mode(mode) => std::fs::set_permissions(path, Permissions::from_mode(mode)),
        Change::Owner(user, group) => std::os::unix::fs::chown(path, user, group),
        Change::Times(accessed, modified) => {
            let times = FileTimes::new().set_accessed(moment(accessed)).set_modified(moment(modified));
            File::open(path)?.set_times(times)
        }
    }
}

/// A file that is there, to be written.
fn writable(path: &Path) -> io::Result<File> {
    let file = File::options().write(true).custom_flags(NONBLOCKING | NO_TERMINAL | NO_LINK).open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

fn within(length: u64, most: u64) -> io::Result<()> {
    const FILE_TOO_LARGE: i32 = 27;
    if length > most { Err(io::Error::from_raw_os_error(FILE_TOO_LARGE)) } else { Ok(()) }
}

/// A time in nanoseconds since 1970, as files are stamped with it.
fn moment(nanoseconds: i64) -> SystemTime {
    let distance = Duration::from_nanos(nanoseconds.unsigned_abs());
    let moment =
        if nanoseconds < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) };
    moment.unwrap_or(UNIX_EPOCH)
}

pub(crate) fn regular(about: &Metadata) -> io::Result<()> {
    const IS_A_DIRECTORY: i32 = 21;
    match about {
        about if about.is_file() => Ok(()),
        about if about.is_dir() => Err(io::Error::from_raw_os_error(IS_A_DIRECTORY)),
        _ => Err(io::Error::other("it is a device or a pipe and not a file")),
    }
}

/// A command that runs.
struct Running {
    child: Child,
    until: Instant,
}

/// The reason that a command has no output.
enum Stopped {
    Failed(io::Error),
    TooLong,
    TooMuch,
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Stopped {
        Stopped::Failed(error)
    }
}

/// Stops the command in any case when nobody waits for it.
impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    /// Its output until it ends.
    fn output(mut self, most: u64) -> Result<CommandOutput, Stopped> {
        let stdout = self.child.stdout.take().map(|pipe| in_background(pipe, most)).transpose()?;
        let stderr = self.child.stderr.take().map(|pipe| in_background(pipe, most)).transpose()?;
        let stdout = self.written(stdout, most)?;
        let stderr = self.written(stderr, most)?;
        // It has closed its output, so it is about to end or has better things to do.
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(CommandOutput { code: status.code(), stdout, stderr });
            }
            if Instant::now() >= self.until {
                return Err(Stopped::TooLong);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn written(&self, pipe: Option<Receiver<io::Result<Vec<u8>>>>, most: u64) -> Result<Vec<u8>, Stopped> {
        let Some(pipe) = pipe else { return Ok(Vec::new()) };
        match pipe.recv_timeout(self.until.saturating_duration_since(Instant::now())) {
            Ok(Ok(bytes)) if bytes.len() as u64 > most => Err(Stopped::TooMuch),
            Ok(bytes) => Ok(bytes?),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(Stopped::TooLong),
        }
    }
}

/// Reads a pipe while the other is read as well, up to one byte more than there may be.
fn in_background(pipe: impl Read + Send + 'static, most: u64) -> io::Result<Receiver<io::Result<Vec<u8>>>> {
    let (sender, receiver) = channel();
    in_thread(move || {
        let mut bytes = Vec::new();
        let read = pipe.take(most.saturating_add(1)).read_to_end(&mut bytes);
        // If nobody waits any more, the command was stopped.
        let _ = sender.send(read.map(|_| bytes));
    })?;
    Ok(receiver)
}

/// Runs something beside this thread; an error if the system has no room for one more.
fn in_thread(run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().spawn(run).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(world: &DiskWorld, script: &str) -> FileResult<CommandOutput> {
        world.run(&["/bin/sh", "-c", script].map(str::to_owned))
    }

    #[test]
    fn commands_have_limits() {
        let world = DiskWorld { most_output: 1000, ..DiskWorld::default() };
        let output = run(&world, "echo out; echo err >&2; exit 3").unwrap();
        assert_eq!((output.code, &*output.stdout, &*output.stderr), (Some(3), &b"out\n"[..], &b"err\n"[..]));
        for endless in ["while :; do echo y; done", "while :; do echo y >&2; done"] {
            let why = run(&world, endless).unwrap_err().to_string();
            assert!(why.contains("more than 1000 bytes"), "{why}");
        }
        let hasty = DiskWorld { longest_run: Duration::from_millis(20), ..DiskWorld::default() };
        for idle in ["exec sleep 1000", "exec >&- 2>&-; exec sleep 1000"] {
            let why = run(&hasty, idle).unwrap_err().to_string();
            assert!(why.contains("it ran for more than"), "{why}");
        }
        assert!(matches!(world.run(&["/no/such/command".to_owned()]), Err(FileError::NotFound)));
        let output = world.run_with_input(&["/bin/cat".to_owned()], b"text".to_vec()).unwrap();
        assert_eq!(output.stdout, b"text");
        assert_eq!(world.run_with_input(&["/bin/true".to_owned()], vec![0; 1 << 20]).unwrap().code, Some(0));
    }

    #[test]
    fn only_files_are_read_and_no_endless_ones() {
        let world = DiskWorld { largest_file: 1000, ..DiskWorld::default() };
        assert_eq!(world.read(Path::new("/dev/null")), Ok(Vec::new()));
        for device in ["/dev/zero", "/dev/tty", "/dev/urandom", "/dev/stdin"] {
            assert!(
                matches!(world.read(Path::new(device)), Err(FileError::Other(_) | FileError::NotFound)),
                "{device}"
            );
        }
        assert!(world.read(Path::new("/")).unwrap_err().to_string().contains("s a directory"));
        assert!(world.read(Path::new("/proc/self/status")).is_err(), "it has more than 1000 bytes");
        assert!(DiskWorld::default().read(Path::new("/proc/self/status")).is_ok());
    }

    #[test]
    fn paths_lead_somewhere_whether_there_is_something_or_not() {
        let world = DiskWorld::default();
        let link = std::env::temp_dir().join(format!("kukla-link-{}", std::process::id()));
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink("/proc", &link).unwrap();
        assert_eq!(world.resolve(&link.join("version")), Path::new("/proc/version"));
        assert_eq!(world.resolve(&link.join("no/such")), Path::new("/proc/no/such"));
        assert_eq!(world.resolve(&link.join("no/../../x")), Path::new("/x"));
        std::fs::remove_file(&link).unwrap();
    }
}
