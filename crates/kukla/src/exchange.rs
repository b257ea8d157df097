//! Nodes that are compiled together and collect each other's exported resources until nothing changes.
//!
//! Nodes are compiled in passes. In the first one collectors find nothing; in each later one every node sees the resources that the others exported in
//! the pass before, so that the outcome does not depend on the order of nodes. After a pass, nodes whose collectors would find other resources
//! are due again. Nodes that are not compiled here, and nodes whose compilation fails, export the resources that a store has of them.
//!
//! ```
//! use std::sync::Arc;
//! use kukla::exchange::{Exchange, ExchangeMember, exported_resources};
//! use kukla::{CompileOptions, Compiler, MemoryWorld, Node, SiteSpec};
//!
//! let mut spec = SiteSpec::of("@@notify { \"from ${trusted['certname']}\": } Notify <<| |>>");
//! spec.settings.set("storeconfigs", true.into()).unwrap();
//! let exchange = Arc::new(Exchange::new(None));
//! let compiler = Compiler::new(MemoryWorld::default()).with_exports(exchange.clone());
//! let site = compiler.open(&spec)?;
//! // Exported resources must be in the catalog for other nodes to collect.
//! let options = CompileOptions { keep_virtual: true, ..CompileOptions::default() };
//!
//! let settled = exchange.settle(|due| {
//!     let nodes = ["a", "b"].into_iter().filter(|name| due.is_none_or(|due| due.contains(*name)));
//!     let compile = |name: &str| {
//!         let catalog = site.compile_with(&Node::named(name), options).result.unwrap().catalog;
//!         ExchangeMember { node: name.to_owned(), exports: Some(exported_resources(&catalog)), outcome: catalog }
//!     };
//!     Ok::<_, ()>(nodes.map(compile).collect())
//! });
//! let settled = settled.unwrap();
//! assert_eq!((settled.passes, settled.unsettled.is_none()), (2, true));
//! assert!(settled.outcomes["a"].find("Notify", "from b").is_some());
//! # Ok::<(), Box<kukla::Diagnostic>>(())
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kukla_catalog::{Catalog, ExportQuery, ExportedResource, Exports, Resource};
use kukla_eval::error::Diagnostic;
use kukla_syntax::diagnostic;
use kukla_values::{Str, Value};

use crate::codes::UNSETTLED_EXPORTS;

/// The most passes; exports that have not settled by then grow without end.
const PASSES: usize = 100;

/// The exported resources of nodes that are compiled together.
#[derive(Debug)]
pub struct Exchange {
    /// The exported resources of all other nodes.
    others: Option<Arc<dyn Exports>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Whether no node has been compiled yet.
    is_first: bool,
    members: BTreeMap<Str, Offer>,
    /// The queries of collectors, without the node that asks.
    answers: BTreeMap<String, CollectorQuery>,
    /// The queries of the collectors of each node.
    asked: BTreeMap<Str, BTreeSet<String>>,
}

/// The query of a collector, and its results.
#[derive(Clone, Debug)]
struct CollectorQuery {
    wanted: ExportQuery,
    /// The results from other nodes, once they were asked.
    elsewhere: Option<Arc<Vec<Arc<ExportedResource>>>>,
    all: Arc<Vec<Arc<ExportedResource>>>,
}

impl CollectorQuery {
    /// A query without results yet.
    fn unknown(wanted: ExportQuery) -> CollectorQuery {
        CollectorQuery { wanted, elsewhere: None, all: Arc::default() }
    }
}

/// The exports of a node.
#[derive(Clone, Debug, PartialEq)]
enum Offer {
    /// The resources that its catalog exports.
    Exports(Vec<Arc<ExportedResource>>),
    /// Its compilation failed, so its earlier exports stay valid.
    Failed,
}

/// The outcomes of nodes that were compiled together.
#[derive(Debug)]
pub struct Settlement<T> {
    /// The last outcome of each node.
    pub outcomes: BTreeMap<String, T>,
    /// The number of passes.
    pub passes: usize,
    /// The error, if the exported resources never settled.
    pub unsettled: Option<Box<Diagnostic>>,
}

