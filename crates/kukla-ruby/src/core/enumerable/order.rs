//! Elements in order: `sort`, `sort_by`, `min`, `max`, `minmax` and their `_by`.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::args::Args;
use crate::class::{Native, iterator, method};
use crate::core::enumerable::count;
use crate::core::enumerator::as_many;
use crate::error::Result;
use crate::iterate::{Flow, pack};
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::value::Value;

pub(super) const METHODS: &[Native] = &[
    method("sort", 0, 0, sort),
    iterator("sort_by", 0, 0, sort_by, as_many),
    method("min", 0, 1, |ruby, this, args| extreme(ruby, this, args, Ordering::Less)),
    method("max", 0, 1, |ruby, this, args| extreme(ruby, this, args, Ordering::Greater)),
    method("minmax", 0, 0, minmax),
    iterator(
        "min_by",
        0,
        1,
        |ruby, this, args, block| extreme_by(ruby, this, args, block, Ordering::Less),
        as_many,
    ),
    iterator(
        "max_by",
        0,
        1,
        |ruby, this, args, block| extreme_by(ruby, this, args, block, Ordering::Greater),
        as_many,
    ),
    iterator("minmax_by", 0, 0, minmax_by, as_many),
];

/// Compares with `<=>` or a block; a complaint if that gives nothing.
pub(crate) fn compare_with(
    ruby: &mut Ruby<'_>,
    block: Option<&Rc<ProcObject>>,
    a: &Value,
    b: &Value,
) -> Result<Ordering> {
    let Some(block) = block else { return compare_fast(ruby, a, b) };
    let answer = ruby.yield_to(block, &[a.clone(), b.clone()])?;
    match ruby.ordering(&answer, a, b)? {
        Some(order) => Ok(order),
        None => Err(ruby.cannot_compare(a, b)?),
    }
}

/// `a <=> b` without a call where both are numbers or strings.
pub(crate) fn compare_fast(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Ok(a.cmp(b)),
        (Value::Float(x), Value::Float(y)) if !x.is_nan() && !y.is_nan() => {
            Ok(x.partial_cmp(y).unwrap_or(Ordering::Equal))
        }
        (Value::String(a), Value::String(b)) => Ok(a.text().as_bytes().cmp(b.text().as_bytes())),
        _ => ruby.must_compare(a, b),
    }
}

/// Sorts as the C library does that Ruby relies on: halves, then merged, equal elements in their order.
pub(crate) fn merge_sort<T: Clone>(
    items: &mut [T],
    compare: &mut impl FnMut(&T, &T) -> Result<Ordering>,
) -> Result<()> {
    if items.len() <= 1 {
        return Ok(());
    }
    let middle = items.len() / 2;
    let (left, right) = items.split_at_mut(middle);
    merge_sort(left, compare)?;
    merge_sort(right, compare)?;
    let left = left.to_vec();
    let (mut from_left, mut from_right, mut to) = (0, middle, 0);
    while from_left < left.len() && from_right < items.len() {
        if compare(&left[from_left], &items[from_right])? == Ordering::Greater {
            items[to] = items[from_right].clone();
            from_right += 1;
        } else {
            items[to] = left[from_left].clone();
            from_left += 1;
        }
        to += 1;
    }
    for item in &left[from_left..] {
        items[to] = item.clone();
        to += 1;
    }
    Ok(())
}

/// Sorts values with `<=>` or a block.
pub(crate) fn sort_values(
    ruby: &mut Ruby<'_>,
    values: &mut [Value],
    block: Option<&Rc<ProcObject>>,
) -> Result<()> {
    let length = values.len() as u64;
    ruby.charge(length * u64::from(length.max(1).ilog2() + 1) / 8)?;
    if block.is_none() && values.iter().all(|value| matches!(value, Value::Int(_))) {
        values.sort_by_key(|value| if let Value::Int(number) = value { *number } else { 0 });
        return Ok(());
    }
    if block.is_none() && values.iter().all(|value| matches!(value, Value::String(_))) {
        values.sort_by(|a, b| match (a, b) {
            (Value::String(a), Value::String(b)) => a.text().as_bytes().cmp(b.text().as_bytes()),
            _ => Ordering::Equal,
        });
        return Ok(());
    }
    merge_sort(values, &mut |a, b| compare_with(ruby, block, a, b))
}

