//! `+ - * / % << >>` and unary minus, over every kind of operand.
//!
//! Arrays, hashes, URIs and binaries are joined and taken from; everything else must be a number, a time, or a string that
//! spells a number. Integers are 64 bits wide and never wrap.

use std::fmt;

use crate::codes::{
    BINARY_WITH_OTHER, DIVISION_BY_ZERO, DIVISOR_OF_TIMESPAN, FACTOR_OF_TIMESPAN, HASH_WITH_OTHER,
    INTEGER_OVERFLOW, KEY_WITHOUT_VALUE, MODULUS_OF_TIMESPAN, NOT_A_PAIR, NOT_ADDABLE_TO_TIME,
    NOT_CONVERTIBLE, NOT_NUMERIC, NOT_SUBTRACTABLE_FROM_TIME, NUMERIC_COERCION, OPERATOR_NOT_APPLICABLE,
    OPERATOR_NOT_APPLICABLE_WHEN, RESULT_IS_INFINITY, SHIFT_TOO_FAR, URI_WITH_OTHER,
};
use crate::compare::label;
use crate::format::{class_name, interpolate, parse_number, to_s};
use crate::time::{Timespan, Timestamp};
use crate::uri::Uri;
use crate::{Array, Error, Hash, Str, Type, Value, meter};
use kukla_syntax::article::{a_an, a_an_upper};
use kukla_syntax::{Diagnostic, diagnostic};
use rustc_hash::FxHashSet;

/// An arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
}

impl Operator {
    /// How it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Modulo => "%",
            Operator::ShiftLeft => "<<",
            Operator::ShiftRight => ">>",
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sign())
    }
}

/// Which part of an expression is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandSide {
    /// The left operand, or the only one.
    Left,
    /// The right operand.
    Right,
    /// The expression as a whole.
    Whole,
}

/// A failed calculation.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The operand that caused the error.
    pub side: OperandSide,
    /// The error.
    pub error: Error,
}

