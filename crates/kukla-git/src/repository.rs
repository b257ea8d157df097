//! A repository and its revisions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gix::ObjectId;
use kukla_syntax::{Problem, contain};
use kukla_world::puppetfile::Puppetfile;
use kukla_world::{DirectoryEntry, World};
use rustc_hash::FxHashMap;

use crate::objects::{Objects, damaged, find};
use crate::pipes;
use crate::range::RangeEnd;
use crate::revision::Revision;

/// A git repository.
#[derive(Debug)]
pub struct Repository {
    /// The directory that a revision would be checked out in; of a repository without files the one of its objects.
    pub root: PathBuf,
    /// Whether there are files.
    pub has_files: bool,
    pub(crate) objects: Arc<Objects>,
    disk: Arc<dyn World>,
    /// Other repositories inside, by path; none where they are not here.
    submodules: Mutex<FxHashMap<PathBuf, Option<Arc<Objects>>>>,
    /// The entries of directories that belong to no revision.
    beside: Mutex<FxHashMap<PathBuf, Arc<[DirectoryEntry]>>>,
    installed: BTreeSet<PathBuf>,
    taken: Mutex<BTreeSet<PathBuf>>,
    absent: Mutex<BTreeSet<PathBuf>>,
    /// Files in git's directory that are pipes or devices, and that git does not need.
    pipes: Vec<PathBuf>,
}

impl Repository {
    /// The repository that a directory belongs to. Files outside it are seen through `disk`.
    pub fn discover(directory: &Path, disk: Arc<dyn World>) -> Result<Repository, Problem> {
        let pipes = pipes::find(&*disk, directory)?;
        let not_found = || Problem::not_found(format!("{} is not in a git repository", directory.display()));
        let found = contain(|| gix::discover(directory)).map_err(|panic| damaged(&panic))?;
        let found = found.map_err(|_| not_found())?;
        let (root, has_files) = match found.workdir() {
            Some(root) => (root.to_owned(), true),
            None => (found.git_dir().to_owned(), false),
        };
        let root = disk.resolve(&root);
        let text = disk.read(&root.join("Puppetfile")).unwrap_or_default();
        // Relative to the root, as paths of revisions are.
        let puppetfile = Puppetfile::parse(Path::new("Puppetfile"), &String::from_utf8_lossy(&text));
        Ok(Repository {
            installed: puppetfile.modules.into_values().map(|module| module.directory).collect(),
            root,
            has_files,
            objects: Arc::new(Objects::new(found)),
            disk,
            submodules: Mutex::default(),
            beside: Mutex::default(),
            taken: Mutex::default(),
            absent: Mutex::default(),
            pipes,
        })
    }

    /// The world in which the repository's directory holds one end of a comparison, and its name for people; nothing for the
    /// working tree.
    pub fn revision(self: &Arc<Self>, side: &RangeEnd) -> Result<Option<(Revision, String)>, Problem> {
        let (commit, name) = match side {
            RangeEnd::WorkingTree => return Ok(None),
            RangeEnd::Revision(name) => (self.commit(name)?, name.clone()),
            RangeEnd::MergeBase(one, other) => {
                let base = self.merge_base(self.commit(one)?, self.commit(other)?)?;
                let unrelated = || Problem::not_found(format!("{one} and {other} have no common ancestor"));
                (base.ok_or_else(|| self.with_help(unrelated()))?, format!("{one}...{other}"))
            }
        };
        let tree = self.objects.tree_of(commit).map_err(|problem| self.with_help(problem))?;
        let short = commit.to_hex_with_len(10).to_string();
        let name = if commit.to_string().starts_with(&name) { short } else { format!("{name} ({short})") };
        Ok(Some((Revision::new(Arc::clone(self), tree), name)))
    }

    fn commit(&self, name: &str) -> Result<ObjectId, Problem> {
        let unknown = || Problem::not_found(format!("unknown revision '{name}' in {}", self.root.display()));
        let found = self
            .objects
            .ask(|repository| repository.rev_parse_single(name).map(|id| id.detach()).map_err(|_| unknown()));
        found.map_err(|problem| self.with_help(problem))
    }

