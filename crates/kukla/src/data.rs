//! Data for the evaluator: Hiera, asked on behalf of a compilation.

use std::any::Any;
use std::path::Path;
use std::sync::Arc;

use kukla_eval::catalog::DataPlace;
use kukla_eval::codes::WRONG_ARGUMENTS;
use kukla_eval::data::{Data, LookupRequest, ParameterData};
use kukla_eval::environment::Environment;
use kukla_eval::error::{Diagnostic, Flow, Raise, Stage};
use kukla_eval::foreign::{self, BackendAnswer};
use kukla_eval::profile::SpotKind;
use kukla_eval::vm::Vm;
use kukla_hiera::backend::Context;
use kukla_hiera::codes::{CONVERT_TO_NO_NAME, INSTANCE_OF_NOTHING};
use kukla_hiera::{
    BackendQuestion, Conversion, DataCache, Error, ErrorKind, Explanation, Found, Host, Lookup, Session,
    Settings, ValueOrigin, Variable, Watch,
};
use kukla_syntax::{Frame, Label, NAMELESS, diagnostic};
use kukla_values::codes::UNKNOWN_RESOURCE_TYPE;
use kukla_values::{Budget, Name, Str, Type, Value};
use kukla_world::World;
use kukla_world::record::Record;

use crate::codes::{BACKEND_FAILED, NO_DATA};
use crate::context;

/// The data of one compilation.
#[derive(Debug)]
pub struct HieraData {
    session: Session,
    /// How data was looked up so far, if someone wants to know.
    explanations: Option<String>,
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
        HieraData { explanations: Some(String::new()), ..self }
    }

    /// The explanations kept so far, one lookup after the other.
    pub fn explanations(&self) -> Option<&str> {
        self.explanations.as_deref()
    }

    /// The data of a compilation.
    pub fn of<'v>(vm: &'v Vm<'_>) -> Option<&'v HieraData> {
        let data: &dyn Any = vm.data()?;
        data.downcast_ref()
    }

    /// Does something with the data of a compilation, which is away from it meanwhile.
    pub fn within<T>(vm: &mut Vm<'_>, run: impl FnOnce(&mut HieraData, &mut Vm<'_>) -> T) -> Option<T> {
        let ask = |data: &mut dyn Data, vm: &mut Vm<'_>| {
            let data: &mut dyn Any = data;
            data.downcast_mut().map(|data| run(data, vm))
        };
        vm.ask_data(ask).flatten()
    }

    /// Does something with the lookups of a compilation.
    pub(crate) fn in_session<T>(
        vm: &mut Vm<'_>,
        run: impl FnOnce(&mut Session, &mut VmHost<'_, '_>) -> T,
    ) -> Flow<T> {
        let result = HieraData::within(vm, |data, vm| run(&mut data.session, &mut VmHost { vm }));
        result.ok_or_else(no_data)
    }

    /// Whether a lookup goes on that is being explained.
    pub(crate) fn is_explaining(vm: &Vm<'_>) -> bool {
        HieraData::of(vm).is_some_and(|data| data.session.is_explaining())
    }

    /// Runs a lookup under a title, keeping its explanation. One that is part of another is explained there.
    fn kept<T>(&mut self, title: impl FnOnce() -> String, run: impl FnOnce(&mut Session) -> T) -> T {
        let Some(kept) = self.explanations.as_mut().filter(|_| !self.session.is_explaining()) else {
            return run(&mut self.session);
        };
        let (result, explanation) = self.session.explained(run);
        let text = explanation.puppet_text();
        let text: String = text.lines().flat_map(|line| ["  ", line, "\n"]).collect();
        kept.push_str(&format!("{}\n{text}", title()));
        result
    }

    /// Answers a request and says where the value came from; finding nothing is an error.
    pub fn find_or_fail(&mut self, vm: &mut Vm<'_>, request: &LookupRequest) -> Flow<Found> {
        self.session.lookup(&mut VmHost { vm }, &lookup(request)).map_err(raise)
    }

    /// Answers a request and explains the answer, whatever it is.
    pub fn explain(&mut self, vm: &mut Vm<'_>, request: &LookupRequest) -> (Flow<Found>, Explanation) {
        let (found, explanation) = self.session.explain(&mut VmHost { vm }, &lookup(request));
        (found.map_err(raise), explanation)
    }

    /// What was decrypted for a compilation so far.
    pub(crate) fn secrets(vm: &Vm<'_>) -> Vec<Str> {
        HieraData::of(vm).map(|data| data.session.secrets().cloned().collect()).unwrap_or_default()
    }

    /// What a compilation rests on, its data included, if that is recorded.
    pub(crate) fn record(vm: &mut Vm<'_>) -> Option<Record> {
        let mut record = vm.take_record()?;
        if let Some(data) = HieraData::of(vm) {
            record.data.extend(data.session.used());
        }
        Some(record)
    }
}

