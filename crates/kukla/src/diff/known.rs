//! What earlier comparisons found that nodes rest on: a node of which nothing has changed since, and nothing differs between the
//! sides, need not be compiled.
//!
//! What is kept are digests, names of files and of facts, so nothing that must not be shown is. Of nodes that something differs for, which are
//! the ones that the next edit will concern again, the imprints of the catalogs of the side before are kept: with them most of these catalogs need
//! not be compiled again. Where whoever compares asks for it, the catalogs themselves are kept as well.

use std::sync::{Arc, Mutex, PoisonError};

use kukla_catalog::Catalog;
use kukla_syntax::Problem;
use kukla_world::World;
use kukla_world::record::Record;

use super::contents::sources;
use super::inputs::Differing;
use super::recall::{Recalled, Seen};
use super::{Files, Subject};
use crate::Site;
use crate::basis::Basis;
use crate::cache::{Additions, Cache, Check, Entry, Facts, Imprints, Key, Marks};

/// What earlier comparisons found, and what this one adds.
#[derive(Debug)]
pub struct DiffCache<'c> {
    cache: &'c Cache,
    check: Check<'c>,
    differing: Differing,
    keeps_catalogs: bool,
    /// The key of the marks in imprints, if there can be any.
    key: Option<Key>,
    seen: Seen,
    added: Mutex<Additions>,
}

/// What a catalog has to do with others and with files that are fetched: not all of what a node is told is in what it rests on.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ties {
    /// Whether it exports or collects something.
    pub trades: bool,
    /// The files it has fetched, as `puppet:///modules/…`.
    pub sources: Vec<String>,
}

impl Ties {
    fn of(catalog: &Catalog, record: &Record) -> Ties {
        let files = catalog.resources.iter().filter(|resource| resource.type_name == "File");
        let sources = files.flat_map(sources).map(str::to_owned).collect();
        let exports = catalog.resources.iter().any(|resource| resource.exported);
        Ties { trades: exports || !record.collected.is_empty(), sources }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut words = vec![if self.trades { "trades" } else { "" }];
        words.extend(self.sources.iter().map(String::as_str));
        words.join("\0").into_bytes()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Ties> {
        let mut words = std::str::from_utf8(bytes).ok()?.split('\0');
        let trades = words.next()? == "trades";
        Some(Ties { trades, sources: words.map(str::to_owned).collect() })
    }
}

impl<'c> DiffCache<'c> {
    /// What a cache has of nodes, for sides that differ in these files; `before` is what the side before is seen through.
    pub fn new(
        cache: &'c Cache,
        before: &'c dyn World,
        files: &Files<'_>,
        keeps_catalogs: bool,
    ) -> DiffCache<'c> {
        let mut differing = Differing::default();
        cache.questions().for_each(|(id, question)| differing.look_at(id, question, files));
        let check = cache.check(before);
        let key = cache.key();
        let imprints = Imprints::of(key.map(Key::name).unwrap_or_default());
        let added = Mutex::new(Additions { imprints, ..Additions::default() });
        DiffCache { cache, check, differing, keeps_catalogs, key, seen: Seen::default(), added }
    }

    /// What is kept of a node on the side before, if all that it rests on is as it was.
    pub(super) fn entry(&self, before: &Subject, environment: &str) -> Option<&'c Entry> {
        self.check.node(&before.node, environment, Facts::Are(&before.node.facts)).ok()
    }

    /// What a node has to do with others, if it rests on the same on both sides.
    pub(super) fn same(&self, entry: &Entry, after: &Subject) -> Option<Ties> {
        let is_same =
            entry.basis.changed_fact(&after.node.facts).is_none() && self.differing.hold(&entry.basis.inputs);
        is_same.then(|| Ties::from_bytes(&entry.report))?
    }

    /// The catalog that is kept of a node.
    pub(super) fn catalog(&self, entry: &Entry) -> Option<Catalog> {
        self.cache.packed(entry.catalog?)
    }

    /// Whether there is an imprint of the catalog of a node.
    pub(super) fn has_imprint(&self, entry: &Entry) -> bool {
        let is_usable = |key: Key| self.cache.imprints().are_of(key);
        entry.imprint.is_some() && self.key.is_some_and(is_usable)
    }

    /// The catalog of a node that left an imprint, by its catalog on the side after.
    pub(super) fn recall(&self, entry: &Entry, node: &str, after: &Catalog) -> Recalled {
        match (&entry.imprint, self.key) {
            (Some(imprint), Some(key)) => {
                self.seen.recall((self.cache.imprints(), imprint), node, after, key)
            }
            _ => Recalled::Lost,
        }
    }

    /// Takes note of what a node has on the side before and not on the side after, whose marks these are: others may have it too.
    pub(super) fn note_seen(&self, before: &Catalog, node: &str, after: &Marks) {
        if let Some(key) = self.key {
            self.seen.note(before, node, after, key);
        }
    }

    /// Takes note of what a node rests on, and of its catalog if the next comparison is likely to want it.
    pub(super) fn note(&self, node: &str, basis: Basis, catalog: &Catalog, record: &Record, is_wanted: bool) {
        let kept = (self.keeps_catalogs && is_wanted).then(|| self.cache.add_packed(catalog));
        // A catalog that could not be kept is compiled again.
        let kept = kept.and_then(Result::ok).flatten();
        let key = self.key.filter(|_| is_wanted);
        let marks = key.and_then(|key| Marks::of(catalog, node, key));
        let report = Ties::of(catalog, record).to_bytes();
        let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        let imprint = marks.and_then(|marks| added.imprints.take(catalog, &marks));
        added.nodes.insert(node.to_owned(), Entry { basis, report, catalog: kept, imprint });
    }

    /// Keeps all of it for the next time; `sites` are those of the side before.
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
    fn ties_outlive_a_process() {
        for ties in [
            Ties::default(),
            Ties { trades: true, sources: vec!["puppet:///modules/a/b c".into(), "/d".into()] },
            Ties { trades: false, sources: vec![String::new()] },
        ] {
            assert_eq!(Ties::from_bytes(&ties.to_bytes()), Some(ties));
        }
        assert_eq!(Ties::from_bytes(b"\xff"), None);
    }
}
