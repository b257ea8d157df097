//! `ENV`: environment variables, as far as policy allows.

use kukla_world::policy::{Effect, Variables};
use rustc_hash::FxHashSet;

use crate::args::Args;
use crate::class::{ClassId, Native, NativeClass, method, methods};
use crate::core::file::read::complaint;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::{HashObject, Value};

/// `ENV`. It is a module here, as there is one of it and it has no class of its own; it says that it is an `Object`, as Ruby's does.
pub const ENV: NativeClass = NativeClass { singleton: &[METHODS], ..NativeClass::module("ENV") };

const METHODS: &[Native] = methods![
    method("[]", 1, 1, |ruby, _, args| {
        let name = name(ruby, &args[0])?;
        Ok(variable(ruby, &name)?.into())
    }),
    method("fetch", 1, 2, fetch),
    method("key?", 1, 1, has).alias("has_key?").alias("include?").alias("member?"),
    method("[]=", 2, 2, set).alias("store"),
    method("delete", 1, 1, |ruby, _, args| {
        let name = name(ruby, &args[0])?;
        let before = variable(ruby, &name)?;
        overlay(ruby, name, Value::Nil)?;
        Ok(before.into())
    }),
    method("values_at", 0, crate::class::ANY, |ruby, _, args| {
        let mut found = Vec::new();
        for key in args.list {
            let name = name(ruby, key)?;
            found.push(variable(ruby, &name)?.into());
        }
        Ok(Value::array(found))
    }),
    method("to_h", 0, 0, |ruby, _, _| all(ruby)),
    method("to_hash", 0, 0, |ruby, _, _| all(ruby)),
    method("keys", 0, 0, |ruby, _, _| on_all(ruby, "keys", &Args::default())),
    method("values", 0, 0, |ruby, _, _| on_all(ruby, "values", &Args::default())),
    method("each", 0, 0, |ruby, _, args| on_all(ruby, "each", args)),
    method("each_pair", 0, 0, |ruby, _, args| on_all(ruby, "each_pair", args)),
    method("map", 0, 0, |ruby, _, args| on_all(ruby, "map", args)),
    method("select", 0, 0, |ruby, _, args| on_all(ruby, "select", args)),
    method("reject", 0, 0, |ruby, _, args| on_all(ruby, "reject", args)),
    method("slice", 0, crate::class::ANY, |ruby, _, args| on_all(ruby, "slice", args)),
    method("class", 0, 0, |_, _, _| Ok(Value::Class(ClassId::OBJECT))),
    method("to_s", 0, 0, |_, _, _| Ok("ENV".into())),
    method("inspect", 0, 0, |ruby, _, _| on_all(ruby, "inspect", &Args::default())),
];

fn name(ruby: &mut Ruby<'_>, value: &Value) -> Result<String> {
    let text = ruby.to_text(value)?;
    if text.contains(&0) {
        return Err(ruby.argument_error("bad environment variable name: contains null byte"));
    }
    Ok(text.to_str_lossy().into_owned())
}

const CHANGES: &str = "$ environment";

/// The variables that the program set itself, which no other process sees.
fn changes(ruby: &mut Ruby<'_>) -> Option<std::rc::Rc<HashObject>> {
    let name = ruby.symbols.intern(CHANGES);
    match ruby.globals.get(&name) {
        Some(Value::Hash(hash)) => Some(hash.clone()),
        _ => None,
    }
}

fn overlay(ruby: &mut Ruby<'_>, name: String, value: Value) -> Result<()> {
    let hash = match changes(ruby) {
        Some(hash) => hash,
        None => {
            let hash = HashObject::new(ClassId::HASH, crate::hash::Table::new());
            let global = ruby.symbols.intern(CHANGES);
            ruby.globals.insert(global, Value::Hash(hash.clone()));
            hash
        }
    };
    ruby.hash_set(&hash, name.into(), value)
}

/// The value of a variable, if it is set and policy lets code see it.
pub fn variable(ruby: &mut Ruby<'_>, name: &str) -> Result<Option<String>> {
    if let Some(changes) = changes(ruby)
        && let Some(value) = ruby.hash_get(&changes, &name.into())?
    {
        return Ok(match value {
            Value::String(string) => Some(string.text().to_str_lossy().into_owned()),
            _ => None,
        });
    }
    if let Err(refusal) = ruby.host.world().policy().check(Effect::Variable(name)) {
        return hidden(ruby, name, &refusal.to_string());
    }
    match ruby.host.world().env(name) {
        Ok(value) => Ok(value),
        Err(error) => Err(complaint(ruby, name, "getenv", error)),
    }
}

/// The variables that a compilation was refused, each of which is reported once.
#[derive(Default)]
struct Hidden(FxHashSet<Box<str>>);

/// A variable that policy hides. To a script that is an error. Code of a compilation finds it unset, as on a server, whose environment has
/// little in it; most of it asks only to override something.
fn hidden(ruby: &mut Ruby<'_>, name: &str, refusal: &str) -> Result<Option<String>> {
    if !ruby.host.unsets_hidden_variables() {
        return Err(ruby.error(ClassId::SECURITY_ERROR, refusal));
    }
    if ruby.part::<Hidden>().0.insert(name.into()) {
        ruby.host.warn(format!("{refusal}; it counts as unset"));
    }
    Ok(None)
}

fn fetch(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let name = name(ruby, &args[0])?;
    match variable(ruby, &name)? {
        Some(value) => Ok(value.into()),
        None => match (args.block, args.get(1)) {
            (Some(block), _) => ruby.yield_to(block, &args.list[..1]),
            (None, Some(default)) => Ok(default.clone()),
            (None, None) => {
                let shown = ruby.inspect(&args[0])?;
                Err(ruby.error(ClassId::KEY_ERROR, format!("key not found: {}", shown.to_str_lossy())))
            }
        },
    }
}

fn has(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let name = name(ruby, &args[0])?;
    Ok(variable(ruby, &name)?.is_some().into())
}

fn set(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let name = name(ruby, &args[0])?;
    let value = match &args[1] {
        Value::Nil => Value::Nil,
        value => Value::str(ruby.to_text(value)?),
    };
    overlay(ruby, name, value)?;
    Ok(args[1].clone())
}

/// All variables: those that policy lists by name, and those the program set. Who may see all cannot list them, as the world does not.
fn all(ruby: &mut Ruby<'_>) -> Result {
    let compiles = ruby.host.unsets_hidden_variables();
    let listed =
        match &ruby.host.world().policy().variables {
            Variables::Only(names) => names.clone(),
            Variables::Off | Variables::Data if compiles => Vec::new(),
            _ => return Err(ruby.error(
                ClassId::SECURITY_ERROR,
                "seeing all environment variables is not allowed; `--env NAME,NAME` would allow those named",
            )),
        };
    let mut pairs = Vec::new();
    for name in listed {
        if let Some(value) = variable(ruby, &name)? {
            pairs.push((Value::from(name), Value::from(value)));
        }
    }
    if let Some(changes) = changes(ruby) {
        let set: Vec<_> =
            changes.table().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
        pairs.extend(set.into_iter().filter(|(_, value)| !value.is_nil()));
    }
    ruby.make_hash(pairs)
}

fn on_all(ruby: &mut Ruby<'_>, method: &str, args: &Args<'_>) -> Result {
    let hash = all(ruby)?;
    let method = ruby.symbols.intern(method);
    ruby.call(&hash, method, args)
}
