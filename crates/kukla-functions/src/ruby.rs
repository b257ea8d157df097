//! Ruby's view of values.
//!
//! Functions that were written in Ruby show it: `join` prints nested hashes as Ruby does, error messages name Ruby's
//! classes, strings become numbers by Ruby's rules. Those rules stand here once.

use std::borrow::Cow;
use std::cmp::Ordering;

use kukla_eval::error::Flow;
use kukla_syntax::{bail, deep, diagnostic};
use kukla_values::codes::{NO_FLOAT, NO_IMPLICIT_CONVERSION, NO_INTEGER, NOT_FINITE, OUTSIDE_INTEGER_RANGE};
use kukla_values::format::{IntegerRules, IntegerText, class_name, digit_run, old_argument, parse_integer};
use kukla_values::{Array, Error, Hash, Result, Str, Type, Value};

use crate::codes::{NO_METHOD, NO_ORDER};

pub use kukla_values::format::{float_text as float_to_s, inspect, inspect_text as inspect_str, to_s};

/// The name of the class that a function of the old API sees: references are resources to it.
pub fn class(value: &Value) -> Cow<'static, str> {
    if is_reference(value) { "Puppet::Resource".into() } else { class_name(value) }
}

/// Whether a value is a reference to a resource or class.
fn is_reference(value: &Value) -> bool {
    matches!(value, Value::Type(ty) if matches!(**ty, Type::Resource(Some(_)) | Type::Class(Some(_))))
}

/// The text that a function of the old API makes of a value: references come without quotes.
pub fn old_text(value: &Value) -> Str {
    if is_reference(value) { to_s(&old_argument(value)) } else { to_s(value) }
}

/// `values.join(separator)`: nested arrays join with the same separator, anything else prints as `to_s`.
pub fn join(values: &[Value], separator: &str) -> String {
    join_up_to(usize::MAX, values, separator)
}

/// The same, stopped once the text exceeds this number of bytes, because it will be rejected.
pub fn join_up_to(most: usize, values: &[Value], separator: &str) -> String {
    let mut out = String::new();
    let mut first = true;
    join_into(&mut out, most, values, separator, &mut first);
    out
}

fn join_into(out: &mut String, most: usize, values: &[Value], separator: &str, first: &mut bool) {
    for value in values {
        if out.len() > most {
            return;
        }
        if let Value::Array(inner) = value {
            if inner.is_empty() {
                // An empty member still takes its place between separators.
                if !std::mem::take(first) {
                    out.push_str(separator);
                }
            } else {
                deep(|| join_into(out, most, inner, separator, first));
            }
        } else {
            if !std::mem::take(first) {
                out.push_str(separator);
            }
            out.push_str(&to_s(value));
        }
    }
}

/// `values.flatten`.
pub fn flatten(values: &[Value]) -> Vec<Value> {
    let mut flat = Vec::with_capacity(values.len());
    flatten_into(&mut flat, values);
    flat
}

fn flatten_into(flat: &mut Vec<Value>, values: &[Value]) {
    for value in values {
        match value {
            Value::Array(inner) => flatten_into(flat, inner),
            other => flat.push(other.clone()),
        }
    }
}

