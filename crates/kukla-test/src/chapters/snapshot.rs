//! Snapshots: catalogs that were accepted, and are compared with those of today.

use std::path::{Path, PathBuf};

use kukla::diff::Changes;
use kukla::pending::{Audience, Pending};
use kukla::{Catalog, World};
use serde_json::Value;

use super::tally::Mismatch;

/// The snapshots of a chapter: a directory `snapshots/CHAPTER` beside it, with a catalog for each section and case.
#[derive(Clone, Debug)]
pub struct Snapshots {
    directory: PathBuf,
    accept: bool,
    show: fn(&Changes) -> String,
}

impl Snapshots {
    /// The snapshots of the chapter in `file`. With `accept`, the catalogs of today replace them; `show` renders differences.
    pub fn of(file: &Path, accept: bool, show: fn(&Changes) -> String) -> Snapshots {
        let directory = file.parent().unwrap_or(Path::new(".")).join("snapshots");
        Snapshots { directory: directory.join(file.file_stem().unwrap_or_default()), accept, show }
    }

    /// Compares a catalog with the snapshot of this name, or replaces the snapshot.
    pub(super) fn compare(&self, world: &dyn World, name: &str, catalog: &Value) -> Result<(), Mismatch> {
        let path = self.directory.join(format!("{name}.json"));
        let today = without_secrets(catalog);
        let text = serde_json::to_string_pretty(&today).unwrap_or_default() + "\n";
        let known = world.read(&path).ok();
        if self.accept {
            return match known.is_some_and(|known| known == text.as_bytes()) {
                true => Ok(()),
                false => {
                    self.write(&path, &text).map_err(|error| format!("{}: {error}", path.display()).into())
                }
            };
        }
        let Some(known) = known else {
            return Err(format!("no snapshot in {}; `kukla test --accept` writes it", path.display()).into());
        };
        let parse = |text: &[u8]| Catalog::from_json(text).map_err(|error| Mismatch::from(error.to_string()));
        let changes = Changes::between(&parse(&known)?, &parse(text.as_bytes())?);
        match changes.is_empty() {
            true => Ok(()),
            false => Err(Mismatch {
                catalog: Some((self.show)(&changes)),
                ..Mismatch::from("another catalog; `kukla test --accept` accepts it")
            }),
        }
    }

    fn write(&self, path: &Path, text: &str) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.directory)?;
        Pending::write(path, text.as_bytes(), Audience::Anyone)?.finish()
    }
}

/// A catalog without the values that must not be shown, and without what is different each time.
fn without_secrets(catalog: &Value) -> Value {
    let mut catalog = catalog.clone();
    if let Some(document) = catalog.as_object_mut() {
        document.insert("version".into(), "snapshot".into());
        document.remove("catalog_uuid");
    }
    for resource in catalog["resources"].as_array_mut().into_iter().flatten() {
        let secret: Vec<String> = resource["sensitive_parameters"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect();
        for name in secret {
            resource["parameters"][name.as_str()] = "[value redacted]".into();
        }
    }
    catalog
}
