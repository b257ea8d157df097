//! Looking things up in hashes: when two keys are the same, and what their hash code is.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::error::Result;
use crate::hash::Table;
use crate::memory;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{HashObject, StringObject, Value};

/// The hash code of an integer.
#[inline]
fn integer_code(number: i64) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_i64(number);
    hasher.finish()
}

/// The hash code of a value whose class no program can change; `None` for all others.
fn plain_code(value: &Value) -> Option<u64> {
    let mut hasher = FxHasher::default();
    match value {
        Value::Nil => hasher.write_u8(1),
        Value::Bool(truth) => hasher.write_u8(2 + u8::from(*truth)),
        Value::Int(number) => return Some(integer_code(*number)),
        Value::Float(number) => hasher.write_u64(if *number == 0.0 { 0 } else { number.to_bits() } ^ 0x5151),
        Value::Symbol(symbol) => hasher.write_u64(0x5359_4d00_0000_0000 | u64::from(symbol.0)),
        Value::Class(class) => hasher.write_u64(0x434c_5300_0000_0000 | u64::from(class.0)),
        Value::String(string) => {
            let text = string.text();
            memory::spend(text.len());
            hasher.write(text.as_bytes());
        }
        Value::Big(big) => hasher.write(&big.number.to_signed_bytes_le()),
        _ => return None,
    }
    Some(hasher.finish())
}

/// Whether two plain values are the same key (`eql?`); `None` if one of them is not plain.
fn plain_eql(a: &Value, b: &Value) -> Option<bool> {
    Some(match (a, b) {
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::String(a), Value::String(b)) => {
            std::rc::Rc::ptr_eq(a, b) || {
                let (a, b) = (a.text(), b.text());
                a.same_bytes(&b) && (a.encoding() == b.encoding() || a.is_ascii())
            }
        }
        (Value::Big(a), Value::Big(b)) => a.number == b.number,
        (
            Value::Range(_)
            | Value::Regexp(_)
            | Value::Array(_)
            | Value::Hash(_)
            | Value::Proc(_)
            | Value::Object(_),
            _,
        ) => return None,
        _ => a.is_same(b),
    })
}

impl Table {
    /// The index of a key whose class no program can change; `None` if it may be one whose methods have to be called.
    #[inline]
    pub(crate) fn find_plain(&self, key: &Value) -> Option<Option<usize>> {
        if self.by_identity {
            return None;
        }
        Some(match key {
            Value::Int(number) => self
                .find(integer_code(*number), |other| matches!(other, Value::Int(other) if other == number)),
            key => self.find(plain_code(key)?, |other| plain_eql(key, other) == Some(true)),
        })
    }

    /// Replaces the value at a position if the key is still there.
    #[inline]
    pub(crate) fn replace_plain(&mut self, position: usize, key: &Value, value: &Value) -> bool {
        let is_it = !self.by_identity
            && self.at(position).is_some_and(|entry| plain_eql(key, &entry.key) == Some(true));
        match self.value_mut(position).filter(|_| is_it) {
            Some(old) => {
                *old = value.clone();
                true
            }
            None => false,
        }
    }
}

