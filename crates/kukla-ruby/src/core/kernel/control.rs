//! `raise`, `catch`, `loop`, `exit` and the like.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, methods, private};
use crate::core::exception;
use crate::error::{Result, Unwind};
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::Text;
use crate::value::{Object, Value};

/// Functions that say what runs next.
pub const FUNCTIONS: &[Native] = methods![
    private("raise", 0, ANY, raise).alias("fail"),
    private("loop", 0, 0, repeat),
    private("catch", 0, 1, catch),
    private("throw", 1, 2, throw),
    private("exit", 0, 1, exit).alias("exit!"),
    private("abort", 0, 1, abort),
    private("at_exit", 0, 0, |ruby, _, args| {
        let Some(block) = args.block else { return Err(ruby.argument_error("called without a block")) };
        ruby.run.at_exit.push(Value::Proc(block.clone()));
        Ok(Value::Proc(block.clone()))
    }),
    private("proc", 0, 0, |ruby, _, args| match args.block {
        Some(block) => Ok(Value::Proc(block.clone())),
        None => Err(ruby.argument_error("tried to create Proc object without a block")),
    }),
    private("lambda", 0, 0, |ruby, _, args| match args.block {
        Some(block) => {
            // Only a block that is written here becomes a lambda; a proc that is handed on stays one.
            if is_literal(block) {
                block.lambda.set(true);
            }
            Ok(Value::Proc(block.clone()))
        }
        None => Err(ruby.argument_error("tried to create Proc object without a block")),
    }),
    private("block_given?", 0, 0, |ruby, _, _| {
        Ok(Value::Bool(ruby.run.frames.last().is_some_and(|at| at.block().is_some())))
    }),
    private("sleep", 0, 1, |ruby, _, _| {
        Err(ruby.error(
            ClassId::SECURITY_ERROR,
            "sleep is not allowed: nothing waits while a catalog is compiled",
        ))
    }),
];

/// A block literal at the call, which nothing else refers to yet.
fn is_literal(block: &Rc<ProcObject>) -> bool {
    matches!(&block.body, crate::proc::ProcBody::Closure(closure) if closure.active.get())
        && Rc::strong_count(block) == 1
}

/// The exception that the arguments of `raise` mean.
pub(crate) fn make_exception(ruby: &mut Ruby<'_>, args: &[Value]) -> Result {
    match args {
        [] => Ok(exception::new(ruby, ClassId::RUNTIME_ERROR, Value::str(""))),
        [Value::String(_)] => Ok(exception::new(ruby, ClassId::RUNTIME_ERROR, args[0].clone())),
        [what, rest @ ..] => {
            let message = &rest[..rest.len().min(1)];
            let Some(made) = ruby.try_send(what, sym::EXCEPTION, message)? else {
                return Err(ruby.type_error("exception class/object expected"));
            };
            if !ruby.is_a(&made, ClassId::EXCEPTION) {
                return Err(ruby.type_error("exception object expected"));
            }
            if let Some(backtrace) = rest.get(1) {
                let set = ruby.symbols.intern("set_backtrace");
                ruby.send(&made, set, std::slice::from_ref(backtrace))?;
            }
            Ok(made)
        }
    }
}

