//! Nodes that are compiled together and collect what the others export, until nothing changes any more.
//!
//! Passes follow each other. In one of them every node sees what the others exported in the pass before, so that the outcome does not depend on
//! who comes first; after it those nodes are due again whose collectors would find something else now. Nodes that are not compiled here export what
//! somebody else knows of them, a database say, and so do those whose compilation fails.
//!
//! ```
//! use std::sync::Arc;
//! use kukla::exchange::Exchange;
//! use kukla::{CompileOptions, Compiler, MemoryWorld, Node, SiteSpec};
//!
//! let mut spec = SiteSpec::of("@@notify { \"from ${trusted['certname']}\": } Notify <<| |>>");
//! spec.settings.set("storeconfigs", true.into()).unwrap();
//! let exchange = Arc::new(Exchange::new(None));
//! let compiler = Compiler::new(MemoryWorld::default()).with_exports(exchange.clone());
//! let site = compiler.open(&spec)?;
//! let options = CompileOptions { keep_virtual: true, ..CompileOptions::default() };
//!
//! let nodes = ["a".to_owned(), "b".to_owned()];
//! let settled = exchange.settle(&nodes, |due| {
//!     let compile = |name: &String| site.compile_with(&Node::named(name), options).result.unwrap().catalog;
//!     Ok::<_, ()>(due.iter().map(|name| (name.clone(), Some(compile(name)))).collect())
//! });
//! let catalogs = settled.unwrap();
//! assert_eq!((catalogs.passes, catalogs.unsettled.is_none()), (2, true));
//! assert!(catalogs.outcomes["a"].as_ref().unwrap().find("Notify", "from b").is_some());
//! # Ok::<(), Box<kukla::Diagnostic>>(())
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kukla_catalog::{Catalog, Exported, Exports, Resource, Wanted};
use kukla_eval::error::Diagnostic;
use kukla_syntax::diagnostic;
use kukla_values::{Str, Value};

use crate::codes::UNSETTLED_EXPORTS;

/// So often a fleet is compiled, and no more: what has not settled by then grows without end.
const PASSES: usize = 100;

/// What nodes export to each other.
#[derive(Debug)]
pub struct Exchange {
    /// Who knows what all others export.
    others: Option<Arc<dyn Exports>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    members: BTreeMap<Str, Offer>,
    /// What collectors asked in these passes, by their questions without whoever asks.
    answers: BTreeMap<String, Answered>,
    /// Which questions the collectors of each node asked.
    asked: BTreeMap<Str, BTreeSet<String>>,
}

/// A question, and what all nodes answer to it.
#[derive(Clone, Debug)]
struct Answered {
    wanted: Wanted,
    /// What those say who are not compiled here, and those who failed.
    elsewhere: Arc<Vec<Arc<Exported>>>,
    all: Arc<Vec<Arc<Exported>>>,
}

/// What a node offers.
#[derive(Clone, Debug, PartialEq)]
enum Offer {
    /// It has not been compiled.
    Nothing,
    /// What its catalog exports.
    Exports(Vec<Arc<Exported>>),
    /// Its compilation failed: what is known of it elsewhere stays true.
    Failed,
}

/// What came of nodes that were compiled together.
#[derive(Debug)]
pub struct Settled<T> {
    /// What came of each of them last.
    pub outcomes: BTreeMap<String, T>,
    /// How often some of them were compiled.
    pub passes: usize,
    /// What is wrong if they never came to rest.
    pub unsettled: Option<Box<Diagnostic>>,
}

/// What came of a node, as far as others depend on it.
pub trait Offers {
    /// The catalog with what nothing collected, unless there is none.
    fn catalog(&self) -> Option<&Catalog>;
}

impl Offers for Option<Catalog> {
    fn catalog(&self) -> Option<&Catalog> {
        self.as_ref()
    }
}

impl Exchange {
    /// An exchange among nodes that are to be compiled, beside those that someone else knows.
    pub fn new(others: Option<Arc<dyn Exports>>) -> Exchange {
        Exchange { others, state: Mutex::default() }
    }

