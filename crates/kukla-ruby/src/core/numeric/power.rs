//! Powers.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::tower::{Number, Ratio, as_big, big_to_f64, number};
use crate::args::Args;
use crate::core::complex;
use crate::core::numeric::large;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

/// An integer of more bits than this is not computed: the power is a float, which is infinite.
const MOST_BITS: u64 = 32 * 1024 * 1024;

/// `a ** b`
pub fn power(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    match (number(a), number(b)) {
        (Some(Number::Integer(base)), Some(Number::Integer(exponent))) => integers(ruby, base, exponent),
        (Some(Number::Complex(_)), Some(_)) | (Some(_), Some(Number::Complex(_))) => {
            complex::power(ruby, a, b)
        }
        (Some(Number::Rational(base)), Some(Number::Integer(exponent))) => rational(ruby, &base, &exponent),
        (Some(base), Some(Number::Rational(exponent))) if exponent.denominator.is_one() => match base {
            Number::Rational(base) => rational(ruby, &base, &exponent.numerator),
            Number::Integer(base) => rational(ruby, &Ratio::whole(base), &exponent.numerator),
            base => floats(base.to_f64(), big_to_f64(&exponent.numerator)),
        },
        (Some(Number::Integer(base)), Some(Number::Rational(exponent)))
            if base.is_one() || base.is_zero() && !exponent.numerator.is_negative() =>
        {
            Ok(Ratio::whole(base).into_value())
        }
        (Some(base), Some(exponent)) => {
            if let (Number::Integer(base), Number::Float(exponent)) = (&base, &exponent) {
                if base.is_one() {
                    return Ok(Value::Float(1.0));
                }
                if *exponent == 0.0 {
                    return Ok(Value::Float(1.0));
                }
            }
            let zero = matches!(&base, Number::Rational(base) if base.numerator.is_zero());
            if zero && matches!(&exponent, Number::Rational(exponent) if exponent.numerator.is_negative()) {
                return Err(ruby.divided_by_zero());
            }
            floats(base.to_f64(), exponent.to_f64())
        }
        _ => ruby.coerce_binary(a, b, sym::POWER),
    }
}

/// A negative number to a fractional power is complex.
fn floats(base: f64, exponent: f64) -> Result {
    if base < 0.0 && exponent.is_finite() && exponent != exponent.round() {
        return Ok(complex::turned((-base).powf(exponent), exponent));
    }
    Ok(Value::Float(base.powf(exponent)))
}

fn integers(ruby: &mut Ruby<'_>, base: BigInt, exponent: BigInt) -> Result {
    if exponent.is_zero() || base.is_one() {
        return Ok(Value::Int(1));
    }
    if base == BigInt::from(-1) {
        return Ok(Value::Int(if exponent.is_even() { 1 } else { -1 }));
    }
    if exponent.is_negative() {
        return rational(ruby, &Ratio::whole(base), &exponent);
    }
    if base.is_zero() {
        return Ok(Value::Int(0));
    }
    match integer_power(ruby, &base, &exponent)? {
        Some(power) => Ok(Value::integer(power)),
        None => Ok(Value::Float(big_to_f64(&base).powf(big_to_f64(&exponent)))),
    }
}

/// The power of integers, the exponent not negative; `None` with Ruby's warning if it would be too large.
fn integer_power(ruby: &mut Ruby<'_>, base: &BigInt, exponent: &BigInt) -> Result<Option<BigInt>> {
    let bits = exponent.to_u64().and_then(|exponent| base.bits().checked_mul(exponent));
    match (bits, exponent.to_u32()) {
        (Some(bits), Some(exponent)) if bits <= MOST_BITS => {
            ruby.charge(bits / 512 + (bits / 2048) * (bits / 2048) / 16)?;
            ruby.grown(bits as usize / 8)?;
            Ok(Some(base.pow(exponent)))
        }
        _ => {
            ruby.warn("in a**b, b may be too big")?;
            Ok(None)
        }
    }
}

/// A fraction to an integer power.
fn rational(ruby: &mut Ruby<'_>, base: &Ratio, exponent: &BigInt) -> Result {
    if exponent.is_zero() {
        return Ok(Ratio::whole(BigInt::one()).into_value());
    }
    if base.denominator.is_one() {
        if base.numerator.is_one() {
            return Ok(Ratio::whole(BigInt::one()).into_value());
        }
        if base.numerator == BigInt::from(-1) {
            let sign = if exponent.is_even() { 1 } else { -1 };
            return Ok(Ratio::whole(BigInt::from(sign)).into_value());
        }
        if base.numerator.is_zero() {
            if exponent.is_negative() {
                return Err(ruby.divided_by_zero());
            }
            return Ok(Ratio::whole(BigInt::zero()).into_value());
        }
    }
    let size = exponent.abs();
    if size.bits() > 63 {
        ruby.warn("in a**b, b may be too big")?;
        return Ok(Value::Float(base.to_f64().powf(big_to_f64(exponent))));
    }
    let above = integer_power(ruby, &base.numerator, &size)?;
    let below = integer_power(ruby, &base.denominator, &size)?;
    match (above, below) {
        (Some(above), Some(below)) if exponent.is_negative() => Ok(Ratio::new(below, above).into_value()),
        (Some(above), Some(below)) => Ok(Ratio::new(above, below).into_value()),
        _ => Ok(Value::Float(base.to_f64().powf(big_to_f64(exponent)))),
    }
}

/// `base.pow(exponent)` and `base.pow(exponent, modulus)`
pub fn pow(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Some(modulus) = args.get(1) else { return power(ruby, this, &args[0]) };
    let (Some(base), Some(exponent)) = (as_big(this), as_big(&args[0])) else {
        let message = "Integer#pow() 2nd argument not allowed unless a 1st argument is integer";
        return Err(ruby.type_error(message));
    };
    if exponent.is_negative() {
        let message = "Integer#pow() 1st argument cannot be negative when 2nd argument specified";
        return Err(ruby.range_error(message));
    }
    let Some(modulus) = as_big(modulus) else {
        return Err(
            ruby.type_error("Integer#pow() 2nd argument not allowed unless all arguments are integers")
        );
    };
    if modulus.is_zero() {
        return Err(ruby.divided_by_zero());
    }
    Ok(Value::integer(large::power_modulo(&base, &exponent, &modulus)))
}
