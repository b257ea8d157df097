//! The fields of a struct by name and by place, and all of them.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, iterator, method, methods, quick};
use crate::core::array::index::{dig_on, place};
use crate::core::enumerator::as_many;
use crate::core::structs::{field, members, values};
use crate::error::Result;
use crate::iterate::pair;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::symbol::Symbol;
use crate::value::Value;

pub(super) const METHODS: &[Native] = methods![
    quick("[]", 1, 1, get),
    quick("[]=", 2, 2, set),
    method("dig", 1, ANY, dig),
    iterator("each", 0, 0, each, as_many),
    iterator("each_pair", 0, 0, each_pair, as_many),
    iterator("select", 0, 0, select, as_many).alias("filter"),
    quick("members", 0, 0, member_list),
    method("values_at", 0, ANY, values_at),
    method("to_a", 0, 0, to_a).alias("deconstruct").alias("values"),
    method("to_h", 0, 0, to_h),
    method("deconstruct_keys", 1, 1, deconstruct_keys),
    quick("size", 0, 0, size).alias("length"),
];

/// The member that a name or a place means.
fn member(ruby: &mut Ruby<'_>, this: &Value, by: &Value) -> Result<Symbol> {
    let names = members(ruby, this)?;
    let name = match by {
        Value::Symbol(name) => Some(*name),
        Value::String(_) => Some(ruby.to_symbol(by)?),
        _ => None,
    };
    if let Some(name) = name {
        if names.contains(&name) {
            return Ok(name);
        }
        let message = format!("no member '{}' in struct", ruby.name(name));
        return Err(ruby.error(ClassId::NAME_ERROR, message));
    }
    let index = ruby.to_int(by)?;
    match place(index, names.len()).and_then(|at| names.get(at)) {
        Some(name) => Ok(*name),
        None => {
            let (word, size) = (if index < 0 { "small" } else { "large" }, names.len());
            Err(ruby.index_error(format!("offset {index} too {word} for struct(size:{size})")))
        }
    }
}

fn get(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let name = member(ruby, this, &args[0])?;
    Ok(field(this, name))
}

fn set(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let name = member(ruby, this, &args[0])?;
    ruby.set_instance_variable(this, name, args[1].clone())?;
    Ok(args[1].clone())
}

fn dig(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let names = members(ruby, this)?;
    let found = match &args[0] {
        Value::Symbol(name) if !names.contains(name) => Value::Nil,
        by @ (Value::Symbol(_) | Value::String(_)) => {
            let name = member(ruby, this, by)?;
            field(this, name)
        }
        by => {
            let index = ruby.to_int(by)?;
            let name = place(index, names.len()).and_then(|at| names.get(at));
            name.map_or(Value::Nil, |name| field(this, *name))
        }
    };
    dig_on(ruby, found, args.list.get(1..).unwrap_or_default())
}

fn each(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    for name in members(ruby, this)? {
        ruby.yield_to(block, &[field(this, name)])?;
    }
    Ok(this.clone())
}

fn each_pair(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    for name in members(ruby, this)? {
        ruby.yield_to(block, &[pair(Value::Symbol(name), field(this, name))])?;
    }
    Ok(this.clone())
}

fn select(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let mut chosen = Vec::new();
    for name in members(ruby, this)? {
        let value = field(this, name);
        if ruby.yield_to(block, std::slice::from_ref(&value))?.is_true() {
            chosen.push(value);
        }
    }
    Ok(Value::array(chosen))
}

fn member_list(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let names = members(ruby, this)?;
    Ok(Value::array(names.into_iter().map(Value::Symbol).collect::<Vec<_>>()))
}

fn values_at(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let all = Value::array(values(ruby, this)?);
    let mut found = Vec::new();
    for by in args.list {
        if let Value::Range(_) = by {
            let name = ruby.symbols.intern("values_at");
            let part = ruby.send(&all, name, std::slice::from_ref(by))?;
            found.extend(ruby.to_array(&part)?.to_vec());
        } else {
            let index = ruby.to_int(by)?;
            let name = member(ruby, this, &Value::Int(index))?;
            found.push(field(this, name));
        }
    }
    Ok(Value::array(found))
}

fn to_a(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::array(values(ruby, this)?))
}

/// The fields under their names, changed by the block if there is one.
pub(super) fn to_h(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let names = members(ruby, this)?;
    let pairs: Vec<_> = names.into_iter().map(|name| (Value::Symbol(name), field(this, name))).collect();
    let hash = ruby.make_hash(pairs)?;
    match args.block {
        Some(block) => ruby.call(&hash, crate::symbol::sym::TO_H, &Args::with_block(&[], block)),
        None => Ok(hash),
    }
}

/// The fields that a pattern names, up to the first that is not there.
pub(super) fn deconstruct_keys(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let keys = match &args[0] {
        Value::Nil => return to_h(ruby, this, &Args::default()),
        Value::Array(keys) => keys.to_vec(),
        other => {
            let class = ruby.class_name_of(other);
            return Err(ruby.type_error(format!("wrong argument type {class} (expected Array or nil)")));
        }
    };
    let names = members(ruby, this)?;
    let mut pairs = Vec::new();
    if keys.len() <= names.len() {
        for key in keys {
            let name = match &key {
                Value::Symbol(name) => names.contains(name).then_some(*name),
                Value::String(_) => Some(ruby.to_symbol(&key)?).filter(|name| names.contains(name)),
                index => {
                    let index = ruby.to_int(index)?;
                    place(index, names.len()).and_then(|at| names.get(at).copied())
                }
            };
            let Some(name) = name else { break };
            pairs.push((key, field(this, name)));
        }
    }
    ruby.make_hash(pairs)
}

fn size(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::Int(members(ruby, this)?.len() as i64))
}
