//! Adding, removing and replacing elements.

use crate::args::Args;
use crate::class::{ANY, Native, method, methods, quick};
use crate::core::array::{index, own_mut};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

pub(super) const METHODS: &[Native] = methods![
    quick("<<", 1, 1, append),
    quick("push", 0, ANY, push).alias("append"),
    quick("pop", 0, 1, pop),
    quick("shift", 0, 1, shift),
    method("unshift", 0, ANY, unshift).alias("prepend"),
    method("concat", 0, ANY, concat),
    method("replace", 1, 1, replace),
    quick("clear", 0, 0, clear),
    method("delete", 1, 1, delete),
];

fn append(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    own_mut(ruby, this)?.items_mut().push(args[0].clone());
    Ok(this.clone())
}

fn push(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    own_mut(ruby, this)?.items_mut().extend(args.list.iter().cloned());
    Ok(this.clone())
}

fn pop(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own_mut(ruby, this)?;
    let Some(count) = args.get(0) else { return Ok(array.items_mut().pop().unwrap_or_default()) };
    let count = index::how_many(ruby, count)?;
    let mut items = array.items_mut();
    let items = items.as_vec();
    let taken = items.split_off(items.len().saturating_sub(count));
    Ok(Value::array(taken))
}

fn shift(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own_mut(ruby, this)?;
    let Some(count) = args.get(0) else { return Ok(array.items_mut().shift().unwrap_or_default()) };
    let count = index::how_many(ruby, count)?;
    let mut items = array.items_mut();
    let count = count.min(items.len());
    let taken: Vec<Value> = items.as_vec().drain(..count).collect();
    Ok(Value::array(taken))
}

fn unshift(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own_mut(ruby, this)?;
    match args.list {
        [] => {}
        [one] => array.items_mut().unshift(one.clone()),
        several => drop(array.items_mut().as_vec().splice(0..0, several.to_vec())),
    }
    Ok(this.clone())
}

fn concat(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own_mut(ruby, this)?;
    let mut added = Vec::new();
    for list in args.list {
        added.extend(ruby.to_array(list)?.to_vec());
    }
    ruby.charge(added.len() as u64)?;
    array.items_mut().extend(added);
    Ok(this.clone())
}

pub(super) fn replace(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own_mut(ruby, this)?;
    let items = ruby.to_array(&args[0])?.to_vec();
    *array.items_mut() = items.into();
    Ok(this.clone())
}

fn clear(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    own_mut(ruby, this)?.items_mut().clear();
    Ok(this.clone())
}

fn delete(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = crate::core::array::own(ruby, this)?;
    let mut found = None;
    let (mut from, mut to) = (0, 0);
    while let Some(value) = array.get(from) {
        if ruby.eq(&value, &args[0])? {
            if found.is_none() {
                ruby.check_frozen(this)?;
            }
            found = Some(value);
        } else {
            if from != to
                && let Some(slot) = array.items_mut().get_mut(to)
            {
                *slot = value;
            }
            to += 1;
        }
        from += 1;
    }
    match (found, args.block) {
        (Some(found), _) => {
            let mut items = array.items_mut();
            let length = items.len();
            items.as_vec().truncate(to.min(length));
            Ok(found)
        }
        (None, Some(block)) => ruby.yield_to(block, &[args[0].clone()]),
        (None, None) => Ok(Value::Nil),
    }
}
