//! Integers as text and as characters.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

use crate::args::Args;
use crate::class::{ClassId, Native, method, methods};
use crate::core::complex::is_small;
use crate::core::numeric::large;
use crate::core::numeric::tower::as_big;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::text::{Encoding, Text};
use crate::value::Value;

/// Digits, text and characters.
pub const DIGITS: &[Native] = methods![
    method("to_s", 0, 1, to_s).alias("inspect"),
    method("digits", 0, 1, digits),
    method("chr", 0, 1, chr),
    method("ord", 0, 0, |_, this, _| Ok(this.clone())),
];

/// An integer in a base from 2 to 36.
pub fn in_base(ruby: &mut Ruby<'_>, number: &Value, base: u32) -> Result<String> {
    match number {
        Value::Int(number) if base == 10 => Ok(number.to_string()),
        number => {
            let number = as_big(number).unwrap_or_default();
            ruby.charge(number.bits() / 64)?;
            Ok(large::digits(&number, base))
        }
    }
}

fn to_s(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let base = match args.get(0) {
        None => 10,
        Some(base) => ruby.to_int(base)?,
    };
    if !(2..=36).contains(&base) {
        return Err(ruby.argument_error(format!("invalid radix {base}")));
    }
    let shown = in_base(ruby, this, base as u32)?;
    Ok(Value::str(Text::new(shown.into_bytes(), Encoding::Ascii)))
}

fn digits(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let mut number = as_big(this).unwrap_or_default();
    if number.is_negative() {
        return Err(crate::core::math::domain_error_of(ruby, "out of domain"));
    }
    let base = match args.get(0) {
        None => BigInt::from(10),
        Some(base) => {
            let base = ruby.to_integer(base)?;
            as_big(&base).unwrap_or_default()
        }
    };
    if base.is_negative() {
        return Err(ruby.argument_error("negative radix"));
    }
    if base < BigInt::from(2) {
        return Err(ruby.argument_error(format!("invalid radix {base}")));
    }
    if number.is_zero() {
        return Ok(Value::array(vec![Value::Int(0)]));
    }
    let mut found = Vec::new();
    while !number.is_zero() {
        ruby.charge(number.bits() / 512 + 1)?;
        let (rest, digit) = number.div_rem(&base);
        found.push(Value::integer(digit));
        number = rest;
    }
    Ok(Value::array(found))
}

/// The character with this number: a byte unless an encoding is named.
fn chr(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let code = match this {
        Value::Int(code) if (0..=0xffff_ffff).contains(code) => *code as u32,
        Value::Int(code) if is_small(this) => {
            return Err(ruby.range_error(format!("{code} out of char range")));
        }
        _ => return Err(ruby.range_error("bignum out of char range")),
    };
    let Some(encoding) = args.get(0) else {
        return match code {
            0..=0x7f => Ok(Value::str(Text::new(vec![code as u8], Encoding::Ascii))),
            0x80..=0xff => Ok(Value::str(Text::binary(vec![code as u8]))),
            _ => Err(ruby.range_error(format!("{code} out of char range"))),
        };
    };
    let shown = ruby.display(encoding)?;
    let name = shown.to_str_lossy().to_ascii_uppercase();
    match name.as_str() {
        "UTF-8" => match char::from_u32(code) {
            Some(character) => Ok(Value::str(character.to_string())),
            None if (0xd800..=0xdfff).contains(&code) => {
                Err(ruby.range_error(format!("invalid codepoint 0x{code:X} in UTF-8")))
            }
            None => Err(ruby.range_error(format!("{code} out of char range"))),
        },
        "US-ASCII" | "ASCII" if code < 0x80 => Ok(Value::str(Text::new(vec![code as u8], Encoding::Ascii))),
        "ASCII-8BIT" | "BINARY" if code < 0x100 => Ok(Value::str(Text::binary(vec![code as u8]))),
        "US-ASCII" | "ASCII" | "ASCII-8BIT" | "BINARY" => {
            Err(ruby.range_error(format!("{code} out of char range")))
        }
        _ if ruby.is_a(encoding, ClassId::STRING) => {
            Err(ruby.argument_error(format!("unknown encoding name - {}", shown.to_str_lossy())))
        }
        _ => Err(ruby.argument_error(format!("encoding {name} is not supported"))),
    }
}
