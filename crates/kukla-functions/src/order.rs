//! Order: `compare`, `sort`, `max`, `min`, `versioncmp`.

use std::cmp::Ordering;

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::lambda::Block;
use kukla_eval::vm::Vm;
use kukla_syntax::diagnostic;
use kukla_values::compare::label;
use kukla_values::{Array, Result, Str, Value};

use crate::codes::NOT_COMPARABLE;
use crate::legacy::wrong_count;
use crate::logging::deprecated;
use crate::ruby;

builtins! {
    /// Compares two values of a kind: -1, 0 or 1. Strings compare without regard to case by default.
    ///
    /// ```puppet
    /// compare(1, 2)               # => -1
    /// compare('B', 'a')           # => 1
    /// compare('B', 'a', false)    # => -1
    /// ```
    "compare" {
        type "TimeComparable = Variant[Numeric, Timespan, Timestamp]";
        type "Comparable = Variant[String, Semver, TimeComparable]";
        "Numeric $a, Numeric $b >> Integer[-1, 1]" => compare,
        "String $a, String $b, Boolean $ignore_case = true >> Integer[-1, 1]" => compare_text,
        "Semver $a, Semver $b >> Integer[-1, 1]" => compare,
        "Numeric $a, Variant[Timespan, Timestamp] $b >> Integer[-1, 1]" => compare,
        "Timestamp $a, Variant[Timestamp, Numeric] $b >> Integer[-1, 1]" => compare,
        "Timespan $a, Variant[Timespan, Numeric] $b >> Integer[-1, 1]" => compare;
        mismatch
        "Comparable $a, Comparable $b, Any *$ignore_case" => unlike,
        "Any $a, Any $b, Any *$ignore_case" => incomparable,
    }

    /// Sorts the elements of an array, or the characters of a string; a lambda of two parameters decides their order.
    ///
    /// ```puppet
    /// sort([3, 1, 2])                                    # => [1, 2, 3]
    /// sort('hello')                                      # => 'ehllo'
    /// sort([3, 1, 2]) |$a, $b| { compare($b, $a) }       # => [3, 2, 1]
    /// ```
    "sort" {
        "String $string_value, Optional[Callable[2, 2]] &$block >> String" => sort_text,
        "Array $array_value, Optional[Callable[2, 2]] &$block >> Array" => sort,
    }

    /// The largest of the arguments, or of the elements of the array that is the only argument. A lambda of two parameters
    /// decides their order. Strings that spell numbers compare as numbers, which is deprecated.
    ///
    /// ```puppet
    /// max(1, 3, 2)                                                     # => 3
    /// max(['a', 'c', 'b'])                                             # => 'c'
    /// max(['aaa', 'b']) |$a, $b| { compare(length($a), length($b)) }   # => 'aaa'
    /// ```
    "max" {
        "Numeric *$values >> Numeric" => max,
        "String *$values >> String" => max,
        "Semver *$values >> SemVer" => max,
        "Timespan *$values >> Timespan" => max,
        "Timestamp *$values >> Timestamp" => max,
        "Array[Numeric] $values, Optional[Callable[2, 2]] &$block >> Optional[Numeric]" => max_of,
        "Array[String] $values, Optional[Callable[2, 2]] &$block >> Optional[String]" => max_of,
        "Array[Semver] $values, Optional[Callable[2, 2]] &$block >> Optional[SemVer]" => max_of,
        "Array[Timespan] $values, Optional[Callable[2, 2]] &$block >> Optional[Timespan]" => max_of,
        "Array[Timestamp] $values, Optional[Callable[2, 2]] &$block >> Optional[Timestamp]" => max_of,
        "Array $values, Optional[Callable[2, 2]] &$block >> Any" => max_of,
        "Any *$values, Callable[2, 2] &$block >> Any" => max_by,
        "Any *$values >> Any" => max,
    }

    /// The smallest of the arguments, or of the elements of the array that is the only argument; otherwise like `max`.
    ///
    /// ```puppet
    /// min(3, 1, 2)         # => 1
    /// min(['b', 'a'])      # => 'a'
    /// ```
    "min" {
        "Numeric *$values >> Numeric" => min,
        "String *$values >> String" => min,
        "Semver *$values >> SemVer" => min,
        "Timespan *$values >> Timespan" => min,
        "Timestamp *$values >> Timestamp" => min,
        "Array[Numeric] $values, Optional[Callable[2, 2]] &$block >> Optional[Numeric]" => min_of,
        "Array[Semver] $values, Optional[Callable[2, 2]] &$block >> Optional[SemVer]" => min_of,
        "Array[Timespan] $values, Optional[Callable[2, 2]] &$block >> Optional[Timespan]" => min_of,
        "Array[Timestamp] $values, Optional[Callable[2, 2]] &$block >> Optional[Timestamp]" => min_of,
        "Array[String] $values, Optional[Callable[2, 2]] &$block >> Optional[String]" => min_of,
        "Array $values, Optional[Callable[2, 2]] &$block >> Any" => min_of,
        "Any *$values, Callable[2, 2] &$block >> Any" => min_by,
        "Any *$values >> Any" => min,
    }

    /// Compares two version numbers part by part, as package managers do: -1, 0 or 1.
    ///
    /// ```puppet
    /// versioncmp('2.6-1', '2.4.5')          # => 1
    /// versioncmp('1.10', '1.9')             # => 1
    /// versioncmp('1.0.0', '1.0', true)      # => 0
    /// ```
    "versioncmp" { "String $a, String $b, Boolean $ignore_trailing_zeroes = false >> Integer[-1, 1]" => versioncmp }
}

