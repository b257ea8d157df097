//! Elements by their places: `[]`, `[]=`, `first`, `values_at`, `dig`, `slice!`, `fill`, `insert`.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, method, methods, quick};
use crate::core::array::{MOST, own, own_mut};
use crate::core::enumerator::as_sequence;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{ArrayObject, RangeObject, Value};

pub(super) const METHODS: &[Native] = methods![
    quick("[]", 1, 2, get).alias("slice"),
    quick("at", 1, 1, at),
    quick("fetch", 1, 2, fetch),
    quick("dig", 1, ANY, dig),
    quick("first", 0, 1, first),
    quick("last", 0, 1, last),
    method("values_at", 0, ANY, values_at),
    quick("[]=", 2, 3, set),
    method("slice!", 1, 2, cut),
    method("fill", 0, ANY, fill),
    quick("insert", 1, ANY, insert),
    quick("delete_at", 1, 1, delete_at),
];

/// The place an index means, counted from the end if negative; `None` before the beginning.
#[inline]
pub(crate) fn place(index: i64, length: usize) -> Option<usize> {
    if index >= 0 { usize::try_from(index).ok() } else { length.checked_sub(index.unsigned_abs() as usize) }
}

/// Where a range of places begins and how many there are, cut at the end of what is there; `None` if it begins beyond that.
pub(crate) fn span(
    ruby: &mut Ruby<'_>,
    range: &RangeObject,
    length: usize,
) -> Result<Option<(usize, usize)>> {
    let Some((begin, end)) = ends(ruby, range, length)? else { return Ok(None) };
    if begin > length {
        return Ok(None);
    }
    Ok(Some((begin, end.min(length).saturating_sub(begin))))
}

/// The place a range begins at and the one it ends before, not cut; `None` if it begins before the beginning.
fn ends(ruby: &mut Ruby<'_>, range: &RangeObject, length: usize) -> Result<Option<(usize, usize)>> {
    let begin = match &range.begin {
        Value::Nil => 0,
        begin => ruby.to_int(begin)?,
    };
    let (end, exclusive) = match &range.end {
        Value::Nil => (-1, false),
        end => (ruby.to_int(end)?, range.exclusive),
    };
    let Some(begin) = place(begin, length) else { return Ok(None) };
    let end = if end < 0 { end.saturating_add(length as i64) } else { end };
    let end = if exclusive { end } else { end.saturating_add(1) };
    Ok(Some((begin, usize::try_from(end).unwrap_or(0).max(begin))))
}

/// `RangeError`: -5..1 out of range
pub(crate) fn out_of_range(ruby: &mut Ruby<'_>, range: &Value) -> Result<Box<crate::error::Unwind>> {
    let shown = ruby.inspect(range)?;
    Ok(ruby.range_error(format!("{} out of range", shown.to_str_lossy())))
}

/// Some elements as a new array; `None` if they begin beyond the end.
fn part(array: &ArrayObject, begin: i64, length: i64) -> Option<Value> {
    let items = array.items();
    let begin = place(begin, items.len())?;
    let length = usize::try_from(length).ok()?;
    let part = items.get(begin..begin.saturating_add(length).min(items.len()).max(begin))?;
    Some(Value::array(part))
}

fn get(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own(ruby, this)?;
    match args.list {
        [Value::Int(index)] => Ok(at_index(array, *index)),
        [Value::Range(range)] => {
            let found = span(ruby, range, array.len())?;
            Ok(found.map_or(Value::Nil, |(begin, length)| {
                let items = array.items();
                Value::array(items.get(begin..begin + length).unwrap_or_default())
            }))
        }
        [begin, length] => {
            let (begin, length) = (ruby.to_int(begin)?, ruby.to_int(length)?);
            Ok(part(array, begin, length).unwrap_or_default())
        }
        [index] if as_sequence(index).is_some() => by_sequence(ruby, array, index),
        [index, ..] => {
            let index = ruby.to_int(index)?;
            Ok(at_index(array, index))
        }
        [] => Ok(Value::Nil),
    }
}

