//! The example that people copy is clean.

use std::path::{Path, PathBuf};

use kukla_lint::{Manifest, Rule, Settings, lint, rules};

fn manifests(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            manifests(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pp") {
            found.push(path);
        }
    }
}

#[test]
fn the_example_has_no_findings() {
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/site").canonicalize().unwrap();
    let mut found = Vec::new();
    manifests(&site, &mut found);
    assert!(!found.is_empty());
    let by_default: Vec<&'static Rule> =
        rules::all().iter().filter(|rule| rule.by_default).copied().collect();
    for path in found {
        let (text, path) = (std::fs::read_to_string(&path).unwrap(), path.to_string_lossy());
        let linted = lint(&Manifest::new(&text, &path, &path), &by_default, &Settings::default());
        let open = linted.findings.iter().filter(|finding| finding.ignored.is_none());
        let open: Vec<String> =
            open.map(|finding| format!("{path}:{}: {}", finding.line, finding.message())).collect();
        assert_eq!(open, Vec::<String>::new());
    }
}