/// `text.to_i`: the leading decimal digits, or zero.
pub fn to_i(text: &str) -> i64 {
    leading_integer(text).clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// The same, where a number that needs more than 64 bits is an error.
pub fn to_integer(text: &str) -> Result<i64> {
    let value = leading_integer(text);
    i64::try_from(value).map_err(|_| diagnostic!(OUTSIDE_INTEGER_RANGE { value: text }).into())
}

fn leading_integer(text: &str) -> i128 {
    let text = text.trim_start_matches(is_space);
    let (negative, text) = sign(text);
    let digits = leading_digits(text).replace('_', "");
    let value = digits.parse::<i128>().unwrap_or(if digits.is_empty() { 0 } else { i128::MAX });
    if negative { -value } else { value }
}

/// `value.to_i`, for the values that have it.
pub fn value_to_i(value: &Value) -> Result<i64> {
    match value {
        Value::Undef => Ok(0),
        Value::Integer(n) => Ok(*n),
        Value::Float(n) => float_to_i(*n),
        Value::String(text) => to_integer(text),
        other => Err(no_method("to_i", other)),
    }
}

/// `n.to_i`: the float without its fraction.
pub fn float_to_i(n: f64) -> Result<i64> {
    if n.is_finite() { Ok(n.trunc() as i64) } else { bail!(NOT_FINITE { number: float_to_s(n) }) }
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// The characters that Ruby skips around numbers.
pub fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r')
}

/// `text.to_f`: the leading number, or zero.
pub fn to_f(text: &str) -> f64 {
    let text = text.trim_start_matches(is_space);
    let (negative, text) = sign(text);
    let whole = leading_digits(text);
    let mut number = whole.replace('_', "");
    let mut rest = &text[whole.len()..];
    if let Some(after) = rest.strip_prefix('.') {
        let fraction = leading_digits(after);
        if !fraction.is_empty() {
            number.push('.');
            number.push_str(&fraction.replace('_', ""));
            rest = &after[fraction.len()..];
        }
    }
    if number.is_empty() {
        return 0.0;
    }
    if let Some(after) = rest.strip_prefix(['e', 'E']) {
        let (negative, after) = sign(after);
        let exponent = leading_digits(after);
        if !exponent.is_empty() {
            number.push('e');
            if negative {
                number.push('-');
            }
            number.push_str(&exponent.replace('_', ""));
        }
    }
    let value = number.parse::<f64>().unwrap_or(0.0);
    if negative { -value } else { value }
}

/// The leading digits as written, underscores included.
fn leading_digits(text: &str) -> &str {
    &text[..digit_run(text.as_bytes(), 10)]
}

/// `Float(text)`: the whole text must be one number. [`kukla_values::format::parse_float`] lists where it differs.
pub fn float(text: &str) -> Result<f64> {
    let invalid = || diagnostic!(NO_FLOAT { text: inspect_str(text) });
    Ok(strict_float(text.trim_matches(is_space)).ok_or_else(invalid)?)
}

fn strict_float(text: &str) -> Option<f64> {
    let (negative, digits) = sign(text);
    let value = if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let (mantissa, exponent) = hex.split_once(['p', 'P']).unwrap_or((hex, "0"));
        let mantissa = u64::from_str_radix(&without_underscores(mantissa)?, 16).ok()? as f64;
        mantissa * 2f64.powi(exponent.parse().ok()?)
    } else {
        let plain = without_underscores(digits)?;
        let (mantissa, exponent) =
            plain.split_once(['e', 'E']).map_or((plain.as_str(), None), |(m, e)| (m, Some(e)));
        let numeric = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let well_formed = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole.is_empty() || numeric(whole)) && numeric(fraction),
            None => numeric(mantissa),
        };
        if !well_formed || exponent.is_some_and(|e| !numeric(sign(e).1)) {
            return None;
        }
        plain.parse::<f64>().ok()?
    };
    Some(if negative { -value } else { value })
}

/// The text without underscores, each of which must stand between two digits.
fn without_underscores(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digit = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_hexdigit);
    let placed = bytes.iter().enumerate().all(|(i, b)| *b != b'_' || (i > 0 && digit(i - 1) && digit(i + 1)));
    placed.then(|| text.replace('_', ""))
}

/// `Integer(text)`: the whole text must be one integer; prefixes choose the base.
pub fn integer(text: &str) -> Result<i64> {
    let invalid = || diagnostic!(NO_INTEGER { text: inspect_str(text) });
    let rules = IntegerRules { underscore_after_zero: true, ..IntegerRules::default() };
    match parse_integer(text, rules) {
        IntegerText::Fits(number) => Ok(number),
        IntegerText::TooLarge | IntegerText::Not => Err(invalid().into()),
    }
}

/// `a == b`: numbers across kinds, text by case.
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Integer(a), Value::Float(b)) | (Value::Float(b), Value::Integer(a)) => *a as f64 == *b,
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Hash(a), Value::Hash(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => a == b,
    }
}

/// `a <=> b`: `None` where Ruby has no order.
pub fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => Some(a.cmp(b)),
        (Value::Integer(a), Value::Float(b)) => (*a as f64).partial_cmp(b),
        (Value::Float(a), Value::Integer(b)) => a.partial_cmp(&(*b as f64)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::String(a), Value::String(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Value::Timestamp(a), Value::Timestamp(b)) => Some(a.cmp(b)),
        (Value::Timespan(a), Value::Timespan(b)) => Some(a.cmp(b)),
        (Value::Array(a), Value::Array(b)) => {
            for (a, b) in a.iter().zip(b) {
                match compare(a, b)? {
                    Ordering::Equal => {}
                    unequal => return Some(unequal),
                }
            }
            Some(a.len().cmp(&b.len()))
        }
        _ => equal(a, b).then_some(Ordering::Equal),
    }
}

/// `a <=> b`, failing as `sort` does where there is no order.
pub fn ordered(a: &Value, b: &Value) -> Result<Ordering> {
    compare(a, b).ok_or_else(|| incomparable(a, b))
}

/// The error of `sort`, `max` and `min` for two values without an order.
pub fn incomparable(a: &Value, b: &Value) -> Error {
    let right = match b {
        Value::Undef | Value::Default | Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => inspect(b),
        _ => Str::from(class(b)),
    };
    diagnostic!(NO_ORDER { left: class(a), right }).into()
}

