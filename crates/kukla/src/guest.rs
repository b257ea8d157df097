//! Ruby programs that run in the interpreter of a compilation, such as a suite of tests.

use kukla_eval::Node;
use kukla_extensions::guest;
use kukla_ruby::{Result as RubyResult, Ruby, State};
use kukla_syntax::{Diagnostic, roomy};

use crate::compile::{CompileOptions, Compiled, Outcome};
use crate::site::Site;

impl Site {
    /// Compiles the site manifest for a node and runs Ruby in the interpreter of that compilation, whose catalog is still open. The
    /// interpreter may have run before, and it comes back.
    pub fn run_ruby<T>(
        &self,
        node: &Node,
        state: Option<Box<State>>,
        body: impl FnOnce(&mut Ruby<'_>) -> RubyResult<T>,
    ) -> (Outcome<T>, Box<State>) {
        let mut returned = None;
        let outcome = self.run(node, false, |vm| {
            if let Some(state) = state {
                guest::put(vm, state);
            }
            let built = match &self.broken_manifest {
                None => vm.compile(&self.manifests).map(drop),
                Some(failure) => Err(Box::new(Diagnostic::clone(failure))),
            };
            let result = match built {
                Ok(()) => guest::run(vm, &self.ruby, body),
                Err(failure) => Err((*failure).into()),
            };
            returned = Some(guest::take(vm));
            result
        });
        (outcome, returned.unwrap_or_else(State::new))
    }

    /// Compiles the catalog of a node with an interpreter that has run before, and gives it back: functions that a program has defined or
    /// replaced in it are those of the compilation.
    pub fn compile_with_ruby(
        &self,
        node: &Node,
        options: CompileOptions,
        state: Box<State>,
    ) -> (Outcome<Compiled>, Box<State>) {
        let mut returned = None;
        let outcome = roomy(|| {
            self.run(node, false, |vm| {
                guest::put(vm, state);
                let compiled = self.compiled(vm, options);
                returned = Some(guest::take(vm));
                compiled
            })
        });
        (outcome, returned.unwrap_or_else(State::new))
    }
}