impl Ruby<'_> {
    /// The hash code of a value as a key.
    pub fn hash_code(&mut self, value: &Value) -> Result<u64> {
        if let Some(code) = plain_code(value) {
            return Ok(code);
        }
        // What contains the same thing twice, many levels deep, is walked through each time.
        self.step()?;
        match self.send(value, sym::HASH, &[])? {
            Value::Int(code) => Ok(code as u64),
            Value::Big(big) => Ok(big.number.iter_u64_digits().next().unwrap_or(0)),
            other => Ok(self.to_int(&other)? as u64),
        }
    }

    /// Whether two values are the same key (`eql?`).
    pub fn eql(&mut self, a: &Value, b: &Value) -> Result<bool> {
        match plain_eql(a, b) {
            Some(same) => Ok(same),
            None if a.is_same(b) => Ok(true),
            None => Ok(self.send(a, sym::EQL, std::slice::from_ref(b))?.is_true()),
        }
    }

    fn key_code(&mut self, hash: &HashObject, key: &Value) -> Result<u64> {
        if hash.table().by_identity { Ok(self.identity_code(key)) } else { self.hash_code(key) }
    }

    /// The position of a key.
    pub fn hash_find(&mut self, hash: &HashObject, key: &Value) -> Result<Option<usize>> {
        if hash.table().is_empty() {
            return Ok(None);
        }
        let code = self.key_code(hash, key)?;
        self.hash_find_with_code(hash, key, code)
    }

    fn hash_find_with_code(&mut self, hash: &HashObject, key: &Value, code: u64) -> Result<Option<usize>> {
        let table = hash.table();
        if table.by_identity {
            return Ok(table.find(code, |other| key.is_same(other)));
        }
        if plain_code(key).is_some() {
            return Ok(table.find(code, |other| plain_eql(key, other) == Some(true)));
        }
        let candidates = table.candidates(code);
        drop(table);
        for position in candidates {
            let other = hash.table().at(position).map(|entry| entry.key.clone());
            if let Some(other) = other
                && self.eql(key, &other)?
            {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    /// The value stored under a key; defaults do not count.
    pub fn hash_get(&mut self, hash: &HashObject, key: &Value) -> Result<Option<Value>> {
        let table = hash.table();
        if let Some(position) = table.find_plain(key) {
            return Ok(position.and_then(|position| table.at(position)).map(|entry| entry.value.clone()));
        }
        drop(table);
        let position = self.hash_find(hash, key)?;
        Ok(position.and_then(|position| hash.table().at(position).map(|entry| entry.value.clone())))
    }

    /// The value stored under a symbol, as keywords are.
    pub fn keyword(&mut self, keywords: &HashObject, name: &str) -> Option<Value> {
        let symbol = self.symbols.existing(name)?;
        self.hash_get(keywords, &Value::Symbol(symbol)).ok().flatten()
    }

    /// Stores a value under a key. A string that is not frozen is copied and frozen first, as Ruby does.
    pub fn hash_set(&mut self, hash: &HashObject, key: Value, value: Value) -> Result<()> {
        let code = self.key_code(hash, &key)?;
        match self.hash_find_with_code(hash, &key, code)? {
            Some(position) => {
                if let Some(old) = hash.table_mut().value_mut(position) {
                    *old = value;
                }
            }
            None => {
                if hash.table().iterating > 0 {
                    return Err(self.runtime_error("can't add a new key into hash during iteration"));
                }
                let key = match key {
                    Value::String(string) if !string.head.is_frozen() && !hash.table().by_identity => {
                        let copy = StringObject::new(crate::class::ClassId::STRING, string.text().clone());
                        copy.head.freeze();
                        Value::String(copy)
                    }
                    key => key,
                };
                hash.table_mut().add(code, key, value);
            }
        }
        Ok(())
    }

    /// Adds a key as it is, if it is not there; whether it was not.
    pub fn hash_add(&mut self, hash: &HashObject, key: Value, value: Value) -> Result<bool> {
        let code = self.key_code(hash, &key)?;
        if self.hash_find_with_code(hash, &key, code)?.is_some() {
            return Ok(false);
        }
        hash.table_mut().add(code, key, value);
        Ok(true)
    }

    /// Removes a key and returns its value.
    pub fn hash_delete(&mut self, hash: &HashObject, key: &Value) -> Result<Option<Value>> {
        let position = self.hash_find(hash, key)?;
        Ok(position.and_then(|position| hash.table_mut().remove(position)).map(|entry| entry.value))
    }

    /// A hash of these keys and values; of two equal keys the later value counts.
    pub fn make_hash(&mut self, pairs: impl IntoIterator<Item = (Value, Value)>) -> Result {
        let hash = HashObject::new(crate::class::ClassId::HASH, Table::new());
        for (key, value) in pairs {
            self.hash_set(&hash, key, value)?;
        }
        Ok(Value::Hash(hash))
    }
}
