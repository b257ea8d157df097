//! The interpreter of one compilation: entered for each template and function, kept in between.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_eval::error::Raised;
use kukla_eval::foreign::ResourceState;
use kukla_eval::lambda::{Block, ForeignBlock};
use kukla_eval::native::NativeObject;
use kukla_eval::scope::{Position, ScopeId};
use kukla_eval::settings::LogLevel;
use kukla_eval::{Environment, Flow, Raise, UndefinedVariable, Vm};
use kukla_ruby::{Args, Embedder, Host, Program, Result, Ruby, State, SyntaxProblem, Unwind};
use kukla_values::types::Range;
use kukla_values::types::callable::CallableType;
use kukla_values::{Error, Name, Str, Value};
use kukla_world::World;

use crate::library;
use crate::objects::HeldObjects;
use crate::programs::RubyPrograms;
use crate::puppet::{BlockHandle, Interrupt, LambdaNumber, Puppet, Request, ResourceView, ScopeNumber};
use crate::raised;
use crate::values;

/// Runs something in the interpreter of a compilation.
pub fn enter<T>(
    vm: &mut Vm<'_>,
    programs: &Arc<RubyPrograms>,
    lambda: Option<Block>,
    body: impl FnOnce(&mut Ruby<'_>) -> Result<T>,
) -> Flow<T> {
    let kept = vm.take_guest().and_then(|guest| guest.downcast::<State>().ok());
    let is_new = kept.is_none();
    let state = kept.unwrap_or_else(State::new);
    let mut host = Compilation { vm, programs: programs.clone(), lambdas: lambda.into_iter().collect() };
    let mut ruby = Ruby::new(state, &mut host);
    let started = if is_new { library::start(&mut ruby) } else { Ok(()) };
    let result =
        started.and_then(|()| body(&mut ruby)).map_err(|unwind| raised::to_puppet(&mut ruby, *unwind));
    let state = ruby.into_state();
    vm.put_guest(state);
    result
}

/// A compilation as the surroundings of a Ruby program.
struct Compilation<'v, 'e> {
    vm: &'v mut Vm<'e>,
    programs: Arc<RubyPrograms>,
    /// The lambda that the call was given.
    lambdas: Vec<Block>,
}

fn error(raise: Raise) -> Error {
    Error::from(*raise.into_diagnostic())
}

fn interrupt(raise: Raise) -> Interrupt {
    match raise.into_reason() {
        Raised::Error(wrong) => Interrupt::Error(Error::from(*wrong)),
        Raised::Next(value, _) => Interrupt::Next(value),
        Raised::Break(_) => Interrupt::Break,
        Raised::Return(value, _) => Interrupt::Return(value),
        Raised::NotFound => Interrupt::NotFound,
    }
}

impl Host for Compilation<'_, '_> {
    fn world(&self) -> &dyn World {
        self.vm.world()
    }

    fn charge(&mut self, steps: u64) -> std::result::Result<(), Error> {
        self.vm.charge(steps).map_err(error)
    }

    fn charge_ahead(&mut self, steps: u64) -> std::result::Result<(), Error> {
        self.vm.budget().charge_ahead(steps)
    }

    fn check_memory(&mut self, bytes: usize) -> std::result::Result<(), Error> {
        self.vm.budget().check_memory(bytes)
    }

    fn memory_limit(&self) -> u64 {
        self.vm.budget().limits().memory
    }

    fn write_out(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let text = String::from_utf8_lossy(bytes).trim_end().to_owned();
        if !text.is_empty() {
            self.vm.log(LogLevel::Notice, text);
        }
        Ok(())
    }

    fn write_err(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let text = String::from_utf8_lossy(bytes).trim_end().to_owned();
        if !text.is_empty() {
            self.vm.log(LogLevel::Warning, text);
        }
        Ok(())
    }

    fn load_path(&self) -> Vec<PathBuf> {
        load_path(self.vm.environment())
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

    fn warn(&mut self, message: String) {
        self.vm.log(LogLevel::Warning, message);
    }

    fn embedder(&mut self) -> Option<&mut dyn Embedder> {
        Some(self)
    }
}

/// The directories of an environment that `require` searches.
pub fn load_path(environment: &Environment) -> Vec<PathBuf> {
    let modules = environment.modules().iter().map(|module| module.root.join("lib"));
    modules.chain(environment.root.as_ref().map(|root| root.join("lib"))).collect()
}

fn at(scope: ScopeNumber) -> Position {
    Position::of_number(scope.0)
}

fn view(state: ResourceState) -> ResourceView {
    let attributes =
        state.attributes.into_iter().map(|(name, value)| (name.as_str().into(), value)).collect();
    ResourceView { type_name: state.type_name.as_str().into(), title: state.title, attributes }
}

impl Embedder for Compilation<'_, '_> {
    fn lend(&mut self, state: Box<State>) {
        self.vm.put_guest(state);
    }

    fn reclaim(&mut self) -> Box<State> {
        let guest = self.vm.take_guest().and_then(|guest| guest.downcast::<State>().ok());
        guest.unwrap_or_else(State::new)
    }

    fn answer(&mut self, request: &mut dyn Any) {
        Request::answer(request, self);
    }
}

impl Puppet for Compilation<'_, '_> {
    fn here(&self) -> ScopeNumber {
        ScopeNumber(self.vm.standing().number())
    }

    fn top(&self) -> ScopeNumber {
        ScopeNumber(Position::named(ScopeId::TOP).number())
    }

    fn byte_string(&mut self, text: &str) -> std::result::Result<Str, Error> {
        self.vm.byte_string(text)
    }

    fn variable(&mut self, scope: ScopeNumber, name: &str) -> std::result::Result<Value, UndefinedVariable> {
        self.vm.standing_at(at(scope), |vm| vm.variable_or_reason(name))
    }

    fn variables(&mut self, scope: ScopeNumber) -> Vec<(Str, Value)> {
        self.vm.visible_variables(at(scope))
    }

    fn set_variable(
        &mut self,
        scope: ScopeNumber,
        name: &str,
        value: Value,
    ) -> std::result::Result<(), Error> {
        self.vm.standing_at(at(scope), |vm| vm.assign_variable(name, value)).map_err(error)
    }

    fn call(
        &mut self,
        scope: ScopeNumber,
        name: &str,
        args: Vec<Value>,
        block: Option<BlockHandle>,
    ) -> std::result::Result<Value, Interrupt> {
        let block = block.map(|block| {
            let signature = Arc::new(signature(block));
            let block = RubyBlock { number: block.number, programs: self.programs.clone(), signature };
            Block::Foreign(Arc::new(block))
        });
        let call = |vm: &mut Vm<'_>| {
            // An object of the compiler's own has functions of its own.
            let native = args.first().and_then(NativeObject::of);
            let own = native.and_then(|native| native.call(vm, name, &args[1..], block.as_ref()));
            own.unwrap_or_else(|| vm.call(name, args, block))
        };
        self.vm.standing_at(at(scope), |vm| vm.in_foreign_call(call)).map_err(interrupt)
    }

    fn function_exists(&mut self, name: &str) -> bool {
        self.vm.function_exists(name).unwrap_or(false)
    }

    fn old_function(&self, name: &str) -> Option<PathBuf> {
        self.vm.environment().old_ruby_function(name)
    }

    fn called_function(&self, name: &str) -> Option<PathBuf> {
        self.vm.environment().called_ruby_function(name)
    }

    fn is_overridden(&self, name: &str) -> bool {
        self.vm.environment().is_overridden(name)
    }

    fn call_lambda(
        &mut self,
        lambda: LambdaNumber,
        args: Vec<Value>,
    ) -> std::result::Result<Value, Interrupt> {
        match self.lambdas.get(lambda.0).cloned() {
            Some(block) => block.call(self.vm, args).map_err(interrupt),
            None => Ok(Value::Undef),
        }
    }

    fn lambda_parameters(&self, lambda: LambdaNumber) -> (usize, bool) {
        self.lambdas.get(lambda.0).map_or((0, true), |block| (block.parameter_count(), block.captures_rest()))
    }

    fn log(&mut self, scope: ScopeNumber, level: &str, message: String) {
        let Some(level) = LogLevel::parse(level) else { return };
        self.vm.standing_at(at(scope), |vm| vm.log(level, message));
    }

    fn is_first(&mut self, key: &str) -> bool {
        self.vm.is_first(key)
    }

    fn setting(&self, name: &str) -> Option<Value> {
        self.vm.variable_at(self.vm.standing(), &format!("settings::{name}"))
    }

    fn find_file(&mut self, directory: &str, name: &str) -> Option<PathBuf> {
        if directory == "templates"
            && let Some(path) = self.vm.environment().template_override(name)
        {
            return Some(path);
        }
        let (module, rest) = name.split_once('/')?;
        let path = self.vm.environment().module(module)?.root.join(directory).join(rest);
        self.vm.world().exists(&path).then_some(path)
    }

    fn modules(&self) -> Vec<(Str, PathBuf)> {
        let modules = self.vm.environment().modules().iter();
        modules.map(|module| (module.name.as_str().into(), module.root.clone())).collect()
    }

    fn environment(&self) -> Str {
        self.vm.environment().name.as_str().into()
    }

    fn node(&self) -> Str {
        self.vm.node().name.as_str().into()
    }

    fn stack(&self) -> Vec<(Option<Str>, u32)> {
        self.vm.stack().map(|(file, line)| (file.map(Str::from), line)).collect()
    }

    fn facts(&self) -> Value {
        Value::Hash(self.vm.node().facts.clone())
    }

    fn module_of(&self, _scope: ScopeNumber) -> Option<Str> {
        self.vm.module().map(|name| name.as_str().into())
    }

    fn tags(&mut self, scope: ScopeNumber) -> Vec<Str> {
        self.vm.standing_at(at(scope), |vm| vm.scope_tags())
    }

    fn all_tags(&mut self) -> Vec<Str> {
        self.vm.catalog_tags()
    }

    fn classes(&mut self) -> Vec<Str> {
        self.vm.class_names()
    }

    fn resource_of(&mut self, scope: ScopeNumber) -> Option<ResourceView> {
        self.vm.standing_at(at(scope), |vm| vm.container_id().map(|id| view(vm.resource_state(id))))
    }

    fn resource(&mut self, type_name: &str, title: &str) -> Option<ResourceView> {
        self.vm.find_resource(type_name, title).map(|id| view(self.vm.resource_state(id)))
    }

    fn remove_resource(&mut self, type_name: &str, title: &str) {
        if let Some(id) = self.vm.find_resource(type_name, title) {
            self.vm.remove_resource(id);
        }
    }

    fn resources(&mut self) -> Vec<ResourceView> {
        self.vm.resource_ids().into_iter().map(|id| view(self.vm.resource_state(id))).collect()
    }

    fn defaults(&mut self, scope: ScopeNumber, type_name: &str) -> Vec<(Str, Value)> {
        let found = self.vm.standing_at(at(scope), |vm| vm.resource_defaults(type_name));
        found.into_iter().map(|(name, value)| (name.as_str().into(), value)).collect()
    }

    fn parse_type(&mut self, text: &str) -> std::result::Result<Value, Error> {
        self.vm.parse_type(text).map(Value::of_type).map_err(error)
    }

    fn definition(&mut self, name: &str) -> Option<&'static str> {
        self.vm.definition_kind(name).ok().flatten()
    }

    fn type_outline(&mut self, name: &str) -> Option<Value> {
        library::outline(name)
    }

    fn providers(&mut self, type_name: &str) -> Vec<Str> {
        library::providers(self.vm.environment(), type_name)
    }
}

