//! Many clients at once: no update is lost, no client notices the others, and a reader sees whole catalogs only.
//!
//! The same is done a fixed number of times, or for `KUKLA_SECONDS` seconds.

#![allow(clippy::disallowed_methods)] // stores are outside

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::common::{each_store, export_query, open, version, version_of};
use kukla_store::{Timestamp, Update};

const WRITERS: usize = 8;
const READERS: usize = 8;
const RESOURCES: usize = 40;
const ROUNDS: u64 = 6;

#[test]
fn eight_write_and_eight_read() {
    let seconds =
        std::env::var("KUKLA_SECONDS").ok().and_then(|text| text.parse().ok()).map(Duration::from_secs);
    each_store("concurrency", |url| {
        let began = Instant::now();
        let goes_on = |round: u64| seconds.map_or(round < ROUNDS, |limit| began.elapsed() < limit);
        let clock = AtomicI64::new(1);
        let (writes, reads) = (AtomicU64::new(0), AtomicU64::new(0));
        let is_over = AtomicBool::new(false);
        let written: Mutex<BTreeMap<String, i64>> = Mutex::default();
        std::thread::scope(|scope| {
            let write = |writer: usize| {
                // As if each were a process of its own.
                let store = open(url);
                for round in (0..).take_while(|round| goes_on(*round)) {
                    for node in [format!("own{writer}"), format!("shared{}", round % 3)] {
                        let time = clock.fetch_add(1, Ordering::SeqCst);
                        let catalog = version(&node, time, RESOURCES);
                        let update = Update {
                            catalog: Some(&catalog),
                            ..Update::of(&node, "production", Timestamp(time))
                        };
                        store.update(&update).unwrap();
                        let mut written = written.lock().unwrap();
                        let last = written.entry(node).or_default();
                        *last = time.max(*last);
                        writes.fetch_add(1, Ordering::Relaxed);
                    }
                }
            };
            let read = |reader: usize| {
                let store = open(url);
                while !is_over.load(Ordering::Relaxed) {
                    let found = store.exported(&export_query("Notify", "nobody", None)).unwrap();
                    let mut parts = BTreeMap::<&str, Vec<_>>::new();
                    found.iter().for_each(|each| parts.entry(&each.node).or_default().push(&each.resource));
                    for (node, part) in parts {
                        let versions: Vec<_> = part.iter().map(|each| each.get("version")).collect();
                        assert!(
                            versions.len() == RESOURCES && versions.iter().all(|one| *one == versions[0]),
                            "{node}"
                        );
                    }
                    if let Some(catalog) = store.catalog(&format!("shared{}", reader % 3)).unwrap() {
                        version_of(&catalog, RESOURCES);
                    }
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            };
            let readers: Vec<_> = (0..READERS).map(|reader| scope.spawn(move || read(reader))).collect();
            let writers: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || write(writer))).collect();
            let written: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
            is_over.store(true, Ordering::Relaxed);
            let read: Vec<_> = readers.into_iter().map(|reader| reader.join()).collect();
            assert!(written.iter().chain(&read).all(Result::is_ok));
        });
        let store = open(url);
        for (node, time) in written.into_inner().unwrap() {
            assert_eq!(version_of(&store.catalog(&node).unwrap().unwrap(), RESOURCES), time, "{node}");
        }
        eprintln!("{url}: {writes:?} catalogs written, {reads:?} times read in {:?}", began.elapsed());
    });
}