/// Every n-th element: `array[(2..10) % 3]`.
fn by_sequence(ruby: &mut Ruby<'_>, array: &Rc<ArrayObject>, index: &Value) -> Result {
    let Some(sequence) = as_sequence(index) else { return Ok(Value::Nil) };
    let step = ruby.to_int(&sequence.step)?;
    let (mut begin, mut end, mut exclusive) =
        (sequence.begin.clone(), sequence.end.clone(), sequence.exclusive);
    if step < 0 {
        if exclusive && !end.is_nil() {
            end = Value::Int(ruby.to_int(&end)?.saturating_add(1));
            exclusive = false;
        }
        std::mem::swap(&mut begin, &mut end);
    }
    let range = RangeObject { head: crate::value::Head::new(ClassId::RANGE), begin, end, exclusive };
    let length = array.len();
    if !(-1..=1).contains(&step) {
        // With wider steps every place must be there.
        match ends(ruby, &range, length)? {
            Some((begin, end)) if begin <= length && end - begin <= length => {}
            _ => return Err(out_of_range(ruby, index)?),
        }
    }
    let Some((begin, count)) = span(ruby, &range, length)? else { return Ok(Value::Nil) };
    let items = array.items();
    let part = items.get(begin..begin + count).unwrap_or_default();
    let stride = step.unsigned_abs() as usize;
    let chosen: Vec<Value> = if step < 0 {
        part.iter().rev().step_by(stride.max(1)).cloned().collect()
    } else {
        part.iter().step_by(stride.max(1)).cloned().collect()
    };
    Ok(Value::array(chosen))
}

#[inline]
fn at_index(array: &ArrayObject, index: i64) -> Value {
    let items = array.items();
    place(index, items.len()).and_then(|at| items.get(at).cloned()).unwrap_or_default()
}

fn at(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let index = ruby.to_int(&args[0])?;
    Ok(at_index(own(ruby, this)?, index))
}

fn fetch(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let index = ruby.to_int(&args[0])?;
    let array = own(ruby, this)?;
    let length = array.len();
    if let Some(found) = place(index, length).and_then(|at| array.get(at)) {
        return Ok(found);
    }
    if args.block.is_some() && args.len() > 1 {
        ruby.warn("block supersedes default value argument")?;
    }
    match (args.block, args.get(1)) {
        (Some(block), _) => ruby.yield_to(block, &[args[0].clone()]),
        (None, Some(otherwise)) => Ok(otherwise.clone()),
        (None, None) => {
            let least = -(length as i64);
            Err(ruby.index_error(format!("index {index} outside of array bounds: {least}...{length}")))
        }
    }
}

/// Goes on with `dig` in what was found.
pub(crate) fn dig_on(ruby: &mut Ruby<'_>, found: Value, rest: &[Value]) -> Result {
    if rest.is_empty() || found.is_nil() {
        return Ok(found);
    }
    if !ruby.responds_to(&found, sym::DIG, true)? {
        let class = ruby.class_name_of(&found);
        return Err(ruby.type_error(format!("{class} does not have #dig method")));
    }
    ruby.send(&found, sym::DIG, rest)
}

fn dig(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let index = ruby.to_int(&args[0])?;
    let found = at_index(own(ruby, this)?, index);
    dig_on(ruby, found, args.list.get(1..).unwrap_or_default())
}

/// How many elements `first`, `pop` and their like are asked for.
pub(super) fn how_many(ruby: &mut Ruby<'_>, value: &Value) -> Result<usize> {
    crate::core::enumerable::count(ruby, value, "negative array size")
}

fn first(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own(ruby, this)?;
    let Some(count) = args.get(0) else { return Ok(array.get(0).unwrap_or_default()) };
    let count = how_many(ruby, count)?;
    let items = array.items();
    Ok(Value::array(&items[..count.min(items.len())]))
}

fn last(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own(ruby, this)?;
    let Some(count) = args.get(0) else { return Ok(array.items().last().cloned().unwrap_or_default()) };
    let count = how_many(ruby, count)?;
    let items = array.items();
    Ok(Value::array(&items[items.len().saturating_sub(count)..]))
}

