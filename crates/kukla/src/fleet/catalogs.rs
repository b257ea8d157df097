//! Comparing catalogs that were compiled before.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kukla_catalog::Catalog;
use kukla_syntax::Problem;
use kukla_world::World;

use super::options::holds_directory;
use crate::diff::{Compared, Comparison, Failure, FleetDifference, Outcome, Rules};
use crate::problems::cannot_read;

/// Compares two files with catalogs, of one node or of two, or two directories with a file for each node.
pub fn compare_catalogs(
    world: &dyn World,
    before: &Path,
    after: &Path,
    rules: Rules,
) -> Result<FleetDifference, Problem> {
    let comparison = Comparison::new(None, rules);
    let nodes = match holds_directory(world, before) {
        false => {
            let (old, new) = (read(world, before)?, read(world, after)?);
            let node = match old.name == new.name {
                true => old.name.to_string(),
                false => format!("{} and {}", old.name, new.name),
            };
            vec![(node, comparison.catalogs(Ok(old), Ok(new)))]
        }
        true => {
            let (old, new) = (catalog_files(world, before), catalog_files(world, after));
            let read = |path: &PathBuf| read(world, path).map_err(Failure::Problem);
            let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            let compared = |name: &String| match (old.get(name), new.get(name)) {
                (Some(old), Some(new)) => comparison.catalogs(read(old), read(new)),
                (old, new) => {
                    let count = |path: &PathBuf| read(path).map(|catalog| catalog.resources.len());
                    let outcome = old.map(count).map(Outcome::Removed).or(new.map(count).map(Outcome::Added));
                    Compared::Otherwise(outcome.unwrap_or(Outcome::Same))
                }
            };
            names.into_iter().map(|name| (name.clone(), compared(name))).collect()
        }
    };
    let name = |path: &Path| path.display().to_string();
    let mut report = FleetDifference::new(name(before), name(after), nodes);
    report.deny(&comparison.rules);
    report.notes = comparison.rules.problems();
    Ok(report)
}

/// The catalogs of a directory, by the names of their files.
fn catalog_files(world: &dyn World, directory: &Path) -> BTreeMap<String, PathBuf> {
    let files = world.list(directory).into_iter().map(|entry| directory.join(entry.name));
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.filter_map(|path| Some((path.file_stem()?.to_string_lossy().into_owned(), path))).collect()
}

fn read(world: &dyn World, path: &Path) -> Result<Catalog, Problem> {
    let bytes = world.read(path).map_err(|error| cannot_read(path, &error))?;
    Catalog::from_json(&bytes)
        .map_err(|error| Problem::invalid("invalid catalog in").on(path.display()).because(error))
}
