//! What exceptions can do.

use std::rc::Rc;

use super::{Details, set_detail};
use crate::args::Args;
use crate::backtrace::Place;
use crate::class::{ANY, ClassId, Native, method, private};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::Text;
use crate::value::{Object, Value};

/// Methods of `Exception`.
pub const METHODS: &[Native] = &[
    private("initialize", 0, ANY, |_, this, args| {
        set_detail(this, |details| details.message = args[0].clone());
        Ok(Value::Nil)
    }),
    method("message", 0, 0, |ruby, this, _| {
        let text = ruby.display(this)?;
        Ok(Value::str(text))
    }),
    method("to_s", 0, 0, |ruby, this, _| {
        let message = detail(this, |details| details.message.clone());
        match message {
            Value::Nil => Ok(Value::str(ruby.class_name_of(this))),
            Value::String(_) => Ok(message),
            other => {
                let text = ruby.display(&other)?;
                Ok(Value::str(text))
            }
        }
    }),
    method("detailed_message", 0, 1, |ruby, this, _| Ok(Value::str(detailed(ruby, this)?))),
    method("full_message", 0, 1, |ruby, this, args| {
        let (_, keywords) = args.split();
        let highlight = keywords.and_then(|keywords| ruby.keyword(keywords, "highlight"));
        let _ = highlight;
        let order = keywords.and_then(|keywords| ruby.keyword(keywords, "order"));
        let bottom = match order {
            Some(Value::Symbol(order)) => ruby.name(order) == "bottom",
            _ => false,
        };
        Ok(Value::str(full_message(ruby, this, bottom)?))
    }),
    method("inspect", 0, 0, |ruby, this, _| {
        let text = ruby.display(this)?;
        let class = ruby.class_name_of(this);
        if text.is_empty() {
            return Ok(Value::str(class));
        }
        Ok(Value::str(format!("#<{class}: {}>", text.to_str_lossy())))
    }),
    method("exception", 0, 1, |ruby, this, args| {
        if args.is_empty() || args[0].is_same(this) {
            return Ok(this.clone());
        }
        let copy = ruby.send(this, sym::CLONE, &[])?;
        set_detail(&copy, |details| details.message = args[0].clone());
        Ok(copy)
    }),
    method("backtrace", 0, 0, |_, this, _| Ok(backtrace(this))),
    method("backtrace_locations", 0, 0, |ruby, this, _| {
        let places =
            with(this, |details| details.backtrace.is_nil().then(|| details.places.clone()).flatten());
        Ok(places.flatten().map_or(Value::Nil, |places| locations(ruby, &places)))
    }),
    method("set_backtrace", 1, 1, |ruby, this, args| {
        let good = match &args[0] {
            Value::Nil | Value::String(_) => true,
            Value::Array(items) => items.items().iter().all(|item| matches!(item, Value::String(_))),
            _ => false,
        };
        if !good {
            return Err(ruby.type_error("backtrace must be Array of String"));
        }
        let value = match &args[0] {
            Value::String(_) => Value::array(args.list),
            value => value.clone(),
        };
        set_detail(this, |details| {
            details.backtrace = value.clone();
            if value.is_nil() {
                details.places = None;
            }
        });
        Ok(value)
    }),
    method("cause", 0, 0, |_, this, _| Ok(cause(this))),
    method("==", 1, 1, |ruby, this, args| {
        let other = &args[0];
        if this.is_same(other) {
            return Ok(Value::Bool(true));
        }
        if ruby.real_class_of(this) != ruby.real_class_of(other) {
            return Ok(Value::Bool(false));
        }
        let (a, b) = (ruby.send(this, sym::MESSAGE, &[])?, ruby.send(other, sym::MESSAGE, &[])?);
        if !ruby.eq(&a, &b)? {
            return Ok(Value::Bool(false));
        }
        let (a, b) = (ruby.send(this, sym::BACKTRACE, &[])?, ruby.send(other, sym::BACKTRACE, &[])?);
        Ok(Value::Bool(ruby.eq(&a, &b)?))
    }),
];

/// Methods of `Exception` itself.
pub const SINGLETON: &[Native] = &[
    method("allocate", 0, 0, |_, this, _| {
        Ok(Value::Object(Object::with(crate::core::module::this_class(this), Details::default())))
    }),
    method("exception", 0, ANY, |ruby, this, args| ruby.call(this, sym::NEW, args)),
    method("to_tty?", 0, 0, |_, _, _| Ok(Value::Bool(false))),
];

/// Methods of `NameError`, `KeyError` and others that are about a name and an object.
pub const NAME: &[Native] = &[
    private("initialize", 0, ANY, initialize_name),
    method("name", 0, 0, |_, this, _| Ok(detail(this, |details| details.name.clone()))),
    method("receiver", 0, 0, receiver),
    method("local_variables", 0, 0, |_, _, _| Ok(Value::array(Vec::new()))),
];

