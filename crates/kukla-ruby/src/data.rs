//! Plain data between Ruby and Puppet: what both have, lists and hashes of it included.

use kukla_syntax::deep;
use kukla_values::{Array, Hash, Value as PuppetValue};

use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

/// What makes something of a Ruby value that is no plain data.
pub type Otherwise = fn(&mut Ruby<'_>, &Value) -> Result<PuppetValue>;

/// A Ruby value as Puppet has it; `otherwise` says what becomes of what is no plain data.
pub fn to_puppet(ruby: &mut Ruby<'_>, value: &Value, otherwise: Otherwise) -> Result<PuppetValue> {
    Ok(match value {
        Value::Nil => PuppetValue::Undef,
        Value::Bool(truth) => PuppetValue::Boolean(*truth),
        Value::Int(number) => PuppetValue::Integer(*number),
        Value::Float(number) => PuppetValue::Float(*number),
        Value::Array(array) => {
            let elements = array.to_vec();
            let elements = elements.iter().map(|element| deep(|| to_puppet(ruby, element, otherwise)));
            PuppetValue::Array(Array::from(elements.collect::<Result<Vec<_>>>()?))
        }
        Value::Hash(hash) => {
            let pairs: Vec<(Value, Value)> =
                hash.table().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
            let mut entries = Hash::new();
            for (key, value) in pairs {
                let key = to_puppet(ruby, &key, otherwise)?;
                entries.insert(key, deep(|| to_puppet(ruby, &value, otherwise))?);
            }
            PuppetValue::Hash(entries)
        }
        other => otherwise(ruby, other)?,
    })
}