fn values_at(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own(ruby, this)?;
    let mut found = Vec::new();
    for index in args.list {
        match index {
            Value::Range(range) => {
                let Some((begin, end)) = ends(ruby, range, array.len())? else {
                    return Err(out_of_range(ruby, index)?);
                };
                ruby.charge((end - begin) as u64)?;
                ruby.make_room_for(found.len() + end - begin)?;
                found.extend((begin..end).map(|at| array.get(at).unwrap_or_default()));
            }
            index => {
                let index = ruby.to_int(index)?;
                found.push(at_index(array, index));
            }
        }
    }
    Ok(Value::array(found))
}

fn too_small(ruby: &mut Ruby<'_>, index: i64, minimum: i64) -> Box<crate::error::Unwind> {
    ruby.index_error(format!("index {index} too small for array; minimum: {}", -minimum))
}

/// Replaces `length` elements from `begin` on; what lies between the end and `begin` is filled with `nil`.
pub(super) fn splice(
    ruby: &mut Ruby<'_>,
    array: &ArrayObject,
    begin: usize,
    length: usize,
    values: Vec<Value>,
) -> Result<()> {
    if begin >= MOST {
        return Err(ruby.index_error(format!("index {begin} too big")));
    }
    let present = array.len();
    ruby.charge((begin.saturating_sub(present) + values.len()) as u64)?;
    ruby.make_room_for(begin.saturating_sub(present) + values.len())?;
    let mut items = array.items_mut();
    let items = items.as_vec();
    if begin > items.len() {
        items.resize(begin, Value::Nil);
    }
    let end = begin.saturating_add(length).min(items.len());
    items.splice(begin..end, values);
    Ok(())
}

fn set(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let length = own(ruby, this)?.len();
    if let [Value::Int(index), _] = args.list
        && place(*index, length).is_none()
    {
        return Err(too_small(ruby, *index, length as i64));
    }
    let array = own_mut(ruby, this)?;
    let (begin, count, value) = match args.list {
        [Value::Int(index), value] => {
            set_at(ruby, array, *index, value.clone())?;
            return Ok(value.clone());
        }
        [index @ Value::Range(range), value] => match ends(ruby, range, length)? {
            Some((begin, end)) => (begin, end - begin, value),
            None => return Err(out_of_range(ruby, index)?),
        },
        [index, value] => {
            let index = ruby.to_int(index)?;
            set_at(ruby, array, index, value.clone())?;
            return Ok(value.clone());
        }
        [begin, count, value] => {
            let (begin, count) = (ruby.to_int(begin)?, ruby.to_int(count)?);
            ruby.maybe_array(value)?;
            let Ok(count) = usize::try_from(count) else {
                return Err(ruby.index_error(format!("negative length ({count})")));
            };
            match place(begin, length) {
                Some(begin) => (begin, count, value),
                None => return Err(too_small(ruby, begin, length as i64)),
            }
        }
        _ => return Ok(Value::Nil),
    };
    let values = match ruby.maybe_array(value)? {
        Some(list) => list.to_vec(),
        None => vec![value.clone()],
    };
    splice(ruby, array, begin, count, values)?;
    Ok(value.clone())
}

fn set_at(ruby: &mut Ruby<'_>, array: &ArrayObject, index: i64, value: Value) -> Result<()> {
    let length = array.len();
    let Some(at) = place(index, length) else { return Err(too_small(ruby, index, length as i64)) };
    if at >= length {
        if at >= MOST {
            return Err(ruby.index_error(format!("index {index} too big")));
        }
        ruby.charge((at - length) as u64 + 1)?;
        ruby.make_room_for(at - length)?;
    }
    let mut items = array.items_mut();
    match items.get_mut(at) {
        Some(slot) => *slot = value,
        None if at == length => items.push(value),
        None => items.set(at, value),
    }
    Ok(())
}

