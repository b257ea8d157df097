//! Modules in git repositories: names become commits, and commits trees of the store.
//!
//! A repository on this machine is read where it is. Others are fetched into bare repositories of the store, as little as possible: one commit
//! without its history. `gix` fetches over HTTP; the system's `git` fetches over SSH, and where a server asks for credentials.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gix::ObjectId;
use kukla_syntax::{Problem, ProblemKind, contain};
use rustix::fs::FlockOperation;

use crate::digest::Digest;
use crate::network::{Network, without_password};
use crate::puppetfile::GitReference;
use crate::store::{Limits, Store, lock_file};

mod fetch;
mod http;
mod import;
mod references;
mod system;

pub use references::{References, RemoteReference};

/// A git repository that modules come from.
#[derive(Debug)]
pub struct GitSource<'s> {
    store: &'s Store,
    network: &'s Network,
    url: String,
    location: Location,
    /// The references of the repository, read once.
    references: SharedReferences,
}

/// The references of a repository, which everything that asks for them shares.
type SharedReferences = Arc<Mutex<Option<References>>>;

/// The references of repositories by URL, each read once.
#[derive(Debug, Default)]
pub struct KnownReferences(Mutex<BTreeMap<String, SharedReferences>>);

impl KnownReferences {
    fn of(&self, url: &str) -> SharedReferences {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(url.to_owned()).or_default())
    }
}

/// The place of a repository.
#[derive(Debug)]
enum Location {
    /// A directory of this machine.
    Local(PathBuf),
    /// Another machine; the directory is in the store.
    Remote(PathBuf),
}

/// A commit and the name that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedCommit {
    /// The commit.
    pub commit: String,
    /// The branch, tag or commit that was found.
    pub reference: String,
}

impl<'s> GitSource<'s> {
    /// The repository at a URL or path. Relative paths begin at `base`.
    pub fn new(
        store: &'s Store,
        network: &'s Network,
        known: &KnownReferences,
        url: &str,
        base: &Path,
    ) -> Result<GitSource<'s>, Problem> {
        let location = locate(store, url, base)?;
        let references = match &location {
            Location::Local(path) => known.of(&path.display().to_string()),
            Location::Remote(_) => known.of(url),
        };
        Ok(GitSource { store, network, url: url.to_owned(), location, references })
    }

    fn shown(&self) -> String {
        without_password(&self.url)
    }

    /// The commit of the first name that exists; `None` is the default branch of the repository.
    pub fn resolve(&self, names: &[Option<&str>]) -> Result<ResolvedCommit, Problem> {
        for name in names {
            let commit = match name {
                Some(name) if is_commit(name) => Some((*name).to_owned()),
                Some(name) => self.find(name)?,
                None => self.with_references(|references| references.head.clone())?,
            };
            if let Some(commit) = commit {
                let reference = name.map_or_else(|| "HEAD".to_owned(), str::to_owned);
                return Ok(ResolvedCommit { commit, reference });
            }
        }
        let shown: Vec<String> = names.iter().flatten().map(|name| format!("'{name}'")).collect();
        let problem = Problem::not_found("cannot find a commit").because(format!(
            "{} has no branch, tag or commit {}",
            self.shown(),
            shown.join(" or ")
        ));
        let near = self.with_references(|references| {
            let wanted = names.iter().flatten().next()?;
            let known = references.all.iter().map(RemoteReference::short_name);
            kukla_syntax::suggest::nearest(wanted, known).map(str::to_owned)
        })?;
        Err(match near {
            Some(near) => problem.help(format!("did you mean '{near}'?")),
            None => problem,
        })
    }

    /// All branches and tags.
    pub fn references(&self) -> Result<References, Problem> {
        self.with_references(Clone::clone)
    }

    fn with_references<T>(&self, read: impl FnOnce(&References) -> T) -> Result<T, Problem> {
        let mut known = self.references.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            let listed = match &self.location {
                Location::Local(path) => references::of_repository(&open(path)?),
                Location::Remote(directory) => {
                    let _lock = self.lock(directory)?;
                    self.network.retrying(&self.shown(), || fetch::list(self.network, &self.url, directory))
                }
            };
            *known = Some(listed?);
        }
        Ok(read(known.get_or_insert_default()))
    }

    /// The commit of a branch, a tag, or the first digits of a commit.
    fn find(&self, name: &str) -> Result<Option<String>, Problem> {
        check_reference(name)?;
        if let Some(commit) = self.with_references(|references| references.find(name))? {
            return Ok(Some(commit));
        }
        let is_short = (4..40).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_short {
            return Ok(None);
        }
        let repository = match &self.location {
            Location::Local(path) => open(path)?,
            Location::Remote(directory) => self.with_history(directory)?,
        };
        let found = repository.rev_parse_single(name).ok().map(|id| id.detach());
        let commit = found.and_then(|id| repository.find_object(id).ok()?.peel_to_commit().ok());
        Ok(commit.map(|commit| commit.id.to_string()))
    }

    /// The repository of the store with all commits.
    fn with_history(&self, directory: &Path) -> Result<gix::Repository, Problem> {
        let mut name = directory.file_name().unwrap_or_default().to_owned();
        name.push(".history");
        let directory = directory.with_file_name(name);
        let _lock = self.lock(&directory)?;
        let specs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
        self.network
            .retrying(&self.shown(), || fetch::fetch(self.network, &self.url, &directory, &specs, false))?;
        open(&directory)
    }

    fn lock(&self, directory: &Path) -> Result<fs::File, Problem> {
        let mut name = directory.as_os_str().to_owned();
        name.push(".lock");
        lock_file(Path::new(&name), FlockOperation::LockExclusive)
    }

    /// The tree of a commit in the store; it is fetched if it is not there.
    pub fn tree(&self, commit: &str, limits: Limits) -> Result<Digest, Problem> {
        let source = format!("git {commit}");
        if let Some((digest, _)) = self.store.tree_of(&source) {
            return Ok(digest);
        }
        let id: ObjectId = commit.parse().map_err(|_| {
            Problem::invalid("invalid commit")
                .on(format!("'{commit}'"))
                .because("expected 40 hexadecimal digits")
        })?;
        let digest = match &self.location {
            Location::Local(path) => import(self.store, &open(path)?, id, limits),
            Location::Remote(directory) => self.fetch_tree(directory, id, limits),
        };
        let digest = digest.map_err(|problem| {
            Problem::new(problem.kind(), "cannot read commit")
                .on(format!("{commit} of {}", self.shown()))
                .caused_by(problem)
        })?;
        self.store.record_source(&source, &digest)?;
        Ok(digest)
    }

    fn fetch_tree(&self, directory: &Path, id: ObjectId, limits: Limits) -> Result<Digest, Problem> {
        let _lock = self.lock(directory)?;
        if directory.exists()
            && let Ok(digest) = import(self.store, &open(directory)?, id, limits)
        {
            return Ok(digest);
        }
        let spec = format!("+{id}:refs/kukla/{id}");
        let fetched = self
            .network
            .retrying(&self.shown(), || fetch::fetch(self.network, &self.url, directory, &[&spec], true));
        match fetched {
            Ok(()) => import(self.store, &open(directory)?, id, limits),
            Err(problem) if matches!(problem.kind(), ProblemKind::Unavailable | ProblemKind::TimedOut) => {
                Err(problem)
            }
            // Some servers send only commits that a branch or a tag names.
            Err(_) => import(self.store, &self.with_history(directory)?, id, limits),
        }
    }
}

