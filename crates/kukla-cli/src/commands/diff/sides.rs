//! The sides of a comparison, as the arguments name them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::diff::FileStatus;
use kukla::fleet::{ChangedFiles, Control, FleetSide};
use kukla::syntax::Problem;
use kukla::{DiskWorld, World};
use kukla_git::{Change, Range, Repository, Revision, Status};

use super::Args;
use crate::commands::locked_modules::{self, LockedSide};
use crate::commands::target::Target;
use crate::files::named_files;

/// The things to compare.
pub enum Subject {
    /// Two catalogs, or two directories of them.
    Catalogs(PathBuf, PathBuf),
    /// Two sites.
    Sites(Box<Sites>),
}

/// Two sites.
pub struct Sites {
    /// The site before the change.
    pub from: FleetSide,
    /// The site after the change.
    pub to: FleetSide,
    /// The revisions of both sides, where they are not the files on the disk.
    revisions: [Option<Arc<Revision>>; 2],
    /// The repository, if a side is one of its revisions.
    pub repository: Option<Arc<Repository>>,
    /// The locked modules of both sides.
    locked: [LockedSide; 2],
}

/// The things to compare, as the arguments name them.
pub fn subject(args: &Args) -> Result<Subject, Problem> {
    let (from, to) = (args.from.as_deref(), args.to.as_deref());
    if let (Some(from), Some(to)) = (from, to) {
        let (one, other) = (PathBuf::from(from), PathBuf::from(to));
        match (kind(&one), kind(&other)) {
            (Some(Kind::File), Some(Kind::File)) => return Ok(Subject::Catalogs(one, other)),
            (Some(Kind::Directory), Some(Kind::Directory)) => return directories(args, one, other),
            (Some(_), Some(_)) => {
                return Err(Problem::invalid(format!("cannot compare {from} with {to}"))
                    .because("one is a file, the other a directory"));
            }
            _ => {}
        }
    }
    let (mut path, mut from) = (args.path.as_path(), from);
    if let (Some(directory), None) = (from.map(Path::new), to)
        && is_repository(directory)
    {
        (path, from) = (directory, None);
    }
    let range = match (from, to) {
        (Some(from), Some(to)) => Range::between(from, to),
        (Some(from), None) => Range::parse(from),
        // Two ways to compile the same files.
        (None, _) if args.sides.are_two() => {
            return directories(args, path.to_owned(), path.to_owned());
        }
        (None, _) => Range::parse(""),
    };
    revisions(args, path, &range)
}

/// Whether an argument is the directory of a repository, not a revision.
fn is_repository(path: &Path) -> bool {
    let is_path = path.starts_with(".") || path.starts_with("..") || path.is_absolute();
    kind(path) == Some(Kind::Directory) && (is_path || has_code(path))
}

/// Whether a directory is a control repository.
fn has_code(path: &Path) -> bool {
    let signs = ["manifests", "modules", "environment.conf", "hiera.yaml", "environments"];
    signs.iter().any(|sign| path.join(sign).exists())
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

fn directories(args: &Args, from: PathBuf, to: PathBuf) -> Result<Subject, Problem> {
    let is_same = from == to;
    let has_catalogs = |path: &Path| {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| entry.path().extension().is_some_and(|ending| ending == "json"))
    };
    if !is_same && [&from, &to].iter().all(|path| !has_code(path) && has_catalogs(path)) {
        return Ok(Subject::Catalogs(from, to));
    }
    let (old, new) = args.sides.targets(&args.target);
    let (before, after) = args.sides.names();
    let side = |root: PathBuf, name: String, target: &Target| {
        let name = if is_same { name } else { root.display().to_string() };
        // Sites know their files by their real paths.
        let root = root.canonicalize().unwrap_or(root);
        side(name, root, None, target)
    };
    let ((from, one), (to, other)) = (side(from, before, &old)?, side(to, after, &new)?);
    Ok(Subject::Sites(Box::new(Sites {
        from,
        to,
        revisions: [None, None],
        repository: None,
        locked: [one, other],
    })))
}

fn revisions(args: &Args, path: &Path, range: &Range) -> Result<Subject, Problem> {
    let path = path.canonicalize().map_err(|error| Problem::io("read", path, &error))?;
    let repository = Arc::new(Repository::discover(&path, Arc::new(DiskWorld::default()))?);
    let (old, new) = args.sides.targets(&args.target);
    let open = |side_of: &kukla_git::RangeEnd, target: &Target| {
        let found = repository.revision(side_of)?;
        if found.is_none() && !repository.has_files {
            return Err(Problem::not_found("no working tree in")
                .on(repository.root.display())
                .help("name two revisions"));
        }
        let name = found.as_ref().map_or_else(|| "the working tree".to_owned(), |(_, name)| name.clone());
        let revision = found.map(|(revision, _)| Arc::new(revision));
        let (side, locked) = side(name, path.clone(), revision.clone(), target)?;
        Ok((side, revision, locked))
    };
    let ((from, old, one), (to, new, other)) = (open(&range.from, &old)?, open(&range.to, &new)?);
    Ok(Subject::Sites(Box::new(Sites {
        from,
        to,
        revisions: [old, new],
        repository: Some(repository),
        locked: [one, other],
    })))
}

fn side(
    name: String,
    path: PathBuf,
    revision: Option<Arc<Revision>>,
    target: &Target,
) -> Result<(FleetSide, LockedSide), Problem> {
    let is_revision = revision.is_some();
    let repository: Arc<dyn World> = match revision {
        Some(revision) => revision,
        None => Arc::new(DiskWorld::default()),
    };
    let (repository, locked) = locked_modules::install(repository, &path, is_revision, Some(&name))?;
    let control = Control { path, repository, files: Arc::new(named_files()), is_revision };
    Ok((FleetSide { name, options: target.options_in(control)? }, locked))
}

impl Sites {
    /// Whether both sides see the modules of their own Puppetfile.
    pub fn has_modules_of_both(&self) -> bool {
        self.locked.iter().all(locked_modules::is_complete)
    }

    /// The files in which the revisions differ, if a side is one.
    pub fn changed_files(&self) -> Option<ChangedFiles> {
        let change = match &self.revisions {
            [Some(old), Some(new)] => old.changed_in(new),
            [Some(old), None] => old.changed_in_working_tree(),
            [None, Some(new)] => new.changed_in_working_tree().reversed(),
            [None, None] => return None,
        };
        let Change { files, has_links } = change;
        let root = self.repository.as_ref()?.root.clone();
        let mut files: BTreeMap<_, _> =
            files.into_iter().map(|(path, status)| (path, file_status(status))).collect();
        let [old, new] = &self.locked;
        let directory = &root;
        files.extend(
            locked_modules::changes(old, new)
                .into_iter()
                .filter_map(|(path, status)| Some((path.strip_prefix(directory).ok()?.to_owned(), status))),
        );
        Some(ChangedFiles { root, files, has_links })
    }
}

fn file_status(status: Status) -> FileStatus {
    match status {
        Status::Added => FileStatus::Added,
        Status::Removed => FileStatus::Removed,
        Status::Modified => FileStatus::Modified,
    }
}
