//! A static site of a whole repository: modules and their entries, who uses what, and the data of parameters.
//!
//! The pages need no server: links are relative, and the search reads a script with all names.

mod data;
mod page;
mod text;

use std::path::{Path, PathBuf};

use kukla::Diagnostic;
use kukla::world::World;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::entry::{Definition, Origin};
use super::{DEFAULT_PATTERNS, Reference, files};
use crate::data::Data;
use crate::repository::{Shape, Survey};
use data::Bindings;

/// A site as its files: paths below its directory, and contents.
pub type SiteFiles = Vec<(PathBuf, String)>;

/// A module of a site.
struct SiteModule {
    name: String,
    /// Its directory, relative to the repository.
    path: String,
    summary: String,
    is_third_party: bool,
    reference: Reference,
}

/// All that pages are made of.
struct Site {
    title: String,
    modules: Vec<SiteModule>,
    /// The module of each class, defined type and plan.
    homes: FxHashMap<String, String>,
    /// The definitions that use a name: the name, the module, and where.
    users: FxHashMap<String, Vec<User>>,
    bindings: Bindings,
}

/// A definition that uses another one.
#[derive(Clone)]
struct User {
    name: String,
    origin: Origin,
    module: String,
}

/// The site of the repository in a directory.
pub fn site(world: &dyn World, root: &Path, shape: Shape) -> Result<SiteFiles, Box<Diagnostic>> {
    let survey = Survey::of(world, root, shape, &[], None)?;
    let data = Data::read(world, &survey, &[], &FxHashMap::default());
    let relative = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
    let mut modules: Vec<SiteModule> = survey
        .modules
        .par_iter()
        .map(|module| {
            let files = files(world, &module.root, DEFAULT_PATTERNS.iter().copied());
            let summary = module.metadata.as_ref().and_then(|metadata| metadata.get("summary")?.as_str());
            SiteModule {
                name: module.name.clone(),
                path: relative(&module.root),
                summary: summary.unwrap_or_default().to_owned(),
                is_third_party: module.is_third_party,
                reference: Reference::of_files(world, &module.root, &files),
            }
        })
        .collect();
    if shape == Shape::Control {
        let patterns =
            ["manifests/**/*.pp", "plans/**/*.pp", "tasks/*.json", "functions/**/*.pp", "types/**/*.pp"];
        let reference = Reference::of_files(world, root, &files(world, root, patterns));
        modules.push(SiteModule {
            name: "environment".into(),
            path: String::new(),
            summary: "Code of the repository itself".into(),
            is_third_party: false,
            reference,
        });
    }
    modules.retain(|module| !module.reference.is_empty());
    modules.sort_by(|a, b| (a.is_third_party, &a.name).cmp(&(b.is_third_party, &b.name)));
    let title =
        root.file_name().map_or_else(|| "Reference".into(), |name| name.to_string_lossy().into_owned());
    let mut site = Site {
        title,
        homes: FxHashMap::default(),
        users: FxHashMap::default(),
        bindings: Bindings::new(&data, root),
        modules,
    };
    site.link();
    Ok(site.files(world, root))
}

impl Site {
    /// Notes where names are defined, and who uses them.
    fn link(&mut self) {
        for module in &self.modules {
            for definition in module.definitions() {
                self.homes.entry(definition.name.clone()).or_insert_with(|| module.name.clone());
            }
        }
        for module in &self.modules {
            for definition in module.definitions() {
                for used in &definition.uses {
                    let users = self.users.entry(used.name.clone()).or_default();
                    if users.last().is_none_or(|last| last.name != definition.name) {
                        let origin = Origin { line: used.line, ..definition.origin.clone() };
                        users.push(User {
                            name: definition.name.clone(),
                            origin,
                            module: module.name.clone(),
                        });
                    }
                }
            }
        }
        for users in self.users.values_mut() {
            users.sort_by(|a, b| a.name.cmp(&b.name));
        }
    }

    fn files(&self, world: &dyn World, root: &Path) -> SiteFiles {
        let mut out: SiteFiles = vec![
            ("index.html".into(), page::index(self)),
            ("style.css".into(), include_str!("style.css").into()),
            ("search.js".into(), include_str!("search.js").into()),
            ("names.js".into(), page::names(self)),
        ];
        out.extend(
            self.modules
                .iter()
                .map(|module| (format!("{}.html", module.name).into(), page::module(self, module))),
        );
        let sources = self.modules.par_iter().flat_map_iter(|module| {
            module.files().into_iter().filter_map(|file| {
                let path = Path::new(&module.path).join(&file);
                let text = world.read(&root.join(&path)).ok()?;
                let text = String::from_utf8_lossy(&text).into_owned();
                Some((page::source_path(module, &file).into(), page::source(self, module, &file, &text)))
            })
        });
        out.extend(sources.collect::<SiteFiles>());
        out
    }

    fn module(&self, name: &str) -> Option<&SiteModule> {
        self.modules.iter().find(|module| module.name == name)
    }
}

impl SiteModule {
    fn definitions(&self) -> impl Iterator<Item = &Definition> {
        let Reference { classes, defines, plans, .. } = &self.reference;
        classes.iter().chain(defines).chain(plans)
    }

    /// The files with entries, each once.
    fn files(&self) -> Vec<String> {
        let reference = &self.reference;
        let mut files: Vec<String> = self
            .definitions()
            .map(|one| &one.origin)
            .chain(reference.functions.iter().map(|one| &one.origin))
            .chain(reference.aliases.iter().map(|one| &one.origin))
            .chain(reference.data_types.iter().map(|one| &one.origin))
            .chain(reference.types.iter().map(|one| &one.origin))
            .chain(reference.providers.iter().map(|one| &one.origin))
            .chain(reference.tasks.iter().map(|one| &one.origin))
            .map(|origin| origin.file.clone())
            .collect();
        files.sort_unstable();
        files.dedup();
        files
    }
}