/// The names of a request in order, with the branch of the control repository.
pub fn names<'n>(
    request: &'n crate::puppetfile::GitRequest,
    control_branch: Option<&'n str>,
) -> Vec<Option<&'n str>> {
    let first = match &request.reference {
        Some(GitReference::Name(name)) => Some(name.as_str()),
        Some(GitReference::ControlBranch) => control_branch,
        None => None,
    };
    let mut names: Vec<Option<&str>> = first.into_iter().map(Some).collect();
    names.extend(request.fallbacks.iter().map(|name| Some(name.as_str())));
    if names.is_empty() {
        names.push(None);
    }
    names
}

/// Whether a text is a whole commit.
pub fn is_commit(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Names that commands would take for options, or git for something else than a name.
fn check_reference(name: &str) -> Result<(), Problem> {
    let is_bad = name.is_empty()
        || name.starts_with('-')
        || name.contains("..")
        || name.bytes().any(|byte| byte <= b' ' || b"~^:?*[\\\x7f".contains(&byte));
    match is_bad {
        false => Ok(()),
        true => Err(Problem::invalid("invalid name of a branch, tag or commit")
            .on(format!("'{}'", name.escape_debug()))),
    }
}

fn locate(store: &Store, url: &str, base: &Path) -> Result<Location, Problem> {
    let refused = |why: &str| Err(Problem::new(ProblemKind::Denied, "refused git URL").on(url).because(why));
    if url.starts_with('-') || url.bytes().any(|byte| byte < b' ') {
        return refused("it is not a URL");
    }
    if url.contains("::") {
        return refused("URLs of git's remote helpers can run commands");
    }
    if let Some(path) = url.strip_prefix("file://") {
        return Ok(Location::Local(path.into()));
    }
    let is_known = ["http://", "https://", "ssh://", "git+ssh://", "git://"]
        .iter()
        .any(|scheme| url.starts_with(scheme));
    if !is_known && url.contains("://") {
        return refused("expected https, http, ssh, git or file");
    }
    // `host:path` is SSH, `./a:b` a path.
    let is_scp = url.split_once(':').is_some_and(|(host, _)| !host.contains('/'));
    if !is_known && !is_scp {
        return Ok(Location::Local(base.join(url)));
    }
    let readable: String =
        without_password(url).chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let readable = &readable[readable.len().saturating_sub(60)..];
    let digest = Digest::of(url.as_bytes());
    Ok(Location::Remote(store.root().join("git").join(format!("{readable}-{}", &digest.as_str()[..16]))))
}

/// A repository, read without trust in its configuration.
fn open(path: &Path) -> Result<gix::Repository, Problem> {
    let options = gix::open::Options::isolated();
    let opened = contain(|| options.open(path))
        .map_err(|panic| Problem::invalid("cannot read git repository").on(path.display()).because(panic))?;
    opened.map(|opened| opened.to_thread_local()).map_err(|_| {
        Problem::not_found("cannot open git repository")
            .on(path.display())
            .because("there is no git repository")
    })
}

fn import(
    store: &Store,
    repository: &gix::Repository,
    id: ObjectId,
    limits: Limits,
) -> Result<Digest, Problem> {
    // A damaged repository may make the library that reads it panic.
    contain(|| import::tree(store, repository, id, limits))
        .unwrap_or_else(|panic| Err(Problem::invalid("the git repository is damaged").because(panic)))
}

/// The branch that the repository around a directory is on.
pub fn current_branch(directory: &Path) -> Option<String> {
    let repository = contain(|| gix::discover(directory)).ok()?.ok()?;
    let head = repository.head_name().ok()??;
    Some(head.shorten().to_string())
}
