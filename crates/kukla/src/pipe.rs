//! Reading a pipe or a device that a user names: `--facts <(facter --json)`.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a pipe with a name may have nobody who writes to it.
const PATIENCE: Duration = Duration::from_secs(3);

/// The directories with the pipes that this process was started with: at their end there is nothing to wait for.
const OWN: [&str; 2] = ["/dev/", "/proc/"];

/// Reads a pipe or device that was opened without waiting, up to a limit.
#[allow(clippy::disallowed_methods, reason = "waiting for others is measured by the clock")]
pub fn read(path: &Path, mut file: File, about: &Metadata, most: u64) -> io::Result<Vec<u8>> {
    let is_own = OWN.iter().any(|directory| path.starts_with(directory));
    let waits = about.file_type().is_fifo() && !is_own;
    let opened = Instant::now();
    let (mut bytes, mut piece) = (Vec::new(), vec![0; 64 << 10]);
    while bytes.len() as u64 <= most {
        match file.read(&mut piece) {
            Ok(0) if waits && bytes.is_empty() => {
                if opened.elapsed() > PATIENCE {
                    return Err(io::Error::other("it is a pipe that no program writes to"));
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            Ok(0) => break,
            Ok(read) => bytes.extend_from_slice(&piece[..read]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    within(bytes, most)
}

/// The bytes that were read, or an error if there are more than the limit.
pub fn within(bytes: Vec<u8>, most: u64) -> io::Result<Vec<u8>> {
    match bytes.len() as u64 > most {
        true => Err(io::Error::other(format!("it has more than {most} bytes"))),
        false => Ok(bytes),
    }
}
