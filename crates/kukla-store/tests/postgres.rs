//! Failures of a PostgreSQL server, which `tests/store/with-postgres` starts: each has a code of its own and a hint.

#![allow(clippy::disallowed_methods)] // a server is outside

use std::path::Path;
use std::time::Duration;

use crate::common::{database, export_query, exporting, open, without_postgresql};
use kukla_store::codes::{NOT_A_STORE, STORE_CERTIFICATE, STORE_FAILED, STORE_TOO_NEW, STORE_UNREACHABLE};
use kukla_store::{Options, Timestamp, Update};
use kukla_syntax::Diagnostic;

/// The URL of an empty database, if there is a server.
fn empty(name: &str) -> Option<String> {
    let Ok(server) = std::env::var("KUKLA_TEST_POSTGRES") else {
        without_postgresql(name);
        return None;
    };
    Some(database(&server, name))
}

/// The error of opening a store that cannot be used.
fn refused(url: &str) -> Box<Diagnostic> {
    let options = Options { patience: Duration::from_secs(5), ..Options::default() };
    kukla_store::open(url, &options).map(|_| ()).expect_err(url)
}

fn execute(url: &str, sql: &str) {
    postgres::Client::connect(url, postgres::NoTls).unwrap().batch_execute(sql).unwrap();
}

#[test]
fn a_certificate_is_looked_at() {
    let Some(url) = empty("tls") else { return };
    let file =
        |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(name).display().to_string();
    let named = url.replace("127.0.0.1", "localhost");
    let with =
        |url: &str, authority: &str| format!("{url}?sslmode=verify-full&sslrootcert={}", file(authority));
    let store = open(&with(&named, "ca.pem"));
    store
        .update(&Update { catalog: Some(&exporting("a", 1)), ..Update::of("a", "production", Timestamp(1)) })
        .unwrap();
    assert_eq!(store.exported(&export_query("Notify", "b", None)).unwrap().len(), 1);
    // An authority for other purposes does not make connections to a server use TLS, unless the URL says so.
    let authorities = Some(file("other.pem").into());
    let options = Options { authorities, ..Options::default() };
    assert!(kukla_store::open(&url, &options).is_ok());
    assert!(
        kukla_store::open(&format!("{named}?sslmode=require"), &options).unwrap_err().is(&STORE_CERTIFICATE)
    );
    // Another authority, another name than the certificate has, no authority at all, a file that is none.
    let wrong = [
        with(&named, "other.pem"),
        with(&url, "ca.pem"),
        format!("{named}?sslmode=require"),
        with(&named, "README.md"),
    ];
    for url in wrong {
        let error = refused(&url);
        assert!(error.is(&STORE_CERTIFICATE) && !error.hints.is_empty(), "{url}: {error:?}");
    }
}

#[test]
fn what_a_server_refuses_is_told_with_a_hint() {
    let Some(url) = empty("wrong") else { return };
    let is = |error: &Diagnostic, code| error.is(code) && !error.hints.is_empty();
    let missing = refused(&format!("{}/kukla_nowhere", url.rsplit_once('/').unwrap().0));
    assert!(is(&missing, &STORE_UNREACHABLE), "{missing:?}");
    let nobody = refused(&url.replace("kukla@", "stranger:wrong@"));
    assert!(is(&nobody, &STORE_FAILED) && !nobody.to_string().contains("wrong@"), "{nobody:?}");
    // Who may connect but not make tables.
    execute(&url, "REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    let powerless = refused(&url.replace("kukla@", "stranger:hunter2@"));
    assert!(is(&powerless, &STORE_FAILED), "{powerless:?}");

    execute(&url, "CREATE TABLE nodes (a BIGINT)");
    let other = refused(&url);
    assert!(is(&other, &NOT_A_STORE), "{other:?}");
    execute(&url, "DROP TABLE nodes");
    drop(open(&url));
    execute(&url, "UPDATE layout SET version = 99");
    let newer = refused(&url);
    assert!(is(&newer, &STORE_TOO_NEW) && newer.message().contains("99"), "{newer:?}");
}

/// A server that is restarted closes its connections; the store opens new ones, and callers do not notice.
#[test]
fn a_lost_connection_is_made_again() {
    let Some(url) = empty("lost") else { return };
    let store = open(&url);
    for time in 1..4 {
        let catalog = exporting("a", 2);
        store
            .update(&Update { catalog: Some(&catalog), ..Update::of("a", "production", Timestamp(time)) })
            .unwrap();
        assert_eq!(store.exported(&export_query("Notify", "b", None)).unwrap().len(), 2);
        execute(
            &url,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
    }
}

/// A table that someone else holds: a statement ends after its time, and so does the wait for it.
#[test]
fn a_statement_has_a_limit() {
    let Some(url) = empty("slow") else { return };
    let options = Options { statement: Some(Duration::from_millis(200)), ..Options::default() };
    let store = kukla_store::open(&url, &options).unwrap();
    let update = Update { catalog: Some(&exporting("a", 1)), ..Update::of("a", "production", Timestamp(1)) };
    store.update(&update).unwrap();
    let mut holder = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    holder.batch_execute("BEGIN; LOCK TABLE nodes IN ACCESS EXCLUSIVE MODE").unwrap();
    assert!(store.update(&update).unwrap_err().is(&STORE_UNREACHABLE));
    assert!(store.facts("a").unwrap_err().is(&STORE_UNREACHABLE));
    holder.batch_execute("COMMIT").unwrap();
    store.update(&update).unwrap();
}
