//! Data for the evaluator: Hiera, asked on behalf of a compilation.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use kukla_eval::catalog::DataPlace;
use kukla_eval::data::{Data, Request};
use kukla_eval::environment::Environment;
use kukla_eval::error::{Failure, FailureKind, Flow, Raise, Raised};
use kukla_eval::vm::Vm;
use kukla_hiera::backend::Context;
use kukla_hiera::{
    Conversion, DataCache, Error, ErrorKind, Explanation, Found, Host, LOOKUP_ERROR, Lookup, Origin, Session,
    Settings, Variable, Watch,
};
use kukla_values::{Name, Type, Value};
use kukla_world::World;

use crate::context;

/// The data of one compilation.
#[derive(Debug)]
pub struct HieraData {
    session: Arc<Session>,
    /// How data was looked up so far, if someone wants to know.
    explanations: Option<Mutex<String>>,
}

impl HieraData {
    /// Begins the lookups of a compilation; `cache` is shared with others of the same environment.
    pub fn new(cache: Arc<DataCache>, environment: &Environment, global_config: Option<&Path>) -> HieraData {
        let setting = |name: &str| {
            let value = environment.settings.all.get(name)?.as_str()?;
            let unquoted = ['\'', '"'].into_iter().find_map(|q| value.strip_prefix(q)?.strip_suffix(q));
            Some(unquoted.unwrap_or(value).to_owned()).filter(|value| !value.is_empty())
        };
        let settings = Settings {
            global_config: global_config.map(|path| path.display().to_string()),
            environment: environment.name.as_str().to_owned(),
            environment_root: environment.root.as_ref().map(|root| root.display().to_string()),
            environment_provider: setting("environment_data_provider"),
            codedir: setting("codedir").unwrap_or_default(),
            strict: environment.settings.strict,
        };
        HieraData { session: Session::new(cache, settings), explanations: None }
    }

    /// Keeps explanations of all lookups from now on.
    #[must_use]
    pub fn explaining(self) -> HieraData {
        HieraData { explanations: Some(Mutex::default()), ..self }
    }

