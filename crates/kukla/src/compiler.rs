//! The compiler: the sites of a process, each opened once.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use kukla_catalog::Exports;
use kukla_eval::coverage::Coverage;
use kukla_eval::error::Diagnostic;
use kukla_eval::programs::Programs;
use kukla_eval::registry::Registry;
use kukla_extensions::RubyPrograms;
use kukla_syntax::roomy;
use kukla_world::{CommandNames, CommandOutputs, Guarded, Policy, World};

use crate::disk::DiskWorld;
use crate::site::Site;
use crate::spec::SiteSpec;

/// The most open sites; of more, the one that was not used for the longest time is closed.
const MOST_SITES: usize = 16;

/// Opens sites and keeps them open as long as their files do not change. Many threads can use it at once.
#[derive(Debug)]
pub struct Compiler {
    world: Arc<dyn World>,
    policy: Policy,
    /// The commands that the policy refused to run.
    refused_commands: Arc<CommandNames>,
    /// The outputs of commands that need not run twice.
    outputs: Arc<CommandOutputs>,
    exports: Option<Arc<dyn Exports>>,
    /// The most recently used one is last.
    sites: Mutex<Vec<Arc<Site>>>,
    /// Shared by all sites.
    programs: Arc<Programs>,
    /// Shared by all sites.
    ruby: Arc<RubyPrograms>,
}

/// A compiler that sees the disk as it is.
impl Default for Compiler {
    fn default() -> Compiler {
        Compiler::new(DiskWorld::default())
    }
}

/// The built-in functions, read once per process.
pub fn registry() -> Arc<Registry> {
    static REGISTRY: OnceLock<Arc<Registry>> = OnceLock::new();
    Arc::clone(REGISTRY.get_or_init(|| Arc::new(Registry::new(kukla_functions::LIBRARIES))))
}

impl Compiler {
    /// A compiler that sees everything outside through `world`: the disk, memory, or an `Arc` of either.
    pub fn new(world: impl World + 'static) -> Compiler {
        Compiler::over(Arc::new(world))
    }

    /// A compiler over a world that is shared with others.
    pub fn over(world: Arc<dyn World>) -> Compiler {
        Compiler {
            world,
            policy: Policy::default(),
            refused_commands: Arc::default(),
            outputs: Arc::default(),
            exports: None,
            sites: Mutex::default(),
            programs: Arc::default(),
            ruby: Arc::default(),
        }
    }

    /// The same, with a source of exported resources.
    #[must_use]
    pub fn with_exports(self, exports: Arc<dyn Exports>) -> Compiler {
        Compiler { exports: Some(exports), ..self }
    }

    /// The same, with another policy for code; by default code may read all files that the process may, and run
    /// nothing.
    #[must_use]
    pub fn with_policy(self, policy: Policy) -> Compiler {
        Compiler { policy, ..self }
    }

    /// The same, with the programs of another compiler: files that both read are parsed once.
    #[must_use]
    pub fn sharing(self, other: &Compiler) -> Compiler {
        Compiler { programs: Arc::clone(&other.programs), ruby: Arc::clone(&other.ruby), ..self }
    }

    /// The same, counting what runs.
    #[must_use]
    pub fn measuring(self, coverage: Arc<Coverage>) -> Compiler {
        let ruby = Arc::new(RubyPrograms::measuring(Arc::clone(&coverage)));
        Compiler { programs: Arc::new(Programs::measuring(coverage)), ruby, ..self }
    }

    /// The commands that code tried to run so far and that the policy refused.
    pub fn refused_commands(&self) -> BTreeSet<String> {
        self.refused_commands.all()
    }

    /// The world it sees, all of it.
    pub fn world(&self) -> &dyn World {
        &*self.world
    }

    /// The programs that its sites share.
    pub fn programs(&self) -> &Programs {
        &self.programs
    }

    /// The site that `spec` describes: one opened earlier if its files have not changed since.
    ///
    /// Files are checked here and nowhere else, at most once in the environment's `environment_timeout`: to compile
    /// many nodes, open the site once for all of them.
    pub fn open(&self, spec: &SiteSpec) -> Result<Arc<Site>, Box<Diagnostic>> {
        let known = self.find_open(spec);
        if let Some(site) = &known
            && site.is_current()
        {
            return Ok(Arc::clone(site));
        }
        let fresh = self.open_new(spec)?;
        Ok(self.keep(fresh, known.as_ref()))
    }

    /// The site that `spec` describes, opened again: for callers that know that it has changed, or that
    /// decide themselves when to check.
    pub fn open_new(&self, spec: &SiteSpec) -> Result<Arc<Site>, Box<Diagnostic>> {
        let open =
            || Site::open(spec.clone(), self.guarded(), self.exports.clone(), &self.programs, &self.ruby);
        roomy(open).map(Arc::new)
    }

    /// The world as code sees it.
    fn guarded(&self) -> Guarded<Arc<dyn World>> {
        Guarded::new(Arc::clone(&self.world), self.policy.clone())
            .reporting_commands(Arc::clone(&self.refused_commands))
            .remembering_commands(Arc::clone(&self.outputs))
    }

    fn find_open(&self, spec: &SiteSpec) -> Option<Arc<Site>> {
        let mut sites = self.sites();
        let at = sites.iter().position(|site| site.spec == *spec)?;
        let site = sites.remove(at);
        sites.push(Arc::clone(&site));
        Some(site)
    }

    /// Keeps a site in place of a stale one. If another thread has opened it meanwhile, that site is used.
    fn keep(&self, fresh: Arc<Site>, stale: Option<&Arc<Site>>) -> Arc<Site> {
        let mut sites = self.sites();
        if let Some(at) = sites.iter().position(|site| site.spec == fresh.spec) {
            if !stale.is_some_and(|stale| Arc::ptr_eq(stale, &sites[at])) {
                return Arc::clone(&sites[at]);
            }
            sites.remove(at);
        } else if sites.len() >= MOST_SITES {
            sites.remove(0);
        }
        sites.push(Arc::clone(&fresh));
        fresh
    }

    fn sites(&self) -> MutexGuard<'_, Vec<Arc<Site>>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
