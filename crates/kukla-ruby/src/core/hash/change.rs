//! Adding, removing and replacing entries.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, Native, iterator, method, methods, quick};
use crate::core::array;
use crate::core::enumerator::as_many;
use crate::core::hash::{entries, own, own_mut};
use crate::error::Result;
use crate::iterate::pair;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::value::{HashObject, Value};

pub(super) const METHODS: &[Native] = methods![
    quick("[]=", 2, 2, set).alias("store"),
    quick("delete", 1, 1, delete),
    quick("shift", 0, 0, shift),
    method("clear", 0, 0, clear),
    method("replace", 1, 1, replace),
    method("merge", 0, ANY, merge),
    method("merge!", 0, ANY, update).alias("update"),
    iterator("delete_if", 0, 0, |ruby, this, _, block| keep(ruby, this, block, false, false), as_many),
    iterator("reject!", 0, 0, |ruby, this, _, block| keep(ruby, this, block, false, true), as_many),
    iterator("keep_if", 0, 0, |ruby, this, _, block| keep(ruby, this, block, true, false), as_many),
    iterator("select!", 0, 0, select_in_place, as_many).alias("filter!"),
    method("compact!", 0, 0, compact_in_place),
    iterator("transform_values!", 0, 0, transform_values_in_place, as_many),
    method("transform_keys!", 0, 1, transform_keys_in_place),
];

fn set(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own_mut(ruby, this)?;
    ruby.hash_set(hash, args[0].clone(), args[1].clone())?;
    Ok(args[1].clone())
}

fn delete(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own_mut(ruby, this)?;
    match (ruby.hash_delete(hash, &args[0])?, args.block) {
        (Some(value), _) => Ok(value),
        (None, Some(block)) => ruby.yield_to(block, &[args[0].clone()]),
        (None, None) => Ok(Value::Nil),
    }
}

fn shift(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let hash = own_mut(ruby, this)?;
    let first = hash.table_mut().shift();
    match first {
        Some(entry) => Ok(pair(entry.key, entry.value)),
        None => Ok(Value::Nil),
    }
}

fn clear(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    own_mut(ruby, this)?.table_mut().clear();
    Ok(this.clone())
}

pub(super) fn replace(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own_mut(ruby, this)?;
    let other = ruby.to_hash(&args[0])?;
    if Rc::ptr_eq(hash, &other) {
        return Ok(this.clone());
    }
    if hash.table().iterating > 0 {
        return Err(ruby.runtime_error("can't replace hash during iteration"));
    }
    let mut copy = other.table().clone();
    copy.iterating = 0;
    *hash.table_mut() = copy;
    Ok(this.clone())
}

/// Adds all entries of another hash; the block decides about keys that both have.
pub(super) fn merge_into(
    ruby: &mut Ruby<'_>,
    hash: &HashObject,
    other: &Value,
    block: Option<&Rc<ProcObject>>,
) -> Result<()> {
    let other = ruby.to_hash(other)?;
    for (key, value) in entries(&other) {
        ruby.charge(1)?;
        let value = match block {
            Some(block) => match ruby.hash_get(hash, &key)? {
                Some(old) => ruby.yield_to(block, &[key.clone(), old, value])?,
                None => value,
            },
            None => value,
        };
        ruby.hash_set(hash, key, value)?;
    }
    Ok(())
}

fn merge(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    let mut table = hash.table().clone();
    table.iterating = 0;
    let merged = HashObject::new(ruby.real_class_of(this), table);
    for other in args.list {
        merge_into(ruby, &merged, other, args.block)?;
    }
    Ok(Value::Hash(merged))
}

fn update(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let hash = own_mut(ruby, this)?;
    for other in args.list {
        merge_into(ruby, hash, other, args.block)?;
    }
    Ok(this.clone())
}

fn select_in_place(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    keep(ruby, this, block, true, true)
}

fn keep(ruby: &mut Ruby<'_>, this: &Value, block: &Rc<ProcObject>, wanted: bool, or_nil: bool) -> Result {
    let hash = own_mut(ruby, this)?;
    let before = hash.table().len();
    ruby.walk_hash(hash, |ruby, key, value| {
        if ruby.yield_to(block, &[key.clone(), value.clone()])?.is_true() != wanted {
            ruby.check_frozen(this)?;
            ruby.hash_delete(hash, key)?;
        }
        Ok(crate::iterate::Flow::More)
    })?;
    let changed = hash.table().len() != before;
    Ok(if or_nil { array::if_changed(this, changed) } else { this.clone() })
}

fn compact_in_place(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let hash = own_mut(ruby, this)?;
    let mut table = hash.table_mut();
    let gone: Vec<usize> =
        (0..table.positions()).filter(|at| table.at(*at).is_some_and(|entry| entry.value.is_nil())).collect();
    table.iterating += 1;
    for at in &gone {
        table.remove(*at);
    }
    table.iterating -= 1;
    Ok(array::if_changed(this, !gone.is_empty()))
}

fn transform_values_in_place(
    ruby: &mut Ruby<'_>,
    this: &Value,
    _: &Args<'_>,
    block: &Rc<ProcObject>,
) -> Result {
    let hash = own_mut(ruby, this)?;
    let mut position = 0;
    while position < hash.table().positions() {
        let value = hash.table().at(position).map(|entry| entry.value.clone());
        if let Some(value) = value {
            let value = ruby.yield_to(block, &[value])?;
            ruby.check_frozen(this)?;
            if let Some(slot) = hash.table_mut().value_mut(position) {
                *slot = value;
            }
        }
        position += 1;
    }
    Ok(this.clone())
}

fn transform_keys_in_place(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if args.is_empty() && args.block.is_none() {
        return ruby.enumerator(this, args, as_many);
    }
    let hash = own_mut(ruby, this)?;
    let names = match args.get(0) {
        Some(names) => Some(ruby.to_hash(names)?),
        None => None,
    };
    let made = super::alike(hash);
    for (key, value) in entries(hash) {
        let renamed = super::select::new_key(ruby, names.as_ref(), args.block, &key)?;
        if ruby.hash_find(&made, &key)?.is_none() {
            ruby.hash_delete(hash, &key)?;
        }
        ruby.check_frozen(this)?;
        ruby.hash_set(hash, renamed.clone(), value)?;
        ruby.hash_set(&made, renamed, Value::Nil)?;
    }
    Ok(this.clone())
}
