//! The chapters of tests/store run: on a file, on the PostgreSQL server that `KUKLA_TEST_POSTGRES` names (`tests/store/with-postgres` starts one), and on
//! the PuppetDB that `KUKLA_TEST_PUPPETDB` names (`tests/store/with-puppetdb`). What they show must be what happens on each of them, to the letter.
//! `KUKLA_UPDATE=1` rewrites them with what happens on a file.

#![allow(clippy::disallowed_methods)] // a test reads the disk

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use kukla_testing::skip;

use crate::sessions::{Sessions, difference};

fn chapters() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("tests/store")).unwrap();
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|ending| ending == "md"));
    pages.sort();
    pages
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs every chapter on an empty store of one sort.
fn run(store: impl Fn(&Path) -> (String, Option<Box<dyn Fn()>>), may_update: bool) {
    let mut stale = Vec::new();
    for page in chapters() {
        let text = std::fs::read_to_string(&page).unwrap();
        let (url, before) = store(&page);
        let actual = Sessions { words: vec![("$STORE", url)], before, ..Sessions::default() }.replay(
            &root(),
            &page,
            &text,
        );
        if actual == text {
            continue;
        }
        if may_update && std::env::var_os("KUKLA_UPDATE").is_some() {
            std::fs::write(&page, actual).unwrap();
        } else {
            stale.push(format!("{}\n{}", page.display(), difference(&text, &actual)));
        }
    }
    assert!(stale.is_empty(), "a chapter shows something else than happens:\n{}", stale.join("\n"));
}

#[test]
fn on_a_file() {
    run(|_| ("sqlite:store.db".to_owned(), None), true);
}

#[test]
fn on_postgresql() {
    let Ok(server) = std::env::var("KUKLA_TEST_POSTGRES") else {
        return skip("kukla-cli/store-postgresql", "no PostgreSQL; tests/store/with-postgres starts one");
    };
    let database = |page: &Path| {
        let name = format!("chapter_{}", page.file_stem().unwrap().to_string_lossy().replace('-', "_"));
        let made = Command::new("createdb")
            .args(["--maintenance-db", &format!("{server}/postgres"), &name])
            .status();
        assert!(made.is_ok_and(|status| status.success()), "createdb");
        (format!("{server}/{name}"), None)
    };
    run(database, false);
}

/// PuppetDB takes things in after it has answered, so each command waits until it has nothing to do; `KUKLA_TEST_PUPPETDB_IDLE` is a command that does.
#[test]
fn on_puppetdb() {
    let Ok(url) = std::env::var("KUKLA_TEST_PUPPETDB") else {
        return skip(
            "kukla-cli/store-puppetdb",
            "no PuppetDB; tests/store/with-puppetdb installs and starts one",
        );
    };
    let (idle, tls) = (
        std::env::var("KUKLA_TEST_PUPPETDB_IDLE").unwrap(),
        std::env::var("KUKLA_TEST_PUPPETDB_TLS").unwrap(),
    );
    let url =
        format!("{url} --store-ca {tls}/ca.pem --store-cert {tls}/client.pem --store-key {tls}/client.key");
    let wait = move || {
        for _ in 0..600 {
            if Command::new("sh").args(["-c", &idle]).status().is_ok_and(|status| status.success()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("PuppetDB never comes to rest");
    };
    run(|_| (url.clone(), Some(Box::new(wait.clone()))), false);
}

/// A run that stops at the first failure has not seen the exports of all nodes, so it stores nothing.
#[test]
fn a_run_that_ends_at_a_failure_stores_nothing() {
    let site = std::env::temp_dir().join(format!("kukla-fail-fast-{}", std::process::id()));
    std::fs::create_dir_all(site.join("manifests")).unwrap();
    std::fs::create_dir_all(site.join("facts")).unwrap();
    std::fs::write(
        site.join("manifests/site.pp"),
        "node /^good/ { @@notify { 'a': } } node default { fail('no') }",
    )
    .unwrap();
    for number in 0..100 {
        for name in ["bad", "good"] {
            std::fs::write(site.join(format!("facts/{name}{number}.yaml")), "a: 1\n").unwrap();
        }
    }
    let kukla = |arguments: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_kukla")).args(arguments).current_dir(&site).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (status, _, errors) =
        kukla(&["compile", ".", "--all", "--fail-fast", "--store", "sqlite:store.db", "--output", "out"]);
    assert_eq!(status, Some(1));
    assert!(
        errors.contains("stopped at the first failure") && errors.contains("nothing is stored"),
        "{errors}"
    );
    let (_, nodes, _) =
        kukla(&["store", "query", "nodes[certname] { }", "--store", "sqlite:store.db", "--format", "json"]);
    assert_eq!(nodes.trim(), "[]");
    assert_eq!(std::fs::read_dir(site.join("out")).unwrap().count(), 0);
    std::fs::remove_dir_all(&site).unwrap();
}