    /// The explanations kept so far, one lookup after the other.
    pub fn explanations(&self) -> Option<String> {
        let kept = self.explanations.as_ref()?.lock();
        Some(kept.unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// Runs a lookup under a title, keeping its explanation. One that is part of another is explained there.
    fn kept<T>(&self, title: impl FnOnce() -> String, run: impl FnOnce(&Arc<Session>) -> T) -> T {
        let Some(explanations) = self.explanations.as_ref().filter(|_| !self.session.is_explaining()) else {
            return run(&self.session);
        };
        let (result, explanation) = self.session.explained(run);
        let text = explanation.puppet_text();
        let mut kept = explanations.lock().unwrap_or_else(PoisonError::into_inner);
        let text: String = text.lines().flat_map(|line| ["  ", line, "\n"]).collect();
        kept.push_str(&format!("{}\n{text}", title()));
        result
    }

    /// Answers a request and says where the value came from; finding nothing is an error.
    pub fn find_or_fail(&self, vm: &mut Vm<'_>, request: &Request) -> Flow<Found> {
        self.session.lookup(&mut VmHost { vm }, &lookup(request)).map_err(raise)
    }

    /// Answers a request and explains the answer, whatever it is.
    pub fn explain(&self, vm: &mut Vm<'_>, request: &Request) -> (Flow<Found>, Explanation) {
        let (found, explanation) = self.session.explain(&mut VmHost { vm }, &lookup(request));
        (found.map_err(raise), explanation)
    }

    /// Takes what was decrypted out of a message.
    pub fn redact(&self, message: &mut String) {
        if let Some(told) = self.session.redact(message) {
            *message = told;
        }
    }
}

impl Data for HieraData {
    fn lookup(&self, vm: &mut Vm<'_>, request: &Request) -> Flow<Option<Value>> {
        let title = || format!("Lookup of '{}'", request.keys.join("', '"));
        let found = self.kept(title, |session| session.try_lookup(&mut VmHost { vm }, &lookup(request)));
        let found = found.map_err(raise_in_code)?;
        Ok(found.map(|found| noted(vm, found)))
    }

    fn context(&self, module: Option<&str>) -> Value {
        context::value(self.session.context(module.map(Into::into)))
    }

    fn class_parameter(&self, vm: &mut Vm<'_>, class: Name, parameter: Name) -> Flow<Option<Value>> {
        let key = format!("{class}::{parameter}");
        let title = || format!("Automatic Parameter Lookup of '{key}'");
        let found = self.kept(title, |session| session.class_parameter(&mut VmHost { vm }, &key));
        let found = found.map_err(raise_in_code)?;
        Ok(found.map(|found| noted(vm, found)))
    }
}

/// The value found; where it was found is noted if someone wants to know.
fn noted(vm: &mut Vm<'_>, found: Found) -> Value {
    if vm.recorder.is_some() {
        let place = |origin: &Arc<Origin>| DataPlace {
            key: origin.key.clone(),
            file: origin.location.clone(),
            line: origin.line,
            level: origin.level.clone(),
            encrypted: origin.encrypted,
        };
        let places = found.origins.iter().map(place).collect();
        let location = vm.call_location();
        if let Some(recorder) = &mut vm.recorder {
            recorder.note(location, places);
        }
    }
    found.value
}

fn lookup(request: &Request) -> Lookup<'_> {
    Lookup {
        names: &request.keys,
        value_type: request.value_type.as_ref(),
        merge: request.merge.as_ref(),
        default: request.default.as_ref(),
        default_values_hash: request.defaults.as_ref().and_then(Value::as_hash),
        override_hash: request.overrides.as_ref().and_then(Value::as_hash),
        hiera_function: request.hiera,
        extra_paths: &request.extra_paths,
    }
}

/// What the evaluator makes of a lookup that failed while code was evaluated: an error of the data, or of the call.
fn raise_in_code(error: Error) -> Raise {
    let is_data = error.kind() == ErrorKind::Data;
    let mut raise = raise(error);
    if let (Raised::Error(failure), false) = (raise.reason_mut(), is_data) {
        failure.code = "RUNTIME_ERROR";
    }
    raise
}

/// A failed lookup as an error of the evaluator.
pub(crate) fn raise(error: Error) -> Raise {
    let code = match (error.kind(), error.code()) {
        // What the global layer says of its data has no code of its own.
        (ErrorKind::Plain, LOOKUP_ERROR) => "ERROR",
        (_, code) => code,
    };
    let mut failure = Failure::new(code, error.message());
    failure.hints.extend(error.hint().map(str::to_owned));
    if error.kind() == ErrorKind::Data {
        failure.kind = FailureKind::Data;
        failure.data_file = error.file().map(|file| Box::new((Some(file.to_owned()), error.line())));
    }
    failure.into()
}

/// The other way: what a lookup makes of an error in a function that works for it. It becomes an error of the data, which
/// has no place in Puppet; ours says where the function failed.
fn thrown(raise: Raise) -> Error {
    match raise.illegal().into_reason() {
        Raised::Error(failure) => {
            let error = match failure.kind {
                FailureKind::Data => Error::issue(failure.code, failure.message.clone()),
                _ => Error::plain(failure.code, failure.message.clone()),
            };
            match failure.location.as_ref().and_then(|location| Some((location.file()?, location.line()))) {
                Some((file, line)) => error.with_hint(format!("see {file}, line {line}")),
                None => error,
            }
        }
        _ => Error::plain("RUNTIME_ERROR", "a jump to nowhere"),
    }
}

/// A compilation, as lookups see it.
pub(crate) struct VmHost<'v, 'e> {
    pub(crate) vm: &'v mut Vm<'e>,
}

impl Host for VmHost<'_, '_> {
    fn world(&self) -> &dyn World {
        &*self.vm.environment.world
    }

