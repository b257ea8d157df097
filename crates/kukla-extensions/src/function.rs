//! Functions that modules write in Ruby, of both generations of Puppet's API.
//!
//! A function is known by its file. The file is run in the interpreter of each compilation that calls the function; what it says about
//! signatures is read once and kept for all.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kukla_eval::lambda::Block;
use kukla_eval::registry::ForeignFunction;
use kukla_eval::{Environment, Flow, Vm};
use kukla_ruby::outline::Outline;
use kukla_ruby::{ClassId, Result, Ruby, Symbol, Unwind};
use kukla_syntax::diagnostic;
use kukla_values::{Name, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::codes::RUBY_FUNCTION_MISSING;
use crate::dispatch::{self, Declared, Dispatch};
use crate::external::{self, Workers};
use crate::outline::{LegacyFile, legacy_file};
use crate::programs::RubyPrograms;
use crate::values::{self, Audience};
use crate::{scope, session};

/// The module that asks for a function, and the name.
type Asked = (Option<Name>, Box<str>);

/// The Ruby functions of one environment.
#[derive(Debug)]
pub struct RubyFunctions {
    programs: Arc<RubyPrograms>,
    workers: Arc<Workers>,
    files: Mutex<FxHashMap<Asked, Option<PathBuf>>>,
    known: Mutex<FxHashMap<PathBuf, Arc<RubyFunction>>>,
}

impl RubyFunctions {
    /// None known yet.
    pub fn new(programs: Arc<RubyPrograms>, workers: Arc<Workers>) -> RubyFunctions {
        RubyFunctions { programs, workers, files: Mutex::default(), known: Mutex::default() }
    }

    /// The function that a name means to a module, or to the site.
    pub fn find(
        &self,
        environment: &Environment,
        caller: Option<Name>,
        name: &str,
    ) -> Option<Arc<dyn ForeignFunction>> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let file = files
            .entry((caller, name.into()))
            .or_insert_with(|| environment.ruby_function(caller, name))
            .clone()?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || RubyFunction::new(name, file.clone(), self.programs.clone(), self.workers.clone());
        Some(known.entry(file.clone()).or_insert_with(|| Arc::new(made())).clone())
    }
}

/// A function that a module writes in Ruby.
pub struct RubyFunction {
    name: Box<str>,
    path: PathBuf,
    audience: Audience,
    programs: Arc<RubyPrograms>,
    workers: Arc<Workers>,
    /// Its signatures, once it was loaded.
    dispatches: OnceLock<Arc<[Dispatch]>>,
    /// Whether it has a `call` of its own, which gets all arguments as they come.
    calls_itself: OnceLock<bool>,
    /// The parts of its file that Puppet inspects first, if it is written for the legacy API and can be parsed.
    legacy: OnceLock<Option<LegacyFile>>,
}

impl fmt::Debug for RubyFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.name, self.path.display())
    }
}

/// The files that were run in an interpreter.
#[derive(Default)]
struct Loaded(FxHashSet<PathBuf>);

/// The classes that `create_function` made in an interpreter, by the file that did: modules may have functions of the same name.
#[derive(Default)]
struct Classes(FxHashMap<PathBuf, kukla_ruby::Value>);

/// Runs the file of a function, unless it was run in this interpreter before; what its last expression gives.
pub fn load(ruby: &mut Ruby<'_>, path: &Path) -> Result<Option<kukla_ruby::Value>> {
    if ruby.part::<Loaded>().0.contains(path) {
        return Ok(None);
    }
    ruby.part::<Loaded>().0.insert(path.to_path_buf());
    ruby.run_file(path).map(Some)
}

/// The method of a scope that `newfunction` has made, if it has made a function of that name in this interpreter.
pub fn made(ruby: &mut Ruby<'_>, scope: &kukla_ruby::Value, name: &str) -> Option<Symbol> {
    let (class, method) = (ruby.class_of(scope), ruby.symbols.intern(&format!("function_{name}")));
    ruby.find_method(class, method).map(|_| method)
}

