//! Fixes of `kukla lint` keep catalogs as they are.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use kukla_testing::skip;

use crate::common::Directory;

/// One of this number of classes is compiled.
const ONE_OF: usize = 6;

fn kukla(root: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kukla")).args(arguments).current_dir(root).output().unwrap()
}

/// Copies the files below a directory, also those behind links.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let from = entry.unwrap().path();
        let to = to.join(from.file_name().unwrap());
        match std::fs::metadata(&from) {
            Ok(metadata) if metadata.is_dir() => copy(&from, &to),
            Ok(_) => std::fs::copy(&from, &to).map(drop).unwrap(),
            Err(_) => {}
        }
    }
}

/// The manifests below a directory.
fn manifests(below: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(below).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            manifests(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pp") {
            found.push(path);
        }
    }
}

/// The class that a manifest defines first.
fn class_of(manifest: &Path) -> Option<String> {
    let code = std::fs::read_to_string(manifest).ok()?;
    let line = code.lines().find_map(|line| line.strip_prefix("class "))?;
    let name =
        line.split(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || "_:".contains(c))).next()?;
    (!name.is_empty()).then(|| name.trim_start_matches("::").to_owned())
}

#[test]
fn fixes_of_the_form_change_no_catalog() {
    let Ok(modules) = std::env::var("KUKLA_MODULES") else {
        return skip("lint/fixes-and-catalogs", "KUKLA_MODULES names no directory of modules");
    };
    let directory = Directory::new("lint-fix");
    for side in ["before", "after"] {
        copy(Path::new(&modules), &directory.root.join(side).join("modules"));
    }
    let run = kukla(&directory.root, &["lint", "--fix", "--fix-effect", "form", "after/modules"]);
    let fixed = String::from_utf8_lossy(&run.stdout).matches(" - FIXED: ").count();
    assert!(fixed > 10_000, "{fixed} fixes, {}", String::from_utf8_lossy(&run.stderr));

    let mut found = Vec::new();
    manifests(&directory.root.join("before/modules"), &mut found);
    let mut classes: Vec<String> = found.iter().filter_map(|manifest| class_of(manifest)).collect();
    classes.sort();
    classes.dedup();
    let mut site = String::new();
    for (number, class) in classes.iter().step_by(ONE_OF).enumerate() {
        let _ = writeln!(site, "node 'n{number}.example.com' {{ include {class} }}");
    }
    for side in ["before", "after"] {
        directory.put(&format!("{side}/manifests/site.pp"), &site);
    }
    let arguments = ["diff", "before", "after", "--facts", "debian-12", "--no-cache", "--format", "json"];
    let run = kukla(&directory.root, &arguments);
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let counts = &report["counts"];
    let count = |name: &str| counts[name].as_u64().unwrap();
    assert!(count("unchanged") > 50, "{counts}");
    // What is different is that more compiles, or less.
    assert_eq!(count("unchanged") + count("fails"), count("nodes"), "{counts} {}", report["groups"]);
}
