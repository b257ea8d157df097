//! Numbers written in strings.

use num_bigint::BigInt;
use num_traits::{One, Zero};

use crate::args::Args;
use crate::class::{Native, method};
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

fn is_space(byte: u8) -> bool {
    matches!(byte, 9..=13 | 32)
}

fn skip_spaces(bytes: &[u8]) -> &[u8] {
    let blank = bytes.iter().take_while(|byte| is_space(**byte)).count();
    &bytes[blank..]
}

fn skip_sign(bytes: &[u8]) -> (bool, &[u8]) {
    match bytes {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    }
}

/// Digits of a base with single underscores between them, and what follows.
fn digits(bytes: &[u8], base: u32) -> (Vec<u8>, &[u8]) {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        match bytes.get(at) {
            Some(byte) if char::from(*byte).is_digit(base) => found.push(*byte),
            Some(b'_')
                if !found.is_empty()
                    && bytes.get(at + 1).is_some_and(|next| char::from(*next).is_digit(base)) => {}
            _ => return (found, &bytes[at..]),
        }
        at += 1;
    }
}

/// The base that a prefix such as `0x` says, and what follows it.
fn prefix(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (base, rest) = match bytes {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', b'b' | b'B', rest @ ..] => (2, rest),
        [b'0', b'o' | b'O', rest @ ..] => (8, rest),
        [b'0', b'd' | b'D', rest @ ..] => (10, rest),
        _ => return None,
    };
    rest.first().is_some_and(|first| char::from(*first).is_digit(base)).then_some((base, rest))
}

/// How the base of an integer is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// This one; a prefix may say the same.
    Is(u32),
    /// What a prefix says, else this.
    PrefixOr(u32),
    /// What a prefix says; a zero in front means 8, else 10.
    Auto,
}

/// The integer at the start of the bytes, and what follows it; `None` if there is no digit.
pub(crate) fn parse_integer(bytes: &[u8], base: Base) -> Option<(Value, &[u8])> {
    let (negative, rest) = skip_sign(skip_spaces(bytes));
    let (base, rest) = match (base, prefix(rest)) {
        (Base::Is(wanted), Some((said, after))) if wanted == said => (wanted, after),
        (Base::Is(wanted), _) => (wanted, rest),
        (Base::PrefixOr(_) | Base::Auto, Some((said, after))) => (said, after),
        (Base::PrefixOr(other), None) => (other, rest),
        (Base::Auto, None) => match rest {
            [b'0', b'0'..=b'9' | b'_', ..] => (8, rest),
            _ => (10, rest),
        },
    };
    let (found, rest) = digits(rest, base);
    if found.is_empty() {
        return None;
    }
    let text = String::from_utf8_lossy(&found);
    let value = match i64::from_str_radix(&text, base) {
        Ok(number) => Value::Int(if negative { -number } else { number }),
        Err(_) => {
            let number = BigInt::parse_bytes(&found, base)?;
            Value::integer(if negative { -number } else { number })
        }
    };
    Some((value, rest))
}

fn integer(bytes: &[u8], base: Base) -> Value {
    parse_integer(bytes, base).map_or(Value::Int(0), |(value, _)| value)
}

/// Charges for reading a long number, which takes more than linear time.
fn charge_digits(ruby: &mut Ruby<'_>, this: &Value) -> Result<()> {
    let len = own(ruby, this)?.text().len() as u64;
    ruby.charge(1 + len * len / 4096)
}

fn to_i(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let base = args.get(0).map(|base| ruby.to_int(base)).transpose()?.unwrap_or(10);
    let base = match base {
        0 => Base::Auto,
        2..=36 => Base::Is(base as u32),
        _ => return Err(ruby.argument_error(format!("invalid radix {base}"))),
    };
    charge_digits(ruby, this)?;
    Ok(integer(&own(ruby, this)?.text(), base))
}

fn hex(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    charge_digits(ruby, this)?;
    Ok(integer(&own(ruby, this)?.text(), Base::Is(16)))
}

fn oct(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    charge_digits(ruby, this)?;
    Ok(integer(&own(ruby, this)?.text(), Base::PrefixOr(8)))
}

/// The parts of a decimal number: digits before and after the point, and the exponent.
struct Decimal {
    negative: bool,
    whole: Vec<u8>,
    fraction: Vec<u8>,
    exponent: i64,
    /// Whether a point or an exponent was written.
    inexact: bool,
}

/// The decimal number at the start of the bytes, and what follows it.
fn decimal(bytes: &[u8]) -> Option<(Decimal, &[u8])> {
    let (negative, rest) = skip_sign(bytes);
    let (whole, mut rest) = digits(rest, 10);
    let mut fraction = Vec::new();
    let mut inexact = false;
    if let [b'.', after @ ..] = rest
        && after.first().is_some_and(u8::is_ascii_digit)
    {
        (fraction, rest) = digits(after, 10);
        inexact = true;
    }
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut exponent = 0;
    if let [b'e' | b'E', after @ ..] = rest {
        let (minus, after) = skip_sign(after);
        let (found, after) = digits(after, 10);
        if !found.is_empty() {
            let size = String::from_utf8_lossy(&found).parse::<i64>().unwrap_or(1 << 40).min(1 << 40);
            exponent = if minus { -size } else { size };
            rest = after;
            inexact = true;
        }
    }
    Some((Decimal { negative, whole, fraction, exponent, inexact }, rest))
}

impl Decimal {
    fn to_float(&self) -> f64 {
        let sign = if self.negative { "-" } else { "" };
        let whole = if self.whole.is_empty() { "0".into() } else { String::from_utf8_lossy(&self.whole) };
        let fraction =
            if self.fraction.is_empty() { "0".into() } else { String::from_utf8_lossy(&self.fraction) };
        format!("{sign}{whole}.{fraction}e{}", self.exponent).parse().unwrap_or(0.0)
    }