    /// Compiles nodes until nothing changes: `compile` is given the names of those that are due, and says what came of each.
    pub fn settle<T: Offers, E>(
        &self,
        nodes: &[String],
        mut compile: impl FnMut(&[String]) -> Result<Vec<(String, T)>, E>,
    ) -> Result<Settled<T>, E> {
        *self.state() = State {
            members: nodes.iter().map(|name| (name.as_str().into(), Offer::Nothing)).collect(),
            ..State::default()
        };
        let mut settled = Settled { outcomes: BTreeMap::new(), passes: 0, unsettled: None };
        let mut due = nodes.to_vec();
        let mut seen = vec![self.offers()];
        while !due.is_empty() {
            settled.passes += 1;
            for name in &due {
                self.state().asked.remove(name.as_str());
            }
            for (name, outcome) in compile(&due)? {
                let node = Str::from(name.as_str());
                let offer = outcome.catalog().map_or(Offer::Failed, |catalog| offer(&node, catalog));
                self.state().members.insert(node, offer);
                settled.outcomes.insert(name, outcome);
            }
            due = self.due();
            let now = self.offers();
            let again = seen.iter().position(|earlier| *earlier == now);
            if let (Some(at), false) = (again, due.is_empty()) {
                settled.unsettled = Some(unsettled(&seen[at..], settled.passes));
                break;
            }
            if settled.passes == PASSES {
                let last = seen.len() - 1;
                seen.push(now);
                settled.unsettled = Some(unsettled(&seen[last..], PASSES));
                break;
            }
            seen.push(now);
        }
        Ok(settled)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn offers(&self) -> BTreeMap<Str, Offer> {
        self.state().members.clone()
    }

    /// The nodes whose collectors would find something else than they did.
    fn due(&self) -> Vec<String> {
        let mut state = self.state();
        let mut changed: BTreeMap<&String, BTreeSet<Str>> = BTreeMap::new();
        let answers: BTreeMap<String, Answered> = state
            .answers
            .iter()
            .map(|(key, answer)| (key.clone(), Answered { all: state.answer(answer), ..answer.clone() }))
            .collect();
        for (key, before) in &state.answers {
            let sources = differing(&before.all, &answers[key].all);
            if !sources.is_empty() {
                changed.insert(key, sources);
            }
        }
        let is_due = |name: &Str, keys: &BTreeSet<String>| {
            // What a node exports itself it finds without asking.
            keys.iter()
                .filter_map(|key| changed.get(key))
                .any(|sources| sources.iter().any(|source| source != name))
        };
        let due =
            state.asked.iter().filter(|(name, keys)| is_due(name, keys)).map(|(name, _)| name.to_string());
        let due = due.collect();
        state.answers = answers;
        due
    }
}

impl State {
    /// What all nodes answer to a question now, by their names.
    fn answer(&self, question: &Answered) -> Arc<Vec<Arc<Exported>>> {
        let is_known_here = |node: &Str| self.members.get(node).is_some_and(|offer| *offer != Offer::Failed);
        let mut all: Vec<Arc<Exported>> =
            question.elsewhere.iter().filter(|each| !is_known_here(&each.node)).cloned().collect();
        for (node, offer) in &self.members {
            let Offer::Exports(own) = offer else { continue };
            all.extend(own.iter().filter(|each| question.wanted.takes(node, &each.resource)).cloned());
        }
        all.sort_by(|a, b| a.node.cmp(&b.node));
        Arc::new(all)
    }
}

impl Exports for Exchange {
    fn find(&self, wanted: &Wanted) -> Result<Vec<Arc<Exported>>, Box<Diagnostic>> {
        let general = Wanted { node: Str::default(), ..wanted.clone() };
        let key = format!("{general:?}");
        let mut state = self.state();
        if !state.answers.contains_key(&key) {
            // A question to a database takes its time; others may go on meanwhile.
            drop(state);
            let elsewhere = match &self.others {
                Some(others) => Arc::new(others.find(&general)?),
                None => Arc::default(),
            };
            state = self.state();
            let mut answered = Answered { wanted: general, elsewhere, all: Arc::default() };
            answered.all = state.answer(&answered);
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

fn offer(node: &Str, catalog: &Catalog) -> Offer {
    let exported = catalog.resources.iter().filter(|resource| resource.exported);
    let of_node = |resource: &Resource| Arc::new(Exported { node: node.clone(), resource: resource.clone() });
    Offer::Exports(exported.map(of_node).collect())
}

/// The nodes whose part in two answers is not the same.
fn differing(before: &[Arc<Exported>], after: &[Arc<Exported>]) -> BTreeSet<Str> {
    let parts = |all: &[Arc<Exported>]| {
        let mut parts = BTreeMap::<Str, Vec<Arc<Exported>>>::new();
        all.iter().for_each(|each| parts.entry(each.node.clone()).or_default().push(Arc::clone(each)));
        parts
    };
    let same = |a: &Arc<Exported>, b: &Arc<Exported>| Arc::ptr_eq(a, b) || a.resource == b.resource;
    let (before, after) = (parts(before), parts(after));
    let is_same = |node: &Str| match (before.get(node), after.get(node)) {
        (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        _ => false,
    };
    before.keys().chain(after.keys()).filter(|node| !is_same(node)).cloned().collect()
}

/// What is wrong when offers come back to what they were without coming to rest: which nodes offer now this, now that.
fn unsettled(cycle: &[BTreeMap<Str, Offer>], passes: usize) -> Box<Diagnostic> {
    let mut moving = BTreeMap::<&Str, BTreeSet<String>>::new();
    for (at, before) in cycle.iter().enumerate() {
        let after = &cycle[(at + 1) % cycle.len()];
        for (node, offer) in before.iter().filter(|(node, offer)| after.get(*node) != Some(*offer)) {
            let changed = moving.entry(node).or_default();
            let (a, b) = (exported(offer), after.get(node).map_or(&[][..], exported));
            let only = |these: &[Arc<Exported>], those: &[Arc<Exported>]| -> Vec<String> {
                let gone = these.iter().filter(|one| !those.contains(one));
                gone.map(|one| one.resource.reference().to_string()).collect()
            };
            changed.extend(only(a, b));
            changed.extend(only(b, a));
        }
    }
    let told = |(node, resources): (&&Str, &BTreeSet<String>)| {
        format!("{node} ({})", resources.iter().map(String::as_str).collect::<Vec<_>>().join(", "))
    };
    let nodes: Vec<String> = moving.iter().map(told).collect();
    let wrong = diagnostic!(UNSETTLED_EXPORTS { passes, nodes: nodes.join(", ") };
        hint: "what these nodes export depends on what they collect; let one of them export whatever it finds");
    Box::new(wrong)
}

fn exported(offer: &Offer) -> &[Arc<Exported>] {
    match offer {
        Offer::Exports(own) => own,
        Offer::Nothing | Offer::Failed => &[],
    }
}
