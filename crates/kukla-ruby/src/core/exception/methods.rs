//! Methods of exceptions.

use std::rc::Rc;

use super::{Details, set_detail};
use crate::args::Args;
use crate::backtrace::BacktraceLine;
use crate::class::{ANY, ClassId, Native, method, private, quick};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{Object, Value};

/// Methods of `Exception`.
pub const METHODS: &[Native] = &[
    private("initialize", 0, ANY, |_, this, args| {
        set_detail(this, |details| details.message = args[0].clone());
        Ok(Value::Nil)
    }),
    quick("message", 0, 0, |ruby, this, _| {
        let text = ruby.display(this)?;
        Ok(Value::str(text))
    }),
    quick("to_s", 0, 0, |ruby, this, _| {
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
    method("detailed_message", 0, 1, |ruby, this, args| {
        let highlight = highlight(ruby, args)?;
        let message = ruby.send(this, sym::MESSAGE, &[])?;
        let text = ruby.display(&message)?;
        Ok(Value::str(detailed(ruby, this, &text.to_str_lossy(), highlight)))
    }),
    method("full_message", 0, 1, full_message),
    method("inspect", 0, 0, |ruby, this, _| {
        let text = ruby.display(this)?;
        let class = ruby.class_name_of(this);
        if text.is_empty() {
            return Ok(Value::str(class));
        }
        Ok(Value::str(format!("#<{class}: {}>", text.to_str_lossy())))
    }),
    quick("exception", 0, 1, |ruby, this, args| {
        if args.is_empty() || args[0].is_same(this) {
            return Ok(this.clone());
        }
        let copy = ruby.send(this, sym::CLONE, &[])?;
        set_detail(&copy, |details| details.message = args[0].clone());
        Ok(copy)
    }),
    quick("backtrace", 0, 0, |_, this, _| Ok(backtrace(this))),
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
    quick("cause", 0, 0, |_, this, _| Ok(cause(this))),
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
    quick("exception", 0, ANY, |ruby, this, args| ruby.call(this, sym::NEW, args)),
    method("to_tty?", 0, 0, |_, _, _| Ok(Value::Bool(false))),
];

/// Methods of `NameError`, `KeyError` and others that are about a name and an object.
pub const NAME: &[Native] = &[
    private("initialize", 0, ANY, initialize_name),
    quick("name", 0, 0, |_, this, _| Ok(detail(this, |details| details.name.clone()))),
    quick("receiver", 0, 0, receiver),
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
    quick("key", 0, 0, |ruby, this, _| {
        if with(this, |details| details.receiver.is_none()).unwrap_or(true)
            && detail(this, |d| d.name.clone()).is_nil()
        {
            return Err(ruby.argument_error("no key is available"));
        }
        Ok(detail(this, |details| details.name.clone()))
    }),
    quick("receiver", 0, 0, receiver),
];

/// Methods of `FrozenError`.
pub const FROZEN: &[Native] =
    &[private("initialize", 0, 2, initialize_name), quick("receiver", 0, 0, receiver)];

/// Methods of `StopIteration`.
pub const STOP: &[Native] =
    &[quick("result", 0, 0, |_, this, _| Ok(detail(this, |details| details.name.clone())))];

/// Methods of `LocalJumpError`.
pub const JUMP: &[Native] = &[
    quick("reason", 0, 0, |_, this, _| Ok(detail(this, |details| details.name.clone()))),
    quick("exit_value", 0, 0, |_, this, _| {
        Ok(with(this, |details| details.receiver.clone()).flatten().unwrap_or_default())
    }),
];

/// Methods of `UncaughtThrowError`.
pub const THROW: &[Native] = &[
    quick("tag", 0, 0, |_, this, _| Ok(detail(this, |details| details.name.clone()))),
    quick("value", 0, 0, |_, this, _| {
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
        let message = message.cloned().unwrap_or_default();
        set_detail(this, |details| {
            details.name = Value::Int(status);
            details.message = message;
        });
        Ok(Value::Nil)
    }),
    quick("status", 0, 0, |_, this, _| Ok(detail(this, |details| details.name.clone()))),
    quick("success?", 0, 0, |_, this, _| {
        Ok(Value::Bool(matches!(detail(this, |details| details.name.clone()), Value::Int(0))))
    }),
];

/// Methods of `SyntaxError`.
pub const SYNTAX: &[Native] =
    &[quick("path", 0, 0, |_, this, _| Ok(detail(this, |details| details.name.clone())))];

/// Methods of `LoadError`.
pub const LOAD: &[Native] = &[quick("path", 0, 0, |ruby, this, _| {
    let name = ruby.symbols.intern("@path");
    Ok(ruby.instance_variable(this, name))
})];

/// Methods of `SystemCallError`.
pub const SYSTEM_CALL: &[Native] = &[
    private("initialize", 0, 3, initialize_system_call),
    quick("errno", 0, 0, |ruby, this, _| {
        let class = ruby.real_class_of(this);
        Ok(errno_of(ruby, class).unwrap_or_else(|| detail(this, |details| details.name.clone())))
    }),
];

/// Methods of `SystemCallError` itself.
pub const SYSTEM_CALL_SINGLETON: &[Native] = &[
    method("new", 0, ANY, |ruby, this, args| {
        // A number of an error that has a class of its own makes an instance of that.
        let code = match args.list {
            [code @ Value::Int(_)] => Some((code.clone(), &args.list[..0])),
            [_, code, ..]
                if crate::core::module::this_class(this) == ClassId::SYSTEM_CALL_ERROR && !code.is_nil() =>
            {
                Some((ruby.to_integer(code)?, &args.list[..1]))
            }
            _ => None,
        };
        let is_plain = crate::core::module::this_class(this) == ClassId::SYSTEM_CALL_ERROR;
        if args.is_empty() && is_plain {
            return Err(ruby.argument_error("wrong number of arguments (given 0, expected 1+)"));
        }
        let mut class = this.clone();
        let mut list = args.list.to_vec();
        if let (true, Some((Value::Int(code), message))) = (is_plain, code)
            && let Some((name, ..)) = crate::effects::ERRORS.iter().find(|(_, number, _)| *number == code)
        {
            class = Value::Class(ruby.errno_class(name));
            list = message.to_vec();
            list.extend(args.get(2).cloned());
        }
        let object = ruby.send(&class, sym::ALLOCATE, &[])?;
        ruby.call(&object, sym::INITIALIZE, &Args { list: &list, ..*args })?;
        Ok(object)
    }),
    quick("===", 1, 1, |ruby, this, args| {
        let class = crate::core::module::this_class(this);
        if ruby.is_a(&args[0], class) {
            return Ok(Value::Bool(true));
        }
        if !ruby.is_a(&args[0], ClassId::SYSTEM_CALL_ERROR) {
            return Ok(Value::Bool(false));
        }
        let own = errno_of(ruby, class);
        let errno = ruby.symbols.intern("errno");
        let other = ruby.send(&args[0], errno, &[])?;
        Ok(Value::Bool(own.is_some_and(|own| own.is_same(&other))))
    }),
];

/// The number of a system error, which subclasses inherit.
fn errno_of(ruby: &mut Ruby<'_>, class: ClassId) -> Option<Value> {
    let name = ruby.symbols.intern("Errno");
    let ancestors = ruby.ancestors(class);
    let mut below = ancestors.iter().take_while(|at| **at != ClassId::SYSTEM_CALL_ERROR);
    below.find_map(|at| ruby.class(*at).constants.get(&name).map(|constant| constant.value.clone()))
}

fn initialize_system_call(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let class = ruby.real_class_of(this);
    let own = errno_of(ruby, class);
    let (given, code, place) = match (own, args.list) {
        (Some(own), list) => (list.first().cloned(), own, list.get(1).cloned()),
        (None, [code @ Value::Int(_)]) => (None, code.clone(), None),
        (None, list) => {
            (list.first().cloned(), list.get(1).cloned().unwrap_or_default(), list.get(2).cloned())
        }
    };
    let known = match code {
        Value::Int(code) => crate::effects::ERRORS.iter().find(|(_, number, _)| *number == code),
        _ => None,
    };
    let mut message = match (known, &code) {
        (Some((_, _, words)), _) => (*words).to_owned(),
        (None, Value::Int(code)) => format!("Unknown error {code}"),
        _ => "unknown error".to_owned(),
    };
    if let Some(place) = place.filter(|place| !place.is_nil()) {
        let place = ruby.display(&place)?;
        message.push_str(&format!(" @ {}", place.to_str_lossy()));
    }
    if let Some(given) = given.filter(|given| !given.is_nil()) {
        let text = ruby.to_text(&given)?;
        message.push_str(&format!(" - {}", text.to_str_lossy()));
    }
    set_detail(this, |details| {
        details.message = Value::str(message);
        details.name = code;
    });
    Ok(Value::Nil)
}

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
pub(crate) fn locations(ruby: &mut Ruby<'_>, places: &[BacktraceLine]) -> Value {
    let class = crate::core::thread::location_class(ruby);
    let list = places.iter().map(|place| Value::Object(Object::with(class, Rc::new(place.clone()))));
    Value::array(list.collect::<Vec<_>>())
}

/// Whether escape sequences are wanted.
fn highlight(ruby: &mut Ruby<'_>, args: &Args<'_>) -> Result<bool> {
    let (_, keywords) = args.split();
    match keywords.and_then(|keywords| ruby.keyword(keywords, "highlight")) {
        None | Some(Value::Nil) => Ok(false),
        Some(Value::Bool(truth)) => Ok(truth),
        Some(other) => {
            let shown = ruby.inspect(&other)?.to_str_lossy().into_owned();
            Err(ruby.argument_error(format!("expected true or false as highlight: {shown}")))
        }
    }
}

/// The message with the class: `message (Class)`.
fn detailed(ruby: &mut Ruby<'_>, this: &Value, message: &str, highlight: bool) -> String {
    let class = ruby.real_class_of(this);
    let name = ruby.class_name(class);
    if message.is_empty() {
        let word = if class == ClassId::RUNTIME_ERROR { "unhandled exception".to_owned() } else { name };
        return if highlight { format!("\u{1b}[1;4m{word}\u{1b}[m") } else { word };
    }
    let (first, rest) = match message.split_once('\n') {
        Some((first, rest)) => (first, Some(rest)),
        None => (message, None),
    };
    let is_anonymous = ruby.class(class).name.is_none();
    let mut out = match (highlight, is_anonymous) {
        (_, true) => first.to_owned(),
        (true, false) => format!("\u{1b}[1m{first} (\u{1b}[1;4m{name}\u{1b}[m\u{1b}[1m)\u{1b}[m"),
        (false, false) => format!("{first} ({name})"),
    };
    if let Some(rest) = rest {
        for line in rest.split('\n') {
            out.push('\n');
            if highlight && !line.is_empty() {
                out.push_str(&format!("\u{1b}[1m{line}\u{1b}[m"));
            } else {
                out.push_str(line);
            }
        }
    }
    out
}

/// The report of an exception that nothing handles.
fn full_message(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let highlight = highlight(ruby, args)?;
    let (_, keywords) = args.split();
    let order = keywords.and_then(|keywords| ruby.keyword(keywords, "order"));
    let bottom = match &order {
        None | Some(Value::Nil) => false,
        Some(Value::Symbol(order)) if ruby.name(*order) == "top" => false,
        Some(Value::Symbol(order)) if ruby.name(*order) == "bottom" => true,
        Some(other) => {
            let shown = ruby.inspect(other)?.to_str_lossy().into_owned();
            return Err(ruby.argument_error(format!("expected :top or :bottom as order: {shown}")));
        }
    };
    // What it was given goes on to `detailed_message`, except for the order.
    let options = keywords.map_or_else(crate::hash::Table::new, |keywords| keywords.table().clone());
    let options = crate::value::HashObject::new(ClassId::HASH, options);
    let key = ruby.symbol("highlight");
    ruby.hash_set(&options, key, Value::Bool(highlight))?;
    let key = ruby.symbol("order");
    ruby.hash_delete(&options, &key)?;
    let options = Value::Hash(options);
    let mut out = String::new();
    let mut seen: Vec<Value> = Vec::new();
    let mut next = this.clone();
    while !next.is_nil() && !seen.iter().any(|known| known.is_same(&next)) {
        one_message(ruby, &next, &options, bottom, seen.is_empty(), &mut out)?;
        seen.push(next.clone());
        next = cause(&next);
    }
    Ok(Value::str(out))
}

fn one_message(
    ruby: &mut Ruby<'_>,
    this: &Value,
    options: &Value,
    bottom: bool,
    is_first: bool,
    out: &mut String,
) -> Result<()> {
    let backtrace = ruby.send(this, sym::BACKTRACE, &[])?;
    let mut lines = Vec::new();
    if let Value::Array(items) = &backtrace {
        for item in items.to_vec() {
            lines.push(ruby.display(&item)?.to_str_lossy().into_owned());
        }
    }
    let given = Args { list: std::slice::from_ref(options), has_keywords: true, block: None };
    let shown = match ruby.responds_to(this, sym::DETAILED_MESSAGE, false)? {
        true => ruby.call(this, sym::DETAILED_MESSAGE, &given)?,
        false => Value::Nil,
    };
    let shown = match ruby.maybe_string(&shown)? {
        Some(text) => text.text().to_str_lossy().into_owned(),
        None => {
            let on = matches!(options, Value::Hash(hash) if ruby.keyword(hash, "highlight").is_some_and(|on| on.is_true()));
            let class = ruby.class_name_of(this);
            if on { format!("\u{1b}[1;4m{class}\u{1b}[m") } else { class }
        }
    };
    if bottom && is_first {
        out.push_str("Traceback (most recent call last):\n");
        for (at, line) in lines.iter().enumerate().skip(1).rev() {
            out.push_str(&format!("\t{at}: from {line}\n"));
        }
    }
    match lines.first() {
        Some(first) => out.push_str(&format!("{first}: ")),
        None if is_first => {
            if let Some(place) = ruby.places(0).first() {
                out.push_str(&format!("{place}: "));
            }
        }
        None => {}
    }
    out.push_str(&shown);
    if !out.ends_with('\n') {
        out.push('\n');
    }
    if !bottom {
        for line in lines.iter().skip(1) {
            out.push_str(&format!("\tfrom {line}\n"));
        }
    }
    Ok(())
}

impl Ruby<'_> {
    /// The report of an exception that nothing handles.
    pub fn report(&mut self, exception: &Value) -> String {
        match full_message(self, exception, &Args::default()) {
            Ok(Value::String(text)) => text.text().to_str_lossy().into_owned(),
            _ => self.class_name_of(exception),
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
