//! What is compared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::diff::{FileStatus, Files, Tree};
use kukla::{DiskWorld, World};
use kukla_git::{Change, Range, Repository, Revision, Status};

use super::Args;
use crate::commands::target::{Control, Target};

/// What is compared.
pub enum Subject {
    /// Two catalogs, or two directories of them.
    Catalogs(PathBuf, PathBuf),
    /// Two sites.
    Sites(Box<Sites>),
}

/// Two sites.
pub struct Sites {
    /// The side before.
    pub from: Side,
    /// The side after.
    pub to: Side,
    /// Whether they differ in files and nothing else.
    pub differ_in_files: bool,
    /// The repository, if a side is one of its revisions.
    pub repository: Option<Arc<Repository>>,
}

/// One of the sites.
pub struct Side {
    /// What people call it.
    pub name: String,
    /// The control repository.
    pub root: PathBuf,
    /// Which environment, facts and settings.
    pub target: Target,
    /// The revision it is, if it is not the files as they are.
    pub revision: Option<Arc<Revision>>,
}

impl Side {
    /// The control repository, as the side has it.
    pub fn control(&self) -> Control<'_> {
        Control {
            path: &self.root,
            revision: self.revision.as_deref().map(|revision| revision as &dyn World),
        }
    }

    /// What the side is seen through.
    pub fn world(&self) -> Arc<dyn World> {
        match &self.revision {
            Some(revision) => Arc::clone(revision) as Arc<dyn World>,
            None => Arc::new(DiskWorld::default()),
        }
    }
}

/// What the arguments name.
pub fn subject(args: &Args) -> Result<Subject, String> {
    let (from, to) = (args.from.as_deref(), args.to.as_deref());
    if let (Some(from), Some(to)) = (from, to) {
        let (one, other) = (PathBuf::from(from), PathBuf::from(to));
        match (kind(&one), kind(&other)) {
            (Some(Kind::File), Some(Kind::File)) => return Ok(Subject::Catalogs(one, other)),
            (Some(Kind::Directory), Some(Kind::Directory)) => return Ok(directories(args, one, other)),
            (Some(_), Some(_)) => {
                return Err(format!(
                    "{from} and {to} are not of a kind: one is a file, the other a directory"
                ));
            }
            _ => {}
        }
    }
    let range = match (from, to) {
        (Some(from), Some(to)) => Range::between(from, to),
        (Some(from), None) => Range::parse(from),
        // Two ways to compile the same files.
        (None, _) if args.sides.are_two() => {
            return Ok(directories(args, args.path.clone(), args.path.clone()));
        }
        (None, _) => Range::parse(""),
    };
    revisions(args, &range)
}

#[derive(PartialEq, Eq)]
enum Kind {
    File,
    Directory,
}

fn kind(path: &Path) -> Option<Kind> {
    let about = std::fs::metadata(path).ok()?;
    Some(if about.is_dir() { Kind::Directory } else { Kind::File })
}

fn directories(args: &Args, from: PathBuf, to: PathBuf) -> Subject {
    let is_same = from == to;
    let signs = ["manifests", "modules", "environment.conf", "hiera.yaml", "environments"];
    let has_code = |path: &Path| signs.iter().any(|sign| path.join(sign).exists());
    let has_catalogs = |path: &Path| {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| entry.path().extension().is_some_and(|ending| ending == "json"))
    };
    if !is_same && [&from, &to].iter().all(|path| !has_code(path) && has_catalogs(path)) {
        return Subject::Catalogs(from, to);
    }
    let (old, new) = args.sides.targets(&args.target);
    let name = |root: &Path, what: &str| match is_same {
        true => what.to_owned(),
        false => root.display().to_string(),
    };
    let (before, after) = args.sides.names();
    // Sites know their files by their real paths.
    let real = |root: &Path| root.canonicalize().unwrap_or_else(|_| root.to_owned());
    Subject::Sites(Box::new(Sites {
        from: Side { name: name(&from, &before), root: real(&from), target: old, revision: None },
        to: Side { name: name(&to, &after), root: real(&to), target: new, revision: None },
        differ_in_files: !args.sides.are_two(),
        repository: None,
    }))
}

fn revisions(args: &Args, range: &Range) -> Result<Subject, String> {
    let path = args.path.canonicalize().map_err(|error| crate::files::problem(&args.path, &error))?;
    let repository = Repository::discover(&path, Arc::new(DiskWorld::default()));
    let repository = Arc::new(repository.map_err(|problem| problem.with_help())?);
    let (old, new) = args.sides.targets(&args.target);
    let side = |side: &kukla_git::Side, target: Target| {
        let found = repository.revision(side).map_err(|problem| problem.with_help())?;
        if found.is_none() && !repository.has_files {
            return Err(format!("{} has no working tree; name two revisions", repository.root.display()));
        }
        let name = found.as_ref().map_or_else(|| "the working tree".to_owned(), |(_, name)| name.clone());
        let revision = found.map(|(revision, _)| Arc::new(revision));
        Ok(Side { name, root: path.clone(), target, revision })
    };
    let (from, to) = (side(&range.from, old)?, side(&range.to, new)?);
    Ok(Subject::Sites(Box::new(Sites {
        from,
        to,
        differ_in_files: !args.sides.are_two(),
        repository: Some(repository),
    })))
}

impl Sites {
    /// In which files the sides differ, seen through these worlds.
    pub fn files<'w>(&'w self, before: &'w dyn World, after: &'w dyn World) -> Files<'w> {
        let known = match (&self.from.revision, &self.to.revision) {
            (Some(old), Some(new)) => Some(old.changed_in(new)),
            (Some(old), None) => Some(old.changed_in_working_tree()),
            (None, Some(new)) => Some(new.changed_in_working_tree().reversed()),
            (None, None) => None,
        };
        match (known, &self.repository) {
            (Some(Change { files, has_links }), Some(repository)) => {
                let root = repository.root.as_path();
                let files: BTreeMap<PathBuf, FileStatus> =
                    files.into_iter().map(|(path, status)| (path, told(status))).collect();
                Files::new(Tree { world: before, root }, Tree { world: after, root }, files, has_links)
            }
            _ => Files::found(
                Tree { world: before, root: &self.from.root },
                Tree { world: after, root: &self.to.root },
            ),
        }
    }
}

fn told(status: Status) -> FileStatus {
    match status {
        Status::Added => FileStatus::Added,
        Status::Removed => FileStatus::Removed,
        Status::Modified => FileStatus::Modified,
    }
}
