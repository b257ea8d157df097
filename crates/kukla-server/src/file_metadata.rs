//! The metadata of files, which agents compare before they fetch a file.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use kukla::syntax::{Problem, ProblemKind};
use kukla::world::glob;
use md5::Md5;
use serde_json::{Map, Value, json};
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

use crate::answer::{Answer, Issue};
use crate::ca::time;
use crate::call::Call;
use crate::mounts::MountedFiles;
use crate::protected::ProtectedFiles;

/// How something is asked for.
#[derive(Clone, Debug)]
pub struct Options<'p> {
    /// The files that are left out.
    pub protected: &'p ProtectedFiles,
    /// Whether links are followed.
    pub follow: bool,
    /// How contents are compared.
    pub checksum: Checksum,
    /// Whether owner and mode are those of the file here.
    pub permissions: bool,
    /// Whether what is below a directory is wanted.
    pub recurse: bool,
    /// How deep.
    pub depth: Option<usize>,
    /// How many files there may be.
    pub most: Option<usize>,
    /// Patterns of names that are passed over.
    pub ignore: Vec<String>,
}

impl<'p> Options<'p> {
    /// The usual options.
    pub fn new(protected: &'p ProtectedFiles) -> Options<'p> {
        Options {
            protected,
            follow: false,
            checksum: Checksum::Sha256,
            permissions: false,
            recurse: false,
            depth: None,
            most: None,
            ignore: Vec::new(),
        }
    }
}

/// How contents are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// By a digest.
    Sha256,
    /// By a digest.
    Sha384,
    /// By a digest.
    Sha512,
    /// By a digest.
    Sha224,
    /// By a digest.
    Sha1,
    /// By the digest of the first 512 bytes.
    Sha1Lite,
    /// By the digest of the first 512 bytes.
    Sha256Lite,
    /// By a digest.
    Md5,
    /// By the digest of the first 512 bytes.
    Md5Lite,
    /// By the time of change.
    Mtime,
    /// By the time of change of anything about it.
    Ctime,
    /// Not at all.
    None,
}

impl Checksum {
    const ALL: [(&'static str, Checksum); 12] = [
        ("sha256", Checksum::Sha256),
        ("sha384", Checksum::Sha384),
        ("sha512", Checksum::Sha512),
        ("sha224", Checksum::Sha224),
        ("sha1", Checksum::Sha1),
        ("sha1lite", Checksum::Sha1Lite),
        ("sha256lite", Checksum::Sha256Lite),
        ("md5", Checksum::Md5),
        ("md5lite", Checksum::Md5Lite),
        ("mtime", Checksum::Mtime),
        ("ctime", Checksum::Ctime),
        ("none", Checksum::None),
    ];

    /// The one of this name.
    pub fn named(name: &str) -> Option<Checksum> {
        Checksum::ALL.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Checksum::ALL.iter().find(|(_, kind)| *kind == self).map_or("none", |(name, _)| name)
    }

    fn of(self, path: &Path, about: &Metadata, protected: &ProtectedFiles) -> io::Result<String> {
        let file = || protected.open(path);
        Ok(match self {
            Checksum::Sha256 => digest::<Sha256>(file()?, None)?,
            Checksum::Sha384 => digest::<Sha384>(file()?, None)?,
            Checksum::Sha512 => digest::<Sha512>(file()?, None)?,
            Checksum::Sha224 => digest::<Sha224>(file()?, None)?,
            Checksum::Sha1 => digest::<Sha1>(file()?, None)?,
            Checksum::Sha1Lite => digest::<Sha1>(file()?, Some(512))?,
            Checksum::Sha256Lite => digest::<Sha256>(file()?, Some(512))?,
            Checksum::Md5 => digest::<Md5>(file()?, None)?,
            Checksum::Md5Lite => digest::<Md5>(file()?, Some(512))?,
            Checksum::Mtime => instant(about.mtime()),
            Checksum::Ctime => instant(about.ctime()),
            Checksum::None => String::new(),
        })
    }
}

/// The digest of a file, or of its beginning.
fn digest<D: Digest>(file: File, most: Option<u64>) -> io::Result<String> {
    let mut file = file.take(most.unwrap_or(u64::MAX));
    let mut digest = D::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hexadecimal(&digest.finalize()));
        }
        digest.update(&buffer[..read]);
    }
}

/// Bytes as text.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A time as Ruby writes it.
fn instant(seconds: i64) -> String {
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    time::in_inventory(time).replace("UTC", " +0000").replace('T', " ")
}

/// The metadata of a file.
#[derive(Clone, Debug)]
pub struct FileMetadata {
    /// The file, or the directory that a search began in.
    pub path: PathBuf,
    /// Where it is below that.
    pub relative: Option<String>,
    content: Map<String, Value>,
}

