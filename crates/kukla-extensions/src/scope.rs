//! `Puppet::Parser::Scope`: what Ruby code sees of the place it was called from. The rest of the class is written in Ruby, in
//! `puppet/parser.rb`.

use std::rc::Rc;

use kukla_eval::UndefinedVariable;
use kukla_eval::scope::{Position, ScopeId};
use kukla_ruby::class::{ANY, Native, NativeClass, method};
use kukla_ruby::value::Object;
use kukla_ruby::{Args, Result, Ruby, Symbol, Value};
use kukla_values::{Str, Value as PuppetValue};
use rustc_hash::FxHashMap;

use crate::objects::{HeldObjects, SharedCollections};
use crate::puppet::{BlockHandle, Interrupt, ResourceView, ScopeNumber, WithPuppet};
use crate::values::Audience;
use crate::{function, raised, values};

/// The classes that are written in Rust.
pub static CLASSES: &[NativeClass] = &[
    NativeClass { singleton: &[LOGGING], ..NativeClass::module("Puppet") },
    NativeClass::module("Puppet::Parser"),
    NativeClass {
        methods: &[METHODS],
        singleton: &[SINGLETON],
        ..NativeClass::class("Puppet::Parser::Scope", "Object")
    },
    NativeClass::module("Puppet::Pops"),
    NativeClass::module("Puppet::Pops::Types"),
    NativeClass {
        methods: &[VALUE_METHODS],
        ..NativeClass::class("Puppet::Pops::Types::PuppetObject", "Object")
    },
    NativeClass::module("Puppet::Pops::Lookup"),
    NativeClass {
        methods: &[CONTEXT_METHODS],
        ..NativeClass::class("Puppet::Pops::Lookup::Context", "Puppet::Pops::Types::PuppetObject")
    },
];

/// Puppet's own messages: functions log several for each value.
const LOGGING: &[Native] = &[
    method("debug", 0, ANY, log_message),
    method("info", 0, ANY, log_message),
    method("notice", 0, ANY, log_message),
    method("warning", 0, ANY, log_message),
    method("err", 0, ANY, log_message),
    method("alert", 0, ANY, log_message),
    method("emerg", 0, ANY, log_message),
    method("crit", 0, ANY, log_message),
];

/// The methods of what a function is given that Hiera asks for data; it calls some for each key and level.
const CONTEXT_METHODS: &[Native] = &[
    method("not_found", 0, ANY, call_context),
    method("module_name", 0, ANY, call_context),
    method("cache", 0, ANY, call_context),
    method("cache_all", 0, ANY, call_context),
    method("cache_has_key", 0, ANY, call_context),
    method("cached_value", 0, ANY, call_context),
    method("cached_entries", 0, ANY, call_context),
    method("interpolate", 0, ANY, call_context),
    method("explain", 0, ANY, call_context),
    method("cached_file_data", 0, ANY, call_context),
];

const METHODS: &[Native] = &[
    method("lookupvar", 1, 2, lookupvar),
    method("[]", 1, 2, lookupvar),
    method("setvar", 2, 3, setvar),
    method("[]=", 2, 3, setvar),
    method("include?", 1, 1, includes),
    method("exist?", 1, 1, exists),
    method("to_hash", 0, 2, to_hash),
    method("call_function", 2, 2, call_function),
    method("log", 2, 2, log),
    method("defaults", 1, 1, defaults),
    method("tags", 0, 0, tags),
    method("resource", 0, 0, resource),
    method("module_name", 0, 0, module_name),
    method("parent_module_name", 0, 0, module_name),
    method("top?", 0, 0, is_top),
];

