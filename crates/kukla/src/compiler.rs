//! From a request to its outcome: the environment is set up, the programs run.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use kukla_catalog::Catalog;
use kukla_eval::catalog::Output;
use kukla_eval::environment::Environment;
use kukla_eval::error::{Failure, Raise, Raised};
use kukla_eval::program::Program;
use kukla_eval::registry::Registry;
use kukla_eval::vm::{Log, Vm};
use kukla_eval::world::World;
use kukla_syntax::Source;
use kukla_values::Value;

use crate::request::Request;
use crate::ruby_types::RubyTypes;

/// What a request led to, and what was logged on the way.
#[derive(Debug)]
pub struct Outcome<T> {
    /// The result, or what went wrong.
    pub result: Result<T, Box<Failure>>,
    /// The messages, in order.
    pub logs: Vec<Log>,
}

/// The built-in functions, read once per process.
pub fn registry() -> Arc<Registry> {
    static REGISTRY: OnceLock<Arc<Registry>> = OnceLock::new();
    Arc::clone(REGISTRY.get_or_init(|| Arc::new(Registry::new(kukla_functions::LIBRARIES))))
}

/// The environment a request names.
pub fn environment(request: &Request, world: Arc<dyn World>) -> Environment {
    let root: Option<PathBuf> = request.environmentpath.as_ref().map(|path| path.join(&request.environment));
    let modulepath = match (&request.modulepath, &root) {
        (Some(path), _) => path.clone(),
        (None, Some(root)) => vec![root.join("modules")],
        (None, None) => Vec::new(),
    };
    let mut environment =
        Environment::new(&request.environment, root, modulepath, request.settings.clone(), world, registry());
    environment.foreign_types = Some(Arc::new(RubyTypes::default()));
    environment
}

/// Evaluates the code of a request and gives the value of its last expression. What is lazy (defines, collectors) is left
/// undone; a prelude is compiled to completion first.
pub fn eval(request: &Request, world: Arc<dyn World>) -> Outcome<Value> {
    with_vm(request, world, |vm| {
        let manifests = programs(vm, request)?;
        match &request.prelude {
            Some(prelude) => {
                let prelude = load(vm, Source::unnamed(prelude.as_str()))?;
                vm.compile(&[prelude])?;
            }
            None => vm.begin()?,
        }
        vm.evaluate_main(&manifests)
    })
}

/// Compiles the catalog a request asks for.
pub fn compile(request: &Request, world: Arc<dyn World>) -> Outcome<Catalog> {
    with_vm(request, world, |vm| {
        let manifests = programs(vm, request)?;
        Ok(vm.compile_as(&manifests, Output { keep_virtual: request.keep_virtual })?)
    })
}

fn with_vm<T>(
    request: &Request,
    world: Arc<dyn World>,
    body: impl FnOnce(&mut Vm<'_>) -> Result<T, Raise>,
) -> Outcome<T> {
    let environment = environment(request, world);
    let mut vm = Vm::new(&environment, &request.node);
    let result = body(&mut vm);
    vm.log_loading();
    let logs = std::mem::take(&mut vm.logs);
    Outcome { result: result.map_err(failure), logs }
}

/// The programs of the site manifest, in order.
fn programs(vm: &mut Vm<'_>, request: &Request) -> Result<Vec<Arc<Program>>, Raise> {
    match (&request.code, &request.manifest) {
        (Some(code), _) => Ok(vec![load(vm, Source::unnamed(code.as_str()))?]),
        (None, Some(manifest)) => {
            let load =
                |path: PathBuf| vm.environment.load(&path).map_err(|failure| Raise::from((*failure).clone()));
            crate::control::manifests(&*vm.environment.world, manifest).into_iter().map(load).collect()
        }
        (None, None) => Ok(Vec::new()),
    }
}

/// Reads a text that is no file, and makes its definitions known.
fn load(vm: &mut Vm<'_>, source: Source) -> Result<Arc<Program>, Raise> {
    let program = kukla_eval::lower::lower(&source, None, &vm.environment.rules(None))?;
    vm.log_diagnostics(&source, program.warnings.iter().cloned());
    vm.environment.learn(&program)?;
    Ok(Arc::new(program))
}

fn failure(raise: Raise) -> Box<Failure> {
    match raise.illegal().into_reason() {
        Raised::Error(failure) => Box::new(failure),
        _ => Box::new(Failure::new("RUNTIME_ERROR", "a jump to nowhere")),
    }
}
