//! From a request to its outcome: the site is found, the programs run.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use kukla_catalog::{Catalog, Exports};
use kukla_eval::catalog::{Output, Provenance};
use kukla_eval::data;
use kukla_eval::error::{Failure, Raise, Raised};
use kukla_eval::program::Program;
use kukla_eval::registry::Registry;
use kukla_eval::settings::LogLevel;
use kukla_eval::vm::{Log, Vm};
use kukla_hiera::{Explanation, Found};
use kukla_values::Value;
use kukla_world::World;
use kukla_world::record::Record;

use crate::data::HieraData;
use crate::disk::{DiskWorld, Watched};
use crate::request::Request;
use crate::site::{Around, Site, Sites};

/// Compiles catalogs, evaluates programs and looks up data. It keeps what it read as long as the files stay the same, and
/// can be used by many threads at once.
#[derive(Debug, Default)]
pub struct Compiler {
    world: DiskWorld,
    around: Around,
    sites: Sites,
}

/// What a request led to, and what was logged on the way.
#[derive(Debug)]
pub struct Outcome<T> {
    /// The result, or what went wrong.
    pub result: Result<T, Box<Failure>>,
    /// The messages, in order.
    pub logs: Vec<Log>,
    /// What it rests on, if that is recorded; the numbers in it are those of the site's ledger.
    pub record: Option<Box<Record>>,
}

/// The answer to a lookup.
#[derive(Debug)]
pub struct Answer {
    /// The value and where it came from, or why there is none.
    pub found: Result<Found, Box<Failure>>,
    /// How it was found, if asked.
    pub explanation: Option<Explanation>,
}

/// The built-in functions, read once per process.
pub fn registry() -> Arc<Registry> {
    static REGISTRY: OnceLock<Arc<Registry>> = OnceLock::new();
    Arc::clone(REGISTRY.get_or_init(|| Arc::new(Registry::new(kukla_functions::LIBRARIES))))
}

impl Compiler {
    /// A compiler that sees the world through `world`.
    pub fn new(world: DiskWorld) -> Compiler {
        Compiler { world, ..Compiler::default() }
    }

    /// The same, with someone to ask what other nodes export.
    #[must_use]
    pub fn with_exports(mut self, exports: Arc<dyn Exports>) -> Compiler {
        self.around.exports = Some(exports);
        self
    }

    /// The same, recording what compilations rest on.
    #[must_use]
    pub fn recording(mut self) -> Compiler {
        self.around.recorded = true;
        self
    }

    /// Whether there is a file at a path.
    pub fn exists(&self, path: &Path) -> bool {
        self.world.exists(path)
    }

    /// The site a request is about.
    pub fn site(&self, request: &Request) -> Result<Arc<Site>, Box<Failure>> {
        self.sites.get(request, &self.around, || Watched::new(self.world.clone()))
    }

    /// Compiles the catalog a request asks for.
    pub fn compile(&self, request: &Request) -> Outcome<Catalog> {
        self.run(request, |vm, site| catalog(vm, site, request))
    }

    /// Compiles a catalog and explains every lookup of data on the way.
    pub fn compile_explained(&self, request: &Request) -> Outcome<(Catalog, String)> {
        let request = &Request { explain: true, ..request.clone() };
        self.run(request, |vm, site| {
            let catalog = catalog(vm, site, request)?;
            let explanations = HieraData::of(vm).and_then(HieraData::explanations).unwrap_or_default();
            Ok((catalog, explanations.to_owned()))
        })
    }

    /// Compiles a catalog and says how its attributes got their values.
    pub fn compile_traced(&self, request: &Request) -> Outcome<(Catalog, Vec<Provenance>)> {
        self.run(request, |vm, site| {
            vm.recorder = Some(Box::default());
            let catalog = catalog(vm, site, request)?;
            let provenance = vm.provenance(&catalog);
            Ok((catalog, provenance))
        })
    }

