//! Numbers and booleans.

use kukla_syntax::{bail, diagnostic};

use super::{ConversionContext, maker};
use crate::codes::{
    ILLEGAL_RADIX, NO_FLOAT, NO_INTEGER, NOT_FINITE, OUTSIDE_INTEGER_RANGE, STRING_NOT_CONVERTIBLE,
    VALUE_NOT_CONVERTIBLE,
};
use crate::format::{
    IntegerRules, IntegerText, inspect_text, parse_float, parse_integer, parse_number, to_s,
};
use crate::types::mismatch;
use crate::{Error, Result, Type, Value};

/// The value under a key, or from a hash that is the only argument.
fn option<'a>(at: usize, args: &'a [Value], place: usize, key: &str) -> Option<&'a Value> {
    match (at, args) {
        (0, args) => args.get(place),
        (_, [Value::Hash(hash), ..]) => hash.get(key),
        _ => None,
    }
}

fn magnitude(number: Value, absolute: bool) -> Result<Value> {
    match number {
        Value::Integer(number) if absolute => match number.checked_abs() {
            Some(number) => Ok(Value::Integer(number)),
            None => Err(outside(&number.to_string())),
        },
        Value::Float(number) if absolute => Ok(Value::Float(number.abs())),
        number => Ok(number),
    }
}

fn outside(value: &str) -> Error {
    diagnostic!(OUTSIDE_INTEGER_RANGE { value }).into()
}

fn whole(number: f64) -> Result<Value> {
    if number.is_nan() {
        bail!(NOT_FINITE { number: "NaN" });
    }
    // The largest float below 2^63 is the last that fits.
    if !(-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number) {
        return Err(outside(&crate::format::float_text(number)));
    }
    Ok(Value::Integer(number as i64))
}

fn not_integer(text: &str) -> Error {
    diagnostic!(NO_INTEGER { text: inspect_text(text) }).into()
}

/// Reads an integer; blanks may stand between its sign and its digits.
fn integer_of(text: &str, radix: Option<u32>) -> Result<Value> {
    let rules = IntegerRules { radix, ..IntegerRules::default() };
    match parse_integer(text, rules) {
        IntegerText::Fits(number) => Ok(Value::Integer(number)),
        IntegerText::TooLarge => Err(outside(text)),
        IntegerText::Not => match without_blanks(text).map(|text| parse_integer(&text, rules)) {
            Some(IntegerText::Fits(number)) => Ok(Value::Integer(number)),
            Some(IntegerText::TooLarge) => Err(outside(text)),
            _ => Err(not_integer(text)),
        },
    }
}

fn without_blanks(text: &str) -> Option<String> {
    let rest = text.strip_prefix(['+', '-'])?;
    let digits = rest.trim_start();
    (digits.len() < rest.len()).then(|| format!("{}{digits}", &text[..1]))
}

pub(super) fn integer(at: usize, args: &[Value], _: &dyn ConversionContext) -> Result<Value> {
    let radix = match option(at, args, 1, "radix") {
        Some(Value::Integer(radix)) => Some(*radix as u32),
        _ => None,
    };
    let absolute = option(at, args, 2, "abs").is_some_and(Value::is_true);
    let number = match option(at, args, 0, "from").unwrap_or(&Value::Undef) {
        Value::Float(number) => whole(*number)?,
        Value::Timestamp(stamp) => Value::Integer(stamp.seconds()),
        Value::Timespan(span) => Value::Integer(span.whole_seconds()?),
        Value::Boolean(flag) => Value::Integer((*flag).into()),
        Value::String(text) => integer_of(text, radix)?,
        number => number.clone(),
    };
    magnitude(number, absolute)
}

/// `Integer('FF', 16)`: with that radix the prefix may be left out.
pub(super) fn bare_hexadecimal(args: &[Value], around: &dyn ConversionContext) -> Option<Result<Value>> {
    let (from, radix, absolute) = match args {
        [Value::Hash(hash)] => (hash.get("from")?, hash.get("radix")?, hash.get("abs")),
        [from, radix] => (from, radix, None),
        [from, radix, absolute @ Value::Boolean(_)] => (from, radix, Some(absolute)),
        _ => return None,
    };
    let (Value::String(text), Value::Integer(16)) = (from, radix) else { return None };
    let digits = text.trim_start_matches(['+', '-']).trim_start();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let args: Vec<Value> = [from, radix].into_iter().chain(absolute).cloned().collect();
    Some(integer(0, &args, around))
}

/// `Numeric('010', 10)`: a radix says that an integer is meant.
pub(super) fn with_radix(args: &[Value], around: &dyn ConversionContext) -> Option<Result<Value>> {
    let radix = match args {
        [Value::String(_), radix] | [Value::String(_), radix, Value::Boolean(_)] => radix,
        _ => return None,
    };
    let known = matches!(radix, Value::Integer(2 | 8 | 10 | 16) | Value::Default);
    let integers = maker::of(&Type::Integer(crate::types::Range::ANY))?;
    known.then(|| integers.make(args, around))
}

