//! An interpreter outside of any compilation, for what modules say of their resource types.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use kukla_eval::Environment;
use kukla_ruby::{Embedder, Host, Program, Result, Ruby, State, SyntaxProblem};
use kukla_syntax::diagnostic;
use kukla_values::{Budget, Error, Hash, Limits, Str, Type, Value, meter};
use kukla_world::World;

use crate::codes::RUBY_RAISED;
use crate::library;
use crate::programs::RubyPrograms;
use crate::puppet::{BlockHandle, Interrupt, Puppet, Request, ScopeNumber};
use crate::session::load_path;

/// How many steps the code of types may take, all in all.
const STEPS: u64 = 50_000_000;

/// Runs something in an interpreter of its own; what stops it is of no interest to anyone.
pub fn enter<T>(
    environment: &Environment,
    programs: &Arc<RubyPrograms>,
    facts: &Hash,
    body: impl FnOnce(&mut Ruby<'_>) -> Result<T>,
) -> Option<T> {
    enter_again(environment, programs, facts, &mut None, body)
}

/// The same in an interpreter that stays for the next time, unless something stops it.
pub fn enter_again<T>(
    environment: &Environment,
    programs: &Arc<RubyPrograms>,
    facts: &Hash,
    state: &mut Option<Box<State>>,
    body: impl FnOnce(&mut Ruby<'_>) -> Result<T>,
) -> Option<T> {
    environment.reading(|world| {
        let limits = Limits { steps: STEPS, ..Limits::default() };
        let budget = Rc::new(Budget::new(limits).by_deadline_of_thread());
        let mut workshop =
            Workshop { environment, programs, facts, world, budget: Rc::clone(&budget), lent: None };
        let run = || {
            let known = state.take();
            let is_new = known.is_none();
            let mut ruby = Ruby::new(known.unwrap_or_else(State::new), &mut workshop);
            let started = if is_new { library::start(&mut ruby) } else { Ok(()) };
            let done = started.and_then(|()| body(&mut ruby)).ok()?;
            *state = Some(ruby.into_state());
            Some(done)
        };
        meter::metered(&budget, run).ok().flatten()
    })
}

/// Facts of a machine that might be any: types ask for the system they are on while they are made, and no node is asked for then.
pub fn some_machine() -> Hash {
    let hash = |pairs: &[(&str, Value)]| pairs.iter().cloned().collect::<Hash>();
    let release = hash(&[("full", "12.0".into()), ("major", "12".into()), ("minor", "0".into())]);
    let os = [
        ("name", "Debian".into()),
        ("family", "Debian".into()),
        ("architecture", "amd64".into()),
        ("hardware", "x86_64".into()),
        ("release", release.into()),
    ];
    hash(&[
        ("kernel", "Linux".into()),
        ("kernelversion", "6.1.0".into()),
        ("kernelmajversion", "6.1".into()),
        ("os", hash(&os).into()),
        ("osfamily", "Debian".into()),
        ("operatingsystem", "Debian".into()),
        ("operatingsystemrelease", "12.0".into()),
        ("operatingsystemmajrelease", "12".into()),
        ("architecture", "amd64".into()),
        ("puppetversion", "8.11.0".into()),
    ])
}

struct Workshop<'w> {
    environment: &'w Environment,
    programs: &'w Arc<RubyPrograms>,
    facts: &'w Hash,
    world: &'w dyn World,
    budget: Rc<Budget>,
    lent: Option<Box<State>>,
}

fn unavailable(what: &str) -> Error {
    let message = format!("{what} works in a compilation only, and none is going on");
    Error::from(diagnostic!(RUBY_RAISED { message }))
}

impl Host for Workshop<'_> {
    fn world(&self) -> &dyn World {
        self.world
    }

    fn charge(&mut self, steps: u64) -> std::result::Result<(), Error> {
        self.budget.charge_steps(steps)
    }

    fn charge_ahead(&mut self, steps: u64) -> std::result::Result<(), Error> {
        self.budget.charge_ahead(steps)
    }

    fn check_memory(&mut self, bytes: usize) -> std::result::Result<(), Error> {
        self.budget.check_memory(bytes)
    }

    fn memory_limit(&self) -> u64 {
        self.budget.limits().memory
    }

    fn write_out(&mut self, _: &[u8]) -> std::io::Result<()> {
        Ok(())
    }

    fn write_err(&mut self, _: &[u8]) -> std::io::Result<()> {
        Ok(())
    }

    fn load_path(&self) -> Vec<PathBuf> {
        load_path(self.environment)
    }

    fn program(&mut self, path: &Path, text: &[u8]) -> std::result::Result<Arc<Program>, SyntaxProblem> {
        self.programs.code(path, text)
    }

    fn source_of(&self, feature: &str) -> Option<(&'static str, &'static str)> {
        library::find(feature)
    }

    fn unsets_hidden_variables(&self) -> bool {
        true
    }

    fn embedder(&mut self) -> Option<&mut dyn Embedder> {
        Some(self)
    }
}

impl Embedder for Workshop<'_> {
    fn lend(&mut self, state: Box<State>) {
        self.lent = Some(state);
    }

    fn reclaim(&mut self) -> Box<State> {
        self.lent.take().unwrap_or_else(State::new)
    }

    fn answer(&mut self, request: &mut dyn Any) {
        Request::answer(request, self);
    }
}

impl Puppet for Workshop<'_> {
    fn set_variable(&mut self, _: ScopeNumber, _: &str, _: Value) -> std::result::Result<(), Error> {
        Err(unavailable("setting a variable"))
    }

    fn call(
        &mut self,
        _: ScopeNumber,
        name: &str,
        _: Vec<Value>,
        _: Option<BlockHandle>,
    ) -> std::result::Result<Value, Interrupt> {
        Err(unavailable(&format!("the function '{name}'")).into())
    }

    fn log(&mut self, _: ScopeNumber, _: &str, _: String) {}

    fn setting(&self, name: &str) -> Option<Value> {
        self.environment.settings.all.get(name).cloned()
    }

    fn modules(&self) -> Vec<(Str, PathBuf)> {
        let modules = self.environment.modules().iter();
        modules.map(|module| (module.name.as_str().into(), module.root.clone())).collect()
    }

    fn environment(&self) -> Str {
        self.environment.name.as_str().into()
    }

    fn facts(&self) -> Value {
        Value::Hash(self.facts.clone())
    }

    fn parse_type(&mut self, text: &str) -> std::result::Result<Value, Error> {
        Ok(Value::of_type(Type::parse(text)?))
    }

    fn type_outline(&mut self, name: &str) -> Option<Value> {
        library::outline(name)
    }

    fn providers(&mut self, type_name: &str) -> Vec<Str> {
        library::providers(self.environment, type_name)
    }
}
