//! Skips that are counted.
//!
//! A test that needs something the machine may lack (Ruby, PostgreSQL, a browser) calls [`skip`] and returns. The skip is printed past the
//! test harness, and appended to the file that `KUKLA_SKIPS` names. In CI, where everything should be there, it fails the test unless
//! `tests/skips.txt` lists it with a reason. Scripts call `.ci/skip`, which does the same.

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

/// Scripts skip by the same rule.
#[test]
fn a_script_skips_as_tests_do() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let file = std::env::temp_dir().join(format!("kukla-testing-skips-{}", std::process::id()));
    let _ = std::fs::remove_file(&file);
    let listed =
        ACCEPTED.lines().find(|line| !line.starts_with('#')).and_then(|line| line.split_whitespace().next());
    let names = [(listed.expect("a list with names"), true), ("kukla-a/b", false)];
    for (name, is_listed) in names {
        for in_ci in ["", "1"] {
            let status = std::process::Command::new(format!("{root}/.ci/skip"))
                .args([name, "there is none"])
                .env("CI", in_ci)
                .env("KUKLA_SKIPS", &file)
                .stderr(std::process::Stdio::null())
                .status()
                .expect("a shell");
            assert_eq!(status.success(), is_listed || in_ci.is_empty(), "{name} {in_ci}");
        }
    }
    let lines = std::fs::read_to_string(&file).expect("a list of skips");
    let expected = names.map(|(name, _)| format!("skipped: {name}: there is none\n").repeat(2)).concat();
    assert_eq!(lines, expected);
    let _ = std::fs::remove_file(&file);
}
