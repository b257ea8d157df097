//! Arrays and hashes.

use kukla_syntax::{bail, diagnostic};

use super::ConversionContext;
use crate::codes::{
    KEY_WITHOUT_VALUE, NOT_CONVERTIBLE_TO_HASH, TREE_OF_ONE_VALUE, TREE_OUTSIDE_ARRAY, TREE_THROUGH_VALUE,
    VALUE_NOT_CONVERTIBLE,
};
use crate::format::inspect;
use crate::{Array, Error, Hash, Result, Type, Value};

pub(super) fn array(at: usize, args: &[Value], around: &dyn ConversionContext) -> Result<Value> {
    let from = &args[0];
    Ok(match from {
        Value::Array(_) => from.clone(),
        from if at == 1 => Value::from(vec![from.clone()]),
        Value::Binary(bytes) => {
            Value::Array(bytes.0.iter().map(|byte| Value::Integer((*byte).into())).collect())
        }
        from => Value::Array(around.lister().list(from)?),
    })
}

pub(super) fn refuse_array(function: &str, args: &[Value]) -> Option<Error> {
    match args {
        [from] | [from, Value::Boolean(_)] => {
            let actual = Type::of_generalized(from);
            Some(diagnostic!(VALUE_NOT_CONVERTIBLE { function, actual, target: "Array" }).into())
        }
        _ => None,
    }
}

pub(super) fn hash(at: usize, args: &[Value], around: &dyn ConversionContext) -> Result<Value> {
    match (at, &args[0], args.get(1)) {
        (0, Value::Array(tree), Some(option)) => from_tree(tree, option.as_str() == Some("hash_tree")),
        (0 | 1, Value::Array(pairs), _) => Ok(from_pairs(pairs)),
        (_, Value::Array(values), _) => from_list(values),
        (_, Value::Hash(_), _) => Ok(args[0].clone()),
        (_, from, _) => {
            if !Type::Iterable(None).contains(from) {
                bail!(NOT_CONVERTIBLE_TO_HASH { actual: Type::of_generalized(from) });
            }
            let values = around.lister().list(from)?;
            let pairs = values.iter().all(|pair| pair.as_array().is_some_and(|pair| pair.len() == 2));
            if pairs && !values.is_empty() { Ok(from_pairs(&values)) } else { from_list(&values) }
        }
    }
}

fn from_pairs(pairs: &Array) -> Value {
    let entry = |pair: &Value| match pair.as_array().map(|pair| &pair[..]) {
        Some([key, value]) => Some((key.clone(), value.clone())),
        _ => None,
    };
    Value::Hash(pairs.iter().filter_map(entry).collect())
}

/// Keys and values one after the other.
fn from_list(values: &Array) -> Result<Value> {
    if values.len() % 2 == 1 {
        bail!(KEY_WITHOUT_VALUE);
    }
    Ok(Value::Hash(values.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()))
}

/// Puts each value at the end of its path.
fn from_tree(tree: &Array, all_hashes: bool) -> Result<Value> {
    let mut result = Value::Hash(Hash::new());
    for pair in tree {
        let Some([Value::Array(path), value]) = pair.as_array().map(|pair| &pair[..]) else { continue };
        match (path.split_last(), value, &mut result) {
            (None, Value::Array(values), Value::Hash(hash)) => {
                for (at, value) in values.iter().enumerate() {
                    hash.insert(at as i64, value.clone());
                }
            }
            (None, Value::Hash(more), Value::Hash(hash)) => {
                for (key, value) in more {
                    hash.insert(key.clone(), value.clone());
                }
            }
            (None, other, _) => {
                bail!(TREE_OF_ONE_VALUE { actual: Type::of_generalized(other) });
            }
            (Some((last, way)), value, result) => {
                let value = if all_hashes { as_hash(value) } else { value.clone() };
                put(descend(result, way)?, last, value)?;
            }
        }
    }
    Ok(result)
}

fn as_hash(value: &Value) -> Value {
    match value {
        Value::Array(values) => {
            Value::Hash(values.iter().enumerate().map(|(at, value)| (at as i64, as_hash(value))).collect())
        }
        value => value.clone(),
    }
}

/// Where in an array an index lies; negative ones count from its end.
fn place(values: &Array, key: &Value) -> Option<usize> {
    match key {
        Value::Integer(at) if *at < 0 => values.len().checked_sub(at.unsigned_abs() as usize),
        Value::Integer(at) => usize::try_from(*at).ok(),
        _ => None,
    }
}

fn descend<'a>(mut at: &'a mut Value, way: &[Value]) -> Result<&'a mut Value> {
    for key in way {
        at = match at {
            Value::Hash(hash) => {
                hash.make_mut().entry(key.clone()).or_insert_with(|| Value::Hash(Hash::new()))
            }
            Value::Array(values) => {
                let found = place(values, key);
                match found.and_then(|found| values.make_mut().get_mut(found)) {
                    Some(value) => value,
                    None => bail!(TREE_THROUGH_VALUE { value: "nil:NilClass" }),
                }
            }
            other => return Err(no_member(other)),
        };
    }
    Ok(at)
}

fn put(at: &mut Value, key: &Value, value: Value) -> Result<()> {
    /// How far beyond its end an array may be filled.
    const FARTHEST: usize = 1 << 20;
    match at {
        Value::Hash(hash) => {
            hash.insert(key.clone(), value);
        }
        Value::Array(values) => match place(values, key).filter(|found| *found < values.len() + FARTHEST) {
            Some(found) => {
                while values.len() <= found {
                    values.push(Value::Undef);
                }
                values.make_mut()[found] = value;
            }
            None => bail!(TREE_OUTSIDE_ARRAY { index: inspect(key) }),
        },
        other => return Err(no_member(other)),
    }
    Ok(())
}

fn no_member(value: &Value) -> Error {
    let class = Type::of_generalized(value).name();
    diagnostic!(TREE_THROUGH_VALUE { value: format!("{}:{class}", inspect(value)) }).into()
}
