//! Skips that are counted.
//!
//! A test that needs something the machine may lack (Ruby, PostgreSQL, a browser) calls [`skip`] and returns. The skip is printed past the
//! test harness, and appended to the file that `KUKLA_SKIPS` names. In CI, where everything should be there, it fails the test unless
//! `tests/skips.txt` lists it with a reason.

#![allow(clippy::disallowed_methods)] // the environment decides whether a skip is a failure

use std::fs::OpenOptions;
use std::io::Write;

/// The skips that CI accepts: a name, blanks, the reason.
const ACCEPTED: &str = include_str!("../../../tests/skips.txt");

/// Reports that the test `name` cannot run because `absent` is missing.
///
/// A name is the package and the test, such as `kukla-cli/browser`.
///
/// # Panics
///
/// In CI (`CI` is set), unless `tests/skips.txt` lists the name.
pub fn skip(name: &str, absent: &str) {
    let line = format!("skipped: {name}: {absent}\n");
    // Not through `eprint!`, which the harness captures.
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(file) = std::env::var_os("KUKLA_SKIPS") {
        let file = OpenOptions::new().create(true).append(true).open(file);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("KUKLA_SKIPS names a file to write");
    }
    let in_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(
        !in_ci || is_accepted(ACCEPTED, name),
        "{name} cannot run, and tests/skips.txt does not list it: {absent}"
    );
}

/// Whether a list of skips has a name.
fn is_accepted(list: &str, name: &str) -> bool {
    list.lines()
        .filter(|line| !line.starts_with('#'))
        .any(|line| line.split_whitespace().next() == Some(name))
}

#[test]
fn a_list_has_names_and_reasons() {
    let list = "# kukla-a/b\nkukla-c/d  there is no d\n\n";
    assert!(is_accepted(list, "kukla-c/d"));
    assert!(!is_accepted(list, "kukla-a/b") && !is_accepted(list, "kukla-c") && !is_accepted(list, "there"));
    for line in ACCEPTED.lines().filter(|line| !line.starts_with('#')) {
        assert!(line.split_whitespace().count() > 3, "no reason: {line}");
    }
}
