//! Numbers written in strings.

use num_bigint::BigInt;

use crate::args::Args;
use crate::class::{ClassId, Native, method};
use crate::core::numeric::parse;
use crate::core::numeric::tower::{Parts, Ratio};
use crate::core::string::own;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

pub(super) const METHODS: &[Native] = &[
    method("hex", 0, 0, hex),
    method("oct", 0, 0, oct),
    method("to_c", 0, 0, to_c),
    method("to_f", 0, 0, to_f),
    method("to_i", 0, 1, to_i),
    method("to_r", 0, 0, to_r),
];

/// Charges for reading a long number, which takes more than linear time; an error if it cannot have digits.
fn charge_digits(ruby: &mut Ruby<'_>, this: &Value) -> Result<()> {
    let (len, encoding) = {
        let text = own(ruby, this)?.text();
        (text.len() as u64, text.encoding())
    };
    if !encoding.is_ascii_compatible() {
        let message = format!("ASCII incompatible encoding: {}", encoding.name());
        return Err(ruby.error(ClassId::COMPATIBILITY_ERROR, message));
    }
    ruby.charge(1 + len * len / 4096)
}

fn integer(ruby: &mut Ruby<'_>, this: &Value, base: u32) -> Result {
    charge_digits(ruby, this)?;
    let text = own(ruby, this)?.text();
    // Short decimal numbers are the common case.
    if base == 10 && (1..=18).contains(&text.len()) && text.iter().all(u8::is_ascii_digit) {
        return Ok(Value::Int(text.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))));
    }
    Ok(parse::integer(&text, base, false).map_or(Value::Int(0), Value::integer))
}

fn to_i(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let base = args.get(0).map(|base| ruby.to_int(base)).transpose()?.unwrap_or(10);
    match base {
        0 | 2..=36 => integer(ruby, this, base as u32),
        _ if base > 0 && parse::has_no_digits(&own(ruby, this)?.text()) => Ok(Value::Int(0)),
        _ => Err(ruby.argument_error(format!("invalid radix {base}"))),
    }
}

fn hex(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    integer(ruby, this, 16)
}

fn oct(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let says_base = {
        let text = own(ruby, this)?.text();
        let start = text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
        let rest = &text[start..];
        let rest = rest.strip_prefix(b"-").or_else(|| rest.strip_prefix(b"+")).unwrap_or(rest);
        matches!(rest, [b'0', b'x' | b'X' | b'b' | b'B' | b'o' | b'O' | b'd' | b'D', ..])
    };
    integer(ruby, this, if says_base { 0 } else { 8 })
}

fn to_f(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    charge_digits(ruby, this)?;
    Ok(Value::Float(parse::float(&own(ruby, this)?.text(), false).unwrap_or(0.0)))
}

fn to_r(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    charge_digits(ruby, this)?;
    let parsed = parse::rational(&own(ruby, this)?.text(), false);
    match parsed {
        Ok(found) => Ok(found.unwrap_or_else(|| Ratio::whole(BigInt::ZERO)).into_value()),
        Err(parse::DividedByZero) => Err(ruby.divided_by_zero()),
    }
}

fn to_c(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    charge_digits(ruby, this)?;
    let text = own(ruby, this)?.text().clone();
    let zero = || Parts { real: Value::Int(0), imaginary: Value::Int(0) };
    Ok(parse::complex(ruby, &text, false)?.unwrap_or_else(|| zero().into_value()))
}
