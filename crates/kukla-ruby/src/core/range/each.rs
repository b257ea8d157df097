//! Going through what lies between the ends: `each`, `step`, `to_a`, `sum`, `first`, `last`.

use std::cmp::Ordering;
use std::rc::Rc;

use num_bigint::BigInt;

use crate::args::Args;
use crate::class::{ClassId, Native, iterator, method, methods};
use crate::core::enumerable;
use crate::core::enumerator::{as_many, sequence, unknown};
use crate::error::{Result, Unwind};
use crate::iterate::Flow;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{RangeObject, Value};

use super::own;

pub(super) const METHODS: &[Native] = methods![
    iterator("each", 0, 0, each, as_many),
    iterator("reverse_each", 0, 0, reverse_each, as_many),
    method("step", 0, 1, step),
    method("%", 1, 1, step),
    method("to_a", 0, 0, to_a).alias("entries"),
    method("first", 0, 1, first),
    method("last", 0, 1, last),
    method("sum", 0, 1, sum),
    method("size", 0, 0, size),
    method("count", 0, 1, count),
];

/// `TypeError`: can't iterate from Float
fn cannot_iterate(ruby: &mut Ruby<'_>, begin: &Value) -> Box<Unwind> {
    let class = ruby.class_name_of(begin);
    ruby.type_error(format!("can't iterate from {class}"))
}

/// Complains unless a range has elements, which it need not have any of.
pub(super) fn must_iterate(ruby: &mut Ruby<'_>, range: &RangeObject) -> Result<()> {
    if ruby.responds_to(&range.begin, sym::SUCC, false)? {
        Ok(())
    } else {
        Err(cannot_iterate(ruby, &range.begin))
    }
}

