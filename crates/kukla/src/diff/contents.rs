//! Files that nodes fetch: `source => 'puppet:///modules/…'` stays the same when the file behind it does not.

use std::path::{Path, PathBuf};

use kukla_catalog::difference::PartChange;
use kukla_catalog::{Catalog, Resource};
use kukla_values::{Shown, Value};
use kukla_world::World;

use super::changes::{AttributeChange, Changes, Kind, ResourceChange};
use super::{Files, Reason, Rules};
use crate::Site;

/// The most bytes of a file that are compared line by line.
const LONGEST: usize = 1 << 20;

/// Adds the changes of the files that a node fetches.
pub(super) fn add(
    changes: &mut Changes,
    (before, after): (&Site, &Site),
    catalog: &Catalog,
    files: &Files<'_>,
    rules: &Rules,
) {
    let fetched = catalog.resources.iter().filter(|resource| resource.type_name == "File");
    for resource in fetched.filter(|resource| rules.tell(resource, "source")) {
        let name = resource.reference();
        let known = changes.resources.iter().position(|change| change.name == name);
        if known.is_some_and(|at| changes.resources[at].kind != Kind::Changed) {
            continue;
        }
        for source in sources(resource) {
            let Some((old, new)) = place(before, source).zip(place(after, source)) else { continue };
            let recurses = matches!(resource.get("recurse"), Some(value) if *value != Value::from(false));
            let sides = (&*before.environment.world as &dyn World, &*after.environment.world as &dyn World);
            let parts = parts(source, (&old, &new), sides, recurses && files.is_changed_below(&old));
            // The first that is there is the one that is fetched.
            if parts.is_empty() {
                break;
            }
            let reasons = reasons(&old, files);
            let attribute = AttributeChange { name: "source".into(), parts, is_secret: false, reasons };
            match known {
                Some(at) => changes.resources[at].attributes.push(attribute),
                None => changes.resources.push(ResourceChange {
                    kind: Kind::Changed,
                    attributes: vec![attribute],
                    moved: None,
                    tags_added: Vec::new(),
                    tags_removed: Vec::new(),
                    exported: (resource.exported, resource.exported),
                    place_before: None,
                    place_after: None,
                    reasons: Vec::new(),
                    name: name.clone(),
                }),
            }
            break;
        }
    }
    changes.resources.sort_by(|a, b| a.name.cmp(&b.name));
}

fn reasons(old: &Path, files: &Files<'_>) -> Vec<Reason> {
    let Some(file) = files.shown(old).to_str() else { return Vec::new() };
    vec![Reason { file: file.into(), line: None, key: None, is_after: true, is_touched: true }]
}

/// The places that a resource can be fetched from, the first that is there counts.
pub(super) fn sources(resource: &Resource) -> Vec<&str> {
    match resource.get("source") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Whether one of the files behind these sources may be another.
pub(super) fn is_changed(sources: &[String], (before, after): (&Site, &Site), files: &Files<'_>) -> bool {
    let mut places =
        sources.iter().filter_map(|source| Some((place(before, source)?, place(after, source)?)));
    places.any(|(old, _)| files.is_changed(&old) || files.is_changed_below(&old))
}

/// Where the file behind a source lies, if a module has it.
fn place(site: &Site, source: &str) -> Option<PathBuf> {
    let rest = source.strip_prefix("puppet://")?;
    let (_, rest) = rest.split_once('/')?;
    let (module, file) = rest.strip_prefix("modules/")?.split_once('/')?;
    let world = &site.environment.world;
    let module =
        site.environment.modulepath().iter().map(|path| path.join(module)).find(|path| world.exists(path))?;
    let path = module.join("files").join(file);
    world.exists(&path).then_some(path)
}

/// The changes of a file, or of each file below a directory.
fn parts(
    source: &str,
    (old, new): (&Path, &Path),
    (old_world, new_world): (&dyn World, &dyn World),
    recurses: bool,
) -> Vec<PartChange> {
    let part = |path: Value, old: Option<Value>, new: Option<Value>| PartChange {
        path: vec![Shown::of(&path)],
        before: old.as_ref().map(Shown::of),
        after: new.as_ref().map(Shown::of),
        is_secret: false,
    };
    let directory = |world: &dyn World, path: &Path| kukla_world::is_directory(world, path);
    if !directory(old_world, old) && !directory(new_world, new) {
        let (one, other) = (old_world.read(old).ok(), new_world.read(new).ok());
        if one == other {
            return Vec::new();
        }
        return vec![part(source.into(), one.map(display_content), other.map(display_content))];
    }
    if !recurses {
        return Vec::new();
    }
    let mut all = below(old_world, old);
    all.extend(below(new_world, new));
    all.sort();
    all.dedup();
    let changed = all.into_iter().filter_map(|inside| {
        let (one, other) = (old_world.read(&old.join(&inside)).ok(), new_world.read(&new.join(&inside)).ok());
        let name = Value::from(format!("{source}/{}", inside.display()));
        (one != other).then(|| part(name, one.map(display_content), other.map(display_content)))
    });
    changed.collect()
}

/// The files below a directory.
fn below(world: &dyn World, directory: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(inside) = open.pop() {
        for entry in world.list(&directory.join(&inside)) {
            let path = inside.join(&entry.name);
            // Links may lead back up.
            match entry.is_directory && !entry.is_link {
                true => open.push(path),
                false => found.push(path),
            }
        }
    }
    found
}

/// The content of a file, if it is text.
fn display_content(content: Vec<u8>) -> Value {
    let length = content.len();
    match String::from_utf8(content) {
        Ok(text) if length <= LONGEST && !text.contains('\0') => text.into(),
        _ => format!("(binary, {length} bytes)").into(),
    }
}