/// A node that was compiled in a pass of an exchange.
#[derive(Debug)]
pub struct ExchangeMember<T> {
    /// Its name.
    pub node: String,
    /// The resources it exports; unknown if it failed.
    pub exports: Option<Vec<Resource>>,
    /// The rest of its outcome.
    pub outcome: T,
}

/// The resources that a catalog exports.
pub fn exported_resources(catalog: &Catalog) -> Vec<Resource> {
    catalog.resources.iter().filter(|resource| resource.exported).cloned().collect()
}

impl Exchange {
    /// An exchange among nodes that are to be compiled, besides the exported resources of other nodes.
    pub fn new(others: Option<Arc<dyn Exports>>) -> Exchange {
        Exchange { others, state: Mutex::new(State { is_first: true, ..State::default() }) }
    }

    /// Records the exported resources of a node; none are known if it failed.
    pub fn note(&self, node: &str, exports: Option<Vec<Resource>>) {
        let name = Str::from(node);
        let own = |resource| Arc::new(ExportedResource { node: name.clone(), resource });
        let offer = exports.map_or(Offer::Failed, |all| Offer::Exports(all.into_iter().map(own).collect()));
        self.state().members.insert(name.clone(), offer);
    }

    /// Takes over the first pass of a node from another exchange, in which its inputs are the same.
    pub fn note_same(&self, node: &str, other: &Exchange) {
        let (offer, asked) = {
            let other = other.state();
            let keys = other.asked.get(node).into_iter().flatten();
            let asked: Vec<(String, ExportQuery)> =
                keys.filter_map(|key| Some((key.clone(), other.answers.get(key)?.wanted.clone()))).collect();
            (other.members.get(node).cloned(), asked)
        };
        let mut state = self.state();
        let name = Str::from(node);
        state.members.extend(offer.map(|offer| (name.clone(), offer)));
        for (key, wanted) in asked {
            state.answers.entry(key.clone()).or_insert_with(|| CollectorQuery::unknown(wanted));
            state.asked.entry(name.clone()).or_default().insert(key);
        }
    }

    /// Whether a node collects exported resources. If not, its catalog does not depend on other nodes.
    pub fn collects(&self, node: &str) -> bool {
        self.state().asked.contains_key(node)
    }

    /// The node that exports a resource, with the resource, as others get it.
    pub fn exporter(&self, type_name: &str, title: &str) -> Option<Arc<ExportedResource>> {
        let state = self.state();
        let members = state.members.values().flat_map(exported);
        let elsewhere = state.answers.values().flat_map(|answered| answered.all.iter());
        let mut all = members.chain(elsewhere);
        all.find(|each| each.resource.type_name == type_name && each.resource.title == title).cloned()
    }

