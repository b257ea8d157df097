//! The versions of environments whose files can still be had after the next deployment: an agent that has the catalog of a version asks for the files of
//! that version.
//!
//! Beside the environments, `.kukla/versions` has a record of each version: the trees of the store that it consists of. The store has the files.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use kukla_syntax::Problem;
use serde_json::{Value as Json, json};

use super::stamp::{DeployedModule, Stamp};
use crate::digest::Digest;
use crate::install::STATE_DIRECTORY;
use crate::lock::Lock;
use crate::store::{Entry, Store, Tree};

/// The number of versions of an environment that are recorded.
const MOST: usize = 20;

/// The identifier of a version: the commit, and a digest of the modules if the commit does not decide about them.
pub fn code_id(signature: &str, is_moving: bool, modules: &[DeployedModule]) -> String {
    if !is_moving {
        return signature.to_owned();
    }
    let modules: String =
        modules.iter().map(|module| format!("{} {}\n", module.path.display(), module.source)).collect();
    format!("{signature}-{}", &Digest::of(modules.as_bytes()).as_str()[..12])
}

/// Records a version that is about to be deployed.
pub(super) fn record(
    basedir: &Path,
    directory: &str,
    stamp: &Stamp,
    tree: Option<&Tree>,
    lock: &Lock,
) -> Result<(), Problem> {
    let Some(code_id) = stamp.code_id() else { return Ok(()) };
    let modules: Vec<Json> = lock
        .modules
        .iter()
        .map(|module| json!({"path": module.path(), "content": module.content.as_ref().map(Digest::as_str)}))
        .collect();
    let text =
        json!({"tree": tree.map(|tree| tree.digest().as_str().to_owned()), "modules": modules}).to_string();
    let versions = versions(basedir, directory);
    fs::create_dir_all(&versions).map_err(|error| Problem::io("create", &versions, &error))?;
    let path = versions.join(&code_id);
    let temporary = versions.join(format!(".{code_id}"));
    fs::write(&temporary, text)
        .and_then(|()| fs::rename(&temporary, &path))
        .map_err(|error| Problem::io("write", &path, &error))?;
    forget_oldest(&versions);
    Ok(())
}

/// The content of a file of a version; nothing if neither the environment nor the store has that version.
pub fn content(store: &Store, environment: &Path, code_id: &str, path: &str) -> Option<Vec<u8>> {
    let (basedir, directory) = (environment.parent()?, environment.file_name()?.to_str()?);
    let record = fs::read(versions(basedir, directory).join(code_id)).ok()?;
    let record: Json = serde_json::from_slice(&record).ok()?;
    let tree = |digest: &Json| store.tree(&Digest::parse(digest.as_str()?).ok()?);
    let modules = record["modules"].as_array()?.iter();
    let inside = |module: &Json| {
        let rest = Path::new(path).strip_prefix(module["path"].as_str()?).ok()?;
        Some((tree(&module["content"])?, rest.to_str()?.to_owned()))
    };
    let (tree, path) = match modules.clone().find_map(inside) {
        Some(found) => found,
        None => (tree(&record["tree"])?, path.to_owned()),
    };
    match tree.get(&path)? {
        Entry::File(file) => store.read_object(&file.digest, file.executable).ok(),
        Entry::Link(_) | Entry::Directory => None,
    }
}

fn versions(basedir: &Path, directory: &str) -> PathBuf {
    basedir.join(STATE_DIRECTORY).join("versions").join(directory)
}

/// Removes the records of the oldest versions. One that cannot be removed is only a small file.
fn forget_oldest(versions: &Path) {
    let entries = fs::read_dir(versions).into_iter().flatten().flatten();
    let mut records: Vec<(SystemTime, PathBuf)> =
        entries.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()))).collect();
    records.sort_by(|a, b| b.cmp(a));
    for (_, path) in records.iter().skip(MOST) {
        let _ = fs::remove_file(path);
    }
}
