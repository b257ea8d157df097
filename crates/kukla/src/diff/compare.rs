//! One node on two sides.

use std::sync::Arc;

use kukla_catalog::{Catalog, Difference};
use kukla_eval::environment::Node;
use kukla_eval::error::Diagnostic;
use kukla_syntax::diagnostic;

use super::inputs::Inputs;
use super::{Changes, Compared, DiffCache, Failure, Files, Outcome, Rules, contents};
use crate::basis::{Basis, node_digest};
use crate::cache::Entry;
use crate::codes::CANCELLED;
use crate::exchange::{Exchange, exported_resources};
use crate::fleet::Cancellation;
use crate::{CompileOptions, Compiled, Outcome as Compilation, Site};

/// A node on one side, and the site that compiles it.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The node.
    pub node: Node,
    /// Its site, or the error.
    pub site: Result<Arc<Site>, Box<Diagnostic>>,
}

/// How nodes are compared. Any number of threads can use it at once.
#[derive(Debug, Default)]
pub struct Comparison<'f> {
    /// The files in which the sides differ, if they differ in nothing else. Catalogs whose inputs are other files
    /// need not be compiled twice.
    pub files: Option<&'f Files<'f>>,
    /// The changes to report.
    pub rules: Rules,
    /// The cache of earlier comparisons: nodes whose inputs are the same as then need not be compiled.
    pub cache: Option<DiffCache<'f>>,
    /// The exported resources of each side, if nodes collect from each other.
    pub exports: Option<Sides<Arc<Exchange>>>,
    /// A token that ends the comparison.
    pub cancellation: Cancellation,
    inputs: Inputs,
}

/// The result of looking at the old side alone.
#[allow(clippy::large_enum_variant, reason = "one exists at a time, on the stack")]
enum BeforeResult {
    /// Its catalog, or the failure.
    Catalog(Result<Catalog, Failure>),
    /// The outcome of the node: the new side is not needed.
    Outcome(Compared),
}

/// A value for each side.
#[derive(Clone, Debug, Default)]
pub struct Sides<T> {
    /// Of the old side.
    pub before: T,
    /// Of the new side.
    pub after: T,
}