const SINGLETON: &[Native] = &[
    method("top", 0, 0, top),
    method("of", 1, 1, of),
    method("function?", 1, 1, has_function),
    method("old_function?", 1, 1, has_old_function),
    method("overridden?", 1, 1, is_overridden),
    method("load_old_function", 1, 1, load_old_function),
    method("load_function", 1, 1, load_function),
    method("log", 2, 2, log_here),
    method("setting", 1, 1, setting),
    method("change_setting", 2, 2, change_setting),
    method("find_file", 2, 2, find_file),
    method("modules", 0, 0, modules),
    method("environment_name", 0, 0, environment_name),
    method("node_name", 0, 0, node_name),
    method("facts", 0, 0, facts),
    method("stack", 0, 0, stack),
    method("type_outline", 1, 1, type_outline),
    method("providers", 1, 1, providers),
    method("mismatch", 3, 3, mismatch),
    method("classes", 0, 0, classes),
    method("all_tags", 0, 0, all_tags),
    method("find_resource", 2, 2, find_resource),
    method("remove_resource", 2, 2, remove_resource),
    method("resources", 0, 0, resources),
    method("definition", 1, 1, definition),
    method("parse_type", 1, 1, parse_type),
];

const VALUE_METHODS: &[Native] = &[
    method("to_s", 0, 0, value_text),
    method("unwrap_value", 0, 0, value_inside),
    // A value never changes, so nobody can tell a copy from it.
    method("dup", 0, 0, |_, this, _| Ok(this.clone())),
    method("clone", 0, 1, |_, this, _| Ok(this.clone())),
];

/// The names of the methods that a scope has, as far as they are written here.
pub fn method_names() -> Vec<&'static str> {
    METHODS.iter().map(|method| method.name).collect()
}

/// The names of the methods that the class itself has.
pub fn class_method_names() -> Vec<&'static str> {
    SINGLETON.iter().map(|method| method.name).collect()
}

/// The objects of scopes, if a program wants the same one each time: it may have replaced methods of it.
#[derive(Default)]
pub struct SharedScopes(pub Option<FxHashMap<u64, Value>>);

/// The object for a scope.
pub fn object(ruby: &mut Ruby<'_>, scope: u64) -> Result {
    if let Some(known) = ruby.part::<SharedScopes>().0.as_ref().and_then(|all| all.get(&scope)) {
        return Ok(known.clone());
    }
    let class = ruby.class_named("Puppet::Parser::Scope")?;
    let object = Value::Object(Object::with(class, ScopeNumber(scope)));
    if let Some(all) = &mut ruby.part::<SharedScopes>().0 {
        all.insert(scope, object.clone());
    }
    Ok(object)
}

/// The scope that an object represents; an object that a program made itself represents the current scope.
fn scope_of(ruby: &mut Ruby<'_>, this: &Value) -> Result<ScopeNumber> {
    if let Value::Object(object) = this
        && let Some(scope) = object.payload::<ScopeNumber>()
    {
        return Ok(*scope);
    }
    ruby.with_puppet(move |puppet| puppet.here())
}

/// The scope of a template.
fn of(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let scope = scope_of(ruby, &args[0])?;
    object(ruby, scope.0)
}

fn text(ruby: &mut Ruby<'_>, value: &Value) -> Result<String> {
    Ok(ruby.display(value)?.to_str_lossy().into_owned())
}

fn texts(words: Vec<Str>) -> Value {
    Value::array(words.into_iter().map(Value::str).collect::<Vec<_>>())
}

fn variable(
    ruby: &mut Ruby<'_>,
    this: &Value,
    name: &Value,
) -> Result<std::result::Result<PuppetValue, UndefinedVariable>> {
    let scope = scope_of(ruby, this)?;
    let name = match name {
        Value::String(name) => name.text().to_str_lossy().into_owned(),
        other => {
            let (shown, class) = (ruby.inspect(other)?, ruby.class_name_of(other));
            let message = format!("Scope variable name {} is a {class}, not a string", shown.to_str_lossy());
            let parse_error = ruby.class_named("Puppet::ParseError")?;
            return Err(ruby.error(parse_error, message));
        }
    };
    ruby.with_puppet(move |puppet| puppet.variable(scope, &name))
}

fn lookupvar(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    match variable(ruby, this, &args[0])? {
        Ok(value) => values::to_ruby(ruby, &value),
        Err(undefined) => unknown_variable(ruby, &args[0], undefined.reason()),
    }
}

