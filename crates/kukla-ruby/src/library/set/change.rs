//! Adding and removing elements.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, Native, iterator, method, methods, quick};
use crate::core::array::if_changed;
use crate::core::enumerator::as_many;
use crate::error::Result;
use crate::iterate::Flow;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::value::Value;

use super::{elements, elements_of, make, members, members_mut};

pub(super) const METHODS: &[Native] = methods![
    quick("add", 1, 1, add).alias("<<"),
    quick("add?", 1, 1, add_or_nil),
    quick("delete", 1, 1, delete),
    quick("delete?", 1, 1, delete_or_nil),
    method("clear", 0, 0, clear),
    method("replace", 1, 1, replace),
    method("merge", 0, ANY, merge),
    method("subtract", 1, 1, subtract),
    iterator("delete_if", 0, 0, |ruby, this, _, block| keep(ruby, this, block, false, false), as_many),
    iterator("keep_if", 0, 0, |ruby, this, _, block| keep(ruby, this, block, true, false), as_many),
    iterator("select!", 0, 0, select_in_place, as_many).alias("filter!"),
    iterator("reject!", 0, 0, |ruby, this, _, block| keep(ruby, this, block, false, true), as_many),
    iterator("map!", 0, 0, map_in_place, as_many).alias("collect!"),
    method("flatten!", 0, 0, flatten_in_place),
    method("flatten", 0, 0, flatten),
];

fn add(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let members = members_mut(ruby, this)?;
    ruby.hash_set(&members, args[0].clone(), true.into())?;
    Ok(this.clone())
}

fn add_or_nil(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let known = members(ruby, this)?;
    if ruby.hash_find(&known, &args[0])?.is_some() {
        return Ok(Value::Nil);
    }
    add(ruby, this, args)
}

fn delete(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let members = members_mut(ruby, this)?;
    ruby.hash_delete(&members, &args[0])?;
    Ok(this.clone())
}

fn delete_or_nil(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let known = members(ruby, this)?;
    if ruby.hash_find(&known, &args[0])?.is_none() {
        return Ok(Value::Nil);
    }
    delete(ruby, this, args)
}

fn clear(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    members_mut(ruby, this)?.table_mut().clear();
    Ok(this.clone())
}

fn replace(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let new = elements_of(ruby, &args[0])?;
    let members = members_mut(ruby, this)?;
    if members.table().iterating > 0 {
        return Err(ruby.runtime_error("can't replace set during iteration"));
    }
    let by_identity = super::is_set(ruby, &args[0]) && super::members(ruby, &args[0])?.table().by_identity;
    {
        let mut table = members.table_mut();
        table.clear();
        table.by_identity = by_identity;
    }
    for element in new {
        ruby.hash_set(&members, element, true.into())?;
    }
    Ok(this.clone())
}

fn merge(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    for other in args.list {
        let more = elements_of(ruby, other)?;
        let members = members_mut(ruby, this)?;
        for element in more {
            ruby.hash_set(&members, element, true.into())?;
        }
    }
    Ok(this.clone())
}

fn subtract(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let less = elements_of(ruby, &args[0])?;
    let members = members_mut(ruby, this)?;
    for element in less {
        ruby.hash_delete(&members, &element)?;
    }
    Ok(this.clone())
}

fn select_in_place(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    keep(ruby, this, block, true, true)
}

fn keep(ruby: &mut Ruby<'_>, this: &Value, block: &Rc<ProcObject>, wanted: bool, or_nil: bool) -> Result {
    let members = members(ruby, this)?;
    let before = members.table().len();
    ruby.walk_hash(&members, |ruby, element, _| {
        if ruby.yield_to(block, std::slice::from_ref(element))?.is_true() != wanted {
            ruby.check_frozen(&Value::Hash(members.clone()))?;
            ruby.hash_delete(&members, element)?;
        }
        Ok(Flow::More)
    })?;
    let changed = members.table().len() != before;
    Ok(if or_nil { if_changed(this, changed) } else { this.clone() })
}

fn map_in_place(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let members = members_mut(ruby, this)?;
    let mut mapped = Vec::new();
    for element in elements(ruby, this)? {
        mapped.push(ruby.yield_to(block, &[element])?);
    }
    {
        let mut table = members.table_mut();
        table.clear();
        table.by_identity = false;
    }
    for element in mapped {
        ruby.hash_set(&members, element, true.into())?;
    }
    Ok(this.clone())
}

/// All elements of sets inside; whether there were any.
fn flatten_into(ruby: &mut Ruby<'_>, this: &Value, flat: &mut Vec<Value>) -> Result<bool> {
    let mut changed = false;
    let all = elements(ruby, this)?;
    let done = ruby.guarded(crate::recursion::Walk::Flatten, this, &Value::Nil, |ruby| {
        for element in all {
            if super::is_set(ruby, &element) {
                changed = true;
                flatten_into(ruby, &element, flat)?;
            } else {
                flat.push(element);
            }
        }
        Ok(())
    })?;
    match done {
        Some(()) => Ok(changed),
        None => Err(ruby.argument_error("tried to flatten recursive Set")),
    }
}

fn flatten(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let mut flat = Vec::new();
    flatten_into(ruby, this, &mut flat)?;
    let class = ruby.real_class_of(this);
    make(ruby, class, flat)
}

fn flatten_in_place(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let mut flat = Vec::new();
    let changed = flatten_into(ruby, this, &mut flat)?;
    if changed {
        replace(ruby, this, &Args::new(&[Value::array(flat)]))?;
    }
    Ok(if_changed(this, changed))
}