    fn merge_base(&self, one: ObjectId, other: ObjectId) -> Result<Option<ObjectId>, Problem> {
        let found = self.objects.ask(|repository| match repository.merge_base(one, other) {
            Ok(base) => Ok(base.map(|base| base.detach())),
            Err(error) => Err(Problem::other("cannot find the merge base").because(error)),
        });
        found.map_err(|problem| self.with_help(problem))
    }

    /// The problem with help if a shallow clone may be its reason.
    fn with_help(&self, problem: Problem) -> Problem {
        match self.objects.ask(|repository| Ok(repository.is_shallow().unwrap_or_default())) {
            Ok(true) => problem
                .help("this clone is shallow; get its full history with `git fetch --unshallow` (in CI: fetch-depth: 0)"),
            _ => problem,
        }
    }

    pub(crate) fn disk(&self) -> &dyn World {
        &*self.disk
    }

    /// The repository inside this one at a path, if it is here.
    pub(crate) fn submodule(&self, path: &Path) -> Option<Arc<Objects>> {
        let mut known = self.submodules.lock().unwrap_or_else(PoisonError::into_inner);
        let open = || {
            let opened = contain(|| gix::open(self.root.join(path))).ok()?.ok()?;
            Some(Arc::new(Objects::new(opened)))
        };
        known.entry(path.to_owned()).or_insert_with(open).clone()
    }

    /// The entries of a directory that belong to no revision: those that git ignores, and those that a Puppetfile installs. A revision has the
    /// rest of the directory.
    pub(crate) fn beside(&self, directory: &Path, tree: &[crate::objects::Entry]) -> Arc<[DirectoryEntry]> {
        if !self.has_files {
            return Arc::default();
        }
        let known = self.beside.lock().unwrap_or_else(PoisonError::into_inner).get(directory).cloned();
        let all = known.unwrap_or_else(|| {
            let mut entries = self.disk.list(&self.root.join(directory));
            entries.retain(|entry| entry.name != ".git");
            let paths: Vec<PathBuf> = entries.iter().map(|entry| directory.join(&entry.name)).collect();
            let asked = paths.iter().zip(&entries).map(|(path, entry)| (path.as_path(), entry.is_directory));
            let ignored = self.objects.ignored(asked);
            let mut of_none =
                paths.iter().zip(ignored).map(|(path, ignored)| ignored || self.installed.contains(path));
            entries.retain(|_| of_none.next().unwrap_or_default());
            let entries: Arc<[DirectoryEntry]> = entries.into();
            let mut known = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(directory.to_owned(), Arc::clone(&entries));
            entries
        });
        // What is ignored and was committed nevertheless belongs to the revision.
        match all.iter().any(|entry| find(tree, &entry.name).is_some()) {
            true => all.iter().filter(|entry| find(tree, &entry.name).is_none()).cloned().collect(),
            false => all,
        }
    }

    /// Notes that something was taken from the files as they are.
    pub(crate) fn note_taken(&self, path: &Path) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if !taken.contains(path) {
            taken.insert(path.to_owned());
        }
    }

    /// Notes that a submodule is not here.
    pub(crate) fn note_absent(&self, path: &Path) {
        self.absent.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
    }

    /// Notes for the reader of a report on how revisions were read.
    pub fn notes(&self) -> Vec<String> {
        let listed = |paths: &Mutex<BTreeSet<PathBuf>>| {
            let paths = paths.lock().unwrap_or_else(PoisonError::into_inner);
            let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            match names.len() {
                0 => None,
                1..=6 => Some(names.join(", ")),
                n => Some(format!("{} and {} more", names[..5].join(", "), n - 5)),
            }
        };
        let pipes = match &*self.pipes {
            [] => None,
            pipes => {
                let names: Vec<String> = pipes.iter().map(|path| path.display().to_string()).collect();
                Some(format!("skipped, because they are pipes, sockets or devices: {}", names.join(", ")))
            }
        };
        let taken = listed(&self.taken)
            .map(|names| format!("not in git, so taken from the working directory on both sides: {names}"));
        let absent = listed(&self.absent).map(|names| {
            format!("submodules that are not checked out, treated as empty: {names}; get them with `git submodule update --init`")
        });
        taken.into_iter().chain(absent).chain(pipes).collect()
    }
}
