//! Failures of files.

#![allow(clippy::disallowed_methods)] // a file is outside

use std::time::Duration;

use crate::common::{self, Directory};
use kukla_store::codes::{NOT_A_STORE, STORE_FULL, STORE_LOCKED, STORE_TOO_NEW, STORE_UNREACHABLE};
use kukla_store::{Options, Timestamp, Update, open};
use kukla_testing::skip;

#[test]
fn what_is_wrong_with_a_file_is_told_with_a_hint() {
    let directory = Directory::new("wrong");
    let path = |name: &str| directory.path(name);
    let refused = |url: &str| {
        open(url, &Options { patience: Duration::from_millis(200), ..Options::default() }).unwrap_err()
    };

    let nowhere = refused(&format!("sqlite:{}/nowhere/store.db", path("")));
    assert!(nowhere.is(&STORE_UNREACHABLE) && !nowhere.hints.is_empty(), "{nowhere}");

    std::fs::write(path("text"), "this is a text and not a database at all, not in the least\n".repeat(20))
        .unwrap();
    let text = refused(&format!("sqlite:{}", path("text")));
    assert!(text.is(&NOT_A_STORE) && !text.hints.is_empty(), "{text}");

    let other = rusqlite::Connection::open(path("other")).unwrap();
    other.execute("CREATE TABLE nodes (a)", []).unwrap();
    assert!(refused(&format!("sqlite:{}", path("other"))).is(&NOT_A_STORE));

    drop(common::open(&format!("sqlite:{}", path("store.db"))));
    let newer = rusqlite::Connection::open(path("store.db")).unwrap();
    newer.execute("UPDATE layout SET version = 99", []).unwrap();
    let wrong = refused(&format!("sqlite:{}", path("store.db")));
    assert!(wrong.is(&STORE_TOO_NEW) && wrong.message().contains("99") && !wrong.hints.is_empty(), "{wrong}");
    newer.execute("UPDATE layout SET version = 1", []).unwrap();

    let store = open(
        &format!("sqlite:{}", path("store.db")),
        &Options { patience: Duration::from_millis(200), ..Options::default() },
    )
    .unwrap();
    newer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let update = Update::of("a", "production", Timestamp(1));
    let locked = store.update(&update).unwrap_err();
    assert!(locked.is(&STORE_LOCKED) && !locked.hints.is_empty(), "{locked}");
    newer.execute_batch("COMMIT").unwrap();
    store.update(&update).unwrap();
}

#[test]
fn the_file_is_for_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let directory = Directory::new("owner");
    common::open(&format!("sqlite:{}", directory.path("store.db")))
        .update(&Update::of("a", "production", Timestamp(1)))
        .unwrap();
    for name in ["store.db", "store.db-wal"] {
        if let Ok(about) = std::fs::metadata(directory.path(name)) {
            assert_eq!(about.permissions().mode() & 0o777, 0o600, "{name}");
        }
    }
}

/// Where there is no room, what was there before stays, whole; when there is room again, work goes on. The disk is one of our own in memory, for which the
/// system has to allow a namespace.
#[test]
fn a_full_disk_loses_nothing() {
    let directory = Directory::new("full");
    let url = format!("sqlite:{}", directory.path("disk/store.db"));
    std::fs::create_dir(directory.path("disk")).unwrap();
    let test = std::env::current_exe().unwrap();
    let script = "mount -t tmpfs -o size=1m tmpfs \"$1\" && shift && exec \"$@\"";
    let arguments = ["-rm", "sh", "-c", script, "sh", &directory.path("disk")];
    let ran = std::process::Command::new("unshare")
        .args(arguments)
        .arg(test)
        .args(["sqlite::fills_a_disk", "--exact", "--nocapture"])
        .env("KUKLA_FULL_STORE", &url)
        .output();
    match ran {
        Ok(output) if output.status.success() => {}
        Ok(output) if !String::from_utf8_lossy(&output.stderr).contains("panicked") => {
            let problem = String::from_utf8_lossy(&output.stderr);
            skip("kukla-store/full-disk", &format!("cannot mount a file system: {}", problem.trim()));
        }
        Ok(output) => {
            panic!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
        }
        Err(error) => skip("kukla-store/full-disk", &format!("unshare: {error}")),
    }
}

/// Not a test of its own: what the test above runs on a small disk.
#[test]
fn fills_a_disk() {
    let Ok(url) = std::env::var("KUKLA_FULL_STORE") else { return };
    let store = common::open(&url);
    let put = |time: i64, resources: usize| {
        let catalog = common::version("a", time, resources);
        store.update(&Update { catalog: Some(&catalog), ..Update::of("a", "production", Timestamp(time)) })
    };
    put(1, 10).unwrap();
    let full = put(2, 20_000).unwrap_err();
    assert!(full.is(&STORE_FULL) && !full.hints.is_empty(), "{full:?}");
    let whole = |resources: usize| common::version_of(&store.catalog("a").unwrap().unwrap(), resources);
    assert_eq!(whole(10), 1);
    put(3, 12).unwrap();
    assert_eq!(whole(12), 3);
}

#[test]
fn many_may_make_the_file_at_once() {
    for round in 0..20 {
        let directory = Directory::new(&format!("made-{round}"));
        let url = format!("sqlite:{}", directory.path("store.db"));
        std::thread::scope(|scope| {
            let open = || open(&url, &Options::default()).map(drop);
            let all: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            for one in all {
                assert!(one.join().is_ok_and(|opened| opened.is_ok()));
            }
        });
    }
}

/// A file that is restored from a backup, removed, or replaced while the store is open: what is written from then on is in the new file.
#[test]
fn a_file_that_is_replaced_is_opened_again() {
    let directory = Directory::new("replaced");
    let (path, url) = (directory.path("store.db"), format!("sqlite:{}", directory.path("store.db")));
    let facts = |store: &dyn kukla_store::Store, node: &str| store.facts(node).unwrap().is_some();
    let write = |store: &dyn kukla_store::Store, node: &str, time: i64| {
        let mut facts = kukla_values::Hash::new();
        facts.insert("kernel", "Linux");
        let update = Update { facts: Some(&facts), ..Update::of(node, "production", Timestamp(time)) };
        store.update(&update).unwrap();
    };
    let store = common::open(&url);
    write(&*store, "first", 1);

    // Another store, which has been closed, takes its place.
    let other = directory.path("other.db");
    write(&*common::open(&format!("sqlite:{other}")), "restored", 1);
    std::fs::rename(&other, &path).unwrap();
    assert!(facts(&*store, "restored") && !facts(&*store, "first"));
    write(&*store, "second", 2);
    assert!(facts(&*common::open(&url), "second") && facts(&*common::open(&url), "restored"));

    // The file is gone: there is an empty one.
    for name in ["store.db", "store.db-wal", "store.db-shm"] {
        let _ = std::fs::remove_file(directory.path(name));
    }
    write(&*store, "third", 3);
    assert!(facts(&*common::open(&url), "third") && !facts(&*store, "second"));

    // Something else is there: nothing is written to it.
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "this is a text and not a database at all, not in the least\n".repeat(20)).unwrap();
    assert!(store.update(&Update::of("fourth", "production", Timestamp(4))).unwrap_err().is(&NOT_A_STORE));
}
