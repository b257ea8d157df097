//! `docs/architecture.md` is kept true: its table has every crate, its graph is the one of Cargo's manifests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Crates, and those that each needs.
type Graph = BTreeMap<String, BTreeSet<String>>;

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A Cargo manifest: the name of the crate, and its dependencies within the workspace.
fn manifest(text: &str) -> (String, BTreeSet<String>) {
    let mut section = "";
    let mut name = String::new();
    let mut needs = BTreeSet::new();
    for line in text.lines() {
        match line.split_once('=') {
            None if line.starts_with('[') => section = line,
            Some((key, value)) if section == "[package]" && key.trim() == "name" => {
                name = value.trim().trim_matches('"').to_owned();
            }
            Some((key, _)) if section == "[dependencies]" && key.starts_with("kukla") => {
                needs.extend(key.split(['.', ' ']).next().map(str::to_owned));
            }
            _ => {}
        }
    }
    (name, needs)
}

fn manifests() -> Graph {
    let crates = std::fs::read_dir(checkout().join("crates")).expect("a directory of crates");
    let own = crates.map(|entry| entry.expect("an entry").path()).chain([checkout().join("tests")]);
    own.map(|directory| manifest(&read(&directory.join("Cargo.toml")))).collect()
}

/// All that a crate needs, directly or not.
fn reach(graph: &Graph, from: &str) -> BTreeSet<String> {
    let direct = graph.get(from).into_iter().flatten();
    direct.flat_map(|next| reach(graph, next).into_iter().chain([next.clone()])).collect()
}

/// The graph without what the other dependencies of a crate bring anyway.
fn reduced(graph: &Graph) -> Graph {
    let own = |needs: &BTreeSet<String>| {
        let brought: BTreeSet<String> = needs.iter().flat_map(|next| reach(graph, next)).collect();
        needs.difference(&brought).cloned().collect()
    };
    graph.iter().map(|(name, needs)| (name.clone(), own(needs))).collect()
}

fn shown(graph: &Graph) -> String {
    let line = |(name, needs): (&String, &BTreeSet<String>)| {
        let needs: Vec<&str> = needs.iter().map(String::as_str).collect();
        format!("{name:15} -> {}\n", needs.join(", "))
    };
    graph.iter().map(line).collect()
}

#[test]
fn the_page_shows_the_graph_of_the_manifests() {
    let page = read(&checkout().join("docs/architecture.md"));
    let drawn: Graph = page
        .lines()
        .filter(|line| line.starts_with("kukla"))
        .filter_map(|line| line.split_once("->"))
        .map(|(name, needs)| {
            let needs = needs.split(',').map(str::trim).filter(|need| !need.is_empty());
            (name.trim().to_owned(), needs.map(str::to_owned).collect())
        })
        .collect();
    let true_graph = reduced(&manifests());
    assert!(drawn == true_graph, "the graph in docs/architecture.md should be\n{}", shown(&true_graph));
    for name in true_graph.keys() {
        assert!(page.contains(&format!("`{name}`")), "the table in docs/architecture.md lacks {name}");
    }
}

/// Cargo looks for no tests by itself here, so a file that nobody names would never run.
#[test]
fn every_file_of_tests_belongs_to_the_one_binary() {
    for entry in std::fs::read_dir(checkout().join("crates")).expect("a directory of crates") {
        let tests = entry.expect("an entry").path().join("tests");
        let Ok(files) = std::fs::read_dir(&tests) else { continue };
        let main = read(&tests.join("main.rs"));
        for path in files.map(|file| file.expect("an entry").path()) {
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            if name != "main" && path.extension().is_some_and(|extension| extension == "rs") {
                assert!(main.contains(&format!("mod {name};")), "{} lacks `mod {name};`", tests.display());
            }
        }
    }
}

#[test]
fn a_graph_loses_what_is_brought_anyway() {
    let (name, needs) =
        manifest("[package]\nname = \"kukla-c\"\n[dependencies]\nkukla-a.workspace = true\nkukla-b = {}\n");
    let of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!((name.as_str(), &needs), ("kukla-c", &of(&["kukla-a", "kukla-b"])));
    let graph = [("kukla-a".into(), of(&[])), ("kukla-b".into(), of(&["kukla-a"])), (name, needs)].into();
    assert_eq!(reduced(&graph)["kukla-c"], of(&["kukla-b"]));
}