/// Sorts values by what a block makes of them.
pub(crate) fn sort_keyed(ruby: &mut Ruby<'_>, keyed: &mut [(Value, Value)]) -> Result<()> {
    let length = keyed.len() as u64;
    ruby.charge(length * u64::from(length.max(1).ilog2() + 1) / 8)?;
    merge_sort(keyed, &mut |a, b| compare_fast(ruby, &a.0, &b.0))
}

fn sort(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let mut all = ruby.collect(this, &Args::default())?;
    sort_values(ruby, &mut all, args.block)?;
    Ok(Value::array(all))
}

fn sort_by(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let mut keyed = keyed(ruby, this, block)?;
    sort_keyed(ruby, &mut keyed)?;
    Ok(Value::array(keyed.into_iter().map(|(_, value)| value).collect::<Vec<_>>()))
}

fn keyed(ruby: &mut Ruby<'_>, this: &Value, block: &Rc<ProcObject>) -> Result<Vec<(Value, Value)>> {
    let block = block.clone();
    ruby.walk(this, Vec::new(), move |ruby, keyed, values| {
        let key = ruby.yield_packed(&block, values)?;
        keyed.push((key, pack(values)));
        Ok(Flow::More)
    })
}

/// The least or greatest of values, the first of several.
pub(crate) fn extreme_of(
    ruby: &mut Ruby<'_>,
    values: &[Value],
    block: Option<&Rc<ProcObject>>,
    side: Ordering,
) -> Result {
    let mut best: Option<&Value> = None;
    for value in values {
        best = Some(match best {
            Some(so_far) if compare_with(ruby, block, value, so_far)? != side => so_far,
            _ => value,
        });
    }
    Ok(best.cloned().unwrap_or_default())
}

/// The `number` least or greatest of values, in order.
pub(crate) fn extremes_of(
    ruby: &mut Ruby<'_>,
    values: Vec<Value>,
    number: &Value,
    block: Option<&Rc<ProcObject>>,
    side: Ordering,
) -> Result {
    let most = how_many(ruby, number)?;
    let mut compare = |a: &Value, b: &Value| compare_with(ruby, block, a, b);
    let mut chosen = choose(values, most, side, &mut compare)?;
    merge_sort(&mut chosen, &mut compare)?;
    if side == Ordering::Greater {
        chosen.reverse();
    }
    Ok(Value::array(chosen))
}

fn how_many(ruby: &mut Ruby<'_>, number: &Value) -> Result<usize> {
    let negative = ruby.to_int(number)?;
    count(ruby, number, &format!("negative size ({negative})"))
}

/// The `most` least or greatest elements in no order, by the steps that Ruby takes, which decide between equal ones: four times as many are
/// gathered, then the wanted ones are parted from the rest, whose limit later elements have to pass.
fn choose<T: Clone>(
    values: Vec<T>,
    most: usize,
    side: Ordering,
    compare: &mut impl FnMut(&T, &T) -> Result<Ordering>,
) -> Result<Vec<T>> {
    if most == 0 {
        return Ok(Vec::new());
    }
    let full = most.saturating_mul(4);
    let mut chosen: Vec<T> = Vec::new();
    let mut limit: Option<T> = None;
    for value in values {
        if let Some(limit) = &limit {
            let order = compare(&value, limit)?;
            if order != side {
                continue;
            }
        }
        chosen.push(value);
        if chosen.len() == full {
            limit = part(&mut chosen, most, side, compare)?;
        }
    }
    part(&mut chosen, most, side, compare)?;
    Ok(chosen)
}

