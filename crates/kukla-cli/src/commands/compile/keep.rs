//! `--cache`: what is kept of a run for the next one, and why a node was compiled all the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kukla::basis::Basis;
use kukla::cache::{Additions, Cache, Check, Entry, Facts, Reason};
use kukla::world::Stamp;
use kukla::world::record::{Digest, Record};

use super::report::Report;
use crate::commands::fleet::{Fleet, Source};
use crate::commands::target::Placed;
use crate::output::errln;

/// What is kept of earlier runs, and what this one adds.
#[derive(Debug)]
pub struct Keeper<'c> {
    cache: &'c Cache,
    check: Check<'c>,
    added: Mutex<Additions>,
    /// Files that catalogs are written to, each with the digest of the catalog.
    written: Mutex<BTreeMap<PathBuf, Digest>>,
    /// The catalogs of all nodes, whether they were kept or compiled.
    catalogs: Mutex<BTreeMap<String, Digest>>,
    /// Why nodes were compiled.
    reasons: Mutex<BTreeMap<String, Reason>>,
}

/// What is kept of a node.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'c> {
    cache: &'c Cache,
    entry: &'c Entry,
    /// The digest of its catalog.
    pub digest: Digest,
}

impl Kept<'_> {
    /// What was said of it.
    pub fn report(&self, node: &str, source: &str) -> Option<Report> {
        Report::from_bytes(node, source, &self.entry.report)
    }

    /// Its catalog, if that is whole.
    pub fn catalog(&self) -> Option<String> {
        self.cache.catalog(self.digest)
    }

    /// Whether a file is the one that its catalog was written to.
    pub fn is_written_to(&self, place: &Path) -> bool {
        self.cache.is_written_to(place, self.digest)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'c> Keeper<'c> {
    /// Keeps what a run over a fleet gives in a cache.
    pub fn new(cache: &'c Cache, fleet: &'c Fleet<'_>) -> Keeper<'c> {
        Keeper {
            cache,
            check: cache.check(fleet.compiler.world()),
            added: Mutex::default(),
            written: Mutex::default(),
            catalogs: Mutex::default(),
            reasons: Mutex::default(),
        }
    }

    /// The nodes whose facts a source has, if it is the same as the last time.
    pub fn unchanged(&self, source: &Source) -> Option<&'c [String]> {
        match source {
            Source::File(path) => self.check.source(path),
            Source::Name(_) => None,
        }
    }

    /// Takes note of a file of facts that was read.
    pub fn note_source(&self, source: &Source, stamp: Option<Stamp>, content: &[u8], nodes: Vec<String>) {
        if let Source::File(path) = source {
            let source = self.check.new_source(stamp, content, nodes);
            lock(&self.added).sources.insert(path.clone(), source);
        }
    }

    /// What is kept of a node, if compiling it would give the same.
    pub fn kept(&self, Placed { node, site }: &Placed, facts: Facts<'_>) -> Option<Kept<'c>> {
        let entry = self.check.node(node, &site.environment, facts);
        match entry.and_then(|entry| Ok((entry, entry.catalog.ok_or(Reason::Lost)?))) {
            Ok((entry, digest)) => Some(Kept { cache: self.cache, entry, digest }),
            Err(reason) => {
                lock(&self.reasons).insert(node.name.clone(), reason);
                None
            }
        }
    }

    /// Takes note that what is kept of a node is of no use.
    pub fn lost(&self, node: &str) {
        lock(&self.reasons).insert(node.to_owned(), Reason::Lost);
    }

    /// Keeps what came of a node.
    pub fn keep(
        &self,
        Placed { node, site }: &Placed,
        record: &Record,
        report: &Report,
        catalog: &str,
    ) -> Result<Digest, String> {
        let catalog = self.cache.keep_catalog(catalog)?;
        let basis = Basis::new(node, &site.environment, record);
        let entry = Entry { basis, report: report.to_bytes(), catalog: Some(catalog), imprint: None };
        lock(&self.added).nodes.insert(node.name.clone(), entry);
        self.note_catalog(&node.name, catalog);
        Ok(catalog)
    }

    /// Takes note of the catalog of a node.
    pub fn note_catalog(&self, node: &str, catalog: Digest) {
        lock(&self.catalogs).insert(node.to_owned(), catalog);
    }

    /// The catalogs of all nodes that have one.
    pub fn catalogs(&self) -> BTreeMap<String, Digest> {
        lock(&self.catalogs).clone()
    }

    /// Takes note of the file that a catalog is written to.
    pub fn note_written(&self, place: PathBuf, catalog: Digest) {
        lock(&self.written).insert(place, catalog);
    }

    /// Writes all of it down, and says why nodes were compiled if that is wanted. What comes from more than one place is not kept.
    pub fn finish(
        self,
        fleet: &Fleet<'_>,
        explain: bool,
        twice: &BTreeMap<String, String>,
    ) -> Result<(), String> {
        let mut added = self.added.into_inner().unwrap_or_else(PoisonError::into_inner);
        added.nodes.retain(|name, _| !twice.contains_key(name));
        added.written = self.written.into_inner().unwrap_or_else(PoisonError::into_inner);
        added.take_inputs(fleet.opened().iter().map(|site| &**site), self.check.began());
        let reasons = self.reasons.into_inner().unwrap_or_else(PoisonError::into_inner);
        if explain {
            for (node, reason) in &reasons {
                errln!("{node} was compiled: {reason}");
            }
        }
        self.cache.save(&self.check, added)
    }
}
