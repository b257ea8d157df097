//! Fleets in memory: nodes from facts and node definitions, progress, cancellation, exports, duplicates.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use kukla_catalog::{Catalog, Exports};
use kukla_eval::error::Diagnostic;
use kukla_syntax::codes::SYNTAX_ERROR;
use kukla_syntax::{ProblemKind, diagnostic};
use kukla_values::{Hash, Value};

use super::*;
use crate::MemoryWorld;
use crate::exports::CatalogExports;

fn options(files: &[(&str, &str)]) -> FleetOptions {
    let world = files.iter().fold(MemoryWorld::default(), |world, (path, text)| {
        world.with(format!("/control/{path}"), (*text).to_owned())
    });
    FleetOptions::in_world("/control", Arc::new(world))
}

fn compile(options: &FleetOptions, compile: &FleetCompileOptions) -> FleetRun<Finding> {
    Fleet::open(options).unwrap().compile(compile, &()).unwrap()
}

#[test]
fn nodes_come_from_facts_else_from_node_definitions() {
    let code = ("manifests/site.pp", "node 'b', 'a' { notify { $trusted['certname']: } } node default {}");
    let keep = FleetCompileOptions { keep_catalogs: true, ..FleetCompileOptions::default() };
    let run = compile(&options(&[code]), &keep);
    assert_eq!(run.catalogs.keys().collect::<Vec<_>>(), ["a", "b"]);
    assert!(run.catalogs["a"].find("Notify", "a").is_some());
    let mut with_facts = options(&[code, ("facts/c.yaml", "{}"), ("facts/d.json", "[1]")]);
    let run = compile(&with_facts, &keep);
    let names: Vec<&str> = run.reports.iter().map(|report| report.node.as_str()).collect();
    assert_eq!(names, ["c", "d"]);
    assert!(
        matches!(&run.reports[1].errors[..], [Finding::Problem(problem)] if problem.kind() == ProblemKind::Invalid)
    );
    with_facts.selection.patterns = vec!["x*".into()];
    let fleet = Fleet::open(&with_facts).unwrap();
    assert!(fleet.compile::<Finding>(&keep, &()).is_err(), "no node matches");
    with_facts.selection =
        NodeSelection { names: Some(BTreeSet::from(["e".into()])), ..NodeSelection::default() };
    assert_eq!(compile(&with_facts, &keep).reports[0].node, "e");
}

#[test]
fn a_broken_site_manifest_is_an_error_of_the_code() {
    let broken = options(&[("manifests/site.pp", "node a {")]);
    assert!(matches!(Fleet::open(&broken), Err(FleetError::Manifest(_))));
    let none = options(&[("manifests/site.pp", "notify { 'a': }")]);
    assert!(matches!(Fleet::open(&none), Err(FleetError::Problem(_))));
}

