//! The places that modules come from, and the store that holds what came.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_syntax::{Problem, ProblemKind};

use crate::digest::Digest;
use crate::forge::Forge;
use crate::git::{self, GitSource, KnownReferences, ResolvedCommit};
use crate::lock::{Lock, LockedModule, Origin};
use crate::metadata::Metadata;
use crate::network::{Network, NetworkOptions, without_password};
use crate::parallel;
use crate::puppetfile::{Declaration, Puppetfile, Source, VersionRequest};
use crate::store::{Entry, Limits, Store, Tree, wrong_digest};
use crate::unpack::{self, Layout};

/// The largest tar archive, in bytes.
const LARGEST_ARCHIVE: u64 = 2 << 30;

/// The settings of all sources.
#[derive(Clone, Debug, Default)]
pub struct SourceOptions {
    /// The Forge or mirror that is asked in place of that of the Puppetfile.
    pub forge: Option<String>,
    /// The key of the Forge.
    pub forge_key: Option<String>,
    /// Connections.
    pub network: NetworkOptions,
    /// The limits of one module.
    pub limits: Limits,
    /// How many modules are fetched at once; 0 for the default.
    pub threads: usize,
}

/// The places that modules come from, and the store that holds what came.
#[derive(Debug)]
pub struct Sources {
    /// The store.
    pub store: Store,
    /// Connections.
    pub network: Network,
    /// The settings.
    pub options: SourceOptions,
    references: KnownReferences,
}

/// The control repository that a Puppetfile belongs to.
#[derive(Clone, Debug, Default)]
pub struct ControlRepository {
    /// The directory that relative paths begin at.
    pub base: PathBuf,
    /// The branch that `:control_branch` means.
    pub branch: Option<String>,
}

/// An observer of the steps of a long operation.
pub trait Observer: Sync {
    /// A number of modules is to be fetched.
    fn started(&self, _modules: usize) {}
    /// A module is in the store.
    fn fetched(&self, _title: &str) {}
    /// All are done.
    fn finished(&self) {}
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

impl Sources {
    /// The sources with these settings.
    pub fn new(store: Store, options: SourceOptions) -> Sources {
        let network = Network::new(options.network.clone());
        Sources { store, network, options, references: KnownReferences::default() }
    }

    /// How many modules are fetched at once.
    pub fn threads(&self) -> usize {
        if self.options.threads == 0 { 16 } else { self.options.threads }
    }

    /// The Forge of a Puppetfile or a lock.
    pub fn forge(&self, named: Option<&str>) -> Forge<'_> {
        let (mirror, key) = (self.options.forge.as_deref(), self.options.forge_key.as_deref());
        Forge::new(&self.store, &self.network, named, mirror, key)
    }

