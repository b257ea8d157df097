//! Catalogs that were compiled before.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kukla::Catalog;
use kukla::diff::{Compared, Comparison, Failure, FleetDifference, Outcome, Rules};

use crate::files;

/// Compares two files with catalogs, of one node or of two, or two directories with a file for each node.
pub fn compare(from: &Path, to: &Path, rules: Rules) -> Result<FleetDifference, String> {
    let comparison = Comparison::new(None, rules);
    let nodes = match from.is_dir() {
        false => {
            let (before, after) = (read(from)?, read(to)?);
            let node = match before.name == after.name {
                true => before.name.to_string(),
                false => format!("{} and {}", before.name, after.name),
            };
            vec![(node, comparison.catalogs(Ok(before), Ok(after)))]
        }
        true => {
            let (old, new) = (all(from)?, all(to)?);
            let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            let compared = |name: &String| match (old.get(name), new.get(name)) {
                (Some(old), Some(new)) => comparison.catalogs(told(old), told(new)),
                (old, new) => {
                    let count = |path: &PathBuf| told(path.as_path()).map(|catalog| catalog.resources.len());
                    let outcome = old.map(count).map(Outcome::Removed).or(new.map(count).map(Outcome::Added));
                    Compared::Otherwise(outcome.unwrap_or(Outcome::Same))
                }
            };
            names.into_iter().map(|name| (name.clone(), compared(name))).collect()
        }
    };
    let name = |path: &Path| path.display().to_string();
    let mut report = FleetDifference::new(name(from), name(to), nodes);
    report.deny(&comparison.rules);
    report.notes = comparison.rules.problems();
    Ok(report)
}

/// The catalogs of a directory, by the names of their files.
fn all(directory: &Path) -> Result<BTreeMap<String, PathBuf>, String> {
    let entries = std::fs::read_dir(directory).map_err(|error| files::problem(directory, &error))?;
    let files = entries.flatten().map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    Ok(files.filter_map(|path| Some((path.file_stem()?.to_string_lossy().into_owned(), path))).collect())
}

fn told(path: &Path) -> Result<Catalog, Failure> {
    read(path).map_err(Failure::Unable)
}

fn read(path: &Path) -> Result<Catalog, String> {
    let bytes = std::fs::read(path).map_err(|error| files::problem(path, &error))?;
    Catalog::from_json(&bytes).map_err(|error| format!("{}: it is no catalog: {error}", path.display()))
}
