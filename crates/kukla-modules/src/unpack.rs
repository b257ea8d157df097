//! Unpacking tar archives into the store: names and links stay inside, devices are refused, sizes are limited.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use kukla_syntax::{Problem, ProblemKind};
use tar::{Archive, EntryType};

use crate::digest::Digest;
use crate::store::{Limits, Store};

/// How the directories at the top of an archive become a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A Forge release: one directory holds everything, and links are left out, as all installers of Forge modules do.
    ForgeRelease,
    /// Any other archive: everything is unpacked as it is.
    Plain,
}

/// Adds the files of an archive, which may be compressed with gzip, to the store.
pub fn unpack(
    store: &Store,
    archive: &mut dyn Read,
    layout: Layout,
    limits: Limits,
) -> Result<Digest, Problem> {
    let mut builder = store.build(limits)?;
    let mut start = [0; 2];
    let count = read_start(archive, &mut start).map_err(damaged)?;
    let whole = io::Read::chain(&start[..count], archive);
    let plain: Box<dyn Read + '_> = match start {
        [0x1f, 0x8b] => Box::new(MultiGzDecoder::new(whole)),
        _ => Box::new(whole),
    };
    // Padding and headers count as well, so that an archive of nothing but headers ends.
    let most = limits.bytes.saturating_add(limits.entries as u64 * 2048);
    let mut archive = Archive::new(plain.take(most));
    let mut names = 0;
    let mut root: Option<String> = None;
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        names += 1;
        if names > limits.entries {
            return Err(Problem::new(ProblemKind::LimitExceeded, "the archive is too large")
                .because(format!("it has more than {} entries", limits.entries)));
        }
        let kind = entry.header().entry_type();
        if matches!(kind, EntryType::XGlobalHeader) {
            continue;
        }
        let path = name(&entry.path_bytes())?;
        let Some(path) = inside(&path, layout, &mut root)? else { continue };
        match kind {
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                let size = entry.size();
                builder.charge(&path, size)?;
                let executable = entry.header().mode().map_err(damaged)? & 0o100 != 0;
                let mut bytes = Vec::with_capacity(usize::try_from(size.min(1 << 24)).unwrap_or(0));
                entry.read_to_end(&mut bytes).map_err(damaged)?;
                if bytes.len() as u64 != size {
                    return Err(damaged(io::ErrorKind::UnexpectedEof.into()));
                }
                builder.file(&path, executable, &bytes)?;
            }
            EntryType::Directory => builder.directory(&path)?,
            EntryType::Symlink | EntryType::Link if layout == Layout::ForgeRelease => {}
            EntryType::Symlink => {
                let target = entry.link_name_bytes().unwrap_or_default();
                builder.link(&path, &name(&target)?)?;
            }
            other => {
                return Err(Problem::new(ProblemKind::Denied, "refused to unpack")
                    .on(format!("'{path}'"))
                    .because(format!(
                        "it is {}, and modules have files, directories and links only",
                        kind_name(other)
                    )));
            }
        }
    }
    if names == 0 {
        return Err(damaged(io::ErrorKind::UnexpectedEof.into()));
    }
    Ok(builder.finish()?.0)
}

fn read_start(archive: &mut dyn Read, start: &mut [u8; 2]) -> io::Result<usize> {
    let mut count = 0;
    while count < start.len() {
        match archive.read(&mut start[count..])? {
            0 => break,
            read => count += read,
        }
    }
    Ok(count)
}

fn name(bytes: &[u8]) -> Result<String, Problem> {
    String::from_utf8(bytes.to_owned()).map_err(|_| {
        Problem::new(ProblemKind::Denied, "refused to unpack")
            .on(format!("'{}'", String::from_utf8_lossy(bytes).escape_debug()))
            .because("its name is not valid UTF-8")
    })
}

/// The path in the module of an entry; none for what is not part of it.
fn inside(path: &str, layout: Layout, root: &mut Option<String>) -> Result<Option<String>, Problem> {
    let mut path = path.trim_end_matches('/');
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    if matches!(path, "" | ".") {
        return Ok(None);
    }
    if layout == Layout::Plain {
        return Ok(Some(path.to_owned()));
    }
    let (first, rest) = path.split_once('/').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let root = root.get_or_insert_with(|| first.to_owned());
    if root != first || matches!(first, ".." | "") {
        return Err(Problem::new(ProblemKind::Denied, "refused to unpack")
            .on(format!("'{}'", path.escape_debug()))
            .because(format!("a Forge release has everything in one directory, here '{root}'")));
    }
    Ok(rest.map(str::to_owned))
}

fn kind_name(kind: EntryType) -> &'static str {
    match kind {
        EntryType::Link => "a hard link",
        EntryType::Char | EntryType::Block => "a device",
        EntryType::Fifo => "a pipe",
        _ => "an entry of an unknown kind",
    }
}

fn damaged(error: io::Error) -> Problem {
    let problem = Problem::invalid("the archive is damaged");
    match error.kind() {
        io::ErrorKind::UnexpectedEof => problem.because("it ends too early"),
        _ => problem.because(error),
    }
}
