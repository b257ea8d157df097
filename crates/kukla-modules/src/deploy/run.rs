//! A deployment from its settings to the switched environments.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use kukla_syntax::{Problem, ProblemKind, suggest};
use kukla_world::World;
use rustix::fs::FlockOperation;

use super::desired::{self, Desired, DesiredEnvironment};
use super::plan::{Change, Content, Plan, PlannedEnvironment, Planner};
use super::selection::Selection;
use super::settings::DeploySettings;
use super::stage;
use crate::install::STATE_DIRECTORY;
use crate::lock::{Lock, LockedModule};
use crate::parallel;
use crate::sources::{ControlRepository, Observer, Silent, Sources};
use crate::store::lock_file;

/// A deployment.
pub struct Deployment<'d> {
    /// Its settings.
    pub settings: &'d DeploySettings,
    /// Where repositories and modules come from.
    pub sources: &'d Sources,
    /// The world of the code of Puppetfiles and the filters of branches.
    pub world: &'d dyn World,
    /// The environments to deploy.
    pub selection: Selection<'d>,
    /// Deploy also what has not changed.
    pub force: bool,
}

/// An environment that could not be deployed, and stays as it was.
#[derive(Debug)]
pub struct Failure {
    /// Its name.
    pub environment: String,
    /// The reason.
    pub problem: Problem,
}

/// The result of a deployment.
#[derive(Debug, Default)]
pub struct DeployReport {
    /// The plan that it followed.
    pub plan: Plan,
    /// Environments that could not be deployed.
    pub failures: Vec<Failure>,
}

impl DeployReport {
    /// The names of environments that are new or have changed.
    pub fn modified(&self) -> Vec<&str> {
        self.modified_environments().map(|environment| environment.directory.as_str()).collect()
    }

    /// Their directories.
    pub fn modified_directories(&self) -> Vec<PathBuf> {
        self.modified_environments().map(DesiredEnvironment::path).collect()
    }

    fn modified_environments(&self) -> impl Iterator<Item = &DesiredEnvironment> {
        let is_done = move |planned: &&PlannedEnvironment| {
            planned.change != Change::Unchanged
                && !self.failures.iter().any(|failure| failure.environment == planned.desired.directory)
        };
        self.plan.environments.iter().filter(is_done).map(|planned| &planned.desired)
    }
}

/// Locks on the directories of environments. Another deployment waits until they are dropped.
struct Locks(#[expect(dead_code, reason = "closing them releases the locks")] Vec<File>);

impl Deployment<'_> {
    /// The changes that a deployment would make.
    pub fn plan(&self) -> Result<Plan, Problem> {
        let desired = desired::list(&self.settings.sources, self.sources, self.world)?;
        self.check_names(&desired)?;
        let planner =
            Planner { settings: self.settings, sources: self.sources, world: self.world, force: self.force };
        Ok(planner.plan(desired, self.selection))
    }

    /// Deploys the environments.
    pub fn run(&self, observer: &dyn Observer, waiting: impl Fn(&Path)) -> Result<DeployReport, Problem> {
        if let Some(reason) = &self.settings.write_lock {
            return Err(Problem::new(ProblemKind::Denied, "deploying is disabled")
                .because(reason)
                .help("remove write_lock from the settings"));
        }
        let _locks = self.lock(waiting)?;
        let started = self.world.now();
        let mut plan = self.plan()?;
        let mut failures = std::mem::take(&mut plan.failures);
        self.fetch(&plan, observer);
        let deployed = parallel::map(&plan.environments, threads(), |planned| match &planned.content {
            None => Ok(()),
            Some(content) => {
                // What was fetched for all is in the store; what was not fails here, for this environment.
                let mut lock = content.lock.clone();
                self.sources.fetch(&mut lock, &ControlRepository::default(), &Silent)?;
                let times = [started, self.world.now()];
                stage::deploy(
                    self.settings,
                    self.sources,
                    planned,
                    &Content { lock, ..content.clone() },
                    times,
                )
            }
        });
        for (planned, deployed) in plan.environments.iter().zip(deployed) {
            if let Err(problem) = deployed {
                failures.push(Failure { environment: planned.desired.directory.clone(), problem });
            }
        }
        for path in &plan.removed {
            if let Err(problem) = discard(path) {
                let environment = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                failures.push(Failure { environment, problem });
            }
        }
        Ok(DeployReport { plan, failures })
    }

    fn check_names(&self, desired: &Desired) -> Result<(), Problem> {
        let Selection::Named(names) = self.selection else { return Ok(()) };
        let known: Vec<&str> = desired.environments.iter().map(|known| known.directory.as_str()).collect();
        for name in names {
            if !known.contains(&name.as_str()) {
                let problem = Problem::not_found("no source has the environment").on(format!("'{name}'"));
                return Err(match suggest::nearest(name, known.iter().copied()) {
                    Some(near) => problem.help(format!("did you mean '{near}'?")),
                    None => problem,
                });
            }
        }
        Ok(())
    }

    /// Locks the directories of all sources, always in the same order, and cleans up after killed deployments.
    fn lock(&self, waiting: impl Fn(&Path)) -> Result<Locks, Problem> {
        let mut basedirs: Vec<&PathBuf> =
            self.settings.sources.iter().map(|source| &source.basedir).collect();
        basedirs.sort();
        basedirs.dedup();
        let mut locks = Vec::new();
        for basedir in basedirs {
            let state = basedir.join(STATE_DIRECTORY);
            fs::create_dir_all(&state).map_err(|error| Problem::io("create", &state, &error))?;
            let path = state.join("lock");
            let lock = match lock_file(&path, FlockOperation::NonBlockingLockExclusive) {
                Ok(lock) => lock,
                Err(_) => {
                    waiting(basedir);
                    lock_file(&path, FlockOperation::LockExclusive)?
                }
            };
            locks.push(lock);
            stage::recover(basedir)?;
        }
        Ok(Locks(locks))
    }

    /// Fetches the modules of all environments, each once.
    fn fetch(&self, plan: &Plan, observer: &dyn Observer) {
        let mut wanted: BTreeMap<&str, Lock> = BTreeMap::new();
        let contents = plan.environments.iter().filter_map(|planned| planned.content.as_ref());
        for lock in contents.map(|content| &content.lock) {
            let all = wanted
                .entry(&lock.forge)
                .or_insert_with(|| Lock { forge: lock.forge.clone(), ..Lock::default() });
            for module in &lock.modules {
                if !all.modules.iter().any(|known| is_same(known, module)) {
                    all.modules.push(module.clone());
                }
            }
        }
        for lock in wanted.values_mut().filter(|lock| !lock.modules.is_empty()) {
            // Each environment reports what of it could not be fetched, and the others go on.
            let _ = self.sources.fetch(lock, &ControlRepository::default(), observer);
        }
    }
}

/// Whether two modules have the same content.
fn is_same(a: &LockedModule, b: &LockedModule) -> bool {
    (&a.title, &a.origin, &a.archive) == (&b.title, &b.origin, &b.archive)
}

/// How many environments are written at once.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(4, |count| count.get().saturating_mul(2))
}

/// Removes an environment: out of sight in one step, then from the disk.
fn discard(path: &Path) -> Result<(), Problem> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let basedir = path.parent().unwrap_or(Path::new("/"));
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let aside = stage::staging(basedir).join(format!("removed-{number}"));
    fs::rename(path, &aside).map_err(|error| Problem::io("remove", path, &error))?;
    stage::remove(&aside)
}
