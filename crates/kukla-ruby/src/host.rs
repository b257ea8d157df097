//! What surrounds a Ruby program: the world, what it may use, where it writes, and Puppet if Puppet is there.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_values::{Budget, Error, Str, Value as PuppetValue};
use kukla_world::World;

use crate::lower::{SyntaxProblem, parse};
use crate::program::Program;
use crate::ruby::State;

/// What surrounds a running program.
pub trait Host {
    /// Files, the clock, the environment, commands.
    fn world(&self) -> &dyn World;
    /// Counts work done; an error once there was too much of it. It cannot be rescued.
    fn charge(&mut self, steps: u64) -> Result<(), Error>;
    /// An error if the values of the program may not take so many bytes. It cannot be rescued.
    fn check_memory(&mut self, bytes: usize) -> Result<(), Error> {
        Budget::default().check_memory(bytes)
    }
    /// Counts what is about to be written; an error once there was too much of it. It cannot be rescued.
    fn check_output(&mut self, _bytes: usize) -> Result<(), Error> {
        Ok(())
    }
    /// Takes what the program writes to standard output.
    fn write_out(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Takes what the program writes to standard error.
    fn write_err(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Hands on what was written to standard output and is still kept back.
    fn flush_out(&mut self) -> io::Result<()> {
        Ok(())
    }
    /// A line of standard input with its end, if there is any.
    fn read_line(&mut self) -> Option<Vec<u8>> {
        None
    }
    /// The directories that `require` searches.
    fn load_path(&self) -> Vec<PathBuf> {
        Vec::new()
    }
    /// The program of a text; who runs many interpreters keeps programs and shares them.
    fn program(&mut self, path: &Path, text: &[u8]) -> Result<Arc<Program>, SyntaxProblem> {
        parse(text, &path.to_string_lossy())
    }
    /// A library of the host's own, which `require` finds where no file has that name: its name and its text. What is there already has
    /// no text.
    fn source_of(&self, feature: &str) -> Option<(&'static str, &'static str)> {
        let _ = feature;
        None
    }
    /// The compilation that the program is part of.
    fn puppet(&mut self) -> Option<&mut dyn Puppet> {
        None
    }
}

/// A scope of the compilation; only the compilation knows which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeNumber(pub u64);

/// A lambda that Puppet gave to a call; only the compilation knows which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LambdaNumber(pub usize);

/// A Ruby block that is given to a Puppet function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenBlock {
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
    /// Something is wrong.
    Error(Error),
    /// `next(value)`
    Next(PuppetValue),
    /// `break()`
    Break,
    /// `return(value)`
    Return(PuppetValue),
    /// A data function has nothing to give.
    NotFound,
}

impl From<Error> for Interrupt {
    fn from(error: Error) -> Interrupt {
        Interrupt::Error(error)
    }
}

/// A resource of the catalog, as far as it is known by now.
#[derive(Clone, Debug)]
pub struct ResourceView {
    /// Its type, as in `Apache::Vhost`.
    pub type_name: Str,
    /// Its title.
    pub title: Str,
    /// Its attributes.
    pub attributes: Vec<(Str, PuppetValue)>,
}

/// A compilation as seen from Ruby. What is not asked of a compilation has the answer of a place where none is going on.
///
/// While the compilation is at work, it may run Ruby again (a function calls a function, a template renders another), so the interpreter is
/// lent to it before and taken back after: [`crate::Ruby::with_puppet`].
pub trait Puppet {
    /// Takes the interpreter for as long as the compilation is at work.
    fn lend(&mut self, state: Box<State>);
    /// Gives the interpreter back.
    fn reclaim(&mut self) -> Box<State>;

    /// The scope where evaluation stands.
    fn here(&self) -> ScopeNumber {
        self.top()
    }
    /// The top scope.
    fn top(&self) -> ScopeNumber {
        ScopeNumber(0)
    }
    /// A text without an encoding, as the compilation is to have it.
    fn byte_string(&mut self, text: &str) -> Result<Str, Error> {
        Ok(text.into())
    }
    /// The value of a variable; if there is no such variable, why, as far as there is more to say.
    fn variable(&mut self, scope: ScopeNumber, name: &str) -> Result<PuppetValue, Option<String>> {
        let _ = (scope, name);
        Err(None)
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
        block: Option<GivenBlock>,
    ) -> Result<PuppetValue, Interrupt>;
    /// Whether there is a function of that name.
    fn function_exists(&mut self, name: &str) -> bool {
        let _ = name;
        false
    }
    /// The file of a module's function of that name for the old API.
    fn old_function(&self, name: &str) -> Option<PathBuf> {
        let _ = name;
        None
    }
    /// Whether something stands in for the function of that name, whatever modules have.
    fn is_overridden(&self, name: &str) -> bool {
        let _ = name;
        false
    }
    /// Calls a lambda that Puppet gave to a call.
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
    /// Whether nothing was said yet under this key, which now counts as said.
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
    /// The files and lines of the calls in Puppet that are going on, innermost first.
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
    /// Takes a resource out of the catalog.
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
    /// The type that a text writes.
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
