//! `Set`: elements, each once, in the order they were added. It is there without `require 'set'`.

mod change;
mod combine;

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, iterator, method, methods, private, quick};
use crate::core::enumerator::as_many;
use crate::error::{Result, Unwind};
use crate::hash::Table;
use crate::iterate::{Flow, pack};
use crate::proc::ProcObject;
use crate::recursion::Walk;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{HashObject, Object, Value};

/// The class `Set`.
pub const SET: NativeClass = NativeClass {
    includes: &["Enumerable"],
    methods: &[METHODS, change::METHODS, combine::METHODS],
    singleton: &[&[method("allocate", 0, 0, allocate), method("[]", 0, ANY, of_elements)]],
    ..NativeClass::class("Set", "Object")
};

const METHODS: &[Native] = methods![
    private("initialize", 0, 1, initialize),
    private("initialize_copy", 1, 1, initialize_copy).alias("initialize_dup"),
    private("initialize_clone", 1, 2, initialize_clone),
    quick("freeze", 0, 0, freeze),
    quick("size", 0, 0, size).alias("length"),
    method("count", 0, 1, count),
    quick("empty?", 0, 0, |ruby, this, _| Ok(members(ruby, this)?.table().is_empty().into())),
    quick("include?", 1, 1, include).alias("member?").alias("==="),
    iterator("each", 0, 0, each, as_many),
    method("to_a", 0, 0, |ruby, this, _| Ok(Value::array(elements(ruby, this)?))),
    quick("to_set", 0, ANY, to_set),
    method("first", 0, 1, first),
    method("join", 0, 1, join),
    method("==", 1, 1, equal),
    method("eql?", 1, 1, eql),
    method("hash", 0, 0, hash),
    method("inspect", 0, 0, inspect).alias("to_s"),
    method("compare_by_identity", 0, 0, compare_by_identity),
    method("compare_by_identity?", 0, 0, |ruby, this, _| Ok(members(ruby, this)?.table().by_identity.into())),
    method("reset", 0, 0, reset),
];

/// The elements of a set, as keys.
struct Members(Rc<HashObject>);

/// The elements of a set, as keys.
pub(crate) fn members(ruby: &mut Ruby<'_>, this: &Value) -> Result<Rc<HashObject>> {
    if let Value::Object(object) = this {
        if let Some(members) = object.payload::<Members>() {
            return Ok(members.0.clone());
        }
        // A subclass whose `initialize` did not call `super` yet.
        if ruby.is_a(this, ClassId::SET) {
            let members = HashObject::new(ClassId::HASH, Table::new());
            object.set_payload(Members(members.clone()));
            return Ok(members);
        }
    }
    let class = ruby.class_name_of(this);
    Err(ruby.type_error(format!("wrong argument type {class} (expected Set)")))
}

/// The elements of a set, to be changed.
fn members_mut(ruby: &mut Ruby<'_>, this: &Value) -> Result<Rc<HashObject>> {
    let members = members(ruby, this)?;
    ruby.check_frozen(&Value::Hash(members.clone()))?;
    Ok(members)
}

/// The elements in order.
fn elements(ruby: &mut Ruby<'_>, this: &Value) -> Result<Vec<Value>> {
    Ok(members(ruby, this)?.table().iter().map(|entry| entry.key.clone()).collect())
}

fn is_set(ruby: &mut Ruby<'_>, value: &Value) -> bool {
    matches!(value, Value::Object(_)) && ruby.is_a(value, ClassId::SET)
}

/// `ArgumentError` unless a value is a set.
fn need_set(ruby: &mut Ruby<'_>, value: &Value) -> Result<()> {
    if is_set(ruby, value) { Ok(()) } else { Err(ruby.argument_error("value must be a set")) }
}

/// The elements of anything enumerable; a complaint otherwise.
fn elements_of(ruby: &mut Ruby<'_>, value: &Value) -> Result<Vec<Value>> {
    if is_set(ruby, value) {
        return elements(ruby, value);
    }
    let each_entry = ruby.symbols.intern("each_entry");
    match value {
        Value::Array(array) => return Ok(array.to_vec()),
        Value::Nil | Value::Int(_) | Value::Symbol(_) | Value::String(_) => {}
        other if ruby.responds_to(other, each_entry, false)? && !ruby.has_core_each(other, ClassId::HASH) => {
            let inner: Rc<std::cell::RefCell<Vec<Value>>> = Rc::default();
            let gathered = inner.clone();
            let block = ruby.block(-1, move |ruby, args| {
                ruby.charge(1)?;
                gathered.borrow_mut().push(pack(args.list));
                Ok(Value::Nil)
            });
            ruby.call(other, each_entry, &Args::with_block(&[], &block))?;
            return Ok(inner.take());
        }
        other if ruby.responds_to(other, sym::EACH, false)? => {
            return ruby.walk(other, Vec::new(), |_, all, values| {
                all.push(pack(values));
                Ok(Flow::More)
            });
        }
        _ => {}
    }
    Err(not_enumerable(ruby))
}

fn not_enumerable(ruby: &mut Ruby<'_>) -> Box<Unwind> {
    ruby.argument_error("value must be enumerable")
}

/// A set of a class with these elements.
fn make(ruby: &mut Ruby<'_>, class: ClassId, elements: Vec<Value>) -> Result {
    let members = HashObject::new(ClassId::HASH, Table::new());
    for element in elements {
        ruby.hash_set(&members, element, true.into())?;
    }
    Ok(Value::Object(Object::with(class, Members(members))))
}

