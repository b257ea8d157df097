//! The state that the examples of one file share: the project, open sites, compiled catalogs.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use kukla::eval::environment::OwnModule;
use kukla::eval::settings::Settings;
use kukla::extensions::resource_type::Judge;
use kukla::values::Limits;
use kukla::{Compiler, Diagnostic, Site, SiteSpec};

use crate::project::{Project, ProjectKind};
use crate::rspec::catalog::CompiledCatalog;
use crate::rspec::fixtures;

/// The most open sites and the most catalogs that a file keeps; the oldest go first.
const MOST_SITES: usize = 64;
const MOST_CATALOGS: usize = 256;

/// The steps that a whole file may take, or one compilation in it.
const STEPS: u64 = 200_000_000_000;
const MEMORY: u64 = 8 << 30;

/// A catalog, or the message of the error in its place.
pub type CatalogOrError = Result<Rc<CompiledCatalog>, Rc<str>>;

/// The project, the open sites and the compiled catalogs of one file.
pub struct Bench {
    compiler: Compiler,
    own_module: Option<OwnModule>,
    modulepath: Vec<PathBuf>,
    sites: RefCell<IndexMap<String, Arc<Site>>>,
    catalogs: RefCell<IndexMap<String, CatalogOrError>>,
    compiled: Cell<usize>,
    judge: Rc<RefCell<Judge>>,
}

impl Bench {
    /// The bench of a file in this project.
    pub fn new(project: &Project) -> Bench {
        let own_module = match &project.kind {
            ProjectKind::Module(own) => Some(own.clone()),
            _ => None,
        };
        Bench {
            compiler: fixtures::compiler(project),
            own_module,
            modulepath: fixtures::modulepath(project),
            sites: RefCell::default(),
            catalogs: RefCell::default(),
            compiled: Cell::new(0),
            judge: Rc::default(),
        }
    }

    /// The compiler of all sites.
    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// The judge of the resources of its catalogs.
    pub fn judge(&self) -> Rc<RefCell<Judge>> {
        Rc::clone(&self.judge)
    }

    /// How many catalogs were compiled.
    pub fn compiled(&self) -> usize {
        self.compiled.get()
    }

    /// The site that the file itself runs in.
    pub fn base_site(&self) -> Result<Arc<Site>, Box<Diagnostic>> {
        let mut settings = Settings::default();
        settings.limits = self.limits();
        self.compiler.open_new(&self.spec(String::new(), settings, &[]))
    }

    /// The limits of every compilation.
    pub fn limits(&self) -> Limits {
        Limits { steps: STEPS, memory: MEMORY, ..Limits::default() }
    }

    /// The options of a site with this code; `first` are directories of modules that the suite names.
    pub fn spec(&self, code: String, settings: Settings, first: &[PathBuf]) -> SiteSpec {
        let mut modulepath = first.to_vec();
        for path in &self.modulepath {
            if !modulepath.contains(path) {
                modulepath.push(path.clone());
            }
        }
        SiteSpec {
            environment: "rp_env".into(),
            modulepath: Some(modulepath),
            own_module: self.own_module.clone(),
            code: Some(code),
            settings,
            ..SiteSpec::default()
        }
    }

    /// The site of a key, opened once.
    pub fn site(&self, key: String, spec: impl FnOnce() -> SiteSpec) -> Result<Arc<Site>, Box<Diagnostic>> {
        if let Some(site) = self.sites.borrow().get(&key) {
            return Ok(Arc::clone(site));
        }
        let site = self.compiler.open_new(&spec())?;
        let mut sites = self.sites.borrow_mut();
        if sites.len() >= MOST_SITES {
            sites.shift_remove_index(0);
        }
        sites.insert(key, Arc::clone(&site));
        Ok(site)
    }

    /// The catalog of a key, if it was compiled before.
    pub fn known_catalog(&self, key: &str) -> Option<CatalogOrError> {
        self.catalogs.borrow().get(key).cloned()
    }

    /// Keeps a catalog.
    pub fn keep_catalog(&self, key: String, catalog: CatalogOrError) {
        let mut catalogs = self.catalogs.borrow_mut();
        if catalogs.len() >= MOST_CATALOGS {
            catalogs.shift_remove_index(0);
        }
        catalogs.insert(key, catalog);
    }

    /// Counts a compilation.
    pub fn count(&self) {
        self.compiled.set(self.compiled.get() + 1);
    }
}
