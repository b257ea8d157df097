//! `abs`, `ceiling`, `floor`, `round`.

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::vm::Vm;
use kukla_syntax::{bail, diagnostic};
use kukla_values::codes::NOT_FINITE;
use kukla_values::{Error, Result, Str, Value};

use crate::codes::{NOT_CONVERTIBLE_TO_FLOAT, NOT_DECIMAL, RESULT_TOO_LARGE};
use crate::logging::deprecated;
use crate::ruby;

builtins! {
    /// The absolute value of a number.
    ///
    /// ```puppet
    /// abs(-3)      # => 3
    /// abs(-2.5)    # => 2.5
    /// ```
    ///
    /// A string that spells a decimal number is converted, which is deprecated.
    "abs" {
        "Numeric $val >> Numeric" => abs,
        "String $val >> Numeric" => abs_text,
    }

    /// The smallest integer that is not less than a number.
    ///
    /// ```puppet
    /// ceiling(1.2)     # => 2
    /// ceiling(-1.2)    # => -1
    /// ```
    ///
    /// A string that spells a number is converted, which is deprecated.
    "ceiling" {
        "Numeric $val >> Integer" => ceiling,
        "String $val >> Integer" => ceiling_text,
    }

    /// The largest integer that is not greater than a number.
    ///
    /// ```puppet
    /// floor(1.8)     # => 1
    /// floor(-1.2)    # => -2
    /// ```
    ///
    /// A string that spells a number is converted, which is deprecated.
    "floor" {
        "Numeric $val >> Integer" => floor,
        "String $val >> Integer" => floor_text,
    }

    /// The nearest integer; halves go away from zero.
    ///
    /// ```puppet
    /// round(2.5)     # => 3
    /// round(-2.5)    # => -3
    /// round(2.4)     # => 2
    /// ```
    "round" { "Numeric $val >> Integer" => round }
}

fn abs(val: Value) -> Result<Value> {
    match val {
        Value::Integer(n) => n.checked_abs().map(Value::Integer).ok_or_else(out_of_range),
        Value::Float(n) => Ok(n.abs().into()),
        other => Ok(other),
    }
}

fn abs_text(vm: &mut Vm<'_>, val: Str) -> Flow<Value> {
    coerces(vm, "abs", "Numeric");
    // The patterns are anchored by line, so one line that is a number is enough.
    let any = |test: &dyn Fn(&str) -> bool| {
        val.split('\n').any(|line| test(line.strip_prefix('-').unwrap_or(line)))
    };
    let numeric = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if any(&|line| line.split_once('.').is_some_and(|(whole, fraction)| numeric(whole) && numeric(fraction)))
    {
        Ok(ruby::to_f(&val).abs().into())
    } else if any(&numeric) {
        Ok(abs(ruby::to_integer(&val)?.into())?)
    } else {
        bail!(NOT_DECIMAL)
    }
}

fn ceiling(val: Value) -> Result<Value> {
    rounded(val, f64::ceil)
}

fn ceiling_text(vm: &mut Vm<'_>, val: Str) -> Flow<Value> {
    coerces(vm, "ceiling", "Float");
    Ok(rounded(number("ceiling", &val)?, f64::ceil)?)
}

fn floor(val: Value) -> Result<Value> {
    rounded(val, f64::floor)
}

fn floor_text(vm: &mut Vm<'_>, val: Str) -> Flow<Value> {
    coerces(vm, "floor", "Float");
    Ok(rounded(number("floor", &val)?, f64::floor)?)
}

fn round(val: Value) -> Result<Value> {
    let n = match val {
        Value::Integer(n) => n as f64,
        Value::Float(n) => n,
        other => return Ok(other),
    };
    integer(if n > 0.0 { n + 0.5 } else { n - 0.5 }.trunc())
}

fn rounded(val: Value, how: fn(f64) -> f64) -> Result<Value> {
    match val {
        Value::Float(n) => integer(how(n)),
        other => Ok(other),
    }
}

fn number(name: &str, text: &str) -> Result<Value> {
    let n = ruby::float(text).map_err(|_| diagnostic!(NOT_CONVERTIBLE_TO_FLOAT { function: name }))?;
    Ok(Value::Float(n))
}

/// A whole float as an integer.
fn integer(n: f64) -> Result<Value> {
    if !n.is_finite() {
        bail!(NOT_FINITE { number: ruby::float_to_s(n) });
    }
    if n.abs() < 9_223_372_036_854_775_808.0 { Ok((n as i64).into()) } else { Err(out_of_range()) }
}

fn out_of_range() -> Error {
    diagnostic!(RESULT_TOO_LARGE).into()
}

/// Warns once that a string was converted to a number.
fn coerces(vm: &mut Vm<'_>, name: &str, kind: &str) {
    let what =
        format!("auto conversion of String to {kind} is deprecated - change to convert input before calling");
    deprecated(
        vm,
        &format!("{name}_function_numeric_coerce_string"),
        &format!("The {name}() function's {what}"),
    );
}
