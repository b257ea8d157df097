//! A writer that is killed at any moment: every node has its old catalog or its new one, whole.
//!
//! `KUKLA_KILLS` says how often.

#![allow(clippy::disallowed_methods)] // processes are outside

mod common;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{Directory, open, version, version_of, wanted};
use kukla_store::{Timestamp, Update};

const NODES: usize = 4;
const RESOURCES: usize = 300;
const KILLS: usize = 12;

/// Not a test of its own: what the test below starts to kill it.
#[test]
fn writer() {
    let Ok(url) = std::env::var("KUKLA_CRASH_STORE") else { return };
    let store = open(&url);
    println!("begins");
    let first = Timestamp::now().0;
    for time in first.. {
        let node = format!("node{}", time as usize % NODES);
        let catalog = version(&node, time, RESOURCES);
        store
            .update(&Update { catalog: Some(&catalog), ..Update::of(&node, "production", Timestamp(time)) })
            .unwrap();
    }
}

#[test]
fn every_node_has_a_whole_catalog_whenever_a_writer_is_killed() {
    let kills: usize = std::env::var("KUKLA_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let directory = Directory::new("crash");
    let sqlite = format!("sqlite:{}", directory.path("store.db"));
    let server = std::env::var("KUKLA_TEST_POSTGRES").ok();
    let postgres = server.map(|server| common::database(&server, "crash"));
    for url in [Some(sqlite), postgres].into_iter().flatten() {
        let store = open(&url);
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        let mut changed = 0;
        let mut last = Vec::new();
        for _ in 0..kills {
            let mut writer = Command::new(std::env::current_exe().unwrap())
                .args(["writer", "--exact", "--nocapture"])
                .env("KUKLA_CRASH_STORE", &url)
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            // It has the store open and writes one catalog after the other.
            let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines().map_while(Result::ok);
            assert!(lines.any(|line| line.ends_with("begins")), "the writer does not begin");
            std::thread::sleep(Duration::from_micros(random % 60_000));
            writer.kill().unwrap();
            writer.wait().unwrap();
            let mut versions = Vec::new();
            for node in (0..NODES).map(|at| format!("node{at}")) {
                let Some(catalog) = store.catalog(&node).unwrap() else { continue };
                let time = version_of(&catalog, RESOURCES);
                let found = store
                    .exported(&wanted(
                        "Notify",
                        "nobody",
                        Some(kukla_catalog::Filter::Attribute("version".into(), time.into())),
                    ))
                    .unwrap();
                assert_eq!(found.len(), RESOURCES, "{node}");
                versions.push((node, time));
            }
            changed += usize::from(versions != last);
            last = versions;
        }
        assert!(changed > 0, "the writer never wrote anything");
        eprintln!("{url}: killed {kills} times, {changed} times after it had stored something");
    }
}
