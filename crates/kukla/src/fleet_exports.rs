//! What the nodes of a fleet export to each other: found by compiling them, until no collector gets anything else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use kukla_catalog::{Catalog, Exported, Exports, Wanted};
use kukla_eval::error::Diagnostic;
use kukla_world::record::Record;

use crate::exports::CatalogExports;

/// What the nodes of a fleet export to each other.
///
/// Collectors get what was known when the last round began, whoever is compiled first: so what comes of it does not depend on
/// threads.
#[derive(Debug, Default)]
pub struct FleetExports {
    /// Of nodes that do not belong to the fleet.
    others: CatalogExports,
    offered: RwLock<CatalogExports>,
    nodes: Mutex<BTreeMap<String, Trade>>,
}

/// What a node exports, and the types it collects.
#[derive(Debug, Default)]
struct Trade {
    exports: Vec<Arc<Exported>>,
    collects: BTreeSet<String>,
}

/// So often nodes are compiled again for what others export; after that they are taken never to agree.
const ROUNDS: usize = 10;

impl FleetExports {
    /// Those of a fleet, besides what catalogs of other nodes export.
    pub fn with(others: CatalogExports) -> FleetExports {
        FleetExports { offered: RwLock::new(others.clone()), others, ..FleetExports::default() }
    }

    /// Takes note of a node that was compiled with its virtual resources, and takes out of its catalog, if there is one, those that
    /// nobody collects.
    pub fn note(&self, node: &str, catalog: Option<&mut Catalog>, record: Option<&Record>) {
        let mut exports = Vec::new();
        if let Some(catalog) = catalog {
            catalog.resources.retain(|resource| !resource.is_virtual || resource.exported);
            let exported = catalog.resources.iter().filter(|resource| resource.exported);
            exports.extend(
                exported.map(|resource| Arc::new(Exported { node: node.into(), resource: resource.clone() })),
            );
        }
        let collects = record.map(|record| record.collected.clone()).unwrap_or_default();
        self.nodes().insert(node.to_owned(), Trade { exports, collects });
    }

    /// Whether a node collects what others export.
    pub fn collects(&self, node: &str) -> bool {
        self.nodes().get(node).is_some_and(|trade| !trade.collects.is_empty())
    }

    /// Takes over what is known of a node on another side, where it rests on the same.
    pub fn note_same(&self, node: &str, other: &FleetExports) {
        let known = other
            .nodes()
            .get(node)
            .map(|trade| Trade { exports: trade.exports.clone(), collects: trade.collects.clone() });
        self.nodes().extend(known.map(|trade| (node.to_owned(), trade)));
    }

    /// Compiles nodes that collect again until none of them gets anything else, and gives what came of them; whether they ever agree
    /// is the second. `compile` gets names, compiles the nodes and [notes](FleetExports::note) them.
    pub fn settle<T>(
        &self,
        mut compile: impl FnMut(Vec<String>) -> Vec<(String, T)>,
    ) -> (BTreeMap<String, T>, bool) {
        let mut compiled = BTreeMap::new();
        for _ in 0..ROUNDS {
            let news = self.offer();
            let stale: Vec<String> = {
                let nodes = self.nodes();
                let collectors = nodes.iter().filter(|(_, trade)| !trade.collects.is_disjoint(&news));
                collectors.map(|(node, _)| node.clone()).collect()
            };
            if stale.is_empty() {
                return (compiled, true);
            }
            compiled.extend(compile(stale));
        }
        (compiled, false)
    }

    /// The node that exports a resource, with the resource, as others get it.
    pub fn exporter(&self, type_name: &str, title: &str) -> Option<Arc<Exported>> {
        let offered = self.offered.read().unwrap_or_else(PoisonError::into_inner);
        let mut all = offered.of_type(type_name);
        all.find(|each| each.resource.title == title).cloned()
    }

    /// Offers what all nodes export by now; the types of which that is something else than before.
    fn offer(&self) -> BTreeSet<String> {
        let mut offer = CatalogExports::default();
        let nodes = self.nodes();
        for each in self.others.all().filter(|each| !nodes.contains_key(each.node.as_str())) {
            offer.add(Arc::clone(each));
        }
        for each in nodes.values().flat_map(|trade| &trade.exports) {
            offer.add(Arc::clone(each));
        }
        drop(nodes);
        let mut offered = self.offered.write().unwrap_or_else(PoisonError::into_inner);
        let news = offered.differing(&offer);
        *offered = offer;
        news
    }

    fn nodes(&self) -> MutexGuard<'_, BTreeMap<String, Trade>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Exports for FleetExports {
    fn find(&self, wanted: &Wanted) -> Result<Vec<Arc<Exported>>, Box<Diagnostic>> {
        self.offered.read().unwrap_or_else(PoisonError::into_inner).find(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompileOptions, Compiler, Node, SiteSpec};
    use kukla_world::MemoryWorld;
    use kukla_world::record::Recorded;

    /// Compiles all nodes of a site until they agree; the titles of each node's notifications.
    fn settled(site: &str, nodes: &[&str]) -> (BTreeMap<String, Vec<String>>, bool, usize) {
        let exports = Arc::new(FleetExports::default());
        let mut spec = SiteSpec::of(site);
        spec.settings.set("storeconfigs", true.into()).unwrap();
        let compiler = Compiler::new(Recorded::new(MemoryWorld::default()));
        let site = compiler.with_exports(Arc::clone(&exports) as Arc<dyn Exports>).open(&spec).unwrap();
        let mut count = 0;
        let mut compile = |names: Vec<String>| -> Vec<(String, Vec<String>)> {
            let one = |name: String| {
                count += 1;
                let options = CompileOptions { keep_virtual: true, ..CompileOptions::default() };
                let outcome = site.compile_with(&Node::named(&name), options);
                let mut catalog = outcome.result.unwrap().catalog;
                exports.note(&name, Some(&mut catalog), outcome.record.as_deref());
                let notes =
                    catalog.resources.iter().filter(|one| one.type_name == "Notify" && !one.is_virtual);
                (name, notes.map(|one| one.title.to_string()).collect())
            };
            names.into_iter().map(one).collect()
        };
        let mut all: BTreeMap<_, _> =
            compile(nodes.iter().map(|node| (*node).to_owned()).collect()).into_iter().collect();
        let (again, agree) = exports.settle(compile);
        all.extend(again);
        (all, agree, count)
    }

    #[test]
    fn what_is_collected_may_export_in_turn() {
        let (all, agree, compiled) = settled(
            "define relay { @@notify { \"relayed ${title}\": } }
             node a { @@relay { 'x': } }
             node b { Relay <<| |>> }
             node c { Notify <<| |>> }
             node d { notify { 'alone': } }",
            &["a", "b", "c", "d"],
        );
        assert!(agree);
        assert_eq!(all["c"], ["relayed x"]);
        assert_eq!(all["d"], ["alone"]);
        assert_eq!(compiled, 6, "each once, b and c once more");
    }

    #[test]
    fn nodes_that_never_agree_are_told() {
        let (_, agree, compiled) = settled(
            "define ping { @@pong { \"${title}o\": } }
             define pong { @@ping { \"${title}i\": } }
             node a { @@ping { 'x': } Pong <<| |>> }
             node b { Ping <<| |>> }",
            &["a", "b"],
        );
        assert!(!agree && compiled > ROUNDS, "{compiled}");
    }
}
