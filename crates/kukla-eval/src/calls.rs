//! Calls: finding the function, evaluating the arguments, and what `return` and `next` do on the way out.

use std::sync::Arc;

use kukla_syntax::{Span, diagnostic};
use kukla_values::{Name, Str, Value};

use crate::codes::{RUBY_FUNCTION, UNKNOWN_CALLED_FUNCTION, UNKNOWN_FUNCTION};
use crate::error::{Diagnostic, Flow, Raise, Raised};
use crate::function::Args;
use crate::lambda::{Block, next_is_value};
use crate::native::NativeObject;
use crate::profile::SpotKind;
use crate::program::{Call, CallForm, Callee, CalleeName, Kind, PuppetFunction};
use crate::registry::{Function, Registered};
use crate::scope::{Position, ScopeId};
use crate::standpoint::Visibility;
use crate::unit::{Defined, Unit};
use crate::vm::Vm;
use kukla_syntax::validate::codes::ILLEGAL_EXPRESSION;

/// How long a text is that matters if it is counted twice.
const LONG: usize = 1024;

/// Where the long texts among some values are.
#[cold]
fn long_texts(values: &[Value]) -> Vec<*const u8> {
    let long = |value: &Value| match value {
        Value::String(text) if text.len() >= LONG => Some(text.as_ptr()),
        _ => None,
    };
    values.iter().filter_map(long).collect()
}