impl Fault {
    fn of_all(error: Error) -> Fault {
        Fault { side: OperandSide::Whole, error }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Error {
        fault.error
    }
}

/// The outcome of a calculation.
pub type Outcome<T = Value> = Result<T, Fault>;

/// Called for every string used as a number; under `strict` it returns the error.
pub type Coercion<'a> = &'a mut dyn FnMut(Error) -> Result<(), Error>;

fn fault<T>(side: OperandSide, wrong: Diagnostic) -> Result<T, Fault> {
    Err(Fault { side, error: wrong.into() })
}

fn whole<T>(wrong: Diagnostic) -> Result<T, Fault> {
    fault(OperandSide::Whole, wrong)
}

fn division_by_zero() -> Outcome {
    fault(OperandSide::Right, diagnostic!(DIVISION_BY_ZERO))
}

/// By how many places Ruby does not even try to shift.
const MAX_SHIFT: f64 = (1u128 << 67) as f64;

/// Applies an operator to two values.
pub fn calculate(operator: Operator, left: &Value, right: &Value, coercion: Coercion<'_>) -> Outcome {
    match (operator, left) {
        (Operator::Add, Value::Uri(uri)) => add_to_uri(uri, right),
        (Operator::Add, Value::Binary(bytes)) => match right {
            Value::Binary(more) => Ok(Value::Binary(bytes.concat(more))),
            _ => whole(diagnostic!(BINARY_WITH_OTHER)),
        },
        (Operator::Add, Value::Array(values)) => Ok(append(values, right)),
        (Operator::Add, Value::Hash(hash)) => merge(hash, right),
        (Operator::Subtract, Value::Array(values)) => Ok(remove_values(values, right)),
        (Operator::Subtract, Value::Hash(hash)) => Ok(remove_keys(hash, right)),
        (Operator::ShiftLeft, Value::Array(values)) => {
            let mut values = values.clone();
            values.push(right.clone());
            Ok(Value::Array(values))
        }
        (Operator::ShiftLeft, Value::Hash(_)) => not_applicable(operator, left),
        _ => {
            let left = number(left, OperandSide::Left, coercion)?;
            let right = number(right, OperandSide::Right, coercion)?;
            on_numbers(operator, &left, &right)
        }
    }
}

/// Unary minus.
pub fn negate(value: &Value, coercion: Coercion<'_>) -> Outcome {
    match number(value, OperandSide::Left, coercion)? {
        Value::Integer(number) => match number.checked_neg() {
            Some(number) => Ok(Value::Integer(number)),
            None => overflow("-", -i128::from(number)),
        },
        Value::Float(number) => Ok(Value::Float(-number)),
        Value::Timespan(span) => timespan(span.nanos().checked_neg()),
        other => not_applicable(Operator::Subtract, &other),
    }
}

/// The number a value is or spells.
fn number(value: &Value, side: OperandSide, coercion: Coercion<'_>) -> Outcome {
    match value {
        Value::Integer(_) | Value::Float(_) | Value::Timestamp(_) | Value::Timespan(_) | Value::SemVer(_) => {
            Ok(value.clone())
        }
        Value::String(text) => match parse_number(text).map_err(|error| Fault { side, error })? {
            Some(number) => {
                let coerced = diagnostic!(NUMERIC_COERCION { text, number: interpolate(&number) });
                coercion(coerced.into()).map_err(|error| Fault { side, error })?;
                Ok(number)
            }
            None => not_numeric(value, side),
        },
        _ => not_numeric(value, side),
    }
}

fn not_numeric(value: &Value, side: OperandSide) -> Outcome {
    fault(side, diagnostic!(NOT_NUMERIC { value: to_s(value) }))
}

fn not_applicable(operator: Operator, left: &Value) -> Outcome {
    fault(OperandSide::Left, diagnostic!(OPERATOR_NOT_APPLICABLE { operator, operand: a_an(&label(left)) }))
}

fn not_applicable_when(operator: Operator, left: &Value, right: &Value) -> Outcome {
    let (left, right) = (a_an(&label(left)), a_an(&label(right)));
    fault(OperandSide::Left, diagnostic!(OPERATOR_NOT_APPLICABLE_WHEN { operator, left, right }))
}

fn overflow(sign: &str, value: i128) -> Outcome {
    let (end, minus) = if value > 0 { ("max", '+') } else { ("min", '-') };
    too_large(sign, end, format!("{minus}0x{:x}", value.unsigned_abs()))
}

fn too_large(operator: &str, end: &str, value: String) -> Outcome {
    whole(diagnostic!(INTEGER_OVERFLOW { operator, end, value }))
}

/// The name of a value in time arithmetic: its class, where everything else has a label for versions.
fn plain_label(value: &Value) -> Str {
    if matches!(value, Value::SemVer(_)) { "Version".into() } else { label(value) }
}

fn on_numbers(operator: Operator, left: &Value, right: &Value) -> Outcome {
    match (left, right) {
        (Value::Integer(a), Value::Integer(b)) => on_integers(operator, *a, *b),
        (Value::Float(_), _) if operator == Operator::Modulo => not_applicable(operator, left),
        (_, Value::Float(_)) if operator == Operator::Modulo => not_applicable_when(operator, left, right),
        (Value::Integer(a), Value::Float(b)) => match operator {
            // Ruby truncates what to shift by.
            Operator::ShiftLeft if *a != 0 && *b >= MAX_SHIFT => whole(diagnostic!(SHIFT_TOO_FAR)),
            Operator::ShiftRight if *a != 0 && *b <= -MAX_SHIFT => whole(diagnostic!(SHIFT_TOO_FAR)),
            Operator::ShiftLeft | Operator::ShiftRight => on_integers(operator, *a, *b as i64),
            _ => on_floats(operator, left, *a as f64, *b),
        },
        (Value::Float(a), Value::Integer(b)) => on_floats(operator, left, *a, *b as f64),
        (Value::Float(a), Value::Float(b)) => on_floats(operator, left, *a, *b),
        (Value::Timestamp(stamp), _) => on_timestamp(operator, *stamp, left, right),
        (Value::Timespan(span), _) => on_timespan(operator, *span, left, right),
        (Value::Integer(_) | Value::Float(_), Value::SemVer(_))
            if matches!(operator, Operator::ShiftLeft | Operator::ShiftRight) =>
        {
            not_applicable(operator, left)
        }
        (Value::Integer(_) | Value::Float(_), Value::SemVer(_)) => {
            whole(diagnostic!(NOT_CONVERTIBLE { operand: class_name(right), target: "Float" }))
        }
        (_, Value::Timespan(span)) => match operator {
            Operator::Add | Operator::Multiply => on_timespan(operator, *span, right, left),
            Operator::Subtract => match nanos(left) {
                Some(nanos) => timespan(nanos?.checked_sub(span.nanos())),
                None => not_applicable(operator, left),
            },
            _ => not_applicable_when(operator, left, right),
        },
        (_, Value::Timestamp(stamp)) if operator == Operator::Add => {
            on_timestamp(operator, *stamp, right, left)
        }
        (_, Value::Timestamp(_)) => not_applicable_when(operator, left, right),
        _ => not_applicable(operator, left),
    }
}

fn on_integers(operator: Operator, a: i64, b: i64) -> Outcome {
    let (wide_a, wide_b) = (i128::from(a), i128::from(b));
    let result = match operator {
        Operator::Add => wide_a + wide_b,
        Operator::Subtract => wide_a - wide_b,
        Operator::Multiply => wide_a * wide_b,
        Operator::Divide | Operator::Modulo if b == 0 => {
            return division_by_zero();
        }
        // Both round towards negative infinity.
        Operator::Divide => floor_division(wide_a, wide_b),
        Operator::Modulo => wide_a - wide_b * floor_division(wide_a, wide_b),
        Operator::ShiftLeft => return shift(operator, a, b),
        Operator::ShiftRight => return shift(operator, a, b.saturating_neg()),
    };
    match i64::try_from(result) {
        Ok(result) => Ok(Value::Integer(result)),
        Err(_) => overflow(operator.sign(), result),
    }
}

fn floor_division(a: i128, b: i128) -> i128 {
    let (quotient, rest) = (a / b, a % b);
    if rest != 0 && (rest < 0) != (b < 0) { quotient - 1 } else { quotient }
}

/// Shifts left, or right by a negative count.
fn shift(operator: Operator, value: i64, count: i64) -> Outcome {
    if count <= 0 || value == 0 {
        return Ok(Value::Integer(value >> count.unsigned_abs().min(63)));
    }
    if count < 64 {
        let wide = i128::from(value) << count;
        return match i64::try_from(wide) {
            Ok(value) => Ok(Value::Integer(value)),
            Err(_) => overflow(operator.sign(), wide),
        };
    }
    let (end, minus) = if value > 0 { ("max", '+') } else { ("min", '-') };
    let digits = format!("{:x}", u128::from(value.unsigned_abs()) << (count % 4));
    // No one needs to see more zeros than this.
    let zeros = "0".repeat((count / 4).min(1 << 16) as usize);
    too_large(operator.sign(), end, format!("{minus}0x{digits}{zeros}"))
}

fn on_floats(operator: Operator, left: &Value, a: f64, b: f64) -> Outcome {
    let result = match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Modulo | Operator::ShiftLeft | Operator::ShiftRight => {
            return not_applicable(operator, left);
        }
    };
    finite(operator, result)
}