/// The value of an unknown variable for Ruby code, or the error: the setting `strict` decides.
fn unknown_variable(ruby: &mut Ruby<'_>, name: &Value, reason: Option<String>) -> Result {
    let name = text(ruby, name)?;
    if matches!(name.trim_start_matches("::"), "module_name" | "caller_module_name")
        || (!name.is_empty()
            && name.bytes().all(|b| b.is_ascii_digit())
            && (name == "0" || !name.starts_with('0')))
    {
        return Ok(Value::Nil);
    }
    let shown = match name.split_once("::") {
        Some(("", rest)) if reason.is_some() => rest.to_owned(),
        Some(("", _)) => name.clone(),
        Some(_) if reason.is_none() => format!("::{name}"),
        _ => name.clone(),
    };
    // As Puppet does, a `catch(:undefined_variable)` around it comes first.
    let tag = ruby.symbol("undefined_variable");
    if ruby.is_caught(&tag) {
        return Err(Box::new(kukla_ruby::Unwind::Throw(tag, reason.map_or(Value::Nil, Value::str))));
    }
    let strict = setting_named(ruby, "strict")?;
    let strict = ruby.display(&strict)?.to_str_lossy().into_owned();
    let message = format!("Undefined variable '{shown}'; {}", reason.unwrap_or_default());
    match strict.as_str() {
        "off" => Ok(Value::Nil),
        "warning" => {
            ruby.with_puppet(move |puppet| {
                if puppet.is_first(&format!("Variable: {shown}")) {
                    let here = puppet.here();
                    puppet.log(here, "warning", message);
                }
            })?;
            Ok(Value::Nil)
        }
        _ => Err(ruby.argument_error(message)),
    }
}

fn setvar(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (scope, name, value) =
        (scope_of(ruby, this)?, text(ruby, &args[0])?, values::to_puppet(ruby, &args[1])?);
    // Code that reads the variable later gets this very object.
    ruby.part::<SharedCollections>().hold(&value, &args[1]);
    match ruby.with_puppet(move |puppet| puppet.set_variable(scope, &name, value))? {
        Ok(()) => Ok(args[1].clone()),
        Err(error) => Err(raised::to_ruby(ruby, Interrupt::Error(error))),
    }
}

fn includes(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let found = variable(ruby, this, &args[0])?;
    Ok(Value::Bool(found.is_ok_and(|value| !matches!(value, PuppetValue::Undef))))
}

fn exists(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let found = variable(ruby, this, &args[0])?;
    Ok(Value::Bool(found.is_ok()))
}

fn to_hash(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let scope = scope_of(ruby, this)?;
    let keep_undef = args[1].is_true();
    let variables = ruby.with_puppet(move |puppet| puppet.variables(scope))?;
    let hash = ruby.make_hash([])?;
    let Value::Hash(table) = &hash else { return Ok(hash) };
    for (name, value) in variables {
        let name = Value::str(name);
        if matches!(value, PuppetValue::Undef) && !keep_undef {
            ruby.hash_delete(table, &name)?;
        } else {
            let value = values::to_ruby(ruby, &value)?;
            ruby.hash_set(table, name, value)?;
        }
    }
    Ok(hash)
}

/// `scope.call_function(name, arguments)`: arguments other than an array are spread out as by `*arguments`, a hash into its pairs.
fn call_function(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (scope, name) = (scope_of(ruby, this)?, text(ruby, &args[0])?);
    let given = ruby.splat(&args[1])?.to_vec();
    match made_beside(ruby, this, &name)? {
        Some(method) => call_made(ruby, this, method, &given),
        None => call(ruby, scope, &name, &given, args),
    }
}

/// The method of a function that the file of another made with `newfunction`: it has no file of its own by which it could be found.
fn made_beside(ruby: &mut Ruby<'_>, scope: &Value, name: &str) -> Result<Option<Symbol>> {
    match function::made(ruby, scope, name) {
        Some(method) => {
            let name = name.to_owned();
            let has_file = ruby.with_puppet(move |puppet| puppet.function_exists(&name))?;
            Ok((!has_file).then_some(method))
        }
        None => Ok(None),
    }
}

