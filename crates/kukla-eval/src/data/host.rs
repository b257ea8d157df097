//! The compilation as lookups see it: variables, functions, modules, warnings.

use kukla_hiera::backend::Context;
use kukla_hiera::codes::{CONVERT_TO_NO_NAME, INSTANCE_OF_NOTHING};
use kukla_hiera::{
    BackendAnswer, BackendQuestion, Conversion, Error, ErrorKind, Host, Session, Variable, Watch,
};
use kukla_syntax::{ForeignException, Frame, Label, diagnostic};
use kukla_values::codes::UNKNOWN_RESOURCE_TYPE;
use kukla_values::{Budget, Name, Type, Value};
use kukla_world::World;

use super::context;
use crate::codes::{BACKEND_FAILED, WRONG_ARGUMENTS};
use crate::error::{Diagnostic, Raise, Raised, Stage};
use crate::vm::Vm;

/// An error in a function that serves as a backend, as an error of the lookup. It becomes an error of the data, unless it is an
/// exception of another language.
fn backend_error(raise: Raise) -> Error {
    let cause = detached(raise);
    let (issue, stage, is_bare) = (cause.issue, cause.stage, cause.frame == Frame::Bare);
    let kind = match stage {
        Stage::Data => ErrorKind::Data,
        Stage::Foreign(_) if is_bare => ErrorKind::Caller,
        _ if is_bare && cause.is(&WRONG_ARGUMENTS) => ErrorKind::Caller,
        _ => ErrorKind::Plain,
    };
    let mut wrong = diagnostic!(BACKEND_FAILED).because(cause).reported_as(issue);
    if stage == Stage::Foreign(ForeignException::Fatal) {
        wrong.stage = stage;
    }
    Error::new(kind, wrong)
}

/// An error in code that runs for a lookup, without its position: Puppet reports errors of data without one, so it becomes a label.
fn detached(raise: Raise) -> Box<Diagnostic> {
    let mut wrong = raise.into_diagnostic();
    if let Some(position) = wrong.position.take() {
        wrong.labels.push(Label { position, message: "here".to_owned() });
    }
    wrong
}

/// A compilation as the host of lookups.
pub(super) struct VmHost<'v, 'e> {
    pub vm: &'v mut Vm<'e>,
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
            Err(reason) => {
                Variable::Undefined { name: name.to_owned(), reason: reason.reason().unwrap_or_default() }
            }
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
        match self.vm.lending_data(session, |vm| vm.call(name, arguments, None)) {
            Ok(value) => Ok(Some(value)),
            Err(raise) if matches!(raise.reason(), Raised::NotFound) => Ok(None),
            Err(raise) => Err(backend_error(raise)),
        }
    }

    fn ask_backend(
        &mut self,
        session: &mut Session,
        question: &BackendQuestion<'_>,
    ) -> Result<BackendAnswer, Error> {
        let Some(extensions) = self.vm.environment().extensions.clone() else {
            return Ok(BackendAnswer::without_ruby(question.name));
        };
        self.vm.lending_data(session, |vm| extensions.ask_backend(vm, question)).map_err(backend_error)
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
        self.vm
            .lending_data(session, |vm| vm.call("new", all, None))
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