fn finite(operator: Operator, result: f64) -> Outcome {
    if result.is_infinite() {
        return fault(OperandSide::Left, diagnostic!(RESULT_IS_INFINITY { operator }));
    }
    Ok(Value::Float(result))
}

/// The nanoseconds in a number of seconds; none if it is not a number.
fn nanos(seconds: &Value) -> Option<Outcome<i128>> {
    match seconds {
        Value::Integer(seconds) => Some(Ok(i128::from(*seconds) * 1_000_000_000)),
        Value::Float(seconds) => {
            Some(Timespan::from_f64(*seconds).map(Timespan::nanos).map_err(Fault::of_all))
        }
        _ => None,
    }
}

fn timespan(nanos: Option<i128>) -> Outcome {
    Timespan::within(nanos).map(Value::Timespan).map_err(Fault::of_all)
}

fn timestamp(nanos: Option<i128>) -> Outcome {
    // What not even 128 bits hold is certainly beyond the 64 of a timestamp.
    Timestamp::from_nanos(nanos.unwrap_or(i128::MAX)).map(Value::Timestamp).map_err(Fault::of_all)
}

fn on_timestamp(operator: Operator, stamp: Timestamp, left: &Value, right: &Value) -> Outcome {
    let span = match right {
        Value::Timespan(span) => Some(span.nanos()),
        right => nanos(right).transpose()?,
    };
    match (operator, span, right) {
        (Operator::Add, Some(span), _) => timestamp(stamp.nanos().checked_add(span)),
        (Operator::Add, None, _) => not_addable(right, "Timestamp"),
        (Operator::Subtract, _, Value::Timestamp(other)) => {
            timespan(stamp.nanos().checked_sub(other.nanos()))
        }
        (Operator::Subtract, Some(span), _) => timestamp(stamp.nanos().checked_sub(span)),
        (Operator::Subtract, None, _) => not_subtractable(right, "Timestamp"),
        _ => not_applicable(operator, left),
    }
}