/// Calls a function made with `newfunction`, if there is one of that name.
fn call_made(ruby: &mut Ruby<'_>, here: u64, name: &str, args: &[Value]) -> Result<Option<Value>> {
    let scope = scope::object(ruby, here)?;
    let Some(method) = made(ruby, &scope, name) else { return Ok(None) };
    let given: Result<Vec<_>> = args.iter().map(|arg| values::argument(ruby, arg, Audience::Old)).collect();
    let answer = ruby.send(&scope, method, &[kukla_ruby::Value::array(given?)])?;
    values::to_puppet(ruby, &answer).map(Some)
}

/// A function that the file of another one has made with `newfunction`. It is there once that file was run, for this compilation.
#[derive(Debug)]
pub struct MadeBeside {
    name: Box<str>,
    programs: Arc<RubyPrograms>,
}

impl MadeBeside {
    /// The function of that name, if one was made.
    pub fn find(vm: &mut Vm<'_>, programs: &Arc<RubyPrograms>, name: &str) -> Flow<Option<MadeBeside>> {
        let is_made = session::enter(vm, programs, None, |ruby| {
            let scope = scope::object(ruby, 0)?;
            Ok(made(ruby, &scope, name).is_some())
        })?;
        Ok(is_made.then(|| MadeBeside { name: name.into(), programs: programs.clone() }))
    }
}

impl ForeignFunction for MadeBeside {
    fn name(&self) -> &str {
        &self.name
    }

    fn call(&self, vm: &mut Vm<'_>, args: Vec<Value>, _: Option<Block>) -> Flow {
        let here = vm.standing().number();
        session::enter(vm, &self.programs, None, |ruby| {
            Ok(call_made(ruby, here, &self.name, &args)?.unwrap_or(Value::Undef))
        })
    }
}

/// Where Puppet says what functions for its old API must not do.
const REFACTOR: &str = "https://puppet.com/docs/puppet/latest/functions_refactor_legacy.html";

impl RubyFunction {
    /// The function of a file; its directory says for which API it is.
    pub fn new(
        name: &str,
        path: PathBuf,
        programs: Arc<RubyPrograms>,
        workers: Arc<Workers>,
    ) -> RubyFunction {
        let is_old = path.to_string_lossy().contains("/lib/puppet/parser/functions/");
        let audience = if is_old { Audience::Old } else { Audience::Modern };
        RubyFunction {
            name: name.into(),
            path,
            audience,
            programs,
            workers,
            dispatches: OnceLock::new(),
            calls_itself: OnceLock::new(),
            legacy: OnceLock::new(),
        }
    }

    /// Loads the function and reads what it declares; whether it is one that Hiera asks.
    pub fn examine(&self, vm: &mut Vm<'_>) -> Flow<bool> {
        if self.audience == Audience::Modern {
            let dispatches = self.dispatches(vm)?;
            return Ok(dispatches.iter().any(Dispatch::takes_lookup_context));
        }
        session::enter(vm, &self.programs, None, |ruby| {
            self.load_old(ruby)?;
            let scope = scope::object(ruby, 0)?;
            match made(ruby, &scope, &self.name) {
                Some(_) => Ok(false),
                None => Err(self.missing()),
            }
        })
    }

    /// The class that `create_function` makes for the function, loading it as needed.
    fn class(&self, ruby: &mut Ruby<'_>) -> Result<kukla_ruby::Value> {
        if let Some(known) = ruby.part::<Classes>().0.get(&self.path) {
            return Ok(known.clone());
        }
        load(ruby, &self.path)?;
        let class = dispatch::created(ruby, &self.name)?.ok_or_else(|| self.missing())?;
        ruby.part::<Classes>().0.insert(self.path.clone(), class.clone());
        Ok(class)
    }

