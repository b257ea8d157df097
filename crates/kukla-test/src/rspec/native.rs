//! The classes in Rust that the helpers in Ruby build on.

use std::rc::Rc;

use kukla::catalog::ResourceRef;
use kukla::extensions::guest;
use kukla::values::Value as PuppetValue;
use kukla::values::binary::Binary;
use kukla::values::richdata::{TYPE_KEY, VALUE_KEY};
use kukla_ruby::class::{Native, NativeClass, method};
use kukla_ruby::text::Text;
use kukla_ruby::value::Object;
use kukla_ruby::{Args, Result, Ruby, Unwind, Value};

use crate::rspec::bench::{Bench, CatalogOrError};
use crate::rspec::catalog::CompiledCatalog;
use crate::rspec::facts;
use crate::rspec::request::{self, Request};

/// The classes.
pub static CLASSES: &[NativeClass] = &[
    NativeClass::module("Kukla"),
    NativeClass { singleton: &[SUITE], ..NativeClass::module("Kukla::Suite") },
    NativeClass { methods: &[CATALOG], ..NativeClass::class("Kukla::Catalog", "Object") },
];

const SUITE: &[Native] = &[
    method("compile", 1, 1, |ruby, _, args| compile(ruby, args, false)),
    method("compile_here", 1, 1, |ruby, _, args| compile(ruby, args, true)),
    method("in_compilation", 1, 1, in_compilation),
    method("fact_sets", 0, 0, |ruby, _, _| facts::list(ruby)),
    method("fact_set", 1, 1, |ruby, _, args| facts::one(ruby, &args[0])),
];

const CATALOG: &[Native] = &[
    method("position", 2, 2, |ruby, this, args| position(ruby, this, args, CompiledCatalog::titled)),
    method("named", 2, 2, |ruby, this, args| position(ruby, this, args, CompiledCatalog::position)),
    method("namevar", 1, 1, namevar),
    method("name_of", 1, 1, name_of),
    method("resource", 1, 1, resource),
    method("size", 0, 0, |ruby, this, _| Ok(Value::Int(catalog(ruby, this)?.catalog.resources.len() as i64))),
    method("classes", 0, 0, classes),
    method("cycles", 0, 0, cycles),
    method("refusals", 0, 0, refusals),
    method("missing_dependency", 0, 0, missing_dependency),
    method("containers", 1, 1, containers),
    method("relate", 3, 3, relate),
    method("precedes?", 2, 2, precedes),
    method("notifies?", 2, 2, notifies),
];

/// The bench of the file that an interpreter runs.
#[derive(Default)]
struct OwnBench(Option<Rc<Bench>>);

/// Gives an interpreter its bench.
pub fn set_bench(ruby: &mut Ruby<'_>, bench: &Rc<Bench>) {
    ruby.part::<OwnBench>().0 = Some(Rc::clone(bench));
}

fn bench(ruby: &mut Ruby<'_>) -> Result<Rc<Bench>> {
    match &ruby.part::<OwnBench>().0 {
        Some(bench) => Ok(Rc::clone(bench)),
        None => Err(ruby.runtime_error("no suite is running")),
    }
}

fn compile(ruby: &mut Ruby<'_>, args: &Args<'_>, is_here: bool) -> Result {
    let bench = bench(ruby)?;
    let request = Request::from_ruby(ruby, &args[0])?;
    let compiled: CatalogOrError = match is_here {
        true => request.compile_with(&bench, ruby),
        false => request.compile(&bench),
    };
    match compiled {
        Ok(catalog) => {
            let class = ruby.class_named("Kukla::Catalog")?;
            Ok(Value::Object(Object::with(class, catalog)))
        }
        Err(message) => Err(puppet_error(ruby, &message)),
    }
}

fn puppet_error(ruby: &mut Ruby<'_>, message: &str) -> Box<Unwind> {
    match ruby.class_named("Puppet::PreformattedError") {
        Ok(class) => ruby.error(class, message),
        Err(unwind) => unwind,
    }
}