fn call_made(ruby: &mut Ruby<'_>, scope: &Value, method: Symbol, given: &[Value]) -> Result {
    let given: Result<Vec<Value>> = given
        .iter()
        .map(|value| {
            let value = values::to_puppet(ruby, value)?;
            values::argument(ruby, &value, Audience::Old)
        })
        .collect();
    ruby.send(scope, method, &[Value::array(given?)])
}

fn call(ruby: &mut Ruby<'_>, scope: ScopeNumber, name: &str, given: &[Value], args: &Args<'_>) -> Result {
    let given: Result<Vec<PuppetValue>> = given.iter().map(|value| values::to_puppet(ruby, value)).collect();
    let given = given?;
    let block = args.block.map(|block| {
        let (least, most) = block.argument_counts();
        BlockHandle { number: ruby.part::<HeldObjects>().hold_block(block.clone()), least, most }
    });
    let name = name.to_owned();
    let answer = ruby.with_puppet(move |puppet| puppet.call(scope, &name, given, block));
    if let Some(block) = block {
        ruby.part::<HeldObjects>().drop_blocks(block.number);
    }
    match answer? {
        Ok(value) => values::to_ruby(ruby, &value),
        Err(interrupt) => Err(raised::to_ruby(ruby, interrupt)),
    }
}

fn log(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (scope, level, message) = (scope_of(ruby, this)?, text(ruby, &args[0])?, text(ruby, &args[1])?);
    ruby.with_puppet(move |puppet| puppet.log(scope, &level, message))?;
    Ok(Value::Nil)
}

fn log_here(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let (level, message) = (text(ruby, &args[0])?, text(ruby, &args[1])?);
    ruby.with_puppet(move |puppet| {
        let here = puppet.here();
        puppet.log(here, &level, message);
    })?;
    Ok(Value::Nil)
}

fn pairs(ruby: &mut Ruby<'_>, pairs: Vec<(Str, PuppetValue)>) -> Result {
    let hash = ruby.make_hash([])?;
    let Value::Hash(table) = &hash else { return Ok(hash) };
    for (name, value) in pairs {
        let value = values::to_ruby(ruby, &value)?;
        ruby.hash_set(table, Value::str(name), value)?;
    }
    Ok(hash)
}

/// `Puppet.debug(message, …)` and so on; a block computes the message.
fn log_message(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let level = ruby.called();
    let message = match (args.block, args.list) {
        (Some(block), _) => ruby.yield_to(block, &[])?,
        (None, [Value::String(message)]) => Value::String(Rc::clone(message)),
        (None, messages) => {
            let join = ruby.symbols.intern("join");
            ruby.send(&Value::array(messages.to_vec()), join, &[Value::str(" ")])?
        }
    };
    let message = ruby.display(&message)?.to_str_lossy().into_owned();
    ruby.with_puppet(move |puppet| {
        let here = puppet.here();
        puppet.log(here, level, message);
    })?;
    Ok(Value::Nil)
}

/// A method of a lookup's context, which is an object of the compilation's own.
fn call_context(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let method = ruby.called();
    let given: Vec<Value> = std::iter::once(this).chain(args.list).cloned().collect();
    call(ruby, ScopeNumber(Position::named(ScopeId::TOP).number()), method, &given, args)
}

fn defaults(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (scope, name) = (scope_of(ruby, this)?, text(ruby, &args[0])?);
    let found = ruby.with_puppet(move |puppet| puppet.defaults(scope, &name))?;
    pairs(ruby, found)
}

fn tags(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let scope = scope_of(ruby, this)?;
    Ok(texts(ruby.with_puppet(move |puppet| puppet.tags(scope))?))
}

