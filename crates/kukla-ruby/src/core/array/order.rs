//! Elements in another order: `sort`, `reverse`, `rotate`, `shuffle`, `sample`; the least and greatest.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::args::Args;
use crate::class::{ClassId, Native, iterator, method, quick};
use crate::core::array::{own, own_mut};
use crate::core::enumerable::order::{
    compare_fast, extreme_of, extremes_of, minmax_of, sort_keyed, sort_values,
};
use crate::core::enumerator::as_many;
use crate::error::Result;
use crate::iterate::Flow;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{HashObject, Value};

pub(super) const METHODS: &[Native] = &[
    method("sort", 0, 0, sort),
    method("sort!", 0, 0, sort_in_place),
    iterator("sort_by!", 0, 0, sort_by_in_place, as_many),
    method("reverse", 0, 0, reverse),
    method("reverse!", 0, 0, reverse_in_place),
    method("rotate", 0, 1, rotate),
    method("rotate!", 0, 1, rotate_in_place),
    method("shuffle", 0, 1, shuffle),
    method("shuffle!", 0, 1, shuffle_in_place),
    quick("sample", 0, 2, sample),
    method("min", 0, 1, |ruby, this, args| extreme(ruby, this, args, Ordering::Less)),
    method("max", 0, 1, |ruby, this, args| extreme(ruby, this, args, Ordering::Greater)),
    method("minmax", 0, 0, minmax),
];

fn sort(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let mut values = own(ruby, this)?.to_vec();
    sort_values(ruby, &mut values, args.block)?;
    Ok(Value::array(values))
}

fn sort_in_place(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own_mut(ruby, this)?;
    let mut values = array.to_vec();
    sort_values(ruby, &mut values, args.block)?;
    ruby.check_frozen(this)?;
    *array.items_mut() = values.into();
    Ok(this.clone())
}

fn sort_by_in_place(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let array = own_mut(ruby, this)?;
    let mut keyed = Vec::new();
    ruby.walk_array(array, |ruby, value| {
        keyed.push((ruby.yield_to(block, std::slice::from_ref(value))?, value.clone()));
        Ok(Flow::More)
    })?;
    sort_keyed(ruby, &mut keyed)?;
    ruby.check_frozen(this)?;
    *array.items_mut() = keyed.into_iter().map(|(_, value)| value).collect();
    Ok(this.clone())
}

fn reverse(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let mut values = own(ruby, this)?.to_vec();
    values.reverse();
    Ok(Value::array(values))
}

fn reverse_in_place(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    own_mut(ruby, this)?.items_mut().reverse();
    Ok(this.clone())
}

/// How far to rotate to the left.
fn distance(ruby: &mut Ruby<'_>, args: &Args<'_>, length: usize) -> Result<usize> {
    let by = match args.get(0) {
        Some(by) => ruby.to_int(by)?,
        None => 1,
    };
    Ok(if length == 0 { 0 } else { by.rem_euclid(length as i64) as usize })
}

fn rotate(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let mut values = own(ruby, this)?.to_vec();
    let by = distance(ruby, args, values.len())?;
    values.rotate_left(by);
    Ok(Value::array(values))
}

fn rotate_in_place(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own_mut(ruby, this)?;
    let by = distance(ruby, args, array.len())?;
    let mut items = array.items_mut();
    if by < items.len() {
        items.rotate_left(by);
    }
    Ok(this.clone())
}

/// The generator that keywords name: `random:`, or the one of the program.
fn generator(ruby: &mut Ruby<'_>, keywords: Option<&Rc<HashObject>>) -> Result<Value> {
    let Some(keywords) = keywords else { return Ok(Value::Class(ClassId::RANDOM)) };
    let random = ruby.symbol("random");
    let unknown: Vec<Value> =
        keywords.table().iter().map(|entry| entry.key.clone()).filter(|key| !key.is_same(&random)).collect();
    if !unknown.is_empty() {
        let mut shown = Vec::new();
        for key in &unknown {
            shown.push(ruby.inspect(key)?.to_str_lossy().into_owned());
        }
        let word = if shown.len() == 1 { "keyword" } else { "keywords" };
        return Err(ruby.argument_error(format!("unknown {word}: {}", shown.join(", "))));
    }
    Ok(ruby.hash_get(keywords, &random)?.unwrap_or(Value::Class(ClassId::RANDOM)))
}

/// A random number below a limit.
fn random_below(ruby: &mut Ruby<'_>, generator: &Value, limit: usize) -> Result<usize> {
    let answer = ruby.send(generator, sym::RAND, &[Value::Int(limit as i64)])?;
    let number = ruby.to_int(&answer)?;
    match usize::try_from(number) {
        Ok(number) if number < limit => Ok(number),
        Ok(_) => Err(ruby.range_error(format!("random number too big {number}"))),
        Err(_) => Err(ruby.range_error(format!("random number too small {number}"))),
    }
}