fn cut(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own_mut(ruby, this)?;
    let length = array.len();
    let (begin, count) = match args.list {
        [Value::Range(range)] => match span(ruby, range, length)? {
            Some(span) => span,
            None => return Ok(Value::Nil),
        },
        [begin, count] => {
            let (begin, count) = (ruby.to_int(begin)?, ruby.to_int(count)?);
            match (place(begin, length), usize::try_from(count)) {
                (Some(begin), Ok(count)) if begin <= length => (begin, count.min(length - begin)),
                _ => return Ok(Value::Nil),
            }
        }
        _ => {
            let index = ruby.to_int(&args[0])?;
            return Ok(remove_at(array, index));
        }
    };
    let mut items = array.items_mut();
    let removed: Vec<Value> = items.as_vec().drain(begin..begin + count).collect();
    Ok(Value::array(removed))
}

fn remove_at(array: &ArrayObject, index: i64) -> Value {
    let mut items = array.items_mut();
    match place(index, items.len()) {
        Some(0) => items.shift().unwrap_or_default(),
        Some(at) if at < items.len() => items.as_vec().remove(at),
        _ => Value::Nil,
    }
}

fn delete_at(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let index = ruby.to_int(&args[0])?;
    let len = own(ruby, this)?.len() as i64;
    if !(-len..len).contains(&index) {
        return Ok(Value::Nil);
    }
    let array = own_mut(ruby, this)?;
    Ok(remove_at(array, index))
}

fn fill(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (value, rest, least) = match args.block {
        Some(_) => (Value::Nil, args.list, 0),
        None => match args.list.split_first() {
            Some((value, rest)) => (value.clone(), rest, 1),
            None => return Err(ruby.wrong_number_of_arguments(0, "1..3")),
        },
    };
    if rest.len() > 2 {
        return Err(ruby.wrong_number_of_arguments(args.len(), format!("{least}..{}", least + 2)));
    }
    let array = own(ruby, this)?;
    let length = array.len();
    let (begin, end) = match rest {
        [range @ Value::Range(bounds)] => match ends(ruby, bounds, length)? {
            Some(ends) => ends,
            None => return Err(out_of_range(ruby, range)?),
        },
        _ => {
            let begin = match rest.first() {
                None | Some(Value::Nil) => 0,
                Some(begin) => {
                    let begin = ruby.to_int(begin)?;
                    place(begin, length).unwrap_or(0)
                }
            };
            let end = match rest.get(1) {
                None | Some(Value::Nil) if begin > length => {
                    own_mut(ruby, this)?;
                    return Ok(this.clone());
                }
                None | Some(Value::Nil) => length,
                Some(count) => {
                    let count = ruby.to_int(count)?;
                    match usize::try_from(count) {
                        Ok(count) => begin.saturating_add(count),
                        Err(_) => {
                            own_mut(ruby, this)?;
                            return Ok(this.clone());
                        }
                    }
                }
            };
            (begin, end)
        }
    };
    own_mut(ruby, this)?;
    if end > MOST {
        return Err(ruby.argument_error("argument too big"));
    }
    ruby.charge(end.saturating_sub(length.min(begin)) as u64)?;
    ruby.make_room_for(end.saturating_sub(length))?;
    if end > length {
        array.items_mut().as_vec().resize(end, Value::Nil);
    }
    for at in begin..end {
        let value = match args.block {
            Some(block) => ruby.yield_to(block, &[Value::Int(at as i64)])?,
            None => value.clone(),
        };
        array.items_mut().set(at, value);
    }
    Ok(this.clone())
}

fn insert(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own_mut(ruby, this)?;
    let index = ruby.to_int(&args[0])?;
    let values = args.list.get(1..).unwrap_or_default();
    if values.is_empty() {
        return Ok(this.clone());
    }
    let length = array.len();
    // Negative places are those after which something is inserted.
    let at = if index >= 0 { place(index, length) } else { place(index, length + 1) };
    let Some(at) = at else { return Err(too_small(ruby, index, length as i64 + 1)) };
    splice(ruby, array, at, 0, values.to_vec())?;
    Ok(this.clone())
}
