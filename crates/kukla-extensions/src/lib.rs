//! What modules bring in Ruby: templates, functions, resource types.
//!
//! Ruby code runs in an interpreter that belongs to one compilation (`session.rs`); programs are parsed once and shared by all (`programs.rs`).
//! The classes of Puppet that modules use are written in Ruby where that is easiest (`puppet/*.rb`) and in Rust where they reach into the
//! compilation (`scope.rs`, `values.rs`).

mod codes;
pub mod coverage;
mod dispatch;
mod function;
mod objects;
mod programs;
mod raised;
mod scope;
mod session;
mod template;
mod types;
mod values;

use std::path::Path;
use std::sync::Arc;

use kukla_catalog::types::NativeType;
use kukla_eval::foreign::Extensions;
use kukla_eval::registry::ForeignFunction;
use kukla_eval::{Environment, Flow, Vm};

pub use codes::CODES;
pub use programs::RubyPrograms;

/// The Ruby of one environment.
#[derive(Debug)]
pub struct RubyExtensions {
    types: types::RubyTypes,
    functions: function::RubyFunctions,
    programs: Arc<RubyPrograms>,
}

impl RubyExtensions {
    /// The Ruby of an environment; programs are shared with all that have the same.
    pub fn new(programs: Arc<RubyPrograms>) -> RubyExtensions {
        let functions = function::RubyFunctions::new(programs.clone());
        RubyExtensions { types: types::RubyTypes::default(), functions, programs }
    }
}

impl Extensions for RubyExtensions {
    fn resource_type(&self, environment: &Environment, name: &str) -> Option<NativeType> {
        self.types.resource_type(environment, name)
    }

    fn function(&self, environment: &Environment, name: &str) -> Option<Arc<dyn ForeignFunction>> {
        self.functions.find(environment, name)
    }

    fn render(&self, vm: &mut Vm<'_>, name: &str, path: Option<&Path>, text: &str) -> Flow<String> {
        template::render(vm, &self.programs, name, path, text)
    }
}
