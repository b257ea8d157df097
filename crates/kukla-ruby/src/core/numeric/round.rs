//! Rounding: `round`, `floor`, `ceil` and `truncate` of integers, floats and rationals, to any number of digits.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

use super::tower::{self, Ratio, as_big, as_ratio};
use crate::args::Args;
use crate::class::{Native, method};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

/// Rounding of integers, floats and rationals alike.
pub const ROUND: &[Native] = &[
    method("round", 0, 2, |ruby, this, args| {
        let (rest, keywords) = args.split();
        if rest.is_empty() && as_big(this).is_some() {
            return Ok(this.clone());
        }
        if rest.len() > 1 {
            return Err(ruby.wrong_number_of_arguments(rest.len(), "0..1"));
        }
        if let Some(digits) = rest.first()
            && tower::as_ratio(this).is_none()
        {
            ruby.to_int(digits)?;
        }
        let half = half_keyword(ruby, keywords.map(|hash| &**hash))?;
        round(ruby, this, rest.first(), half)
    }),
    method("floor", 0, 1, |ruby, this, args| round(ruby, this, args.get(0), Mode::Floor)),
    method("ceil", 0, 1, |ruby, this, args| round(ruby, this, args.get(0), Mode::Ceil)),
    method("truncate", 0, 1, truncate),
];

/// Which way to round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To the nearest; the middle away from zero.
    HalfUp,
    /// To the nearest; the middle towards zero.
    HalfDown,
    /// To the nearest; the middle to the even one.
    HalfEven,
    /// Down.
    Floor,
    /// Up.
    Ceil,
}

/// The mode that `half:` names.
pub fn half_keyword(ruby: &mut Ruby<'_>, keywords: Option<&crate::value::HashObject>) -> Result<Mode> {
    let Some(keywords) = keywords else { return Ok(Mode::HalfUp) };
    let known = ruby.keyword(keywords, "half");
    ruby.refuse_keywords_except(keywords, &["half"])?;
    let name = match &known {
        None | Some(Value::Nil) => return Ok(Mode::HalfUp),
        Some(Value::Symbol(symbol)) => ruby.name(*symbol).to_owned(),
        Some(value) => match ruby.maybe_string(value)? {
            Some(string) => string.text().to_str_lossy().into_owned(),
            None => {
                let shown = ruby.inspect(value)?;
                let message = format!("invalid rounding mode: {}", shown.to_str_lossy());
                return Err(ruby.argument_error(message));
            }
        },
    };
    match name.as_str() {
        "up" => Ok(Mode::HalfUp),
        "down" => Ok(Mode::HalfDown),
        "even" => Ok(Mode::HalfEven),
        _ => Err(ruby.argument_error(format!("invalid rounding mode: {name}"))),
    }
}

fn truncate(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let negative = match this {
        Value::Float(number) => *number < 0.0,
        this => tower::sign(this) == Some(-1),
    };
    round(ruby, this, args.get(0), if negative { Mode::Ceil } else { Mode::Floor })
}

/// A number rounded to the digits given; to an integer if none are.
pub fn round(ruby: &mut Ruby<'_>, this: &Value, digits: Option<&Value>, mode: Mode) -> Result {
    let digits = match digits {
        None => None,
        Some(digits) if as_ratio(this).is_some() => match digits {
            Value::Int(digits) => Some(*digits),
            _ => return Err(ruby.type_error("not an integer")),
        },
        Some(digits) => {
            let digits = ruby.to_int(digits)?;
            if i32::try_from(digits).is_err() {
                let word = if digits < 0 { "small" } else { "big" };
                return Err(ruby.range_error(format!("integer {digits} too {word} to convert to `int'")));
            }
            Some(digits)
        }
    };
    match this {
        Value::Int(_) | Value::Big(_) => round_integer(ruby, this, digits.unwrap_or(0), mode),
        Value::Float(number) => round_float(ruby, *number, digits.unwrap_or(0), mode),
        _ => match as_ratio(this) {
            Some(ratio) => round_ratio(ruby, &ratio, digits, mode),
            None => {
                ruby.to_float(this).and_then(|number| round_float(ruby, number, digits.unwrap_or(0), mode))
            }
        },
    }
}

/// `numerator / denominator` as an integer.
fn rounded(numerator: &BigInt, denominator: &BigInt, mode: Mode) -> BigInt {
    let (floor, left) = numerator.div_mod_floor(denominator);
    if left.is_zero() {
        return floor;
    }
    let up = match mode {
        Mode::Floor => false,
        Mode::Ceil => true,
        _ => match (&left * 2u8).cmp(denominator) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => match mode {
                Mode::HalfUp => !numerator.is_negative(),
                Mode::HalfDown => numerator.is_negative(),
                _ => floor.is_odd(),
            },
        },
    };
    if up { floor + 1u8 } else { floor }
}

/// An integer rounded to tens, hundreds and so on.
pub fn round_integer(ruby: &mut Ruby<'_>, this: &Value, digits: i64, mode: Mode) -> Result {
    let Some(number) = as_big(this) else { return Ok(this.clone()) };
    if digits >= 0 {
        return Ok(this.clone());
    }
    let places = digits.unsigned_abs();
    // The power of ten is larger than twice the number: nothing is left.
    if places as f64 * 0.415241 - 0.125 > number.bits().div_ceil(8).max(8) as f64 {
        return Ok(Value::Int(0));
    }
    if mode == Mode::Ceil && (places > 18 || number.bits() > 62) {
        // Ruby goes up by a whole unit here, even from where there is nothing to round.
        let unit = ten_to(ruby, places)?;
        let past = number.mod_floor(&unit);
        return Ok(Value::integer(number + unit - past));
    }
    let unit = ten_to(ruby, places)?;
    Ok(Value::integer(rounded(&number, &unit, mode) * unit))
}

