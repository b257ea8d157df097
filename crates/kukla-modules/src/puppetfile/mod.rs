//! Puppetfiles: what they declare, and changes to them that keep everything else as it is.
//!
//! A Puppetfile is Ruby, so Kukla's interpreter evaluates it; `declare` gives the arguments of `mod` their meaning, which is that of
//! r10k, with the forms that only g10k and librarian-puppet know; [`edit`] changes literals in place.

use std::fmt;
use std::path::{Path, PathBuf};

use kukla_syntax::Problem;
use kukla_world::World;

mod declare;
mod dialect;
pub mod edit;
mod evaluate;
#[cfg(test)]
mod tests;

pub use declare::{is_inside, split_title};

/// The name that Puppetfiles have.
pub const FILE_NAME: &str = "Puppetfile";

/// A Puppetfile after evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puppetfile {
    /// The file.
    pub path: PathBuf,
    /// The Forge that it names, if it names one.
    pub forge: Option<String>,
    /// The modules in the order of the file.
    pub modules: Vec<Declaration>,
    /// The directory of modules at the end of the file, relative to that of the Puppetfile.
    pub moduledir: PathBuf,
}

/// A module as a Puppetfile declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The name with its author, if it has one: `puppetlabs-stdlib`.
    pub title: String,
    /// The name of the module: `stdlib`.
    pub name: String,
    /// The line of the Puppetfile.
    pub line: u32,
    /// The directory that holds the module's directory, relative to that of the Puppetfile.
    pub directory: PathBuf,
    /// Whether the directory `spec` of the module is installed, too.
    pub keep_spec: bool,
    /// The place that the module comes from.
    pub source: Source,
}

impl Declaration {
    /// The directory of the module, relative to that of the Puppetfile.
    pub fn path(&self) -> PathBuf {
        self.directory.join(&self.name)
    }
}

/// The place that a declared module comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A Forge.
    Forge(VersionRequest),
    /// A git repository.
    Git(GitRequest),
    /// A tar archive, and its SHA-256 digest if the Puppetfile states it.
    Tarball {
        /// The URL or path.
        url: String,
        /// The digest in hexadecimal digits.
        sha256: Option<String>,
    },
    /// A Subversion repository and a revision.
    Svn {
        /// The URL.
        url: String,
        /// The revision.
        revision: Option<String>,
    },
    /// The control repository itself has the module.
    Local,
}

/// The versions of a Forge module that a Puppetfile accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionRequest {
    /// Any: r10k keeps the one that is there, and takes the latest otherwise.
    Any,
    /// The latest.
    Latest,
    /// One version.
    Exact(String),
    /// A range, which librarian-puppet knows and r10k does not.
    Range(String),
}

/// A module in a git repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitRequest {
    /// The URL or path.
    pub url: String,
    /// The branch, tag or commit; none means that of `fallbacks`, or the repository's default branch.
    pub reference: Option<GitReference>,
    /// Branches that are used if `reference` does not exist, in order.
    pub fallbacks: Vec<String>,
}

/// A name for a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitReference {
    /// The branch of the control repository that the Puppetfile is in.
    ControlBranch,
    /// A branch, tag or commit.
    Name(String),
}

/// The settings of a deployment that decide how a Puppetfile is read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The directory of modules that files start with, relative to that of the Puppetfile.
    pub moduledir: PathBuf,
    /// Whether modules are installed without their directory `spec` unless they say otherwise.
    pub exclude_spec: bool,
    /// The branch of modules that name none (`git: default_ref` of r10k.yaml).
    pub default_branch: Option<String>,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions { moduledir: "modules".into(), exclude_spec: true, default_branch: None }
    }
}

impl Puppetfile {
    /// Reads the Puppetfile at a path. Its code sees `world`.
    pub fn read(world: &dyn World, path: &Path, options: &ReadOptions) -> Result<Puppetfile, Problem> {
        let text = world
            .read(path)
            .map_err(|error| Problem::other("cannot read").on(path.display()).because(error))?;
        Puppetfile::evaluate(world, path, &text, options)
    }

    /// Evaluates the text of the Puppetfile at a path. Its code sees `world`.
    pub fn evaluate(
        world: &dyn World,
        path: &Path,
        text: &[u8],
        options: &ReadOptions,
    ) -> Result<Puppetfile, Problem> {
        let records = evaluate::records(world, path, text)?;
        declare::puppetfile(path, records, options)
    }

    /// The declaration of a module by its name, with or without an author.
    pub fn find(&self, name: &str) -> Option<&Declaration> {
        let name = name.replace('/', "-");
        self.modules.iter().find(|module| module.title == name || module.name == name)
    }
}

impl fmt::Display for GitReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GitReference::ControlBranch => f.write_str(":control_branch"),
            GitReference::Name(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for VersionRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VersionRequest::Any => f.write_str("any version"),
            VersionRequest::Latest => f.write_str("latest"),
            VersionRequest::Exact(version) | VersionRequest::Range(version) => f.write_str(version),
        }
    }
}

impl fmt::Display for Source {
    /// The declared source on one line, as lock files record it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Forge(version) => write!(f, "forge {version}"),
            Source::Git(GitRequest { url, reference, fallbacks }) => {
                write!(f, "git {url}")?;
                if let Some(reference) = reference {
                    write!(f, " {reference}")?;
                }
                fallbacks.iter().try_for_each(|branch| write!(f, " or {branch}"))
            }
            Source::Tarball { url, sha256 } => {
                write!(f, "tarball {url}")?;
                sha256.iter().try_for_each(|digest| write!(f, " {digest}"))
            }
            Source::Svn { url, revision } => {
                write!(f, "svn {url}")?;
                revision.iter().try_for_each(|revision| write!(f, " {revision}"))
            }
            Source::Local => f.write_str("local"),
        }
    }
}
