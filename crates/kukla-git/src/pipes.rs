//! Pipes and devices in git's own directory, found before anything in it is opened: opening one may wait forever.

use std::path::{Path, PathBuf};

use kukla_syntax::Problem;
use kukla_world::World;

/// The names in git's directory that are read, and directories of which everything may be.
const READ: &[&str] = &[
    "HEAD",
    "commondir",
    "config",
    "config.worktree",
    "gitdir",
    "index",
    "info",
    "modules",
    "objects",
    "packed-refs",
    "refs",
    "reftable",
    "shallow",
    "worktrees",
];

/// The pipes, sockets and devices in the git directory of a repository that git does not read. One that it does is a problem.
pub fn find(disk: &dyn World, directory: &Path) -> Result<Vec<PathBuf>, Problem> {
    let mut harmless = Vec::new();
    for root in git_directories(disk, directory)? {
        let mut open = vec![root.clone()];
        while let Some(directory) = open.pop() {
            for entry in disk.list(&directory) {
                let path = directory.join(&entry.name);
                if entry.is_special {
                    let inside = path.strip_prefix(&root).unwrap_or(&path);
                    let first = inside.iter().next().unwrap_or_default().to_string_lossy();
                    if READ.contains(&&*first) || first.ends_with("_HEAD") {
                        return Err(unreadable(&path));
                    }
                    harmless.push(path);
                } else if entry.is_directory && !entry.is_link {
                    open.push(path);
                }
            }
        }
    }
    Ok(harmless)
}

/// The directories with the objects and names of the repository that a directory is in.
fn git_directories(disk: &dyn World, directory: &Path) -> Result<Vec<PathBuf>, Problem> {
    for above in directory.ancestors() {
        let entries = disk.list(above);
        let has = |name: &str| entries.iter().any(|entry| entry.name == name);
        if let Some(entry) = entries.iter().find(|entry| entry.name == ".git") {
            let path = above.join(".git");
            return match entry {
                entry if entry.is_special => Err(unreadable(&path)),
                entry if entry.is_directory => Ok(vec![path]),
                _ => Ok(linked(disk, &path)),
            };
        }
        if has("HEAD") && has("objects") && has("refs") {
            return Ok(vec![above.to_owned()]);
        }
    }
    Ok(Vec::new())
}

/// The directory that a file `.git` names, and the one that it shares objects with.
fn linked(disk: &dyn World, path: &Path) -> Vec<PathBuf> {
    let first_line = |path: &Path| {
        let text = String::from_utf8(disk.read(path).ok()?).ok()?;
        text.lines().next().map(|line| line.trim().to_owned())
    };
    let beside = |path: &Path, target: &str| path.parent().unwrap_or(path).join(target);
    let named = first_line(path).and_then(|line| Some(beside(path, line.strip_prefix("gitdir:")?.trim())));
    let common = named.as_ref().and_then(|named| {
        let file = named.join("commondir");
        Some(beside(&file, &first_line(&file)?))
    });
    named.into_iter().chain(common).collect()
}

fn unreadable(path: &Path) -> Problem {
    Problem::invalid("cannot read").on(path.display()).because("it is a pipe, a socket or a device")
}
