//! The cache of commands about many nodes.

use std::path::{Path, PathBuf};

use kukla::fleet::CacheOptions;
use kukla::syntax::Problem;

/// The directory of caches that no option names: `kukla` in `$XDG_CACHE_HOME`, by default in `~/.cache`.
pub fn default_directory() -> Result<PathBuf, Problem> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    let missing =
        || Problem::not_found("no directory for the cache: HOME is not set").help("name one with --cache");
    Ok(caches.ok_or_else(missing)?.join("kukla"))
}

/// The cache in a directory, as this build of Kukla uses it.
pub fn options(directory: &Path) -> CacheOptions {
    CacheOptions { directory: directory.to_owned(), build: build() }
}

/// The version of this build and the stamp of its file: entries of another build are ignored.
fn build() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let own = std::env::current_exe().and_then(std::fs::metadata);
    match own.and_then(|own| Ok((own.len(), own.modified()?))) {
        Ok((length, modified)) => format!("{version} {length} {modified:?}"),
        Err(_) => version.to_owned(),
    }
}
