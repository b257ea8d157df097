//! Integers of any size.

mod bits;
mod digits;
mod iterate;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::args::Args;
use crate::class::{Native, NativeClass, method, quick};
use crate::core::numeric::arithmetic::{ARITHMETIC, add, subtract};
use crate::core::numeric::compare::COMPARE;
use crate::core::numeric::large;
use crate::core::numeric::power::pow;
use crate::core::numeric::round::ROUND;
use crate::core::numeric::tower::{Ratio, as_big, big_to_f64, is_even};
use crate::core::numeric::{named, parse};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

/// The class `Integer`.
pub const INTEGER: NativeClass = NativeClass {
    methods: &[ARITHMETIC, COMPARE, ROUND, METHODS, bits::BITS, digits::DIGITS, iterate::ITERATE],
    singleton: &[SINGLETON],
    ..NativeClass::class("Integer", "Numeric")
};

const SINGLETON: &[Native] = &[
    method("sqrt", 1, 1, sqrt),
    method("try_convert", 1, 1, |ruby, _, args| match &args[0] {
        value @ (Value::Int(_) | Value::Big(_)) => Ok(value.clone()),
        value => match ruby.try_send(value, sym::TO_INT, &[])? {
            None | Some(Value::Nil) => Ok(Value::Nil),
            Some(answer @ (Value::Int(_) | Value::Big(_))) => Ok(answer),
            Some(answer) => {
                let (own, other) = (ruby.class_name_of(value), ruby.class_name_of(&answer));
                Err(ruby.type_error(format!("can't convert {own} to Integer ({own}#to_int gives {other})")))
            }
        },
    }),
];

const METHODS: &[Native] = &[
    quick("eql?", 1, 1, |_, this, args| Ok(same(this, &args[0]).into())),
    quick("equal?", 1, 1, |_, this, args| Ok(same(this, &args[0]).into())),
    quick("hash", 0, 0, |ruby, this, _| Ok(Value::Int(ruby.hash_code(this)? as i64 >> 2))),
    method("pow", 1, 2, pow),
    quick("succ", 0, 0, |ruby, this, _| add(ruby, this, &Value::Int(1))),
    quick("next", 0, 0, |ruby, this, _| add(ruby, this, &Value::Int(1))),
    quick("pred", 0, 0, |ruby, this, _| subtract(ruby, this, &Value::Int(1))),
    quick("even?", 0, 0, |_, this, _| Ok(is_even(this).into())),
    quick("odd?", 0, 0, |_, this, _| Ok((!is_even(this)).into())),
    quick("zero?", 0, 0, |_, this, _| Ok(matches!(this, Value::Int(0)).into())),
    quick("integer?", 0, 0, |_, _, _| Ok(true.into())),
    quick("finite?", 0, 0, |_, _, _| Ok(true.into())),
    quick("infinite?", 0, 0, |_, _, _| Ok(Value::Nil)),
    quick("to_i", 0, 0, |_, this, _| Ok(this.clone())),
    quick("to_int", 0, 0, |_, this, _| Ok(this.clone())),
    method("to_f", 0, 0, |_, this, _| {
        Ok(Value::Float(as_big(this).map_or(0.0, |number| big_to_f64(&number))))
    }),
    method("to_r", 0, 0, |_, this, _| Ok(ratio(this).into_value())),
    method("rationalize", 0, 1, |_, this, _| Ok(ratio(this).into_value())),
    method("numerator", 0, 0, |_, this, _| Ok(this.clone())),
    method("denominator", 0, 0, |_, _, _| Ok(Value::Int(1))),
    method("gcd", 1, 1, |ruby, this, args| {
        let (a, b) = two(ruby, this, args)?;
        Ok(Value::integer(large::gcd(&a, &b)))
    }),
    method("lcm", 1, 1, |ruby, this, args| {
        let (a, b) = two(ruby, this, args)?;
        Ok(Value::integer(large::lcm(&a, &b)))
    }),
    method("gcdlcm", 1, 1, |ruby, this, args| {
        let (a, b) = two(ruby, this, args)?;
        Ok(Value::array(vec![Value::integer(large::gcd(&a, &b)), Value::integer(large::lcm(&a, &b))]))
    }),
    method("ceildiv", 1, 1, |ruby, this, args| {
        let negative = ruby.send(&Value::Int(0), sym::MINUS, std::slice::from_ref(this))?;
        let quotient = named(ruby, &negative, "div", args.list)?;
        ruby.send(&Value::Int(0), sym::MINUS, &[quotient])
    }),
    quick("coerce", 1, 1, coerce),
    quick("size", 0, 0, |_, this, _| {
        Ok(Value::Int(as_big(this).map_or(8, |number| number.bits().div_ceil(8).max(8) as i64)))
    }),
];

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Big(a), Value::Big(b)) => a.number == b.number,
        _ => false,
    }
}

fn ratio(this: &Value) -> Ratio {
    Ratio::whole(as_big(this).unwrap_or_else(BigInt::zero))
}

fn two(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result<(BigInt, BigInt)> {
    match (as_big(this), as_big(&args[0])) {
        (Some(a), Some(b)) => Ok((a, b)),
        _ => Err(ruby.type_error("not an integer")),
    }
}

fn coerce(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if as_big(&args[0]).is_some() {
        return Ok(Value::array(vec![args[0].clone(), this.clone()]));
    }
    let other = parse::to_float(ruby, &args[0])?;
    let this = ruby.to_float(this)?;
    Ok(Value::array(vec![Value::Float(other), Value::Float(this)]))
}

fn sqrt(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let number = ruby.to_integer(&args[0])?;
    let number = as_big(&number).unwrap_or_else(BigInt::zero);
    if number.is_negative() {
        return Err(crate::core::math::domain_error(ruby, "\"isqrt\""));
    }
    ruby.charge((number.bits() / 512).pow(2))?;
    Ok(Value::integer(number.sqrt()))
}
