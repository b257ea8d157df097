//! Where commands keep what they found for the next time.

use std::path::{Path, PathBuf};

use kukla::cache::Cache;
use kukla::world::record::Digest;

/// Where things are kept that can be made again.
pub fn own_directory() -> Result<PathBuf, String> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    let caches = caches.ok_or("there is no HOME to keep things in; --cache names a directory")?;
    Ok(caches.join("kukla"))
}

/// What is kept in a directory of runs of one kind, and why it cannot be used if so.
pub fn open(directory: &Path, way: Digest) -> (Cache, Option<String>) {
    let (cache, wrong) = Cache::open(directory, way, &build());
    (cache, wrong.map(|wrong| format!("the cache in {} is not used: {wrong}", directory.display())))
}

/// This build and no other: what is kept by one is not for the next.
fn build() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let own = std::env::current_exe().and_then(std::fs::metadata);
    match own.and_then(|own| Ok((own.len(), own.modified()?))) {
        Ok((length, modified)) => format!("{version} {length} {modified:?}"),
        Err(_) => version.to_owned(),
    }
}
