//! `cargo bench -p kukla-benches --bench fleet`: what a node of a fleet costs, from ten of them to twenty thousand.
//!
//! The site is `examples/site`, opened once; the nodes have the facts that lie there and names of their own. Catalogs are
//! written as JSON. Shown is, for each node, the time that the threads ran on a core, and the time in which they neither ran
//! nor waited for a core that the neighbours had, which is what they waited for each other and for the disk. What two threads
//! are worth is computed from these, since the clock on the wall measures the neighbours too. Arguments are numbers of nodes.

#![allow(clippy::disallowed_methods)]

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kukla::facts::FactFile;
use kukla::{Compiler, Node, Site, SiteSpec};
use kukla_benches::plot::{self, Series};

const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 20_000];

/// The time that threads spent running and waiting.
#[derive(Clone, Copy, Default)]
struct Time {
    /// On a core.
    ran: Duration,
    /// Neither on a core nor waiting for one.
    rested: Duration,
}

/// Does something and says what the thread did with its time, where the system tells; elsewhere it ran all the time.
fn timed(work: impl FnOnce()) -> Time {
    let scheduled = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let mut numbers = text.split_whitespace().map(|number| number.parse().map(Duration::from_nanos));
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    let (start, before) = (Instant::now(), scheduled());
    work();
    let wall = start.elapsed();
    // What a thread has used is only brought up to date when it rests.
    std::thread::sleep(Duration::from_millis(5));
    match before.zip(scheduled()) {
        Some(((ran, waited), (ran_then, waited_then))) => {
            let (ran, waited) = (ran_then - ran, waited_then - waited);
            Time { ran, rested: wall.saturating_sub(ran + waited) }
        }
        None => Time { ran: wall, rested: Duration::ZERO },
    }
}

fn node(kinds: &[FactFile], n: usize) -> Node {
    let mut node = Node::named(format!("n{n}.example.com"));
    node.facts = kinds[n % kinds.len()].facts.clone();
    node
}

/// Compiles `nodes` nodes on `threads` threads.
fn compile(site: &Site, kinds: &[FactFile], nodes: usize, threads: usize) -> Time {
    let next = AtomicUsize::new(0);
    let work = || {
        timed(|| {
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= nodes {
                    break;
                }
                let catalog = site.compile(&node(kinds, n)).result.expect("the example compiles");
                std::hint::black_box(catalog.to_json());
            }
        })
    };
    std::thread::scope(|scope| {
        let spawn = |_| std::thread::Builder::new().stack_size(16 << 20).spawn_scoped(scope, work);
        let threads: Vec<_> = (0..threads).map(spawn).collect();
        threads.into_iter().fold(Time::default(), |sum, thread| {
            let time = thread.expect("a thread").join().expect("no panic");
            Time { ran: sum.ran + time.ran, rested: sum.rested + time.rested }
        })
    })
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
    println!(
        "| nodes | one thread, µs | rested, µs | two threads, µs | rested, µs | two threads are worth |"
    );
    println!("|---|---|---|---|---|---|");
    let mut series = [("one thread", 1), ("two threads", 2)]
        .map(|(name, threads)| (threads, Series { name, points: Vec::new() }));
    for nodes in sizes {
        let [one, two] = [1, 2].map(|threads| {
            // A new site, so that it cannot reuse what the one before has read.
            let site = Compiler::default().open(&SiteSpec::at(root.clone())).expect("the example opens");
            compile(&site, &kinds, nodes, threads)
        });
        let each = |time: Duration| time.as_secs_f64() * 1e6 / nodes as f64;
        let all = |time: Time| (time.ran + time.rested).as_secs_f64().max(1e-9);
        for ((threads, series), time) in series.iter_mut().zip([one, two]) {
            series.points.push((nodes as f64, each(time.ran + time.rested) / *threads as f64));
        }
        println!(
            "| {nodes} | {:.0} | {:.1} | {:.0} | {:.1} | {:.2} |",
            each(one.ran),
            each(one.rested),
            each(two.ran),
            each(two.rested),
            2.0 * all(one) / all(two),
        );
    }
    let [one, two] = series.map(|(_, series)| series);
    let svg = plot::lines("A fleet: time for each node", "nodes", "microseconds", &[one, two]);
    plot::write("fleet", &svg).expect("a place for the plot");
}
