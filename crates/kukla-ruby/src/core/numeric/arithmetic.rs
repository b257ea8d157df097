//! The four operations, division in all its forms, and the rows that integers, floats and rationals share for them.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

use super::power::power;
use super::tower::{self, Pair, Ratio, as_parts, big_to_f64, divide_as_floats, pair};
use crate::args::Args;
use crate::class::{Native, method};
use crate::core::complex;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

/// Operators of integers, floats and rationals alike.
pub const ARITHMETIC: &[Native] = &[
    method("+", 1, 1, |ruby, this, args| add(ruby, this, &args[0])),
    method("-", 1, 1, |ruby, this, args| subtract(ruby, this, &args[0])),
    method("*", 1, 1, |ruby, this, args| multiply(ruby, this, &args[0])),
    method("/", 1, 1, |ruby, this, args| divide(ruby, this, &args[0])),
    method("%", 1, 1, |ruby, this, args| modulo(ruby, this, &args[0])),
    method("modulo", 1, 1, |ruby, this, args| modulo(ruby, this, &args[0])),
    method("div", 1, 1, |ruby, this, args| floor_divide(ruby, this, &args[0])),
    method("divmod", 1, 1, divmod),
    method("remainder", 1, 1, remainder),
    method("**", 1, 1, |ruby, this, args| power(ruby, this, &args[0])),
    method("-@", 0, 0, |ruby, this, _| negate(ruby, this)),
    method("abs", 0, 0, |ruby, this, _| magnitude(ruby, this)),
    method("magnitude", 0, 0, |ruby, this, _| magnitude(ruby, this)),
    method("fdiv", 1, 1, |ruby, this, args| float_divide(ruby, this, &args[0])),
    method("quo", 1, 1, |ruby, this, args| quotient(ruby, this, &args[0])),
];

fn is_complex(a: &Value, b: &Value) -> bool {
    as_parts(a).is_some() || as_parts(b).is_some()
}

/// `a + b`
pub fn add(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => {
            return Ok(match x.checked_add(*y) {
                Some(sum) => Value::Int(sum),
                None => Value::integer(BigInt::from(*x) + y),
            });
        }
        (Value::Float(x), Value::Float(y)) => return Ok(Value::Float(x + y)),
        _ => {}
    }
    match pair(a, b) {
        Some(Pair::Integers(x, y)) => Ok(Value::integer(x + y)),
        Some(Pair::Floats(x, y)) => Ok(Value::Float(x + y)),
        Some(Pair::Rationals(x, y)) => Ok(x.add(&y).into_value()),
        None if is_complex(a, b) => complex::add(ruby, a, b),
        None => ruby.coerce_binary(a, b, sym::PLUS),
    }
}

/// `a - b`
pub fn subtract(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => {
            return Ok(match x.checked_sub(*y) {
                Some(difference) => Value::Int(difference),
                None => Value::integer(BigInt::from(*x) - y),
            });
        }
        (Value::Float(x), Value::Float(y)) => return Ok(Value::Float(x - y)),
        _ => {}
    }
    match pair(a, b) {
        Some(Pair::Integers(x, y)) => Ok(Value::integer(x - y)),
        Some(Pair::Floats(x, y)) => Ok(Value::Float(x - y)),
        Some(Pair::Rationals(x, y)) => Ok(x.subtract(&y).into_value()),
        None if is_complex(a, b) => complex::subtract(ruby, a, b),
        None => ruby.coerce_binary(a, b, sym::MINUS),
    }
}

/// `a * b`
pub fn multiply(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => {
            return Ok(match x.checked_mul(*y) {
                Some(product) => Value::Int(product),
                None => Value::integer(BigInt::from(*x) * y),
            });
        }
        (Value::Float(x), Value::Float(y)) => return Ok(Value::Float(x * y)),
        _ => {}
    }
    match pair(a, b) {
        Some(Pair::Integers(x, y)) => {
            charge_product(ruby, &x, &y)?;
            Ok(Value::integer(x * y))
        }
        Some(Pair::Floats(x, y)) => Ok(Value::Float(x * y)),
        Some(Pair::Rationals(x, y)) => {
            charge_product(ruby, &x.numerator, &y.numerator)?;
            Ok(x.multiply(&y).into_value())
        }
        None if is_complex(a, b) => complex::multiply(ruby, a, b),
        None => ruby.coerce_binary(a, b, sym::TIMES),
    }
}

/// Counts the work of multiplying large integers.
pub fn charge_product(ruby: &mut Ruby<'_>, a: &BigInt, b: &BigInt) -> Result<()> {
    let (a, b) = (a.bits() / 64, b.bits() / 64);
    ruby.charge((a / 8 + 1).saturating_mul(b / 8 + 1) / 8 + a / 64 + b / 64)
}

