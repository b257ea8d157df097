//! Some of the elements: `select`, `reject`, `partition`, `grep`, `uniq`, `take`, `drop`.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ClassId, Native, iterator, method, methods};
use crate::core::enumerable::count;
use crate::core::enumerator::{as_many, unknown};
use crate::error::Result;
use crate::hash::Table;
use crate::iterate::{Flow, pack};
use crate::memory::Gathered;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::value::{HashObject, Value};

pub(super) const METHODS: &[Native] = methods![
    iterator("select", 0, 0, select, as_many).alias("filter").alias("find_all"),
    iterator("reject", 0, 0, reject, as_many),
    iterator("partition", 0, 0, partition, as_many),
    method("grep", 1, 1, |ruby, this, args| grep(ruby, this, args, true)),
    method("grep_v", 1, 1, |ruby, this, args| grep(ruby, this, args, false)),
    method("uniq", 0, 0, uniq),
    method("compact", 0, 0, compact),
    method("take", 1, 1, take),
    iterator("take_while", 0, 0, take_while, unknown),
    method("drop", 1, 1, drop_first),
    iterator("drop_while", 0, 0, drop_while, unknown),
];

fn select(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let block = block.clone();
    let chosen = ruby.walk(this, Gathered::new(), move |ruby, chosen, values| {
        if ruby.yield_packed(&block, values)?.is_true() {
            chosen.push(pack(values));
        }
        Ok(Flow::More)
    })?;
    Ok(Value::array(chosen))
}

fn reject(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let block = block.clone();
    let chosen = ruby.walk(this, Gathered::new(), move |ruby, chosen, values| {
        if !ruby.yield_packed(&block, values)?.is_true() {
            chosen.push(pack(values));
        }
        Ok(Flow::More)
    })?;
    Ok(Value::array(chosen))
}

fn partition(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let block = block.clone();
    let (yes, no) = ruby.walk(this, (Vec::new(), Vec::new()), move |ruby, (yes, no), values| {
        let side = if ruby.yield_packed(&block, values)?.is_true() { yes } else { no };
        side.push(pack(values));
        Ok(Flow::More)
    })?;
    Ok(Value::array(vec![Value::array(yes), Value::array(no)]))
}

fn grep(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, wanted: bool) -> Result {
    let (pattern, block) = (args[0].clone(), args.block.cloned());
    let found = ruby.walk(this, Gathered::new(), move |ruby, found, values| {
        let value = pack(values);
        if ruby.case_eq(&pattern, &value)? == wanted {
            found.push(match &block {
                Some(block) => ruby.yield_to(block, &[value])?,
                None => value,
            });
        }
        Ok(Flow::More)
    })?;
    Ok(Value::array(found))
}

fn uniq(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let block = args.block.cloned();
    let state: (Rc<HashObject>, Vec<Value>) = (HashObject::new(ClassId::HASH, Table::new()), Vec::new());
    let (_, unique) = ruby.walk(this, state, move |ruby, (seen, unique), values| {
        let key = match &block {
            Some(block) => ruby.yield_to(block, values)?,
            None => pack(values),
        };
        if ruby.hash_find(seen, &key)?.is_none() {
            ruby.hash_set(seen, key, Value::Nil)?;
            unique.push(pack(values));
        }
        Ok(Flow::More)
    })?;
    Ok(Value::array(unique))
}

fn compact(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let kept = ruby.walk(this, Gathered::new(), |_, kept, values| {
        let value = pack(values);
        if !value.is_nil() {
            kept.push(value);
        }
        Ok(Flow::More)
    })?;
    Ok(Value::array(kept))
}

/// The first elements, no more than asked for; no further element is looked at.
pub(super) fn take_first(ruby: &mut Ruby<'_>, this: &Value, most: usize) -> Result<Vec<Value>> {
    if most == 0 {
        return Ok(Vec::new());
    }
    ruby.walk(this, Vec::new(), move |_, taken, values| {
        taken.push(pack(values));
        Ok(if taken.len() >= most { Flow::Done } else { Flow::More })
    })
}

fn take(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let most = count(ruby, &args[0], "attempt to take negative size")?;
    Ok(Value::array(take_first(ruby, this, most)?))
}

fn take_while(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let block = block.clone();
    let taken = ruby.walk(this, Gathered::new(), move |ruby, taken, values| {
        if !ruby.yield_to(&block, values)?.is_true() {
            return Ok(Flow::Done);
        }
        taken.push(pack(values));
        Ok(Flow::More)
    })?;
    Ok(Value::array(taken))
}

fn drop_first(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let least = count(ruby, &args[0], "attempt to drop negative size")?;
    let (_, left) = ruby.walk(this, (0, Vec::new()), move |_, (at, left), values| {
        if *at >= least {
            left.push(pack(values));
        }
        *at += 1;
        Ok(Flow::More)
    })?;
    Ok(Value::array(left))
}

fn drop_while(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let block = block.clone();
    let (_, left) = ruby.walk(this, (true, Vec::new()), move |ruby, (dropping, left), values| {
        if *dropping && !ruby.yield_packed(&block, values)?.is_true() {
            *dropping = false;
        }
        if !*dropping {
            left.push(pack(values));
        }
        Ok(Flow::More)
    })?;
    Ok(Value::array(left))
}