impl FileMetadata {
    /// Looks at a file.
    pub fn of(path: &Path, relative: Option<&str>, options: &Options<'_>) -> io::Result<FileMetadata> {
        let whole = match relative {
            None | Some(".") => path.to_owned(),
            Some(relative) => path.join(relative),
        };
        let entry = fs::symlink_metadata(&whole)?;
        // The directories that a search has walked through are known to be good.
        let is_in_search = relative.is_some_and(|relative| relative != ".");
        let may_lead_elsewhere = !is_in_search || entry.is_symlink();
        if may_lead_elsewhere && !options.protected.allows(&whole) && !is_broken_link(&whole) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let about = if options.follow && entry.is_symlink() { fs::metadata(&whole)? } else { entry };
        if about.is_file() && !options.protected.allows_file(&about) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let (kind, checksum) = kind(&about, options.checksum)?;
        let protected = options.protected;
        let value = match kind {
            "link" => fs::metadata(&whole).and_then(|about| checksum.of(&whole, &about, protected)).ok(),
            _ => Some(checksum.of(&whole, &about, protected)?),
        };
        let destination = match kind {
            "link" => Value::from(fs::read_link(&whole)?.to_string_lossy()),
            _ => Value::Null,
        };
        let (owner, group, mode) = if options.permissions {
            (about.uid(), about.gid(), about.mode() & 0o7777)
        } else {
            (own().0, own().1, 0o644)
        };
        let content = json!({
            "path": path.to_string_lossy(),
            "relative_path": relative,
            "links": if options.follow { "follow" } else { "manage" },
            "owner": owner,
            "group": group,
            "mode": mode,
            "checksum": {"type": checksum.name(), "value": value.map(|value| format!("{{{}}}{value}", checksum.name()))},
            "type": kind,
            "destination": destination,
        });
        let Value::Object(content) = content else { return Err(io::Error::other("no object")) };
        Ok(FileMetadata { path: path.to_owned(), relative: relative.map(str::to_owned), content })
    }

    /// The same, with something more.
    pub fn insert(&mut self, name: &str, value: impl Into<Value>) {
        self.content.insert(name.into(), value.into());
    }

    /// As agents read it.
    pub fn to_json(&self) -> Value {
        Value::Object(self.content.clone())
    }
}

/// Whether a path is a link to something that does not exist, which agents may manage as well.
fn is_broken_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink()) && !path.exists()
}

/// The user and group of this process, which own files that have no owner of their own.
fn own() -> (u32, u32) {
    static OWN: std::sync::OnceLock<(u32, u32)> = std::sync::OnceLock::new();
    *OWN.get_or_init(|| fs::metadata("/proc/self").map_or((0, 0), |about| (about.uid(), about.gid())))
}

fn kind(about: &Metadata, wanted: Checksum) -> io::Result<(&'static str, Checksum)> {
    let kind = about.file_type();
    if kind.is_file() {
        Ok(("file", wanted))
    } else if kind.is_dir() {
        Ok(("directory", Checksum::Ctime))
    } else if kind.is_symlink() {
        Ok(("link", wanted))
    } else if kind.is_fifo() {
        Ok(("fifo", Checksum::None))
    } else if kind.is_socket() {
        Ok(("socket", Checksum::None))
    } else {
        Err(io::Error::other("Cannot manage files of this type"))
    }
}

/// All files of a search, those of earlier directories before those of later ones with the same name.
pub fn search(found: &MountedFiles, options: &Options<'_>) -> Result<Vec<FileMetadata>, Problem> {
    let (roots, recurse) = match found {
        MountedFiles::One(path) => (std::slice::from_ref(path), options.recurse),
        MountedFiles::Merged(paths) => (paths.as_slice(), options.recurse),
        MountedFiles::Bare(path) => (std::slice::from_ref(path), false),
    };
    let options = Options { recurse, ..options.clone() };
    let mut seen = std::collections::HashSet::new();
    let mut all = Vec::new();
    for root in roots {
        for relative in files(root, &options)? {
            if seen.insert(relative.clone()) {
                // A file that went away since the directory was read is one that is not there.
                match FileMetadata::of(root, Some(&relative), &options) {
                    Ok(metadata) => all.push(metadata),
                    Err(error) if error.kind() == io::ErrorKind::NotFound && relative != "." => {}
                    Err(error) => return Err(Problem::io("read", &root.join(&relative), &error)),
                }
            }
        }
    }
    Ok(all)
}

