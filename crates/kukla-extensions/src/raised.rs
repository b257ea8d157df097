//! Errors on their way between Puppet and Ruby: an error of Puppet's is an exception in Ruby, and comes out as it went in if nothing
//! rescues it.

use kukla_eval::Raise;
use kukla_eval::error::Raised;
use kukla_ruby::class::ClassId;
use kukla_ruby::core::exception;
use kukla_ruby::value::Object;
use kukla_ruby::{Ruby, Unwind, Value};
use kukla_syntax::{ForeignException, Stage, diagnostic};
use kukla_values::{Error, Value as PuppetValue};

use crate::codes::RUBY_RAISED;
use crate::puppet::Interrupt;
use crate::{external, values};

/// How many causes of an exception are looked at.
const CAUSES: usize = 10;

/// An error of Puppet's within an exception.
struct Original(Error);

/// The exception that Ruby code has raised last on its way out to Puppet: Ruby code that called it gets the same one.
#[derive(Default)]
struct LastRaised(Option<(String, Value)>);

/// A jump of Puppet's that goes through Ruby code.
enum Jump {
    Next(PuppetValue),
    Break,
    Return(PuppetValue),
    NotFound,
}

/// The interrupt of a call into Puppet, as Ruby sees it.
pub fn to_ruby(ruby: &mut Ruby<'_>, interrupt: Interrupt) -> Box<Unwind> {
    let jump = match interrupt {
        Interrupt::Error(error) => return Box::new(Unwind::Raise(exception_of(ruby, error))),
        Interrupt::Next(value) => Jump::Next(value),
        Interrupt::Break => Jump::Break,
        Interrupt::Return(value) => Jump::Return(value),
        Interrupt::NotFound => Jump::NotFound,
    };
    Box::new(Unwind::Throw(Value::Object(Object::with(ClassId::OBJECT, jump)), Value::Nil))
}

fn exception_of(ruby: &mut Ruby<'_>, error: Error) -> Value {
    if *error.code == RUBY_RAISED
        && let Some((message, exception)) = ruby.part::<LastRaised>().0.take()
        && error.message() == message
    {
        return exception;
    }
    let is_about_arguments = *error.code == kukla_eval::codes::WRONG_ARGUMENTS;
    let message = error.placed_message();
    let class = match is_about_arguments {
        true => ClassId::ARGUMENT_ERROR,
        false => ruby.class_named("Puppet::ParseError").unwrap_or(ClassId::RUNTIME_ERROR),
    };
    let exception = exception::make(ruby, class, Value::str(message));
    let original = Value::Object(Object::with(ClassId::OBJECT, Original(error)));
    let name = ruby.symbols.intern("@__original__");
    if let Some(head) = exception.head() {
        head.set_variable(name, original);
    }
    exception
}

/// The exception or jump that Ruby code ended with, as Puppet sees it.
pub fn to_puppet(ruby: &mut Ruby<'_>, unwind: Unwind) -> Raise {
    match unwind {
        Unwind::Stop(error) => error.into(),
        Unwind::Raise(exception) => from_exception(ruby, &exception),
        Unwind::Throw(tag, _) => match jump(&tag) {
            Some(reason) => reason.into(),
            None => {
                let shown =
                    ruby.inspect(&tag).map(|text| text.to_str_lossy().into_owned()).unwrap_or_default();
                diagnostic!(RUBY_RAISED { message: format!("uncaught throw {shown}") }).into()
            }
        },
        Unwind::Next(value) | Unwind::Break(_, value) | Unwind::Return(_, value) => {
            match values::to_puppet(ruby, &value) {
                Ok(value) => Raise::give(value, None),
                Err(unwind) => to_puppet(ruby, *unwind),
            }
        }
        Unwind::Redo | Unwind::Retry => diagnostic!(RUBY_RAISED { message: "unexpected jump" }).into(),
    }
}

fn jump(tag: &Value) -> Option<Raised> {
    let Value::Object(object) = tag else { return None };
    let jump = object.payload::<Jump>()?;
    Some(match &*jump {
        Jump::Next(value) => Raised::Next(value.clone(), None),
        Jump::Break => Raised::Break(None),
        Jump::Return(value) => Raised::Return(value.clone(), None),
        Jump::NotFound => Raised::NotFound,
    })
}