#[test]
fn two_sources_of_one_node_are_a_conflict() {
    let twice = options(&[
        ("manifests/site.pp", ""),
        ("facts/a.json", r#"{"clientcert": "a"}"#),
        ("facts/b.json", r#"{"clientcert": "a"}"#),
    ]);
    let run = compile(&twice, &FleetCompileOptions::default());
    for report in &run.reports {
        assert!(
            matches!(&report.errors[..], [Finding::Problem(problem)] if problem.kind() == ProblemKind::Conflict)
        );
    }
}

#[test]
fn progress_is_reported_and_a_run_can_be_cancelled() {
    let fleet = options(&[("manifests/site.pp", "node a {} node b {}")]);
    let compile = FleetCompileOptions::default();
    let done = AtomicUsize::new(0);
    let observer = |event: FleetEvent<'_>| {
        if let FleetEvent::NodeDone { .. } = event {
            done.fetch_add(1, Ordering::Relaxed);
        }
    };
    Fleet::open(&fleet).unwrap().compile::<Finding>(&compile, &observer).unwrap();
    assert_eq!(done.into_inner(), 2);
    compile.cancellation.cancel();
    let run = Fleet::open(&fleet).unwrap().compile::<Finding>(&compile, &()).unwrap();
    assert_eq!((run.reports.len(), run.skipped), (0, 2));
    let (before, after) = (FleetSide::new("before", fleet.clone()), FleetSide::new("after", fleet));
    let compare = CompareOptions { cancellation: compile.cancellation, ..CompareOptions::default() };
    let outcome = FleetComparison::open(&before, &after).unwrap().compare(&compare, &());
    assert!(matches!(outcome, Err(FleetError::Cancelled)));
}

/// A store in memory.
#[derive(Debug, Default)]
struct MemoryStore {
    facts: Mutex<BTreeMap<String, Hash>>,
    catalogs: Mutex<Vec<(String, Catalog)>>,
    /// How often facts were read.
    reads: AtomicUsize,
}

impl NodeStore for MemoryStore {
    fn exports(&self) -> Arc<dyn Exports> {
        Arc::new(CatalogExports::default())
    }

    fn update(&self, update: &NodeUpdate<'_>) -> Result<(), Box<Diagnostic>> {
        assert!(update.facts.contains_key("trusted"));
        self.facts.lock().unwrap().insert(update.node.to_owned(), update.facts.clone());
        self.catalogs.lock().unwrap().push((update.node.to_owned(), update.catalog.clone()));
        Ok(())
    }

    fn nodes(&self) -> Result<Vec<String>, Box<Diagnostic>> {
        // Stores need not have an order.
        Ok(self.facts.lock().unwrap().keys().rev().cloned().collect())
    }

    fn facts(&self, node: &str) -> Result<Option<Hash>, Box<Diagnostic>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let facts = self.facts.lock().unwrap().get(node).cloned();
        match facts.as_ref().is_some_and(|facts| facts.contains_key("is_damaged")) {
            true => Err(Box::new(diagnostic!(SYNTAX_ERROR { location: "end of input" }))),
            false => Ok(facts),
        }
    }
}