fn ten_to(ruby: &mut Ruby<'_>, places: u64) -> Result<BigInt> {
    let places = u32::try_from(places).unwrap_or(u32::MAX);
    let size = u64::from(places) / 64;
    ruby.charge(size.saturating_mul(size) / 64)?;
    Ok(BigInt::from(10u8).pow(places))
}

fn round_ratio(ruby: &mut Ruby<'_>, ratio: &Ratio, digits: Option<i64>, mode: Mode) -> Result {
    let Some(digits) = digits else {
        return Ok(Value::integer(rounded(&ratio.numerator, &ratio.denominator, mode)));
    };
    let unit = ten_to(ruby, digits.unsigned_abs())?;
    if digits > 0 {
        let scaled = rounded(&(&ratio.numerator * &unit), &ratio.denominator, mode);
        return Ok(Ratio::new(scaled, unit).into_value());
    }
    Ok(Value::integer(rounded(&ratio.numerator, &(&ratio.denominator * &unit), mode) * unit))
}

/// How many digits a float can need.
const FLOAT_DIGITS: i64 = 17;

/// The exponent that puts a float between a half and one.
fn binary_exponent(number: f64) -> i64 {
    let (mantissa, exponent) = tower::float_parts(number);
    i64::from(exponent) + i64::from(64 - mantissa.unsigned_abs().leading_zeros())
}

/// A float rounded to digits after the point, as Ruby computes it.
pub fn round_float(ruby: &mut Ruby<'_>, number: f64, digits: i64, mode: Mode) -> Result {
    if digits <= 0 {
        if number == 0.0 {
            return Ok(Value::Int(0));
        }
        let whole = match mode {
            Mode::Floor => number.floor(),
            Mode::Ceil => number.ceil(),
            _ if digits < 0 => number.trunc(),
            mode => nearest(number, 1.0, mode),
        };
        let whole = ruby.float_to_integer(whole)?;
        return if digits < 0 { round_integer(ruby, &whole, digits, mode) } else { Ok(whole) };
    }
    if number == 0.0 || !number.is_finite() {
        return Ok(Value::Float(number));
    }
    let exponent = binary_exponent(number);
    let above = if exponent > 0 { exponent / 4 } else { exponent / 3 - 1 };
    if digits >= FLOAT_DIGITS - above {
        return Ok(Value::Float(number));
    }
    let below = if exponent > 0 { exponent / 3 + 1 } else { exponent / 4 };
    let vanishes = digits < -below;
    let scale = 10f64.powi(digits as i32);
    Ok(Value::Float(match mode {
        Mode::Floor if number > 0.0 && vanishes => 0.0,
        Mode::Ceil if number < 0.0 && vanishes => 0.0,
        Mode::Floor => floor_to(number, scale),
        Mode::Ceil => ceil_to(number, scale),
        _ if vanishes => 0.0,
        mode if digits > 14 => {
            let exact = Ratio::of_float(number);
            let unit = ten_to(ruby, digits.unsigned_abs())?;
            let scaled = rounded(&(&exact.numerator * &unit), &exact.denominator, mode);
            Ratio::new(scaled, unit).to_f64()
        }
        mode => nearest(number, scale, mode) / scale,
    }))
}

fn floor_to(number: f64, scale: f64) -> f64 {
    let whole = (number * scale).floor();
    let next = (whole + 1.0) / scale;
    if next > number { whole / scale } else { next }
}

fn ceil_to(number: f64, scale: f64) -> f64 {
    (number * scale).ceil() / scale
}

/// `number * scale` as an integer, such that dividing by the scale again gives the float nearest to what is meant.
fn nearest(number: f64, scale: f64, mode: Mode) -> f64 {
    let scaled = number * scale;
    match mode {
        Mode::HalfDown => {
            let whole = scaled.round();
            if number > 0.0 {
                if (whole - 0.5) / scale >= number { whole - 1.0 } else { whole }
            } else if (whole + 0.5) / scale <= number {
                whole + 1.0
            } else {
                whole
            }
        }
        Mode::HalfEven => {
            if number > 0.0 {
                let whole = scaled.floor();
                let fraction = scaled - whole;
                if fraction > 0.5 {
                    whole + 1.0
                } else if fraction == 0.5 || (whole + 0.5) / scale <= number {
                    whole + whole % 2.0
                } else {
                    whole
                }
            } else {
                let whole = scaled.ceil();
                let fraction = whole - scaled;
                if fraction > 0.5 {
                    whole - 1.0
                } else if fraction == 0.5 || (whole - 0.5) / scale >= number {
                    whole + whole % 2.0
                } else {
                    whole
                }
            }
        }
        _ => {
            let whole = scaled.round();
            if scale == 1.0 {
                whole
            } else if number > 0.0 {
                if (whole + 0.5) / scale <= number { whole + 1.0 } else { whole }
            } else if (whole - 0.5) / scale >= number {
                whole - 1.0
            } else {
                whole
            }
        }
    }
}