/// Runs a block in a compilation of its own, with the interpreter that runs now.
fn in_compilation(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let bench = bench(ruby)?;
    let block = Rc::clone(ruby.need_block(args)?);
    let request = Request::from_ruby(ruby, &args[0])?;
    let site = match request.site(&bench) {
        Ok(site) => site,
        Err(failure) => return Err(puppet_error(ruby, &request::message(&failure, &request.node().name))),
    };
    let outcome = ruby.lend(|state| {
        site.run_ruby(request.node(), Some(state), |ruby| {
            guest::share_scopes(ruby, true);
            let result = ruby.yield_to(&block, &[]);
            guest::share_scopes(ruby, false);
            guest::forget_collections(ruby);
            Ok(result)
        })
    });
    match outcome.result {
        Ok(result) => result,
        Err(failure) => Err(puppet_error(ruby, &request::message(&failure, &request.node().name))),
    }
}

fn catalog(ruby: &mut Ruby<'_>, this: &Value) -> Result<Rc<CompiledCatalog>> {
    if let Value::Object(object) = this
        && let Some(catalog) = object.payload::<Rc<CompiledCatalog>>()
    {
        return Ok(Rc::clone(&catalog));
    }
    Err(ruby.runtime_error("not a catalog"))
}

fn text(ruby: &mut Ruby<'_>, value: &Value) -> Result<String> {
    Ok(ruby.display(value)?.to_str_lossy().into_owned())
}

fn index(ruby: &mut Ruby<'_>, catalog: &CompiledCatalog, value: &Value) -> Result<u32> {
    let at = ruby.to_int(value)?;
    match u32::try_from(at).ok().filter(|at| (*at as usize) < catalog.catalog.resources.len()) {
        Some(at) => Ok(at),
        None => Err(ruby.argument_error(format!("no resource {at}"))),
    }
}

fn position(
    ruby: &mut Ruby<'_>,
    this: &Value,
    args: &Args<'_>,
    find: fn(&CompiledCatalog, &str, &str) -> Option<u32>,
) -> Result {
    let catalog = catalog(ruby, this)?;
    let (type_name, title) = (text(ruby, &args[0])?, text(ruby, &args[1])?);
    Ok(find(&catalog, &type_name, &title).map_or(Value::Nil, |at| Value::Int(at.into())))
}

fn namevar(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let catalog = catalog(ruby, this)?;
    let type_name = text(ruby, &args[0])?;
    Ok(catalog.namevar(&type_name).map_or(Value::Nil, Value::from))
}

fn name_of(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let catalog = catalog(ruby, this)?;
    let at = index(ruby, &catalog, &args[0])?;
    Ok(Value::from(catalog.name_of(at)))
}

/// The parts of a resource: type, title, attributes, file, line, exported, virtual, kind, tags.
fn resource(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let catalog = catalog(ruby, this)?;
    let at = index(ruby, &catalog, &args[0])?;
    let resource = &catalog.catalog.resources[at as usize];
    let mut attributes = Vec::with_capacity(resource.parameters.len());
    for (name, value) in &resource.parameters {
        let value = match resource.is_sensitive(name) && !is_rich(value, "Sensitive") {
            true => sensitive(ruby, value)?,
            false => shown(ruby, value)?,
        };
        attributes.push((ruby.symbol(name), value));
    }
    let attributes = ruby.make_hash(attributes)?;
    let tags = resource.tags.iter().map(|tag| Value::from(tag.as_str())).collect::<Vec<_>>();
    Ok(Value::array(vec![
        Value::from(resource.type_name.as_str()),
        Value::from(resource.title.as_str()),
        attributes,
        resource.file.as_ref().map_or(Value::Nil, |file| Value::from(file.as_str())),
        resource.line.map_or(Value::Nil, |line| Value::Int(line.into())),
        Value::Bool(resource.exported),
        Value::Bool(resource.is_virtual),
        Value::from(resource.kind.name()),
        Value::array(tags),
    ]))
}

fn is_rich(value: &PuppetValue, kind: &str) -> bool {
    value.as_hash().and_then(|entries| entries.get(TYPE_KEY)?.as_str()) == Some(kind)
}