fn sign(order: Ordering) -> i64 {
    order as i64
}

fn compare(a: Value, b: Value) -> Result<i64> {
    Ok(sign(order(&a, &b)?))
}

fn compare_text(a: Str, b: Str, ignore_case: bool) -> i64 {
    if ignore_case {
        sign(a.to_ascii_lowercase().as_bytes().cmp(b.to_ascii_lowercase().as_bytes()))
    } else {
        sign(a.as_bytes().cmp(b.as_bytes()))
    }
}

fn unlike(a: Value, b: Value, Rest(more): Rest) -> String {
    let text = |value: &Value| matches!(value, Value::String(_));
    if let Some(first) = more.first() {
        if !(text(&a) && text(&b)) {
            return "compare(): The third argument (ignore case) can only be used when comparing strings"
                .into();
        }
        if more.len() > 1 {
            return format!("compare(): Accepts at most 3 arguments, got {}", 2 + more.len());
        }
        return format!(
            "compare(): The third argument (ignore case) must be a Boolean. Got {}",
            label(first)
        );
    }
    format!(
        "compare(): Can only compare values of the same type (or for Timestamp/Timespan also against Numeric). Got {} and {}",
        label(&a),
        label(&b)
    )
}

fn incomparable(a: Value, b: Value, _more: Rest) -> String {
    format!(
        "compare(): Non comparable type. Only values of the types Numeric, String, Semver, Timestamp and Timestamp can be compared. Got {} and {}",
        label(&a),
        label(&b)
    )
}

fn sort_text(vm: &mut Vm<'_>, text: Str, block: Option<Block>) -> Flow<String> {
    let letters: Array = text.chars().map(|c| Value::from(Str::from(c))).collect();
    Ok(ruby::join(&sort(vm, letters, block)?, ""))
}

fn sort(vm: &mut Vm<'_>, mut array: Array, block: Option<Block>) -> Flow<Array> {
    match block {
        Some(block) => ruby::sort_by(array.make_mut(), &mut |a, b| by_block(vm, &block, a, b))?,
        None => ruby::sort_by(array.make_mut(), &mut |a, b| Ok(ruby::ordered(a, b)?))?,
    }
    Ok(array)
}

fn by_block(vm: &mut Vm<'_>, block: &Block, a: &Value, b: &Value) -> Flow<Ordering> {
    let result = block.call(vm, vec![a.clone(), b.clone()])?;
    Ok(ruby::block_order(&result, a, b)?)
}

fn max(vm: &mut Vm<'_>, Rest(values): Rest) -> Flow<Value> {
    extreme(vm, "max", Ordering::Greater, values)
}

