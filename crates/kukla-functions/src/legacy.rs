//! The old function API: what its functions are given.
//!
//! Functions of Puppet's old API check their arguments themselves. They never see `undef` at the top level (it becomes an
//! empty string) nor the newer kinds of values (they become text), and they refuse iterators.

use kukla_values::{Array, Error, Hash, Result, Value};

use crate::ruby;

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
        return Err(Error::runtime(format!(
            "{name}(): Wrong number of arguments given ({given} for {count})"
        )));
    }
    legacy(args)
}

/// The arguments, of which there must be `count` or more.
pub fn at_least(name: &str, count: usize, args: Vec<Value>) -> Result<Vec<Value>> {
    let given = args.len();
    if given < count {
        return Err(Error::runtime(format!(
            "{name}(): Wrong number of arguments given ({given} for minimum {count})"
        )));
    }
    legacy(args)
}

fn convert(value: Value) -> Result<Value> {
    Ok(match value {
        Value::Regexp(regexp) => format!("/{}/", regexp.source()).into(),
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
        Value::Iterator(_) => return Err(Error::runtime("Use of an Iterator is not supported here")),
        other => other,
    })
}
