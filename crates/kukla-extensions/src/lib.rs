//! The parts of modules that are written in Ruby: templates, functions, resource types.
//!
//! Ruby code runs in an interpreter that belongs to one compilation (`session.rs`); programs are parsed once and shared by all (`programs.rs`).
//! The classes of Puppet that modules use are written in Ruby where that is easiest (`puppet/*.rb`) and in Rust where they reach into the
//! compilation (`scope.rs`, `values.rs`).

mod backend;
mod codes;
pub mod coverage;
mod dispatch;
mod erb_mistake;
mod external;
mod function;
pub mod guest;
mod library;
mod objects;
pub mod outline;
mod programs;
mod puppet;
mod raised;
pub mod resource_type;
mod scope;
mod session;
mod template;
mod types;
mod values;
mod workshop;

use std::path::Path;
use std::sync::Arc;

use kukla_catalog::types::NativeType;
use kukla_eval::foreign::{BackendAnswer, BackendQuestion, Extensions, ResourceValues, Verdict};
use kukla_eval::registry::ForeignFunction;
use kukla_eval::{Environment, Flow, Vm};
use kukla_values::{Hash, Name, Str};

pub use codes::CODES;
use external::Workers;
pub use programs::RubyPrograms;
pub use resource_type::execute as executed_type;

/// The Ruby of one environment.
#[derive(Debug)]
pub struct RubyExtensions {
    types: types::RubyTypes,
    functions: function::RubyFunctions,
    programs: Arc<RubyPrograms>,
    workers: Arc<Workers>,
}

impl RubyExtensions {
    /// The Ruby of an environment; programs are shared with all that have the same.
    pub fn new(programs: Arc<RubyPrograms>) -> RubyExtensions {
        let workers = Arc::<Workers>::default();
        let functions = function::RubyFunctions::new(programs.clone(), workers.clone());
        RubyExtensions { types: types::RubyTypes::default(), functions, programs, workers }
    }
}

impl Extensions for RubyExtensions {
    fn resource_type(&self, environment: &Environment, name: &str) -> Option<NativeType> {
        let read = self.types.resource_type(environment, name)?;
        // Reading is a hundred times faster than running, so what can be read is not run.
        match read.open && self.types.is_ruby(environment, &self.programs, name) {
            true => resource_type::execute(environment, &self.programs, name).or(Some(read)),
            false => Some(read),
        }
    }

    fn readable_type(&self, environment: &Environment, name: &str) -> Option<NativeType> {
        self.types.resource_type(environment, name).filter(|read| !read.open)
    }

    fn judge(&self, environment: &Environment, facts: &Hash, resources: &[ResourceValues]) -> Vec<Verdict> {
        resource_type::judge(environment, &self.programs, facts, resources)
    }

    fn function(
        &self,
        environment: &Environment,
        caller: Option<Name>,
        name: &str,
    ) -> Option<Arc<dyn ForeignFunction>> {
        self.functions.find(environment, caller, name)
    }

    fn read_ahead(&self, environment: &Environment, path: &Path) {
        let Ok(bytes) = environment.world.read(path) else { return };
        // Errors in it are reported when it is run.
        let _ = match path.extension().is_some_and(|extension| extension == "rb") {
            true => self.programs.code(path, &bytes),
            false => self.programs.template(path, &String::from_utf8_lossy(&bytes)),
        };
    }

    fn function_made(&self, vm: &mut Vm<'_>, name: &str) -> Flow<Option<Arc<dyn ForeignFunction>>> {
        let made = function::MadeBeside::find(vm, &self.programs, name)?;
        Ok(made.map(|made| Arc::new(made) as Arc<dyn ForeignFunction>))
    }

    fn ask_backend(&self, vm: &mut Vm<'_>, question: &BackendQuestion<'_>) -> Flow<BackendAnswer> {
        backend::ask(vm, &self.programs, question)
    }

    fn render(&self, vm: &mut Vm<'_>, name: &str, path: Option<&Path>, text: &str) -> Flow<Str> {
        let template = template::Template { name, path, text };
        template.render(vm, &self.programs, &self.workers)
    }
}
