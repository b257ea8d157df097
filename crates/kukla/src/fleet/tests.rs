//! Fleets in memory: nodes from facts and node definitions, progress, cancellation, exports, duplicates.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use kukla_catalog::{Catalog, Exports};
use kukla_eval::error::Diagnostic;
use kukla_syntax::ProblemKind;

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
struct Stored(Mutex<Vec<(String, Catalog)>>);

impl NodeStore for Stored {
    fn exports(&self) -> Arc<dyn Exports> {
        Arc::new(CatalogExports::default())
    }

    fn update(&self, update: &NodeUpdate<'_>) -> Result<(), Box<Diagnostic>> {
        assert!(update.facts.contains_key("trusted"));
        self.0.lock().unwrap().push((update.node.to_owned(), update.catalog.clone()));
        Ok(())
    }
}

#[test]
fn nodes_collect_from_each_other_and_catalogs_are_stored() {
    let code = "node a { @@notify { 'from a': } } node b { Notify <<| |>> }";
    let mut fleet = options(&[("manifests/site.pp", code)]);
    let store = Arc::new(Stored::default());
    fleet.store = Some(Arc::clone(&store) as Arc<dyn NodeStore>);
    fleet.exchanges = true;
    let run = compile(&fleet, &FleetCompileOptions::default());
    assert!(!run.has_failures(FailOn::default()));
    let stored = store.0.lock().unwrap();
    assert_eq!(stored.iter().map(|(node, _)| node.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(stored[0].1.find("Notify", "from a").is_some_and(|notify| notify.exported));
    assert!(stored[1].1.find("Notify", "from a").is_some());
}