/// Methods of `NoMethodError`.
pub const NO_METHOD: &[Native] = &[
    private("initialize", 0, ANY, |ruby, this, args| {
        let (list, _) = args.split();
        if let Some(given) = list.get(2) {
            set_detail(this, |details| details.args = given.clone());
        }
        initialize_name(ruby, this, args)
    }),
    method("args", 0, 0, |_, this, _| Ok(detail(this, |details| details.args.clone()))),
    method("private_call?", 0, 0, |_, _, _| Ok(Value::Bool(false))),
];

/// Methods of `KeyError` and `NoMatchingPatternKeyError`.
pub const KEY: &[Native] = &[
    private("initialize", 0, 2, initialize_name),
    method("key", 0, 0, |ruby, this, _| {
        if with(this, |details| details.receiver.is_none()).unwrap_or(true)
            && detail(this, |d| d.name.clone()).is_nil()
        {
            return Err(ruby.argument_error("no key is available"));
        }
        Ok(detail(this, |details| details.name.clone()))
    }),
    method("receiver", 0, 0, receiver),
];

/// Methods of `FrozenError`.
pub const FROZEN: &[Native] =
    &[private("initialize", 0, 2, initialize_name), method("receiver", 0, 0, receiver)];

/// Methods of `StopIteration`.
pub const STOP: &[Native] =
    &[method("result", 0, 0, |_, this, _| Ok(detail(this, |details| details.name.clone())))];

/// Methods of `LocalJumpError`.
pub const JUMP: &[Native] = &[
    method("reason", 0, 0, |_, this, _| Ok(detail(this, |details| details.name.clone()))),
    method("exit_value", 0, 0, |_, this, _| {
        Ok(with(this, |details| details.receiver.clone()).flatten().unwrap_or_default())
    }),
];

/// Methods of `UncaughtThrowError`.
pub const THROW: &[Native] = &[
    method("tag", 0, 0, |_, this, _| Ok(detail(this, |details| details.name.clone()))),
    method("value", 0, 0, |_, this, _| {
        Ok(with(this, |details| details.receiver.clone()).flatten().unwrap_or_default())
    }),
];

/// Methods of `SystemExit`.
pub const EXIT: &[Native] = &[
    private("initialize", 0, 2, |_, this, args| {
        let (status, message) = match args.list {
            [Value::Bool(truth), rest @ ..] => (i64::from(!*truth), rest.first()),
            [Value::Int(status), rest @ ..] => (*status, rest.first()),
            rest => (0, rest.first()),
        };
        let message = message.cloned().unwrap_or_else(|| Value::str("exit"));
        set_detail(this, |details| {
            details.name = Value::Int(status);
            details.message = message;
        });
        Ok(Value::Nil)
    }),
    method("status", 0, 0, |_, this, _| Ok(detail(this, |details| details.name.clone()))),
    method("success?", 0, 0, |_, this, _| {
        Ok(Value::Bool(matches!(detail(this, |details| details.name.clone()), Value::Int(0))))
    }),
];

/// Methods of `LoadError`.
pub const LOAD: &[Native] = &[method("path", 0, 0, |ruby, this, _| {
    let name = ruby.symbols.intern("@path");
    Ok(ruby.instance_variable(this, name))
})];

/// Methods of `SystemCallError`.
pub const SYSTEM_CALL: &[Native] = &[
    private("initialize", 0, 3, |ruby, this, args| {
        let class = ruby.real_class_of(this);
        let number = ruby.symbols.intern("Errno");
        let own = ruby.class(class).constants.get(&number).map(|constant| constant.value.clone());
        let (given, code) = match (&own, args.list) {
            (None, [Value::Int(code)]) => (None, Value::Int(*code)),
            (None, [message, code, ..]) => (Some(message.clone()), code.clone()),
            (own, list) => (list.first().cloned(), own.clone().unwrap_or_default()),
        };
        let words = crate::effects::ERRORS
            .iter()
            .find(|(_, number, _)| matches!(code, Value::Int(code) if code == *number));
        let words = words.map_or_else(
            || match &code {
                Value::Int(code) => format!("Unknown error {code}"),
                _ => "unknown error".to_owned(),
            },
            |(_, _, words)| (*words).to_owned(),
        );
        let message = match given {
            Some(Value::Nil) | None => words,
            Some(message) => {
                let text = ruby.to_text(&message)?;
                format!("{words} - {}", text.to_str_lossy())
            }
        };
        set_detail(this, |details| {
            details.message = Value::str(message);
            details.name = code;
        });
        Ok(Value::Nil)
    }),
    method("errno", 0, 0, |ruby, this, _| {
        let class = ruby.real_class_of(this);
        let number = ruby.symbols.intern("Errno");
        let own = ruby.class(class).constants.get(&number).map(|constant| constant.value.clone());
        Ok(own.unwrap_or_else(|| detail(this, |details| details.name.clone())))
    }),
];

