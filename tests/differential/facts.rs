//! The facts of this machine against real Facter: what both know must be equal in value and in type.
//!
//! `KUKLA_FACTER=command` names Facter; without it nothing is compared, but that there are facts. What changes from one moment to the next
//! is not compared.

#![allow(clippy::disallowed_methods)] // a test runner runs commands

use std::process::Command;

use kukla::DiskWorld;
use kukla::facts::machine::{self, Sources};
use serde_json::Value;

/// Facts that change while they are asked for.
const RESTLESS: &[&str] = &[
    "load_averages",
    "memory.system.available",
    "memory.system.capacity",
    "memory.system.used",
    "memory.swap.available",
    "memory.swap.capacity",
    "memory.swap.used",
    "memoryfree",
    "swapfree",
    "mountpoints",
    "processors.speed",
    "system_uptime",
    "uptime",
];

#[test]
fn facts_are_those_of_facter() {
    let sources = Sources { legacy: true, ..Sources::default() };
    let world = DiskWorld::default();
    let gathered = machine::gather(&world, &world, &sources);
    let ours = kukla::values::Shown::of(&kukla::Value::Hash(gathered.facts)).to_json();
    assert!(ours["kernel"].is_string() && ours["os"]["family"].is_string(), "{ours}");
    let Ok(facter) = std::env::var("KUKLA_FACTER") else {
        return kukla_testing::skip("kukla-tests/facts", "KUKLA_FACTER does not name a Facter");
    };
    let output = Command::new(facter).args(["--show-legacy", "--json"]).output();
    let output = output.unwrap_or_else(|error| panic!("facter: {error}"));
    let theirs: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("facter: {error}"));
    let mut tally = Tally::default();
    compare(&mut tally, "", &ours, &theirs);
    println!("{} values are equal, {} differ", tally.equal, tally.different);
    assert_eq!(tally.different, 0, "some facts differ from those of Facter");
}

#[derive(Default)]
struct Tally {
    equal: usize,
    different: usize,
}

fn compare(tally: &mut Tally, name: &str, ours: &Value, theirs: &Value) {
    if RESTLESS.iter().any(|restless| name.starts_with(restless)) {
        return;
    }
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            for (key, ours) in ours {
                let inside = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                if let Some(theirs) = theirs.get(key) {
                    compare(tally, &inside, ours, theirs);
                }
            }
        }
        _ if ours == theirs => tally.equal += 1,
        _ => {
            tally.different += 1;
            println!("{name}\n  ours   {ours}\n  theirs {theirs}");
        }
    }
}