impl<'f> Comparison<'f> {
    /// A comparison of sides that differ in these files, if any are given, and in nothing else but nodes.
    pub fn new(files: Option<&'f Files<'f>>, rules: Rules) -> Comparison<'f> {
        Comparison { files, rules, ..Comparison::default() }
    }

    /// Compares a node, compiling as few sides as possible.
    pub fn node(&self, before: Result<Subject, Failure>, after: Result<Subject, Failure>) -> Compared {
        let exports = self.exports.as_ref();
        let (old, new) = (exports.map(|sides| &*sides.before), exports.map(|sides| &*sides.after));
        match (before, after) {
            (Ok(before), Ok(after)) => match self.before(&before, &after) {
                BeforeResult::Catalog(catalog) => {
                    self.subjects((&before, catalog), (&after, self.compile(&after, new)))
                }
                BeforeResult::Outcome(compared) => {
                    if let (Some(old), Some(new)) = (old, new) {
                        new.note_same(&after.node.name, old);
                    }
                    compared
                }
            },
            (before, after) => self.catalogs(
                before.and_then(|subject| self.compile(&subject, old)),
                after.and_then(|subject| self.compile(&subject, new)),
            ),
        }
    }

    /// Compiles the old side, or finds that neither side need be compiled.
    fn before(&self, before: &Subject, after: &Subject) -> BeforeResult {
        let exports = self.exports.as_ref().map(|sides| &*sides.before);
        let (Some(files), Ok(site)) = (self.files, &before.site) else {
            return BeforeResult::Catalog(self.compile(before, exports));
        };
        let is_same = is_same_node(before, after);
        let same_inputs = || BeforeResult::Outcome(Compared::Otherwise(Outcome::SameInputs));
        if is_same && files.is_insignificant() && before.node.facts == after.node.facts {
            return same_inputs();
        }
        if let Some(cache) = &self.cache
            && let Some(entry) = cache.entry(before, &site.spec.environment)
        {
            if is_same && self.is_cached_as_same((cache, entry), before, after, files) {
                return same_inputs();
            }
            if let Some(catalog) = cache.catalog(entry).filter(|_| exports.is_none()) {
                return BeforeResult::Catalog(Ok(catalog));
            }
        }
        let Compilation { result, record, .. } = self.compile_in(site, &before.node, exports);
        let (Some(record), Some(ledger)) = (record, site.environment.world.ledger()) else {
            let result = result.map(|compiled| compiled.catalog);
            return BeforeResult::Catalog(result.map_err(Failure::from));
        };
        let basis = Basis::new(&before.node, &site.spec.environment, &record);
        let has_same_inputs = is_same
            && basis.changed_fact(&after.node.facts).is_none()
            && self.inputs.hold(ledger, files, &basis.inputs);
        if let (Some(cache), Ok(compiled)) = (&self.cache, &result) {
            let is_affected = !has_same_inputs && exports.is_none();
            cache.note(&before.node.name, basis, compiled, &record, is_affected);
        }
        let result = result.map(|compiled| compiled.catalog);
        if !has_same_inputs {
            return BeforeResult::Catalog(result.map_err(Failure::from));
        }
        BeforeResult::Outcome(match result {
            Ok(catalog) => {
                let changes = self.fetched(Changes::default(), before, after, &catalog);
                self.outcome(changes, Outcome::SameInputs)
            }
            Err(failure) => Compared::Otherwise(Outcome::Fails(failure.clone().into(), failure.into())),
        })
    }

    /// Whether the cache shows that the inputs of a node are the same on both sides.
    fn is_cached_as_same(
        &self,
        (cache, entry): (&DiffCache<'_>, &Entry),
        before: &Subject,
        after: &Subject,
        files: &Files<'_>,
    ) -> bool {
        let (Ok(old), Ok(new)) = (&before.site, &after.site) else { return false };
        let Some(links) = cache.same(entry, after) else { return false };
        let trades = self.exports.is_some() && links.trades;
        let fetches_others =
            files.serves_changed() && contents::is_changed(&links.sources, (old, new), files);
        !trades && !fetches_others
    }

    /// Compares two catalogs of a node and the files that it fetches.
    pub fn subjects(
        &self,
        (before, old): (&Subject, Result<Catalog, Failure>),
        (after, new): (&Subject, Result<Catalog, Failure>),
    ) -> Compared {
        match (old, new) {
            (Ok(old), Ok(new)) => {
                let changes = self.fetched(self.changes(&old, &new), before, after, &new);
                self.outcome(changes, Outcome::Same)
            }
            (old, new) => self.catalogs(old, new),
        }
    }

    /// The changes between two catalogs that the rules report.
    fn changes(&self, before: &Catalog, after: &Catalog) -> Changes {
        let mut difference = Difference::between(before, after);
        self.rules.apply(&mut difference);
        let mut changes = Changes::new(difference, before, after);
        self.rules.tidy(&mut changes);
        changes
    }

    /// Changes together with those of the files that the node fetches.
    fn fetched(&self, mut changes: Changes, before: &Subject, after: &Subject, catalog: &Catalog) -> Changes {
        if let (Some(files), Ok(old), Ok(new)) = (self.files, &before.site, &after.site)
            && files.serves_changed()
        {
            contents::add(&mut changes, (old, new), catalog, files, &self.rules);
        }
        changes
    }

    fn outcome(&self, changes: Changes, otherwise: Outcome) -> Compared {
        match changes.is_empty() {
            true => Compared::Otherwise(otherwise),
            false => Compared::Changed(Box::new(changes)),
        }
    }

    /// Compiles a node on one side; the resources it exports are recorded in the exchange of the side.
    pub fn compile(&self, subject: &Subject, exports: Option<&Exchange>) -> Result<Catalog, Failure> {
        match &subject.site {
            Ok(site) => {
                let result = self.compile_in(site, &subject.node, exports).result;
                result.map(|compiled| compiled.catalog).map_err(Failure::from)
            }
            Err(failure) => Err(Failure::from(failure.clone())),
        }
    }

    fn compile_in(&self, site: &Site, node: &Node, exports: Option<&Exchange>) -> Compilation<Compiled> {
        if self.cancellation.is_cancelled() {
            return Box::new(diagnostic!(CANCELLED {})).into();
        }
        let options = CompileOptions { keep_virtual: exports.is_some(), ..CompileOptions::default() };
        let cancellation = self.cancellation.clone();
        let mut outcome = site.compile_while(node, options, move || !cancellation.is_cancelled());
        if let Some(exports) = exports {
            let catalog = outcome.result.as_mut().ok();
            let exported = catalog.map(|Compiled { catalog, .. }| {
                // Virtual resources that are not exported cannot be collected by others.
                catalog.resources.retain(|resource| !resource.is_virtual || resource.exported);
                exported_resources(catalog)
            });
            exports.note(&node.name, exported);
        }
        outcome
    }

    /// A node that only the old side has.
    pub fn removed(catalog: Result<Catalog, Failure>) -> Compared {
        Compared::Otherwise(Outcome::Removed(catalog.map(|catalog| catalog.resources.len())))
    }

    /// A node that only the new side has.
    pub fn added(catalog: Result<Catalog, Failure>) -> Compared {
        Compared::Otherwise(Outcome::Added(catalog.map(|catalog| catalog.resources.len())))
    }

    /// Compares two catalogs of a node.
    pub fn catalogs(&self, before: Result<Catalog, Failure>, after: Result<Catalog, Failure>) -> Compared {
        Compared::Otherwise(match (before, after) {
            (Ok(before), Ok(after)) => return self.outcome(self.changes(&before, &after), Outcome::Same),
            (Ok(_), Err(after)) => Outcome::Breaks(after),
            (Err(before), Ok(_)) => Outcome::Repaired(before),
            (Err(before), Err(after)) => Outcome::Fails(before, after),
        })
    }
}

/// Whether a node is the same on both sides but for its facts.
fn is_same_node(before: &Subject, after: &Subject) -> bool {
    let environment =
        |subject: &Subject| subject.site.as_ref().ok().map(|site| site.spec.environment.clone());
    match (environment(before), environment(after)) {
        (Some(old), Some(new)) => node_digest(&before.node, &old) == node_digest(&after.node, &new),
        _ => false,
    }
}
