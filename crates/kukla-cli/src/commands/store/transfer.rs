//! `kukla store export` and `import`: the documents of a store as files, in the directories of `puppet db export`.

use std::path::{Path, PathBuf};

use kukla::facts::FactFile;
use kukla::syntax::Problem;
use kukla_store::Store;
use kukla_store::transfer::{self, DocumentKind};
use serde_json::Value as Json;

use crate::output::{self, errln};
use crate::{CommandResult, ExitKind, files};

/// Writes all documents of a store to a directory.
pub fn export(store: &dyn Store, directory: &Path) -> CommandResult {
    for kind in DocumentKind::ALL {
        create_private(&directory.join(kind.directory()))?;
    }
    let mut counts = Counts::default();
    transfer::export(store, &mut |kind, name, document| {
        counts.add(kind);
        write(&directory.join(kind.directory()).join(name), document)
    })?;
    errln!("{counts} are in {}", directory.display());
    Ok(ExitKind::Success)
}

/// Stores all documents of a directory.
pub fn import(store: &dyn Store, directory: &Path) -> CommandResult {
    std::fs::read_dir(directory).map_err(|error| Problem::io("read", directory, &error))?;
    let mut counts = Counts::default();
    for kind in DocumentKind::ALL {
        for file in documents(&directory.join(kind.directory()))? {
            let bytes = files::read_repository_bytes(&file)?;
            let document: Json = serde_json::from_slice(&bytes)
                .map_err(|error| Problem::invalid("invalid JSON in").on(file.display()).because(error))?;
            let imported = match kind {
                DocumentKind::Facts => import_facts(store, &file, &document),
                DocumentKind::Catalog => transfer::import_catalog(store, &document),
                DocumentKind::Report => transfer::import_report(store, document),
            };
            imported.map_err(|problem| {
                Problem::new(problem.kind(), "cannot import").on(file.display()).caused_by(problem)
            })?;
            counts.add(kind);
        }
    }
    errln!("{counts} are stored");
    Ok(ExitKind::Success)
}

fn import_facts(store: &dyn Store, file: &Path, document: &Json) -> Result<(), Problem> {
    let nodes = FactFile::parse(document.to_string().as_bytes(), &file.display().to_string())?;
    let facts = nodes.into_iter().next().unwrap_or_default();
    transfer::import_facts(store, facts.node_name().unwrap_or_default(), &facts.facts, document)
}

/// The number of documents of each kind.
#[derive(Default)]
struct Counts([usize; 3]);

impl Counts {
    fn add(&mut self, kind: DocumentKind) {
        self.0[kind as usize] += 1;
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [facts, catalogs, reports] = self.0;
        write!(f, "facts of {facts} nodes, {catalogs} catalogs and {reports} reports")
    }
}

fn create_private(directory: &Path) -> Result<(), Problem> {
    use std::os::unix::fs::DirBuilderExt;
    let created = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory);
    created.map_err(|error| Problem::io("create", directory, &error))
}

fn write(path: &Path, document: &Json) -> Result<(), Problem> {
    use std::os::unix::fs::PermissionsExt;
    output::write_file(path, format!("{document}\n").as_bytes())?;
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(path, private).map_err(|error| Problem::io("write", path, &error))
}

fn documents(directory: &Path) -> Result<Vec<PathBuf>, Problem> {
    if !directory.is_dir() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(directory).map_err(|error| Problem::io("read", directory, &error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    Ok(paths)
}