impl Data for HieraData {
    fn lookup(&mut self, vm: &mut Vm<'_>, request: &LookupRequest) -> Flow<Option<Value>> {
        let title = || format!("Lookup of '{}'", request.keys.join("', '"));
        let found = vm.profiled(
            SpotKind::Lookup,
            || request.keys.join(", ").into(),
            |vm| self.kept(title, |session| session.try_lookup(&mut VmHost { vm }, &lookup(request))),
        );
        Ok(checked(vm, found.map_err(raise_in_code)?)?.map(|found| noted(vm, found)))
    }

    fn context(&self, module: Option<&str>) -> Value {
        context::value(self.session.context(module.map(Into::into)))
    }

    fn class_parameter(
        &mut self,
        vm: &mut Vm<'_>,
        class: Name,
        parameter: Name,
    ) -> Flow<Option<ParameterData>> {
        let key = [class.as_str(), "::", parameter.as_str()].concat();
        let title = || format!("Automatic Parameter Lookup of '{key}'");
        let found = vm.profiled(
            SpotKind::Lookup,
            || key.as_str().into(),
            |vm| self.kept(title, |session| session.class_parameter(&mut VmHost { vm }, &key)),
        );
        let found = checked(vm, found.map_err(raise_in_code)?)?.map(|found| {
            let modules = found.origins.iter().map(|origin| origin.module.clone()).collect();
            ParameterData { value: noted(vm, found), modules }
        });
        Ok(found)
    }

    fn near_key(&mut self, vm: &mut Vm<'_>, key: &str) -> Option<Str> {
        self.session.near_key(&mut VmHost { vm }, key)
    }

    fn places_of_parameter(&mut self, vm: &mut Vm<'_>, class: Name, parameter: Name) -> Vec<DataPlace> {
        let key = format!("{class}::{parameter}");
        let found = self.session.class_parameter(&mut VmHost { vm }, &key).ok().flatten();
        found.iter().flat_map(|found| &*found.origins).map(place).collect()
    }

    /// Takes what was decrypted out of a text.
    fn redact(&self, text: &mut String) {
        if let Some(told) = self.session.redact(text) {
            *text = told;
        }
    }
}

/// An error if what was found is too large: aliases let a few lines of data stand for more than fits a machine.
fn checked(vm: &Vm<'_>, found: Option<Found>) -> Flow<Option<Found>> {
    if let Some(found) = &found {
        vm.charge(1)?;
        vm.budget().check_value(&found.value)?;
    }
    Ok(found)
}

/// The value found; where it was found is noted if someone wants to know.
fn noted(vm: &mut Vm<'_>, found: Found) -> Value {
    vm.note_lookup(|| found.origins.iter().map(place).collect());
    found.value
}

fn place(origin: &Arc<ValueOrigin>) -> DataPlace {
    DataPlace {
        key: origin.key.clone(),
        file: origin.location.clone(),
        line: origin.line,
        level: origin.level.clone(),
        encrypted: origin.encrypted,
    }
}