fn raise(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let (mut list, keywords) = args.split();
    let mut cause = None;
    let mut others = None;
    if let Some(keywords) = keywords {
        let key = ruby.symbol("cause");
        cause = ruby.hash_get(keywords, &key)?;
        let mut rest = keywords.table().clone();
        if cause.is_some() {
            let position = ruby.hash_find(keywords, &key)?;
            position.and_then(|position| rest.remove(position));
        }
        if !rest.is_empty() {
            others = Some(Value::hash(rest));
        }
    }
    if cause.is_some() && list.is_empty() && others.is_none() {
        return Err(ruby.argument_error("only cause is given with no arguments"));
    }
    let with_others;
    if let Some(others) = &others {
        with_others = [list, std::slice::from_ref(others)].concat();
        list = &with_others;
    }
    if list.len() > 3 {
        return Err(ruby.wrong_number_of_arguments(list.len(), "0..3"));
    }
    if list.is_empty() && !ruby.run.exception.is_nil() {
        return Err(Box::new(Unwind::Raise(ruby.run.exception.clone())));
    }
    let made = match (&list, &others) {
        ([class, ..], Some(_)) if matches!(class, Value::Class(_)) => {
            ruby.call(class, sym::NEW, &Args { list: &list[1..], has_keywords: true, block: None })?
        }
        _ => make_exception(ruby, list)?,
    };
    if let Some(cause) = &cause
        && !cause.is_nil()
        && !ruby.is_a(cause, ClassId::EXCEPTION)
    {
        return Err(ruby.type_error("exception object expected"));
    }
    let places = exception::Places::new(ruby.places(0));
    let current = ruby.run.exception.clone();
    if let Some(cause) = &cause {
        let mut next = cause.clone();
        while !next.is_nil() {
            if next.is_same(&made) && !cause.is_same(&made) {
                return Err(ruby.argument_error("circular causes"));
            }
            ruby.charge(1)?;
            next = exception::cause(&next);
        }
    }
    exception::set_detail(&made, |details| {
        if details.places.is_none() && details.backtrace.is_nil() {
            details.places = Some(places);
        }
        match cause {
            Some(cause) if cause.is_same(&made) => {}
            Some(cause) => {
                details.cause = cause;
                details.has_cause = true;
            }
            None if !details.has_cause && !current.is_same(&made) => {
                details.cause = current;
                details.has_cause = true;
            }
            None => {}
        }
    });
    Err(Box::new(Unwind::Raise(made)))
}

fn repeat(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Some(block) = args.block else {
        let name = ruby.symbols.intern("loop");
        return ruby.make_enumerator(this, name, args);
    };
    loop {
        match ruby.yield_to(block, &[]) {
            Ok(_) => {}
            Err(unwind) => match *unwind {
                Unwind::Raise(exception) if ruby.is_a(&exception, ClassId::STOP_ITERATION) => {
                    return ruby.send(&exception, sym::RESULT, &[]);
                }
                other => return Err(Box::new(other)),
            },
        }
    }
}

fn catch(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let block = ruby.need_block(args)?;
    let tag = args.get(0).cloned().unwrap_or_else(|| Value::Object(Object::new(ClassId::OBJECT)));
    ruby.run.catching.push(tag.clone());
    let result = ruby.yield_to(block, std::slice::from_ref(&tag));
    ruby.run.catching.pop();
    match result {
        Err(unwind) => match *unwind {
            Unwind::Throw(thrown, value) if thrown.is_same(&tag) => Ok(value),
            other => Err(Box::new(other)),
        },
        done => done,
    }
}

fn throw(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let tag = &args[0];
    if ruby.run.catching.iter().any(|caught| caught.is_same(tag)) {
        return Err(Box::new(Unwind::Throw(tag.clone(), args[1].clone())));
    }
    let shown = ruby.inspect(tag)?;
    let message = Value::str(format!("uncaught throw {}", shown.to_str_lossy()));
    let error = exception::make(ruby, ClassId::UNCAUGHT_THROW_ERROR, message);
    exception::set_detail(&error, |details| {
        details.name = tag.clone();
        details.receiver = Some(args[1].clone());
    });
    Err(Box::new(Unwind::Raise(error)))
}

fn exit(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let status = match &args.get(0) {
        None | Some(Value::Bool(true)) => 0,
        Some(Value::Bool(false)) => 1,
        Some(other) => ruby.to_int(other)?,
    };
    Err(leave(ruby, status, "exit"))
}

fn leave(ruby: &mut Ruby<'_>, status: i64, message: &str) -> Box<Unwind> {
    let error = exception::make(ruby, ClassId::SYSTEM_EXIT, Value::str(message));
    exception::set_detail(&error, |details| details.name = Value::Int(status));
    Box::new(Unwind::Raise(error))
}

fn abort(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let message = match args.get(0) {
        Some(message) => {
            let text = ruby.to_text(message)?;
            let mut line = text.to_vec();
            line.push(b'\n');
            let name = ruby.symbols.intern("$stderr");
            let stream = ruby.global(name)?;
            ruby.write_to(&stream, &Text::from(line))?;
            text.to_str_lossy().into_owned()
        }
        None => "exit".to_owned(),
    };
    Err(leave(ruby, 1, &message))
}
