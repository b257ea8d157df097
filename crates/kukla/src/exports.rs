//! Exported resources from files: earlier catalogs of other nodes stand in for a database.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use kukla_catalog::Catalog;
use kukla_eval::world::{Exported, World};

/// What catalogs export, by the type of the resources.
#[derive(Clone, Debug, Default)]
pub struct Exports {
    by_type: BTreeMap<String, Vec<Arc<Exported>>>,
}

impl Exports {
    /// Reads a catalog, or every `.json` file of a directory as one. They hold what they export if virtual resources were kept.
    pub fn read(world: &dyn World, path: &Path) -> Result<Exports, String> {
        let mut exports = Exports::default();
        let entries = world.list(path);
        if entries.is_empty() {
            exports.add(world, path)?;
        }
        for entry in entries.iter().filter(|entry| !entry.is_directory && entry.name.ends_with(".json")) {
            exports.add(world, &path.join(&entry.name))?;
        }
        Ok(exports)
    }

    fn add(&mut self, world: &dyn World, file: &Path) -> Result<(), String> {
        let name = file.display();
        let bytes = world.read(file).map_err(|error| format!("{name}: {error}"))?;
        let catalog = Catalog::from_json(&bytes).map_err(|error| format!("{name}: {error}"))?;
        for resource in catalog.resources.into_iter().filter(|resource| resource.exported) {
            let of_type = self.by_type.entry(resource.type_name.to_string()).or_default();
            of_type.push(Arc::new(Exported { node: catalog.name.to_string(), resource }));
        }
        Ok(())
    }

    /// The resources of a type that nodes other than `node` export, by node and then as their catalogs have them.
    pub fn of(&self, type_name: &str, node: &str) -> Vec<Arc<Exported>> {
        let all = self.by_type.get(type_name).into_iter().flatten();
        let mut others: Vec<_> = all.filter(|each| each.node != node).cloned().collect();
        others.sort_by(|a, b| a.node.cmp(&b.node));
        others
    }
}
