//! The plan of a deployment: what changes, as data.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_syntax::{Problem, ProblemKind};
use kukla_world::fnmatch::{Flags, fnmatch};
use kukla_world::{DirectoryEntry, FileError, FileResult, World};
use serde_json::{Value as Json, json};

use super::desired::{Checkout, Desired, DesiredEnvironment};
use super::run::Failure;
use super::selection::Selection;
use super::settings::{Conflicts, DeploySettings};
use super::stamp::{DeployedModule, Stamp, StampDetails};
use crate::digest::Digest;
use crate::install::STATE_DIRECTORY;
use crate::lock::{Lock, Origin};
use crate::parallel;
use crate::puppetfile::{Declaration, Puppetfile, ReadOptions, Source, VersionRequest};
use crate::sources::{ControlRepository, Sources};
use crate::store::{Entry, Store, Tree};

/// The changes that a deployment makes.
#[derive(Debug, Default)]
pub struct Plan {
    /// The environments in the order of the sources.
    pub environments: Vec<PlannedEnvironment>,
    /// Directories that no source has any more.
    pub removed: Vec<PathBuf>,
    /// Environments that cannot be planned; they stay as they are.
    pub failures: Vec<Failure>,
    /// Remarks.
    pub notes: Vec<String>,
}

/// An environment and what happens to it.
#[derive(Debug)]
pub struct PlannedEnvironment {
    /// The environment.
    pub desired: DesiredEnvironment,
    /// The change of its directory.
    pub change: Change,
    /// Changed modules.
    pub modules: Vec<ModuleChange>,
    /// The new content; none if nothing changes.
    pub(super) content: Option<Content>,
}

/// The new content of an environment.
#[derive(Clone, Debug)]
pub(super) struct Content {
    /// The files of the repository.
    pub tree: Option<Arc<Tree>>,
    /// The modules.
    pub lock: Lock,
    /// The new record.
    pub stamp: Stamp,
    /// The record of what is there.
    pub before: Option<Stamp>,
}

/// The change of an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    Added,
    /// It has another commit, other modules or other settings.
    Changed {
        /// The commit before; none if nobody knows.
        from: Option<String>,
    },
    /// It stays as it is.
    Unchanged,
}

/// The change of a module of an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleChange {
    /// The name.
    pub title: String,
    /// The version before; none if it is new.
    pub from: Option<String>,
    /// The version after; none if it is removed.
    pub to: Option<String>,
}

/// The inputs of a plan.
pub(super) struct Planner<'p> {
    pub settings: &'p DeploySettings,
    pub sources: &'p Sources,
    pub world: &'p dyn World,
    /// Deploy also what has not changed.
    pub force: bool,
}

impl Plan {
    /// Whether anything changes.
    pub fn has_changes(&self) -> bool {
        !self.removed.is_empty()
            || self.environments.iter().any(|planned| planned.change != Change::Unchanged)
    }

    /// The plan as JSON.
    pub fn to_json(&self) -> Json {
        let environment = |planned: &PlannedEnvironment| {
            let modules: Vec<Json> = planned
                .modules
                .iter()
                .map(|module| json!({"title": module.title, "from": module.from, "to": module.to}))
                .collect();
            let (change, from) = match &planned.change {
                Change::Added => ("added", None),
                Change::Changed { from } => ("changed", from.clone()),
                Change::Unchanged => ("unchanged", Some(planned.desired.signature().to_owned())),
            };
            json!({
                "name": planned.desired.directory, "source": planned.desired.source, "path": planned.desired.path(),
                "branch": planned.desired.checkout.as_ref().map(|checkout| &checkout.reference),
                "change": change, "from": from, "to": planned.desired.signature(), "modules": modules,
            })
        };
        let failure =
            |failure: &Failure| json!({"name": failure.environment, "problem": failure.problem.to_string()});
        json!({
            "environments": self.environments.iter().map(environment).collect::<Vec<_>>(),
            "removed": self.removed,
            "failures": self.failures.iter().map(failure).collect::<Vec<_>>(),
        })
    }
}