fn initialize_name(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (list, keywords) = args.split();
    let mut name = list.get(1).cloned();
    let mut about = None;
    if let Some(keywords) = keywords {
        about = ruby.keyword(keywords, "receiver");
        name = name.or_else(|| ruby.keyword(keywords, "key"));
    }
    let message = list.first().cloned().unwrap_or_default();
    set_detail(this, |details| {
        details.message = message;
        details.name = name.unwrap_or_default();
        details.receiver = about;
    });
    Ok(Value::Nil)
}

fn receiver(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    match with(this, |details| details.receiver.clone()).flatten() {
        Some(receiver) => Ok(receiver),
        None => Err(ruby.argument_error("no receiver is available")),
    }
}

fn with<T>(this: &Value, look: impl FnOnce(&Details) -> T) -> Option<T> {
    match this {
        Value::Object(object) => object.payload::<Details>().map(|details| look(&details)),
        _ => None,
    }
}

fn detail(this: &Value, look: impl FnOnce(&Details) -> Value) -> Value {
    with(this, look).unwrap_or_default()
}

/// The exception that was being handled when this one was raised.
pub(crate) fn cause(this: &Value) -> Value {
    detail(this, |details| details.cause.clone())
}

/// Where an exception was raised: an array of text, or `nil`.
pub(crate) fn backtrace(this: &Value) -> Value {
    let (said, places) =
        with(this, |details| (details.backtrace.clone(), details.places.clone())).unwrap_or_default();
    match (said, places) {
        (Value::Nil, Some(places)) => {
            let lines =
                Value::array(places.iter().map(|place| Value::str(place.to_string())).collect::<Vec<_>>());
            set_detail(this, |details| details.backtrace = lines.clone());
            lines
        }
        (said, _) => said,
    }
}

/// `Thread::Backtrace::Location`s.
pub(crate) fn locations(ruby: &mut Ruby<'_>, places: &[Place]) -> Value {
    let class = crate::core::thread::location_class(ruby);
    let list = places.iter().map(|place| Value::Object(Object::with(class, Rc::new(place.clone()))));
    Value::array(list.collect::<Vec<_>>())
}

/// The message with the class: `message (Class)`.
pub(crate) fn detailed(ruby: &mut Ruby<'_>, this: &Value) -> Result<Text> {
    let message = ruby.send(this, sym::MESSAGE, &[])?;
    let message = ruby.display(&message)?;
    let class = ruby.class_name_of(this);
    if message.is_empty() {
        return Ok(class.into());
    }
    let text = message.to_str_lossy();
    Ok(match text.split_once('\n') {
        Some((first, rest)) => format!("{first} ({class})\n{rest}"),
        None => format!("{text} ({class})"),
    }
    .into())
}

/// What is printed about an exception that nobody handles.
pub(crate) fn full_message(ruby: &mut Ruby<'_>, this: &Value, bottom: bool) -> Result<Text> {
    let backtrace = ruby.send(this, sym::BACKTRACE, &[])?;
    let lines: Vec<String> = match &backtrace {
        Value::Array(items) => {
            let items = items.to_vec();
            let mut lines = Vec::new();
            for item in &items {
                lines.push(ruby.display(item)?.to_str_lossy().into_owned());
            }
            lines
        }
        _ => Vec::new(),
    };
    let shown = detailed(ruby, this)?.to_str_lossy().into_owned();
    let mut out = String::new();
    if bottom {
        out.push_str("Traceback (most recent call last):\n");
        for (at, line) in lines.iter().enumerate().skip(1).rev() {
            out.push_str(&format!("\t{at}: from {line}\n"));
        }
    }
    match lines.first() {
        Some(first) => out.push_str(&format!("{first}: {shown}")),
        None => {
            let script = ruby.current_file();
            out.push_str(&format!("{}: {shown}", if script.is_empty() { "-e" } else { &script }));
        }
    }
    if !bottom {
        for line in lines.iter().skip(1) {
            out.push_str(&format!("\n\tfrom {line}"));
        }
        if lines.len() > 1 {
            out.push('\n');
        }
    }
    Ok(out.into())
}

impl Ruby<'_> {
    /// What is printed about an exception that nobody handles.
    pub fn report(&mut self, exception: &Value) -> String {
        match full_message(self, exception, false) {
            Ok(text) => text.to_str_lossy().into_owned(),
            Err(_) => self.class_name_of(exception),
        }
    }

    /// The status with which a program ends that raised this: that of `exit`, or `None`.
    pub fn exit_status(&mut self, exception: &Value) -> Option<i64> {
        if !self.is_a(exception, ClassId::SYSTEM_EXIT) {
            return None;
        }
        match detail(exception, |details| details.name.clone()) {
            Value::Int(status) => Some(status),
            _ => Some(0),
        }
    }
}
