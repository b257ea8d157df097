//! Some of the elements, as a new array or in place.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ClassId, Native, iterator, method, methods};
use crate::core::array::{if_changed, own, own_mut};
use crate::core::enumerable::count;
use crate::core::enumerator::{as_many, unknown};
use crate::error::Result;
use crate::hash::Table;
use crate::iterate::Flow;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::value::{ArrayObject, HashObject, Value};

pub(super) const METHODS: &[Native] = methods![
    iterator("select", 0, 0, select, as_many).alias("filter").alias("find_all"),
    iterator("reject", 0, 0, |ruby, this, _, block| choose(ruby, this, block, false), as_many),
    iterator("select!", 0, 0, select_in_place, as_many).alias("filter!"),
    iterator("reject!", 0, 0, |ruby, this, _, block| keep_or_nil(ruby, this, block, false), as_many),
    iterator("keep_if", 0, 0, |ruby, this, _, block| keep(ruby, this, block, true), as_many),
    iterator("delete_if", 0, 0, |ruby, this, _, block| keep(ruby, this, block, false), as_many),
    method("uniq", 0, 0, uniq),
    method("uniq!", 0, 0, uniq_in_place),
    method("compact", 0, 0, compact),
    method("compact!", 0, 0, compact_in_place),
    method("take", 1, 1, take),
    iterator("take_while", 0, 0, take_while, unknown),
    method("drop", 1, 1, drop_first),
    iterator("drop_while", 0, 0, drop_while, unknown),
];

fn select(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    choose(ruby, this, block, true)
}

fn select_in_place(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    keep_or_nil(ruby, this, block, true)
}

fn choose(ruby: &mut Ruby<'_>, this: &Value, block: &Rc<ProcObject>, wanted: bool) -> Result {
    let array = own(ruby, this)?;
    let mut chosen = Vec::new();
    ruby.walk_array(array, |ruby, value| {
        if ruby.yield_to(block, std::slice::from_ref(value))?.is_true() == wanted {
            chosen.push(value.clone());
        }
        Ok(Flow::More)
    })?;
    Ok(Value::array(chosen))
}

/// Keeps elements in place; whether some were removed. What the block was not asked about when it ended early stays.
fn keep_where(ruby: &mut Ruby<'_>, this: &Value, block: &Rc<ProcObject>, wanted: bool) -> Result<bool> {
    let array = own_mut(ruby, this)?;
    let (mut from, mut to) = (0, 0);
    let mut ended = Ok(());
    while let Some(value) = array.get(from) {
        match ruby.yield_to(block, std::slice::from_ref(&value)) {
            Ok(answer) if answer.is_true() == wanted => {
                if from != to
                    && let Some(slot) = array.items_mut().get_mut(to)
                {
                    *slot = value;
                }
                to += 1;
            }
            Ok(_) => {}
            Err(unwind) => {
                ended = Err(unwind);
                break;
            }
        }
        from += 1;
    }
    let mut items = array.items_mut();
    let length = items.len();
    if to < from {
        items.as_vec().drain(to.min(length)..from.min(length));
    }
    ended.map(|()| to < from)
}

fn keep_or_nil(ruby: &mut Ruby<'_>, this: &Value, block: &Rc<ProcObject>, wanted: bool) -> Result {
    let changed = keep_where(ruby, this, block, wanted)?;
    Ok(if_changed(this, changed))
}

fn keep(ruby: &mut Ruby<'_>, this: &Value, block: &Rc<ProcObject>, wanted: bool) -> Result {
    keep_where(ruby, this, block, wanted)?;
    Ok(this.clone())
}

/// The first of all elements that count as the same.
pub(super) fn unique(
    ruby: &mut Ruby<'_>,
    array: &Rc<ArrayObject>,
    block: Option<&Rc<ProcObject>>,
) -> Result<Vec<Value>> {
    let seen = HashObject::new(ClassId::HASH, Table::new());
    let mut unique = Vec::new();
    ruby.walk_array(array, |ruby, value| {
        let key = match block {
            Some(block) => ruby.yield_to(block, std::slice::from_ref(value))?,
            None => value.clone(),
        };
        if ruby.hash_add(&seen, key, Value::Nil)? {
            unique.push(value.clone());
        }
        Ok(Flow::More)
    })?;
    Ok(unique)
}

fn uniq(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own(ruby, this)?;
    Ok(Value::array(unique(ruby, array, args.block)?))
}

fn uniq_in_place(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own_mut(ruby, this)?;
    let unique = unique(ruby, array, args.block)?;
    let changed = unique.len() != array.len();
    if changed {
        ruby.check_frozen(this)?;
        *array.items_mut() = unique.into();
    }
    Ok(if_changed(this, changed))
}

fn compact(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let array = own(ruby, this)?;
    let kept: Vec<Value> = array.items().iter().filter(|value| !value.is_nil()).cloned().collect();
    Ok(Value::array(kept))
}

fn compact_in_place(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let array = own_mut(ruby, this)?;
    let mut items = array.items_mut();
    let before = items.len();
    items.as_vec().retain(|value| !value.is_nil());
    Ok(if_changed(this, items.len() != before))
}

fn take(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let most = count(ruby, &args[0], "attempt to take negative size")?;
    let items = own(ruby, this)?.items();
    Ok(Value::array(&items[..most.min(items.len())]))
}

fn drop_first(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let least = count(ruby, &args[0], "attempt to drop negative size")?;
    let items = own(ruby, this)?.items();
    Ok(Value::array(&items[least.min(items.len())..]))
}

/// The place of the first element for which the block is not true.
fn end_of_prefix(ruby: &mut Ruby<'_>, this: &Value, block: &Rc<ProcObject>) -> Result<usize> {
    let array = own(ruby, this)?;
    let mut index = 0;
    ruby.walk_array(array, |ruby, value| {
        if !ruby.yield_to(block, std::slice::from_ref(value))?.is_true() {
            return Ok(Flow::Done);
        }
        index += 1;
        Ok(Flow::More)
    })?;
    Ok(index.min(array.len()))
}

fn take_while(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let end = end_of_prefix(ruby, this, block)?;
    let items = own(ruby, this)?.items();
    Ok(Value::array(&items[..end.min(items.len())]))
}

fn drop_while(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let end = end_of_prefix(ruby, this, block)?;
    let items = own(ruby, this)?.items();
    Ok(Value::array(&items[end.min(items.len())..]))
}
