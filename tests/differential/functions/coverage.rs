//! Which functions there are: in Puppet, in a version of stdlib, and in Kukla.

use std::path::{Path, PathBuf};

use kukla::eval::registry::FunctionOrigin;
use kukla::functions::stdlib;
use serde_json::Value;

/// A major version of stdlib.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    Eight,
    Nine,
}

impl Version {
    /// Whether this version has a function, as Kukla tells it; nothing if it is none of stdlib's, or Puppet has it too.
    pub fn has(self, name: &str) -> Option<bool> {
        let versions = stdlib::versions(name).filter(|_| !is_core(name))?;
        Some(if self == Version::Eight { versions.eight } else { versions.nine })
    }
}

/// The version of stdlib in a directory of modules.
pub fn version(modules: &str) -> Result<Version, String> {
    let path = Path::new(modules).join("stdlib/metadata.json");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let metadata: Value =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let major =
        metadata["version"].as_str().and_then(|version| version.split('.').next()?.parse::<u32>().ok());
    Ok(if major.is_some_and(|major| major >= 9) { Version::Nine } else { Version::Eight })
}

/// Puppet's own functions.
pub fn core() -> Vec<String> {
    let registry = kukla::registry();
    let names = registry.names().into_iter().map(|name| name.as_str().to_owned());
    names.filter(|name| is_core(name)).collect()
}

/// Whether a function is one of Puppet's own.
pub fn is_core(name: &str) -> bool {
    let registry = kukla::registry();
    let found = registry.get(kukla::values::Name::new(name));
    found.is_some_and(|function| function.origin == FunctionOrigin::Core) && !stdlib::ALWAYS.contains(&name)
}

/// The functions that stdlib has in a directory of modules.
pub fn functions(modules: &Path) -> Vec<String> {
    let root = modules.join("stdlib");
    let mut names = named_in(&root.join("lib/puppet/functions"), "rb");
    names.extend(named_in(&root.join("lib/puppet/parser/functions"), "rb"));
    names.extend(named_in(&root.join("functions"), "pp").into_iter().map(|name| format!("stdlib::{name}")));
    names.sort();
    names.dedup();
    names
}

/// The functions of a directory: the paths of its files.
fn named_in(root: &Path, extension: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut open: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|found| found == extension)
                && let Ok(name) = path.with_extension("").strip_prefix(root)
            {
                names.push(name.to_string_lossy().replace('/', "::"));
            }
        }
    }
    names
}

/// Whether Kukla says of every function what the module says: that this version has it, or has not.
pub fn agrees(version: Version, found: &[String]) -> bool {
    let mut good = true;
    let has = |name: &str| {
        stdlib::versions(name).is_some_and(|versions| match version {
            Version::Eight => versions.eight,
            Version::Nine => versions.nine,
        })
    };
    for name in found.iter().filter(|name| !has(name)) {
        println!("{name}: not known to be in this version of stdlib");
        good = false;
    }
    let registry = kukla::registry();
    for name in registry.names().iter().map(|name| name.as_str()).filter(|name| has(name)) {
        if !found.iter().any(|found| found == name) {
            println!("{name}: not in this version of stdlib");
            good = false;
        }
    }
    good
}
