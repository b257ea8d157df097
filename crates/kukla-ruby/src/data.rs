//! Plain data for embedding programs: numbers, text, lists and hashes as [`kukla_values::Value`].

use kukla_syntax::deep;
use kukla_values::{Array, Hash, Value as Data};
use rustc_hash::FxHashMap;

use crate::class::ClassId;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::{Identity, Value};

/// Converts a Ruby value that is not plain data.
pub type Otherwise = fn(&mut Ruby<'_>, &Value) -> Result<Data>;

/// How deep data nests. A list that contains itself has no end.
const DEEPEST: usize = 2_000;

/// The memory of an element of a list, and of an entry of a hash.
const ELEMENT: usize = size_of::<Data>();
const ENTRY: usize = 4 * ELEMENT;

/// A Ruby value as plain data; `otherwise` converts values that are not.
pub fn to_data(ruby: &mut Ruby<'_>, value: &Value, otherwise: Otherwise) -> Result<Data> {
    match value {
        Value::Array(_) | Value::Hash(_) => {
            let mut conversion = Conversion { otherwise, depth: 0, made: 0, done: FxHashMap::default() };
            conversion.collection(ruby, value)
        }
        other => plain(ruby, other, otherwise),
    }
}

fn plain(ruby: &mut Ruby<'_>, value: &Value, otherwise: Otherwise) -> Result<Data> {
    Ok(match value {
        Value::Nil => Data::Undef,
        Value::Bool(truth) => Data::Boolean(*truth),
        Value::Int(number) => Data::Integer(*number),
        Value::Float(number) => Data::Float(*number),
        other => otherwise(ruby, other)?,
    })
}

/// The conversion of a list or hash with all that is in it.
struct Conversion {
    otherwise: Otherwise,
    depth: usize,
    /// The bytes that the data takes so far.
    made: usize,
    /// The collections inside: one that occurs again is shared, as it is in Ruby.
    done: FxHashMap<Identity, Data>,
}

impl Conversion {
    fn value(&mut self, ruby: &mut Ruby<'_>, value: &Value) -> Result<Data> {
        match value {
            Value::Array(_) | Value::Hash(_) => {
                if let Some(done) = self.done.get(&value.identity()) {
                    return Ok(done.clone());
                }
                let data = deep(|| self.collection(ruby, value))?;
                self.done.insert(value.identity(), data.clone());
                Ok(data)
            }
            other => plain(ruby, other, self.otherwise),
        }
    }

    fn collection(&mut self, ruby: &mut Ruby<'_>, value: &Value) -> Result<Data> {
        if self.depth == DEEPEST {
            return Err(ruby.error(ClassId::SYSTEM_STACK_ERROR, "stack level too deep"));
        }
        self.depth += 1;
        let data = match value {
            Value::Array(array) => {
                self.make(ruby, array.len() * ELEMENT)?;
                let elements = array.to_vec();
                let elements = elements.iter().map(|element| self.value(ruby, element));
                Data::Array(Array::from(elements.collect::<Result<Vec<_>>>()?))
            }
            Value::Hash(hash) => {
                self.make(ruby, hash.table().len() * ENTRY)?;
                let pairs: Vec<(Value, Value)> =
                    hash.table().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
                let mut entries = Hash::new();
                for (key, value) in pairs {
                    let key = self.value(ruby, &key)?;
                    entries.insert(key, self.value(ruby, &value)?);
                }
                Data::Hash(entries)
            }
            other => plain(ruby, other, self.otherwise)?,
        };
        self.depth -= 1;
        Ok(data)
    }

    /// Counts a collection before it is made.
    fn make(&mut self, ruby: &mut Ruby<'_>, bytes: usize) -> Result<()> {
        self.made += bytes;
        ruby.charge_bytes(bytes)?;
        ruby.grown(self.made)
    }
}
