//! Elements in groups: `group_by`, `each_slice`, `each_cons`, `chunk`, `slice_when`, `cycle`.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ClassId, Native, iterator, method};
use crate::core::enumerator::{Size, Source, as_many, generator_of};
use crate::error::Result;
use crate::hash::Table;
use crate::iterate::{Flow, pack, pair};
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{ArrayObject, HashObject, Object, Value};

pub(super) const METHODS: &[Native] = &[
    iterator("group_by", 0, 0, group_by, as_many),
    method("each_slice", 1, 1, each_slice),
    method("each_cons", 1, 1, each_cons),
    iterator("chunk", 0, 0, chunk, as_many),
    method("chunk_while", 0, 0, |ruby, this, args| between(ruby, this, args, false)),
    method("slice_when", 0, 0, |ruby, this, args| between(ruby, this, args, true)),
    method("slice_before", 0, 1, slice_before),
    method("slice_after", 0, 1, slice_after),
    iterator("cycle", 0, 1, cycle, cycle_size),
];

fn group_by(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let block = block.clone();
    let hash = HashObject::new(ClassId::HASH, Table::new());
    let hash = ruby.walk(this, hash, move |ruby, hash, values| {
        let key = ruby.yield_packed(&block, values)?;
        match ruby.hash_get(hash, &key)? {
            Some(Value::Array(group)) => group.items_mut().push(pack(values)),
            _ => ruby.hash_set(hash, key, Value::array(vec![pack(values)]))?,
        }
        Ok(Flow::More)
    })?;
    Ok(Value::Hash(hash))
}

/// A length that must be positive.
fn length(ruby: &mut Ruby<'_>, value: &Value, what: &str) -> Result<usize> {
    match usize::try_from(ruby.to_int(value)?) {
        Ok(length) if length > 0 => Ok(length),
        _ => Err(ruby.argument_error(format!("invalid {what}size"))),
    }
}

fn total(ruby: &mut Ruby<'_>, this: &Value) -> Result<Value> {
    as_many(ruby, this, &[])
}

/// How many slices there will be.
fn slice_size(ruby: &mut Ruby<'_>, this: &Value, args: &[Value]) -> Result {
    let length = length(ruby, args.first().unwrap_or(&Value::Nil), "slice ")? as i64;
    match total(ruby, this)? {
        Value::Int(size) => Ok(Value::Int((size + length - 1) / length)),
        other => Ok(other),
    }
}

/// How many overlapping groups there will be.
fn cons_size(ruby: &mut Ruby<'_>, this: &Value, args: &[Value]) -> Result {
    let length = length(ruby, args.first().unwrap_or(&Value::Nil), "")? as i64;
    match total(ruby, this)? {
        Value::Int(size) => Ok(Value::Int((size - length + 1).max(0))),
        other => Ok(other),
    }
}

/// How many elements `cycle` will give.
pub(crate) fn cycle_size(ruby: &mut Ruby<'_>, this: &Value, args: &[Value]) -> Result {
    let size = total(ruby, this)?;
    if matches!(size, Value::Nil | Value::Int(0)) {
        return Ok(size);
    }
    match args.first() {
        None | Some(Value::Nil) => Ok(f64::INFINITY.into()),
        Some(times) => {
            let times = ruby.to_int(times)?.max(0);
            ruby.send(&size, sym::TIMES, &[Value::Int(times)])
        }
    }
}

fn each_slice(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let called = ruby.called_symbol();
    let length = length(ruby, &args[0], "slice ")?;
    let Some(block) = args.block else {
        return ruby.enumerator_for(this, called, args, Size::Asked(slice_size));
    };
    let inner = block.clone();
    let rest = ruby.walk(this, Vec::new(), move |ruby, slice, values| {
        slice.push(pack(values));
        if slice.len() == length {
            let full = std::mem::take(slice);
            ruby.yield_to(&inner, &[Value::array(full)])?;
        }
        Ok(Flow::More)
    })?;
    if !rest.is_empty() {
        ruby.yield_to(block, &[Value::array(rest)])?;
    }
    Ok(this.clone())
}

