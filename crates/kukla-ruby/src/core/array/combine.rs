//! Arrays made of arrays: `+`, `-`, `&`, `|`, `*`, `flatten`, `product`, `transpose`, combinations and permutations.

use std::rc::Rc;

use kukla_values::meter;
use num_bigint::BigInt;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, iterator, method};
use crate::core::array::{MOST, if_changed, own, own_mut, select};
use crate::error::Result;
use crate::hash::Table;
use crate::proc::ProcObject;
use crate::recursion::Walk;
use crate::ruby::Ruby;
use crate::value::{ArrayObject, HashObject, Value};

pub(super) const METHODS: &[Native] = &[
    method("+", 1, 1, plus),
    method("-", 1, 1, minus),
    method("difference", 0, ANY, difference),
    method("&", 1, 1, and),
    method("intersection", 0, ANY, intersection),
    method("intersect?", 1, 1, intersects),
    method("|", 1, 1, or),
    method("union", 0, ANY, or),
    method("*", 1, 1, times),
    method("flatten", 0, 1, flatten),
    method("flatten!", 0, 1, flatten_in_place),
    method("transpose", 0, 0, transpose),
    method("product", 0, ANY, product),
    iterator("combination", 1, 1, combination, combinations),
    iterator("repeated_combination", 1, 1, repeated_combination, repeated_combinations),
    iterator("permutation", 0, 1, permutation, permutations),
    iterator("repeated_permutation", 1, 1, repeated_permutation, repeated_permutations),
];

fn plus(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let other = ruby.to_array(&args[0])?;
    let mut values = own(ruby, this)?.to_vec();
    ruby.charge((values.len() + other.len()) as u64 / 16)?;
    values.extend(other.items().iter().cloned());
    Ok(Value::array(values))
}

/// The elements as keys, to look others up in.
fn keys_of(ruby: &mut Ruby<'_>, array: &ArrayObject) -> Result<Rc<HashObject>> {
    let keys = HashObject::new(ClassId::HASH, Table::new());
    for value in array.to_vec() {
        ruby.hash_add(&keys, value, Value::Nil)?;
    }
    Ok(keys)
}

fn without(ruby: &mut Ruby<'_>, values: Vec<Value>, other: &ArrayObject) -> Result<Vec<Value>> {
    let keys = keys_of(ruby, other)?;
    let mut left = Vec::new();
    for value in values {
        if ruby.hash_find(&keys, &value)?.is_none() {
            left.push(value);
        }
    }
    Ok(left)
}

fn minus(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let other = ruby.to_array(&args[0])?;
    let values = own(ruby, this)?.to_vec();
    Ok(Value::array(without(ruby, values, &other)?))
}

fn difference(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let mut values = own(ruby, this)?.to_vec();
    for other in args.list {
        let other = ruby.to_array(other)?;
        values = without(ruby, values, &other)?;
    }
    Ok(Value::array(values))
}

fn common(ruby: &mut Ruby<'_>, values: Vec<Value>, other: &ArrayObject) -> Result<Vec<Value>> {
    let keys = keys_of(ruby, other)?;
    let mut common = Vec::new();
    for value in values {
        if ruby.hash_delete(&keys, &value)?.is_some() {
            common.push(value);
        }
    }
    Ok(common)
}

fn and(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let other = ruby.to_array(&args[0])?;
    let values = own(ruby, this)?.to_vec();
    Ok(Value::array(common(ruby, values, &other)?))
}

fn intersection(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own(ruby, this)?;
    let mut values = select::unique(ruby, array, None)?;
    for other in args.list {
        let other = ruby.to_array(other)?;
        values = common(ruby, values, &other)?;
    }
    Ok(Value::array(values))
}

fn intersects(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let other = ruby.to_array(&args[0])?;
    let keys = keys_of(ruby, &other)?;
    for value in own(ruby, this)?.to_vec() {
        if ruby.hash_find(&keys, &value)?.is_some() {
            return Ok(true.into());
        }
    }
    Ok(false.into())
}

fn or(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let mut values = own(ruby, this)?.to_vec();
    for other in args.list {
        values.extend(ruby.to_array(other)?.to_vec());
    }
    let all = ArrayObject::new(ClassId::ARRAY, values);
    Ok(Value::array(select::unique(ruby, &all, None)?))
}

fn times(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if !matches!(args[0], Value::Int(_))
        && let Some(separator) = ruby.maybe_string(&args[0])?
    {
        return ruby.send(this, crate::symbol::sym::JOIN, &[Value::String(separator)]);
    }
    let values = own(ruby, this)?.to_vec();
    let count = crate::core::enumerable::count(ruby, &args[0], "negative argument")?;
    let total = values.len().saturating_mul(count);
    if total > MOST {
        return Err(ruby.argument_error("argument too big"));
    }
    ruby.charge(total as u64)?;
    ruby.make_room_for(total)?;
    let repeated: Vec<Value> = std::iter::repeat_n(values, count).flatten().collect();
    Ok(Value::array(repeated))
}

