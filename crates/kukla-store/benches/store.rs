//! How long a store takes: 2,000 nodes with 20 exported resources each, collected in several ways, and large catalogs stored.
//!
//!     cargo bench -p kukla-store                                          # a file
//!     tests/store/with-postgres cargo bench -p kukla-store                # and a PostgreSQL server
//!
//! `KUKLA_BENCH_NODES` is another number of nodes, to see what grows with the store and what with the answer: what the first 200 of them export is the same
//! in stores of every size. `KUKLA_BENCH_STORE` is the URL of a store that is kept, so that it need be filled only once. Times are the median and the longest of several
//! runs by the clock on the wall, and the processor time of the process itself in the mean.

#![allow(clippy::disallowed_methods)] // a benchmark measures what is outside

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::{Duration, Instant};

use common::{Directory, catalog, export_query, open};
use kukla_catalog::{Catalog, Filter, Resource, ResourceKind};
use kukla_store::{Question, Timestamp, Update};

const EXPORTS: usize = 20;

fn main() {
    let nodes = std::env::var("KUKLA_BENCH_NODES").ok().and_then(|text| text.parse().ok()).unwrap_or(2000);
    if let Ok(kept) = std::env::var("KUKLA_BENCH_STORE") {
        return measure(&kept, nodes);
    }
    let directory = Directory::new("bench");
    let sqlite = format!("sqlite:{}", directory.path("store.db"));
    let postgres = std::env::var("KUKLA_TEST_POSTGRES").ok().map(|server| common::database(&server, "bench"));
    for url in [Some(sqlite), postgres].into_iter().flatten() {
        measure(&url, nodes);
    }
}

fn measure(url: &str, nodes: usize) {
    let store = open(url);
    let mut time = Timestamp::now().0;
    let mut put = |node: &str, catalog: &Catalog| {
        time += 1;
        store
            .update(&Update { catalog: Some(catalog), ..Update::of(node, "production", Timestamp(time)) })
            .unwrap();
    };
    println!(
        "\n{}, {nodes} nodes with {EXPORTS} exported resources each",
        url.split(':').next().unwrap_or(url)
    );
    let began = Instant::now();
    if store.catalog(&name(nodes - 1)).unwrap().is_none() {
        (0..nodes).for_each(|node| put(&name(node), &monitored(node)));
        let each = began.elapsed() / nodes as u32;
        println!("{:52} {:>10}", "a catalog of 20 resources, all exported, new", shown(each));
    }
    let collect = |what: &str, runs: usize, filter: Option<Filter>| {
        let mut rows = 0;
        let times = timed(runs, |_| {
            rows = store
                .exported(&export_query("Nagios_service", "monitor.example.com", filter.clone()))
                .unwrap()
                .len();
        });
        row(&format!("collect {what}: {rows}"), times);
    };
    let host = |node: usize| Filter::Attribute("host_name".into(), name(node).into());
    collect("all of a type", 5, None);
    collect("by a tag that all have", 5, Some(Filter::Tagged("monitoring".into())));
    collect("by a tag that 200 nodes have", 10, Some(Filter::Tagged("first".into())));
    collect("by an attribute", 50, Some(host(7)));
    collect("by a title", 50, Some(Filter::Title("node0007.example.com-check3".into())));
    collect(
        "by a tag and an attribute",
        20,
        Some(Filter::All(vec![Filter::Tagged("monitoring".into()), host(nodes - 1)])),
    );
    let check = Filter::Attribute("check_command".into(), "check_nrpe!check_7".into());
    collect(
        "by a tag that 200 have and an attribute of one in 20",
        20,
        Some(Filter::All(vec![Filter::Tagged("first".into()), check])),
    );
    collect("what nobody has", 50, Some(Filter::Title("nothing".into())));
    let large = catalog("large.example.com", 2000);
    let times = timed(20, |run| {
        let mut changed = large.clone();
        for resource in &mut changed.resources {
            resource.line = Some(run as u32);
        }
        put("large.example.com", &changed);
    });
    row("store a catalog of 2,000 resources, all changed", times);
    let times = timed(20, |run| {
        let mut changed = large.clone();
        changed.resources[1].line = Some(run as u32);
        put("large.example.com", &changed);
    });
    row("the same, one resource changed", times);
    let times = timed(20, |_| put("large.example.com", &large));
    row("the same, unchanged", times);
    row("read it back", timed(20, |_| drop(store.catalog("large.example.com").unwrap())));
    let ask = |query: &str, runs: usize| {
        row(query, timed(runs, |_| drop(store.query(&Question::pql(query)).unwrap())));
    };
    ask("nodes[count()] { }", 10);
    ask("resources[count()] { exported = true }", 5);
    ask("resources { certname = 'node0007.example.com' }", 20);
}

fn name(node: usize) -> String {
    format!("node{node:04}.example.com")
}

/// A resource that a node exports to be monitored, as in the measurements of PuppetDB.
fn monitored(number: usize) -> Catalog {
    let node = name(number);
    let group = if number < 200 { "first" } else { "other" };
    let service = |at: usize| Resource {
        type_name: "Nagios_service".into(),
        title: format!("{node}-check{at}").into(),
        tags: vec!["nagios_service".into(), "monitoring".into(), group.into(), "class".into()],
        file: Some("/etc/puppet/code/environments/production/modules/mon/manifests/init.pp".into()),
        line: Some(at as u32),
        exported: true,
        is_virtual: true,
        kind: ResourceKind::CompilableType,
        parameters: [
            ("tag", "monitoring".to_owned()),
            ("use", "generic-service".to_owned()),
            ("ensure", "present".to_owned()),
            ("host_name", node.clone()),
            ("check_command", format!("check_nrpe!check_{at}")),
            ("service_description", format!("check {at}")),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into(),
        ..Resource::default()
    };
    let resources = (0..EXPORTS).map(service).collect();
    Catalog { name: node.as_str().into(), resources, ..Catalog::default() }
}

/// The processor time of this thread.
fn on_core() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|text| text.parse().ok()).unwrap_or_default();
    Duration::from_nanos(nanoseconds)
}

/// The times of runs.
struct Times {
    wall: Vec<Duration>,
    core: Duration,
}

fn timed(runs: usize, mut work: impl FnMut(usize)) -> Times {
    // Once for what is only done the first time.
    work(usize::MAX >> 40);
    let spent = on_core();
    let mut wall: Vec<Duration> = (0..runs)
        .map(|run| {
            let began = Instant::now();
            work(run);
            began.elapsed()
        })
        .collect();
    wall.sort();
    Times { wall, core: (on_core() - spent) / runs as u32 }
}

fn row(what: &str, Times { wall, core }: Times) {
    let (median, longest) = (wall[wall.len() / 2], wall[wall.len() - 1]);
    println!("{what:52} {:>10} {:>10} {:>10}", shown(median), shown(longest), shown(core));
}

fn shown(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}