/// Gives every element to `go`.
pub(super) fn walk(
    ruby: &mut Ruby<'_>,
    range: &Rc<RangeObject>,
    mut go: impl FnMut(&mut Ruby<'_>, &Value) -> Result<Flow>,
) -> Result<Flow> {
    match (&range.begin, &range.end) {
        (Value::Int(begin), Value::Int(end)) => {
            let end = if range.exclusive { end.checked_sub(1) } else { Some(*end) };
            match end {
                Some(end) => ruby.walk_integers(*begin, end, |ruby, number| go(ruby, &Value::Int(number))),
                None => Ok(Flow::More),
            }
        }
        (Value::Int(_) | Value::Big(_), Value::Nil) => {
            let mut number = range.begin.clone();
            loop {
                ruby.charge(1)?;
                if go(ruby, &number)? == Flow::Done {
                    return Ok(Flow::Done);
                }
                number = ruby.send_plus_one(&number)?;
            }
        }
        (Value::String(begin), Value::String(_)) => {
            let upto = ruby.symbols.intern("upto");
            let begin = Value::String(begin.clone());
            walk_upto(ruby, &begin, upto, &[range.end.clone(), range.exclusive.into()], go)
        }
        (Value::Symbol(begin), Value::Symbol(end)) => {
            let upto = ruby.symbols.intern("upto");
            let (begin, end) = (Value::from(ruby.name(*begin)), Value::from(ruby.name(*end)));
            walk_upto(ruby, &begin, upto, &[end, range.exclusive.into()], |ruby, name| {
                let symbol = ruby.to_symbol(name)?;
                go(ruby, &Value::Symbol(symbol))
            })
        }
        _ => {
            if !ruby.responds_to(&range.begin, sym::SUCC, false)? {
                return Err(cannot_iterate(ruby, &range.begin));
            }
            let mut value = range.begin.clone();
            loop {
                if !range.end.is_nil() {
                    let order = ruby.compare(&value, &range.end)?;
                    let inside = match order {
                        Some(Ordering::Less) => true,
                        Some(Ordering::Equal) => !range.exclusive,
                        _ => false,
                    };
                    if !inside {
                        return Ok(Flow::More);
                    }
                    ruby.charge(1)?;
                    if go(ruby, &value)? == Flow::Done {
                        return Ok(Flow::Done);
                    }
                    if order == Some(Ordering::Equal) {
                        return Ok(Flow::More);
                    }
                } else {
                    ruby.charge(1)?;
                    if go(ruby, &value)? == Flow::Done {
                        return Ok(Flow::Done);
                    }
                }
                value = ruby.send(&value, sym::SUCC, &[])?;
            }
        }
    }
}

/// Goes from one string to another as `upto` does. The elements are gathered first: a native block cannot borrow `go`.
fn walk_upto(
    ruby: &mut Ruby<'_>,
    begin: &Value,
    upto: crate::symbol::Symbol,
    args: &[Value],
    mut go: impl FnMut(&mut Ruby<'_>, &Value) -> Result<Flow>,
) -> Result<Flow> {
    let all = Rc::new(std::cell::RefCell::new(Vec::new()));
    let gathered = all.clone();
    let block = ruby.block(1, move |ruby, args| {
        ruby.charge(1)?;
        gathered.borrow_mut().push(args[0].clone());
        Ok(Value::Nil)
    });
    ruby.call(begin, upto, &Args::with_block(args, &block))?;
    for value in all.take() {
        if go(ruby, &value)? == Flow::Done {
            return Ok(Flow::Done);
        }
    }
    Ok(Flow::More)
}

fn each(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let range = own(ruby, this)?.clone();
    walk(ruby, &range, |ruby, value| {
        ruby.yield_to(block, std::slice::from_ref(value))?;
        Ok(Flow::More)
    })?;
    Ok(this.clone())
}

fn reverse_each(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let range = own(ruby, this)?;
    if range.end.is_nil() {
        let class = ruby.class_name_of(&range.end);
        return Err(ruby.type_error(format!("can't iterate from {class}")));
    }
    if let (Value::Int(begin), Value::Int(end)) = (&range.begin, &range.end) {
        let mut number = if range.exclusive { end.saturating_sub(1) } else { *end };
        while number >= *begin {
            ruby.yield_to(block, &[Value::Int(number)])?;
            match number.checked_sub(1) {
                Some(next) => number = next,
                None => break,
            }
        }
        return Ok(this.clone());
    }
    enumerable::call(ruby, this, "reverse_each", args)
}

fn is_number(ruby: &mut Ruby<'_>, value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Float(_) | Value::Big(_)) || ruby.is_a(value, ClassId::NUMERIC)
}

fn step(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let name = ruby.called;
    let range = own(ruby, this)?.clone();
    let distance = args.get(0).cloned().unwrap_or(Value::Int(1));
    let numeric = is_number(ruby, &range.begin) || range.begin.is_nil();
    let numeric = numeric && (is_number(ruby, &range.end) || range.end.is_nil());
    let distance = if is_number(ruby, &distance) {
        distance
    } else if distance.is_nil() {
        return Err(ruby.no_conversion(&distance, "Integer"));
    } else {
        ruby.to_integer(&distance)?
    };
    let sign = ruby.must_compare(&distance, &Value::Int(0))?;
    if sign == Ordering::Equal {
        return Err(ruby.argument_error("step can't be 0"));
    }
    let Some(block) = args.block else {
        ruby.called = name;
        if numeric && !(range.begin.is_nil() && range.end.is_nil()) {
            let ends = (range.begin.clone(), range.end.clone(), distance);
            return Ok(sequence(ruby, this, args, ends, range.exclusive));
        }
        return ruby.enumerator(this, args, unknown);
    };
    if sign == Ordering::Less {
        return Err(ruby.argument_error("step can't be negative"));
    }
    if range.begin.is_nil() && range.end.is_nil() {
        return Err(cannot_iterate(ruby, &range.begin));
    }
    if range.begin.is_nil() {
        let message = "undefined method `<=' for nil:NilClass";
        return Err(ruby.error(ClassId::NO_METHOD_ERROR, message));
    }
    if numeric {
        let ends = (range.begin.clone(), range.end.clone(), distance);
        let numbers = sequence(ruby, this, args, ends, range.exclusive);
        if let Some(numbers) = crate::core::enumerator::as_sequence(&numbers) {
            numbers.walk(ruby, |ruby, number| ruby.yield_to(block, &[number]).map(|_| Flow::More))?;
        }
        return Ok(this.clone());
    }
    let every = match &distance {
        Value::Float(_) => {
            ruby.to_float(&range.begin)?;
            return Ok(this.clone());
        }
        Value::Big(_) => i64::MAX,
        whole => ruby.to_int(whole)?.max(1),
    };
    let mut index = 0_i64;
    walk(ruby, &range, |ruby, value| {
        if index % every == 0 {
            ruby.yield_to(block, std::slice::from_ref(value))?;
        }
        index += 1;
        Ok(Flow::More)
    })?;
    Ok(this.clone())
}

fn to_a(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let range = own(ruby, this)?;
    if range.end.is_nil() {
        return Err(ruby.range_error("cannot convert endless range to an array"));
    }
    if let (Value::Int(begin), Value::Int(end)) = (&range.begin, &range.end) {
        let end = if range.exclusive { *end } else { end.saturating_add(1) };
        let count = end.saturating_sub(*begin).max(0);
        ruby.charge(count as u64)?;
        ruby.make_room_for(count as usize)?;
        return Ok(Value::array((*begin..end).map(Value::Int).collect::<Vec<_>>()));
    }
    Ok(Value::array(ruby.collect(this, &Args::default())?))
}

fn first(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let range = own(ruby, this)?;
    if range.begin.is_nil() {
        return Err(ruby.range_error("cannot get the first element of beginless range"));
    }
    let Some(most) = args.get(0) else { return Ok(range.begin.clone()) };
    let most = enumerable::count(ruby, most, "negative array size (or size too big)")?;
    let mut taken = Vec::new();
    if most == 0 {
        must_iterate(ruby, range)?;
    } else {
        let range = range.clone();
        walk(ruby, &range, |_, value| {
            taken.push(value.clone());
            Ok(if taken.len() >= most { Flow::Done } else { Flow::More })
        })?;
    }
    Ok(Value::array(taken))
}

fn last(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let range = own(ruby, this)?;
    if range.end.is_nil() {
        return Err(ruby.range_error("cannot get the last element of endless range"));
    }
    let Some(most) = args.get(0) else { return Ok(range.end.clone()) };
    if let (Value::Int(begin), Value::Int(end)) = (&range.begin, &range.end) {
        let most = enumerable::count(ruby, most, "negative array size")?;
        let end = if range.exclusive { *end } else { end.saturating_add(1) };
        let count = usize::try_from(end.saturating_sub(*begin)).unwrap_or(0).min(most);
        ruby.charge(count as u64)?;
        ruby.make_room_for(count)?;
        return Ok(Value::array((end - count as i64..end).map(Value::Int).collect::<Vec<_>>()));
    }
    let mut all = ruby.collect(this, &Args::default())?;
    let most = enumerable::count(ruby, most, "negative array size")?;
    Ok(Value::array(all.split_off(all.len().saturating_sub(most))))
}

fn big(value: &Value) -> Option<BigInt> {
    match value {
        Value::Int(number) => Some(BigInt::from(*number)),
        Value::Big(big) => Some(big.number.clone()),
        _ => None,
    }
}

fn sum(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let range = own(ruby, this)?;
    let first = args.get(0).cloned().unwrap_or(Value::Int(0));
    if args.block.is_none()
        && let (Some(begin), Some(end)) = (big(&range.begin), big(&range.end))
        && matches!(first, Value::Int(_) | Value::Big(_))
    {
        let end = if range.exclusive { end - 1 } else { end };
        if end < begin {
            return Ok(first);
        }
        let total: BigInt = (&end - &begin + 1) * (&end + &begin) / 2;
        return ruby.send(&Value::integer(total), sym::PLUS, &[first]);
    }
    enumerable::call(ruby, this, "sum", args)
}

fn size(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let range = own(ruby, this)?;
    match (&range.begin, &range.end) {
        (Value::Int(_) | Value::Big(_) | Value::Float(_), Value::Nil) => Ok(f64::INFINITY.into()),
        (Value::Nil, Value::Int(_) | Value::Big(_) | Value::Float(_) | Value::Nil) => {
            Ok(f64::INFINITY.into())
        }
        (Value::Int(_) | Value::Big(_), Value::Int(_) | Value::Big(_)) => {
            let (Some(begin), Some(end)) = (big(&range.begin), big(&range.end)) else {
                return Ok(Value::Nil);
            };
            let count = end - begin + i32::from(!range.exclusive);
            Ok(Value::integer(count.max(BigInt::ZERO)))
        }
        (begin, end) if is_number(ruby, begin) && is_number(ruby, end) => {
            let (begin, end) = (ruby.to_float(begin)?, ruby.to_float(end)?);
            let count = crate::core::numeric::step::float_steps(begin, end, 1.0, range.exclusive);
            if count.is_infinite() { Ok(count.into()) } else { ruby.float_to_integer(count) }
        }
        _ => Ok(Value::Nil),
    }
}

fn count(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if !args.is_empty() || args.block.is_some() {
        return enumerable::call(ruby, this, "count", args);
    }
    let range = own(ruby, this)?;
    if range.begin.is_nil() || range.end.is_nil() {
        return Ok(f64::INFINITY.into());
    }
    if matches!(range.begin, Value::Int(_) | Value::Big(_)) {
        let counted = size(ruby, this, args)?;
        if !counted.is_nil() {
            return Ok(counted);
        }
    }
    enumerable::call(ruby, this, "count", args)
}