fn lookup(request: &LookupRequest) -> Lookup<'_> {
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
    let wrong = diagnosed(error);
    if is_data { wrong.into() } else { wrong.reported_as(NAMELESS).into() }
}

/// What a compilation without data says when it is needed.
pub(crate) fn no_data() -> Raise {
    diagnostic!(NO_DATA).into()
}

/// A failed lookup as an error of the evaluator.
pub(crate) fn raise(error: Error) -> Raise {
    diagnosed(error).into()
}

fn diagnosed(error: Error) -> Diagnostic {
    // What the global layer says of its data has no name in Puppet.
    let nameless = error.kind() == ErrorKind::Plain && error.is_nameless();
    let wrong = *error.into_diagnostic();
    if nameless { wrong.reported_as("ERROR") } else { wrong }
}

/// The other way: what a lookup makes of an error in a function that works for it. It becomes an error of the data, unless it is an
/// exception of Ruby that Puppet knows nothing of.
fn thrown(raise: Raise) -> Error {
    let cause = detached(raise);
    let is_foreign = cause.frame == Frame::Bare
        && (cause.is(&WRONG_ARGUMENTS) || cause.fact("family") == Some("Exception"));
    let kind = match cause.stage {
        Stage::Data => ErrorKind::Data,
        _ if is_foreign => ErrorKind::Caller,
        _ => ErrorKind::Plain,
    };
    let issue = cause.issue;
    Error::new(kind, diagnostic!(BACKEND_FAILED).because(cause).reported_as(issue))
}

/// What is wrong in a function that works for a lookup. Errors of data have no place in Puppet, so it is but shown.
fn detached(raise: Raise) -> Box<Diagnostic> {
    let mut wrong = raise.into_diagnostic();
    if let Some(place) = wrong.position.take() {
        wrong.labels.push(Label { position: place, message: "here".to_owned() });
    }
    wrong
}

/// A compilation, as lookups see it.
pub(crate) struct VmHost<'v, 'e> {
    pub(crate) vm: &'v mut Vm<'e>,
}

impl<'e> VmHost<'_, 'e> {
    /// Evaluates something that may look data up itself, as part of the lookup that it is evaluated for.
    fn lending<T>(&mut self, session: &mut Session, evaluate: impl FnOnce(&mut Vm<'e>) -> T) -> T {
        let lent = HieraData { session: std::mem::take(session), explanations: None };
        let (result, lent) = self.vm.lending_data(Box::new(lent), evaluate);
        let lent = lent.and_then(|lent| (lent as Box<dyn Any>).downcast::<HieraData>().ok());
        if let Some(lent) = lent {
            *session = lent.session;
        }
        result
    }
}

impl Host for VmHost<'_, '_> {
    fn budget(&self) -> Option<&Budget> {
        Some(self.vm.budget())
    }

    fn world(&self) -> &dyn World {
        &*self.vm.environment().world
    }

    fn variable(&mut self, name: &str) -> Variable {
        match self.vm.variable_or_reason(name) {
            Ok(value) => Variable::Found(value),
            Err(_) if self.vm.variable_exists(name) => Variable::Found(Value::Undef),
            Err(reason) => Variable::Undefined { name: name.to_owned(), reason: reason.unwrap_or_default() },
        }
    }

    fn variable_part(&mut self, name: &str, segments: &[Value]) -> Variable {
        let wanted = match (name.trim_start_matches("::"), segments) {
            ("facts", [Value::String(fact), ..]) => Some(fact.as_str()),
            _ => None,
        };
        self.vm.wanting_fact(wanted, |vm| VmHost { vm }.variable(name))
    }

    fn watch(&self, name: &str) -> Option<Name> {
        self.vm.watchable(name)
    }

