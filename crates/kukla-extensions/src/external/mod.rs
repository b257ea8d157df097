//! The last resort: functions and templates that Kukla's own Ruby cannot run are run by another, in a process of its own, if the user has
//! named one (`--ruby`).
//!
//! Code is tried here first; if it fails because a library, class or method is missing, it is undone and run there. The process gets Puppet's
//! classes as they are here (`puppet/*.rb`); where these reach into the compilation, it asks (`shim.rb`).

mod values;
mod worker;

use std::path::Path;

use kukla_eval::{Flow, Vm};
use kukla_ruby::{Result, Ruby, State, Value};
use kukla_values::Value as PuppetValue;
use rustc_hash::FxHashMap;
use serde_json::json;

use crate::objects::SharedCollections;
use crate::scope;
use crate::values::{self as crossing, Audience};
use worker::Worker;
pub use worker::Workers;

/// The state of the other Ruby, as one interpreter knows it.
#[derive(Default)]
pub struct External {
    /// The process that is at work for this compilation.
    worker: Option<Worker>,
    /// How many calls of it are going on.
    depth: usize,
    /// The functions and templates that run there, and why.
    pieces: FxHashMap<String, String>,
    /// The library, class or method that was missing at the last failure, if that was the reason.
    missing: Option<String>,
}

/// Notes why something failed: for want of something that another Ruby may have, or for another reason.
pub fn note_failure(ruby: &mut Ruby<'_>, missing: Option<String>) {
    ruby.part::<External>().missing = missing;
}

/// Looks at what the interpreter of a compilation knows, if there is one already.
fn known<T>(vm: &mut Vm<'_>, look: impl FnOnce(&mut External) -> T) -> Option<T> {
    vm.guest_mut::<State>().map(|state| look(state.part()))
}

/// Does something here, or in the other Ruby if it turns out that it cannot be done here.
pub fn here_or_there<T>(
    vm: &mut Vm<'_>,
    piece: &str,
    here: impl FnOnce(&mut Vm<'_>) -> Flow<T>,
    there: impl FnOnce(&mut Vm<'_>) -> Flow<T>,
) -> Flow<T> {
    let Some(other) = vm.world().policy().ruby.clone() else { return here(vm) };
    if known(vm, |external| external.pieces.contains_key(piece)) == Some(true) {
        return there(vm);
    }
    let milestone = vm.milestone();
    let raise = match here(vm) {
        Ok(value) => return Ok(value),
        Err(raise) => raise,
    };
    let Some(reason) = known(vm, |external| external.missing.take()).flatten() else { return Err(raise) };
    if !vm.go_back_to(milestone) {
        let hint =
            format!("it is not run again in {other}, because it has changed the catalog before it failed");
        return Err(raise.into_diagnostic().hint(hint).into());
    }
    vm.warn_once(&format!("external {piece}"), format!("The {piece} runs in {other}: {reason}"));
    known(vm, |external| external.pieces.insert(piece.to_owned(), reason));
    there(vm)
}

/// Arguments as they were before any code has changed them.
fn fresh<T>(ruby: &mut Ruby<'_>, convert: impl FnOnce(&mut Ruby<'_>) -> Result<T>) -> Result<T> {
    let known = std::mem::take(ruby.part::<SharedCollections>());
    let converted = convert(ruby);
    *ruby.part::<SharedCollections>() = known;
    converted
}

fn each_to_json(ruby: &mut Ruby<'_>, list: &[Value]) -> Result<Vec<serde_json::Value>> {
    list.iter().map(|value| values::to_json(ruby, value)).collect()
}

/// The declarations of a function made with `create_function`, unless its file makes no such function: its signatures, the aliases in
/// these, and whether it has a `call` of its own.
pub fn declared(
    ruby: &mut Ruby<'_>,
    workers: &Workers,
    name: &str,
    path: &Path,
) -> Result<Option<(Value, Value, bool)>> {
    let answer = worker::request(ruby, workers, json!({ "do": "declare", "name": name, "path": path }))?;
    let Value::Hash(declared) = answer else { return Ok(None) };
    let mut part =
        |key: &str| -> Result { Ok(ruby.hash_get(&declared, &Value::from(key))?.unwrap_or_default()) };
    Ok(Some((part("dispatches")?, part("aliases")?, part("itself")?.is_true())))
}

/// Calls a method of a function made with `create_function`.
pub fn call(
    ruby: &mut Ruby<'_>,
    workers: &Workers,
    name: &str,
    path: &Path,
    method: &str,
    args: &[Value],
    lambda: Option<(usize, bool)>,
) -> Result {
    let args = each_to_json(ruby, args)?;
    let message = json!({
        "do": "call", "name": name, "path": path, "method": method, "args": args,
        "lambda": lambda.map(|(count, takes_rest)| json!([count, takes_rest])),
    });
    worker::request(ruby, workers, message)
}

/// The arguments of a call, as the code of a function has them.
pub fn arguments(ruby: &mut Ruby<'_>, args: &[PuppetValue], audience: Audience) -> Result<Vec<Value>> {
    fresh(ruby, |ruby| args.iter().map(|arg| crossing::argument(ruby, arg, audience)).collect())
}

/// Calls a function made with `newfunction`; nothing if its file makes no such function.
pub fn call_old(
    ruby: &mut Ruby<'_>,
    workers: &Workers,
    name: &str,
    path: &Path,
    here: u64,
    args: &[PuppetValue],
) -> Result<Option<Value>> {
    let args = arguments(ruby, args, Audience::Old)?;
    let args = each_to_json(ruby, &args)?;
    let scope = scope::object(ruby, here)?;
    let scope = values::to_json(ruby, &scope)?;
    let message = json!({ "do": "call_old", "name": name, "path": path, "scope": scope, "args": args });
    let answer = worker::request(ruby, workers, message)?;
    let missing = ruby.symbol("__missing__");
    Ok((!answer.is_same(&missing)).then_some(answer))
}

/// The text that a template gives.
pub fn render(
    ruby: &mut Ruby<'_>,
    workers: &Workers,
    here: u64,
    path: Option<&Path>,
    text: &str,
    variables: &[(String, PuppetValue)],
) -> Result<String> {
    let mut given = serde_json::Map::new();
    for (name, value) in variables.iter().filter(|(_, value)| !matches!(value, PuppetValue::Undef)) {
        let value = fresh(ruby, |ruby| crossing::to_ruby(ruby, value))?;
        given.insert(name.clone(), values::to_json(ruby, &value)?);
    }
    let scope = scope::object(ruby, here)?;
    let scope = values::to_json(ruby, &scope)?;
    let message = json!({ "do": "render", "path": path, "text": text, "scope": scope, "variables": given });
    let answer = worker::request(ruby, workers, message)?;
    Ok(ruby.display(&answer)?.to_str_lossy().into_owned())
}
