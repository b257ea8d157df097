//! Submodules of git that are not checked out.

use std::path::{Path, PathBuf};

use kukla::world::World;

/// The directories of the submodules in `.gitmodules` that are missing or empty.
pub fn absent(world: &dyn World, root: &Path) -> Vec<PathBuf> {
    let text = world.read(&root.join(".gitmodules")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let settings = text.lines().filter_map(|line| line.split_once('='));
    let paths =
        settings.filter(|(name, _)| name.trim() == "path").map(|(_, path)| path.trim().trim_matches('"'));
    paths.map(|path| root.join(path)).filter(|path| world.list(path).is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use kukla::MemoryWorld;

    use super::*;

    #[test]
    fn a_submodule_is_absent_until_it_has_files() {
        let text = "[submodule \"a\"]\n\tpath = modules/a\n\turl = https://example.com/a\n[submodule \"b\"]\n  path = modules/b\n";
        let world = MemoryWorld::default().with("/c/.gitmodules", text).with("/c/modules/b/README.md", "b");
        assert_eq!(absent(&world, Path::new("/c")), [Path::new("/c/modules/a")]);
    }
}
