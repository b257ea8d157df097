//! The root of the repository that a path belongs to.

use std::path::{Path, PathBuf};

use kukla::Settings;
use kukla::control::{BASE_MODULEPATH, Layout};
use kukla::world::{World, is_directory};

use super::survey::Shape;

/// The root of the repository that contains a path. A control repository precedes the modules in it, so that a part of a repository is
/// checked with the rest of it.
pub fn root_of(world: &dyn World, path: &Path) -> Option<(PathBuf, Shape)> {
    let above: Vec<&Path> = path.ancestors().filter(|directory| is_directory(world, directory)).collect();
    let control = nearest_control(world, &above, is_marked)
        .or_else(|| nearest_control(world, &above, has_layout))
        .map(|root| (root, Shape::Control));
    let module = || above.iter().find(|directory| is_module(world, directory));
    let module = || module().map(|root| (root.to_path_buf(), Shape::Module));
    let modules = || is_modules(world, path).then(|| (path.to_owned(), Shape::Modules));
    control.or_else(module).or_else(modules)
}

/// The nearest control repository that is not a part of the module path of another one.
fn nearest_control(
    world: &dyn World,
    above: &[&Path],
    is_control: fn(&dyn World, &Path) -> bool,
) -> Option<PathBuf> {
    let candidates: Vec<&Path> =
        above.iter().copied().filter(|directory| is_control(world, directory)).collect();
    let is_own = |(at, inner): &(usize, &&Path)| {
        !candidates[at + 1..].iter().any(|outer| contains_module(world, outer, inner))
    };
    candidates.iter().enumerate().find(is_own).map(|(_, directory)| directory.to_path_buf())
}

/// Whether a directory is in the module path of a control repository, or contains a part of it.
fn contains_module(world: &dyn World, outer: &Path, inner: &Path) -> bool {
    let Ok(layout) = Layout::read(world, outer, BASE_MODULEPATH, &Settings::default()) else { return false };
    layout.modulepath.iter().any(|directory| inner.starts_with(directory) || directory.starts_with(inner))
}

/// Whether a file marks a directory as a control repository. A module may have a Puppetfile, too, for its tests.
pub fn is_marked(world: &dyn World, directory: &Path) -> bool {
    let has = |name: &str| world.exists(&directory.join(name));
    let is_module = || has("metadata.json") && (has("manifests/init.pp") || has("lib/puppet"));
    has("environment.conf") || has("Puppetfile") && !is_module()
}

/// Whether a directory has the layout of a control repository.
fn has_layout(world: &dyn World, directory: &Path) -> bool {
    let has = |name: &str| world.exists(&directory.join(name));
    if has("metadata.json") || is_in_modules(directory) {
        return false;
    }
    let is_site = |name: &str| name == "modules" || name == "dist" || name.starts_with("site");
    let has_modules = || {
        let entries = world.list(directory);
        entries.iter().any(|entry| entry.is_directory && is_site(&entry.name))
    };
    has("manifests") && has("modules") || has("hiera.yaml") && (has("manifests") || has_modules())
}

/// Whether a directory is where modules usually are.
fn is_in_modules(directory: &Path) -> bool {
    let parent = directory.parent().and_then(Path::file_name).map(|name| name.to_string_lossy());
    parent.is_some_and(|name| matches!(&*name, "modules" | "site" | "site-modules" | "dist"))
}

fn is_module(world: &dyn World, directory: &Path) -> bool {
    let has = |name: &str| is_directory(world, &directory.join(name));
    world.exists(&directory.join("metadata.json"))
        || (has("manifests") || has("lib/puppet")) && is_in_modules(directory)
}

fn is_modules(world: &dyn World, directory: &Path) -> bool {
    world
        .list(directory)
        .iter()
        .any(|entry| entry.is_directory && is_module(world, &directory.join(&entry.name)))
}
