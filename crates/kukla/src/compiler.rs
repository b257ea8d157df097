//! From a request to its outcome: the environment is set up, the programs run.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use kukla_eval::environment::Environment;
use kukla_eval::error::{Failure, Raise, Raised};
use kukla_eval::program::Program;
use kukla_eval::registry::Registry;
use kukla_eval::vm::{Log, Vm};
use kukla_eval::world::World;
use kukla_syntax::Source;
use kukla_values::Value;

use crate::request::Request;

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
    Arc::clone(REGISTRY.get_or_init(|| Arc::new(Registry::new(kukla_functions::TABLES))))
}

/// The environment a request names.
pub fn environment(request: &Request, world: Arc<dyn World>) -> Environment {
    let root: Option<PathBuf> = request.environmentpath.as_ref().map(|path| path.join(&request.environment));
    let modulepath = match (&request.modulepath, &root) {
        (Some(path), _) => path.clone(),
        (None, Some(root)) => vec![root.join("modules")],
        (None, None) => Vec::new(),
    };
    Environment::new(&request.environment, root, modulepath, request.settings.clone(), world, registry())
}

/// Evaluates the code of a request and gives the value of its last expression.
pub fn eval(request: &Request, world: Arc<dyn World>) -> Outcome<Value> {
    let environment = environment(request, world);
    let mut vm = Vm::new(&environment, &request.node);
    let result = run(&mut vm, request);
    vm.log_loading();
    let logs = std::mem::take(&mut vm.logs);
    Outcome { result: result.map_err(failure), logs }
}

fn run(vm: &mut Vm<'_>, request: &Request) -> Result<Value, Raise> {
    if let Some(prelude) = &request.prelude {
        let program = load(vm, Source::unnamed(prelude.as_str()))?;
        vm.run_main(&program)?;
    }
    match (&request.code, &request.manifest) {
        (Some(code), _) => {
            let program = load(vm, Source::unnamed(code.as_str()))?;
            vm.run_main(&program)
        }
        (None, Some(manifest)) => {
            let mut last = Value::Undef;
            for path in crate::control::manifests(&*vm.environment.world, manifest) {
                let program =
                    vm.environment.load(&path).map_err(|failure| Raise::from((*failure).clone()))?;
                last = vm.run_main(&program)?;
            }
            Ok(last)
        }
        (None, None) => Ok(Value::Undef),
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