fn resource_object(ruby: &mut Ruby<'_>, found: Option<ResourceView>) -> Result {
    let Some(found) = found else { return Ok(Value::Nil) };
    let attributes = pairs(ruby, found.attributes)?;
    let class = ruby.class_named("Puppet::Parser::Resource")?;
    let of = ruby.symbols.intern("of");
    ruby.send(&Value::Class(class), of, &[Value::str(found.type_name), Value::str(found.title), attributes])
}

fn resource(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let scope = scope_of(ruby, this)?;
    let found = ruby.with_puppet(move |puppet| puppet.resource_of(scope))?;
    resource_object(ruby, found)
}

fn module_name(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let scope = scope_of(ruby, this)?;
    Ok(ruby.with_puppet(move |puppet| puppet.module_of(scope))?.map_or(Value::Nil, Value::str))
}

fn is_top(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let scope = scope_of(ruby, this)?;
    Ok(Value::Bool(ruby.with_puppet(move |puppet| puppet.top() == scope)?))
}

fn top(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    let top = ruby.with_puppet(move |puppet| puppet.top())?;
    object(ruby, top.0)
}

fn has_function(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let name = text(ruby, &args[0])?;
    Ok(Value::Bool(ruby.with_puppet(move |puppet| puppet.function_exists(&name))?))
}

fn is_overridden(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let name = text(ruby, &args[0])?;
    Ok(Value::Bool(ruby.with_puppet(move |puppet| puppet.is_overridden(&name))?))
}

fn has_old_function(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let name = text(ruby, &args[0])?;
    Ok(Value::Bool(ruby.with_puppet(move |puppet| puppet.old_function(&name))?.is_some()))
}

/// Runs the file of a module's function for the old API; whether there is one.
fn load_old_function(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let name = text(ruby, &args[0])?;
    match ruby.with_puppet(move |puppet| puppet.old_function(&name))? {
        Some(path) => function::load(ruby, &path).map(|_| Value::Bool(true)),
        None => Ok(Value::Bool(false)),
    }
}

/// Runs the file of a module's function; whether there is one.
fn load_function(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let name = text(ruby, &args[0])?;
    match ruby.with_puppet(move |puppet| puppet.called_function(&name))? {
        Some(path) => function::load(ruby, &path).map(|_| Value::Bool(true)),
        None => Ok(Value::Bool(false)),
    }
}

/// The settings that code in Ruby changed. Code in Ruby alone sees that: functions set one for the time of a call.
#[derive(Default)]
struct Changed(FxHashMap<Box<str>, Value>);

fn change_setting(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let name = text(ruby, &args[0])?;
    ruby.part::<Changed>().0.insert(name.into(), args[1].clone());
    Ok(args[1].clone())
}

fn setting(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let name = text(ruby, &args[0])?;
    setting_named(ruby, &name)
}

fn setting_named(ruby: &mut Ruby<'_>, name: &str) -> Result {
    if let Some(changed) = ruby.part::<Changed>().0.get(name) {
        return Ok(changed.clone());
    }
    let wanted = name.to_owned();
    match ruby.with_puppet(move |puppet| puppet.setting(&wanted))? {
        // Settings with a few allowed words are symbols in Puppet.
        Some(PuppetValue::String(word)) if name == "strict" => Ok(ruby.symbol(&word)),
        Some(value) => values::to_ruby(ruby, &value),
        None => Ok(Value::Nil),
    }
}

fn find_file(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let (directory, name) = (text(ruby, &args[0])?, text(ruby, &args[1])?);
    let found = ruby.with_puppet(move |puppet| puppet.find_file(&directory, &name))?;
    Ok(found.map_or(Value::Nil, |path| Value::str(path.to_string_lossy().into_owned())))
}

fn modules(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    let all = ruby.with_puppet(move |puppet| puppet.modules())?;
    let pair = |(name, path): (Str, std::path::PathBuf)| {
        Value::array(vec![Value::str(name), Value::str(path.to_string_lossy().into_owned())])
    };
    Ok(Value::array(all.into_iter().map(pair).collect::<Vec<_>>()))
}

