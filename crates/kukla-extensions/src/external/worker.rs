//! The processes that run Ruby elsewhere, and the messages between them and a compilation.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use kukla_ruby::class::{Class, ClassId, ClassKind};
use kukla_ruby::core::exception;
use kukla_ruby::proc::{ProcBody, ProcObject};
use kukla_ruby::value::Head;
use kukla_ruby::{Args, Result, Ruby, Unwind, Value};
use kukla_syntax::diagnostic;
use kukla_values::Value as PuppetValue;
use kukla_world::{Conversation, FileError};
use serde_json::{Value as Json, json};

use super::External;
use super::values::{from_json, to_json};
use crate::codes::EXTERNAL_RUBY_FAILED;
use crate::objects::HeldObjects;
use crate::puppet::{LambdaNumber, WithPuppet};
use crate::{library, raised, scope, values};

/// Runs the shim, which comes as the first line.
const BOOT: &str = "require 'json'; eval(JSON.parse(STDIN.gets), TOPLEVEL_BINDING, 'kukla/external.rb')";
const SHIM: &str = include_str!("shim.rb");

/// A process that runs Ruby for one compilation at a time.
#[derive(Debug)]
pub struct Worker {
    conversation: Box<dyn Conversation>,
}

/// The processes of one environment that have nothing to do: at most one for each thread that has needed one. What code leaves behind in
/// one (classes, constants) no other environment sees.
#[derive(Default)]
pub struct Workers {
    idle: Mutex<Vec<Worker>>,
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Workers")
    }
}

impl Workers {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The failure of the process itself, which code cannot rescue.
fn failed(ruby: &mut Ruby<'_>, problem: &str) -> Box<Unwind> {
    ruby.part::<External>().worker = None;
    let other = ruby.host.world().policy().ruby.clone().unwrap_or_default();
    Box::new(Unwind::Stop(diagnostic!(EXTERNAL_RUBY_FAILED { ruby: other, problem }).into()))
}

fn start(ruby: &mut Ruby<'_>) -> Result<()> {
    let program = ruby.host.world().policy().ruby.clone().unwrap_or_default();
    let command = [program, "-EUTF-8:UTF-8".to_owned(), "-e".to_owned(), BOOT.to_owned()];
    let conversation = match ruby.host.world().converse(&command) {
        Ok(conversation) => conversation,
        Err(FileError::NotFound) => return Err(failed(ruby, "there is no such program")),
        Err(why) => return Err(failed(ruby, &why.to_string())),
    };
    ruby.part::<External>().worker = Some(Worker { conversation });
    converse(ruby, Json::String(SHIM.to_owned()).to_string())?;
    let load_path: Vec<String> =
        ruby.host.load_path().iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let message = json!({
        "do": "start",
        "load_path": load_path,
        "puppet": library::PUPPET,
        "libraries": library::ON_DEMAND.iter().copied().collect::<std::collections::BTreeMap<_, _>>(),
        "known": library::KNOWN,
        "scope": scope::method_names(),
        "scope_class": scope::class_method_names(),
    });
    converse(ruby, message.to_string()).map(|_| ())
}

/// Has the other Ruby do something.
pub fn request(ruby: &mut Ruby<'_>, workers: &Workers, message: Json) -> Result {
    if ruby.part::<External>().depth == 0 {
        let idle = workers.lock().pop();
        match idle {
            Some(worker) => ruby.part::<External>().worker = Some(worker),
            None => start(ruby)?,
        }
    }
    ruby.part::<External>().depth += 1;
    let answer = converse(ruby, message.to_string());
    let external = ruby.part::<External>();
    external.depth -= 1;
    if external.depth == 0 {
        workers.lock().extend(external.worker.take());
    }
    answer
}

/// Sends a line and does what the other side asks for until it answers.
fn converse(ruby: &mut Ruby<'_>, line: String) -> Result {
    let mut line = line;
    loop {
        ruby.charge(1 + line.len() as u64 / 64)?;
        let Some(worker) = &mut ruby.part::<External>().worker else {
            return Err(failed(ruby, "it has ended"));
        };
        let reply = worker.conversation.ask(&line);
        let complaints = worker.conversation.complaints();
        for complaint in complaints.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            // Nobody is left to tell if even that fails.
            let _ = ruby.host.write_err(complaint);
        }
        let reply = match reply {
            Ok(reply) => reply,
            Err(why) => return Err(failed(ruby, &why.to_string())),
        };
        let Ok(message) = serde_json::from_str::<Json>(&reply) else {
            return Err(failed(ruby, "it answered with an invalid message"));
        };
        if let Some(value) = message.get("value") {
            return from_json(ruby, value);
        }
        if let Some(raised) = message.get("raised") {
            return Err(unwind(ruby, raised));
        }
        line = match answer(ruby, &message) {
            Ok(value) => json!({ "value": to_json(ruby, &value)? }).to_string(),
            Err(unwind) => match *unwind {
                Unwind::Raise(exception) => json!({ "raised": describe(ruby, &exception) }).to_string(),
                Unwind::Throw(tag, _) => {
                    let number = ruby.part::<HeldObjects>().hold(tag);
                    let raised = json!({ "jump": true, "number": number, "message": "left", "classes": [] });
                    json!({ "raised": raised }).to_string()
                }
                other => {
                    // The process waits for an answer that will not come.
                    ruby.part::<External>().worker = None;
                    return Err(Box::new(other));
                }
            },
        };
    }
}