fn sensitive(ruby: &mut Ruby<'_>, value: &PuppetValue) -> Result {
    let inside = shown(ruby, value)?;
    let class = ruby.class_named("RSpec::Puppet::Sensitive")?;
    let new = ruby.symbols.intern("new");
    ruby.send(&Value::Class(class), new, &[inside])
}

/// A value of a catalog as Ruby sees it: a fresh one, since examples may change it.
fn shown(ruby: &mut Ruby<'_>, value: &PuppetValue) -> Result {
    Ok(match value {
        PuppetValue::Array(values) => {
            let values: Result<Vec<Value>> = values.iter().map(|value| shown(ruby, value)).collect();
            Value::array(values?)
        }
        PuppetValue::Hash(entries) => {
            match (entries.get(TYPE_KEY).and_then(PuppetValue::as_str), entries.get(VALUE_KEY)) {
                (Some("Sensitive"), Some(inside)) => sensitive(ruby, inside)?,
                (Some("Default"), _) => ruby.symbol("default"),
                (Some("Binary"), Some(inside)) => {
                    bytes(&Binary::from_relaxed(inside.as_str().unwrap_or_default()))
                }
                (Some("Regexp"), Some(inside)) => Value::from(inside.as_str().unwrap_or_default()),
                (Some(kind), Some(inside)) if kind != "Deferred" && kind != "Hash" => shown(ruby, inside)?,
                _ => {
                    let mut pairs = Vec::new();
                    for (key, value) in entries {
                        pairs.push((shown(ruby, key)?, shown(ruby, value)?));
                    }
                    ruby.make_hash(pairs)?
                }
            }
        }
        PuppetValue::Sensitive(inside) => sensitive(ruby, inside)?,
        PuppetValue::Binary(binary) => bytes(binary),
        other => guest::to_ruby(ruby, other)?,
    })
}

/// A binary value is a string of its bytes.
fn bytes(binary: &Binary) -> Value {
    binary.to_text().map_or_else(|_| Value::str(Text::binary(binary.0.to_vec())), Value::str)
}

fn strings<'a>(texts: impl IntoIterator<Item = &'a str>) -> Value {
    Value::array(texts.into_iter().map(Value::from).collect::<Vec<_>>())
}

fn classes(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let catalog = catalog(ruby, this)?;
    Ok(strings(catalog.catalog.classes.iter().map(|name| name.as_str())))
}

fn cycles(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let catalog = catalog(ruby, this)?;
    let cycles: Vec<String> =
        catalog.cycles().iter().map(|cycle| format!("({})", cycle.join(" => "))).collect();
    Ok(strings(cycles.iter().map(String::as_str)))
}

fn refusals(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let catalog = catalog(ruby, this)?;
    Ok(strings(catalog.refusals().iter().map(String::as_str)))
}

fn missing_dependency(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let catalog = catalog(ruby, this)?;
    Ok(catalog.missing_dependency().map_or(Value::Nil, Value::from))
}

fn containers(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let catalog = catalog(ruby, this)?;
    let at = index(ruby, &catalog, &args[0])?;
    Ok(Value::array(
        catalog.with_containers(at).into_iter().map(|at| Value::Int(at.into())).collect::<Vec<_>>(),
    ))
}

/// Notes that a resource is related to another because of its type.
fn relate(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let catalog = catalog(ruby, this)?;
    let at = index(ruby, &catalog, &args[0])?;
    let (attribute, other) = (text(ruby, &args[1])?, text(ruby, &args[2])?);
    if let Some(other) = ResourceRef::parse(&other) {
        catalog.added.borrow_mut().entry((at, attribute)).or_default().push(other);
    }
    Ok(Value::Nil)
}

fn precedes(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let catalog = catalog(ruby, this)?;
    let (first, second) = (index(ruby, &catalog, &args[0])?, index(ruby, &catalog, &args[1])?);
    Ok(Value::Bool(catalog.precedes(first, second)))
}

fn notifies(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let catalog = catalog(ruby, this)?;
    let (first, second) = (index(ruby, &catalog, &args[0])?, index(ruby, &catalog, &args[1])?);
    Ok(Value::Bool(catalog.notifies(first, second)))
}
