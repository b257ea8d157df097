//! Exported resources from catalogs in files, in place of a database.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_catalog::{Catalog, ExportQuery, ExportedResource, Exports};
use kukla_eval::error::Diagnostic;
use kukla_syntax::Problem;
use kukla_world::World;
use kukla_world::record::Digest;

use crate::problems::cannot_read;

/// The exported resources of catalogs, by type.
#[derive(Clone, Debug, Default)]
pub struct CatalogExports {
    by_type: BTreeMap<String, Vec<Arc<ExportedResource>>>,
}

impl CatalogExports {
    /// Reads a catalog, or every `.json` file of a directory. They must be compiled with virtual resources, which include exported ones.
    pub fn read(world: &dyn World, path: &Path) -> Result<CatalogExports, Problem> {
        let mut exports = CatalogExports::default();
        for file in files(world, path) {
            let catalog = Catalog::from_json(&text(world, &file)?)
                .map_err(|error| Problem::invalid("invalid catalog in").on(file.display()).because(error))?;
            exports.add_all(catalog);
        }
        Ok(exports)
    }

    /// The exported resources of catalogs, which must be compiled with virtual resources.
    pub fn of(catalogs: impl IntoIterator<Item = Catalog>) -> CatalogExports {
        let mut exports = CatalogExports::default();
        catalogs.into_iter().for_each(|catalog| exports.add_all(catalog));
        exports
    }

    /// The digest of all files that would be read.
    pub fn digest(world: &dyn World, path: &Path) -> Result<Digest, Problem> {
        let texts = files(world, path).into_iter().map(|file| text(world, &file));
        Ok(Digest::of(texts.collect::<Result<Vec<_>, _>>()?))
    }

    fn add_all(&mut self, catalog: Catalog) {
        for resource in catalog.resources.into_iter().filter(|resource| resource.exported) {
            self.add(Arc::new(ExportedResource { node: catalog.name.clone(), resource }));
        }
    }

    /// Adds an exported resource.
    pub(crate) fn add(&mut self, exported: Arc<ExportedResource>) {
        self.by_type.entry(exported.resource.type_name.to_string()).or_default().push(exported);
    }

    /// The exported resources of a type.
    pub(crate) fn of_type(&self, type_name: &str) -> impl Iterator<Item = &Arc<ExportedResource>> {
        self.by_type.get(type_name).into_iter().flatten()
    }
}

fn files(world: &dyn World, path: &Path) -> Vec<PathBuf> {
    let entries = world.list(path);
    if entries.is_empty() {
        return vec![path.to_owned()];
    }
    let catalogs = entries.iter().filter(|entry| !entry.is_directory && entry.name.ends_with(".json"));
    catalogs.map(|entry| path.join(&entry.name)).collect()
}

fn text(world: &dyn World, file: &Path) -> Result<Vec<u8>, Problem> {
    world.read(file).map_err(|error| cannot_read(file, &error))
}

impl Exports for CatalogExports {
    fn find(&self, wanted: &ExportQuery) -> Result<Vec<Arc<ExportedResource>>, Box<Diagnostic>> {
        let all = self.of_type(wanted.type_name.as_str());
        let mut found: Vec<_> =
            all.filter(|each| wanted.matches(&each.node, &each.resource)).cloned().collect();
        found.sort_by(|a, b| a.node.cmp(&b.node));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompileOptions, Compiler, Node, SiteSpec};
    use kukla_world::MemoryWorld;

    const SITE: &str = "
        define mark($p) { notify { \"${title} ${p}\": } }
        node a { @@notify { 'from a': message => 'a', tag => 'x' } @@mark { 'm': p => 1 } Notify <<| |>> }
        node b { @@notify { 'from b': } Notify <<| tag == 'x' |>> { message => 'changed' } Mark <<| |>> }
        node c { notify { 'from a': } Notify <<| |>> }";

    fn compile(node: &str, exports: CatalogExports) -> Result<Catalog, String> {
        let mut spec = SiteSpec::of(SITE);
        spec.settings.set("storeconfigs", true.into()).map_err(|problem| problem.to_string())?;
        let compiler = Compiler::new(MemoryWorld::default()).with_exports(Arc::new(exports));
        let options = CompileOptions { keep_virtual: true, ..CompileOptions::default() };
        let site = compiler.open(&spec).map_err(|failure| failure.to_string())?;
        let compiled = site.compile_with(&Node::named(node), options).result;
        compiled.map(|compiled| compiled.catalog).map_err(|failure| failure.to_string())
    }

    #[test]
    fn nodes_collect_what_others_export() {
        let mut world = MemoryWorld::default();
        for node in ["a", "b"] {
            let catalog = compile(node, CatalogExports::default()).unwrap();
            world = world.with(format!("/catalogs/{node}.json"), catalog.to_json());
        }
        let exports = CatalogExports::read(&world, Path::new("/catalogs")).unwrap();
        let wanted = ExportQuery { type_name: "Notify".into(), node: "a".into(), filter: None };
        assert_eq!(exports.find(&wanted).unwrap().len(), 1);
        let b = compile("b", exports.clone()).unwrap();
        let notify = b.find("Notify", "from a").unwrap();
        assert_eq!(notify.get("message"), Some(&"changed".into()));
        assert!(!notify.exported && !notify.is_virtual && notify.line.is_none());
        assert!(b.find("Notify", "m 1").is_some());
        // Its own are collected without a database, those of others come in addition.
        let a = compile("a", exports.clone()).unwrap();
        assert!(a.find("Notify", "from a").is_some() && a.find("Notify", "from b").is_some());
        let clash = compile("c", exports).unwrap_err();
        assert!(clash.contains("A duplicate resource was found while collecting"), "{clash}");
        assert!(CatalogExports::read(&world, Path::new("/nowhere")).is_err());
    }
}