/// `a / b`: integers round down.
pub fn divide(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    if let (Value::Int(x), Value::Int(y)) = (a, b)
        && *y != 0
        && *y != -1
    {
        return Ok(Value::Int(x.div_floor(y)));
    }
    match pair(a, b) {
        Some(Pair::Integers(_, y)) if y.is_zero() => Err(ruby.divided_by_zero()),
        Some(Pair::Integers(x, y)) => {
            charge_product(ruby, &x, &y)?;
            Ok(Value::integer(x.div_floor(&y)))
        }
        Some(Pair::Floats(x, y)) => Ok(Value::Float(x / y)),
        Some(Pair::Rationals(_, y)) if y.numerator.is_zero() => Err(ruby.divided_by_zero()),
        Some(Pair::Rationals(x, y)) => Ok(x.divide(&y).into_value()),
        None if is_complex(a, b) => complex::divide(ruby, a, b),
        None => ruby.coerce_binary(a, b, sym::DIVIDE),
    }
}

/// `a.quo(b)`: the exact quotient where there is one.
pub fn quotient(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    match pair(a, b) {
        Some(Pair::Integers(_, y)) if y.is_zero() => Err(ruby.divided_by_zero()),
        Some(Pair::Integers(x, y)) => Ok(Ratio::new(x, y).into_value()),
        None if !is_complex(a, b) && tower::as_big(a).is_some() => {
            let exact = Ratio::whole(tower::as_big(a).unwrap_or_default()).into_value();
            divide(ruby, &exact, b)
        }
        _ => divide(ruby, a, b),
    }
}

/// The remainder of floats, with the sign of the divisor.
pub fn float_modulo(x: f64, y: f64) -> f64 {
    float_divmod(x, y).1
}

/// `a % b`
pub fn modulo(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    if let (Value::Int(x), Value::Int(y)) = (a, b)
        && *y != 0
        && *y != -1
    {
        return Ok(Value::Int(x.mod_floor(y)));
    }
    match pair(a, b) {
        Some(Pair::Integers(_, y)) if y.is_zero() => Err(ruby.divided_by_zero()),
        Some(Pair::Integers(x, y)) => {
            charge_product(ruby, &x, &y)?;
            Ok(Value::integer(x.mod_floor(&y)))
        }
        Some(_) if tower::sign(b) == Some(0) => Err(ruby.divided_by_zero()),
        Some(Pair::Floats(..)) if tower::as_ratio(a).is_some() => {
            let whole = floor_divide(ruby, a, b)?;
            let product = multiply(ruby, b, &whole)?;
            subtract(ruby, a, &product)
        }
        Some(Pair::Floats(x, y)) => Ok(Value::Float(float_modulo(x, y))),
        Some(Pair::Rationals(_, y)) if y.numerator.is_zero() => Err(ruby.divided_by_zero()),
        Some(Pair::Rationals(x, y)) => {
            let whole = Ratio::whole(x.divide(&y).floor());
            Ok(x.subtract(&y.multiply(&whole)).into_value())
        }
        None if tower::as_ratio(a).is_some() && as_parts(b).is_some() => floor_of_quotient(ruby, a, b),
        None => ruby.coerce_binary(a, b, sym::MODULO),
    }
}

/// Fractions ask for the whole part of the quotient, which complex numbers do not have.
fn floor_of_quotient(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    let quotient = divide(ruby, a, b)?;
    let floor = ruby.symbols.intern("floor");
    ruby.send(&quotient, floor, &[])
}

/// `a.div(b)`: an integer, rounded down.
pub fn floor_divide(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    match pair(a, b) {
        Some(Pair::Integers(..)) => divide(ruby, a, b),
        Some(_) if tower::sign(b) == Some(0) => Err(ruby.divided_by_zero()),
        // What Ruby does not keep in a word is cut off by it, not rounded down.
        Some(Pair::Floats(x, y)) if tower::as_big(a).is_some() && !complex::is_small(a) => {
            ruby.float_to_integer((x / y).trunc())
        }
        Some(Pair::Floats(x, y)) => {
            let floor = (x / y).floor();
            ruby.float_to_integer(floor)
        }
        Some(Pair::Rationals(x, y)) => Ok(Value::integer(x.divide(&y).floor())),
        None => {
            let div = ruby.symbols.intern("div");
            ruby.coerce_binary(a, b, div)
        }
    }
}

/// The quotient rounded down and what is left, of floats.
pub fn float_divmod(x: f64, y: f64) -> (f64, f64) {
    if y.is_nan() || y == 0.0 {
        return (f64::NAN, f64::NAN);
    }
    let mut left = if x == 0.0 || (y.is_infinite() && x.is_finite()) { x } else { x % y };
    let mut floor = if x.is_infinite() && y.is_finite() { x } else { ((x - left) / y).round() };
    if y * left < 0.0 {
        left += y;
        floor -= 1.0;
    }
    (floor, left)
}