fn each_cons(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let called = ruby.called_symbol();
    let length = length(ruby, &args[0], "")?;
    let Some(block) = args.block else {
        return ruby.enumerator_for(this, called, args, Size::Asked(cons_size));
    };
    let block = block.clone();
    ruby.walk(this, std::collections::VecDeque::new(), move |ruby, window, values| {
        if window.len() == length {
            window.pop_front();
        }
        window.push_back(pack(values));
        if window.len() == length {
            let group: Vec<Value> = window.iter().cloned().collect();
            ruby.charge(group.len() as u64)?;
            ruby.yield_to(&block, &[Value::array(group)])?;
        }
        Ok(Flow::More)
    })?;
    Ok(this.clone())
}

/// An enumerator that runs native code when it is iterated.
fn generated(
    ruby: &mut Ruby<'_>,
    run: impl Fn(&mut Ruby<'_>, &Rc<ProcObject>) -> Result<()> + 'static,
) -> Value {
    let push = ruby.symbols.intern("yield");
    let body = ruby.block(1, move |ruby, args| {
        let yielder = args[0].clone();
        let target = ruby.block(-1, move |ruby, args| ruby.call(&yielder, push, args));
        run(ruby, &target)?;
        Ok(Value::Nil)
    });
    let source = Source::new(generator_of(body), sym::EACH, Size::Value(Value::Nil));
    Value::Object(Object::with(ClassId::ENUMERATOR, source))
}

fn chunk(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let (this, block) = (this.clone(), block.clone());
    let (alone, separator) = (ruby.symbols.intern("_alone"), ruby.symbols.intern("_separator"));
    Ok(generated(ruby, move |ruby, target| {
        let (block, inner) = (block.clone(), target.clone());
        let state: Option<(Value, Rc<ArrayObject>)> = None;
        let rest = ruby.walk(&this, state, move |ruby, group, values| {
            let value = pack(values);
            let key = ruby.yield_packed(&block, values)?;
            let flush = |ruby: &mut Ruby<'_>, group: &mut Option<(Value, Rc<ArrayObject>)>| -> Result<()> {
                if let Some((key, members)) = group.take() {
                    ruby.yield_to(&inner, &[pair(key, Value::Array(members))])?;
                }
                Ok(())
            };
            match &key {
                Value::Symbol(symbol) if *symbol == alone => {
                    flush(ruby, group)?;
                    ruby.yield_to(&inner, &[pair(key, Value::array(vec![value]))])?;
                    return Ok(Flow::More);
                }
                Value::Nil => {
                    flush(ruby, group)?;
                    return Ok(Flow::More);
                }
                Value::Symbol(symbol) if *symbol == separator => {
                    flush(ruby, group)?;
                    return Ok(Flow::More);
                }
                Value::Symbol(symbol) if ruby.name(*symbol).starts_with('_') => {
                    return Err(ruby.runtime_error("symbols beginning with an underscore are reserved"));
                }
                _ => {}
            }
            if let Some((old, members)) = group.as_ref() {
                let (old, members) = (old.clone(), members.clone());
                if ruby.eq(&key, &old)? {
                    members.items_mut().push(value);
                    return Ok(Flow::More);
                }
                flush(ruby, group)?;
            }
            *group = Some((key, ArrayObject::new(ClassId::ARRAY, vec![value])));
            Ok(Flow::More)
        })?;
        if let Some((key, members)) = rest {
            ruby.yield_to(target, &[pair(key, Value::Array(members))])?;
        }
        Ok(())
    }))
}

