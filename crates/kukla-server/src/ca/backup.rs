//! Backups of an authority: all of its files in one archive, which is verified before it is restored.

use std::fs::{self, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, lchown};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kukla::syntax::{Problem, ProblemKind};
use rustix::fs::OFlags;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::audit::Actor;
use super::{Authority, Layout, Practice, Refusal, inventory, request, time};
use crate::files::{make_directory, write_once, write_whole};

/// The version of the archive's format.
const FORMAT: u64 = 1;
/// Directories of files that belong to nodes or tokens, with the ending of their names and their modes.
const DIRECTORIES: [(&str, &str, u32); 6] = [
    ("signed", "pem", 0o755),
    ("requests", "pem", 0o755),
    ("tokens", "json", 0o750),
    ("pending", "json", 0o750),
    ("former", "pem", 0o750),
    ("policy", "", 0o750),
];

/// The single files of an authority: their names in an archive, where they are, and their modes.
fn single_files(layout: &Layout) -> Vec<(&'static str, PathBuf, u32)> {
    vec![
        ("ca_crt.pem", layout.certificate.clone(), 0o644),
        ("ca_pub.pem", layout.public_key.clone(), 0o644),
        ("ca_crl.pem", layout.crl.clone(), 0o644),
        ("serial", layout.serial.clone(), 0o644),
        ("inventory.txt", layout.inventory.clone(), 0o644),
        ("infra_inventory.txt", layout.infra_nodes(), 0o644),
        ("infra_serials", layout.infra_serials(), 0o644),
        ("infra_crl.pem", layout.infra_crl(), 0o644),
        ("audit.jsonl", layout.directory.join("audit.jsonl"), 0o640),
        ("root_key.pem", layout.root_key(), 0o640),
        ("next_key.pem", layout.next_key(), 0o640),
        // The key comes last: without it the directory is not an authority.
        ("ca_key.pem", layout.key.clone(), 0o640),
    ]
}

