//! `%d`, `%b`, `%o`, `%x`.

use num_bigint::{BigInt, Sign};
use num_traits::Signed;

use super::Field;
use crate::class::ClassId;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

/// The integer that an argument means: as `Integer()` reads it, the fraction of others cut off.
pub(super) fn argument(ruby: &mut Ruby<'_>, value: &Value) -> Result<BigInt> {
    let number = match value {
        Value::Int(_) | Value::Big(_) => value.clone(),
        Value::Float(number) => ruby.float_to_integer(number.trunc())?,
        other if ruby.is_a(other, ClassId::RATIONAL) => ruby.send(other, sym::TO_I, &[])?,
        other => {
            let name = ruby.symbols.intern("Integer");
            ruby.send(&Value::Nil, name, std::slice::from_ref(other))?
        }
    };
    Ok(match number {
        Value::Int(number) => number.into(),
        Value::Big(big) => big.number.clone(),
        _ => BigInt::default(),
    })
}

/// The digits of a negative number in two's complement, from the last digit that is all sign.
fn complement(number: &BigInt, bits: u32) -> String {
    let base = 1u32 << bits;
    let last = char::from_digit(base - 1, base).unwrap_or('1');
    let mut width = 1;
    let mut limit = BigInt::from(base);
    while -&limit > *number {
        limit <<= bits;
        width += 1;
    }
    let digits = (limit + number).to_str_radix(base);
    let digits = format!("{}{digits}", "0".repeat(width - digits.len().min(width)));
    let digits = digits.trim_start_matches(last);
    format!("{last}{digits}")
}

/// An integer as a directive shows it.
pub(super) fn show(field: &Field, letter: u8, number: &BigInt) -> String {
    let bits = match letter {
        b'b' | b'B' => 1,
        b'o' => 3,
        b'x' | b'X' => 4,
        _ => 0,
    };
    let negative = number.sign() == Sign::Minus;
    let signed = bits == 0 || field.plus || field.space;
    let dots = negative && !signed;
    let mut digits = match bits {
        0 => number.abs().to_string(),
        bits if dots => complement(number, bits),
        bits => number.abs().to_str_radix(1 << bits),
    };
    let filler = match letter {
        _ if !dots => '0',
        b'b' | b'B' => '1',
        b'o' => '7',
        b'X' => 'F',
        _ => 'f',
    };
    if letter == b'X' {
        digits = digits.to_uppercase();
    }
    let mut prefix = match letter {
        _ if !field.alternate => "",
        b'b' => "0b",
        b'B' => "0B",
        b'o' => "0",
        b'x' => "0x",
        b'X' => "0X",
        _ => "",
    };
    let mut width = field.width() as i64;
    let mut precision = field.precision;
    let sign = if signed { field.sign(negative) } else { "" };
    width -= sign.len() as i64;
    if dots {
        precision = precision.map(|precision| precision - 2);
        width -= 2;
    }
    if prefix == "0" {
        if dots {
            prefix = "";
        } else if digits == "0" {
            digits.clear();
            precision = precision.map(|precision| precision - 1);
        } else if precision.is_some_and(|precision| precision > digits.len() as i64) {
            prefix = "";
        }
    } else if digits == "0" {
        prefix = "";
    }
    width -= prefix.len() as i64;
    let wanted = if field.zero && !field.minus && field.precision.is_none() {
        let wanted = width;
        width = 0;
        wanted
    } else {
        let precision = precision.unwrap_or(-1);
        if precision < digits.len() as i64 && prefix.is_empty() && precision == 0 && digits == "0" {
            digits.clear();
        }
        let wanted = precision.max(digits.len() as i64);
        width -= wanted;
        wanted
    };
    let fill = (wanted - digits.len() as i64).max(0) as usize;
    let fill: String = std::iter::repeat_n(filler, fill).collect();
    let blanks = " ".repeat(width.max(0) as usize);
    let dots = if dots { ".." } else { "" };
    if field.minus {
        format!("{sign}{prefix}{dots}{fill}{digits}{blanks}")
    } else {
        format!("{blanks}{sign}{prefix}{dots}{fill}{digits}")
    }
}
