//! `%f`, `%e`, `%g`, `%a`.

use kukla_values::format::FormatField;
use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::Signed;

use super::integer;
use crate::class::ClassId;
use crate::core::numeric::large;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

/// A number as a directive shows it.
pub(super) fn show(ruby: &mut Ruby<'_>, field: &FormatField, letter: u8, value: &Value) -> Result<String> {
    if letter == b'f' {
        // Integers and fractions are shown exactly, however large they are.
        match value {
            Value::Int(_) | Value::Big(_) => {
                let number = integer::argument(ruby, value)?;
                return exact(ruby, field, &number, &BigInt::from(1));
            }
            other if ruby.is_a(other, ClassId::RATIONAL) => {
                let (numerator, denominator) =
                    (ruby.symbols.intern("numerator"), ruby.symbols.intern("denominator"));
                let numerator = ruby.send(other, numerator, &[])?;
                let denominator = ruby.send(other, denominator, &[])?;
                let (above, below) =
                    (integer::argument(ruby, &numerator)?, integer::argument(ruby, &denominator)?);
                return exact(ruby, field, &above, &below);
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
    let mut shown = String::new();
    field.push_float(char::from(letter), number, &mut shown);
    Ok(shown)
}

/// How many digits are worked out at a time.
const DIGITS: usize = 18;

/// A fraction in decimal, halves rounded away from zero. It is divided as on paper: to scale it would take a number of all these digits,
/// and to write such a one the square of the time.
fn exact(
    ruby: &mut Ruby<'_>,
    field: &FormatField,
    numerator: &BigInt,
    denominator: &BigInt,
) -> Result<String> {
    let places = field.precision.unwrap_or(6);
    let negative = numerator.sign() == Sign::Minus;
    let (whole, mut rest) = numerator.abs().div_rem(denominator);
    let effort = 1 + denominator.bits() / 64;
    let mut fraction = String::with_capacity(places);
    while fraction.len() < places && rest.sign() != Sign::NoSign {
        ruby.charge(effort)?;
        let count = DIGITS.min(places - fraction.len());
        let (digits, left) = (rest * 10u64.pow(count as u32)).div_rem(denominator);
        fraction.push_str(&format!("{:0>count$}", digits.to_string()));
        rest = left;
    }
    let mut digits = large::digits(&whole, 10) + &fraction;
    if rest * 2 >= *denominator {
        let nines = digits.bytes().rev().take_while(|digit| *digit == b'9').count();
        digits.truncate(digits.len() - nines);
        let last = digits.pop().map_or('1', |digit| char::from(digit as u8 + 1));
        digits.push(last);
        digits.extend(std::iter::repeat_n('0', nines));
    }
    digits.extend(std::iter::repeat_n('0', places - fraction.len()));
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let point = if places > 0 || field.alternate { "." } else { "" };
    let mut shown = String::new();
    field.push_decimal(negative, &format!("{whole}{point}{fraction}"), &mut shown);
    Ok(shown)
}
