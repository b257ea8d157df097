//! `kukla explain` knows every code that Kukla prints: those of all tables, and those that renderers write themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn explain(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kukla")).arg("explain").args(arguments).output().unwrap()
}

/// The names in the list of all codes.
fn listed() -> BTreeSet<String> {
    let output = explain(&["--list"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| Some(line.split_whitespace().next()?.to_owned())).collect()
}

/// The Rust files of all crates, without their tests.
fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() && !entry.ends_with("tests") && !entry.ends_with("target") {
            sources(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            found.push(entry);
        }
    }
}

/// The rows of tables: `NAME: Error, "message";`, `NAME as ISSUE: Warning, ...`, `NAME = "rule-name": Error Always, ...`.
fn table_row(line: &str) -> Option<Vec<&str>> {
    let (names, rest) = line.strip_prefix("    ")?.split_once(": ")?;
    let severity = rest.split(|c: char| !c.is_alphabetic()).next()?;
    if !["Error", "Warning", "Deprecation", "Strict"].contains(&severity) || !rest.contains('"') {
        return None;
    }
    let is_name = |name: &str| {
        let has_letter = name.starts_with(|c: char| c.is_ascii_uppercase());
        has_letter && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    match (names.split_once(" as "), names.split_once(" = ")) {
        (Some((name, issue)), _) if is_name(name) => Some(vec![name, issue]),
        (_, Some((name, rule))) if is_name(name) => Some(vec![rule.trim_matches('"')]),
        (None, None) if is_name(names) => Some(vec![names]),
        _ => None,
    }
}

/// Codes that a line of code prints itself: `"error[CODE]: ..."`, `"code": "CODE"`.
fn literals(line: &str) -> Vec<&str> {
    let is_code = |text: &&str| {
        text.len() > 2
            && text.starts_with(|c: char| c.is_ascii_uppercase())
            && text.chars().all(|c| c.is_ascii_uppercase() || c == '_')
    };
    let brackets = ["error[", "warning[", "{level}[", "{severity}["]
        .iter()
        .flat_map(|start| line.split(start).skip(1).filter_map(|rest| rest.split(']').next()));
    let fields = ["\"code\": \"", "\"issue\": \""]
        .iter()
        .flat_map(|start| line.split(start).skip(1).filter_map(|rest| rest.split('"').next()));
    brackets.chain(fields).filter(is_code).collect()
}

#[test]
fn every_code_has_an_explanation() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        let directory = entry.unwrap().path().join("src");
        if directory.is_dir() {
            sources(&directory, &mut files);
        }
    }
    let (mut codes, mut others) = (BTreeMap::new(), BTreeMap::new());
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let is_table = text.contains("codes! {") || text.contains("rules! {");
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let row = table_row(line).filter(|_| is_table).unwrap_or_default();
            for (number, name) in row.into_iter().enumerate() {
                let names = if number == 0 { &mut codes } else { &mut others };
                names.insert(name.to_owned(), file.clone());
            }
            for name in literals(line) {
                others.insert(name.to_owned(), file.clone());
            }
        }
    }
    assert!(codes.len() > 500, "only {} codes found in the sources", codes.len());
    let listed = listed();
    // A documentation example, and a host for tests.
    let is_example = |file: &Path| {
        file.ends_with("kukla-syntax/src/code.rs") || file.ends_with("kukla-hiera/src/memory.rs")
    };
    for (code, file) in codes.iter().filter(|(_, file)| !is_example(file)) {
        assert!(listed.contains(code), "`kukla explain` does not know {code} of {}", file.display());
    }
    // Codes of the list are found by the same search as these.
    for (name, file) in others.iter().filter(|(name, file)| !listed.contains(*name) && !is_example(file)) {
        let output = explain(&[name]);
        assert!(output.status.success(), "`kukla explain` does not know {name} of {}", file.display());
    }
    for code in ["SYNTAX_ERROR", "syntax_error", "unknown-class"] {
        assert!(explain(&[code]).status.success(), "{code}");
    }
}

#[test]
fn an_unknown_code_has_a_suggestion() {
    let output = explain(&["SYNTAX_EROR"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text, "kukla: unknown code or rule 'SYNTAX_EROR'\n  help: did you mean SYNTAX_ERROR?\n");
}