    /// Loads a function for the old API as Puppet does when a manifest calls it: what other functions may get away with is refused.
    /// All modules share the names of these: who comes first has it.
    fn load_old(&self, ruby: &mut Ruby<'_>) -> Result<()> {
        let legacy = match self.legacy.get() {
            Some(known) => known,
            None => {
                let text = ruby.host.world().read(&self.path).unwrap_or_default();
                let outline = || Outline::new(&String::from_utf8_lossy(&text));
                self.legacy.get_or_init(|| legacy_file(&outline()))
            }
        };
        let file = self.path.display();
        // A file with syntax errors is reported when it is run.
        if let Some(legacy) = legacy {
            if let Some(method) = &legacy.method {
                let unknown = ("<unknown>".to_owned(), "<unknown>".to_owned());
                let (name, column) =
                    method.name.clone().map_or(unknown, |(name, column)| (name, column.to_string()));
                // Puppet means the line and takes the column.
                let message = format!(
                    "Illegal method definition of method '{name}' in source {file} on line {column} in legacy function. See {REFACTOR} for more information"
                );
                return Err(ruby.error(ClassId::SECURITY_ERROR, message));
            }
            if !legacy.calls_newfunction {
                let message = format!(
                    "The code loaded from {file} does not seem to be a Puppet 3x API function - no 'newfunction' call."
                );
                return Err(ruby.argument_error(message));
            }
        }
        let scope = scope::object(ruby, 0)?;
        if made(ruby, &scope, &self.name).is_some() {
            return Ok(());
        }
        match load(ruby, &self.path)? {
            Some(made) => self.check_made(ruby, &made),
            None => Ok(()),
        }
    }

    /// Whether the file of a function gives what `newfunction` gives for it.
    fn check_made(&self, ruby: &mut Ruby<'_>, made: &kukla_ruby::Value) -> Result<()> {
        let file = self.path.display();
        let kukla_ruby::Value::Hash(_) = made else {
            let class = ruby.class_name_of(made);
            return Err(ruby.argument_error(format!(
                "Illegal legacy function definition! The code loaded from {file} did not return the result of calling 'newfunction'. Got '{class}'"
            )));
        };
        let (index, name) = (ruby.symbols.intern("[]"), ruby.symbol("name"));
        let name = ruby.send(made, index, &[name])?;
        let (name, wanted) =
            (ruby.display(&name)?.to_str_lossy().into_owned(), format!("function_{}", self.name));
        if name == wanted {
            return Ok(());
        }
        Err(ruby.argument_error(format!(
            "The code loaded from {file} produced mis-matched name, expected '{wanted}', got '{name}'"
        )))
    }

    fn missing(&self) -> Box<Unwind> {
        let wrong = diagnostic!(RUBY_FUNCTION_MISSING { name: &*self.name, file: self.path.display() });
        Box::new(Unwind::Stop(wrong.into()))
    }

    /// Calls a function made with `newfunction`.
    fn call_old(&self, vm: &mut Vm<'_>, args: &[Value]) -> Flow {
        let here = vm.standing().number();
        session::enter(vm, &self.programs, None, |ruby| {
            self.load_old(ruby)?;
            call_made(ruby, here, &self.name, args)?.ok_or_else(|| self.missing())
        })
    }

    /// The signatures of a function made with `create_function`.
    fn dispatches(&self, vm: &mut Vm<'_>) -> Flow<Arc<[Dispatch]>> {
        if let Some(known) = self.dispatches.get() {
            return Ok(known.clone());
        }
        let declared = session::enter(vm, &self.programs, None, |ruby| {
            let class = self.class(ruby)?;
            let asked = ruby.symbols.intern("calls_itself?");
            let itself = ruby.send(&class, asked, &[])?.is_true();
            let _ = self.calls_itself.set(itself);
            dispatch::declared(ruby, &class)
        })?;
        self.keep_dispatches(vm, declared)
    }

    fn keep_dispatches(&self, vm: &mut Vm<'_>, declared: Vec<Declared>) -> Flow<Arc<[Dispatch]>> {
        let read = dispatch::read(vm, &self.name, declared)?;
        Ok(self.dispatches.get_or_init(|| read.into()).clone())
    }

    /// Calls the `call` method that a function has of its own.
    fn call_itself(&self, vm: &mut Vm<'_>, args: &[Value], block: Option<Block>) -> Flow {
        let here = vm.standing().number();
        session::enter(vm, &self.programs, block.clone(), |ruby| {
            let class = self.class(ruby)?;
            let answer = dispatch::call_itself(ruby, &class, here, args, block.is_some())?;
            values::to_puppet(ruby, &answer)
        })
    }

