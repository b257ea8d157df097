//! Sets held against others: unions, intersections, subsets, divisions.

use std::cmp::Ordering;

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ClassId, Native, iterator, method, methods};
use crate::core::enumerator::as_many;
use crate::error::Result;
use crate::hash::Table;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{HashObject, Value};

use super::{contains_all, copy, elements, elements_of, is_set, make, members, need_set};

pub(super) const METHODS: &[Native] = methods![
    method("|", 1, 1, union).alias("+").alias("union"),
    method("&", 1, 1, intersection).alias("intersection"),
    method("-", 1, 1, difference).alias("difference"),
    method("^", 1, 1, either),
    method("subset?", 1, 1, subset).alias("<="),
    method("proper_subset?", 1, 1, proper_subset).alias("<"),
    method("superset?", 1, 1, superset).alias(">="),
    method("proper_superset?", 1, 1, proper_superset).alias(">"),
    method("<=>", 1, 1, compare),
    method("intersect?", 1, 1, |ruby, this, args| Ok(meets(ruby, this, &args[0])?.into())),
    method("disjoint?", 1, 1, |ruby, this, args| Ok((!meets(ruby, this, &args[0])?).into())),
    iterator("classify", 0, 0, classify, as_many),
    iterator("divide", 0, 0, divide, as_many),
];

fn union(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let more = elements_of(ruby, &args[0])?;
    let (set, members) = copy(ruby, this)?;
    for element in more {
        ruby.hash_set(&members, element, true.into())?;
    }
    Ok(set)
}

fn intersection(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let mut among = members(ruby, this)?;
    let mut elements = elements_of(ruby, &args[0])?;
    // The order is that of the smaller set.
    if is_set(ruby, &args[0]) && elements.len() > among.table().len() {
        elements = elements_of(ruby, this)?;
        among = members(ruby, &args[0])?;
    }
    let mut common = Vec::new();
    for element in elements {
        if ruby.hash_find(&among, &element)?.is_some() {
            common.push(element);
        }
    }
    let class = ruby.real_class_of(this);
    make(ruby, class, common)
}

fn difference(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let less = elements_of(ruby, &args[0])?;
    let (set, members) = copy(ruby, this)?;
    for element in less {
        ruby.hash_delete(&members, &element)?;
    }
    Ok(set)
}

fn either(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let theirs = if args[0].is_nil() { Vec::new() } else { elements_of(ruby, &args[0])? };
    let class = ruby.real_class_of(this);
    let set = make(ruby, class, theirs)?;
    let result = members(ruby, &set)?;
    for element in elements(ruby, this)? {
        if ruby.hash_delete(&result, &element)?.is_none() {
            ruby.hash_set(&result, element, true.into())?;
        }
    }
    Ok(set)
}

fn lies_within(ruby: &mut Ruby<'_>, inner: &Value, outer: &Value, strictly: bool) -> Result<bool> {
    let (inner, outer) = (members(ruby, inner)?, members(ruby, outer)?);
    let (small, large) = (inner.table().len(), outer.table().len());
    if small > large || (strictly && small == large) {
        return Ok(false);
    }
    contains_all(ruby, &outer, &inner)
}

fn within(ruby: &mut Ruby<'_>, this: &Value, other: &Value, strictly: bool) -> Result {
    need_set(ruby, other)?;
    Ok(lies_within(ruby, this, other, strictly)?.into())
}

fn around(ruby: &mut Ruby<'_>, this: &Value, other: &Value, strictly: bool) -> Result {
    need_set(ruby, other)?;
    Ok(lies_within(ruby, other, this, strictly)?.into())
}

fn subset(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    within(ruby, this, &args[0], false)
}

fn proper_subset(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    within(ruby, this, &args[0], true)
}

fn superset(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    around(ruby, this, &args[0], false)
}

fn proper_superset(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    around(ruby, this, &args[0], true)
}

fn compare(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let other = &args[0];
    if !is_set(ruby, other) {
        return Ok(Value::Nil);
    }
    let (mine, theirs) = (members(ruby, this)?.table().len(), members(ruby, other)?.table().len());
    let order = mine.cmp(&theirs);
    let holds = match order {
        Ordering::Less => lies_within(ruby, this, other, true)?,
        Ordering::Equal => ruby.eq(this, other)?,
        Ordering::Greater => lies_within(ruby, other, this, true)?,
    };
    Ok(if holds { Value::Int(order as i64) } else { Value::Nil })
}

/// Whether they have an element in common.
fn meets(ruby: &mut Ruby<'_>, this: &Value, other: &Value) -> Result<bool> {
    let mine = members(ruby, this)?;
    for element in elements_of(ruby, other)? {
        if ruby.hash_find(&mine, &element)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn classify(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let class = ruby.real_class_of(this);
    let hash = HashObject::new(ClassId::HASH, Table::new());
    for element in elements(ruby, this)? {
        let key = ruby.yield_to(block, std::slice::from_ref(&element))?;
        match ruby.hash_get(&hash, &key)? {
            Some(set) => drop(ruby.send(&set, sym::ADD, &[element])?),
            None => {
                let set = make(ruby, class, vec![element])?;
                ruby.hash_set(&hash, key, set)?;
            }
        }
    }
    Ok(Value::Hash(hash))
}

/// Parts whose elements the block gives the same value, or, if it takes two, that it connects.
fn divide(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let arity_name = ruby.symbols.intern("arity");
    let arity = ruby.send(&Value::Proc(block.clone()), arity_name, &[])?;
    let class = ruby.real_class_of(this);
    if !matches!(arity, Value::Int(2)) {
        let Value::Hash(classes) = classify(ruby, this, args, block)? else { return Ok(Value::Nil) };
        let parts = classes.table().iter().map(|entry| entry.value.clone()).collect();
        return make(ruby, class, parts);
    }
    let all = elements(ruby, this)?;
    ruby.charge((all.len() * all.len()) as u64)?;
    let mut linked = vec![vec![false; all.len()]; all.len()];
    for (row, a) in all.iter().enumerate() {
        for (column, b) in all.iter().enumerate() {
            linked[row][column] = ruby.yield_to(block, &[a.clone(), b.clone()])?.is_true();
        }
    }
    let mut parts: Vec<Value> = Vec::new();
    let mut placed = vec![false; all.len()];
    for start in 0..all.len() {
        if placed[start] {
            continue;
        }
        placed[start] = true;
        let mut part = vec![start];
        let mut at = 0;
        while at < part.len() {
            for next in 0..all.len() {
                if !placed[next] && linked[part[at]][next] && linked[next][part[at]] {
                    placed[next] = true;
                    part.push(next);
                }
            }
            at += 1;
        }
        let members = part.into_iter().map(|index| all[index].clone()).collect();
        parts.push(make(ruby, class, members)?);
    }
    make(ruby, class, parts)
}
