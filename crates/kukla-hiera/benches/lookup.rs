//! How long lookups take once files are known: `cargo bench -p kukla-hiera`.
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kukla_hiera::memory::MemoryHost;
use kukla_hiera::{DataCache, LookupRequest, Session, Settings};
use kukla_values::{Hash, Value};
use kukla_world::MemoryWorld;

const LEVELS: usize = 10;
const KEYS: usize = 500;

fn host() -> MemoryHost {
    let mut host = MemoryHost { modules: "/env/modules".into(), ..MemoryHost::default() };
    let mut hiera = String::from("version: 5\nhierarchy:\n");
    let mut world = MemoryWorld::default();
    for level in 0..LEVELS {
        hiera += &format!("- name: level {level}\n  path: \"%{{facts.role}}/{level}.yaml\"\n");
        let mut data = String::new();
        for key in 0..KEYS {
            data += &format!("site::l{level}::key{key}: {{a: {level}, b: [{key}, two, three]}}\n");
        }
        data += &format!(
            "site::text{level}: \"before %{{facts.role}} after %{{lookup('site::l9::key1.a')}}\"\nsite::all: {{k{level}: {level}}}\n"
        );
        world = world.with(format!("/env/data/web/{level}.yaml"), data);
    }
    host.world = world.with("/env/hiera.yaml", hiera);
    host.variables.insert("facts", [("role", "web")].into_iter().collect::<Hash>());
    host
}

fn session(cache: &Arc<DataCache>) -> Session {
    let settings = Settings {
        environment_root: Some("/env".into()),
        environment: "production".into(),
        ..Settings::default()
    };
    Session::new(cache.clone(), settings)
}

fn measure(what: &str, mut run: impl FnMut()) {
    run();
    let start = Instant::now();
    let mut rounds = 0u32;
    while start.elapsed() < Duration::from_millis(300) {
        for _ in 0..100 {
            run();
        }
        rounds += 100;
    }
    println!("{what:40} {:>10.2} us", start.elapsed().as_secs_f64() * 1e6 / f64::from(rounds));
}

fn main() {
    let mut host = host();
    let cache = Arc::new(DataCache::new());
    let start = Instant::now();
    let mut warm = session(&cache);
    warm.class_parameter(&mut host, "site::nothing").expect("no error");
    println!("{:40} {:>10.2} us", "cold: read and understand 10 files", start.elapsed().as_secs_f64() * 1e6);
    for (what, key) in [
        ("first level", "site::l0::key7"),
        ("last of ten levels", "site::l9::key7"),
        ("nowhere", "site::l11::key7"),
        ("dotted", "site::l0::key7.b.1"),
        ("interpolated, with a lookup inside", "site::text0"),
    ] {
        measure(what, || {
            black_box(warm.class_parameter(&mut host, key).expect("no error"));
        });
    }
    let merged = LookupRequest { merge: Some("deep".into()), ..LookupRequest::key("site::all") };
    measure("deep merge of ten levels", || {
        black_box(warm.lookup(&mut host, &merged).expect("found"));
    });
    measure("a new node's first lookup", || {
        let value: Value =
            session(&cache).lookup(&mut host, &LookupRequest::key("site::l9::key7")).expect("found").value;
        black_box(value);
    });
}