/// The files of a directory, level by level.
fn files(root: &Path, options: &Options<'_>) -> Result<Vec<String>, Problem> {
    /// More levels are links that lead back.
    const DEEPEST: usize = 100;
    let mut found = vec![".".to_owned()];
    let mut level = vec![String::new()];
    let mut depth = 0;
    while options.recurse
        && !level.is_empty()
        && options.depth.is_none_or(|most| depth < most)
        && depth < DEEPEST
    {
        let mut next = Vec::new();
        for relative in level {
            let directory = root.join(&relative);
            let about =
                if options.follow { fs::metadata(&directory) } else { fs::symlink_metadata(&directory) };
            if !about.is_ok_and(|about| about.is_dir()) || !options.protected.allows(&directory) {
                continue;
            }
            let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
            let mut names: Vec<String> =
                entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
            names.retain(|name| !options.ignore.iter().any(|pattern| glob::fits(pattern, name)));
            names.sort();
            for name in names {
                let path = if relative.is_empty() { name } else { format!("{relative}/{name}") };
                found.push(path.clone());
                next.push(path);
            }
        }
        level = next;
        depth += 1;
    }
    match options.most {
        Some(most) if found.len() - 1 > most => Err(Problem::new(
            ProblemKind::LimitExceeded,
            format!(
                "The directory '{}' contains {} entries, which exceeds the limit of {most} specified by the max_files parameter for this resource. The limit may be increased, but be aware that large number of file resources can result in excessive resource consumption and degraded performance. Consider using an alternate method to manage large directory trees",
                root.display(),
                found.len() - 1
            ),
        )),
        _ => Ok(found),
    }
}

/// How a request asks.
pub fn options<'p>(call: &Call, protected: &'p ProtectedFiles) -> Result<Options<'p>, Problem> {
    let flag = |name: &str| call.parameter(name).is_some_and(|value| value == "true");
    let number = |name: &str| call.parameter(name).and_then(|value| value.parse::<usize>().ok());
    let follow = match call.parameter("links") {
        None | Some("manage") => false,
        Some("follow") => true,
        Some(other) => return Err(Problem::invalid(format!("Invalid :links value '{other}'"))),
    };
    let checksum = match call.parameter("checksum_type") {
        None => Checksum::Sha256,
        Some(name) => Checksum::named(name)
            .ok_or_else(|| Problem::invalid(format!("Unsupported checksum type {name}")))?,
    };
    let permissions = match call.parameter("source_permissions") {
        None | Some("ignore") => false,
        Some("use" | "use_when_creating") => true,
        Some(other) => return Err(Problem::invalid(format!("Unsupported source_permission {other}"))),
    };
    Ok(Options {
        protected,
        follow,
        checksum,
        permissions,
        recurse: flag("recurse"),
        depth: number("recurselimit"),
        most: number("max_files").filter(|most| *most > 0),
        ignore: call.parameters.all("ignore").map(str::to_owned).collect(),
    })
}

/// Answers for one file.
pub fn one(
    call: &Call,
    key: &str,
    found: Result<Option<MountedFiles>, Problem>,
    protected: &ProtectedFiles,
) -> Answer {
    let missing = || Answer::error(Issue::NotFound, format!("Could not find file_metadata {key}"));
    let options = match options(call, protected) {
        Ok(options) => options,
        Err(problem) => return Answer::error(Issue::Runtime, &problem),
    };
    match found {
        Err(problem) => Answer::error(Issue::Runtime, &problem),
        Ok(None) => missing(),
        Ok(Some(found)) => {
            let path = match found {
                MountedFiles::One(path) | MountedFiles::Bare(path) => path,
                MountedFiles::Merged(paths) => match paths.into_iter().next() {
                    Some(path) => path,
                    None => return missing(),
                },
            };
            match FileMetadata::of(&path, None, &options) {
                Ok(metadata) => Answer::json(&metadata.to_json()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => missing(),
                Err(error) => Answer::error(Issue::Runtime, error.to_string()),
            }
        }
    }
}

/// Answers for all files of a search.
pub fn all(
    call: &Call,
    key: &str,
    found: Result<Option<MountedFiles>, Problem>,
    protected: &ProtectedFiles,
) -> Answer {
    let options = match options(call, protected) {
        Ok(options) => options,
        Err(problem) => return Answer::error(Issue::Runtime, &problem),
    };
    match found {
        Err(problem) => Answer::error(Issue::Runtime, &problem),
        Ok(None) => {
            Answer::error(Issue::NotFound, format!("Could not find instances in file_metadata with '{key}'"))
        }
        Ok(Some(found)) => match search(&found, &options) {
            Ok(all) => Answer::json(&all.iter().map(FileMetadata::to_json).collect()),
            Err(problem) => Answer::error(Issue::Runtime, &problem),
        },
    }
}