/// The parameters of a Ruby block, as a type of Puppet's.
fn signature(block: BlockHandle) -> CallableType {
    let count = |number: usize| i64::try_from(number).ok();
    let range = Range::between(count(block.least), block.most.and_then(count));
    CallableType::new(vec![kukla_values::Type::Any], Some(range), None, None)
}

/// A Ruby block in the hands of a Puppet function.
#[derive(Debug)]
struct RubyBlock {
    number: usize,
    programs: Arc<RubyPrograms>,
    signature: Arc<CallableType>,
}

impl ForeignBlock for RubyBlock {
    fn signature(&self) -> &Arc<CallableType> {
        &self.signature
    }

    fn parameter_names(&self) -> Vec<Name> {
        Vec::new()
    }

    fn call(&self, vm: &mut Vm<'_>, args: Vec<Value>) -> Flow {
        enter(vm, &self.programs, None, |ruby| {
            let Some(block) = ruby.part::<HeldObjects>().block(self.number) else { return Ok(Value::Undef) };
            let args: Result<Vec<_>> = args.iter().map(|arg| values::to_ruby(ruby, arg)).collect();
            match ruby.call_block(&block, &Args::new(&args?)) {
                Ok(value) => values::to_puppet(ruby, &value),
                Err(unwind) => match *unwind {
                    Unwind::Next(value) => values::to_puppet(ruby, &value),
                    other => Err(Box::new(other)),
                },
            }
        })
    }
}