    /// Calls a function made with `create_function`.
    fn call_modern(&self, vm: &mut Vm<'_>, args: Vec<Value>, block: Option<Block>) -> Flow {
        let dispatches = self.dispatches(vm)?;
        if self.calls_itself.get() == Some(&true) {
            return self.call_itself(vm, &args, block);
        }
        let chosen = dispatch::choose(vm, &self.name, &dispatches, &args, block.as_ref())?;
        let here = vm.standing().number();
        let value = session::enter(vm, &self.programs, block.clone(), |ruby| {
            let class = self.class(ruby)?;
            let answer = chosen.call(ruby, &class, here, &args, block.is_some())?;
            values::to_puppet(ruby, &answer)
        })?;
        self.returned(vm, chosen, value)
    }

    /// The result of a call, if it has the return type that the function declares.
    fn returned(&self, vm: &Vm<'_>, chosen: &Dispatch, value: Value) -> Flow {
        if chosen.is_mismatch {
            return Err(dispatch::refused(&self.name, &value));
        }
        match chosen.signature.callable.returns {
            Some(_) => vm.refuse_return(&self.name, &chosen.signature, value),
            None => Ok(value),
        }
    }

    fn call_here(&self, vm: &mut Vm<'_>, args: Vec<Value>, block: Option<Block>) -> Flow {
        match self.audience {
            Audience::Old => self.call_old(vm, &args),
            Audience::Modern => self.call_modern(vm, args, block),
        }
    }
}

/// The same in another Ruby.
impl RubyFunction {
    fn call_there(&self, vm: &mut Vm<'_>, args: &[Value], block: Option<Block>) -> Flow {
        let here = vm.standing().number();
        match self.audience {
            Audience::Old => session::enter(vm, &self.programs, None, |ruby| {
                let answer = external::call_old(ruby, &self.workers, &self.name, &self.path, here, args)?;
                let answer = answer.ok_or_else(|| self.missing())?;
                values::to_puppet(ruby, &answer)
            }),
            Audience::Modern => self.call_modern_there(vm, here, args, block),
        }
    }

    fn call_modern_there(&self, vm: &mut Vm<'_>, here: u64, args: &[Value], block: Option<Block>) -> Flow {
        let dispatches = self.dispatches_there(vm)?;
        let chosen = match self.calls_itself.get() {
            Some(true) => None,
            _ => Some(dispatch::choose(vm, &self.name, &dispatches, args, block.as_ref())?),
        };
        let lambda = block.as_ref().map(|block| (block.parameter_count(), block.captures_rest()));
        let value = session::enter(vm, &self.programs, block, |ruby| {
            let mut given = external::arguments(ruby, args, Audience::Modern)?;
            let method = match chosen {
                Some(chosen) => {
                    given = chosen.woven(ruby, here, given)?;
                    chosen.method()
                }
                None => {
                    given.insert(0, scope::object(ruby, here)?);
                    "call"
                }
            };
            let answer = external::call(ruby, &self.workers, &self.name, &self.path, method, &given, lambda)?;
            values::to_puppet(ruby, &answer)
        })?;
        match chosen {
            Some(chosen) => self.returned(vm, chosen, value),
            None => Ok(value),
        }
    }

    fn dispatches_there(&self, vm: &mut Vm<'_>) -> Flow<Arc<[Dispatch]>> {
        if let Some(known) = self.dispatches.get() {
            return Ok(known.clone());
        }
        let declared = session::enter(vm, &self.programs, None, |ruby| {
            match external::declared(ruby, &self.workers, &self.name, &self.path)? {
                Some((dispatches, aliases, itself)) => {
                    let _ = self.calls_itself.set(itself);
                    dispatch::declarations(ruby, &dispatches, &aliases)
                }
                None => Err(self.missing()),
            }
        })?;
        self.keep_dispatches(vm, declared)
    }
}

impl ForeignFunction for RubyFunction {
    fn name(&self) -> &str {
        &self.name
    }

    fn call(&self, vm: &mut Vm<'_>, args: Vec<Value>, block: Option<Block>) -> Flow {
        vm.charge(1)?;
        vm.in_foreign_call(|vm| {
            if vm.world().policy().ruby.is_none() {
                return self.call_here(vm, args, block);
            }
            let piece = format!("function '{}'", self.name);
            let (again, block_again) = (args.clone(), block.clone());
            let here = |vm: &mut Vm<'_>| self.call_here(vm, args, block);
            external::here_or_there(vm, &piece, here, |vm| self.call_there(vm, &again, block_again))
        })
    }
}
