//! The inputs of nodes that earlier comparisons recorded: a node whose inputs have not changed since, and do not differ between the sides,
//! need not be compiled.
//!
//! The cache holds digests and the names of files and facts, so it holds no secrets. Where the user asks for it, it holds the catalogs before
//! the change as well, of nodes that a change affects, if they have no secrets: the next edit is likely to affect the same nodes.

use std::sync::{Arc, Mutex, PoisonError};

use kukla_catalog::Catalog;
use kukla_syntax::Problem;
use kukla_world::World;
use kukla_world::record::Record;

use super::contents::sources;
use super::inputs::Differing;
use super::{Files, Subject};
use crate::basis::Basis;
use crate::cache::{Additions, Cache, Check, Entry, Facts};
use crate::{Compiled, Site};

/// The cache of earlier comparisons, and the entries that this one adds.
#[derive(Debug)]
pub struct DiffCache<'c> {
    cache: &'c Cache,
    check: Check<'c>,
    differing: Differing,
    keeps_catalogs: bool,
    added: Mutex<Additions>,
}

/// The exchange of a catalog with other nodes and with the file server, which its inputs do not show.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CatalogLinks {
    /// Whether it exports or collects something.
    pub trades: bool,
    /// The files it has fetched, as `puppet:///modules/…`.
    pub sources: Vec<String>,
}

impl CatalogLinks {
    fn of(catalog: &Catalog, record: &Record) -> CatalogLinks {
        let files = catalog.resources.iter().filter(|resource| resource.type_name == "File");
        let sources = files.flat_map(sources).map(str::to_owned).collect();
        let exports = catalog.resources.iter().any(|resource| resource.exported);
        CatalogLinks { trades: exports || !record.collected.is_empty(), sources }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut words = vec![if self.trades { "trades" } else { "" }];
        words.extend(self.sources.iter().map(String::as_str));
        words.join("\0").into_bytes()
    }

    fn from_bytes(bytes: &[u8]) -> Option<CatalogLinks> {
        let mut words = std::str::from_utf8(bytes).ok()?.split('\0');
        let trades = words.next()? == "trades";
        Some(CatalogLinks { trades, sources: words.map(str::to_owned).collect() })
    }
}

impl<'c> DiffCache<'c> {
    /// The entries of a cache for sides that differ in these files; `before` is the world of the old side.
    pub fn new(
        cache: &'c Cache,
        before: &'c dyn World,
        files: &Files<'_>,
        keeps_catalogs: bool,
    ) -> DiffCache<'c> {
        let mut differing = Differing::default();
        cache.questions().for_each(|(id, question)| differing.look_at(id, question, files));
        let check = cache.check(before);
        DiffCache { cache, check, differing, keeps_catalogs, added: Mutex::default() }
    }

    /// The entry of a node on the old side, if its inputs have not changed.
    pub(super) fn entry(&self, before: &Subject, environment: &str) -> Option<&'c Entry> {
        self.check.node(&before.node, environment, Facts::Are(&before.node.facts)).ok()
    }

    /// The links of a node, if its inputs are the same on both sides.
    pub(super) fn same(&self, entry: &Entry, after: &Subject) -> Option<CatalogLinks> {
        let is_same =
            entry.basis.changed_fact(&after.node.facts).is_none() && self.differing.hold(&entry.basis.inputs);
        is_same.then(|| CatalogLinks::from_bytes(&entry.report))?
    }

    /// The cached catalog of a node.
    pub(super) fn catalog(&self, entry: &Entry) -> Option<Catalog> {
        self.cache.packed(entry.catalog?)
    }

    /// Adds the inputs of a node, and its catalog if the next comparison is likely to need it.
    pub(super) fn note(
        &self,
        node: &str,
        basis: Basis,
        compiled: &Compiled,
        record: &Record,
        is_affected: bool,
    ) {
        let catalog = &compiled.catalog;
        let is_cached = self.keeps_catalogs && is_affected && !compiled.holds_secret();
        let cached = is_cached.then(|| self.cache.add_packed(catalog));
        // A catalog that could not be written is compiled again.
        let cached = cached.and_then(Result::ok).flatten();
        let report = CatalogLinks::of(catalog, record).to_bytes();
        let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        added.nodes.insert(node.to_owned(), Entry { basis, report, catalog: cached, is_secret: false });
    }

    /// Writes the cache; `sites` are those of the old side.
    pub fn save(self, sites: &[Arc<Site>]) -> Result<(), Problem> {
        let mut added = self.added.into_inner().unwrap_or_else(PoisonError::into_inner);
        if added.nodes.is_empty() {
            return Ok(());
        }
        added.take_inputs(sites.iter().map(|site| &**site), self.check.began());
        self.cache.save(&self.check, added)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_written_and_read() {
        for links in [
            CatalogLinks::default(),
            CatalogLinks { trades: true, sources: vec!["puppet:///modules/a/b c".into(), "/d".into()] },
            CatalogLinks { trades: false, sources: vec![String::new()] },
        ] {
            assert_eq!(CatalogLinks::from_bytes(&links.to_bytes()), Some(links));
        }
        assert_eq!(CatalogLinks::from_bytes(b"\xff"), None);
    }
}
