//! `bsearch`: a number between the ends that a block leads to.

use num_bigint::BigInt;

use crate::args::Args;
use crate::class::{Native, method};
use crate::core::array::SearchAnswer;
use crate::core::enumerator::unknown;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

use super::own;

pub(super) const METHODS: &[Native] = &[method("bsearch", 0, 0, bsearch)];

fn bsearch(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let range = own(ruby, this)?;
    let float = matches!(range.begin, Value::Float(_)) || matches!(range.end, Value::Float(_));
    let fits = |value: &Value| matches!(value, Value::Int(_) | Value::Big(_) | Value::Float(_) | Value::Nil);
    if !fits(&range.begin) || !fits(&range.end) || (range.begin.is_nil() && range.end.is_nil()) {
        let class = ruby.class_name_of(&range.begin);
        return Err(ruby.type_error(format!("can't do binary search for {class}")));
    }
    let Some(block) = args.block else {
        ruby.called = "bsearch";
        return ruby.enumerator(this, args, unknown);
    };
    let ask = |ruby: &mut Ruby<'_>, value: Value| -> Result<SearchAnswer> {
        let answer = ruby.yield_to(block, &[value])?;
        SearchAnswer::of(ruby, &answer)
    };
    if float {
        let begin = if range.begin.is_nil() { f64::NEG_INFINITY } else { ruby.to_float(&range.begin)? };
        let end = if range.end.is_nil() { f64::INFINITY } else { ruby.to_float(&range.end)? };
        let (mut low, mut high) = (rank(begin), rank(end));
        if range.exclusive {
            high -= 1;
        }
        let mut found = Value::Nil;
        while low <= high {
            let middle = ((i128::from(low) + i128::from(high)) >> 1) as i64;
            let number = unrank(middle);
            match ask(ruby, Value::Float(number))? {
                SearchAnswer::Here => return Ok(Value::Float(number)),
                SearchAnswer::HereOrBefore => {
                    found = Value::Float(number);
                    high = middle - 1;
                }
                SearchAnswer::Before => high = middle - 1,
                SearchAnswer::After => low = middle + 1,
            }
        }
        return Ok(found);
    }
    // An open end is found by doubling.
    let mut distance = BigInt::from(1);
    let (mut low, mut high) = match (big(&range.begin), big(&range.end)) {
        (Some(begin), Some(end)) => (begin, if range.exclusive { end - 1 } else { end }),
        (Some(begin), None) => loop {
            ruby.charge(1)?;
            let at: BigInt = &begin + &distance;
            match ask(ruby, Value::integer(at.clone()))? {
                SearchAnswer::Here => return Ok(Value::integer(at)),
                SearchAnswer::After => distance *= 2,
                _ => break (begin, at),
            }
        },
        (None, Some(end)) => loop {
            ruby.charge(1)?;
            let at: BigInt = &end - &distance;
            match ask(ruby, Value::integer(at.clone()))? {
                SearchAnswer::Here => return Ok(Value::integer(at)),
                SearchAnswer::After => break (at, end),
                _ => distance *= 2,
            }
        },
        (None, None) => return Ok(Value::Nil),
    };
    let mut found = Value::Nil;
    while low <= high {
        let middle: BigInt = (&low + &high) >> 1;
        match ask(ruby, Value::integer(middle.clone()))? {
            SearchAnswer::Here => return Ok(Value::integer(middle)),
            SearchAnswer::HereOrBefore => {
                found = Value::integer(middle.clone());
                high = middle - 1;
            }
            SearchAnswer::Before => high = middle - 1,
            SearchAnswer::After => low = middle + 1,
        }
    }
    Ok(found)
}

fn big(value: &Value) -> Option<BigInt> {
    match value {
        Value::Int(number) => Some(BigInt::from(*number)),
        Value::Big(big) => Some(big.number.clone()),
        _ => None,
    }
}

/// Floats numbered in their order.
fn rank(number: f64) -> i64 {
    let number = if number == 0.0 { 0.0 } else { number };
    let bits = number.abs().to_bits() as i64;
    if number < 0.0 { -bits } else { bits }
}

fn unrank(rank: i64) -> f64 {
    let number = f64::from_bits(rank.unsigned_abs());
    if rank < 0 { -number } else { number }
}