    /// Compiles nodes until nothing changes: `compile` gets the names of the nodes that are due, all of them at first, and returns the outcome of
    /// each. A caller that has compiled all nodes and [recorded](Exchange::note) their exports returns nothing at first.
    pub fn settle<T, E>(
        &self,
        mut compile: impl FnMut(Option<&BTreeSet<String>>) -> Result<Vec<ExchangeMember<T>>, E>,
    ) -> Result<Settlement<T>, E> {
        if !self.state().is_first {
            *self.state() = State { is_first: true, ..State::default() };
        }
        let mut settled = Settlement { outcomes: BTreeMap::new(), passes: 0, unsettled: None };
        let mut due: Option<BTreeSet<String>> = None;
        let mut seen: Vec<BTreeMap<Str, Offer>> = Vec::new();
        while due.as_ref().is_none_or(|due| !due.is_empty()) {
            settled.passes += 1;
            for name in due.iter().flatten() {
                self.state().asked.remove(name.as_str());
            }
            for ExchangeMember { node, exports, outcome } in compile(due.as_ref())? {
                self.note(&node, exports);
                settled.outcomes.insert(node, outcome);
            }
            let now_due = self.due();
            let now = self.state().members.clone();
            let again = seen.iter().position(|earlier| *earlier == now);
            seen.push(now);
            let first = match again {
                Some(at) => Some(at),
                None => (settled.passes == PASSES).then_some(PASSES - 2),
            };
            if let (Some(at), false) = (first, now_due.is_empty()) {
                settled.unsettled = unsettled(&seen[at..], settled.passes);
                if settled.unsettled.is_some() {
                    break;
                }
            }
            due = Some(now_due);
        }
        Ok(settled)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The nodes whose collectors would find other resources now.
    fn due(&self) -> BTreeSet<String> {
        let mut state = self.state();
        state.is_first = false;
        let mut changed: BTreeMap<String, BTreeSet<Str>> = BTreeMap::new();
        let before = std::mem::take(&mut state.answers);
        for (key, mut answered) in before {
            if answered.elsewhere.is_none() {
                // The error is reported when the collector asks again.
                let Ok(elsewhere) = self.elsewhere(&answered.wanted) else {
                    changed.insert(key, BTreeSet::from([Str::default()]));
                    continue;
                };
                answered.elsewhere = Some(elsewhere);
            }
            let now = state.answer(&answered);
            changed.insert(key.clone(), differing(&answered.all, &now));
            answered.all = now;
            state.answers.insert(key, answered);
        }
        let is_due = |name: &Str, keys: &BTreeSet<String>| {
            // A node finds its own exports without the exchange.
            keys.iter().filter_map(|key| changed.get(key)).flatten().any(|source| source != name)
        };
        let due = state.asked.iter().filter(|(name, keys)| is_due(name, keys));
        due.map(|(name, _)| name.to_string()).collect()
    }

    fn elsewhere(&self, wanted: &ExportQuery) -> Result<Arc<Vec<Arc<ExportedResource>>>, Box<Diagnostic>> {
        self.others.as_ref().map_or_else(|| Ok(Arc::default()), |others| others.find(wanted).map(Arc::new))
    }
}

impl State {
    /// The current results of a query, by node.
    fn answer(&self, question: &CollectorQuery) -> Arc<Vec<Arc<ExportedResource>>> {
        let is_known_here = |node: &Str| self.members.get(node).is_some_and(|offer| *offer != Offer::Failed);
        let mut all: Vec<Arc<ExportedResource>> = question
            .elsewhere
            .iter()
            .flat_map(|all| all.iter())
            .filter(|each| !is_known_here(&each.node))
            .cloned()
            .collect();
        for (node, offer) in &self.members {
            let Offer::Exports(own) = offer else { continue };
            all.extend(own.iter().filter(|each| question.wanted.matches(node, &each.resource)).cloned());
        }
        all.sort_by(|a, b| a.node.cmp(&b.node));
        Arc::new(all)
    }
}

impl Exports for Exchange {
    fn find(&self, wanted: &ExportQuery) -> Result<Vec<Arc<ExportedResource>>, Box<Diagnostic>> {
        let general = ExportQuery { node: Str::default(), ..wanted.clone() };
        let key = format!("{general:?}");
        let mut state = self.state();
        if !state.answers.contains_key(&key) {
            let mut answered = CollectorQuery::unknown(general);
            if !state.is_first {
                // A query of a database takes time; other threads go on meanwhile.
                drop(state);
                answered.elsewhere = Some(self.elsewhere(&answered.wanted)?);
                state = self.state();
                answered.all = state.answer(&answered);
            }
            state.answers.entry(key.clone()).or_insert(answered);
        }
        let all = Arc::clone(&state.answers[&key].all);
        state.asked.entry(wanted.node.clone()).or_default().insert(key);
        drop(state);
        Ok(all.iter().filter(|each| each.node != wanted.node).cloned().collect())
    }

