//! The fact sets compared with the public collection facterdb: every stable fact has the same name, structure and value.
//!
//! `KUKLA_FACTERDB` names a checkout of https://github.com/voxpupuli/facterdb; nothing of it is part of this repository.

#![allow(clippy::disallowed_methods)] // a test reads the disk and the environment

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kukla_formats::json;
use kukla_testing::skip;
use kukla_values::{Hash, Value};
use kukla_world::glob;

use super::FactSet;

/// The facts that depend on the release and the architecture of a system alone.
const STABLE: [&str; 17] = [
    "kernel",
    "os.name",
    "os.family",
    "os.architecture",
    "os.hardware",
    "os.release.*",
    "os.distro.*",
    "os.windows.*",
    "os.macosx.product",
    "osfamily",
    "operatingsystem",
    "operatingsystemrelease",
    "operatingsystemmajrelease",
    "architecture",
    "hardwaremodel",
    "lsb*",
    "processors.isa",
];

/// Differences that are meant, by set and fact, each with its reason.
const DIFFERENCES: [(&str, &str, &str); 10] = [
    (
        "almalinux-10",
        "processors.isa",
        "`uname -p` of one image without the program that it takes the value from",
    ),
    ("gentoo-2", "processors.isa", "the model of the processor of one machine"),
    ("archlinux", "os.release.full", "the kernel of one machine of a rolling release"),
    ("oraclelinux-7", "os.*", "an image of CentOS with another name"),
    ("scientific-7", "os.*", "an image of CentOS with another name"),
    ("rocky-8", "os.distro.specification", "the LSB specification of one image with redhat-lsb"),
    ("windows-*", "os.windows.edition_id", "evaluation editions, which no server runs"),
    ("windows-*", "os.windows.product_name", "evaluation editions, which no server runs"),
    ("windows-*", "os.windows.installation_type", "server core under the name of the full installation"),
    ("windows-*", "os.windows.system32", "the case of letters in a path, which has no meaning"),
];

/// Facts by dotted name.
fn flatten(facts: &Hash, above: &str, out: &mut BTreeMap<String, Value>) {
    for (name, value) in facts {
        let path = format!("{above}{}", name.as_str().unwrap_or_default());
        match value {
            Value::Hash(inside) => flatten(inside, &format!("{path}."), out),
            other => drop(out.insert(path, other.clone())),
        }
    }
}

/// The newest fact file of each system, by its name in facterdb.
fn newest(facts: &Path) -> BTreeMap<String, PathBuf> {
    let names = |directory: &Path| {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let numbers =
        |version: &String| -> Option<Vec<u32>> { version.split('.').map(|part| part.parse().ok()).collect() };
    let mut versions: Vec<(Vec<u32>, String)> =
        names(facts).into_iter().filter_map(|version| Some((numbers(&version)?, version))).collect();
    versions.sort();
    let mut files = BTreeMap::new();
    for (_, version) in versions {
        let directory = facts.join(version);
        for name in names(&directory) {
            if let Some(system) = name.strip_suffix(".facts") {
                files.insert(system.to_owned(), directory.join(&name));
            }
        }
    }
    files
}

#[test]
fn stable_facts_are_those_of_facterdb() {
    let Some(checkout) = std::env::var_os("KUKLA_FACTERDB") else {
        return skip("kukla-facts/facterdb", "KUKLA_FACTERDB names no checkout of facterdb");
    };
    let (mut compared, mut systems, mut wrong) = (0, 0, Vec::new());
    for (system, file) in newest(&PathBuf::from(checkout).join("facts")) {
        let name = system.replace(' ', "");
        let name = name.strip_suffix("-x86_64").unwrap_or(&name);
        let Some(set) = FactSet::named(name) else { continue };
        systems += 1;
        let text = std::fs::read_to_string(&file).unwrap();
        let document = json::read(&text).unwrap_or_else(|error| panic!("{}: {error:?}", file.display()));
        let Value::Hash(theirs) = document.value else { panic!("{} has no facts", file.display()) };
        let (mut own, mut expected) = (BTreeMap::new(), BTreeMap::new());
        flatten(&set.facts(&set.default_node()), "", &mut own);
        flatten(&theirs, "", &mut expected);
        for (path, value) in expected {
            if !STABLE.iter().any(|pattern| glob::fits(pattern, &path)) {
                continue;
            }
            compared += 1;
            let is_meant =
                || DIFFERENCES.iter().any(|(set, fact, _)| glob::fits(set, name) && glob::fits(fact, &path));
            if own.get(&path) != Some(&value) && !is_meant() {
                wrong.push(format!("{name} {path}: {value:?}, here {:?}", own.get(&path)));
            }
        }
    }
    assert!(systems >= 50 && compared >= 700, "{systems} systems, {compared} facts");
    assert!(wrong.is_empty(), "{} of {compared} facts differ:\n{}", wrong.len(), wrong.join("\n"));
}
