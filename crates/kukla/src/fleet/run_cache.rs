//! The cache of a run over a fleet: entries that still hold, and entries that the run adds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kukla_syntax::Problem;
use kukla_world::Stamp;
use kukla_world::record::{Digest, Record};

use super::members::Fleet;
use super::node::SiteNode;
use super::report::{NodeMessage, NodeReport};
use super::source::NodeSource;
use crate::basis::Basis;
use crate::cache::{Additions, Cache, Check, Entry, Facts, Reason, SecretCatalogs};

/// The cache of a run.
#[derive(Debug)]
pub(super) struct RunCache<'c> {
    cache: &'c Cache,
    /// The catalogs with secrets, for a process that compares them later.
    secrets: Option<&'c SecretCatalogs>,
    check: Check<'c>,
    added: Mutex<Additions>,
    /// Files that catalogs are written to, each with the digest of the catalog.
    written: Mutex<BTreeMap<PathBuf, Digest>>,
    /// The catalogs of all nodes, both cached and compiled.
    catalogs: Mutex<BTreeMap<String, Digest>>,
    /// The reasons that nodes were compiled.
    reasons: Mutex<BTreeMap<String, Reason>>,
}

/// The entry of a node that still holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct CachedNode<'c> {
    cache: &'c Cache,
    secrets: Option<&'c SecretCatalogs>,
    entry: &'c Entry,
    /// The digest of its catalog.
    pub digest: Digest,
}

impl CachedNode<'_> {
    pub fn report<M: NodeMessage>(&self, node: &str, source: &str) -> Option<NodeReport<M>> {
        NodeReport::from_bytes(node, source, &self.entry.report)
    }

    /// Its catalog, if it is complete.
    pub fn catalog(&self) -> Option<String> {
        match self.entry.is_secret {
            true => self.secrets?.get(self.digest),
            false => self.cache.catalog(self.digest),
        }
    }

    /// The reason that its catalog is not there.
    pub fn reason(&self) -> Reason {
        if self.entry.is_secret { Reason::Secret } else { Reason::Lost }
    }

    /// Whether a file is the one that its catalog was written to.
    pub fn is_written_to(&self, path: &Path) -> bool {
        self.cache.is_written_to(path, self.digest)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'c> RunCache<'c> {
    pub fn new(cache: &'c Cache, secrets: Option<&'c SecretCatalogs>, fleet: &'c Fleet) -> RunCache<'c> {
        RunCache {
            cache,
            secrets,
            check: cache.check(fleet.compiler().world()),
            added: Mutex::default(),
            written: Mutex::default(),
            catalogs: Mutex::default(),
            reasons: Mutex::default(),
        }
    }

    /// The nodes of a source, if it is the same as in the run before.
    pub fn unchanged(&self, source: &NodeSource) -> Option<&'c [String]> {
        match source {
            NodeSource::File(path) => self.check.source(path),
            NodeSource::Store { .. } | NodeSource::Name(_) => None,
        }
    }

    /// Records a fact file that was read.
    pub fn note_source(&self, source: &NodeSource, stamp: Option<Stamp>, content: &[u8], nodes: Vec<String>) {
        if let NodeSource::File(path) = source {
            let source = self.check.new_source(stamp, content, nodes);
            lock(&self.added).sources.insert(path.clone(), source);
        }
    }

    /// The entry of a node, if compiling it would give the same.
    pub fn find(&self, SiteNode { node, site }: &SiteNode, facts: Facts<'_>) -> Option<CachedNode<'c>> {
        let entry = self.check.node(node, &site.environment, facts);
        let entry = entry.and_then(|entry| {
            let digest = entry.catalog.ok_or(Reason::Lost)?;
            let is_missing = entry.is_secret && self.secrets.is_some_and(|known| !known.has(digest));
            if is_missing { Err(Reason::Secret) } else { Ok((entry, digest)) }
        });
        match entry {
            Ok((entry, digest)) => {
                Some(CachedNode { cache: self.cache, secrets: self.secrets, entry, digest })
            }
            Err(reason) => {
                lock(&self.reasons).insert(node.name.clone(), reason);
                None
            }
        }
    }

    /// Records that the entry of a node cannot be used.
    pub fn note_unusable(&self, node: &str, reason: Reason) {
        lock(&self.reasons).insert(node.to_owned(), reason);
    }

    /// Adds a node that was compiled; nothing if its report cannot be cached.
    pub fn add<M: NodeMessage>(
        &self,
        SiteNode { node, site }: &SiteNode,
        record: &Record,
        report: &NodeReport<M>,
        catalog: &str,
        is_secret: bool,
    ) -> Result<Option<Digest>, Problem> {
        let Some(report) = report.to_bytes() else { return Ok(None) };
        let catalog = match is_secret {
            false => self.cache.add_catalog(catalog)?,
            true => {
                let digest = Cache::digest_of_catalog(catalog);
                self.secrets.inspect(|secrets| secrets.add(digest, catalog));
                digest
            }
        };
        let basis = Basis::new(node, &site.environment, record);
        let entry = Entry { basis, report, catalog: Some(catalog), is_secret };
        lock(&self.added).nodes.insert(node.name.clone(), entry);
        self.note_catalog(&node.name, catalog);
        Ok(Some(catalog))
    }

    /// Records the catalog of a node.
    pub fn note_catalog(&self, node: &str, catalog: Digest) {
        lock(&self.catalogs).insert(node.to_owned(), catalog);
    }

    /// The catalogs of all nodes that have one.
    pub fn catalogs(&self) -> BTreeMap<String, Digest> {
        lock(&self.catalogs).clone()
    }

    /// Records the file that a catalog is written to.
    pub fn note_written(&self, path: PathBuf, catalog: Digest) {
        lock(&self.written).insert(path, catalog);
    }

    /// The reasons that nodes were compiled.
    pub fn reasons(&self) -> BTreeMap<String, Reason> {
        lock(&self.reasons).clone()
    }

    /// Writes the index. Nodes with several sources are left out.
    pub fn save(self, fleet: &Fleet, duplicates: &BTreeMap<String, Problem>) -> Result<(), Problem> {
        let mut added = self.added.into_inner().unwrap_or_else(PoisonError::into_inner);
        added.nodes.retain(|name, _| !duplicates.contains_key(name));
        added.written = self.written.into_inner().unwrap_or_else(PoisonError::into_inner);
        added.take_inputs(fleet.opened_sites().iter().map(|site| &**site), self.check.began());
        self.cache.save(&self.check, added)
    }
}
