//! `%f`, `%e`, `%g`, `%a`.

use kukla_values::format::float::{fixed, general, hexadecimal, scientific};
use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{Signed, Zero};

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
    let places = field.precision.unwrap_or(6).max(0) as usize;
    let digits = exact_digits(&numerator.abs(), denominator, places);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let point = if places > 0 || field.alternate { "." } else { "" };
    let sign = field.sign(numerator.sign() == Sign::Minus);
    field.number(sign, "", &format!("{whole}{point}{fraction}"), true)
}

/// The digits before and after the point, written down as one divides by hand: a power of ten as large as the number of places would take
/// long to get, and to show.
fn exact_digits(numerator: &BigInt, denominator: &BigInt, places: usize) -> String {
    const AT_ONCE: usize = 18;
    let (whole, mut rest) = numerator.div_rem(denominator);
    let mut digits = whole.to_string();
    let end = digits.len() + places;
    while digits.len() < end && !rest.is_zero() {
        let count = AT_ONCE.min(end - digits.len());
        let (next, left) = (rest * 10_u64.pow(count as u32)).div_rem(denominator);
        digits.push_str(&format!("{:0>count$}", next.to_string()));
        rest = left;
    }
    digits.extend(std::iter::repeat_n('0', end - digits.len()));
    if rest * 2 >= *denominator { one_more(digits) } else { digits }
}

/// The next larger number.
fn one_more(digits: String) -> String {
    let kept = digits.trim_end_matches('9');
    let zeros = "0".repeat(digits.len() - kept.len());
    let (before, last) = kept.split_at(kept.len().saturating_sub(1));
    let last = last.parse().unwrap_or(0) + 1;
    format!("{before}{last}{zeros}")
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
        b'g' | b'G' => ("", general(number, precision.unwrap_or(6), field.alternate)),
        _ => ("0x", hexadecimal(number, precision, field.alternate)),
    };
    let shown = field.number(sign, prefix, &digits, true);
    if letter.is_ascii_uppercase() { shown.to_uppercase() } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_rounded_to_any_place() {
        let shown = |above: i64, below: i64, places| exact_digits(&above.into(), &below.into(), places);
        assert_eq!(shown(1, 3, 4), "03333");
        assert_eq!(shown(2, 3, 20), "066666666666666666667");
        assert_eq!(shown(1999, 1000, 2), "200");
        assert_eq!(shown(999, 100, 1), "100");
        assert_eq!(shown(1, 2, 0), "1");
        assert_eq!(shown(49, 100, 0), "0");
        assert_eq!(shown(7, 1, 1_000_000).len(), 1_000_001);
        assert_eq!(shown(1, 7, 100_000)[99_994..], *"8571429");
    }
}