impl Vm<'_> {
    pub(crate) fn eval_call(&mut self, call: &Call, span: Span) -> Flow {
        match &call.callee {
            Callee::Function(name) => {
                let args = self.eval_args(None, call)?;
                if let (CallForm::Method, Some(receiver @ (Value::Object(_) | Value::Uri(_)))) =
                    (call.form, args.first())
                    && let Some(value) = self.member(receiver, name.name.as_str())?
                {
                    return Ok(value);
                }
                if let (CallForm::Method, Some(native)) = (call.form, args.first().and_then(NativeObject::of))
                {
                    let block = call.lambda.as_ref().map(|lambda| self.block(lambda)).transpose()?;
                    return self.call_native(&*native, name.name, &args[1..], block.as_ref());
                }
                let function = self.callee(name, span)?;
                if self.recorder.is_some() {
                    self.record_lambda(call);
                }
                let block = call.lambda.as_ref().map(|lambda| self.block(lambda)).transpose()?;
                self.call_from(span);
                self.invoke(&function, args, block)
            }
            Callee::Type(ty) => {
                let ty = self.eval(ty)?;
                let args = self.eval_args(Some(ty), call)?;
                let block = call.lambda.as_ref().map(|lambda| self.block(lambda)).transpose()?;
                self.call_from(span);
                self.call("new", args, block)
            }
            Callee::Illegal(at, what) => {
                let wrong = diagnostic!(ILLEGAL_EXPRESSION {
                    construct: crate::label::a_an_upper(what),
                    feature: "function name",
                    container: crate::label::a_an("Function Call"),
                });
                Err(self.fail(*at, wrong))
            }
        }
    }

    fn eval_args(&mut self, first: Option<Value>, call: &Call) -> Flow<Vec<Value>> {
        let mut args = Vec::with_capacity(call.args.len() + usize::from(first.is_some()));
        args.extend(first);
        for arg in &call.args {
            match &arg.unwrapped().kind {
                Kind::Unfold(operand) => {
                    let value = self.eval(operand)?;
                    args.extend(self.unfolded(value)?);
                }
                _ => args.push(self.eval(arg)?),
            }
        }
        Ok(args)
    }

    /// The function a call names, found once per place.
    fn callee(&mut self, callee: &CalleeName, span: Span) -> Flow<Function> {
        if let Some(known) = self.unit().function(callee.slot) {
            if let Function::Puppet(function) = &known {
                self.remark(&function.unit.remarks);
            }
            return Ok(known);
        }
        match self.autoload_function(callee.name, self.unit().module)? {
            Some(function) => {
                self.unit().set_function(callee.slot, &function);
                Ok(function)
            }
            None => match self.function_made(callee.name.as_str())? {
                Some(function) => Ok(function),
                None => Err(self.at(self.unknown_function(callee.name.as_str()), span)),
            },
        }
    }

    /// A function that only this compilation knows: no place keeps it.
    #[cold]
    fn function_made(&mut self, name: &str) -> Flow<Option<Function>> {
        let Some(extensions) = self.environment().extensions.clone() else { return Ok(None) };
        Ok(extensions.function_made(self, name)?.map(Function::Foreign))
    }

    #[cold]
    fn unknown_function(&self, name: &str) -> Diagnostic {
        if let Some(path) = self.environment().ruby_function(None, name) {
            return diagnostic!(RUBY_FUNCTION { name, file: path.display() });
        }
        let failure = diagnostic!(UNKNOWN_FUNCTION { name });
        match self.environment().near_function(name) {
            Some(near) => failure.hint(format!("there is a function '{near}'")),
            None => failure,
        }
    }

    /// Calls a function by name, as functions do with each other.
    pub fn call(&mut self, name: &str, args: Vec<Value>, block: Option<Block>) -> Flow {
        let unknown = || Raise::from(diagnostic!(UNKNOWN_CALLED_FUNCTION { name }));
        let bare = name.strip_prefix("::").unwrap_or(name);
        let found = match self.autoload_computed_function(bare)? {
            Some(found) => Some(found),
            None => self.function_made(bare)?,
        };
        let function = found.ok_or_else(|| match self.environment().ruby_function(None, bare) {
            Some(_) => self.unknown_function(bare).into(),
            None => unknown(),
        })?;
        self.invoke(&function, args, block)
    }

    /// Whether there is a function of that name.
    pub fn function_exists(&mut self, name: &str) -> Flow<bool> {
        Ok(self.autoload_computed_function(name)?.is_some())
    }

    /// Whether the function of that name is built in.
    pub fn has_native_function(&mut self, name: &str) -> bool {
        matches!(self.autoload_computed_function(name), Ok(Some(Function::Builtin(_))))
    }

    /// The type that a function written in Puppet says it returns.
    pub fn return_type(&mut self, name: &str) -> Option<kukla_values::Type> {
        let function = self.environment().puppet_function(Name::existing(name)?)?;
        function.lambda.returns.as_ref()?;
        self.function_signature(&function).ok()?.returns.clone()
    }

    fn invoke(&mut self, function: &Function, args: Vec<Value>, block: Option<Block>) -> Flow {
        if self.profile.is_none() {
            return self.invoke_now(function, args, block);
        }
        let (kind, name) = spot(function, &args);
        self.profiled(kind, || name, |vm| vm.invoke_now(function, args, block))
    }

    fn invoke_now(&mut self, function: &Function, args: Vec<Value>, block: Option<Block>) -> Flow {
        match function {
            Function::Builtin(builtin) => self.call_builtin(builtin, args, block),
            Function::Puppet(function) => self.call_puppet(function, args, block),
            Function::Foreign(function) => function.call(self, args, block),
        }
    }

    fn call_builtin(&mut self, builtin: &'static Registered, args: Vec<Value>, block: Option<Block>) -> Flow {
        let (overload, signature) = self.select(builtin, &args, block.as_ref())?;
        let body = builtin.builtin.overloads[overload].body;
        let in_frame = block.is_some() || builtin.runs_code;
        let texts = self.budget().charge_call(&args)?;
        let long = if texts < LONG { Vec::new() } else { long_texts(&args) };
        let given = cfg!(debug_assertions).then(|| (args.clone(), block.clone()));
        let args = Args::new(args, block, &signature.parameters);
        let value = if in_frame { self.in_call(None, |vm| body(vm, args))? } else { body(self, args)? };
        if let Some((args, block)) = given {
            builtin.confirm(&args, block.as_ref(), &value)?;
        }
        match &value {
            // What a function gives back as it was given has been counted.
            Value::String(text) if long.contains(&text.as_ptr()) => Ok(value),
            _ => self.made(value),
        }
    }

    /// Calls a function written in Puppet: it sees the top scope and its own variables.
    fn call_puppet(
        &mut self,
        function: &Defined<PuppetFunction>,
        args: Vec<Value>,
        block: Option<Block>,
    ) -> Flow {
        self.charge(1)?;
        let lambda = &function.lambda;
        let name = function.name.as_str();
        let signature = self.function_signature(function)?;
        self.check_call(name, function, &signature, &args, block.as_ref())?;
        let run = |vm: &mut Self| {
            // The arguments have been checked; only defaults would have to be checked as well.
            match lambda.positional {
                true => {
                    let frame = vm.position();
                    for (param, value) in lambda.params.iter().zip(args) {
                        vm.scopes.give(frame, param.name, value);
                    }
                }
                false => vm.bind_parameters(name, lambda, &signature, args)?,
            }
            vm.eval(&lambda.body)
        };
        let result = self.in_call(Some(function.name), |vm| {
            vm.enter(|vm| vm.with_variables(&function.unit, Visibility::Top, run))
        });
        let value = match next_is_value(result) {
            // What `return` gives is not checked against the return type.
            Err(raise) if matches!(raise.reason(), Raised::Return(..)) => match raise.into_reason() {
                Raised::Return(value, _) => return Ok(value),
                other => return Err(other.into()),
            },
            other => other?,
        };
        match &signature.returns {
            None => Ok(value),
            Some(_) => self.check_return(name, &signature, value),
        }
    }

    /// Evaluates the main block of a program in the top scope.
    pub fn run_main(&mut self, unit: &Arc<Unit>) -> Flow {
        let top = Position::named(ScopeId::TOP);
        self.enter(|vm| vm.inside(unit, top, |vm| vm.eval(&unit.program.main)))
    }
}

/// The kind and name of a call in a profile: templates under their own names.
fn spot(function: &Function, args: &[Value]) -> (SpotKind, Str) {
    match function {
        Function::Builtin(builtin) => {
            let name = builtin.builtin.name;
            let template = match name {
                "epp" | "template" => args.first().and_then(Value::as_str),
                _ => None,
            };
            match template {
                Some(template) => (SpotKind::Template, template.into()),
                None => (SpotKind::Function, name.into()),
            }
        }
        Function::Puppet(function) => (SpotKind::Function, function.name.as_str().into()),
        Function::Foreign(function) => (SpotKind::Ruby, function.name().into()),
    }
}