/// The answer to a question of the other side about an object here.
fn answer(ruby: &mut Ruby<'_>, message: &Json) -> Result {
    let name = message["ask"].as_str().unwrap_or_default();
    let mut args = Vec::new();
    for arg in message["args"].as_array().into_iter().flatten() {
        args.push(from_json(ruby, arg)?);
    }
    let receiver = from_json(ruby, &message["to"])?;
    if receiver.is_same(&ruby.symbol("__lambda__")) {
        return call_lambda(ruby, &args);
    }
    let block = message["block"].as_array().map(|block| their_block(block));
    let name = ruby.symbols.intern(name);
    ruby.call(&receiver, name, &Args { list: &args, has_keywords: false, block: block.as_ref() })
}

fn call_lambda(ruby: &mut Ruby<'_>, args: &[Value]) -> Result {
    let args: Result<Vec<PuppetValue>> = args.iter().map(|arg| values::to_puppet(ruby, arg)).collect();
    let args = args?;
    match ruby.with_puppet(move |puppet| puppet.call_lambda(LambdaNumber(0), args))? {
        Ok(value) => values::to_ruby(ruby, &value),
        Err(interrupt) => Err(raised::to_ruby(ruby, interrupt)),
    }
}

/// A block of the other side.
fn their_block(block: &[Json]) -> Rc<ProcObject> {
    let number = block.first().and_then(Json::as_u64).unwrap_or_default();
    let arity = block.get(1).and_then(Json::as_i64).and_then(|arity| i32::try_from(arity).ok()).unwrap_or(-1);
    let run = move |ruby: &mut Ruby<'_>, args: &Args<'_>| {
        let mut given = Vec::with_capacity(args.len());
        for arg in args.list {
            given.push(to_json(ruby, arg)?);
        }
        converse(ruby, json!({ "do": "yield", "block": number, "args": given }).to_string())
    };
    let body = ProcBody::Native(Rc::new(run), arity);
    Rc::new(ProcObject { head: Head::new(ClassId::PROC), body, lambda: Cell::new(false) })
}

/// An exception for the other side, which gives its number back if nothing there rescues it.
fn describe(ruby: &mut Ruby<'_>, exception: &Value) -> Json {
    let message = raised::message_of(ruby, exception);
    let class = ruby.real_class_of(exception);
    let ancestors = ruby.ancestors(class);
    let classes: Vec<String> = ancestors.iter().map(|class| ruby.class_name(*class)).collect();
    let number = ruby.part::<HeldObjects>().hold(exception.clone());
    json!({ "classes": classes, "message": message, "number": number })
}

/// The exception or jump that the other side's code ended with.
fn unwind(ruby: &mut Ruby<'_>, raised: &Json) -> Box<Unwind> {
    if let Some(number) = raised["number"].as_u64() {
        let own = ruby.part::<HeldObjects>().get(usize::try_from(number).unwrap_or(usize::MAX));
        return Box::new(match raised["jump"].as_bool() {
            Some(true) => Unwind::Throw(own, Value::Nil),
            _ => Unwind::Raise(own),
        });
    }
    if raised["left"] == Json::Bool(true) {
        let left = ruby.symbol("left");
        return Box::new(Unwind::Throw(left, Value::Nil));
    }
    let classes: Vec<&str> =
        raised["classes"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let class = class_of(ruby, &classes);
    let message = raised["message"].as_str().unwrap_or_default();
    let made = exception::make(ruby, class, Value::str(message));
    let lines = raised["backtrace"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let lines: Vec<Value> = lines.map(Value::str).collect();
    let set = ruby.symbols.intern("set_backtrace");
    match ruby.send(&made, set, &[Value::array(lines)]) {
        Ok(_) => Box::new(Unwind::Raise(made)),
        Err(unwind) => unwind,
    }
}

/// The class of an exception; one that only the other side knows is created here, below its next ancestor that both know.
fn class_of(ruby: &mut Ruby<'_>, names: &[&str]) -> ClassId {
    let known = names.iter().enumerate().find_map(|(at, name)| Some((at, ruby.find_class(name)?)));
    let (at, nearest) = known.unwrap_or((usize::MAX, ClassId::STANDARD_ERROR));
    if at == 0 {
        return nearest;
    }
    let mut class = Class::new(ClassKind::Class, Some(nearest));
    class.name = names.first().map(|name| (*name).into());
    let class = ruby.add_class(class);
    ruby.make_singleton_of_class(class);
    class
}
