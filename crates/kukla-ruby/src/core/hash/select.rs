//! Hashes made of some or changed entries: `select`, `slice`, `transform_values`, `invert`, `flatten`.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, iterator, method, methods};
use crate::core::enumerator::as_many;
use crate::core::hash::{alike, entries, own};
use crate::error::Result;
use crate::hash::Table;
use crate::iterate::{Flow, pair};
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::value::{HashObject, Value};

pub(super) const METHODS: &[Native] = methods![
    iterator("select", 0, 0, select, as_many).alias("filter"),
    iterator("reject", 0, 0, |ruby, this, _, block| choose(ruby, this, block, false), as_many),
    method("slice", 0, ANY, slice),
    method("except", 0, ANY, except),
    method("compact", 0, 0, compact),
    iterator("transform_values", 0, 0, transform_values, as_many),
    method("transform_keys", 0, 1, transform_keys),
    method("invert", 0, 0, invert),
    method("flatten", 0, 1, flatten),
];

fn select(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    choose(ruby, this, block, true)
}

fn choose(ruby: &mut Ruby<'_>, this: &Value, block: &Rc<ProcObject>, wanted: bool) -> Result {
    let hash = own(ruby, this)?;
    let chosen = alike(hash);
    ruby.walk_hash(hash, |ruby, key, value| {
        if ruby.yield_to(block, &[key.clone(), value.clone()])?.is_true() == wanted {
            ruby.hash_set(&chosen, key.clone(), value.clone())?;
        }
        Ok(Flow::More)
    })?;
    Ok(Value::Hash(chosen))
}

fn slice(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    let chosen = alike(hash);
    for key in args.list {
        if let Some(value) = ruby.hash_get(hash, key)? {
            ruby.hash_set(&chosen, key.clone(), value)?;
        }
    }
    Ok(Value::Hash(chosen))
}

fn except(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    let left = alike(hash);
    for (key, value) in entries(hash) {
        ruby.hash_set(&left, key, value)?;
    }
    for key in args.list {
        ruby.hash_delete(&left, key)?;
    }
    Ok(Value::Hash(left))
}

fn compact(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    let left = alike(hash);
    for (key, value) in entries(hash) {
        if !value.is_nil() {
            ruby.hash_set(&left, key, value)?;
        }
    }
    Ok(Value::Hash(left))
}

fn transform_values(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let hash = own(ruby, this)?;
    let made = alike(hash);
    ruby.walk_hash(hash, |ruby, key, value| {
        let value = ruby.yield_to(block, std::slice::from_ref(value))?;
        ruby.hash_set(&made, key.clone(), value)?;
        Ok(Flow::More)
    })?;
    Ok(Value::Hash(made))
}

/// The new name of a key: from the hash of names, else from the block, else unchanged.
pub(super) fn new_key(
    ruby: &mut Ruby<'_>,
    names: Option<&Rc<HashObject>>,
    block: Option<&Rc<ProcObject>>,
    key: &Value,
) -> Result {
    if let Some(names) = names
        && let Some(name) = ruby.hash_get(names, key)?
    {
        return Ok(name);
    }
    match block {
        Some(block) => ruby.yield_to(block, std::slice::from_ref(key)),
        None => Ok(key.clone()),
    }
}

fn transform_keys(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if args.is_empty() && args.block.is_none() {
        return ruby.enumerator(this, args, as_many);
    }
    let hash = own(ruby, this)?;
    let names = match args.get(0) {
        Some(names) => Some(ruby.to_hash(names)?),
        None => None,
    };
    let made = HashObject::new(ClassId::HASH, Table::new());
    ruby.walk_hash(hash, |ruby, key, value| {
        let key = new_key(ruby, names.as_ref(), args.block, key)?;
        ruby.hash_set(&made, key, value.clone())?;
        Ok(Flow::More)
    })?;
    Ok(Value::Hash(made))
}

fn invert(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    let pairs: Vec<_> = entries(hash).into_iter().map(|(key, value)| (value, key)).collect();
    ruby.make_hash(pairs)
}

fn flatten(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let depth = match args.get(0) {
        Some(depth) => ruby.to_int(depth)?,
        None => 1,
    };
    let hash = own(ruby, this)?;
    if depth == 0 {
        let pairs: Vec<Value> = entries(hash).into_iter().map(|(key, value)| pair(key, value)).collect();
        return Ok(Value::array(pairs));
    }
    let flat: Vec<Value> = entries(hash).into_iter().flat_map(|(key, value)| [key, value]).collect();
    if depth == 1 {
        return Ok(Value::array(flat));
    }
    let rest = if depth < 0 { depth } else { depth - 1 };
    ruby.send(&Value::array(flat), crate::symbol::sym::FLATTEN, &[Value::Int(rest)])
}