fn shuffled(ruby: &mut Ruby<'_>, mut values: Vec<Value>, args: &Args<'_>) -> Result<Vec<Value>> {
    let (list, keywords) = args.split();
    if !list.is_empty() {
        return Err(ruby.wrong_number_of_arguments(list.len(), 0));
    }
    let generator = generator(ruby, keywords)?;
    for left in (1..=values.len()).rev() {
        let chosen = random_below(ruby, &generator, left)?;
        values.swap(left - 1, chosen);
    }
    Ok(values)
}

fn shuffle(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let values = own(ruby, this)?.to_vec();
    Ok(Value::array(shuffled(ruby, values, args)?))
}

fn shuffle_in_place(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own_mut(ruby, this)?;
    let values = shuffled(ruby, array.to_vec(), args)?;
    *array.items_mut() = values.into();
    Ok(this.clone())
}

/// Random elements. The numbers drawn and what is made of them are Ruby's own, so that a seed gives the same sample.
fn sample(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (list, keywords) = args.split();
    let generator = generator(ruby, keywords)?;
    let array = own(ruby, this)?;
    let Some(count) = list.first() else {
        let length = array.len();
        if length < 2 {
            return Ok(array.get(0).unwrap_or_default());
        }
        let at = random_below(ruby, &generator, length)?;
        return Ok(array.get(at).unwrap_or_default());
    };
    let count = crate::core::enumerable::count(ruby, count, "negative sample number")?;
    let mut values = array.to_vec();
    let length = values.len();
    let count = count.min(length);
    if count == 0 {
        return Ok(Value::array(Vec::new()));
    }
    // Up to three are drawn one by one from what is left; for more, Ruby draws all numbers first where it is short of them.
    let mut drawn = Vec::new();
    match count {
        1 => drawn.push(random_below(ruby, &generator, length)?),
        2 => {
            let i = random_below(ruby, &generator, length)?;
            let j = random_below(ruby, &generator, length - 1)?;
            drawn.extend([i, if j >= i { j + 1 } else { j }]);
        }
        3 => {
            let i = random_below(ruby, &generator, length)?;
            let mut j = random_below(ruby, &generator, length - 1)?;
            let mut k = random_below(ruby, &generator, length - 2)?;
            let (mut low, mut high) = (j, i);
            if j >= i {
                low = i;
                j += 1;
                high = j;
            }
            if k >= low {
                k += 1;
                if k >= high {
                    k += 1;
                }
            }
            drawn.extend([i, j, k]);
        }
        count if count <= 16 => {
            let mut numbers = Vec::new();
            for taken in 0..count {
                numbers.push(random_below(ruby, &generator, length - taken)?);
            }
            let mut sorted: Vec<usize> = vec![numbers[0]];
            drawn.push(numbers[0]);
            for number in &numbers[1..] {
                let mut at = *number;
                let mut place = 0;
                while place < sorted.len() && at >= sorted[place] {
                    at += 1;
                    place += 1;
                }
                sorted.insert(place, at);
                drawn.push(at);
            }
        }
        count => {
            for taken in 0..count {
                let at = random_below(ruby, &generator, length - taken)? + taken;
                values.swap(taken, at);
            }
            values.truncate(count);
            return Ok(Value::array(values));
        }
    }
    Ok(Value::array(drawn.into_iter().filter_map(|at| values.get(at).cloned()).collect::<Vec<_>>()))
}

fn extreme(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, side: Ordering) -> Result {
    let values = own(ruby, this)?.to_vec();
    match (args.get(0), args.block) {
        (None | Some(Value::Nil), Some(_)) => extreme_of(ruby, &values, args.block, side),
        (None | Some(Value::Nil), None) => {
            let mut best: Option<&Value> = None;
            for value in &values {
                best = Some(match best {
                    Some(so_far) if compare_fast(ruby, so_far, value)? != side.reverse() => so_far,
                    _ => value,
                });
            }
            Ok(best.cloned().unwrap_or_default())
        }
        (Some(number), _) => extremes_of(ruby, values, number, args.block, side),
    }
}

fn minmax(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if args.block.is_some() {
        let values = own(ruby, this)?.to_vec();
        return minmax_of(ruby, &values, args.block);
    }
    let least = extreme(ruby, this, args, Ordering::Less)?;
    let greatest = extreme(ruby, this, args, Ordering::Greater)?;
    Ok(Value::array(vec![least, greatest]))
}