    /// Evaluates the code of a request and gives the value of its last expression. What is lazy (defines, collectors) is
    /// left undone; a prelude is compiled to completion first.
    pub fn eval(&self, request: &Request) -> Outcome<Value> {
        self.run(request, |vm, site| {
            let manifests = manifests(vm, site)?;
            match &site.prelude {
                Some(prelude) => {
                    let prelude = prelude.clone().map_err(|failure| Raise::from((*failure).clone()))?;
                    warn(vm, &prelude);
                    vm.compile(&[prelude])?;
                }
                None => vm.begin()?,
            }
            vm.evaluate_main(manifests)
        })
    }

    /// Looks data up in the context of the node: what the site manifest sets at the top is known.
    pub fn lookup(&self, request: &Request, wanted: &data::Request) -> Outcome<Answer> {
        self.run(request, |vm, site| {
            let manifests = manifests(vm, site)?;
            vm.begin()?;
            vm.evaluate_main(manifests)?;
            let answer = HieraData::within(vm, |data, vm| {
                let (found, explanation) = match request.explain {
                    true => {
                        let (found, explanation) = data.explain(vm, wanted);
                        (found, Some(explanation))
                    }
                    false => (data.find_or_fail(vm, wanted), None),
                };
                let found = found.map_err(|raise| {
                    let mut failure = failure(raise);
                    data.redact(&mut failure.message);
                    failure
                });
                Answer { found, explanation }
            });
            answer.ok_or_else(|| Raise::runtime("There is no data to look anything up in"))
        })
    }

    fn run<T>(
        &self,
        request: &Request,
        body: impl FnOnce(&mut Vm<'_>, &Site) -> Result<T, Raise>,
    ) -> Outcome<T> {
        let site = match self.site(request) {
            Ok(site) => site,
            Err(failure) => return Outcome { result: Err(failure), logs: Vec::new(), record: None },
        };
        let data = HieraData::new(Arc::clone(&site.data), &site.environment, request.hiera_config.as_deref());
        let data = if request.explain { data.explaining() } else { data };
        let mut vm = Vm::new(&site.environment, &request.node);
        vm.data = Some(Box::new(data));
        if let Some(layout) = &site.layout {
            layout.errors.iter().for_each(|message| vm.complain(message));
            layout.warnings.iter().for_each(|message| vm.warn(message));
        }
        let result = body(&mut vm, &site);
        vm.log_loading();
        let mut logs = std::mem::take(&mut vm.logs);
        let redact = |message: &mut String| {
            if let Some(data) = HieraData::of(&vm) {
                data.redact(message);
            }
        };
        logs.iter_mut().for_each(|log| redact(&mut log.message));
        let result = result.map_err(|raise| {
            let mut failure = failure(raise);
            redact(&mut failure.message);
            failure
        });
        let record = HieraData::record(&mut vm).map(Box::new);
        Outcome { result, logs, record }
    }
}

/// The catalog, under the version that the environment's `config_version` gives it if that may run.
fn catalog(vm: &mut Vm<'_>, site: &Site, request: &Request) -> Result<Catalog, Raise> {
    let manifests = manifests(vm, site)?;
    let mut catalog =
        vm.compile_as(manifests, Output { keep_virtual: request.keep_virtual, is_last: true })?;
    match site.version() {
        Some(Ok(version)) => catalog.version = version.as_str().into(),
        Some(Err(why)) => {
            vm.log(LogLevel::Info, format!("config_version was not asked, the time stands in for it: {why}"))
        }
        None => {}
    }
    Ok(catalog)
}

/// The programs of the site manifest; what was questionable about them is logged.
fn manifests<'s>(vm: &mut Vm<'_>, site: &'s Site) -> Result<&'s [Arc<Program>], Raise> {
    let manifests = site.manifests.as_ref().map_err(|failure| {
        vm.log_warnings_of(failure);
        Raise::from((**failure).clone())
    })?;
    manifests.iter().for_each(|program| warn(vm, program));
    Ok(manifests)
}

fn warn(vm: &mut Vm<'_>, program: &Program) {
    vm.log_diagnostics(&program.source, program.warnings.iter().cloned());
}

fn failure(raise: Raise) -> Box<Failure> {
    match raise.illegal().into_reason() {
        Raised::Error(failure) => Box::new(failure),
        _ => Box::new(Failure::new("RUNTIME_ERROR", "a jump to nowhere")),
    }
}
