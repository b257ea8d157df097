//! Puppetfile.lock: the exact version, commit and content of every module.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kukla_syntax::{Problem, ProblemKind};

use crate::digest::Digest;
use crate::metadata::Dependency;
use crate::puppetfile::Puppetfile;

mod make;
mod read;
mod write;

pub use make::{LockOptions, NewLock, Update};

/// The name that lock files have.
pub const FILE_NAME: &str = "Puppetfile.lock";

/// The modules of a Puppetfile and their dependencies, each with its exact version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    /// The Forge that Forge modules come from.
    pub forge: String,
    /// The modules by the names of their directories.
    pub modules: Vec<LockedModule>,
}

/// A module with its exact version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedModule {
    /// The name with its author, if it has one: `puppetlabs-stdlib`.
    pub title: String,
    /// The name of its directory: `stdlib`.
    pub name: String,
    /// The directory that holds the module's directory, relative to that of the Puppetfile.
    pub directory: PathBuf,
    /// Whether the directory `spec` is installed, too.
    pub keep_spec: bool,
    /// The place that it comes from.
    pub origin: Origin,
    /// The version in its metadata.json.
    pub version: Option<String>,
    /// The digest of its archive.
    pub archive: Option<Digest>,
    /// The digest of its files.
    pub content: Option<Digest>,
    /// The declaration of the Puppetfile; none if it is a dependency only.
    pub declared: Option<String>,
    /// The modules that it requires.
    pub dependencies: Vec<Dependency>,
}

/// The place of the exact version of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A release on the Forge.
    Forge {
        /// The version.
        version: String,
    },
    /// A commit of a git repository.
    Git {
        /// The URL or path.
        url: String,
        /// The branch, tag or commit that led to the commit.
        reference: String,
        /// The commit.
        commit: String,
    },
    /// A tar archive.
    Tarball {
        /// The URL or path.
        url: String,
    },
    /// The control repository itself.
    Local,
}

impl LockedModule {
    /// The directory of the module, relative to that of the Puppetfile.
    pub fn path(&self) -> PathBuf {
        self.directory.join(&self.name)
    }

    /// The version, commit or digest for people.
    pub fn shown_version(&self) -> String {
        let version = self.version.as_deref();
        match &self.origin {
            Origin::Forge { version } => version.clone(),
            Origin::Git { commit, reference, .. } => {
                let short = commit.get(..10).unwrap_or(commit);
                if commit.starts_with(reference.as_str()) {
                    short.to_owned()
                } else {
                    format!("{reference} ({short})")
                }
            }
            Origin::Tarball { .. } => {
                let archive = self.archive.as_ref().map(|digest| digest.as_str()[..10].to_owned());
                version.map(str::to_owned).or(archive).unwrap_or_default()
            }
            Origin::Local => "local".to_owned(),
        }
    }
}

impl Lock {
    /// Reads the text of the lock file at a path.
    pub fn parse(path: &Path, text: &str) -> Result<Lock, Problem> {
        read::lock(path, text)
    }

    /// The text of the lock file: the same modules have the same text.
    pub fn to_text(&self) -> String {
        write::text(self)
    }

    /// The module of a name, with or without its author.
    pub fn find(&self, name: &str) -> Option<&LockedModule> {
        let name = name.replace('/', "-");
        self.modules.iter().find(|module| module.title == name || module.name == name)
    }

    /// The declarations of a Puppetfile that the lock does not have, or has otherwise; empty if it is up to date.
    pub fn differences(&self, puppetfile: &Puppetfile) -> Vec<String> {
        let mut differences = Vec::new();
        for module in &puppetfile.modules {
            let locked = self.modules.iter().find(|locked| locked.title == module.title);
            match locked {
                None => differences.push(format!("'{}' is not locked", module.title)),
                Some(locked) if locked.declared.as_deref() != Some(&*module.source.to_string()) => {
                    let before = locked.declared.as_deref().unwrap_or("a dependency");
                    differences.push(format!("'{}' was {before} and is {}", module.title, module.source));
                }
                Some(locked)
                    if locked.directory != module.directory || locked.keep_spec != module.keep_spec =>
                {
                    differences.push(format!("'{}' is installed in another way", module.title));
                }
                Some(_) => {}
            }
        }
        for locked in self.modules.iter().filter(|locked| locked.declared.is_some()) {
            if !puppetfile.modules.iter().any(|module| module.title == locked.title) {
                differences.push(format!("'{}' is locked but no longer declared", locked.title));
            }
        }
        differences
    }

    /// A problem if the Puppetfile has changed since.
    pub fn require_current(&self, puppetfile: &Puppetfile) -> Result<(), Problem> {
        let differences = self.differences(puppetfile);
        let Some(first) = differences.first() else { return Ok(()) };
        let mut because = first.clone();
        if differences.len() > 1 {
            let _ = write!(because, ", and {} more", differences.len() - 1);
        }
        Err(Problem::new(ProblemKind::Conflict, "Puppetfile.lock does not match the Puppetfile")
            .because(because)
            .help("update it with `kukla mod lock`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock() -> Lock {
        let module = |title: &str, name: &str, origin: Origin| LockedModule {
            title: title.to_owned(),
            name: name.to_owned(),
            directory: "modules".into(),
            keep_spec: false,
            origin,
            version: Some("1.0.0".to_owned()),
            archive: None,
            content: Some(Digest::of(b"x")),
            declared: Some("forge 1.0.0".to_owned()),
            dependencies: Vec::new(),
        };
        let mut stdlib = module("puppetlabs-stdlib", "stdlib", Origin::Forge { version: "1.0.0".to_owned() });
        stdlib.archive = Some(Digest::of(b"archive"));
        let git = Origin::Git {
            url: "https://git.example.com/a \"b\".git".to_owned(),
            reference: "v1".to_owned(),
            commit: "a".repeat(40),
        };
        let mut site = module("site", "site", git);
        site.keep_spec = true;
        site.dependencies = vec![Dependency::parse("puppetlabs-stdlib >= 1.0.0 < 2.0.0")];
        let local = LockedModule {
            version: None,
            content: None,
            declared: None,
            ..module("own", "own", Origin::Local)
        };
        Lock { forge: "https://forgeapi.puppet.com".to_owned(), modules: vec![local, site, stdlib] }
    }

    #[test]
    fn a_lock_is_read_as_it_was_written() {
        let lock = lock();
        let text = lock.to_text();
        assert_eq!(Lock::parse(Path::new("Puppetfile.lock"), &text).unwrap(), lock);
        let mut shuffled = lock.clone();
        shuffled.modules.reverse();
        assert_eq!(shuffled.to_text(), text);
    }

    #[test]
    fn locks_of_others_and_damaged_ones_are_refused() {
        for text in [
            "FORGE\n  remote: https://forgeapi.puppetlabs.com\n  specs:\n",
            "version = 9\n",
            "[[module]]\n",
            "version = 1\nforge = \"x\"\n[[module]]\nname = \"../x\"\nsource = \"local\"\ndirectory = \"modules\"\n",
        ] {
            assert!(Lock::parse(Path::new("Puppetfile.lock"), text).is_err(), "{text}");
        }
    }
}