    /// As a fraction; `None` if it has more digits than anyone could mean.
    fn to_ratio(&self) -> Option<(BigInt, BigInt)> {
        let all = [&self.whole[..], &self.fraction[..]].concat();
        let mut numerator = BigInt::parse_bytes(&all, 10).unwrap_or_else(BigInt::zero);
        let mut denominator = BigInt::one();
        let power = self.exponent - self.fraction.len() as i64;
        let factor = BigInt::from(10).pow(u32::try_from(power.abs()).ok().filter(|power| *power < 1 << 20)?);
        if power < 0 {
            denominator = factor
        } else {
            numerator *= factor
        }
        Some((if self.negative { -numerator } else { numerator }, denominator))
    }
}

/// The float at the start of the bytes, and what follows it.
pub(crate) fn parse_float(bytes: &[u8]) -> Option<(f64, &[u8])> {
    let (number, rest) = decimal(skip_spaces(bytes))?;
    Some((number.to_float(), rest))
}

fn to_f(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let text = own(ruby, this)?.text();
    let (negative, _) = skip_sign(skip_spaces(&text));
    let zero = if negative && parse_float(&text).is_some() { -0.0 } else { 0.0 };
    Ok(Value::Float(parse_float(&text).map_or(zero, |(number, _)| number)))
}

fn rational(ruby: &mut Ruby<'_>, numerator: Value, denominator: Value) -> Result {
    let name = ruby.symbols.intern("Rational");
    ruby.send(&Value::Nil, name, &[numerator, denominator])
}

fn complex(ruby: &mut Ruby<'_>, real: Value, imaginary: Value) -> Result {
    let name = ruby.symbols.intern("Complex");
    ruby.send(&Value::Nil, name, &[real, imaginary])
}

/// The fraction at the start of the bytes: `1/3`, `0.5`, `1e2/3`.
fn parse_ratio(bytes: &[u8]) -> Option<((BigInt, BigInt), &[u8])> {
    let (number, rest) = decimal(bytes)?;
    let (numerator, denominator) = number.to_ratio()?;
    if let [b'/', after @ ..] = rest
        && let Some((divisor, rest)) =
            decimal(after).filter(|_| after.first().is_some_and(u8::is_ascii_digit))
    {
        let (below, above) = divisor.to_ratio()?;
        return Some(((numerator * above, denominator * below), rest));
    }
    Some(((numerator, denominator), rest))
}

fn to_r(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    charge_digits(ruby, this)?;
    let text = own(ruby, this)?.text().clone();
    let (numerator, denominator) = match parse_ratio(skip_spaces(&text)) {
        Some((ratio, _)) => ratio,
        None => (BigInt::zero(), BigInt::one()),
    };
    if denominator.is_zero() {
        return Err(ruby.divided_by_zero());
    }
    rational(ruby, Value::integer(numerator), Value::integer(denominator))
}

/// A part of a complex number: an integer, a float or a fraction.
fn parse_part<'b>(ruby: &mut Ruby<'_>, bytes: &'b [u8]) -> Result<Option<(Value, &'b [u8])>> {
    let Some((number, rest)) = decimal(bytes) else { return Ok(None) };
    if let [b'/', after @ ..] = rest
        && after.first().is_some_and(u8::is_ascii_digit)
        && let Some((ratio, rest)) = parse_ratio(bytes)
    {
        if ratio.1.is_zero() {
            return Err(ruby.divided_by_zero());
        }
        return Ok(Some((rational(ruby, Value::integer(ratio.0), Value::integer(ratio.1))?, rest)));
    }
    if number.inexact {
        return Ok(Some((Value::Float(number.to_float()), rest)));
    }
    Ok(Some((number.to_ratio().map_or(Value::Int(0), |(value, _)| Value::integer(value)), rest)))
}

fn is_unit(bytes: &[u8]) -> bool {
    matches!(bytes, [b'i' | b'I' | b'j' | b'J', ..])
}

fn to_c(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    charge_digits(ruby, this)?;
    let text = own(ruby, this)?.text().clone();
    let bytes = skip_spaces(&text);
    // A sign alone before the unit stands for one.
    let unit_alone = |bytes: &[u8]| -> Option<i64> {
        let (negative, rest) = skip_sign(bytes);
        is_unit(rest).then_some(if negative { -1 } else { 1 })
    };
    if let Some(one) = unit_alone(bytes) {
        return complex(ruby, Value::Int(0), Value::Int(one));
    }
    let Some((first, rest)) = parse_part(ruby, bytes)? else {
        return complex(ruby, Value::Int(0), Value::Int(0));
    };
    if is_unit(rest) {
        return complex(ruby, Value::Int(0), first);
    }
    match rest.first() {
        Some(b'+' | b'-') => {
            if let Some(one) = unit_alone(rest) {
                return complex(ruby, first, Value::Int(one));
            }
            match parse_part(ruby, rest)? {
                Some((second, after)) if is_unit(after) => complex(ruby, first, second),
                _ => complex(ruby, first, Value::Int(0)),
            }
        }
        Some(b'@') => match parse_part(ruby, &rest[1..])? {
            Some((angle, _)) => {
                let name = ruby.symbols.intern("Complex");
                let class = ruby
                    .class(crate::class::ClassId::OBJECT)
                    .constants
                    .get(&name)
                    .map(|constant| constant.value.clone());
                let polar = ruby.symbols.intern("polar");
                ruby.send(&class.unwrap_or_default(), polar, &[first, angle])
            }
            None => complex(ruby, first, Value::Int(0)),
        },
        _ => complex(ruby, first, Value::Int(0)),
    }
}
