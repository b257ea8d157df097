//! Comparing numbers.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{FromPrimitive, Zero};

use super::tower::{Number, as_parts, as_ratio, number};
use crate::args::Args;
use crate::class::{Native, quick};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::{Symbol, sym};
use crate::value::Value;

/// Operators of integers, floats and rationals alike.
pub const COMPARE: &[Native] = &[
    quick("<=>", 1, 1, |ruby, this, args| compare(ruby, this, &args[0])),
    quick("==", 1, 1, |ruby, this, args| Ok(equal(ruby, this, &args[0])?.into())),
    quick("===", 1, 1, |ruby, this, args| Ok(equal(ruby, this, &args[0])?.into())),
    quick("<", 1, 1, |ruby, this, args| relation(ruby, this, args, sym::LT, Ordering::is_lt)),
    quick("<=", 1, 1, |ruby, this, args| relation(ruby, this, args, sym::LE, Ordering::is_le)),
    quick(">", 1, 1, |ruby, this, args| relation(ruby, this, args, sym::GT, Ordering::is_gt)),
    quick(">=", 1, 1, |ruby, this, args| relation(ruby, this, args, sym::GE, Ordering::is_ge)),
];

/// The exact order of an integer and a float; `None` for NaN.
pub fn integer_to_float(a: &BigInt, b: f64) -> Option<Ordering> {
    if b.is_nan() {
        return None;
    }
    if b.is_infinite() {
        return Some(if b > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let whole = BigInt::from_f64(b.trunc()).unwrap_or_else(BigInt::zero);
    let fraction = b.fract();
    Some(a.cmp(&whole).then(0.0f64.partial_cmp(&fraction).unwrap_or(Ordering::Equal)))
}

/// The order of two real numbers: `None` if one is not real, `Some(None)` if one is NaN.
pub fn order(a: &Value, b: &Value) -> Option<Option<Ordering>> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => return Some(Some(a.cmp(b))),
        (Value::Float(a), Value::Float(b)) => return Some(a.partial_cmp(b)),
        _ => {}
    }
    Some(match (number(a)?, number(b)?) {
        (Number::Complex(_), _) | (_, Number::Complex(_)) => return None,
        (Number::Integer(a), Number::Integer(b)) => Some(a.cmp(&b)),
        (Number::Integer(a), Number::Float(b)) => integer_to_float(&a, b),
        (Number::Float(a), Number::Integer(b)) => integer_to_float(&b, a).map(Ordering::reverse),
        (Number::Float(a), b) => a.partial_cmp(&b.to_f64()),
        (a, Number::Float(b)) => a.to_f64().partial_cmp(&b),
        (Number::Rational(a), Number::Rational(b)) => Some(a.cmp(&b)),
        (Number::Integer(a), Number::Rational(b)) => Some((a * &b.denominator).cmp(&b.numerator)),
        (Number::Rational(a), Number::Integer(b)) => Some(a.numerator.cmp(&(b * &a.denominator))),
    })
}

/// `a <=> b`
pub fn compare(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    match order(a, b) {
        Some(order) => Ok(order.map(|order| order as i64).into()),
        None => match (a, b) {
            (Value::Float(number), other) if number.is_infinite() => infinite_compare(ruby, *number, other),
            _ => ruby.coerce_compare(a, b),
        },
    }
}

/// An infinite float asks others whether they are infinite too.
fn infinite_compare(ruby: &mut Ruby<'_>, number: f64, other: &Value) -> Result {
    let infinite = ruby.symbols.intern("infinite?");
    if let Some(answer) = ruby.try_send(other, infinite, &[])? {
        let sign = if number > 0.0 { 1 } else { -1 };
        return match answer {
            Value::Nil | Value::Bool(false) => Ok(Value::Int(sign)),
            answer => {
                let theirs = ruby.to_int(&answer)?;
                Ok(Value::Int(i64::from(sign > theirs) - i64::from(sign < theirs)))
            }
        };
    }
    ruby.coerce_compare(&Value::Float(number), other)
}

fn relation(
    ruby: &mut Ruby<'_>,
    this: &Value,
    args: &Args<'_>,
    operator: Symbol,
    holds: fn(Ordering) -> bool,
) -> Result {
    if as_ratio(this).is_some() {
        return Ok(holds(ruby.must_compare(this, &args[0])?).into());
    }
    match order(this, &args[0]) {
        Some(order) => Ok(order.is_some_and(holds).into()),
        None => ruby.coerce_relation(this, &args[0], operator),
    }
}

/// `a == b`
pub fn equal(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result<bool> {
    if let Some(order) = order(a, b) {
        return Ok(order == Some(Ordering::Equal));
    }
    match b {
        Value::Object(_) => match as_parts(b) {
            Some(parts) => Ok(equal(ruby, &parts.imaginary, &Value::Int(0))? && equal(ruby, a, &parts.real)?),
            None => Ok(ruby.send(b, sym::EQ, std::slice::from_ref(a))?.is_true()),
        },
        _ => Ok(false),
    }
}