fn not_addable(operand: &Value, time: &str) -> Outcome {
    whole(diagnostic!(NOT_ADDABLE_TO_TIME { operand: a_an_upper(&plain_label(operand)), time }))
}

fn not_subtractable(operand: &Value, time: &str) -> Outcome {
    whole(diagnostic!(NOT_SUBTRACTABLE_FROM_TIME { operand: a_an_upper(&plain_label(operand)), time }))
}

fn on_timespan(operator: Operator, span: Timespan, left: &Value, right: &Value) -> Outcome {
    let own = span.nanos();
    let other = match right {
        Value::Timespan(other) => Some(other.nanos()),
        right => nanos(right).transpose()?,
    };
    let of_float = |nanos: f64| timespan((nanos.abs() < 1.7e38).then_some(nanos as i128));
    match (operator, right) {
        (Operator::Add, Value::Timestamp(stamp)) => timestamp(stamp.nanos().checked_add(own)),
        (Operator::Add, _) => match other {
            Some(other) => timespan(own.checked_add(other)),
            None => not_addable(right, "Timespan"),
        },
        (Operator::Subtract, _) => match other {
            Some(other) => timespan(own.checked_sub(other)),
            None => not_subtractable(right, "Timespan"),
        },
        (Operator::Multiply, Value::Integer(factor)) => timespan(own.checked_mul((*factor).into())),
        (Operator::Multiply, Value::Float(factor)) => of_float(own as f64 * factor),
        // Puppet's message says Timestamp here, and people match on it.
        (Operator::Multiply, _) => {
            whole(diagnostic!(FACTOR_OF_TIMESPAN { operand: a_an(&plain_label(right)) }))
        }
        (Operator::Divide, Value::Timespan(other)) => finite(operator, own as f64 / other.nanos() as f64),
        (Operator::Divide, Value::Integer(0)) => division_by_zero(),
        (Operator::Divide, Value::Integer(divisor)) => timespan(Some(floor_division(own, (*divisor).into()))),
        (Operator::Divide, Value::Float(divisor)) if *divisor == 0.0 => division_by_zero(),
        (Operator::Divide, Value::Float(divisor)) => of_float((own as f64 / divisor).floor()),
        (Operator::Divide, _) => {
            whole(diagnostic!(DIVISOR_OF_TIMESPAN { operand: a_an(&plain_label(right)) }))
        }
        (Operator::Modulo, Value::Integer(0)) => division_by_zero(),
        (Operator::Modulo, Value::Integer(divisor)) => {
            let (seconds, divisor) = (span.nanos().div_euclid(1_000_000_000), i128::from(*divisor));
            Ok(Value::Integer((seconds - divisor * floor_division(seconds, divisor)) as i64))
        }
        (Operator::Modulo, _) => {
            whole(diagnostic!(MODULUS_OF_TIMESPAN { operand: a_an(&plain_label(right)) }))
        }
        (Operator::ShiftLeft | Operator::ShiftRight, _) => not_applicable(operator, left),
    }
}