pub(super) fn float(at: usize, args: &[Value], _: &dyn ConversionContext) -> Result<Value> {
    let absolute = option(at, args, 1, "abs").is_some_and(Value::is_true);
    let number = match option(at, args, 0, "from").unwrap_or(&Value::Undef) {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        Value::Timestamp(stamp) => stamp.to_f64(),
        Value::Timespan(span) => span.to_f64(),
        Value::Boolean(flag) => f64::from(u8::from(*flag)),
        Value::String(text) => float_of(text)?,
        _ => 0.0,
    };
    magnitude(Value::Float(number), absolute)
}

fn float_of(text: &str) -> Result<f64> {
    let text = without_blanks(text).unwrap_or_else(|| text.to_owned());
    let digits = text.trim_start_matches(['+', '-']);
    if digits.starts_with("0b") || digits.starts_with("0B") {
        return match integer_of(&text, None)? {
            Value::Integer(number) => Ok(number as f64),
            _ => Ok(0.0),
        };
    }
    parse_float(&text).ok_or_else(|| diagnostic!(NO_FLOAT { text: inspect_text(&text) }).into())
}

pub(super) fn numeric(at: usize, args: &[Value], _: &dyn ConversionContext) -> Result<Value> {
    let absolute = option(at, args, 1, "abs").is_some_and(Value::is_true);
    let number = match option(at, args, 0, "from").unwrap_or(&Value::Undef) {
        Value::Timestamp(stamp) => Value::Float(stamp.to_f64()),
        Value::Timespan(span) => Value::Float(span.to_f64()),
        Value::Boolean(flag) => Value::Integer((*flag).into()),
        Value::String(text) if text.starts_with("0b") || text.starts_with("0B") => integer_of(text, None)?,
        Value::String(text) => parse_number(text)?.unwrap_or_default(),
        number => number.clone(),
    };
    magnitude(number, absolute)
}

pub(super) fn boolean(_: usize, args: &[Value], _: &dyn ConversionContext) -> Result<Value> {
    Ok(Value::Boolean(match &args[0] {
        Value::Integer(number) => *number != 0,
        Value::Float(number) => *number != 0.0,
        Value::String(text) => !["false", "no", "n"].iter().any(|word| text.eq_ignore_ascii_case(word)),
        flag => flag.is_true(),
    }))
}

/// Refuses a value that cannot become a number or a boolean.
fn cannot(function: &str, value: &Value, target: &str) -> Error {
    match value {
        Value::String(text) => diagnostic!(STRING_NOT_CONVERTIBLE { function, text, target }).into(),
        value => {
            let actual = Type::of_generalized(value);
            diagnostic!(VALUE_NOT_CONVERTIBLE { function, actual, target }).into()
        }
    }
}

fn refuse_one(function: &str, args: &[Value], target: &str) -> Option<Error> {
    match args {
        [from] | [from, Value::Boolean(_)] => Some(cannot(function, from, target)),
        _ => None,
    }
}

pub(super) fn refuse_float(function: &str, args: &[Value]) -> Option<Error> {
    refuse_one(function, args, "Float")
}

pub(super) fn refuse_boolean(function: &str, args: &[Value]) -> Option<Error> {
    if args.len() == 1 { refuse_one(function, args, "Boolean") } else { None }
}

pub(super) fn refuse_numeric(function: &str, args: &[Value]) -> Option<Error> {
    refuse_one(function, args, "Numeric")
}

pub(super) fn refuse_integer(function: &str, args: &[Value]) -> Option<Error> {
    let illegal = |radix: &Value| -> Option<Error> {
        match radix {
            Value::Integer(2 | 8 | 10 | 16) | Value::Default | Value::Undef => None,
            other => Some(diagnostic!(ILLEGAL_RADIX { radix: to_s(other) }).into()),
        }
    };
    match args {
        [Value::Hash(hash)] => {
            let from = hash.get("from");
            let convertible = |from: &&Value| maker::integer_from().contains(from);
            if let Some(from) = from.filter(|from| !convertible(from)) {
                return Some(cannot(function, from, "Integer"));
            }
            let illegal = hash.get("radix").and_then(illegal);
            illegal.or_else(|| mismatch::assert("Integer.new", maker::integer_hash(), &args[0]).err())
        }
        [from] | [from, Value::Integer(_)] | [from, Value::Integer(_), Value::Boolean(_)] => {
            let illegal = args.get(1).and_then(illegal);
            Some(illegal.unwrap_or_else(|| cannot(function, from, "Integer")))
        }
        _ => None,
    }
}
