//! The locked modules of a control repository, which commands that compile see where they are not installed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::World;
use kukla::diff::FileStatus;
use kukla::syntax::Problem;

#[cfg(feature = "modules")]
pub use installed::{LockedSide, changes, install, is_complete};
#[cfg(not(feature = "modules"))]
pub use none::{LockedSide, changes, install, is_complete};

#[cfg(feature = "modules")]
mod installed {
    use std::sync::OnceLock;

    use kukla_modules::store::Store;
    use kukla_modules::world::LockedModules;

    use super::*;
    use crate::commands::modules::default_store_directory;
    use crate::output::errln;

    /// The locked modules of one side of a comparison.
    pub type LockedSide = Option<Arc<LockedModules>>;

    /// The world with the locked modules of the control repository at a path. `name` is that of a side of a comparison.
    pub fn install(
        world: Arc<dyn World>,
        path: &Path,
        is_revision: bool,
        name: Option<&str>,
    ) -> Result<(Arc<dyn World>, LockedSide), Problem> {
        let Some(store) = store() else { return Ok((world, None)) };
        let locked = Arc::new(LockedModules::new(Arc::clone(&world), store, path, is_revision)?);
        if let (Some(name), [first, others @ ..]) = (name, locked.missing()) {
            let others =
                if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
            let revision = if is_revision { " --revision REVISION" } else { "" };
            errln!("kukla: modules of {name} are not in the store: {first}{others}");
            errln!("  help: fetch them with `kukla mod sync --fetch-only{revision}`");
        }
        if locked.is_empty() {
            return Ok((world, Some(locked)));
        }
        Ok((Arc::clone(&locked) as Arc<dyn World>, Some(locked)))
    }

    /// The store of this user, if there is one: compiling never creates it.
    fn store() -> Option<Arc<Store>> {
        static STORE: OnceLock<Option<Arc<Store>>> = OnceLock::new();
        let open = || {
            let root = default_store_directory();
            root.join("trees").is_dir().then(|| Store::open(&root).ok().map(Arc::new)).flatten()
        };
        STORE.get_or_init(open).clone()
    }

    /// Whether a side sees all modules of its own lock or Puppetfile.
    pub fn is_complete(side: &LockedSide) -> bool {
        side.as_ref().is_some_and(|locked| !locked.is_empty() && locked.missing().is_empty())
    }

    /// The files of modules that differ between two sides.
    pub fn changes(old: &LockedSide, new: &LockedSide) -> Vec<(PathBuf, FileStatus)> {
        let changes = match (old, new) {
            (Some(old), Some(new)) => old.changes(new),
            _ => Vec::new(),
        };
        let status = |before: bool, after: bool| match (before, after) {
            (true, true) => FileStatus::Modified,
            (true, false) => FileStatus::Removed,
            _ => FileStatus::Added,
        };
        changes.into_iter().map(|(path, before, after)| (path, status(before, after))).collect()
    }
}

#[cfg(not(feature = "modules"))]
mod none {
    use super::*;

    /// No locked modules.
    pub type LockedSide = ();

    /// The world as it is: this build has no store of modules.
    pub fn install(
        world: Arc<dyn World>,
        _path: &Path,
        _is_revision: bool,
        _name: Option<&str>,
    ) -> Result<(Arc<dyn World>, LockedSide), Problem> {
        Ok((world, ()))
    }

    /// Without a store, no side does.
    pub fn is_complete(_side: &LockedSide) -> bool {
        false
    }

    /// No changes.
    pub fn changes(_old: &LockedSide, _new: &LockedSide) -> Vec<(PathBuf, FileStatus)> {
        Vec::new()
    }
}