/// The error of Puppet's that an exception represents.
fn original(ruby: &mut Ruby<'_>, exception: &Value) -> Option<Error> {
    let name = ruby.symbols.existing("@__original__")?;
    let Some(Value::Object(object)) = exception.head()?.variable(name) else { return None };
    let original = object.payload::<Original>()?;
    Some(original.0.clone())
}

fn from_exception(ruby: &mut Ruby<'_>, exception: &Value) -> Raise {
    if let Some(error) = original(ruby, exception) {
        external::note_failure(ruby, None);
        return error.into();
    }
    let missing = missing(ruby, exception);
    external::note_failure(ruby, missing);
    let (message, class) = (message_of(ruby, exception), ruby.class_name_of(exception));
    ruby.part::<LastRaised>().0 = Some((message.clone(), exception.clone()));
    let is_puppet_error = match ruby.class_named("Puppet::Error") {
        Ok(puppet_error) => ruby.is_a(exception, puppet_error),
        Err(_) => false,
    };
    let wrong = diagnostic!(RUBY_RAISED { message: message, exception: class.as_str() });
    let wrong = match ruby.is_a(exception, ClassId::STANDARD_ERROR) {
        true if is_puppet_error => wrong,
        true => wrong.in_stage(Stage::Foreign(ForeignException::Standard)),
        false => wrong.in_stage(Stage::Foreign(ForeignException::Fatal)),
    };
    let wrong = match place_of(ruby, exception) {
        Some((file, line)) => wrong.hint(format!("raised at {file}:{line}")),
        None => wrong,
    };
    match class.as_str() {
        "LoadError" | "NotImplementedError" => wrong
            .hint("`--overrides DIR` can hold a replacement, `--ruby PATH` names a Ruby that may have it")
            .into(),
        _ => wrong.into(),
    }
}

/// The library, class or method that another Ruby may have and ours does not, if that is why an exception was raised.
fn missing(ruby: &mut Ruby<'_>, exception: &Value) -> Option<String> {
    let mut exception = exception.clone();
    // Who loads a function wraps what goes wrong.
    for _ in 0..CAUSES {
        let message = message_of(ruby, &exception);
        let is_missing = match ruby.class_name_of(&exception).as_str() {
            "LoadError" | "NotImplementedError" => true,
            // The name of a constant begins with a capital letter.
            "NameError" => name_of(ruby, &exception).is_some_and(|name| name.starts_with(char::is_uppercase)),
            "NoMethodError" => name_of(ruby, &exception)
                .is_some_and(|name| !name.starts_with("function_") && !ruby.has_method(&name)),
            _ => false,
        };
        if is_missing {
            return Some(message);
        }
        let cause = ruby.symbols.intern("cause");
        exception = ruby.send(&exception, cause, &[]).ok().filter(|cause| !cause.is_nil())?;
    }
    None
}

/// The constant, variable or method that a `NameError` is about.
fn name_of(ruby: &mut Ruby<'_>, exception: &Value) -> Option<String> {
    let name = ruby.symbols.intern("name");
    match ruby.send(exception, name, &[]) {
        Ok(Value::Symbol(name)) => Some(ruby.name(name).to_owned()),
        _ => None,
    }
}

/// The message of an exception.
pub fn message_of(ruby: &mut Ruby<'_>, exception: &Value) -> String {
    match ruby.send(exception, kukla_ruby::symbol::sym::MESSAGE, &[]) {
        Ok(Value::String(text)) => text.text().to_str_lossy().into_owned(),
        Ok(other) => ruby.display(&other).map(|text| text.to_str_lossy().into_owned()).unwrap_or_default(),
        Err(_) => ruby.class_name_of(exception),
    }
}

/// The file and line where an exception was raised.
pub fn place_of(ruby: &mut Ruby<'_>, exception: &Value) -> Option<(String, u32)> {
    let backtrace = ruby.send(exception, kukla_ruby::symbol::sym::BACKTRACE, &[]).ok()?;
    let Value::Array(lines) = backtrace else { return None };
    let Value::String(first) = lines.get(0)? else { return None };
    let first = first.text().to_str_lossy().into_owned();
    let mut parts = first.splitn(3, ':');
    let (file, line) = (parts.next()?.to_owned(), parts.next()?.parse().ok()?);
    Some((file, line))
}