    fn variable(&mut self, name: &str) -> Variable {
        match self.vm.variable_or_reason(name) {
            Ok(value) => Variable::Found(value),
            Err(_) if self.vm.variable_exists(name) => Variable::Found(Value::Undef),
            Err(reason) => Variable::Undefined { name: name.to_owned(), reason: reason.unwrap_or_default() },
        }
    }

    fn watch(&self, name: &str) -> Option<Name> {
        self.vm.watchable(name)
    }

    fn token(&self, watch: &Watch) -> Option<u64> {
        self.vm.variables_token(watch.marks, &watch.names)
    }

    fn module_root(&mut self, name: &str) -> Option<String> {
        self.vm.environment.module(name).map(|module| module.root.display().to_string())
    }

    fn module_provider(&mut self, name: &str) -> Option<String> {
        let environment = self.vm.environment;
        let metadata = environment.module(name).and_then(|module| environment.metadata(module))?;
        metadata["data_provider"].as_str().map(str::to_owned)
    }

    fn calling_class(&mut self) -> Option<String> {
        self.vm.calling_class().map(|class| class.as_str().to_owned())
    }

    fn has_function(&mut self, name: &str) -> bool {
        // Calling one in Ruby says that this is not supported.
        self.vm.function_exists(name).unwrap_or(true) || self.vm.environment.ruby_function(name).is_some()
    }

    fn return_type(&mut self, name: &str) -> Option<Type> {
        self.vm.return_type(name)
    }

    fn foreign_function(&mut self, name: &str) -> Option<String> {
        let (first, _) = name.split_once("::").unwrap_or((name, ""));
        let environment = self.vm.environment;
        let root = match first {
            "environment" => environment.root.as_ref()?,
            module => &environment.module(module)?.root,
        };
        let file = root.join("lib/puppet/functions").join(name.replace("::", "/")).with_extension("rb");
        environment.world.exists(&file).then(|| file.display().to_string())
    }

    fn call(
        &mut self,
        name: &str,
        mut arguments: Vec<Value>,
        context: Option<&Context>,
    ) -> Result<Option<Value>, Error> {
        arguments.extend(context.map(|context| context::value(context.clone())));
        match self.vm.call(name, arguments, None) {
            Ok(value) => Ok(Some(value)),
            Err(raise) if context::is_not_found(&raise) => Ok(None),
            Err(raise) => Err(thrown(raise)),
        }
    }

    fn convert(&mut self, type_name: &Value, value: Value, arguments: &[Value]) -> Result<Value, Conversion> {
        let ty = match type_name {
            Value::String(text) => self.vm.parse_type(text).map_err(|raise| match raise.failure() {
                Some(failure) if failure.code == "UNKNOWN_RESOURCE_TYPE" => Conversion::Failed(format!(
                    "Creation of new instance of type 'TypeReference['{text}']' is not supported"
                )),
                _ => Conversion::BadType(message(raise)),
            })?,
            Value::Type(ty) => Type::clone(ty),
            other => {
                let text = kukla_values::format::interpolate(other);
                return Err(Conversion::BadType(format!("'{text}' is not a type")));
            }
        };
        let mut all = vec![Value::of_type(ty), value];
        all.extend_from_slice(arguments);
        self.vm.call("new", all, None).map_err(|raise| Conversion::Failed(message(raise)))
    }

    fn warn(&mut self, message: String) {
        self.vm.warn(message);
    }

    fn warn_once(&mut self, key: &str, message: String, file: Option<&str>) {
        let place = match file {
            Some(file) => format!("(file: {file})"),
            None => "(file & line not available)".to_owned(),
        };
        self.vm.warn_once(key, format!("{message}\n   {place}"));
    }
}

fn message(raise: Raise) -> String {
    raise.failure().map(|failure| failure.message.clone()).unwrap_or_default()
}
