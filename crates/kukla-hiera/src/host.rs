//! The interface of lookups to the compilation they are part of.

use kukla_syntax::{Diagnostic, Strict};
use kukla_values::{Budget, Hash, Name, Str, Type, Value};
use kukla_world::World;

use crate::backend::Context;
use crate::error::Result;
use crate::session::Session;

/// The answer to a question for a variable.
#[derive(Clone, Debug)]
pub enum Variable {
    /// Its value, which may be `undef`.
    Found(Value),
    /// There is no such variable: the name to report it by, and the reason where there is one to give ("class x has not
    /// been evaluated").
    Undefined {
        /// As Puppet reports it: `x`, but `::x` when asked for with colons.
        name: String,
        /// May be empty.
        reason: String,
    },
}

/// Which of the three kinds of backend functions one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// Gives all data of a location as one hash.
    DataHash,
    /// Gives the value of one key.
    LookupKey,
    /// Gives the value of one dotted key.
    DataDig,
}

impl FunctionKind {
    /// Its name in `hiera.yaml`.
    pub fn name(self) -> &'static str {
        match self {
            FunctionKind::DataHash => "data_hash",
            FunctionKind::LookupKey => "lookup_key",
            FunctionKind::DataDig => "data_dig",
        }
    }
}

/// Variables to watch.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Their names.
    pub names: Vec<Name>,
    /// The marks of their names.
    pub marks: u64,
    /// Whether there are others that cannot be watched.
    pub blind: bool,
}

/// A question for a backend of Hiera 3.
#[derive(Clone, Copy, Debug)]
pub struct BackendQuestion<'q> {
    /// The name of the backend.
    pub name: &'q str,
    /// Its configuration, as in `hiera.yaml` version 3.
    pub config: &'q Hash,
    /// The key, which may have dots.
    pub key: &'q str,
    /// The paths to search before the hierarchy.
    pub overrides: &'q [Str],
    /// How values are to be merged: a name, or a hash with `strategy`; `default` to merge hashes as the configuration says.
    pub merge: &'q Value,
}

/// The answer of a backend of Hiera 3.
#[derive(Clone, Debug)]
pub enum BackendAnswer {
    /// The value of the key.
    Found(Value),
    /// The backend has no value for the key.
    NotFound,
    /// The backend does not exist or cannot be used, for this reason.
    Unusable(String),
}

impl BackendAnswer {
    /// The answer where nothing runs the language that such backends are written in.
    pub fn without_ruby(backend: &str) -> BackendAnswer {
        BackendAnswer::Unusable(format!("Unable to load backend '{backend}': it is written in Ruby"))
    }
}

/// The compilation a lookup is part of.
pub trait Host {
    /// Files and environment variables. All answers are taken to stay the same as long as one
    /// [`DataCache`](crate::DataCache) lives.
    fn world(&self) -> &dyn World;
    /// The budget that work is charged to, if there is one.
    fn budget(&self) -> Option<&Budget> {
        None
    }
    /// A variable as the scope that asked for the lookup sees it; the name may be qualified.
    fn variable(&mut self, name: &str) -> Variable;
    /// The same, from one who wants nothing of it but what `segments` lead to.
    fn variable_part(&mut self, name: &str, segments: &[Value]) -> Variable {
        let _ = segments;
        self.variable(name)
    }
    /// The name to watch a variable by with [`Host::token`]; none if the host cannot tell whether it changes.
    fn watch(&self, name: &str) -> Option<Name> {
        let _ = name;
        None
    }
    /// A number that is the same as long as all these variables have the same values; none if the host cannot tell cheaply.
    /// Results that depend on them then count as current without reading each again.
    fn token(&self, watch: &Watch) -> Option<u64> {
        let _ = watch;
        None
    }
    /// The directory of a module, if there is such a module.
    fn module_root(&mut self, name: &str) -> Option<String>;
    /// The `data_provider` that a module's `metadata.json` names.
    fn module_provider(&mut self, name: &str) -> Option<String> {
        let _ = name;
        None
    }
    /// The class whose code asked, for `calling_class` in version 3.
    fn calling_class(&mut self) -> Option<String> {
        None
    }
    /// Whether there is a function of this name for `hiera.yaml` to use.
    fn has_function(&mut self, name: &str) -> bool;
    /// The type that a function says it returns, if it does.
    fn return_type(&mut self, name: &str) -> Option<Type> {
        let _ = name;
        None
    }
    /// The file of a function in a language that cannot be called, to say so instead of that there is none.
    fn foreign_function(&mut self, name: &str) -> Option<String> {
        let _ = name;
        None
    }
    /// Calls a function as a backend with these arguments and the context, if any, as the last one; nothing when it called
    /// `not_found`. The function may look things up itself, for which the session is lent.
    fn call(
        &mut self,
        session: &mut Session,
        name: &str,
        arguments: Vec<Value>,
        context: Option<&Context>,
    ) -> Result<Option<Value>>;
    /// Asks a backend for Hiera 3 for a key.
    fn ask_backend(
        &mut self,
        session: &mut Session,
        question: &BackendQuestion<'_>,
    ) -> Result<BackendAnswer> {
        let _ = session;
        Ok(BackendAnswer::without_ruby(question.name))
    }
    /// `new(type, value, arguments…)` for `convert_to`; the type is usually text still to be read.
    fn convert(
        &mut self,
        session: &mut Session,
        type_name: &Value,
        value: Value,
        arguments: &[Value],
    ) -> Result<Value, Conversion>;
    /// A warning.
    fn warn(&mut self, message: String);
    /// A warning given once per key; the host adds the line Puppet does: where the matter is to be found, or that this is
    /// not known.
    fn warn_once(&mut self, key: &str, message: String, file: Option<&str>);
}

/// Why a `convert_to` failed.
#[derive(Clone, Debug)]
pub enum Conversion {
    /// The text names no type.
    BadType(Box<Diagnostic>),
    /// The value could not be converted.
    Failed(Box<Diagnostic>),
}

/// The settings of all lookups of one compilation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The path of the global layer's `hiera.yaml`, whether or not it exists.
    pub global_config: Option<String>,
    /// The environment's name.
    pub environment: String,
    /// The environment's directory.
    pub environment_root: Option<String>,
    /// The `environment_data_provider` that `environment.conf` names.
    pub environment_provider: Option<String>,
    /// The directory of code and data, where `hiera.yaml` version 3 has its data if it does not say.
    pub codedir: String,
    /// Puppet's `strict` setting.
    pub strict: Strict,
}

/// A request for data: the arguments of the `lookup` function.
#[derive(Clone, Debug, Default)]
pub struct LookupRequest {
    /// The keys, tried in order; each may be dotted.
    pub keys: Vec<Str>,
    /// The type that the value must have.
    pub value_type: Option<Type>,
    /// The merge strategy: a name, or a hash with `strategy`.
    pub merge: Option<Value>,
    /// The value if nothing is found.
    pub default: Option<Value>,
    /// Values by key, for keys that are not found.
    pub defaults: Option<Hash>,
    /// Values by key that win over all data.
    pub overrides: Option<Hash>,
    /// Whether the request comes from one of the old `hiera` functions, which stay in the global layer unless the environment has data.
    pub hiera_function: bool,
    /// The paths that such a function searches before the hierarchy of a version 3 configuration.
    pub extra_paths: Vec<Str>,
}

impl LookupRequest {
    /// A request for one key and nothing else.
    pub fn key(key: impl Into<Str>) -> LookupRequest {
        LookupRequest { keys: vec![key.into()], ..LookupRequest::default() }
    }
}
