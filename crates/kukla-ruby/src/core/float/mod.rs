//! Floating point numbers.

pub(crate) mod text;

use num_bigint::BigInt;
use num_traits::{One, Zero};

use crate::args::Args;
use crate::class::{ClassId, Native, NativeClass, method, methods, quick};
use crate::core::numeric::arithmetic::ARITHMETIC;
use crate::core::numeric::compare::COMPARE;
use crate::core::numeric::round::ROUND;
use crate::core::numeric::tower::{Ratio, as_big, float_parts};
use crate::core::numeric::{named, parse};
use crate::core::rational::simplest_between;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::text::{Encoding, Text};
use crate::value::Value;
pub use text::to_text;

/// The class `Float`.
pub const FLOAT: NativeClass = NativeClass {
    methods: &[ARITHMETIC, COMPARE, ROUND, METHODS],
    setup: Some(setup),
    ..NativeClass::class("Float", "Numeric")
};

fn setup(ruby: &mut Ruby<'_>, class: ClassId) {
    for (name, value) in [
        ("INFINITY", f64::INFINITY),
        ("NAN", f64::NAN),
        ("MAX", f64::MAX),
        ("MIN", f64::MIN_POSITIVE),
        ("EPSILON", f64::EPSILON),
    ] {
        ruby.set_constant(class, name, Value::Float(value));
    }
    for (name, value) in [
        ("DIG", 15),
        ("MANT_DIG", 53),
        ("RADIX", 2),
        ("MAX_EXP", 1024),
        ("MIN_EXP", -1021),
        ("MAX_10_EXP", 308),
        ("MIN_10_EXP", -307),
    ] {
        ruby.set_constant(class, name, Value::Int(value));
    }
}

fn float(this: &Value) -> f64 {
    match this {
        Value::Float(number) => *number,
        _ => f64::NAN,
    }
}

const METHODS: &[Native] = methods![
    quick("to_s", 0, 0, to_s).alias("inspect"),
    quick("to_f", 0, 0, |_, this, _| Ok(this.clone())),
    quick("to_i", 0, 0, |ruby, this, _| ruby.float_to_integer(float(this))),
    method("to_int", 0, 0, |ruby, this, _| ruby.float_to_integer(float(this))),
    method("to_r", 0, 0, |ruby, this, _| Ok(exact(ruby, float(this))?.into_value())),
    method("rationalize", 0, 1, rationalize),
    method("numerator", 0, 0, |ruby, this, _| match float(this) {
        number if number.is_finite() => Ok(Value::integer(exact(ruby, number)?.numerator)),
        _ => Ok(this.clone()),
    }),
    method("denominator", 0, 0, |ruby, this, _| match float(this) {
        number if number.is_finite() => Ok(Value::integer(exact(ruby, number)?.denominator)),
        _ => Ok(Value::Int(1)),
    }),
    quick("nan?", 0, 0, |_, this, _| Ok(float(this).is_nan().into())),
    method("finite?", 0, 0, |_, this, _| Ok(float(this).is_finite().into())),
    method("infinite?", 0, 0, |_, this, _| {
        let number = float(this);
        Ok(number.is_infinite().then_some(if number > 0.0 { 1 } else { -1 }).into())
    }),
    quick("zero?", 0, 0, |_, this, _| Ok((float(this) == 0.0).into())),
    method("positive?", 0, 0, |_, this, _| Ok((float(this) > 0.0).into())),
    method("negative?", 0, 0, |_, this, _| Ok((float(this) < 0.0).into())),
    method("eql?", 1, 1, |_, this, args| {
        Ok(matches!(args[0], Value::Float(other) if other == float(this)).into())
    }),
    method("hash", 0, 0, |ruby, this, _| Ok(Value::Int(ruby.hash_code(this)? as i64 >> 2))),
    method("next_float", 0, 0, |_, this, _| Ok(Value::Float(float(this).next_up()))),
    method("prev_float", 0, 0, |_, this, _| Ok(Value::Float(float(this).next_down()))),
    method("coerce", 1, 1, |ruby, this, args| {
        let other = parse::to_float(ruby, &args[0])?;
        Ok(Value::array(vec![Value::Float(other), this.clone()]))
    }),
];

fn to_s(_: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::str(Text::new(to_text(float(this)).into_bytes(), Encoding::Ascii)))
}

fn exact(ruby: &mut Ruby<'_>, number: f64) -> Result<Ratio> {
    ruby.float_to_integer(if number.is_finite() { 0.0 } else { number })?;
    Ok(Ratio::of_float(number))
}

/// The simplest fraction within a distance, or that reads as the same float.
fn rationalize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let negative = float(this) < 0.0;
    let number = float(this).abs();
    let exact = exact(ruby, number)?;
    let (low, high) = match args.get(0) {
        Some(distance) => {
            let distance = named(ruby, distance, "abs", &[])?;
            let distance = ruby.to_float(&distance)?;
            return Ok(signed(simplest_float(ruby, number, distance, exact)?, negative));
        }
        None => {
            let (mantissa, exponent) = float_parts(number);
            if exponent >= 0 || mantissa == 0 {
                return Ok(signed(exact, negative));
            }
            // Half a unit of the last of 53 bits, in which Ruby counts whatever the number's own last bit is.
            let spare = 53 - (64 - mantissa.unsigned_abs().leading_zeros());
            let twice = BigInt::from(mantissa) << (spare + 1);
            let unit = BigInt::one() << (exponent.unsigned_abs() + spare + 1);
            (Ratio::new(&twice - 1, unit.clone()), Ratio::new(twice + 1, unit))
        }
    };
    Ok(signed(if low == high { exact } else { simplest_between(&low, &high) }, negative))
}

/// The simplest fraction within a distance, found by counting in floats as Ruby does.
fn simplest_float(ruby: &mut Ruby<'_>, number: f64, distance: f64, exact: Ratio) -> Result<Ratio> {
    let (mut low, mut high) = (number - distance, number + distance);
    if low == high {
        return Ok(exact);
    }
    let (mut p, mut q) = ((BigInt::zero(), BigInt::one()), (BigInt::one(), BigInt::zero()));
    loop {
        ruby.charge(1)?;
        let whole = ruby.float_to_integer(low.ceil())?;
        let ceiling = as_big(&whole).unwrap_or_default();
        if low.ceil() < high {
            let (above, below) = (&ceiling * &p.1 + &p.0, &ceiling * &q.1 + &q.0);
            return Ok(Ratio::new(above, below));
        }
        let step = ceiling - 1;
        let step_float = low.ceil() - 1.0;
        p = (p.1.clone(), &step * &p.1 + &p.0);
        q = (q.1.clone(), &step * &q.1 + &q.0);
        (low, high) = (1.0 / (high - step_float), 1.0 / (low - step_float));
    }
}

fn signed(ratio: Ratio, negative: bool) -> Value {
    if negative { Ratio { numerator: -ratio.numerator, ..ratio } } else { ratio }.into_value()
}