#[test]
fn nodes_collect_from_each_other_and_catalogs_are_stored() {
    let code = "node a { @@notify { 'from a': } } node b { Notify <<| |>> }";
    let mut fleet = options(&[("manifests/site.pp", code)]);
    let store = Arc::new(MemoryStore::default());
    fleet.store = Some(Arc::clone(&store) as Arc<dyn NodeStore>);
    fleet.exchanges = true;
    let run = compile(&fleet, &FleetCompileOptions::default());
    assert!(!run.has_failures(FailOn::default()));
    let stored = store.catalogs.lock().unwrap();
    assert_eq!(stored.iter().map(|(node, _)| node.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(stored[0].1.find("Notify", "from a").is_some_and(|notify| notify.exported));
    assert!(stored[1].1.find("Notify", "from a").is_some());
}

/// A store with the facts of two nodes, of which `a` has an extension.
fn store_of_two() -> Arc<MemoryStore> {
    let store = MemoryStore::default();
    let hash = |key: &str, value: Value| -> Hash { [(key, value)].into_iter().collect() };
    let trusted = hash("extensions", hash("pp_role", "web".into()).into());
    let mut facts = hash("kernel", "Linux".into());
    facts.insert("trusted", trusted);
    store.facts.lock().unwrap().extend([("a".into(), facts), ("b".into(), hash("kernel", "AIX".into()))]);
    Arc::new(store)
}

#[test]
fn nodes_come_from_a_store_with_their_facts_and_trusted_data() {
    let code = "notify { \"${facts['kernel']} ${trusted['certname']} ${trusted['extensions']['pp_role']}\": }
        if 'trusted' in $facts { fail('trusted data among the facts') }";
    let store = store_of_two();
    // The facts of the control repository are not those of the store.
    let mut fleet = options(&[("manifests/site.pp", code), ("facts/c.yaml", "{}")]);
    fleet.facts_store = Some(Arc::clone(&store) as Arc<dyn NodeStore>);
    let keep = FleetCompileOptions { keep_catalogs: true, ..FleetCompileOptions::default() };
    let run = compile(&fleet, &keep);
    assert!(!run.has_failures(FailOn::default()), "{:?}", run.reports);
    assert_eq!(run.catalogs.keys().collect::<Vec<_>>(), ["a", "b"]);
    assert!(run.catalogs["a"].find("Notify", "Linux a web").is_some());
    assert!(run.catalogs["b"].find("Notify", "AIX b ").is_some());
    assert_eq!(run.reports[0].source, "the store");

    // Facts that are stored again are the same, and the options override trusted data.
    fleet.store.clone_from(&fleet.facts_store);
    fleet.trusted = [("extensions", Value::from(Hash::new()))].into_iter().collect();
    let run = compile(&fleet, &keep);
    assert!(run.catalogs["a"].find("Notify", "Linux a ").is_some());
    assert!(store.facts.lock().unwrap()["a"].contains_key("kernel"));

    // One node.
    fleet.node = Some("b".into());
    let chosen = FleetSetup::read(&fleet).unwrap().choose().unwrap();
    assert_eq!(chosen.node.node.facts.get("kernel"), Some(&"AIX".into()));
    for (node, kind) in [(Some("x"), ProblemKind::NotFound), (None, ProblemKind::Invalid)] {
        fleet.node = node.map(str::to_owned);
        assert_eq!(FleetSetup::read(&fleet).unwrap().choose().unwrap_err().kind(), kind);
    }
}

#[test]
fn a_store_without_nodes_and_facts_that_cannot_be_read_are_problems() {
    let mut fleet = options(&[("manifests/site.pp", "")]);
    let store = store_of_two();
    store.facts.lock().unwrap().insert("c".into(), [("is_damaged", Value::from(true))].into_iter().collect());
    fleet.facts_store = Some(Arc::clone(&store) as Arc<dyn NodeStore>);
    let run = compile(&fleet, &FleetCompileOptions::default());
    assert_eq!(run.reports.iter().map(|report| report.errors.len()).collect::<Vec<_>>(), [0, 0, 1]);
    fleet.selection.names = Some(BTreeSet::from(["b".into(), "x".into()]));
    let run = compile(&fleet, &FleetCompileOptions::default());
    let errors: Vec<_> = run.reports.iter().map(|one| (one.node.as_str(), one.errors.len())).collect();
    assert_eq!(errors, [("b", 0), ("x", 1)]);
    fleet.facts_store = Some(Arc::new(MemoryStore::default()));
    assert!(
        matches!(Fleet::open(&fleet), Err(FleetError::Problem(problem)) if problem.kind() == ProblemKind::NotFound)
    );
    fleet.facts = Some("/control/facts".into());
    assert!(
        matches!(Fleet::open(&fleet), Err(FleetError::Problem(problem)) if problem.kind() == ProblemKind::Invalid)
    );
}

#[test]
fn both_sides_of_a_comparison_have_the_same_facts_of_a_store() {
    let store = store_of_two();
    let side = |name: &str, code: &str| {
        let mut fleet = options(&[("manifests/site.pp", code)]);
        fleet.facts_store = Some(Arc::clone(&store) as Arc<dyn NodeStore>);
        FleetSide::new(name, fleet)
    };
    let (before, after) = (side("before", "notify { $facts['kernel']: }"), side("after", ""));
    let compare = CompareOptions::default();
    let difference = FleetComparison::open(&before, &after).unwrap().compare(&compare, &()).unwrap();
    assert_eq!(difference.counts().changed, 2);
    assert_eq!(store.reads.load(Ordering::Relaxed), 2, "facts of each node are read once");
}

#[test]
fn refused_commands_are_collected_from_all_nodes() {
    let site = "$first = generate('/bin/a')\nif $facts['role'] == 'db' { generate('/bin/b') }\ninline_template('<%= `uname -r` %>')";
    let world = MemoryWorld::default()
        .with("/site/manifests/site.pp", site)
        .with("/site/facts/web.json", r#"{"name": "web", "values": {"role": "web"}}"#)
        .with("/site/facts/db.json", r#"{"name": "db", "values": {"role": "db"}}"#);
    let mut options = FleetOptions::in_world("/site", Arc::new(world));
    options.policy.commands = "/bin/allowed".parse().unwrap();
    let compiler = FleetCompiler::new(&options).unwrap();
    let fleet = Fleet::with_compiler(&options, &compiler).unwrap();
    let nodes = || fleet.members().filter_map(|member| member.node.ok());
    assert_eq!(compiler.commands_to_allow(&options, nodes()).unwrap(), None, "nothing was refused yet");
    let run = fleet.compile::<Finding>(&FleetCompileOptions::default(), &()).unwrap();
    assert!(run.has_failures(FailOn::default()));
    let names = compiler.commands_to_allow(&options, nodes()).unwrap().unwrap();
    assert_eq!(names, ["/bin/a", "/bin/allowed", "/bin/b", "uname"]);
}