/// A copy of a set, to be changed.
fn copy(ruby: &mut Ruby<'_>, this: &Value) -> Result<(Value, Rc<HashObject>)> {
    let mut table = members(ruby, this)?.table().clone();
    table.iterating = 0;
    let members = HashObject::new(ClassId::HASH, table);
    let class = ruby.real_class_of(this);
    Ok((Value::Object(Object::with(class, Members(members.clone()))), members))
}

fn allocate(_: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let class = if let Value::Class(class) = this { *class } else { ClassId::SET };
    Ok(Value::Object(Object::with(class, Members(HashObject::new(ClassId::HASH, Table::new())))))
}

fn of_elements(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    ruby.send(this, sym::NEW, &[Value::array(args.list)])
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let members = members_mut(ruby, this)?;
    if args[0].is_nil() {
        return Ok(Value::Nil);
    }
    for element in elements_of(ruby, &args[0])? {
        let element = match args.block {
            Some(block) => ruby.yield_to(block, &[element])?,
            None => element,
        };
        if ruby.class_of(this) == ClassId::SET {
            ruby.hash_set(&members, element, true.into())?;
        } else {
            ruby.send(this, sym::ADD, &[element])?;
        }
    }
    Ok(Value::Nil)
}

fn initialize_copy(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let mut table = members(ruby, &args[0])?.table().clone();
    table.iterating = 0;
    if let Value::Object(object) = this {
        object.set_payload(Members(HashObject::new(ClassId::HASH, table)));
    }
    Ok(this.clone())
}

fn initialize_clone(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    initialize_copy(ruby, this, args)?;
    let (_, keywords) = args.split();
    let wanted = keywords.and_then(|keywords| ruby.keyword(keywords, "freeze"));
    let frozen = members(ruby, &args[0])?.head.is_frozen();
    if wanted.map_or(frozen, |wanted| wanted.is_true() || (wanted.is_nil() && frozen)) {
        members(ruby, this)?.head.freeze();
    }
    Ok(this.clone())
}

fn freeze(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    members(ruby, this)?.head.freeze();
    if let Some(head) = this.head() {
        head.freeze();
    }
    Ok(this.clone())
}

fn size(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::Int(members(ruby, this)?.table().len() as i64))
}

fn count(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if args.is_empty() && args.block.is_none() {
        return size(ruby, this, args);
    }
    crate::core::enumerable::call(ruby, this, "count", args)
}

fn include(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let members = members(ruby, this)?;
    Ok(ruby.hash_find(&members, &args[0])?.is_some().into())
}

fn each(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let members = members(ruby, this)?;
    ruby.walk_hash(&members, |ruby, element, _| {
        ruby.yield_to(block, std::slice::from_ref(element))?;
        Ok(Flow::More)
    })?;
    Ok(this.clone())
}

fn to_set(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let own = ruby.real_class_of(this);
    match args.get(0) {
        None if args.block.is_none() => Ok(this.clone()),
        Some(Value::Class(class)) if *class == own && args.len() == 1 && args.block.is_none() => {
            Ok(this.clone())
        }
        _ => crate::core::enumerable::call(ruby, this, "to_set", args),
    }
}

fn first(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    crate::core::enumerable::call(ruby, this, "first", args)
}

fn join(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let all = Value::array(elements(ruby, this)?);
    ruby.send(&all, sym::JOIN, args.list)
}

fn equal(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if this.is_same(&args[0]) {
        return Ok(true.into());
    }
    if !is_set(ruby, &args[0]) {
        return Ok(false.into());
    }
    let (mine, theirs) = (members(ruby, this)?, members(ruby, &args[0])?);
    if mine.table().len() != theirs.table().len() || mine.table().by_identity != theirs.table().by_identity {
        return Ok(false.into());
    }
    let same = ruby.guarded(Walk::Equal, this, &args[0], |ruby| contains_all(ruby, &theirs, &mine))?;
    Ok(same.unwrap_or(true).into())
}

/// Whether all elements of one set are in another.
fn contains_all(ruby: &mut Ruby<'_>, outer: &HashObject, inner: &HashObject) -> Result<bool> {
    let elements: Vec<Value> = inner.table().iter().map(|entry| entry.key.clone()).collect();
    for element in elements {
        if ruby.hash_find(outer, &element)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn eql(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if !is_set(ruby, &args[0]) {
        return Ok(false.into());
    }
    let (mine, theirs) = (members(ruby, this)?, members(ruby, &args[0])?);
    Ok(ruby.eql(&Value::Hash(mine), &Value::Hash(theirs))?.into())
}

fn hash(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let members = members(ruby, this)?;
    ruby.send(&Value::Hash(members), sym::HASH, &[])
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let class = ruby.class_name_of(this);
    let all = elements(ruby, this)?;
    let shown = ruby.guarded(Walk::Inspect, this, &Value::Nil, |ruby| {
        let mut shown = format!("#<{class}: {{").into_bytes();
        for (index, element) in all.iter().enumerate() {
            if index > 0 {
                shown.extend_from_slice(b", ");
            }
            shown.extend_from_slice(ruby.inspect(element)?.as_bytes());
        }
        shown.extend_from_slice(b"}>");
        Ok(shown)
    })?;
    Ok(shown.map_or_else(|| format!("#<{class}: {{...}}>").into(), Value::str))
}

fn compare_by_identity(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let members = members_mut(ruby, this)?;
    let name = ruby.symbols.intern("compare_by_identity");
    ruby.send(&Value::Hash(members), name, &[])?;
    Ok(this.clone())
}

fn reset(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let members = members_mut(ruby, this)?;
    let name = ruby.symbols.intern("rehash");
    ruby.send(&Value::Hash(members), name, &[])?;
    Ok(this.clone())
}