/// All elements of arrays inside, down to a depth; whether there were any arrays.
pub(crate) fn flattened(ruby: &mut Ruby<'_>, this: &Value, depth: i64) -> Result<(Vec<Value>, bool)> {
    let mut flat = Vec::new();
    let changed = flatten_into(ruby, this, depth, &mut flat)?;
    Ok((flat, changed))
}

fn flatten_into(ruby: &mut Ruby<'_>, this: &Value, depth: i64, flat: &mut Vec<Value>) -> Result<bool> {
    let array = own(ruby, this)?;
    let mut changed = false;
    let done = ruby.guarded(Walk::Flatten, this, &Value::Nil, |ruby| {
        let mut index = 0;
        while let Some(value) = array.get(index) {
            index += 1;
            ruby.charge(1)?;
            let inner = if depth == 0 { None } else { ruby.maybe_array(&value)? };
            match inner {
                Some(inner) => {
                    changed = true;
                    flatten_into(ruby, &Value::Array(inner), depth - 1, flat)?;
                }
                None => flat.push(value),
            }
        }
        Ok(())
    })?;
    match done {
        Some(()) => Ok(changed),
        None => Err(ruby.argument_error("tried to flatten recursive array")),
    }
}

fn depth(ruby: &mut Ruby<'_>, args: &Args<'_>) -> Result<i64> {
    match &args[0] {
        Value::Nil => Ok(-1),
        depth => ruby.to_int(depth),
    }
}

fn flatten(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let depth = depth(ruby, args)?;
    if depth == 0 {
        return Ok(Value::array(own(ruby, this)?.to_vec()));
    }
    Ok(Value::array(flattened(ruby, this, depth)?.0))
}

fn flatten_in_place(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own_mut(ruby, this)?;
    let depth = depth(ruby, args)?;
    if depth == 0 {
        return Ok(Value::Nil);
    }
    let (flat, changed) = flattened(ruby, this, depth)?;
    if changed {
        *array.items_mut() = flat.into();
    }
    Ok(if_changed(this, changed))
}

fn transpose(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let mut columns: Vec<Vec<Value>> = Vec::new();
    for (index, row) in own(ruby, this)?.to_vec().iter().enumerate() {
        let row = ruby.to_array(row)?.to_vec();
        ruby.charge(row.len() as u64)?;
        if index == 0 {
            columns = vec![Vec::new(); row.len()];
        } else if row.len() != columns.len() {
            let (is, should) = (row.len(), columns.len());
            return Err(ruby.index_error(format!("element size differs ({is} should be {should})")));
        }
        for (column, value) in columns.iter_mut().zip(row) {
            column.push(value);
        }
    }
    Ok(Value::array(columns.into_iter().map(Value::array).collect::<Vec<_>>()))
}

fn product(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let mut lists = vec![own(ruby, this)?.to_vec()];
    for other in args.list {
        lists.push(ruby.to_array(other)?.to_vec());
    }
    let mut rows = Vec::new();
    if args.block.is_none() {
        let total = lists.iter().try_fold(1_usize, |total, list| total.checked_mul(list.len()));
        match total {
            Some(total) if total <= MOST => {
                ruby.charge(total as u64)?;
                ruby.make_room_for(total.saturating_mul(lists.len() + 6))?;
            }
            _ if lists.iter().any(Vec::is_empty) => {}
            _ => return Err(ruby.range_error("too big to product")),
        }
    }
    if !lists.iter().any(Vec::is_empty) {
        let mut places = vec![0; lists.len()];
        'rows: loop {
            ruby.charge(1)?;
            let row = Value::array(
                lists.iter().zip(&places).map(|(list, at)| list[*at].clone()).collect::<Vec<_>>(),
            );
            match args.block {
                Some(block) => drop(ruby.yield_to(block, &[row])?),
                None => rows.push(row),
            }
            for at in (0..lists.len()).rev() {
                places[at] += 1;
                if places[at] < lists[at].len() {
                    continue 'rows;
                }
                places[at] = 0;
            }
            break;
        }
    }
    Ok(if args.block.is_some() { this.clone() } else { Value::array(rows) })
}

/// The elements at these places, to the block.
fn give(ruby: &mut Ruby<'_>, block: &Rc<ProcObject>, values: &[Value], places: &[usize]) -> Result<()> {
    ruby.charge(1 + places.len() as u64)?;
    let chosen: Vec<Value> = places.iter().filter_map(|at| values.get(*at).cloned()).collect();
    ruby.yield_to(block, &[Value::array(chosen)])?;
    Ok(())
}

/// Counts the product of this number of factors up to a largest one, and that many quotients.
fn charge_factors(count: i64, largest: i64) {
    let (count, bits) = (count.max(0).unsigned_abs(), u64::from(largest.max(1).ilog2()) + 1);
    meter::ahead(count.saturating_mul(count.saturating_mul(bits) / 64) / 1024);
}

fn falling(from: i64, count: i64) -> BigInt {
    charge_factors(count, from);
    (0..count).fold(BigInt::from(1), |product, step| product * (from - step))
}