fn add_to_uri(uri: &Uri, right: &Value) -> Outcome {
    let merged = match right {
        Value::Uri(other) => uri.merge(other),
        Value::String(text) => Uri::parse(text).and_then(|other| uri.merge(&other)),
        _ => return whole(diagnostic!(URI_WITH_OTHER)),
    };
    match merged {
        Ok(uri) => Ok(Value::Uri(uri.into())),
        Err(error) => Err(Fault { side: OperandSide::Whole, error }),
    }
}

fn pairs(hash: &Hash) -> impl Iterator<Item = Value> {
    hash.iter().map(|(key, value)| Value::from(vec![key.clone(), value.clone()]))
}

fn append(values: &Array, right: &Value) -> Value {
    let mut values = values.clone();
    match right {
        Value::Array(more) => values.extend(more.iter().cloned()),
        Value::Hash(hash) => values.extend(pairs(hash)),
        one => values.push(one.clone()),
    }
    Value::Array(values)
}

fn merge(hash: &Hash, right: &Value) -> Outcome {
    let mut merged = hash.clone();
    match right {
        Value::Hash(more) if hash.is_empty() => return Ok(Value::Hash(more.clone())),
        Value::Hash(more) => {
            let entries = merged.make_mut();
            for (key, value) in more {
                entries.insert(key.clone(), value.clone());
            }
        }
        Value::Array(values) => {
            for (key, value) in entries_of(values)? {
                merged.insert(key, value);
            }
        }
        _ => return whole(diagnostic!(HASH_WITH_OTHER)),
    }
    Ok(Value::Hash(merged))
}

/// The keys and values in an array: of pairs if all its elements are arrays, of a hash that is its only element, else one after the other.
fn entries_of(values: &Array) -> Result<Vec<(Value, Value)>, Fault> {
    let nested = matches!(Type::of_reduced(&Value::Array(values.clone())), Type::Array(array) if matches!(array.element, Type::Array(_)));
    if nested {
        let pair = |(index, value): (usize, &Value)| match value.as_array().map(|pair| &pair[..]) {
            Some([key, value]) => Ok((key.clone(), value.clone())),
            other => {
                let length = other.map_or(0, <[Value]>::len);
                whole(diagnostic!(NOT_A_PAIR { index, length }))
            }
        };
        return values.iter().enumerate().map(pair).collect();
    }
    if let [Value::Hash(hash)] = &values[..] {
        return Ok(hash.iter().map(|(key, value)| (key.clone(), value.clone())).collect());
    }
    if values.len() % 2 == 1 {
        return whole(diagnostic!(KEY_WITHOUT_VALUE));
    }
    Ok(values.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())
}

fn remove_values(values: &Array, right: &Value) -> Value {
    let listed: Vec<Value>;
    let unwanted: &[Value] = match right {
        Value::Array(unwanted) => unwanted,
        Value::Hash(hash) => {
            listed = pairs(hash).collect();
            &listed
        }
        one => std::slice::from_ref(one),
    };
    // Few are compared faster than they are hashed.
    const FEW: usize = 8;
    if unwanted.len() <= FEW {
        let is_unwanted = |value: &&Value| unwanted.iter().any(|other| same(value, other));
        return Value::Array(values.iter().filter(|value| !is_unwanted(value)).cloned().collect());
    }
    let unwanted = Alike::new(unwanted);
    Value::Array(values.iter().filter(|value| !unwanted.contains(value)).cloned().collect())
}

/// Many values to compare others with. Most are found by their hashes; a number may be the same as one of the other kind, and a
/// collection as one with such numbers in it.
#[derive(Default)]
struct Alike<'v> {
    equal: FxHashSet<&'v Value>,
    integers: Vec<&'v Value>,
    floats: Vec<&'v Value>,
    collections: Vec<&'v Value>,
}

