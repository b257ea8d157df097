//! References are byte for byte those of puppet-strings.
//!
//! `references/module` has every form of documentation, with the two files that puppet-strings 5 made of it. `KUKLA_REFERENCES` names a
//! directory of checkouts of public modules, whose committed `REFERENCE.md` must be reproduced; `references/stale.txt` lists those that are
//! not current by puppet-strings' own judgement.

use std::path::{Path, PathBuf};

use kukla::DiskWorld;
use kukla_check::reference::{self, Reference, json, markdown};

fn reference(module: &Path) -> Reference {
    let world = DiskWorld::default();
    let files = reference::files(&world, module, reference::DEFAULT_PATTERNS.iter().copied());
    Reference::of_files(&world, module, &files)
}

/// The first line in which two texts differ.
fn difference(expected: &str, actual: &str) -> Option<String> {
    if expected == actual {
        return None;
    }
    let same = expected.lines().zip(actual.lines()).take_while(|(one, other)| one == other).count();
    let line = |text: &str| text.lines().nth(same).unwrap_or("(the end)").to_owned();
    Some(format!("line {}: expected {:?}, got {:?}", same + 1, line(expected), line(actual)))
}

#[test]
fn every_form_of_documentation() {
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/references/module");
    let read = |name: &str| std::fs::read_to_string(module.join(name)).unwrap();
    let reference = reference(&module);
    assert_eq!(difference(&read("REFERENCE.md"), &markdown::page(&reference)), None);
    assert_eq!(difference(&read("reference.json"), &json::document(&reference)), None);
}

#[test]
fn committed_references() {
    let Some(directory) = std::env::var_os("KUKLA_REFERENCES") else {
        kukla_testing::skip("kukla-check/references", "KUKLA_REFERENCES names no directory of checkouts");
        return;
    };
    let stale: Vec<&str> = include_str!("references/stale.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let mut modules: Vec<PathBuf> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    modules.sort();
    let (mut equal, mut wrong) = (0, Vec::new());
    for module in modules {
        let Ok(committed) = std::fs::read_to_string(module.join("REFERENCE.md")) else { continue };
        let name = module.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let reference = reference(&module);
        match difference(&committed, &markdown::page(&reference)) {
            None => equal += 1,
            Some(_) if stale.iter().any(|one| name.ends_with(one)) => {}
            Some(difference) => wrong.push(format!("{name}: {difference}")),
        }
    }
    assert!(equal > 0, "no module with a REFERENCE.md that is equal");
    assert!(wrong.is_empty(), "{equal} equal; others:\n{}", wrong.join("\n"));
}
