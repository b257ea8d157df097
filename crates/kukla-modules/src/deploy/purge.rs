//! The unmanaged files of an environment: which of them stay when it is replaced.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use kukla_syntax::Problem;

use super::plan::matches;
use super::settings::PurgeLevels;
use super::stamp::{DeployedModule, STAMP_FILE};
use crate::install::STATE_DIRECTORY;
use crate::lock::{Lock, LockedModule, Origin};
use crate::store::Tree;

/// The rules for what is in an environment and not in its new version.
pub(super) struct Remains<'r> {
    /// The files of the repository before.
    pub tree: Option<&'r Tree>,
    /// The modules before.
    pub modules: &'r [DeployedModule],
    /// The modules now.
    pub lock: &'r Lock,
    /// The levels at which content is removed.
    pub levels: PurgeLevels,
    /// The patterns of paths that are never removed.
    pub allowlist: &'r [String],
}

enum Verdict {
    /// It goes.
    Drop,
    /// It stays, with all that it contains.
    Keep,
    /// It is a directory, and what it contains is judged one by one.
    Enter,
}

impl Remains<'_> {
    /// Adds what stays of an old environment to a new one.
    pub fn carry(&self, old: &Path, new: &Path) -> Result<(), Problem> {
        self.directory(old, new, "")
    }

    fn directory(&self, old: &Path, new: &Path, inside: &str) -> Result<(), Problem> {
        for entry in fs::read_dir(old.join(inside)).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            // Patterns and trees have only text.
            let Some(name) = name.to_str() else { continue };
            let path = if inside.is_empty() { name.to_owned() } else { format!("{inside}/{name}") };
            match self.judge(&path, kind.is_dir(), new) {
                Verdict::Drop => {}
                Verdict::Enter => self.directory(old, new, &path)?,
                Verdict::Keep => {
                    let to = new.join(&path);
                    let copied = fs::create_dir_all(to.parent().unwrap_or(new))
                        .and_then(|()| copy(&old.join(&path), &to));
                    copied.map_err(|error| Problem::io("write", &to, &error))?;
                }
            }
        }
        Ok(())
    }

    fn judge(&self, path: &str, is_directory: bool, new: &Path) -> Verdict {
        // Records and repositories of an older deployment say nothing true about this one.
        if matches!(path, ".git")
            || path == STAMP_FILE
            || path == STATE_DIRECTORY
            || path == ".r10k-deploy.json~"
        {
            return Verdict::Drop;
        }
        let here = |module: &LockedModule| module.path() == Path::new(path);
        if let Ok(about) = fs::symlink_metadata(new.join(path)) {
            let is_module = self
                .lock
                .modules
                .iter()
                .any(|module| here(module) && !matches!(module.origin, Origin::Local));
            return if is_directory && about.is_dir() && !is_module { Verdict::Enter } else { Verdict::Drop };
        }
        if self.lock.modules.iter().any(here) {
            return Verdict::Keep;
        }
        if self.tree.is_some_and(|tree| tree.get(path).is_some()) {
            return Verdict::Drop;
        }
        if is_directory && self.tree.is_some_and(|tree| !tree.list(path).is_empty()) {
            return Verdict::Enter;
        }
        let was_module = self.modules.iter().any(|module| module.path == Path::new(path));
        let parent = Path::new(path).parent().unwrap_or(Path::new(""));
        let has_modules = |directory: &Path| !directory.as_os_str().is_empty() && directory == parent;
        if was_module || self.lock.modules.iter().any(|module| has_modules(&module.directory)) {
            return if self.levels.puppetfile { Verdict::Drop } else { Verdict::Keep };
        }
        let leads_to_modules =
            is_directory && self.modules.iter().any(|module| module.path.starts_with(path));
        match self.levels.environment {
            _ if leads_to_modules => Verdict::Enter,
            false => Verdict::Keep,
            true if matches(self.allowlist, path) => Verdict::Keep,
            true if is_directory => Verdict::Enter,
            true => Verdict::Drop,
        }
    }
}

/// Copies files, directories and links; files as hard links where possible.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let about = fs::symlink_metadata(from)?;
    if about.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    if about.is_dir() {
        fs::create_dir_all(to)?;
        fs::set_permissions(to, about.permissions())?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    if !about.is_file() {
        return Ok(());
    }
    fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(drop))
}