/// The result of a comparison block, as an order.
pub fn block_order(result: &Value, a: &Value, b: &Value) -> Result<Ordering> {
    match result {
        Value::Integer(n) => Ok(n.cmp(&0)),
        Value::Float(n) => Ok(n.partial_cmp(&0.0).unwrap_or(Ordering::Equal)),
        Value::Undef => Err(incomparable(a, b)),
        Value::String(_) => Err(incomparable(result, &Value::Integer(0))),
        other => Err(no_method(">", other)),
    }
}

/// Sorts as Ruby does on glibc: a merge sort, so that a block sees the same pairs in the same order.
pub fn sort_by<T: Clone>(values: &mut [T], order: &mut impl FnMut(&T, &T) -> Flow<Ordering>) -> Flow<()> {
    if values.len() < 2 {
        return Ok(());
    }
    let middle = values.len() / 2;
    sort_by(&mut values[..middle], order)?;
    sort_by(&mut values[middle..], order)?;
    let (left, right) = values.split_at(middle);
    let mut merged = Vec::with_capacity(values.len());
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        if order(&left[i], &right[j])? == Ordering::Greater {
            merged.push(right[j].clone());
            j += 1;
        } else {
            merged.push(left[i].clone());
            i += 1;
        }
    }
    merged.extend_from_slice(&left[i..]);
    merged.extend_from_slice(&right[j..]);
    values.clone_from_slice(&merged);
    Ok(())
}

/// A method the value's class does not have.
pub fn no_method(name: &str, receiver: &Value) -> Error {
    let receiver = match receiver {
        Value::Undef => "nil:NilClass".into(),
        Value::Boolean(b) => format!("{b}:{}", class(receiver)),
        // What shows its class needs no further word.
        other => match inspect(other) {
            shown if shown.starts_with("#<") => shown.into(),
            shown => format!("{shown}:{}", class(other)),
        },
    };
    diagnostic!(NO_METHOD { name, receiver }).into()
}

/// A value where Ruby wants text.
pub fn no_conversion(value: &Value, target: &str) -> Error {
    let operand = match value {
        Value::Undef => "nil".into(),
        Value::Boolean(_) => inspect(value),
        other => class(other).into(),
    };
    diagnostic!(NO_IMPLICIT_CONVERSION { operand, target }).into()
}

/// The text a Ruby method would take this argument for.
pub fn text(value: &Value) -> Result<&Str> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(no_conversion(other, "String")),
    }
}

/// `Array(value)`: nothing for undef, the pairs of a hash, the value alone otherwise.
pub fn to_array(value: &Value) -> Array {
    match value {
        Value::Undef => Array::new(),
        Value::Array(values) => values.clone(),
        Value::Hash(hash) => pairs(hash),
        other => std::iter::once(other.clone()).collect(),
    }
}

/// The entries of a hash as arrays of two.
pub fn pairs(hash: &Hash) -> Array {
    hash.iter().map(|(key, value)| Value::from(vec![key.clone(), value.clone()])).collect()
}

/// `values.uniq`.
pub fn unique(values: impl IntoIterator<Item = Value>) -> Vec<Value> {
    values.into_iter().collect::<indexmap::IndexSet<Value>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_ruby_reads_them() {
        assert_eq!((to_i("  12abc"), to_i("1__2"), to_i("_1"), to_i("- 1"), to_i("0x1f")), (12, 1, 0, 0, 0));
        assert_eq!(
            (to_f("1_0.5_1"), to_f(".5"), to_f("1."), to_f("1e"), to_f("1.e3")),
            (10.51, 0.5, 1.0, 1.0, 1.0)
        );
        for bad in ["1__0", "1.", "1_", "0x", "0b1", "1e", "1.5.5", "5._5", "_5", ""] {
            assert!(float(bad).is_err(), "{bad}");
        }
        assert_eq!(
            (float("0x1A").ok(), float(" -.5\n").ok(), float("0x1p3").ok()),
            (Some(26.0), Some(-0.5), Some(8.0))
        );
        assert_eq!(
            (integer("0b1").ok(), integer("017").ok(), integer("-0x1f").ok()),
            (Some(1), Some(15), Some(-31))
        );
        assert!(integer("08").is_err() && integer("1e3").is_err() && integer("--1").is_err());
    }

    #[test]
    fn arrays_join_as_in_ruby() {
        let nested = Value::from(vec![
            Value::Integer(1),
            Value::Undef,
            Hash::from_iter([("a", Value::Default)]).into(),
        ]);
        assert_eq!(join(&[1.into(), nested], "-"), r#"1-1--{"a"=>:default}"#);
        assert_eq!(join(&[Array::new().into(), 1.into()], ","), ",1");
    }
}