fn max_of(vm: &mut Vm<'_>, values: Array, block: Option<Block>) -> Flow<Value> {
    match block {
        Some(block) => extreme_by(vm, Ordering::Greater, values.to_vec(), &block),
        None => extreme(vm, "max", Ordering::Greater, values.to_vec()),
    }
}

fn max_by(vm: &mut Vm<'_>, Rest(values): Rest, block: Option<Block>) -> Flow<Value> {
    max_of(vm, values.into(), block)
}

fn min(vm: &mut Vm<'_>, Rest(values): Rest) -> Flow<Value> {
    extreme(vm, "min", Ordering::Less, values)
}

fn min_of(vm: &mut Vm<'_>, values: Array, block: Option<Block>) -> Flow<Value> {
    match block {
        Some(block) => extreme_by(vm, Ordering::Less, values.to_vec(), &block),
        None => extreme(vm, "min", Ordering::Less, values.to_vec()),
    }
}

fn min_by(vm: &mut Vm<'_>, Rest(values): Rest, block: Option<Block>) -> Flow<Value> {
    min_of(vm, values.into(), block)
}

fn extreme_by(vm: &mut Vm<'_>, wanted: Ordering, values: Vec<Value>, block: &Block) -> Flow<Value> {
    let mut best: Option<Value> = None;
    for value in values {
        if best.is_none() || by_block(vm, block, &value, best.as_ref().unwrap_or(&Value::Undef))? == wanted {
            best = Some(value);
        }
    }
    Ok(best.unwrap_or_default())
}

fn order(a: &Value, b: &Value) -> Result<Ordering> {
    Ok(kukla_values::compare::order(a, b).map_err(|reason| diagnostic!(NOT_COMPARABLE { reason }))?)
}

fn extreme(vm: &mut Vm<'_>, name: &str, wanted: Ordering, values: Vec<Value>) -> Flow<Value> {
    let mut values = values.into_iter();
    let Some(mut best) = values.next() else {
        return Err(wrong_count(name, "Wrong number of arguments need at least one").into());
    };
    let rest: Vec<Value> = values.collect();
    let alike = |kind: fn(&Value) -> bool| kind(&best) && rest.iter().all(kind);
    let numbers = alike(|value| matches!(value, Value::Integer(_) | Value::Float(_)))
        || alike(|value| matches!(value, Value::Timestamp(_)))
        || alike(|value| matches!(value, Value::Timespan(_)))
        || alike(|value| matches!(value, Value::SemVer(_)));
    let strings = alike(|value| matches!(value, Value::String(_)));
    for value in rest {
        let order = if numbers { order(&value, &best)? } else { as_text(vm, name, strings, &value, &best) };
        if order == wanted {
            best = value;
        }
    }
    Ok(best)
}

/// The order of two values as text, or as numbers when both look like one.
fn as_text(vm: &mut Vm<'_>, name: &str, strings: bool, a: &Value, b: &Value) -> Ordering {
    let warn = |vm: &mut Vm<'_>, what: &str, from: &str, to: &str| {
        let message = format!(
            "The {name}() function's auto conversion of {from} to {to} is deprecated - change to convert input before calling, or use lambda"
        );
        deprecated(vm, &format!("{name}_function_{what}"), &message);
    };
    let (left, right) = (ruby::to_s(a), ruby::to_s(b));
    if looks_numeric(&left) && looks_numeric(&right) {
        warn(vm, "numeric_coerce_string", "String", "Numeric");
        return ruby::to_f(&left).partial_cmp(&ruby::to_f(&right)).unwrap_or(Ordering::Equal);
    }
    if !strings {
        warn(vm, "string_coerce_any", "Any", "String");
    }
    left.as_bytes().cmp(right.as_bytes())
}

/// `-?\d+([._eE]\d+)?`
fn looks_numeric(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    match text.split_once(['.', '_', 'e', 'E']) {
        Some((whole, rest)) => digits(whole) && digits(rest),
        None => digits(text),
    }
}

fn versioncmp(a: Str, b: Str, ignore_trailing_zeroes: bool) -> i64 {
    sign(kukla_values::semver::versioncmp(&a, &b, ignore_trailing_zeroes))
}
