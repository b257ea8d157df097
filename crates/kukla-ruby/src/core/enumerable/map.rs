//! Something made of every element: `map`, `flat_map`, `zip`, `to_h`, `each_with_index`.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, iterator, method, methods};
use crate::core::enumerator::{self, as_many};
use crate::error::Result;
use crate::hash::Table;
use crate::iterate::{Flow, pack};
use crate::memory::Gathered;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{HashObject, Value};

pub(super) const METHODS: &[Native] = methods![
    iterator("map", 0, 0, map, as_many).alias("collect"),
    iterator("flat_map", 0, 0, flat_map, as_many).alias("collect_concat"),
    iterator("filter_map", 0, 0, filter_map, as_many),
    method("zip", 0, ANY, zip),
    method("to_a", 0, ANY, to_a).alias("entries"),
    method("to_h", 0, ANY, to_h),
    method("to_set", 0, ANY, to_set),
    iterator("each_entry", 0, ANY, each_entry, as_many),
    iterator("each_with_index", 0, ANY, each_with_index, as_many),
    iterator("each_with_object", 1, 1, each_with_object, as_many),
    iterator("reverse_each", 0, ANY, reverse_each, as_many),
    method("lazy", 0, 0, |_, this, _| Ok(enumerator::lazy_over(this))),
    method("chain", 0, ANY, chain),
];

fn map(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let block = block.clone();
    // A lambda of several parameters takes an array apart here, and only here.
    let splat = block.lambda.get() && ruby.required_parameters(&block) > 1;
    let mapped = ruby.walk(this, Gathered::new(), move |ruby, mapped: &mut Gathered, values| {
        let value = match values {
            [Value::Array(several)] if splat => {
                let several = several.to_vec();
                ruby.yield_to(&block, &several)?
            }
            values => ruby.yield_to(&block, values)?,
        };
        mapped.push(value);
        Ok(Flow::More)
    })?;
    Ok(Value::array(mapped))
}

fn flat_map(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let block = block.clone();
    let mapped = ruby.walk(this, Gathered::new(), move |ruby, mapped: &mut Gathered, values| {
        let value = ruby.yield_to(&block, values)?;
        match ruby.maybe_array(&value)? {
            Some(list) => list.to_vec().into_iter().for_each(|value| mapped.push(value)),
            None => mapped.push(value),
        }
        Ok(Flow::More)
    })?;
    Ok(Value::array(mapped))
}

fn filter_map(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let block = block.clone();
    let mapped = ruby.walk(this, Gathered::new(), move |ruby, mapped: &mut Gathered, values| {
        let value = ruby.yield_to(&block, values)?;
        if value.is_true() {
            mapped.push(value);
        }
        Ok(Flow::More)
    })?;
    Ok(Value::array(mapped))
}

/// Elements side by side with those of others, `nil` where they have no more.
pub(crate) fn zip_rows(ruby: &mut Ruby<'_>, others: &[Value]) -> Result<Vec<Other>> {
    let mut sides = Vec::new();
    for other in others {
        sides.push(match ruby.maybe_array(other)? {
            Some(list) => Other::List(list.to_vec()),
            None if ruby.responds_to(other, sym::EACH, false)? => {
                let to_enum = ruby.symbols.intern("to_enum");
                Other::Next(ruby.send(other, to_enum, &[Value::Symbol(sym::EACH)])?)
            }
            None => {
                let word = ruby.class_name_of(other);
                return Err(ruby.type_error(format!("wrong argument type {word} (must respond to :each)")));
            }
        });
    }
    Ok(sides)
}

/// The other lists of `zip`.
pub(crate) enum Other {
    /// An array, by index.
    List(Vec<Value>),
    /// An enumerator, read from outside.
    Next(Value),
}

impl Other {
    /// The element at a position; positions are asked in order.
    pub(crate) fn at(&self, ruby: &mut Ruby<'_>, index: usize) -> Result {
        match self {
            Other::List(list) => Ok(list.get(index).cloned().unwrap_or_default()),
            Other::Next(enumerator) => enumerator::next_or_nil(ruby, enumerator),
        }
    }
}

