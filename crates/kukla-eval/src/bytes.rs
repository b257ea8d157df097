//! Strings of bytes: what is decoded has no encoding in Ruby. To the language it is a string like any other; a catalog shows it as a Binary.

use kukla_syntax::deep;
use kukla_values::binary::Binary;
use kukla_values::{Result, Str, Value};
use rustc_hash::FxHashMap;

use crate::vm::Vm;

/// The strings of bytes of a compilation by the address of their text, which tells them from others; so they are kept.
#[derive(Debug, Default)]
pub(crate) struct ByteStrings(FxHashMap<usize, Str>);

impl ByteStrings {
    fn contain(&self, text: &Str) -> bool {
        self.0.get(&address(text)).is_some_and(|known| known.len() == text.len())
    }

    fn is_in(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.contain(text),
            Value::Array(values) => deep(|| values.iter().any(|value| self.is_in(value))),
            Value::Hash(hash) => deep(|| hash.iter().any(|(_, value)| self.is_in(value))),
            _ => false,
        }
    }

    /// A value with the strings of bytes in it as a catalog shows them.
    fn shown(&self, value: &Value) -> Value {
        match value {
            Value::String(text) if self.contain(text) => Value::Binary(Binary::new(text.as_bytes())),
            Value::Array(values) => {
                deep(|| Value::Array(values.iter().map(|value| self.shown(value)).collect()))
            }
            Value::Hash(hash) => {
                let pairs = hash.iter().map(|(key, value)| (key.clone(), self.shown(value)));
                deep(|| Value::Hash(pairs.collect()))
            }
            value => value.clone(),
        }
    }
}

fn address(text: &Str) -> usize {
    text.as_str().as_ptr().addr()
}

impl Vm<'_> {
    /// A string of bytes that are text.
    pub fn byte_string(&mut self, text: &str) -> Result<Str> {
        self.budget().charge_memory(text.len())?;
        // A short text would be stored in the value itself, without an address that identifies it.
        let mut bytes = Str::with_capacity(text.len().max(Str::INLINE_LIMIT + 1));
        bytes.push_str(text);
        self.compilation.byte_strings_mut().0.insert(address(&bytes), bytes.clone());
        Ok(bytes)
    }

    /// A value as a catalog shows it, if it holds strings of bytes.
    pub(crate) fn with_bytes(&self, value: &Value) -> Option<Value> {
        let strings = self.compilation.byte_strings();
        let concerned =
            !strings.0.is_empty() && self.environment().settings.rich_data && strings.is_in(value);
        concerned.then(|| strings.shown(value))
    }
}
