//! Deep merging, as the `deep_merge` gem does it.
//!
//! The gem changes its arguments in place, and where a key is new it merges the source with a shallow copy of itself, so
//! that source and destination can be one and the same object. What it then gives (an array without duplicates, say, but
//! only at some depths) is behaviour people's data depends on; [`Onto::Itself`] is that case.

use std::cmp::Ordering;
use std::sync::Arc;

use kukla_syntax::diagnostic;
use kukla_values::regexp::Regexp;
use kukla_values::{Array, Hash, Value};

use crate::codes::{EMPTY_KNOCKOUT_PREFIX, MERGE_TOO_DEEP, UNORDERED_MERGE};
use crate::error::{Error, Result};
use crate::merge::distinct;

/// The options of a deep merge.
pub(crate) struct Options {
    knockout: Option<(String, Arc<Regexp>)>,
    sort: bool,
    merge_hash_arrays: bool,
    overwrite_arrays: bool,
    extend_existing_arrays: bool,
    unpack: Option<String>,
}

/// The destination of a merge.
enum Onto {
    Value(Value),
    /// The very same object.
    Itself,
    /// A copy of it that shares what is inside.
    Copy,
}

impl Options {
    pub fn new(options: &Hash) -> Result<Options> {
        let flag = |name: &str| options.get(name).is_some_and(Value::is_true);
        let text = |name: &str| options.get(name).and_then(Value::as_str);
        let knockout = match text("knockout_prefix") {
            None => None,
            Some("") => return Err(Error::caller(diagnostic!(EMPTY_KNOCKOUT_PREFIX))),
            Some(prefix) => Some((prefix.to_owned(), Regexp::new(&format!("^{prefix}"))?)),
        };
        Ok(Options {
            knockout,
            sort: flag("sort_merged_arrays"),
            merge_hash_arrays: flag("merge_hash_arrays"),
            overwrite_arrays: flag("overwrite_arrays"),
            extend_existing_arrays: flag("extend_existing_arrays"),
            unpack: text("unpack_arrays").map(str::to_owned),
        })
    }

    /// Merges `source` into `destination`; the source wins.
    pub fn merge(&self, source: Value, destination: Value) -> Result<Value> {
        self.onto(source, Onto::Value(destination), 0)
    }

    fn onto(&self, source: Value, onto: Onto, depth: usize) -> Result<Value> {
        if depth > 500 {
            return Err(Error::data(diagnostic!(MERGE_TOO_DEEP)));
        }
        let onto = match (onto, &source) {
            (Onto::Value(destination), Value::Undef) => return Ok(destination),
            (_, Value::Undef) => return Ok(Value::Undef),
            (Onto::Value(Value::Undef | Value::Boolean(false)), _) => return Ok(source),
            (onto, _) => onto,
        };
        match source {
            Value::Hash(source) => self.hash(source, onto, depth),
            Value::Array(source) if self.overwrite_arrays => Ok(source.into()),
            Value::Array(source) => self.array(source, onto, depth),
            source => match onto {
                Onto::Value(Value::Array(mut list)) if self.extend_existing_arrays => {
                    list.push(source);
                    Ok(list.into())
                }
                _ => Ok(self.overwrite(source)),
            },
        }
    }

    fn hash(&self, source: Hash, onto: Onto, depth: usize) -> Result<Value> {
        let (mut destination, shared) = match onto {
            Onto::Itself | Onto::Copy => (source.clone(), true),
            Onto::Value(Value::Hash(hash)) => (hash, false),
            Onto::Value(Value::Array(mut list)) if self.extend_existing_arrays => {
                for _ in 0..source.len() {
                    list.push(source.clone().into());
                }
                return Ok(list.into());
            }
            Onto::Value(other) if source.is_empty() => return Ok(other),
            Onto::Value(_) => {
                // The first key replaces what was there; the others then find the source itself in its place.
                let mut result = source.clone();
                for (key, value) in source.iter().skip(1) {
                    let merged = self.onto(value.clone(), within(value), depth + 1)?;
                    result.insert(key.clone(), merged);
                }
                return Ok(result.into());
            }
        };
        if shared {
            for (at, value) in source.values().enumerate().filter(|(_, value)| !self.stays(value)) {
                let merged = self.onto(value.clone(), within(value), depth + 1)?;
                destination.make_mut()[at] = merged;
            }
            return Ok(destination.into());
        }
        let entries = destination.make_mut();
        for (key, value) in &source {
            match entries.get_full_mut(key) {
                Some((_, _, there))
                    if self.stays(value) && !value.is_undef() && !self.extend_existing_arrays =>
                {
                    *there = value.clone();
                }
                Some((at, _, there)) => {
                    // Taken out, it is nobody else's and can be changed in place.
                    let below = std::mem::take(there);
                    let onto = if below.is_true() { Onto::Value(below) } else { Onto::Copy };
                    entries[at] = self.onto(value.clone(), onto, depth + 1)?;
                }
                None => {
                    entries.insert(key.clone(), self.onto(value.clone(), Onto::Copy, depth + 1)?);
                }
            }
        }
        Ok(destination.into())
    }