    fn query(&self, query: &Value) -> Option<Result<Value, Box<Diagnostic>>> {
        self.others.as_ref()?.query(query)
    }
}

/// The nodes whose part in two results differs.
fn differing(before: &[Arc<ExportedResource>], after: &[Arc<ExportedResource>]) -> BTreeSet<Str> {
    let parts = |all: &[Arc<ExportedResource>]| {
        let mut parts = BTreeMap::<Str, Vec<Arc<ExportedResource>>>::new();
        all.iter().for_each(|each| parts.entry(each.node.clone()).or_default().push(Arc::clone(each)));
        parts
    };
    let same =
        |a: &Arc<ExportedResource>, b: &Arc<ExportedResource>| Arc::ptr_eq(a, b) || a.resource == b.resource;
    let (before, after) = (parts(before), parts(after));
    let is_same = |node: &Str| match (before.get(node), after.get(node)) {
        (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        _ => false,
    };
    before.keys().chain(after.keys()).filter(|node| !is_same(node)).cloned().collect()
}

/// The error of exports that repeat without settling, with the nodes whose exports change; none if no exports change.
fn unsettled(passes_seen: &[BTreeMap<Str, Offer>], passes: usize) -> Option<Box<Diagnostic>> {
    let mut moving = BTreeMap::<&Str, BTreeSet<String>>::new();
    for pair in passes_seen.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        for (node, offer) in before.iter().filter(|(node, offer)| after.get(*node) != Some(*offer)) {
            let (a, b) = (exported(offer), after.get(node).map_or(&[][..], exported));
            let only = |these: &[Arc<ExportedResource>], those: &[Arc<ExportedResource>]| -> Vec<String> {
                let gone = these.iter().filter(|one| !those.contains(one));
                gone.map(|one| one.resource.reference().to_string()).collect()
            };
            let changed = moving.entry(node).or_default();
            changed.extend(only(a, b));
            changed.extend(only(b, a));
        }
    }
    let describe = |(node, resources): (&&Str, &BTreeSet<String>)| {
        format!("{node} ({})", resources.iter().map(String::as_str).collect::<Vec<_>>().join(", "))
    };
    let nodes: Vec<String> = moving.iter().map(describe).collect();
    let wrong = diagnostic!(UNSETTLED_EXPORTS { passes, nodes: nodes.join(", ") };
        hint: "the exports of these nodes depend on what they collect; make the exports of one of them independent of its collectors");
    (!moving.is_empty()).then(|| Box::new(wrong))
}

fn exported(offer: &Offer) -> &[Arc<ExportedResource>] {
    match offer {
        Offer::Exports(own) => own,
        Offer::Failed => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompileOptions, Compiler, MemoryWorld, Node, SiteSpec};

    fn settle(code: &str, nodes: &[&str]) -> Settlement<Result<Catalog, String>> {
        let mut spec = SiteSpec::of(code);
        spec.settings.set("storeconfigs", true.into()).unwrap();
        let exchange = Arc::new(Exchange::new(None));
        let compiler = Compiler::new(MemoryWorld::default()).with_exports(exchange.clone());
        let site = compiler.open(&spec).unwrap();
        let options = CompileOptions { keep_virtual: true, ..CompileOptions::default() };
        let compile = |name: &&str| {
            let result = site.compile_with(&Node::named(*name), options).result;
            let outcome = result.map(|compiled| compiled.catalog).map_err(|failure| failure.to_string());
            let exports = outcome.as_ref().ok().map(exported_resources);
            ExchangeMember { node: (*name).to_owned(), exports, outcome }
        };
        let settled = exchange.settle(|due| {
            let due = nodes.iter().filter(|name| due.is_none_or(|due| due.contains(**name)));
            Ok::<_, ()>(due.map(compile).collect())
        });
        settled.unwrap()
    }

    #[test]
    fn a_chain_takes_a_pass_for_each_link() {
        // Defines are evaluated after collectors, so that one can see what was collected.
        let code = "
            define relay($from) { if defined(Notify[$from]) { @@notify { $title: } } }
            node a { @@notify { 'a': } }
            node b { Notify <<| title == 'a' |>> relay { 'b': from => 'a' } }
            node c { Notify <<| title == 'b' |>> relay { 'c': from => 'b' } }
            node d { Notify <<| |>> }";
        let settled = settle(code, &["d", "c", "b", "a"]);
        assert_eq!((settled.passes, settled.unsettled.is_none()), (4, true));
        let d = settled.outcomes["d"].as_ref().unwrap();
        assert!(["a", "b", "c"].iter().all(|title| d.find("Notify", title).is_some()));
    }

    #[test]
    fn what_is_collected_may_export_in_turn() {
        let code = "
            define relay { @@notify { \"relayed ${title}\": } }
            node a { @@relay { 'x': } }
            node b { Relay <<| |>> }
            node c { Notify <<| |>> }
            node d { notify { 'alone': } }";
        let settled = settle(code, &["a", "b", "c", "d"]);
        assert_eq!((settled.passes, settled.unsettled.is_none()), (3, true));
        assert!(settled.outcomes["c"].as_ref().unwrap().find("Notify", "relayed x").is_some());
    }

    #[test]
    fn what_is_the_same_elsewhere_is_taken_over() {
        let code = "node a { @@notify { 'a': } } node b { Notify <<| |>> }";
        let mut spec = SiteSpec::of(code);
        spec.settings.set("storeconfigs", true.into()).unwrap();
        let options = CompileOptions { keep_virtual: true, ..CompileOptions::default() };
        let (one, other) = (Arc::new(Exchange::new(None)), Arc::new(Exchange::new(None)));
        let site = |exchange: &Arc<Exchange>| {
            let compiler = Compiler::new(MemoryWorld::default());
            compiler.with_exports(Arc::clone(exchange) as _).open(&spec).unwrap()
        };
        let (site_of_one, site_of_other) = (site(&one), site(&other));
        for name in ["a", "b"] {
            let catalog = site_of_one.compile_with(&Node::named(name), options).result.unwrap().catalog;
            one.note(name, Some(exported_resources(&catalog)));
            other.note_same(name, &one);
        }
        assert!(other.collects("b") && !other.collects("a"));
        let settled = other.settle(|due| {
            let compile = |name: &String| {
                let result = site_of_other.compile_with(&Node::named(name.as_str()), options).result;
                let catalog = result.unwrap().catalog;
                let exports = Some(exported_resources(&catalog));
                ExchangeMember { node: name.clone(), exports, outcome: catalog }
            };
            Ok::<_, ()>(due.into_iter().flatten().map(compile).collect())
        });
        let settled = settled.unwrap();
        let compiled: Vec<&String> = settled.outcomes.keys().collect();
        assert_eq!(compiled, ["b"]);
        assert!(settled.outcomes["b"].find("Notify", "a").is_some());
        assert_eq!(other.exporter("Notify", "a").unwrap().node, "a");
        assert!(other.exporter("Notify", "b").is_none());
    }

    #[test]
    fn nodes_that_fail_at_first_may_succeed() {
        let code = "
            node a { @@notify { 'a': } }
            node b { Notify <<| |>> realize(Notify['a']) }";
        let settled = settle(code, &["b", "a"]);
        assert_eq!(settled.passes, 2);
        assert!(settled.outcomes["b"].is_ok(), "{:?}", settled.outcomes["b"]);
    }

    #[test]
    fn what_never_comes_to_rest_is_told() {
        let code = "
            define unless_there($other) { unless defined(Notify[$other]) { @@notify { $title: } } }
            define if_there($other) { if defined(Notify[$other]) { @@notify { $title: } } }
            node a { Notify <<| title == 'b' |>> unless_there { 'a': other => 'b' } }
            node b { Notify <<| title == 'a' |>> if_there { 'b': other => 'a' } }
            node c { @@notify { 'c': } }";
        let settled = settle(code, &["a", "b", "c"]);
        let wrong = settled.unsettled.expect("each wants what the other does not");
        assert!(wrong.is(&UNSETTLED_EXPORTS) && !wrong.hints.is_empty());
        assert!(wrong.message().ends_with("a (Notify[a]), b (Notify[b])"), "{wrong}");
    }
}
