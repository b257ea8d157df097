//! `%f`, `%e`, `%g`, `%a`.

use num_bigint::{BigInt, Sign};
use num_traits::Signed;

use super::{Field, integer};
use crate::class::ClassId;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

/// A number as a directive shows it.
pub(super) fn show(ruby: &mut Ruby<'_>, field: &Field, letter: u8, value: &Value) -> Result<String> {
    if letter == b'f' {
        // Integers and fractions are shown exactly, however large they are.
        match value {
            Value::Int(_) | Value::Big(_) => {
                let number = integer::argument(ruby, value)?;
                return Ok(exact(field, &number, &BigInt::from(1)));
            }
            other if ruby.is_a(other, ClassId::RATIONAL) => {
                let (numerator, denominator) =
                    (ruby.symbols.intern("numerator"), ruby.symbols.intern("denominator"));
                let numerator = ruby.send(other, numerator, &[])?;
                let denominator = ruby.send(other, denominator, &[])?;
                let (above, below) =
                    (integer::argument(ruby, &numerator)?, integer::argument(ruby, &denominator)?);
                return Ok(exact(field, &above, &below));
            }
            _ => {}
        }
    }
    let number = match value {
        Value::Float(number) => *number,
        Value::Int(_) | Value::Big(_) => ruby.to_float(value)?,
        other => {
            let name = ruby.symbols.intern("Float");
            match ruby.send(&Value::Nil, name, std::slice::from_ref(other))? {
                Value::Float(number) => number,
                other => ruby.to_float(&other)?,
            }
        }
    };
    Ok(show_float(field, letter, number))
}

/// A fraction in decimal, halves rounded away from zero.
fn exact(field: &Field, numerator: &BigInt, denominator: &BigInt) -> String {
    let precision = field.precision.unwrap_or(6).max(0) as u32;
    let negative = numerator.sign() == Sign::Minus;
    let scaled = numerator.abs() * BigInt::from(10).pow(precision);
    let rounded: BigInt = (scaled * 2 + denominator) / (denominator * 2);
    let digits = rounded.to_string();
    let places = precision as usize;
    let digits = format!("{}{digits}", "0".repeat((places + 1).saturating_sub(digits.len())));
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let point = if places > 0 || field.alternate { "." } else { "" };
    field.number(field.sign(negative), "", &format!("{whole}{point}{fraction}"), true)
}

fn show_float(field: &Field, letter: u8, number: f64) -> String {
    let negative = number.is_sign_negative() && !number.is_nan();
    let sign = field.sign(negative);
    if !number.is_finite() {
        return field.number(sign, "", if number.is_nan() { "NaN" } else { "Inf" }, false);
    }
    let number = number.abs();
    let precision = field.precision.map(|precision| precision.max(0) as usize);
    let (prefix, digits) = match letter {
        b'f' => ("", fixed(number, precision.unwrap_or(6), field.alternate)),
        b'e' | b'E' => ("", scientific(number, precision.unwrap_or(6), field.alternate)),
        b'g' | b'G' => ("", general(number, precision.unwrap_or(6).max(1), field.alternate)),
        _ => ("0x", hexadecimal(number, precision, field.alternate)),
    };
    let shown = field.number(sign, prefix, &digits, true);
    if letter.is_ascii_uppercase() { shown.to_uppercase() } else { shown }
}

fn fixed(number: f64, precision: usize, point: bool) -> String {
    let digits = format!("{number:.precision$}");
    if point && precision == 0 { format!("{digits}.") } else { digits }
}

fn scientific(number: f64, precision: usize, point: bool) -> String {
    let digits = format!("{number:.precision$e}");
    let (mantissa, exponent) = digits.split_once('e').unwrap_or((&digits, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if point && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}e{sign}{:02}", exponent.abs())
}

fn general(number: f64, precision: usize, keep_zeros: bool) -> String {
    let rounded = format!("{number:.*e}", precision - 1);
    let exponent: i32 = rounded.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    let plain = exponent >= -4 && exponent < precision as i32;
    let digits = if plain {
        fixed(number, (precision as i32 - 1 - exponent).max(0) as usize, keep_zeros)
    } else {
        scientific(number, precision - 1, keep_zeros)
    };
    if keep_zeros || !digits.contains('.') {
        return digits;
    }
    let (mantissa, rest) = match digits.find('e') {
        Some(at) => digits.split_at(at),
        None => (digits.as_str(), ""),
    };
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    format!("{mantissa}{rest}")
}

fn hexadecimal(number: f64, precision: Option<usize>, point: bool) -> String {
    if number == 0.0 {
        let zeros = "0".repeat(precision.unwrap_or(0));
        let point = if point || !zeros.is_empty() { "." } else { "" };
        return format!("0{point}{zeros}p+0");
    }
    let bits = number.to_bits();
    let mut fraction = bits & ((1 << 52) - 1);
    let mut exponent = ((bits >> 52) & 0x7ff) as i64;
    if exponent == 0 {
        // A number too small for the usual form is brought into it.
        let shift = fraction.leading_zeros() as i64 - 11;
        fraction = (fraction << shift) & ((1 << 52) - 1);
        exponent = 1 - shift;
    }
    let mut exponent = exponent - 1023;
    let mut leading = 1u64;
    let digits = match precision {
        None => format!("{fraction:013x}").trim_end_matches('0').to_owned(),
        Some(precision) if precision >= 13 => format!("{fraction:013x}{}", "0".repeat(precision - 13)),
        Some(precision) => {
            let drop = 4 * (13 - precision) as u32;
            let all = (leading << 52) | fraction;
            let (kept, rest) = (all >> drop, all & ((1u64 << drop) - 1));
            let half = 1u64 << (drop - 1);
            let kept = if rest > half || (rest == half && kept & 1 == 1) { kept + 1 } else { kept };
            leading = kept >> (4 * precision as u32);
            if leading > 1 {
                leading = 1;
                exponent += 1;
            }
            let fraction = kept & ((1u64 << (4 * precision as u32)) - 1);
            if precision == 0 { String::new() } else { format!("{fraction:0precision$x}") }
        }
    };
    let point = if point || !digits.is_empty() { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{leading}{point}{digits}p{sign}{}", exponent.abs())
}