    /// Whether a value wins as it is, whatever it is merged onto: what is neither list nor map, unless it may be knocked out. Undef
    /// wins over nothing that is there.
    fn stays(&self, value: &Value) -> bool {
        self.knockout.is_none() && !matches!(value, Value::Hash(_) | Value::Array(_))
    }

    /// Whether lists are joined and nothing else is done with them.
    fn only_joins(&self) -> bool {
        self.knockout.is_none() && self.unpack.is_none() && !self.merge_hash_arrays && !self.sort
    }

    fn array(&self, source: Array, onto: Onto, depth: usize) -> Result<Value> {
        if self.only_joins() {
            return Ok(match onto {
                Onto::Itself | Onto::Copy => distinct(source).into(),
                Onto::Value(Value::Array(mut list)) => {
                    list.extend(source);
                    distinct(list).into()
                }
                Onto::Value(_) => source.into(),
            });
        }
        let mut source: Vec<Value> = source.into_iter().collect();
        let mut onto = match onto {
            Onto::Copy => Onto::Value(source.iter().cloned().collect::<Array>().into()),
            other => other,
        };
        if let Some(separator) = &self.unpack {
            let split = |list: &[Value]| -> Vec<Value> {
                let joined = list.iter().map(kukla_values::format::to_s).collect::<Vec<_>>().join(separator);
                joined.split(separator.as_str()).map(Value::from).collect()
            };
            source = split(&source);
            if let Onto::Value(Value::Array(list)) = &onto {
                onto = Onto::Value(split(list).into());
            } else if let Onto::Itself = onto {
                onto = Onto::Value(source.clone().into());
            }
        }
        // Whether elements of both sides at the same place are the same object.
        let shares = matches!(&onto, Onto::Itself);
        let is_prefix =
            |value: &Value| self.knockout.as_ref().is_some_and(|(prefix, _)| value.as_str() == Some(prefix));
        if source.iter().any(is_prefix) {
            onto = match onto {
                Onto::Itself => {
                    source.clear();
                    Onto::Itself
                }
                Onto::Value(Value::Array(_)) => Onto::Value(Array::new().into()),
                Onto::Value(Value::Hash(_)) => Onto::Value(Hash::new().into()),
                Onto::Value(Value::String(_)) => Onto::Value("".into()),
                _ => Onto::Value(Value::Undef),
            };
            source.retain(|value| !is_prefix(value));
        }
        let mut destination: Vec<Value> = match onto {
            Onto::Itself => {
                if self.knockout.is_some() {
                    self.knock_out_of_itself(&mut source);
                }
                source.clone()
            }
            Onto::Value(Value::Array(list)) => {
                let mut list: Vec<Value> = list.into_iter().collect();
                source.retain(|item| match self.knocked(item) {
                    Some(name) => {
                        list.retain(|there| there.as_str() != Some(&name) && there != item);
                        false
                    }
                    None => true,
                });
                list
            }
            _ => return Ok(self.overwrite(source.into())),
        };
        let all_hashes = |list: &[Value]| list.iter().all(|value| matches!(value, Value::Hash(_)));
        if self.merge_hash_arrays && all_hashes(&source) && all_hashes(&destination) {
            for (n, there) in destination.iter_mut().enumerate() {
                *there = match source.get(n) {
                    Some(value) if shares || value_is_shared(value, there) => {
                        self.onto(value.clone(), Onto::Itself, depth + 1)?
                    }
                    Some(value) => self.onto(value.clone(), Onto::Value(there.clone()), depth + 1)?,
                    None => continue,
                };
            }
            destination.extend(source.into_iter().skip(destination.len()));
        } else {
            destination.extend(source);
            destination = distinct(destination.into()).into_iter().collect();
        }
        if self.sort {
            sort(&mut destination)?;
        }
        Ok(destination.into())
    }