    fn token(&self, watch: &Watch) -> Option<u64> {
        self.vm.variables_token(watch.marks, &watch.names)
    }

    fn module_root(&mut self, name: &str) -> Option<String> {
        self.vm.environment().module(name).map(|module| module.root.display().to_string())
    }

    fn module_provider(&mut self, name: &str) -> Option<String> {
        let environment = self.vm.environment();
        let metadata = environment.module(name).and_then(|module| environment.metadata(module))?;
        metadata["data_provider"].as_str().map(str::to_owned)
    }

    fn calling_class(&mut self) -> Option<String> {
        self.vm.calling_class().map(|class| class.as_str().to_owned())
    }

    fn has_function(&mut self, name: &str) -> bool {
        // Calling one in Ruby says that this is not supported.
        self.vm.function_exists(name).unwrap_or(true)
            || self.vm.environment().ruby_function(None, name).is_some()
    }

    fn return_type(&mut self, name: &str) -> Option<Type> {
        self.vm.return_type(name)
    }

    fn foreign_function(&mut self, name: &str) -> Option<String> {
        let (first, _) = name.split_once("::").unwrap_or((name, ""));
        let environment = self.vm.environment();
        let root = match first {
            "environment" => environment.root.as_ref()?,
            module => &environment.module(module)?.root,
        };
        let file = root.join("lib/puppet/functions").join(name.replace("::", "/")).with_extension("rb");
        self.vm.world().exists(&file).then(|| file.display().to_string())
    }

    fn call(
        &mut self,
        session: &mut Session,
        name: &str,
        mut arguments: Vec<Value>,
        context: Option<&Context>,
    ) -> Result<Option<Value>, Error> {
        arguments.extend(context.map(|context| context::value(context.clone())));
        match self.lending(session, |vm| vm.call(name, arguments, None)) {
            Ok(value) => Ok(Some(value)),
            Err(raise) if context::is_not_found(&raise) => Ok(None),
            Err(raise) => Err(thrown(raise)),
        }
    }

    fn ask_backend(
        &mut self,
        session: &mut Session,
        question: &BackendQuestion<'_>,
    ) -> Result<Result<Option<Value>, String>, Error> {
        let BackendQuestion { name, config, key, overrides, merge } = *question;
        let asked = foreign::BackendQuestion { name, config, key, overrides, merge };
        let Some(extensions) = self.vm.environment().extensions.clone() else {
            return Ok(Err(format!("Unable to load backend '{name}': it is written in Ruby")));
        };
        match self.lending(session, |vm| extensions.ask_backend(vm, &asked)).map_err(thrown)? {
            BackendAnswer::Found(value) => Ok(Ok(Some(value))),
            BackendAnswer::Nothing => Ok(Ok(None)),
            BackendAnswer::Unusable(why) => Ok(Err(why)),
        }
    }

    fn convert(
        &mut self,
        session: &mut Session,
        type_name: &Value,
        value: Value,
        arguments: &[Value],
    ) -> Result<Value, Conversion> {
        let ty = match type_name {
            Value::String(text) => self.vm.parse_type(text).map_err(|raise| match raise.diagnostic() {
                Some(failure) if failure.is(&UNKNOWN_RESOURCE_TYPE) => {
                    Conversion::Failed(Box::new(diagnostic!(INSTANCE_OF_NOTHING { name: text })))
                }
                _ => Conversion::BadType(detached(raise)),
            })?,
            Value::Type(ty) => Type::clone(ty),
            other => {
                let text = kukla_values::format::interpolate(other);
                let wrong = diagnostic!(CONVERT_TO_NO_NAME { value: text });
                return Err(Conversion::BadType(Box::new(wrong)));
            }
        };
        let mut all = vec![Value::of_type(ty), value];
        all.extend_from_slice(arguments);
        self.lending(session, |vm| vm.call("new", all, None))
            .map_err(|raise| Conversion::Failed(detached(raise)))
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
