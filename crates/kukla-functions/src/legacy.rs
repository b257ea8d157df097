//! The old function API: what its functions are given.
//!
//! Functions of Puppet's old API check their arguments themselves. They never see `undef` at the top level (it becomes an
//! empty string) nor the newer kinds of values (they become text), and they refuse iterators.

use std::fmt::Display;

use kukla_eval::codes::NO_REFERENCE;
use kukla_syntax::{bail, diagnostic};
use kukla_values::{Array, Error, Hash, Result, Type, Value};

use crate::codes::{ENTRY_AS_ARGUMENT, ITERATOR_AS_ARGUMENT, WRONG_ARGUMENT_COUNT, WRONG_ARGUMENT_TYPE};
use crate::ruby;

/// The signature of a function of the old API.
pub const LEGACY: &str = "Any *$args, Optional[Callable] &$block";

/// More or fewer arguments than a function accepts. The message is that of the function's author.
pub fn wrong_count(name: &str, objection: impl Display) -> Error {
    diagnostic!(WRONG_ARGUMENT_COUNT { function: format_args!("{name}()"), objection }).into()
}

/// An argument of a kind that a function does not support. The message is that of the function's author.
pub fn wrong_type(name: &str, objection: impl Display) -> Error {
    diagnostic!(WRONG_ARGUMENT_TYPE { function: format_args!("{name}()"), objection }).into()
}

/// More or fewer arguments than a function takes, in the words that most use.
pub fn wrong_number(name: &str, given: usize, expected: impl Display) -> Error {
    wrong_count(name, format_args!("Wrong number of arguments given ({given} for {expected})"))
}

/// The same, in the words that some use.
pub fn wrong_number_of(name: &str, given: usize, expected: impl Display) -> Error {
    wrong_count(name, format_args!("Wrong number of arguments given {given} for {expected}"))
}

/// The arguments as a function of the old API sees them.
pub fn legacy(args: Vec<Value>) -> Result<Vec<Value>> {
    args.into_iter()
        .map(|arg| match arg {
            Value::Undef => Ok(Value::from("")),
            other => convert(other),
        })
        .collect()
}

/// The arguments, of which there must be exactly `count`.
pub fn exactly(name: &str, count: usize, args: Vec<Value>) -> Result<Vec<Value>> {
    let given = args.len();
    if given != count {
        return Err(wrong_number(name, given, count));
    }
    legacy(args)
}

/// The arguments, of which there must be `count` or more.
pub fn at_least(name: &str, count: usize, args: Vec<Value>) -> Result<Vec<Value>> {
    let given = args.len();
    if given < count {
        return Err(wrong_number(name, given, format_args!("minimum {count}")));
    }
    legacy(args)
}

fn convert(value: Value) -> Result<Value> {
    // Nearly all arguments stay as they are, and large ones need not be made again to find that out.
    if is_familiar(&value) {
        return Ok(value);
    }
    Ok(match value {
        Value::Regexp(_) => ruby::inspect(&value).into(),
        Value::SemVer(_)
        | Value::SemVerRange(_)
        | Value::Binary(_)
        | Value::Timespan(_)
        | Value::Timestamp(_) => ruby::to_s(&value).into(),
        Value::Array(values) => values.into_iter().map(convert).collect::<Result<Array>>()?.into(),
        Value::Hash(hash) => {
            let entries =
                hash.iter().map(|(key, value)| Ok((convert(key.clone())?, convert(value.clone())?)));
            entries.collect::<Result<Hash>>()?.into()
        }
        Value::Iterator(_) => bail!(ITERATOR_AS_ARGUMENT),
        // Old functions get resources for references, and a reference without a title is not a resource.
        Value::Type(ty) if *ty == Type::Class(None) => {
            bail!(NO_REFERENCE { reference: format_args!("{:?}", "class") })
        }
        Value::Type(ty) if *ty == Type::CatalogEntry => bail!(ENTRY_AS_ARGUMENT),
        other => other,
    })
}

/// Whether the old API knows a value as it is.
fn is_familiar(value: &Value) -> bool {
    match value {
        Value::Undef | Value::Boolean(_) | Value::Integer(_) | Value::Float(_) | Value::String(_) => true,
        Value::Array(values) => values.iter().all(is_familiar),
        Value::Hash(hash) => hash.iter().all(|(key, value)| is_familiar(key) && is_familiar(value)),
        _ => false,
    }
}