/// Reads a file without following a symbolic link: the archive must not take in files that someone has linked to.
fn read_regular(path: &Path) -> Result<Option<Vec<u8>>, Problem> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|error| Problem::io("read", path, &error))?,
    };
    let failed = |error| Problem::io("read", path, &error);
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(Problem::new(ProblemKind::Denied, "cannot read")
            .on(path.display())
            .because("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(failed)?;
    Ok(Some(bytes))
}

impl Authority {
    /// Writes all files of the authority, and those of its signing policy, to one archive; how many there are. It holds private keys, so only
    /// its owner can read it. An existing file is replaced only on request.
    pub fn back_up(
        &self,
        policy: &[PathBuf],
        to: &Path,
        replaces: bool,
        by: &Actor,
    ) -> Result<usize, Refusal> {
        let _lock = self.lock()?;
        self.record_management("wrote a backup", by)?;
        let mut files = Vec::new();
        let mut add = |name: String, path: &Path| -> Result<(), Problem> {
            if let Some(bytes) = read_regular(path)? {
                let digest: String =
                    Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
                files.push(json!({"path": name, "sha256": digest, "content": STANDARD.encode(bytes)}));
            }
            Ok(())
        };
        for (directory, ending, _) in DIRECTORIES {
            let path = match directory {
                "signed" => self.layout.signed.clone(),
                "requests" => self.layout.requests.clone(),
                other => self.layout.directory.join(other),
            };
            let mut entries: Vec<PathBuf> =
                fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
            entries.sort();
            for entry in entries.iter().filter(|entry| entry.extension().is_some_and(|known| known == ending))
            {
                let name = entry.file_name().unwrap_or_default().to_string_lossy();
                add(format!("{directory}/{name}"), entry)?;
            }
        }
        for path in policy {
            add(format!("policy/{}", path.file_name().unwrap_or_default().to_string_lossy()), path)?;
        }
        for (name, path, _) in single_files(&self.layout) {
            add(name.to_owned(), &path)?;
        }
        let count = files.len();
        let subject = self.certificate.common_name();
        let archive = json!({
            "format": FORMAT, "time": time::in_inventory(time::now()), "authority": subject, "files": files,
        });
        let text = archive.to_string();
        let written = if replaces {
            write_whole(to, text.as_bytes(), 0o600)
        } else {
            write_once(to, text.as_bytes(), 0o600)
        };
        written.map_err(|problem| match problem.kind() {
            ProblemKind::Conflict => problem.help("replace the file with --force"),
            _ => problem,
        })?;
        Ok(count)
    }
}

/// The files of an archive, each with the digest it was written with.
fn unpack(archive: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Problem> {
    let invalid = |reason: &str| Problem::invalid("invalid backup").because(reason);
    let archive: Value =
        serde_json::from_slice(archive).map_err(|error| Problem::invalid("invalid backup").because(error))?;
    if archive["format"].as_u64() != Some(FORMAT) {
        return Err(invalid("unknown format"));
    }
    let files = archive["files"].as_array().ok_or_else(|| invalid("it has no files"))?;
    let mut all: Vec<(String, Vec<u8>)> = Vec::new();
    for file in files {
        let path = file["path"].as_str().ok_or_else(|| invalid("a file has no name"))?;
        let named = |reason: &str| invalid(&format!("'{}' {reason}", path.escape_debug()));
        let bytes = file["content"].as_str().and_then(|text| STANDARD.decode(text).ok());
        let bytes = bytes.ok_or_else(|| named("is damaged"))?;
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        if file["sha256"].as_str() != Some(digest.as_str()) {
            return Err(named("is damaged"));
        }
        if !is_expected(path) || all.iter().any(|(known, _)| known == path) {
            return Err(named("is not a file of an authority"));
        }
        all.push((path.to_owned(), bytes));
    }
    Ok(all)
}

fn is_expected(path: &str) -> bool {
    let Some((directory, name)) = path.split_once('/') else {
        return single_files(&Layout::at("/")).iter().any(|(known, ..)| *known == path);
    };
    let plain = !name.is_empty()
        && !name.starts_with('.')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-@".contains(&byte));
    DIRECTORIES.iter().any(|(known, ending, _)| {
        *known == directory
            && plain
            && (ending.is_empty()
                || name
                    .strip_suffix(&format!(".{ending}"))
                    .is_some_and(|stem| request::check_name(stem).is_ok()))
    })
}

/// Restores an authority from an archive. All of it is written beside its place and opened there first; only an authority that works takes the
/// place of the directory. An existing one is kept under another name, which is returned.
pub fn restore(
    layout: &Layout,
    practice: Practice,
    archive: &[u8],
    replaces: bool,
    by: &Actor,
) -> Result<(Authority, Option<PathBuf>), Refusal> {
    if *layout != Layout::at(layout.directory.clone()) {
        return Err(Refusal::rule(
            "cacert, cakey and the like place files outside of the directory of the authority; restore with --cadir alone",
        ));
    }
    let files = unpack(archive).map_err(Refusal::Rule)?;
    let directory = fs::canonicalize(&layout.directory).unwrap_or_else(|_| layout.directory.clone());
    let is_taken = fs::read_dir(&directory).is_ok_and(|mut entries| entries.next().is_some());
    if is_taken && !replaces {
        return Err(Refusal::Rule(
            Problem::new(ProblemKind::Conflict, "the certificate authority already exists")
                .because(format_args!("{} is not empty; nothing was changed", directory.display()))
                .help("replace it with --force; the old directory is kept under another name"),
        ));
    }
    let stamp = time::in_inventory(time::now()).replace(':', "");
    let beside = |what: &str| {
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        directory.with_file_name(format!("{name}.{what}-{stamp}"))
    };
    let staging = beside("restoring");
    let staged = stage(&staging, &files, &practice).and_then(|staged| {
        // What happened after the backup counts: numbers that were given, and certificates that were revoked.
        if is_taken {
            keep_newer(layout, &staged, &practice)?;
        }
        staged.record_management("restored a backup", by)?;
        Ok(())
    });
    if let Err(refusal) = staged {
        let _ = fs::remove_dir_all(&staging);
        return Err(refusal);
    }
    let failed = |error| Problem::io("replace", &directory, &error);
    let owner = fs::metadata(&directory).ok().map(|about| (about.uid(), about.gid()));
    if let Some((uid, gid)) = owner {
        give_to(&staging, uid, gid).map_err(failed)?;
    }
    let old = is_taken.then(|| beside("replaced"));
    match &old {
        Some(old) => fs::rename(&directory, old).map_err(failed)?,
        None if directory.is_dir() => fs::remove_dir(&directory).map_err(failed)?,
        None => {}
    }
    fs::rename(&staging, &directory).map_err(failed)?;
    Ok((Authority::open(layout.clone(), practice)?, old))
}

/// Writes the files of an archive to a directory and opens the authority there.
fn stage(staging: &Path, files: &[(String, Vec<u8>)], practice: &Practice) -> Result<Authority, Refusal> {
    let layout = Layout::at(staging);
    make_directory(staging, 0o755)?;
    for (directory, _, mode) in DIRECTORIES {
        make_directory(&staging.join(directory), mode)?;
    }
    for (path, bytes) in files {
        let single = single_files(&layout).into_iter().find(|(name, ..)| name == path);
        let mode =
            single.map_or(if path.starts_with("signed/") { 0o644 } else { 0o640 }, |(_, _, mode)| mode);
        write_whole(&staging.join(path), bytes, mode)?;
    }
    // The audit log is that of the directory, wherever it is when the authority is in its place.
    let practice = Practice { audit_log: None, server: None, ..practice.clone() };
    let authority = Authority::open(layout, practice)?;
    for name in authority.issued()? {
        if authority.signed(&name)?.is_some_and(|certificate| !authority.has_signed(&certificate)) {
            return Err(Refusal::rule(format!(
                "invalid backup: the certificate of {name} is of another authority"
            )));
        }
    }
    Ok(authority)
}

/// Takes the serial number and the revocation list over from an authority with the same key, if they are newer.
fn keep_newer(layout: &Layout, staged: &Authority, practice: &Practice) -> Result<(), Refusal> {
    let Ok(current) = Authority::open(layout.clone(), practice.clone()) else { return Ok(()) };
    if current.certificate().public_key() != staged.certificate().public_key() {
        return Ok(());
    }
    let next = current.next_serial()?.max(staged.next_serial()?);
    inventory::write_serial(&staged.layout.serial, &next)?;
    if current.own_crl()?.number() > staged.own_crl()?.number() {
        let lists = read_regular(&layout.crl)?.unwrap_or_default();
        write_whole(&staged.layout.crl, &lists, 0o644)?;
    }
    Ok(())
}

fn give_to(path: &Path, uid: u32, gid: u32) -> std::io::Result<()> {
    lchown(path, Some(uid), Some(gid))?;
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            give_to(&entry?.path(), uid, gid)?;
        }
    }
    Ok(())
}
