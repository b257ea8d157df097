//! Stores that do not answer, and clocks that are wrong.

#![allow(clippy::disallowed_methods)] // a store is outside

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use crate::common::{self, Directory};
use kukla_store::codes::{BAD_STORE_QUERY, STORE_LOCKED, STORE_UNREACHABLE};
use kukla_store::{Breaker, Options, Question, Store, Timestamp, Update, UpdateOutcome, open};

#[test]
fn after_three_failures_calls_fail_at_once_until_the_store_is_back() {
    let directory = Directory::new("breaker");
    let url = format!("sqlite:{}", directory.path("store.db"));
    let options = Options { patience: Duration::from_millis(20), ..Options::default() };
    let store = open(&url, &options).unwrap();
    let update = Update::of("a", "production", Timestamp(1));
    let locker = rusqlite::Connection::open(directory.path("store.db")).unwrap();
    locker.execute_batch("BEGIN IMMEDIATE").unwrap();

    // It does not try again before an hour is over.
    let breaker = Breaker::with_pause(Arc::clone(&store), Duration::from_secs(3600));
    for number in 1..=3 {
        assert!(!breaker.is_open(), "{number}");
        assert!(breaker.update(&update).unwrap_err().is(&STORE_LOCKED));
    }
    let refused = breaker.update(&update).unwrap_err();
    assert!(refused.is(&STORE_UNREACHABLE) && refused.message().contains("3 times"), "{refused}");
    // Readers do not wait either, although they could read here.
    assert!(breaker.facts("a").unwrap_err().is(&STORE_UNREACHABLE));
    assert_eq!((breaker.failures(), breaker.is_open()), (3, true));

    // It tries again at once: the first answer closes it.
    let breaker = Breaker::with_pause(store, Duration::ZERO);
    for _ in 0..4 {
        assert!(breaker.update(&update).unwrap_err().is(&STORE_LOCKED));
    }
    assert!(breaker.is_open());
    locker.execute_batch("COMMIT").unwrap();
    breaker.update(&update).unwrap();
    assert!(!breaker.is_open());
    // A question that cannot be answered is the fault of who asks.
    for _ in 0..5 {
        assert!(breaker.query(&Question::pql("nonsense")).unwrap_err().is(&BAD_STORE_QUERY));
    }
    assert!(!breaker.is_open());
}

#[test]
fn a_server_that_accepts_connections_and_says_nothing_is_not_waited_for() {
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("postgres://kukla@{}/kukla", silent.local_addr().unwrap());
    let options = Options { patience: Duration::from_millis(100), ..Options::default() };
    let refused = open(&url, &options).unwrap_err();
    assert!(refused.is(&STORE_UNREACHABLE) && refused.message().contains("timed out"), "{refused}");
}

#[test]
fn what_a_wrong_clock_has_dated_into_the_future_keeps_nothing_out() {
    let directory = Directory::new("clock");
    let mut urls = vec![format!("sqlite:{}", directory.path("store.db"))];
    if let Ok(server) = std::env::var("KUKLA_TEST_POSTGRES") {
        urls.push(common::database(&server, "clock"));
    }
    for url in urls {
        let store = common::open(&url);
        let now = Timestamp::now();
        let write = |kernel: &str, time: Timestamp| {
            let mut facts = kukla_values::Hash::new();
            facts.insert("kernel", kernel);
            let update = Update { facts: Some(&facts), ..Update::of("a", "production", time) };
            let outcome = store.update(&update).unwrap();
            let stored =
                store.facts("a").unwrap().unwrap().get("kernel").unwrap().as_str().unwrap().to_owned();
            (outcome, stored)
        };
        let year = 365 * 86_400_000;
        let (later, earlier) = (now.minus(-year), now.minus(1000));
        assert_eq!(write("from the future", later), (UpdateOutcome::Stored, "from the future".into()));
        assert_eq!(write("present", now), (UpdateOutcome::Corrected(later), "present".into()));
        assert_eq!(write("past", earlier), (UpdateOutcome::Outdated(now), "present".into()));
        // The clocks of two servers may differ a little.
        let ahead = now.minus(-60_000);
        assert_eq!(write("ahead", ahead), (UpdateOutcome::Stored, "ahead".into()));
        assert_eq!(write("present", now), (UpdateOutcome::Outdated(ahead), "ahead".into()));
    }
}