/// Keeps the `most` least or greatest; the last pivot, if it had to look.
fn part<T: Clone>(
    items: &mut Vec<T>,
    most: usize,
    side: Ordering,
    compare: &mut impl FnMut(&T, &T) -> Result<Ordering>,
) -> Result<Option<T>> {
    if items.len() <= most {
        return Ok(None);
    }
    let (mut left, mut right) = (0, items.len() - 1);
    let store = loop {
        items.swap(left + (right - left) / 2, right);
        let (mut store, mut at, mut pivots) = (left, left, 1);
        while at + pivots <= right {
            let order = compare(&items[at], &items[right])?;
            let order = if side == Ordering::Greater { order.reverse() } else { order };
            if order == Ordering::Equal {
                items.swap(at, right - pivots);
                pivots += 1;
                continue;
            }
            if order == Ordering::Less {
                items.swap(at, store);
                store += 1;
            }
            at += 1;
        }
        // The elements equal to the pivot wait at the end; they belong between the sides.
        for (to, from) in (store..).zip((right + 1 - pivots..=right).rev()) {
            if from <= to {
                break;
            }
            items.swap(to, from);
        }
        if store <= most && most <= store + pivots {
            break store;
        }
        if most < store {
            right = store - 1;
        } else {
            left = store + pivots;
        }
    };
    let limit = items.get(store).cloned();
    items.truncate(most);
    Ok(limit)
}

fn extreme(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, side: Ordering) -> Result {
    if let Some(number) = args.get(0)
        && !number.is_nil()
        && how_many(ruby, number)? == 0
    {
        return Ok(Value::array(Vec::new()));
    }
    let all = ruby.collect(this, &Args::default())?;
    match args.get(0) {
        None | Some(Value::Nil) => extreme_of(ruby, &all, args.block, side),
        Some(number) => extremes_of(ruby, all, number, args.block, side),
    }
}

fn minmax(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let all = ruby.collect(this, &Args::default())?;
    minmax_of(ruby, &all, args.block)
}

/// The least and the greatest of values, compared in pairs as Ruby does.
pub(crate) fn minmax_of(ruby: &mut Ruby<'_>, all: &[Value], block: Option<&Rc<ProcObject>>) -> Result {
    let best = pairwise(all, &mut |a, b| compare_with(ruby, block, a, b))?;
    let (least, greatest) = best.unwrap_or_default();
    Ok(Value::array(vec![least, greatest]))
}

fn pairwise<T: Clone>(
    all: &[T],
    compare: &mut impl FnMut(&T, &T) -> Result<Ordering>,
) -> Result<Option<(T, T)>> {
    let mut best: Option<(T, T)> = None;
    for two in all.chunks(2) {
        let (low, high) = match two {
            [a, b] => match compare(a, b)? {
                Ordering::Less => (a, b),
                Ordering::Equal => (a, a),
                Ordering::Greater => (b, a),
            },
            [one] => (one, one),
            _ => continue,
        };
        match &mut best {
            None => best = Some((low.clone(), high.clone())),
            Some((least, greatest)) => {
                if compare(low, least)? == Ordering::Less {
                    *least = low.clone();
                }
                if compare(high, greatest)? == Ordering::Greater {
                    *greatest = high.clone();
                }
            }
        }
    }
    Ok(best)
}

fn extreme_by(
    ruby: &mut Ruby<'_>,
    this: &Value,
    args: &Args<'_>,
    block: &Rc<ProcObject>,
    side: Ordering,
) -> Result {
    let keyed = keyed(ruby, this, block)?;
    match args.get(0) {
        None | Some(Value::Nil) => best_keyed(ruby, &keyed, side),
        Some(number) => {
            let most = how_many(ruby, number)?;
            let mut compare = |a: &(Value, Value), b: &(Value, Value)| compare_fast(ruby, &a.0, &b.0);
            let mut chosen = choose(keyed, most, side, &mut compare)?;
            merge_sort(&mut chosen, &mut compare)?;
            if side == Ordering::Greater {
                chosen.reverse();
            }
            Ok(Value::array(chosen.into_iter().map(|(_, value)| value).collect::<Vec<_>>()))
        }
    }
}

fn best_keyed(ruby: &mut Ruby<'_>, keyed: &[(Value, Value)], side: Ordering) -> Result {
    let mut best: Option<&(Value, Value)> = None;
    for entry in keyed {
        best = Some(match best {
            Some(so_far) if compare_fast(ruby, &entry.0, &so_far.0)? != side => so_far,
            _ => entry,
        });
    }
    Ok(best.map(|(_, value)| value.clone()).unwrap_or_default())
}

fn minmax_by(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let keyed = keyed(ruby, this, block)?;
    let best = pairwise(&keyed, &mut |a, b| compare_fast(ruby, &a.0, &b.0))?;
    let ((_, least), (_, greatest)) = best.unwrap_or_default();
    Ok(Value::array(vec![least, greatest]))
}
