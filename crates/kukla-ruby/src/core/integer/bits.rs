//! Integers as rows of bits, negative ones with endless ones in front.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::args::Args;
use crate::class::{Native, method, quick};
use crate::core::numeric::arithmetic::add;
use crate::core::numeric::tower::{as_big, number};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::Value;

/// Operators on bits.
pub const BITS: &[Native] = &[
    method("&", 1, 1, |ruby, this, args| combine(ruby, this, args, sym::AND, |a, b| a & b, |a, b| a & b)),
    method("|", 1, 1, |ruby, this, args| combine(ruby, this, args, sym::OR, |a, b| a | b, |a, b| a | b)),
    method("^", 1, 1, |ruby, this, args| combine(ruby, this, args, sym::XOR, |a, b| a ^ b, |a, b| a ^ b)),
    method("~", 0, 0, |_, this, _| match this {
        Value::Int(number) => Ok(Value::Int(!number)),
        this => Ok(as_big(this).map_or(Value::Nil, |number| Value::integer(-number - 1))),
    }),
    method("<<", 1, 1, |ruby, this, args| shift(ruby, this, &args[0], true)),
    method(">>", 1, 1, |ruby, this, args| shift(ruby, this, &args[0], false)),
    quick("[]", 1, 2, reference),
    quick("bit_length", 0, 0, |_, this, _| {
        Ok(Value::Int(match this {
            Value::Int(number) => {
                i64::from(64 - (if *number < 0 { !number } else { *number }).leading_zeros())
            }
            this => as_big(this).map_or(0, |number| {
                let number: BigInt = if number.is_negative() { -number - 1 } else { number };
                number.bits() as i64
            }),
        }))
    }),
    method("allbits?", 1, 1, |ruby, this, args| {
        let (number, mask) = masked(ruby, this, args)?;
        Ok((number & &mask == mask).into())
    }),
    method("anybits?", 1, 1, |ruby, this, args| {
        let (number, mask) = masked(ruby, this, args)?;
        Ok((!(number & mask).is_zero()).into())
    }),
    method("nobits?", 1, 1, |ruby, this, args| {
        let (number, mask) = masked(ruby, this, args)?;
        Ok((number & mask).is_zero().into())
    }),
];

fn combine(
    ruby: &mut Ruby<'_>,
    this: &Value,
    args: &Args<'_>,
    operator: Symbol,
    small: fn(i64, i64) -> i64,
    large: fn(BigInt, BigInt) -> BigInt,
) -> Result {
    if let (Value::Int(a), Value::Int(b)) = (this, &args[0]) {
        return Ok(Value::Int(small(*a, *b)));
    }
    match (as_big(this), as_big(&args[0])) {
        (Some(a), Some(b)) => Ok(Value::integer(large(a, b))),
        _ if number(&args[0]).is_some() || matches!(args[0], Value::String(_)) => {
            Err(ruby.cannot_coerce(&args[0], this))
        }
        _ => ruby.coerce_binary(this, &args[0], operator),
    }
}

fn masked(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result<(BigInt, BigInt)> {
    let mask = ruby.to_integer(&args[0])?;
    Ok((as_big(this).unwrap_or_default(), as_big(&mask).unwrap_or_default()))
}

/// More bits than this are not made.
const MOST_BITS: u64 = 1 << 32;

/// `this << by` or, if not `left`, `this >> by`; a negative distance goes the other way.
pub fn shift(ruby: &mut Ruby<'_>, this: &Value, by: &Value, left: bool) -> Result {
    let by = ruby.to_integer(by)?;
    let (by, left) = match (&by, left) {
        (Value::Int(by), left) => (by.unsigned_abs(), left == (*by >= 0)),
        (Value::Big(by), left) => (u64::MAX, left == by.number.is_positive()),
        _ => (0, true),
    };
    let number = as_big(this).unwrap_or_default();
    if !left {
        if let Value::Int(number) = this {
            return Ok(Value::Int(if by > 63 { number >> 63 } else { number >> by }));
        }
        return Ok(if by > number.bits() {
            Value::Int(if number.is_negative() { -1 } else { 0 })
        } else {
            Value::integer(number >> by)
        });
    }
    if let Value::Int(number) = this
        && by < 63
        && number.unsigned_abs() < 1 << (63 - by)
    {
        return Ok(Value::Int(number << by));
    }
    if number.is_zero() {
        return Ok(Value::Int(0));
    }
    if by > MOST_BITS {
        return Err(ruby.range_error("shift width too big"));
    }
    ruby.charge(by / 64)?;
    ruby.grown(by as usize / 8)?;
    Ok(Value::integer(number << by))
}

/// `number[bit]`, `number[bit, length]`, `number[from..to]`
fn reference(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let number = as_big(this).unwrap_or_default();
    if args.len() == 2 {
        let (start, length) = (ruby.to_integer(&args[0])?, ruby.to_integer(&args[1])?);
        let moved = shift(ruby, this, &start, false)?;
        return masked_to(ruby, &moved, &length);
    }
    if let Value::Range(range) = &args[0] {
        return range_of_bits(ruby, this, range.begin.clone(), range.end.clone(), range.exclusive);
    }
    let bit = ruby.to_integer(&args[0])?;
    Ok(Value::Int(match bit {
        Value::Int(bit) if bit >= 0 => {
            if bit as u64 >= number.bits() {
                i64::from(number.is_negative())
            } else {
                let moved: BigInt = number >> bit;
                i64::from(moved.is_odd())
            }
        }
        Value::Big(bit) if bit.number.is_positive() => i64::from(number.is_negative()),
        _ => 0,
    }))
}

/// The lowest bits, that many; all if the length is negative.
fn masked_to(ruby: &mut Ruby<'_>, number: &Value, length: &Value) -> Result {
    let length = ruby.to_int(length)?;
    if length < 0 {
        return Ok(number.clone());
    }
    if length as u64 > MOST_BITS {
        return Err(ruby.range_error("shift width too big"));
    }
    ruby.charge(length as u64 / 64)?;
    ruby.grown(length as usize / 8)?;
    let mask: BigInt = (BigInt::one() << length) - 1;
    Ok(Value::integer(as_big(number).unwrap_or_default() & mask))
}

fn range_of_bits(ruby: &mut Ruby<'_>, this: &Value, begin: Value, end: Value, exclusive: bool) -> Result {
    if begin.is_nil() {
        let end = ruby.to_integer(&end)?;
        let past = if exclusive { end.clone() } else { add(ruby, &end, &Value::Int(1))? };
        if matches!(past, Value::Int(past) if past >= 0) {
            let low = masked_to(ruby, this, &past)?;
            if as_big(&low).is_some_and(|low| low.is_zero()) {
                return Ok(Value::Int(0));
            }
            return Err(ruby.argument_error("The beginless range for Integer#[] results in infinity"));
        }
        return Ok(Value::Int(0));
    }
    let begin = ruby.to_integer(&begin)?;
    let moved = shift(ruby, this, &begin, false)?;
    if end.is_nil() {
        return Ok(moved);
    }
    let end = ruby.to_integer(&end)?;
    let length = as_big(&end).unwrap_or_default() - as_big(&begin).unwrap_or_default()
        + BigInt::from(u8::from(!exclusive));
    match length.to_i64() {
        Some(length) if length >= 0 => masked_to(ruby, &moved, &Value::Int(length)),
        _ => Ok(moved),
    }
}