impl Planner<'_> {
    /// Plans the selected environments.
    pub fn plan(&self, desired: Desired, selection: Selection<'_>) -> Plan {
        let Desired { environments, mut notes } = desired;
        let mut removed = self.removed(&environments);
        removed.retain(|path| selection.may_remove(path, &self.settings.sources));
        let chosen: Vec<DesiredEnvironment> =
            environments.into_iter().filter(|environment| selection.includes(environment)).collect();
        let planned =
            parallel::map(&chosen, self.sources.threads(), |environment| self.environment(environment));
        let mut plan = Plan { removed, ..Plan::default() };
        for (environment, planned) in chosen.into_iter().zip(planned) {
            match planned {
                Ok((planned, remarks)) => {
                    plan.environments.push(planned);
                    notes.extend(remarks);
                }
                Err(problem) => {
                    plan.failures.push(Failure { environment: environment.directory, problem });
                }
            }
        }
        plan.notes = notes;
        plan
    }

    fn environment(
        &self,
        desired: &DesiredEnvironment,
    ) -> Result<(PlannedEnvironment, Vec<String>), Problem> {
        let path = desired.path();
        let exists = std::fs::symlink_metadata(&path).is_ok();
        let before = Stamp::read(&path);
        let settings = self.settings_digest(desired);
        let same = before.as_ref().filter(|stamp| stamp.signature == desired.signature());
        let same = same.and_then(|stamp| stamp.details.as_ref()).filter(|known| known.settings == settings);
        let unchanged = |desired: &DesiredEnvironment| PlannedEnvironment {
            desired: desired.clone(),
            change: Change::Unchanged,
            modules: Vec::new(),
            content: None,
        };
        if let Some(known) = same
            && !known.is_moving
            && !self.force
        {
            return Ok((unchanged(desired), Vec::new()));
        }
        let tree = desired.checkout.as_ref().map(|checkout| self.tree(checkout)).transpose()?;
        let mut notes = Vec::new();
        let known_modules = before
            .iter()
            .filter_map(|stamp| stamp.details.as_ref())
            .flat_map(|details| details.modules.clone());
        let known_modules: Vec<DeployedModule> = known_modules.collect();
        let (lock, is_moving) = self.modules(desired, tree.as_ref(), &known_modules, &mut notes)?;
        let modules: Vec<DeployedModule> = lock.modules.iter().map(DeployedModule::of).collect();
        if same.is_some_and(|known| known.modules == modules) && !self.force {
            return Ok((unchanged(desired), notes));
        }
        let change = match exists {
            true => Change::Changed { from: before.as_ref().map(|stamp| stamp.signature.clone()) },
            false => Change::Added,
        };
        let changes = module_changes(&known_modules, &modules);
        let details = StampDetails { settings, is_moving, modules };
        let stamp = Stamp { signature: desired.signature().to_owned(), details: Some(details) };
        let content = Content { tree, lock, stamp, before };
        let planned =
            PlannedEnvironment { desired: desired.clone(), change, modules: changes, content: Some(content) };
        Ok((planned, notes))
    }

    /// The digest of all settings that decide about the content of an environment.
    fn settings_digest(&self, desired: &DesiredEnvironment) -> Digest {
        let DeploySettings { default_ref, exclude_spec, forge, .. } = self.settings;
        let forge = (&forge.url, forge.allow_override);
        let DesiredEnvironment { checkout, puppetfile, moduledir, modules, conflicts, .. } = desired;
        let branch = checkout.as_ref().map(|checkout| (&checkout.remote, &checkout.reference));
        let all = format!(
            "1 {default_ref:?} {exclude_spec} {forge:?} {branch:?} {puppetfile:?} {moduledir:?} {modules:?} {conflicts:?}"
        );
        Digest::of(all.as_bytes())
    }

    /// The files of a commit.
    fn tree(&self, checkout: &Checkout) -> Result<Arc<Tree>, Problem> {
        tree_of_commit(self.sources, &checkout.remote, &checkout.commit)
    }

    /// The modules of an environment, and whether some versions can change without a commit.
    fn modules(
        &self,
        desired: &DesiredEnvironment,
        tree: Option<&Arc<Tree>>,
        known: &[DeployedModule],
        notes: &mut Vec<String>,
    ) -> Result<(Lock, bool), Problem> {
        let branch = desired.checkout.as_ref().map(|checkout| checkout.reference.clone());
        let control = ControlRepository { base: PathBuf::new(), branch };
        let options = ReadOptions {
            exclude_spec: self.settings.exclude_spec,
            default_branch: self.settings.default_ref.clone(),
            ..ReadOptions::default()
        };
        let path = desired.path().join(&desired.puppetfile);
        let mut lock = Lock::default();
        let mut is_moving = false;
        let text = |name: &str| tree.and_then(|tree| self.sources.text(tree, name));
        if let (Some(tree), Some(puppetfile)) = (tree, text(&desired.puppetfile)) {
            let base = kukla_world::normal(&self.world.here().join(desired.path()));
            let world = ControlWorld { inner: self.world, base, tree, store: &self.sources.store };
            let mut puppetfile = Puppetfile::evaluate(&world, &path, puppetfile.as_bytes(), &options)?;
            if desired.exact_versions {
                require_exact(&puppetfile.modules)?;
            }
            if !self.settings.forge.allow_override {
                puppetfile.forge = None;
            }
            puppetfile.forge = puppetfile.forge.or_else(|| self.settings.forge.url.clone());
            let lock_name = format!("{}.lock", desired.puppetfile);
            lock = match text(&lock_name) {
                Some(text) => {
                    let lock = Lock::parse(&desired.path().join(lock_name), &text)?;
                    lock.require_current(&puppetfile)?;
                    lock
                }
                None => {
                    is_moving = pin_known(&mut puppetfile.modules, known);
                    let lock = self.sources.pin(&puppetfile, &control)?;
                    is_moving |= self.has_branches(&lock)?;
                    lock
                }
            };
        }
        if !desired.modules.is_empty() {
            let options = match &desired.moduledir {
                Some(directory) => ReadOptions { moduledir: directory.into(), ..options },
                None => options,
            };
            let mut own = Puppetfile::evaluate(self.world, &path, desired.modules.as_bytes(), &options)?;
            own.forge.clone_from(&self.settings.forge.url);
            is_moving |= pin_known(&mut own.modules, known);
            let own = self.sources.pin(&own, &control)?;
            is_moving |= self.has_branches(&own)?;
            resolve_conflicts(desired, &mut lock, &own, notes)?;
            if lock.forge.is_empty() {
                lock.forge.clone_from(&own.forge);
            }
            lock.modules.extend(own.modules);
        }
        Ok((lock, is_moving))
    }

    /// Whether a module is at a branch. Tags and commits stay what they are, as with r10k.
    fn has_branches(&self, lock: &Lock) -> Result<bool, Problem> {
        for module in &lock.modules {
            let Origin::Git { url, reference, commit } = &module.origin else { continue };
            if commit.starts_with(reference.as_str()) {
                continue;
            }
            let references = self.sources.git(url, &ControlRepository::default())?.references()?;
            if !references.all.iter().any(|known| known.tag() == Some(reference)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The contents of the directories of environments that belong to no source.
    fn removed(&self, desired: &[DesiredEnvironment]) -> Vec<PathBuf> {
        if !self.settings.purge.deployment {
            return Vec::new();
        }
        let wanted: BTreeSet<PathBuf> = desired.iter().map(DesiredEnvironment::path).collect();
        let basedirs: BTreeSet<&Path> = self.settings.sources.iter().map(|source| &*source.basedir).collect();
        let mut removed = Vec::new();
        for basedir in &basedirs {
            for entry in std::fs::read_dir(basedir).into_iter().flatten().flatten() {
                let (name, path) = (entry.file_name(), entry.path());
                let name = name.to_string_lossy();
                let is_kept = wanted.contains(&path)
                    || *name == *STATE_DIRECTORY
                    || basedirs.iter().any(|other| other.starts_with(&path))
                    || matches(&self.settings.deployment_purge_allowlist, &name);
                if !is_kept {
                    removed.push(path);
                }
            }
        }
        removed.sort();
        removed
    }
}

/// Refuses modules of the Forge without an exact version.
fn require_exact(modules: &[Declaration]) -> Result<(), Problem> {
    let is_open = |module: &&Declaration| matches!(&module.source, Source::Forge(version) if !matches!(version, VersionRequest::Exact(_)));
    let open: Vec<String> =
        modules.iter().filter(is_open).map(|module| format!("'{}'", module.title)).collect();
    match open.is_empty() {
        true => Ok(()),
        false => Err(Problem::new(ProblemKind::Denied, "modules have no exact version")
            .on(open.join(", "))
            .because("force_forge_versions requires one")),
    }
}

/// A module without a version keeps the one that is deployed, as with r10k. Says whether a later release could be another version.
fn pin_known(modules: &mut [Declaration], known: &[DeployedModule]) -> bool {
    let mut is_moving = false;
    for module in modules {
        let deployed = known.iter().find(|known| known.title == module.title);
        match (&module.source, deployed.and_then(DeployedModule::forge_version)) {
            (Source::Forge(VersionRequest::Any), Some(version)) => {
                module.source = Source::Forge(VersionRequest::Exact(version.to_owned()));
            }
            (Source::Forge(VersionRequest::Latest | VersionRequest::Range(_)), _) => is_moving = true,
            _ => {}
        }
    }
    is_moving
}

/// Whether one of the patterns matches, as r10k matches paths.
pub(super) fn matches(patterns: &[String], path: &str) -> bool {
    let flags = Flags { pathname: true, dot_match: true, ..Flags::default() };
    patterns.iter().any(|pattern| fnmatch(pattern.trim_start_matches('/'), path, flags))
}

/// The files of a commit, which is fetched if it is not in the store.
pub(super) fn tree_of_commit(sources: &Sources, remote: &str, commit: &str) -> Result<Arc<Tree>, Problem> {
    let repository = sources.git(remote, &ControlRepository::default())?;
    let digest = repository.tree(commit, sources.options.limits)?;
    sources.store.tree(&digest).ok_or_else(|| {
        Problem::new(ProblemKind::Conflict, "the store lost")
            .on(format!("commit {commit}"))
            .help("run the command again")
    })
}

fn resolve_conflicts(
    desired: &DesiredEnvironment,
    lock: &mut Lock,
    own: &Lock,
    notes: &mut Vec<String>,
) -> Result<(), Problem> {
    let mut conflicts = Vec::new();
    lock.modules.retain(|module| {
        let is_conflict = own.modules.iter().any(|other| other.name == module.name);
        if is_conflict {
            conflicts.push(module.name.clone());
        }
        !is_conflict
    });
    if conflicts.is_empty() || desired.conflicts == Conflicts::Override {
        return Ok(());
    }
    let both = format!(
        "the environment '{}' and its {} both declare {}",
        desired.directory,
        desired.puppetfile,
        conflicts.join(", ")
    );
    match desired.conflicts {
        Conflicts::Error => Err(Problem::new(ProblemKind::Conflict, both)),
        _ => {
            notes.push(format!("{both}; the declaration of the environment is used"));
            Ok(())
        }
    }
}

fn module_changes(before: &[DeployedModule], after: &[DeployedModule]) -> Vec<ModuleChange> {
    let mut changes = Vec::new();
    for module in after {
        let known = before.iter().find(|known| known.path == module.path);
        if known.is_none_or(|known| known.source != module.source) {
            changes.push(ModuleChange {
                title: module.title.clone(),
                from: known.map(|known| known.version.clone()),
                to: Some(module.version.clone()),
            });
        }
    }
    for module in before {
        if !after.iter().any(|other| other.path == module.path) {
            let from = Some(module.version.clone());
            changes.push(ModuleChange { title: module.title.clone(), from, to: None });
        }
    }
    changes
}

/// The world of a Puppetfile that is not deployed yet: its repository is seen where it will be.
#[derive(Debug)]
struct ControlWorld<'w> {
    inner: &'w dyn World,
    base: PathBuf,
    tree: &'w Tree,
    store: &'w Store,
}

impl ControlWorld<'_> {
    /// The path in the repository.
    fn inside(&self, path: &Path) -> Option<String> {
        let path = kukla_world::normal(&self.here().join(path));
        Some(path.strip_prefix(&self.base).ok()?.to_str()?.to_owned())
    }
}

impl World for ControlWorld<'_> {
    fn inner(&self) -> Option<&dyn World> {
        Some(self.inner)
    }

    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        let Some(inside) = self.inside(path) else { return self.inner.read(path) };
        match self.tree.get(&inside) {
            Some(Entry::File(file)) => self
                .store
                .read_object(&file.digest, file.executable)
                .map_err(|error| FileError::Other(error.to_string())),
            _ => Err(FileError::NotFound),
        }
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        let Some(inside) = self.inside(path) else { return self.inner.list(path) };
        let entry = |(name, is_directory): (&str, bool)| DirectoryEntry {
            name: name.to_owned(),
            is_directory,
            is_link: false,
            is_special: false,
        };
        self.tree.list(&inside).into_iter().map(entry).collect()
    }

    fn exists(&self, path: &Path) -> bool {
        match self.inside(path) {
            Some(inside) => self.tree.get(&inside).is_some() || !self.tree.list(&inside).is_empty(),
            None => self.inner.exists(path),
        }
    }
}
