//! A compilation as seen from Ruby, and the requests with which Puppet's classes reach it through the interpreter.

use std::any::Any;
use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;

use kukla_eval::UndefinedVariable;
use kukla_ruby::{Result as RubyResult, Ruby};
use kukla_values::{Error, Str, Value as PuppetValue};

/// The work of a request, done once.
type Work = Box<dyn FnOnce(&mut dyn Puppet)>;

/// A request to a compilation. The interpreter passes it on without knowing its type.
pub struct Request(Option<Work>);

impl Request {
    /// Answers a request that came through the interpreter.
    pub fn answer(request: &mut dyn Any, puppet: &mut dyn Puppet) {
        if let Some(Request(ask)) = request.downcast_mut()
            && let Some(ask) = ask.take()
        {
            ask(puppet);
        }
    }
}

/// Requests of Puppet's classes to the compilation that their interpreter belongs to.
pub trait WithPuppet {
    /// Asks the compilation something. It has the interpreter meanwhile, since it may run Ruby code itself.
    fn with_puppet<T: 'static>(&mut self, ask: impl FnOnce(&mut dyn Puppet) -> T + 'static) -> RubyResult<T>;
}

impl WithPuppet for Ruby<'_> {
    fn with_puppet<T: 'static>(&mut self, ask: impl FnOnce(&mut dyn Puppet) -> T + 'static) -> RubyResult<T> {
        let answer = Rc::new(Cell::new(None));
        let slot = Rc::clone(&answer);
        let mut request = Request(Some(Box::new(move |puppet| slot.set(Some(ask(puppet))))));
        self.request(&mut request);
        match answer.take() {
            Some(answer) => Ok(answer),
            None => Err(self.runtime_error("this works in a compilation only, and none is going on")),
        }
    }
}

/// A scope of the compilation; only the compilation knows which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeNumber(pub u64);

/// A lambda that was passed to a call; only the compilation knows which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LambdaNumber(pub usize);

/// A Ruby block that is passed to a Puppet function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHandle {
    /// Which one it is; only the interpreter knows.
    pub number: usize,
    /// How many arguments it needs.
    pub least: usize,
    /// How many it takes, if there is a limit.
    pub most: Option<usize>,
}

/// Why a call into Puppet did not return.
#[derive(Debug)]
pub enum Interrupt {
    /// An error.
    Error(Error),
    /// `next(value)`
    Next(PuppetValue),
    /// `break()`
    Break,
    /// `return(value)`
    Return(PuppetValue),
    /// A data function has no value.
    NotFound,
}

impl From<Error> for Interrupt {
    fn from(error: Error) -> Interrupt {
        Interrupt::Error(error)
    }
}

/// A resource of the catalog under construction.
#[derive(Clone, Debug)]
pub struct ResourceView {
    /// Its type, as in `Apache::Vhost`.
    pub type_name: Str,
    /// Its title.
    pub title: Str,
    /// Its attributes.
    pub attributes: Vec<(Str, PuppetValue)>,
}

