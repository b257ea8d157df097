//! `cargo bench -p kukla-benches --bench fleet`: what a node of a fleet costs, from ten of them to twenty thousand.
//!
//! The site is `examples/site`, opened once; the nodes have the facts that lie there and names of their own. Shown is the time
//! that the threads spent on a core, for each node, catalogs written as JSON included, and the clock on the wall, which
//! measures the neighbours too. Arguments are numbers of nodes.

#![allow(clippy::disallowed_methods)]

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kukla::facts::FactFile;
use kukla::{Compiler, Node, Site, SiteSpec};

const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 20_000];

/// How long this thread has run on a core so far, where the system tells.
fn on_a_core() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn node(kinds: &[FactFile], n: usize) -> Node {
    let mut node = Node::named(format!("n{n}.example.com"));
    node.facts = kinds[n % kinds.len()].facts.clone();
    node
}

/// Compiles so many nodes on so many threads; the time on cores, and that on the wall.
fn compile(site: &Site, kinds: &[FactFile], nodes: usize, threads: usize) -> (Duration, Duration) {
    let next = AtomicUsize::new(0);
    let work = || {
        let (start, clock) = (on_a_core(), Instant::now());
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= nodes {
                break;
            }
            let catalog = site.compile(&node(kinds, n)).result.expect("the example compiles");
            std::hint::black_box(catalog.to_json());
        }
        on_a_core().zip(start).map_or_else(|| clock.elapsed(), |(end, start)| end - start)
    };
    let start = Instant::now();
    let spent = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|_| std::thread::Builder::new().stack_size(16 << 20).spawn_scoped(scope, work))
            .collect();
        threads.into_iter().map(|thread| thread.expect("a thread").join().expect("no panic")).sum()
    });
    (spent, start.elapsed())
}

fn main() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples/site");
    let mut facts: Vec<_> =
        std::fs::read_dir(root.join("facts")).expect("facts").flatten().map(|entry| entry.path()).collect();
    facts.sort();
    let read = |path: &PathBuf| {
        let bytes = std::fs::read(path).expect("a file of facts");
        FactFile::parse(&bytes, &path.display().to_string()).expect("facts")
    };
    let kinds: Vec<FactFile> = facts.iter().flat_map(read).collect();
    let wanted: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if wanted.is_empty() { SIZES.to_vec() } else { wanted };
    println!("| nodes | threads | on a core, µs a node | on the wall, µs a node |\n|---|---|---|---|");
    for nodes in sizes {
        for threads in [1, 2] {
            // A site of its own, so that what the one before has read is no help.
            let site = Compiler::default().open(&SiteSpec::at(root.clone())).expect("the example opens");
            let (core, wall) = compile(&site, &kinds, nodes, threads);
            let each = |time: Duration| time.as_secs_f64() * 1e6 / nodes as f64;
            println!("| {nodes} | {threads} | {:.0} | {:.0} |", each(core), each(wall));
        }
    }
}