fn environment_name(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    Ok(Value::str(ruby.with_puppet(move |puppet| puppet.environment())?))
}

fn node_name(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    Ok(Value::str(ruby.with_puppet(move |puppet| puppet.node())?))
}

fn stack(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    let frames = ruby.with_puppet(move |puppet| puppet.stack())?.into_iter().map(|(file, line)| {
        let file = file.unwrap_or_else(|| "unknown".into());
        Value::array(vec![Value::str(file), Value::Int(line.into())])
    });
    Ok(Value::array(frames.collect::<Vec<_>>()))
}

fn facts(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    let facts = ruby.with_puppet(move |puppet| puppet.facts())?;
    values::to_ruby(ruby, &facts)
}

fn type_outline(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let name = text(ruby, &args[0])?;
    match ruby.with_puppet(move |puppet| puppet.type_outline(&name))? {
        Some(outline) => values::to_ruby(ruby, &outline),
        None => Ok(Value::Nil),
    }
}

fn providers(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let name = text(ruby, &args[0])?;
    Ok(texts(ruby.with_puppet(move |puppet| puppet.providers(&name))?))
}

/// The mismatch between a value and a type that is written as text, if there is one.
fn mismatch(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let (subject, written) = (text(ruby, &args[0])?, text(ruby, &args[1])?);
    let value = values::to_puppet(ruby, &args[2])?;
    match ruby.with_puppet(move |puppet| puppet.parse_type(&written))? {
        Ok(PuppetValue::Type(ty)) if !ty.contains(&value) => {
            Ok(Value::str(kukla_values::types::mismatch::describe_value(&subject, &ty, &value)))
        }
        Ok(_) => Ok(Value::Nil),
        Err(error) => Err(raised::to_ruby(ruby, Interrupt::Error(error))),
    }
}

fn classes(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    Ok(texts(ruby.with_puppet(move |puppet| puppet.classes())?))
}

fn all_tags(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    Ok(texts(ruby.with_puppet(move |puppet| puppet.all_tags())?))
}

fn find_resource(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let (type_name, title) = (text(ruby, &args[0])?, text(ruby, &args[1])?);
    let found = ruby.with_puppet(move |puppet| puppet.resource(&type_name, &title))?;
    resource_object(ruby, found)
}

fn remove_resource(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let (type_name, title) = (text(ruby, &args[0])?, text(ruby, &args[1])?);
    ruby.with_puppet(move |puppet| puppet.remove_resource(&type_name, &title))?;
    Ok(Value::Nil)
}

fn resources(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    let all = ruby.with_puppet(move |puppet| puppet.resources())?;
    let objects: Result<Vec<Value>> =
        all.into_iter().map(|found| resource_object(ruby, Some(found))).collect();
    Ok(Value::array(objects?))
}

fn definition(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let name = text(ruby, &args[0])?;
    Ok(ruby.with_puppet(move |puppet| puppet.definition(&name))?.map_or(Value::Nil, Value::from))
}

fn parse_type(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let written = text(ruby, &args[0])?;
    match ruby.with_puppet(move |puppet| puppet.parse_type(&written))? {
        Ok(found) => values::to_ruby(ruby, &found),
        Err(error) => Err(raised::to_ruby(ruby, Interrupt::Error(error))),
    }
}

fn wrapped(this: &Value) -> Option<PuppetValue> {
    let Value::Object(object) = this else { return None };
    object.payload::<values::Wrapped>().map(|wrapped| wrapped.0.clone())
}

fn value_text(_: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(match wrapped(this) {
        Some(PuppetValue::Sensitive(_)) => Value::str("Sensitive [value redacted]"),
        Some(value) => Value::str(kukla_values::format::to_s(&value)),
        None => Value::Nil,
    })
}

/// The value inside a secret.
fn value_inside(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    match wrapped(this) {
        Some(PuppetValue::Sensitive(inside)) => values::to_ruby(ruby, &inside),
        Some(_) => Ok(this.clone()),
        None => Ok(Value::Nil),
    }
}