fn zip(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let sides = zip_rows(ruby, args.list)?;
    let block = args.block.cloned();
    let (_, rows) = ruby.walk(this, (0, Vec::new()), move |ruby, (at, rows), values| {
        let mut row = vec![pack(values)];
        for side in &sides {
            row.push(side.at(ruby, *at)?);
        }
        *at += 1;
        let row = Value::array(row);
        match &block {
            Some(block) => drop(ruby.yield_to(block, &[row])?),
            None => rows.push(row),
        }
        Ok(Flow::More)
    })?;
    Ok(if args.block.is_some() { Value::Nil } else { Value::array(rows) })
}

fn to_a(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok(Value::array(ruby.collect(this, args)?))
}

/// Adds an element to a hash, which must be an array of two; `place` says where it stood.
pub(crate) fn to_hash_entry(
    ruby: &mut Ruby<'_>,
    hash: &Rc<HashObject>,
    element: &Value,
    place: &str,
) -> Result<()> {
    let Some(list) = ruby.maybe_array(element)? else {
        let word = if place.is_empty() { ruby.word_for(element) } else { ruby.class_name_of(element) };
        return Err(ruby.type_error(format!("wrong element type {word}{place} (expected array)")));
    };
    let list = list.to_vec();
    let [key, value] = list.as_slice() else {
        let kind = if place.is_empty() { "element has wrong array length" } else { "wrong array length" };
        let at = if place.is_empty() { "" } else { place };
        return Err(ruby.argument_error(format!("{kind}{at} (expected 2, was {})", list.len())));
    };
    ruby.hash_set(hash, key.clone(), value.clone())
}

fn to_h(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let block = args.block.cloned();
    let each = Args { block: None, ..*args };
    let hash = HashObject::new(ClassId::HASH, Table::new());
    let (hash, _) = ruby.walk_with(this, &each, hash, move |ruby, hash, values| {
        let element = match &block {
            Some(block) => ruby.yield_to(block, values)?,
            None => pack(values),
        };
        to_hash_entry(ruby, hash, &element, "")?;
        Ok(Flow::More)
    })?;
    Ok(Value::Hash(hash))
}

fn to_set(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (class, rest) = match args.list.split_first() {
        Some((class, rest)) => (class.clone(), rest),
        None => (Value::Class(ClassId::SET), args.list),
    };
    let mut list = vec![this.clone()];
    list.extend_from_slice(rest);
    ruby.call(&class, sym::NEW, &Args { list: &list, has_keywords: false, block: args.block })
}

fn each_entry(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let block = block.clone();
    ruby.walk_with(this, &Args { block: None, ..*args }, (), move |ruby, (), values| {
        ruby.yield_to(&block, &[pack(values)])?;
        Ok(Flow::More)
    })?;
    Ok(this.clone())
}

fn each_with_index(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let block = block.clone();
    ruby.walk_with(this, &Args { block: None, ..*args }, 0, move |ruby, index, values| {
        let at = *index;
        *index += 1;
        ruby.yield_to(&block, &[pack(values), Value::Int(at)])?;
        Ok(Flow::More)
    })?;
    Ok(this.clone())
}

fn each_with_object(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let (block, memo) = (block.clone(), args[0].clone());
    ruby.walk(this, (), move |ruby, (), values| {
        ruby.yield_to(&block, &[pack(values), memo.clone()])?;
        Ok(Flow::More)
    })?;
    Ok(args[0].clone())
}

fn reverse_each(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let all = ruby.collect(this, &Args { block: None, ..*args })?;
    for value in all.iter().rev() {
        ruby.yield_to(block, std::slice::from_ref(value))?;
    }
    Ok(this.clone())
}

fn chain(_: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let mut links = vec![this.clone()];
    links.extend_from_slice(args.list);
    Ok(enumerator::chain_of(links))
}