/// Groups of neighbours; `cut` is what the block says where a new group begins.
fn between(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, cut: bool) -> Result {
    let Some(block) = args.block else {
        return Err(ruby.argument_error("tried to create Proc object without a block"));
    };
    let (this, block) = (this.clone(), block.clone());
    Ok(generated(ruby, move |ruby, target| {
        let (block, inner) = (block.clone(), target.clone());
        let rest = ruby.walk(&this, Vec::new(), move |ruby, group: &mut Vec<Value>, values| {
            let value = pack(values);
            if let Some(last) = group.last().cloned()
                && ruby.yield_to(&block, &[last, value.clone()])?.is_true() == cut
            {
                let full = std::mem::take(group);
                ruby.yield_to(&inner, &[Value::array(full)])?;
            }
            group.push(value);
            Ok(Flow::More)
        })?;
        if !rest.is_empty() {
            ruby.yield_to(target, &[Value::array(rest)])?;
        }
        Ok(())
    }))
}

/// The condition for cutting: a pattern or a block.
fn cutter(ruby: &mut Ruby<'_>, args: &Args<'_>) -> Result<Cutter> {
    match (args.get(0), args.block) {
        (Some(_), Some(_)) => Err(ruby.argument_error("both pattern and block are given")),
        (Some(pattern), None) => Ok(Cutter::Pattern(pattern.clone())),
        (None, Some(block)) => Ok(Cutter::Block(block.clone())),
        (None, None) => Err(ruby.wrong_number_of_arguments(0, 1)),
    }
}

#[derive(Clone)]
enum Cutter {
    Pattern(Value),
    Block(Rc<ProcObject>),
}

impl Cutter {
    fn cuts(&self, ruby: &mut Ruby<'_>, value: &Value) -> Result<bool> {
        match self {
            Cutter::Pattern(pattern) => ruby.case_eq(pattern, value),
            Cutter::Block(block) => Ok(ruby.yield_to(block, std::slice::from_ref(value))?.is_true()),
        }
    }
}

fn slice_before(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (this, cutter) = (this.clone(), cutter(ruby, args)?);
    Ok(generated(ruby, move |ruby, target| {
        let (cutter, inner) = (cutter.clone(), target.clone());
        let rest = ruby.walk(&this, Vec::new(), move |ruby, group: &mut Vec<Value>, values| {
            let value = pack(values);
            let cut = cutter.cuts(ruby, &value)?;
            if cut && !group.is_empty() {
                let full = std::mem::take(group);
                ruby.yield_to(&inner, &[Value::array(full)])?;
            }
            group.push(value);
            Ok(Flow::More)
        })?;
        if !rest.is_empty() {
            ruby.yield_to(target, &[Value::array(rest)])?;
        }
        Ok(())
    }))
}

fn slice_after(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (this, cutter) = (this.clone(), cutter(ruby, args)?);
    Ok(generated(ruby, move |ruby, target| {
        let (cutter, inner) = (cutter.clone(), target.clone());
        let rest = ruby.walk(&this, Vec::new(), move |ruby, group: &mut Vec<Value>, values| {
            let value = pack(values);
            group.push(value.clone());
            if cutter.cuts(ruby, &value)? {
                let full = std::mem::take(group);
                ruby.yield_to(&inner, &[Value::array(full)])?;
            }
            Ok(Flow::More)
        })?;
        if !rest.is_empty() {
            ruby.yield_to(target, &[Value::array(rest)])?;
        }
        Ok(())
    }))
}

fn cycle(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let times = match &args[0] {
        Value::Nil => None,
        times => Some(ruby.to_int(times)?),
    };
    if times.is_some_and(|times| times <= 0) {
        return Ok(Value::Nil);
    }
    let inner = block.clone();
    let all = ruby.walk(this, Vec::new(), move |ruby, all, values| {
        let value = pack(values);
        all.push(value);
        ruby.yield_packed(&inner, values)?;
        Ok(Flow::More)
    })?;
    if all.is_empty() {
        return Ok(Value::Nil);
    }
    let mut round = 1;
    while times.is_none_or(|times| round < times) {
        for value in &all {
            ruby.charge(1)?;
            ruby.yield_to(block, std::slice::from_ref(value))?;
        }
        round += 1;
    }
    Ok(Value::Nil)
}