    /// The rest of a text after the knockout prefix, if it has that prefix.
    fn knocked(&self, item: &Value) -> Option<String> {
        let (_, pattern) = self.knockout.as_ref()?;
        let text = item.as_str()?;
        let rest = without(pattern, text);
        (rest != text).then_some(rest)
    }

    /// Ruby's `delete_if` on an array whose block deletes from that same array.
    fn knock_out_of_itself(&self, list: &mut Vec<Value>) {
        let (mut read, mut write) = (0, 0);
        while read < list.len() {
            let item = list[read].clone();
            if let Some(name) = self.knocked(&item) {
                list.retain(|there| there.as_str() != Some(&name) && *there != item);
                read += 1;
                continue;
            }
            if read != write {
                list[write] = item;
            }
            read += 1;
            write += 1;
        }
        if write < read {
            let tail: Vec<Value> = list.get(read..).unwrap_or_default().to_vec();
            list.truncate(write);
            list.extend(tail);
        }
    }

    /// The value that replaces one it cannot be merged with.
    fn overwrite(&self, source: Value) -> Value {
        let Some((_, pattern)) = &self.knockout else { return source };
        match source {
            Value::String(text) => {
                if without(pattern, &text) == text.as_str() {
                    text.into()
                } else {
                    "".into()
                }
            }
            // The gem deletes from the array and then finds it unchanged, since it is the same array.
            Value::Array(list) => {
                let knocked = |item: &Value| item.as_str().is_some_and(|text| pattern.is_match(text));
                list.into_iter().filter(|item| !knocked(item)).collect::<Array>().into()
            }
            other => other,
        }
    }
}

/// The destinations for the elements of a shallow copy: themselves, unless there is nothing to merge onto.
fn within(value: &Value) -> Onto {
    if value.is_true() { Onto::Itself } else { Onto::Copy }
}

/// A shallow copy of an array shares its hashes.
fn value_is_shared(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Hash(left), Value::Hash(right)) => std::ptr::eq(&**left, &**right),
        _ => false,
    }
}

fn without(pattern: &Regexp, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for found in pattern.captures_iter(text).flatten() {
        out.push_str(&text[from..found.start()]);
        from = found.end();
    }
    out.push_str(&text[from..]);
    out
}

fn sort(list: &mut [Value]) -> Result<()> {
    let mut clash = None;
    list.sort_by(|left, right| {
        compare(left, right).unwrap_or_else(|| {
            clash.get_or_insert_with(|| (left.clone(), right.clone()));
            Ordering::Equal
        })
    });
    match clash {
        None => Ok(()),
        Some((left, right)) => {
            let right = match right {
                Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Undef => {
                    kukla_values::format::inspect(&right)
                }
                other => kukla_values::format::class_name(&other).into_owned().into(),
            };
            let left = kukla_values::format::class_name(&left);
            Err(Error::caller(diagnostic!(UNORDERED_MERGE { left, right })))
        }
    }
}

/// Ruby's `<=>`.
fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Integer(a), Value::Integer(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Integer(a), Value::Float(b)) => (*a as f64).partial_cmp(b),
        (Value::Float(a), Value::Integer(b)) => a.partial_cmp(&(*b as f64)),
        (Value::String(a), Value::String(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Value::Array(a), Value::Array(b)) => {
            for (x, y) in a.iter().zip(b.iter()) {
                match compare(x, y)? {
                    Ordering::Equal => {}
                    other => return Some(other),
                }
            }
            Some(a.len().cmp(&b.len()))
        }
        (a, b) if a == b => Some(Ordering::Equal),
        _ => None,
    }
}