fn choose(of: i64, count: i64) -> BigInt {
    if count < 0 || count > of {
        return BigInt::ZERO;
    }
    let count = count.min(of - count);
    charge_factors(count, of);
    (0..count).fold(BigInt::from(1), |product, step| product * (of - step) / (step + 1))
}

fn length_and_count(ruby: &mut Ruby<'_>, this: &Value, args: &[Value]) -> Result<(i64, i64)> {
    let length = own(ruby, this)?.len() as i64;
    let count = match args.first() {
        None => length,
        Some(count) => ruby.to_int(count)?,
    };
    Ok((length, count))
}

fn combinations(ruby: &mut Ruby<'_>, this: &Value, args: &[Value]) -> Result {
    let (length, count) = length_and_count(ruby, this, args)?;
    Ok(Value::integer(choose(length, count)))
}

fn combination(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let count = ruby.to_int(&args[0])?;
    let values = own(ruby, this)?.to_vec();
    let Ok(count) = usize::try_from(count) else { return Ok(this.clone()) };
    if count > values.len() {
        return Ok(this.clone());
    }
    let mut places: Vec<usize> = (0..count).collect();
    loop {
        give(ruby, block, &values, &places)?;
        let Some(at) = (0..count).rev().find(|at| places[*at] < values.len() - count + at) else {
            return Ok(this.clone());
        };
        places[at] += 1;
        for next in at + 1..count {
            places[next] = places[next - 1] + 1;
        }
    }
}

fn repeated_combinations(ruby: &mut Ruby<'_>, this: &Value, args: &[Value]) -> Result {
    let (length, count) = length_and_count(ruby, this, args)?;
    if count == 0 {
        return Ok(Value::Int(1));
    }
    Ok(Value::integer(choose(length + count - 1, count)))
}

fn repeated_combination(
    ruby: &mut Ruby<'_>,
    this: &Value,
    args: &Args<'_>,
    block: &Rc<ProcObject>,
) -> Result {
    let count = ruby.to_int(&args[0])?;
    let values = own(ruby, this)?.to_vec();
    let Ok(count) = usize::try_from(count) else { return Ok(this.clone()) };
    if values.is_empty() && count > 0 {
        return Ok(this.clone());
    }
    ruby.charge(count as u64)?;
    ruby.make_room_for(count)?;
    let mut places = vec![0; count];
    loop {
        give(ruby, block, &values, &places)?;
        let Some(at) = (0..count).rev().find(|at| places[*at] + 1 < values.len()) else {
            return Ok(this.clone());
        };
        let next = places[at] + 1;
        places[at..].fill(next);
    }
}

fn permutations(ruby: &mut Ruby<'_>, this: &Value, args: &[Value]) -> Result {
    let (length, count) = length_and_count(ruby, this, args)?;
    Ok(Value::integer(if count < 0 || count > length { BigInt::ZERO } else { falling(length, count) }))
}

fn permutation(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let (_, count) = length_and_count(ruby, this, if args[0].is_nil() { &[] } else { args.list })?;
    let values = own(ruby, this)?.to_vec();
    let Ok(count) = usize::try_from(count) else { return Ok(this.clone()) };
    if count <= values.len() {
        let mut places = Vec::new();
        permute(ruby, block, &values, count, &mut places, &mut vec![false; values.len()])?;
    }
    Ok(this.clone())
}

fn permute(
    ruby: &mut Ruby<'_>,
    block: &Rc<ProcObject>,
    values: &[Value],
    count: usize,
    places: &mut Vec<usize>,
    used: &mut Vec<bool>,
) -> Result<()> {
    if places.len() == count {
        return give(ruby, block, values, places);
    }
    for at in 0..values.len() {
        if !used[at] {
            used[at] = true;
            places.push(at);
            kukla_syntax::deep(|| permute(ruby, block, values, count, places, used))?;
            places.pop();
            used[at] = false;
        }
    }
    Ok(())
}

fn repeated_permutations(ruby: &mut Ruby<'_>, this: &Value, args: &[Value]) -> Result {
    let (length, count) = length_and_count(ruby, this, args)?;
    match u32::try_from(count) {
        Ok(count) if count <= 1 << 16 => Ok(Value::integer(BigInt::from(length).pow(count))),
        Ok(_) => Ok(Value::Float(f64::INFINITY)),
        Err(_) => Ok(Value::Int(0)),
    }
}

fn repeated_permutation(
    ruby: &mut Ruby<'_>,
    this: &Value,
    args: &Args<'_>,
    block: &Rc<ProcObject>,
) -> Result {
    let count = ruby.to_int(&args[0])?;
    let values = own(ruby, this)?.to_vec();
    let Ok(count) = usize::try_from(count) else { return Ok(this.clone()) };
    if values.is_empty() && count > 0 {
        return Ok(this.clone());
    }
    ruby.charge(count as u64)?;
    ruby.make_room_for(count)?;
    let mut places = vec![0; count];
    'rows: loop {
        give(ruby, block, &values, &places)?;
        for at in (0..count).rev() {
            places[at] += 1;
            if places[at] < values.len() {
                continue 'rows;
            }
            places[at] = 0;
        }
        return Ok(this.clone());
    }
}