/// A compilation as seen from Ruby. The default answers are those outside of any compilation.
pub trait Puppet {
    /// The current scope.
    fn here(&self) -> ScopeNumber {
        self.top()
    }
    /// The top scope.
    fn top(&self) -> ScopeNumber {
        ScopeNumber(0)
    }
    /// A string of bytes without an encoding.
    fn byte_string(&mut self, text: &str) -> Result<Str, Error> {
        Ok(text.into())
    }
    /// The value of a variable, or the reason why it has none.
    fn variable(&mut self, scope: ScopeNumber, name: &str) -> Result<PuppetValue, UndefinedVariable> {
        let _ = (scope, name);
        Err(UndefinedVariable::Unset)
    }
    /// All variables that can be seen without a qualified name.
    fn variables(&mut self, scope: ScopeNumber) -> Vec<(Str, PuppetValue)> {
        let _ = scope;
        Vec::new()
    }
    /// Sets a variable.
    fn set_variable(&mut self, scope: ScopeNumber, name: &str, value: PuppetValue) -> Result<(), Error>;
    /// Calls a function.
    fn call(
        &mut self,
        scope: ScopeNumber,
        name: &str,
        args: Vec<PuppetValue>,
        block: Option<BlockHandle>,
    ) -> Result<PuppetValue, Interrupt>;
    /// Whether there is a function of that name.
    fn function_exists(&mut self, name: &str) -> bool {
        let _ = name;
        false
    }
    /// The file of a module's function of that name for the legacy API.
    fn old_function(&self, name: &str) -> Option<PathBuf> {
        let _ = name;
        None
    }
    /// The file of a module's function of that name, if its code is called.
    fn called_function(&self, name: &str) -> Option<PathBuf> {
        let _ = name;
        None
    }
    /// Whether `--overrides` replaces the function of that name.
    fn is_overridden(&self, name: &str) -> bool {
        let _ = name;
        false
    }
    /// Calls a lambda that was passed to a call.
    fn call_lambda(
        &mut self,
        lambda: LambdaNumber,
        args: Vec<PuppetValue>,
    ) -> Result<PuppetValue, Interrupt> {
        let _ = (lambda, args);
        Ok(PuppetValue::Undef)
    }
    /// How many parameters a lambda has, and whether the last takes the rest.
    fn lambda_parameters(&self, lambda: LambdaNumber) -> (usize, bool) {
        let _ = lambda;
        (0, true)
    }
    /// Logs a message.
    fn log(&mut self, scope: ScopeNumber, level: &str, message: String);
    /// Whether this is the first use of a key, for messages that are logged once.
    fn is_first(&mut self, key: &str) -> bool {
        let _ = key;
        true
    }
    /// The value of a setting.
    fn setting(&self, name: &str) -> Option<PuppetValue> {
        let _ = name;
        None
    }
    /// The file of a module: `files` or `templates`, and `module/name`.
    fn find_file(&mut self, directory: &str, name: &str) -> Option<PathBuf> {
        let _ = (directory, name);
        None
    }
    /// The modules by name, with their directories.
    fn modules(&self) -> Vec<(Str, PathBuf)> {
        Vec::new()
    }
    /// The name of the environment.
    fn environment(&self) -> Str {
        "production".into()
    }
    /// The name of the node.
    fn node(&self) -> Str {
        "".into()
    }
    /// The facts of the node.
    fn facts(&self) -> PuppetValue;
    /// The files and lines of the active calls in Puppet code, innermost first.
    fn stack(&self) -> Vec<(Option<Str>, u32)> {
        Vec::new()
    }
    /// The name of the module that a scope belongs to.
    fn module_of(&self, scope: ScopeNumber) -> Option<Str> {
        let _ = scope;
        None
    }
    /// The tags of a scope.
    fn tags(&mut self, scope: ScopeNumber) -> Vec<Str> {
        let _ = scope;
        Vec::new()
    }
    /// The tags of the whole catalog.
    fn all_tags(&mut self) -> Vec<Str> {
        Vec::new()
    }
    /// The classes of the catalog.
    fn classes(&mut self) -> Vec<Str> {
        Vec::new()
    }
    /// The resource whose code a scope runs.
    fn resource_of(&mut self, scope: ScopeNumber) -> Option<ResourceView> {
        let _ = scope;
        None
    }
    /// A resource of the catalog.
    fn resource(&mut self, type_name: &str, title: &str) -> Option<ResourceView> {
        let _ = (type_name, title);
        None
    }
    /// Removes a resource from the catalog.
    fn remove_resource(&mut self, type_name: &str, title: &str) {
        let _ = (type_name, title);
    }
    /// All resources of the catalog.
    fn resources(&mut self) -> Vec<ResourceView> {
        Vec::new()
    }
    /// The defaults for a type that hold in a scope.
    fn defaults(&mut self, scope: ScopeNumber, type_name: &str) -> Vec<(Str, PuppetValue)> {
        let _ = (scope, type_name);
        Vec::new()
    }
    /// Parses a type.
    fn parse_type(&mut self, text: &str) -> Result<PuppetValue, Error>;
    /// Whether a class or define of that name is known: `class`, `define` or neither.
    fn definition(&mut self, name: &str) -> Option<&'static str> {
        let _ = name;
        None
    }
    /// The attributes of a resource type that comes with Puppet: a hash of `properties`, `parameters` and `namevars`.
    fn type_outline(&mut self, name: &str) -> Option<PuppetValue> {
        let _ = name;
        None
    }
    /// The providers that there are for a resource type.
    fn providers(&mut self, type_name: &str) -> Vec<Str> {
        let _ = type_name;
        Vec::new()
    }
}
