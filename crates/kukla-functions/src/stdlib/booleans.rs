//! Truth in other forms: `any2bool`, `bool2num`, `bool2str`, `num2bool`, `str2bool`.

use kukla_eval::builtins;
use kukla_eval::function::Rest;
use kukla_syntax::{bail, diagnostic};
use kukla_values::{Result, Str, Value};

use crate::codes::{LOOKS_LIKE_NO_NUMBER, NEITHER_YES_NOR_NO};
use crate::legacy::{LEGACY, legacy, wrong_number, wrong_type};
use crate::ruby;

builtins! {
    /// Any value as a boolean: strings as `str2bool` or `num2bool` read them, numbers as `num2bool`, undef as false, all else as true.
    ///
    /// ```puppet
    /// any2bool('yes')    # => true
    /// any2bool(0)        # => false
    /// any2bool([])       # => true
    /// ```
    "any2bool" {
        LEGACY => any2bool;
        tools "Any $value >> Boolean"
    }

    /// True as 1 and false as 0; strings are read as `str2bool` reads them.
    ///
    /// ```puppet
    /// bool2num(true)      # => 1
    /// bool2num('no')      # => 0
    /// ```
    "bool2num" {
        LEGACY => bool2num;
        tools "Variant[Boolean, String] $value >> Integer[0, 1]"
    }

    /// A boolean as text, or as one of two given texts.
    ///
    /// ```puppet
    /// bool2str(true)                  # => 'true'
    /// bool2str(false, 'on', 'off')    # => 'off'
    /// ```
    "bool2str" {
        LEGACY => bool2str;
        tools "Boolean $value, Optional[String] $if_true = 'true', Optional[String] $if_false = 'false' >> String"
    }

    /// Whether a number, or a string that spells one, is greater than zero once its fraction is cut off.
    ///
    /// ```puppet
    /// num2bool('3')    # => true
    /// num2bool(0.9)    # => false
    /// ```
    "num2bool" {
        LEGACY => num2bool;
        tools "Variant[Numeric, String, Array] $number >> Boolean"
    }

    /// The truth of a text: `1`, `t`, `y`, `true`, `yes` are true; `0`, `f`, `n`, `false`, `no` and nothing are false; without regard to case.
    ///
    /// ```puppet
    /// str2bool('Yes')    # => true
    /// str2bool('')       # => false
    /// ```
    "str2bool" {
        LEGACY => str2bool;
        tools "Variant[Boolean, String] $text >> Boolean"
    }
}

fn any2bool(Rest(args): Rest) -> Result<bool> {
    let args = legacy(args)?;
    match args.first() {
        None => Err(wrong_number("any2bool", 0, 1)),
        Some(Value::Boolean(b)) => Ok(*b),
        Some(Value::Undef) => Ok(false),
        Some(number @ (Value::Integer(_) | Value::Float(_))) => number_to_bool(number),
        Some(Value::String(text)) if ruby::float(text).is_ok() => number_to_bool(&Value::from(text.clone())),
        Some(text @ Value::String(_)) => text_to_bool(text),
        Some(_) => Ok(true),
    }
}

fn bool2num(Rest(args): Rest) -> Result<i64> {
    let args = legacy(args)?;
    match args.first() {
        None => Err(wrong_number("bool2num", 0, 1)),
        Some(value) => Ok(text_to_bool(value)?.into()),
    }
}

fn bool2str(Rest(args): Rest) -> Result<Str> {
    let args = legacy(args)?;
    if args.len() != 1 && args.len() != 3 {
        return Err(wrong_number("bool2str", args.len(), 3));
    }
    let Value::Boolean(value) = args[0] else {
        return Err(wrong_type("bool2str", "Requires a boolean to work with"));
    };
    let text = |at: usize, default: &str| match args.get(at).filter(|text| text.is_true()) {
        None => Ok(Str::from(default)),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(wrong_type("bool2str", "Requires strings to convert to")),
    };
    let (yes, no) = (text(1, "true")?, text(2, "false")?);
    Ok(if value { yes } else { no })
}

fn num2bool(Rest(args): Rest) -> Result<bool> {
    let args = legacy(args)?;
    let [number] = args.as_slice() else {
        return Err(wrong_number("num2bool", args.len(), 1));
    };
    number_to_bool(number)
}

fn number_to_bool(number: &Value) -> Result<bool> {
    let number = match number {
        Value::Integer(n) => *n as f64,
        Value::Float(n) => *n,
        Value::String(text) => {
            ruby::float(text).map_err(|cause| diagnostic!(LOOKS_LIKE_NO_NUMBER { text }).because(cause))?
        }
        other => ruby::to_i(&ruby::to_s(other)) as f64,
    };
    Ok(ruby::float_to_i(number)? > 0)
}

fn str2bool(Rest(args): Rest) -> Result<bool> {
    let args = legacy(args)?;
    match args.first() {
        None => Err(wrong_number("str2bool", 0, 1)),
        Some(value) => text_to_bool(value),
    }
}

/// The truth that a text spells; booleans are themselves.
pub fn text_to_bool(value: &Value) -> Result<bool> {
    let text = match value {
        Value::Boolean(b) => return Ok(*b),
        Value::String(text) => text,
        _ => return Err(wrong_type("str2bool", "Requires string to work with")),
    };
    // The patterns are anchored by line, so any line of the text may decide, in this order.
    let lines = || text.strip_suffix('\n').unwrap_or(text).split('\n');
    let any = |words: &[&str]| lines().any(|line| words.contains(&line.to_ascii_lowercase().as_str()));
    if any(&[""]) {
        Ok(false)
    } else if any(&["1", "t", "y", "true", "yes"]) {
        Ok(true)
    } else if any(&["0", "f", "n", "false", "no"])
        || lines().any(|line| line == "undef" || line == "undefined")
    {
        Ok(false)
    } else {
        bail!(NEITHER_YES_NOR_NO)
    }
}