    /// A git repository.
    pub fn git(&self, url: &str, control: &ControlRepository) -> Result<GitSource<'_>, Problem> {
        GitSource::new(&self.store, &self.network, &self.references, url, &control.base)
    }

    /// The exact versions of exactly the modules that a Puppetfile declares, as r10k deploys them: without dependencies.
    pub fn pin(&self, puppetfile: &Puppetfile, control: &ControlRepository) -> Result<Lock, Problem> {
        let forge = self.forge(puppetfile.forge.as_deref());
        let pinned = parallel::map(&puppetfile.modules, self.threads(), |declaration| {
            let origin = match &declaration.source {
                Source::Forge(VersionRequest::Exact(version)) => Origin::Forge { version: version.clone() },
                Source::Forge(VersionRequest::Range(text)) => {
                    let range = kukla_values::semver::VersionRange::parse(text).ok();
                    let releases = forge.releases(&declaration.title)?;
                    let mut fitting = releases.iter().filter(|release| {
                        range.as_ref().is_none_or(|range| range.includes(&release.version))
                    });
                    let release = fitting.next().ok_or_else(|| forge.unknown(&declaration.title, Some(text)));
                    Origin::Forge { version: release?.version.to_string() }
                }
                Source::Forge(VersionRequest::Any | VersionRequest::Latest) => {
                    Origin::Forge { version: forge.latest(&declaration.title)?.version.to_string() }
                }
                other => self.pin_other(other, declaration, control)?,
            };
            Ok(locked(declaration, origin))
        });
        let modules = pinned.into_iter().collect::<Result<Vec<_>, Problem>>()?;
        Ok(Lock { forge: forge.name().to_owned(), modules })
    }

    /// The exact version of a module that is not on the Forge.
    pub(crate) fn pin_other(
        &self,
        source: &Source,
        declaration: &Declaration,
        control: &ControlRepository,
    ) -> Result<Origin, Problem> {
        let of_module = |problem: Problem| {
            Problem::new(problem.kind(), "cannot resolve")
                .on(format!("'{}'", declaration.title))
                .caused_by(problem)
        };
        match source {
            Source::Git(request) => {
                let repository = self.git(&request.url, control).map_err(of_module)?;
                let names = git::names(request, control.branch.as_deref());
                let ResolvedCommit { commit, reference } = repository.resolve(&names).map_err(of_module)?;
                Ok(Origin::Git { url: request.url.clone(), reference, commit })
            }
            Source::Tarball { url, .. } => Ok(Origin::Tarball { url: url.clone() }),
            Source::Local | Source::Forge(_) => Ok(Origin::Local),
            Source::Svn { url, .. } => Err(of_module(
                Problem::new(ProblemKind::Unavailable, "Subversion is not supported")
                    .on(without_password(url))
                    .help("move the module to git, or keep it in the control repository"),
            )),
        }
    }

    /// Fetches all modules of a lock into the store, and completes the lock with digests.
    pub fn fetch(
        &self,
        lock: &mut Lock,
        control: &ControlRepository,
        observer: &dyn Observer,
    ) -> Result<(), Problem> {
        let forge = self.forge(Some(&lock.forge));
        observer.started(lock.modules.len());
        let fetched = parallel::map(&lock.modules, self.threads(), |module| {
            let fetched = self.fetch_module(module, &forge, control);
            observer.fetched(&module.title);
            fetched
        });
        observer.finished();
        let mut problems = Vec::new();
        for (module, fetched) in lock.modules.iter_mut().zip(fetched) {
            match fetched {
                Ok((content, archive)) => {
                    module.content = content;
                    module.archive = archive;
                }
                Err(problem) => problems.push((module.title.clone(), problem)),
            }
        }
        let count = problems.len();
        let Some((title, first)) = problems.into_iter().next() else { return Ok(()) };
        let others = if count > 1 { format!(" and {} more modules", count - 1) } else { String::new() };
        Err(Problem::new(first.kind(), "cannot fetch").on(format!("'{title}'{others}")).caused_by(first))
    }

    /// The content and the archive of a module, which is fetched if it is not in the store.
    fn fetch_module(
        &self,
        module: &LockedModule,
        forge: &Forge<'_>,
        control: &ControlRepository,
    ) -> Result<(Option<Digest>, Option<Digest>), Problem> {
        if let Some(content) = &module.content
            && self.store.tree(content).is_some()
        {
            return Ok((Some(content.clone()), module.archive.clone()));
        }
        let limits = self.options.limits;
        let (content, archive) = match &module.origin {
            Origin::Local => return Ok((None, None)),
            Origin::Forge { version } => {
                forge.tree(&module.title, version, module.archive.as_ref(), limits)?
            }
            Origin::Git { url, commit, .. } => (self.git(url, control)?.tree(commit, limits)?, None),
            Origin::Tarball { url } => {
                let (content, archive) = self.tarball(url, module.archive.as_ref(), control)?;
                (content, Some(archive))
            }
        };
        match &module.content {
            Some(expected) if *expected != content => {
                Err(wrong_digest(&format!("'{}'", module.title), expected, &content)
                    .help("if the new content is intended, run `kukla mod update` for this module"))
            }
            _ => Ok((Some(content), archive)),
        }
    }

    fn tarball(
        &self,
        url: &str,
        expected: Option<&Digest>,
        control: &ControlRepository,
    ) -> Result<(Digest, Digest), Problem> {
        if let Some(expected) = expected
            && let Some((content, _)) = self.store.tree_of(&format!("tarball {expected}"))
        {
            return Ok((content, expected.clone()));
        }
        let bytes = match url.strip_prefix("http://").or_else(|| url.strip_prefix("https://")) {
            Some(_) => self.network.read(url, &[], LARGEST_ARCHIVE)?.ok_or_else(|| {
                Problem::not_found("cannot download").on(url).because("the server does not have it")
            })?,
            None => {
                let path = control.base.join(url.strip_prefix("file://").unwrap_or(url));
                std::fs::read(&path).map_err(|error| Problem::io("read", &path, &error))?
            }
        };
        let archive = Digest::of(&bytes);
        if let Some(expected) = expected
            && *expected != archive
        {
            return Err(wrong_digest(&format!("the archive {url}"), expected, &archive));
        }
        let content = unpack::unpack(&self.store, &mut &bytes[..], Layout::Plain, self.options.limits)
            .map_err(|problem| Problem::new(problem.kind(), "cannot unpack").on(url).caused_by(problem))?;
        self.store.record_source(&format!("tarball {archive}"), &content)?;
        Ok((content, archive))
    }

    /// The metadata.json of a tree of the store.
    pub fn metadata(&self, content: &Digest) -> Result<Option<Metadata>, Problem> {
        match self.store.tree(content) {
            Some(tree) => self.metadata_of(&tree),
            None => Ok(None),
        }
    }

    fn metadata_of(&self, tree: &Arc<Tree>) -> Result<Option<Metadata>, Problem> {
        let Some(text) = self.text(tree, "metadata.json") else { return Ok(None) };
        Metadata::parse(text.as_bytes()).map(Some)
    }

    /// A text of a tree.
    pub fn text(&self, tree: &Tree, path: &str) -> Option<String> {
        match tree.get(path)? {
            Entry::File(file) => {
                let bytes = self.store.read_object(&file.digest, file.executable).ok()?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            }
            Entry::Link(_) | Entry::Directory => None,
        }
    }
}

/// A declared module with its exact version.
pub(crate) fn locked(declaration: &Declaration, origin: Origin) -> LockedModule {
    let archive = match &declaration.source {
        Source::Tarball { sha256: Some(digest), .. } => Digest::parse(digest).ok(),
        _ => None,
    };
    let version = match &origin {
        Origin::Forge { version } => Some(version.clone()),
        Origin::Git { .. } | Origin::Tarball { .. } | Origin::Local => None,
    };
    LockedModule {
        title: declaration.title.clone(),
        name: declaration.name.clone(),
        directory: declaration.directory.clone(),
        keep_spec: declaration.keep_spec,
        origin,
        version,
        archive,
        content: None,
        declared: Some(declaration.source.to_string()),
        dependencies: Vec::new(),
    }
}

/// The directory of the store of the user who runs this: one for the whole machine if root does.
pub fn default_store(is_root: bool, variable: impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
    if let Some(named) = variable("KUKLA_MODULE_STORE") {
        return named;
    }
    if is_root {
        return Path::new("/var/cache/kukla/modules").to_owned();
    }
    let caches = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    caches.unwrap_or_else(|| PathBuf::from(".")).join("kukla").join("modules")
}