impl<'v> Alike<'v> {
    fn new(values: &'v [Value]) -> Alike<'v> {
        let mut alike = Alike { equal: values.iter().collect(), ..Alike::default() };
        for value in values {
            match value {
                Value::Integer(_) => alike.integers.push(value),
                Value::Float(_) => alike.floats.push(value),
                Value::Array(_) | Value::Hash(_) => alike.collections.push(value),
                _ => {}
            }
        }
        alike
    }

    fn contains(&self, value: &Value) -> bool {
        let others = match value {
            Value::Integer(_) => &self.floats,
            Value::Float(_) => &self.integers,
            Value::Array(_) | Value::Hash(_) => &self.collections,
            _ => return self.equal.contains(value),
        };
        self.equal.contains(value) || others.iter().any(|other| same(value, other))
    }
}

fn remove_keys(hash: &Hash, right: &Value) -> Value {
    let mut hash = hash.clone();
    match right {
        Value::Array(keys) => {
            let keys: Hash = keys.iter().map(|key| (key.clone(), Value::Undef)).collect();
            hash.make_mut().retain(|key, _| !keys.contains_key(key));
        }
        Value::Hash(other) => hash.make_mut().retain(|key, _| !other.contains_key(key)),
        key => drop(hash.remove(key)),
    }
    Value::Hash(hash)
}

/// Ruby's `==`: numbers compare across kinds, strings by case.
fn same(a: &Value, b: &Value) -> bool {
    meter::work(1);
    match (a, b) {
        (Value::Integer(a), Value::Float(b)) | (Value::Float(b), Value::Integer(a)) => *a as f64 == *b,
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Hash(a), Value::Hash(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(operator: Operator, left: impl Into<Value>, right: impl Into<Value>) -> String {
        let mut lenient = |_: Error| Ok(());
        match calculate(operator, &left.into(), &right.into(), &mut lenient) {
            Ok(value) => interpolate(&value).into(),
            Err(fault) => format!("{:?}: {}", fault.side, fault.error.message()),
        }
    }

    #[test]
    fn integers_never_wrap() {
        assert_eq!(shown(Operator::Divide, -7, 2), "-4");
        assert_eq!(shown(Operator::Modulo, -7, 3), "2");
        assert_eq!(shown(Operator::ShiftLeft, 1, -1), "0");
        assert_eq!(
            shown(Operator::ShiftLeft, -1, 64),
            "Whole: A '<<' expression resulted in a value outside of Puppet Integer min range, got '-0x10000000000000000'"
        );
        assert_eq!(shown(Operator::Divide, 5, 0), "Right: Division by 0");
        assert_eq!(shown(Operator::Add, "0x10", 1), "17");
    }

    #[test]
    fn arrays_lose_values_that_are_equal_in_ruby() {
        let list = vec![Value::Integer(1), Value::Float(1.0), "a".into(), "A".into()];
        assert_eq!(shown(Operator::Subtract, list, vec![Value::Integer(1), "a".into()]), "[A]");
        let hash: Hash = [("a", 1)].into_iter().map(|(k, v)| (k, Value::Integer(v))).collect();
        assert_eq!(shown(Operator::Add, hash.clone(), vec![Value::from("b"), 2.into()]), "{a => 1, b => 2}");
        assert_eq!(
            shown(Operator::Add, hash, vec![Value::from("b")]),
            "Whole: odd number of arguments for Hash"
        );
    }

    #[test]
    fn times_add_up() {
        let span = Value::Timespan(Timespan::from_seconds(5));
        let stamp = Value::Timestamp(Timestamp::from_seconds(5));
        assert_eq!(shown(Operator::Subtract, 2, span.clone()), "-0-00:00:03.0");
        assert_eq!(shown(Operator::Divide, span.clone(), Value::Float(2.5)), "0-00:00:02.0");
        assert_eq!(shown(Operator::Subtract, stamp.clone(), stamp.clone()), "0-00:00:00.0");
        assert_eq!(
            shown(Operator::Subtract, 2, stamp.clone()),
            "Left: Operator '-' is not applicable to an Integer when right side is a Timestamp."
        );
        assert_eq!(
            shown(Operator::Multiply, stamp, 2),
            "Left: Operator '*' is not applicable to a Timestamp."
        );
    }
}