fn divmod(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let other = &args[0];
    let (quotient, left) = match pair(this, other) {
        Some(Pair::Floats(_, 0.0)) => return Err(ruby.divided_by_zero()),
        Some(Pair::Floats(x, y)) if tower::as_ratio(this).is_none() => {
            let (quotient, left) = float_divmod(x, y);
            (ruby.float_to_integer(quotient)?, Value::Float(left))
        }
        Some(_) => (floor_divide(ruby, this, other)?, modulo(ruby, this, other)?),
        None if tower::as_ratio(this).is_some() && as_parts(other).is_some() => {
            return floor_of_quotient(ruby, this, other);
        }
        None => {
            let divmod = ruby.symbols.intern("divmod");
            return ruby.coerce_binary(this, other, divmod);
        }
    };
    Ok(Value::array(vec![quotient, left]))
}

fn remainder(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let other = &args[0];
    match pair(this, other) {
        Some(Pair::Integers(_, y)) if y.is_zero() => Err(ruby.divided_by_zero()),
        Some(Pair::Integers(x, y)) => Ok(Value::integer(x % y)),
        Some(_) if tower::sign(other) == Some(0) => Err(ruby.divided_by_zero()),
        Some(Pair::Floats(x, y)) if y.is_infinite() && x.is_finite() && x * y < 0.0 => Ok(this.clone()),
        Some(Pair::Floats(..) | Pair::Rationals(..)) => {
            let left = modulo(ruby, this, other)?;
            let opposite = tower::sign(this) == tower::sign(other).map(|sign| -sign);
            if tower::sign(&left) != Some(0) && opposite { subtract(ruby, &left, other) } else { Ok(left) }
        }
        None if tower::as_big(this).is_some() && as_parts(other).is_some() => {
            ruby.coerce_binary(this, other, sym::MODULO)
        }
        None => {
            let remainder = ruby.symbols.intern("remainder");
            ruby.coerce_binary(this, other, remainder)
        }
    }
}

/// `-a`
pub fn negate(ruby: &mut Ruby<'_>, this: &Value) -> Result {
    match this {
        Value::Int(number) => {
            Ok(number.checked_neg().map_or_else(|| Value::integer(-BigInt::from(*number)), Value::Int))
        }
        Value::Float(number) => Ok(Value::Float(-number)),
        Value::Big(big) => Ok(Value::integer(-&big.number)),
        _ => match (tower::as_ratio(this), as_parts(this)) {
            (Some(ratio), _) => {
                Ok(Ratio { numerator: -&ratio.numerator, denominator: ratio.denominator.clone() }
                    .into_value())
            }
            (None, Some(parts)) => complex::negate(ruby, &parts),
            (None, None) => ruby.send(this, sym::UMINUS, &[]),
        },
    }
}

/// Without its sign.
pub fn magnitude(ruby: &mut Ruby<'_>, this: &Value) -> Result {
    match this {
        Value::Float(number) => Ok(Value::Float(number.abs())),
        _ if tower::sign(this).is_some_and(|sign| sign < 0) => negate(ruby, this),
        _ => Ok(this.clone()),
    }
}

/// `a.fdiv(b)`: the quotient as a float.
pub fn float_divide(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result {
    match pair(a, b) {
        Some(Pair::Integers(x, y)) if y.is_zero() => Ok(Value::Float(big_to_f64(&x) / 0.0)),
        Some(Pair::Integers(x, y)) => Ok(Value::Float(divide_as_floats(&x, &y))),
        Some(Pair::Floats(x, y)) => Ok(Value::Float(x / y)),
        Some(Pair::Rationals(x, y)) if y.numerator.is_zero() => {
            let sign =
                if x.numerator.is_negative() { -1.0 } else { f64::from(u8::from(!x.numerator.is_zero())) };
            Ok(Value::Float(sign / 0.0))
        }
        Some(Pair::Rationals(x, y)) => Ok(Value::Float(x.divide(&y).to_f64())),
        None if as_parts(a).is_some() || matches!(a, Value::Float(_)) && as_parts(b).is_some() => {
            complex::divide(ruby, a, b)
        }
        None if is_complex(a, b) => {
            let fdiv = ruby.symbols.intern("fdiv");
            let above = tower::Parts { real: a.clone(), imaginary: Value::Int(0) }.into_value();
            let quotient = ruby.send(&above, fdiv, std::slice::from_ref(b))?;
            ruby.send(&quotient, sym::TO_F, &[])
        }
        None => {
            let fdiv = ruby.symbols.intern("fdiv");
            ruby.coerce_binary(a, b, fdiv)
        }
    }
}
