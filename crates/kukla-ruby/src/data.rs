//! Plain data for embedding programs: numbers, text, lists and hashes as [`kukla_values::Value`].

use kukla_syntax::deep;
use kukla_values::{Array, Hash, Value as Data};

use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

/// Converts a Ruby value that is not plain data.
pub type Otherwise = fn(&mut Ruby<'_>, &Value) -> Result<Data>;

/// A Ruby value as plain data; `otherwise` converts values that are not.
pub fn to_data(ruby: &mut Ruby<'_>, value: &Value, otherwise: Otherwise) -> Result<Data> {
    Ok(match value {
        Value::Nil => Data::Undef,
        Value::Bool(truth) => Data::Boolean(*truth),
        Value::Int(number) => Data::Integer(*number),
        Value::Float(number) => Data::Float(*number),
        Value::Array(array) => {
            let elements = array.to_vec();
            let elements = elements.iter().map(|element| deep(|| to_data(ruby, element, otherwise)));
            Data::Array(Array::from(elements.collect::<Result<Vec<_>>>()?))
        }
        Value::Hash(hash) => {
            let pairs: Vec<(Value, Value)> =
                hash.table().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
            let mut entries = Hash::new();
            for (key, value) in pairs {
                let key = to_data(ruby, &key, otherwise)?;
                entries.insert(key, deep(|| to_data(ruby, &value, otherwise))?);
            }
            Data::Hash(entries)
        }
        other => otherwise(ruby, other)?,
    })
}
