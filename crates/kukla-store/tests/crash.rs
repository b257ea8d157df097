//! A writer that is killed at any moment: every node has its old catalog or its new one, whole.
//!
//! `KUKLA_KILLS` says how often.

#![allow(clippy::disallowed_methods)] // processes are outside

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Directory, database, export_query, open, version, version_of, without_postgresql};
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
        println!("storing {time}");
        store
            .update(&Update { catalog: Some(&catalog), ..Update::of(&node, "production", Timestamp(time)) })
            .unwrap();
        println!("stored {time}");
    }
}

#[test]
fn every_node_has_a_whole_catalog_whenever_a_writer_is_killed() {
    let kills: usize = std::env::var("KUKLA_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let directory = Directory::new("crash");
    let sqlite = format!("sqlite:{}", directory.path("store.db"));
    let server = std::env::var("KUKLA_TEST_POSTGRES").ok();
    if server.is_none() {
        without_postgresql("crash");
    }
    let postgres = server.map(|server| database(&server, "crash"));
    for url in [Some(sqlite), postgres].into_iter().flatten() {
        let store = open(&url);
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        let mut chance = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        let mut each = Duration::from_millis(10);
        let (mut changed, mut within) = (0, 0);
        let mut last = Vec::new();
        let given_up = given_up(&url);
        // A kill may come before or after a write, so more of them follow until each has happened.
        let mut round = 0;
        while round < kills || (round < 20 * kills && (changed == 0 || within == 0)) {
            round += 1;
            let mut writer = Command::new(std::env::current_exe().unwrap())
                .args(["crash::writer", "--exact", "--nocapture"])
                .env("KUKLA_CRASH_STORE", &url)
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines().map_while(Result::ok);
            let mut wait_for = |word: &str| {
                assert!(lines.any(|line| line.contains(word)), "the writer ends before it says '{word}'");
            };
            // After some catalogs, at any point of the next one. How long one takes depends on what else the machine does.
            wait_for("begins");
            for _ in 0..chance() % 3 {
                wait_for("storing ");
                let began = Instant::now();
                wait_for("stored ");
                each = began.elapsed();
            }
            wait_for("storing ");
            // Not a wait for anything: the moment of the kill is what varies.
            std::thread::sleep(each.mul_f64((chance() % 1000) as f64 / 900.0));
            writer.kill().unwrap();
            writer.wait().unwrap();
            // Its output before it was killed shows whether it was storing then, and what it had stored.
            let said: Vec<String> = lines.collect();
            within += usize::from(said.last().is_none_or(|line| line.starts_with("storing ")));
            let stored = said.iter().rev().find_map(|line| line.strip_prefix("stored ")?.parse::<i64>().ok());
            let mut versions = Vec::new();
            for node in (0..NODES).map(|at| format!("node{at}")) {
                let Some(catalog) = store.catalog(&node).unwrap() else { continue };
                let time = version_of(&catalog, RESOURCES);
                let found = store
                    .exported(&export_query(
                        "Notify",
                        "nobody",
                        Some(kukla_catalog::Filter::Attribute("version".into(), time.into())),
                    ))
                    .unwrap();
                assert_eq!(found.len(), RESOURCES, "{node}");
                versions.push((node, time));
            }
            let newest = versions.iter().map(|(_, time)| *time).max();
            assert!(newest >= stored, "{stored:?} was stored, and the newest is {newest:?}");
            changed += usize::from(versions != last);
            last = versions;
        }
        assert!(changed > 0, "the writer never wrote anything");
        assert!(within > 0, "the writer was never killed while it stored something");
        let given_up = match (given_up, self::given_up(&url)) {
            (Some(before), Some(after)) => format!("; the server gave up {} transactions", after - before),
            _ => String::new(),
        };
        eprintln!(
            "{url}: killed {round} times, {within} times while it stored something, {changed} times after it had{given_up}"
        );
    }
}

/// How many transactions a PostgreSQL server has rolled back in a database: of clients that went away, and of those that were in conflict.
fn given_up(url: &str) -> Option<i64> {
    let mut client =
        postgres::Client::connect(url.strip_prefix("postgres").map(|_| url)?, postgres::NoTls).unwrap();
    let counted = "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()";
    Some(client.query_one(counted, &[]).unwrap().get(0))
}
