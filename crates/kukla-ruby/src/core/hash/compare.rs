//! Hashes as wholes: `==`, `<=`, `hash`, `inspect`.

use std::hash::Hasher;
use std::rc::Rc;

use rustc_hash::FxHasher;

use crate::args::Args;
use crate::class::{Native, method, methods};
use crate::core::array::compare::append;
use crate::core::hash::{entries, own};
use crate::error::Result;
use crate::recursion::Walk;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::Text;
use crate::value::{HashObject, Value};

pub(super) const METHODS: &[Native] = methods![
    method("==", 1, 1, |ruby, this, args| equal(ruby, this, &args[0], Walk::Equal)),
    method("eql?", 1, 1, |ruby, this, args| equal(ruby, this, &args[0], Walk::Eql)),
    method("hash", 0, 0, hash),
    method("<=", 1, 1, |ruby, this, args| contained(ruby, this, &args[0], false, false)),
    method("<", 1, 1, |ruby, this, args| contained(ruby, this, &args[0], false, true)),
    method(">=", 1, 1, |ruby, this, args| contained(ruby, this, &args[0], true, false)),
    method(">", 1, 1, |ruby, this, args| contained(ruby, this, &args[0], true, true)),
    method("inspect", 0, 0, inspect).alias("to_s"),
];

/// Whether every entry of one hash is in the other, with a value that is the same in the sense of the walk.
fn all_in(ruby: &mut Ruby<'_>, one: &HashObject, other: &HashObject, walk: Walk) -> Result<bool> {
    for (key, value) in entries(one) {
        let Some(theirs) = ruby.hash_get(other, &key)? else { return Ok(false) };
        let same = match walk {
            Walk::Eql => ruby.eql(&value, &theirs)?,
            _ => value.is_same(&theirs) || ruby.eq(&value, &theirs)?,
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}

fn equal(ruby: &mut Ruby<'_>, this: &Value, other: &Value, walk: Walk) -> Result {
    if this.is_same(other) {
        return Ok(true.into());
    }
    let hash = own(ruby, this)?;
    let Value::Hash(theirs) = other else {
        if !matches!(other, Value::Object(_)) || !ruby.responds_to(other, sym::TO_HASH, false)? {
            return Ok(false.into());
        }
        return Ok(match walk {
            Walk::Eql => ruby.eql(other, this)?,
            _ => ruby.eq(other, this)?,
        }
        .into());
    };
    if hash.table().len() != theirs.table().len() {
        return Ok(false.into());
    }
    if hash.table().is_empty() {
        return Ok(true.into());
    }
    if hash.table().by_identity != theirs.table().by_identity {
        return Ok(false.into());
    }
    let same = ruby.guarded(walk, this, other, |ruby| all_in(ruby, hash, theirs, walk))?;
    Ok(same.unwrap_or(true).into())
}

fn hash(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    let length = hash.table().len() as u64;
    let code = ruby.guarded_hash(this, |ruby| {
        let mut total = length;
        for (key, value) in entries(hash) {
            let mut hasher = FxHasher::default();
            hasher.write_u64(ruby.hash_code(&key)?);
            hasher.write_u64(ruby.hash_code(&value)?);
            // The order of entries does not count.
            total = total.wrapping_add(hasher.finish());
        }
        Ok(total)
    })?;
    Ok(Value::Int((code as i64) >> 2))
}

/// Whether one hash lies within the other; `reversed` asks whether the argument does.
fn contained(ruby: &mut Ruby<'_>, this: &Value, other: &Value, reversed: bool, strictly: bool) -> Result {
    let mine = own(ruby, this)?.clone();
    let theirs = ruby.to_hash(other)?;
    let (inner, outer): (Rc<HashObject>, Rc<HashObject>) =
        if reversed { (theirs, mine) } else { (mine, theirs) };
    let (small, large) = (inner.table().len(), outer.table().len());
    if small > large || (strictly && small == large) {
        return Ok(false.into());
    }
    Ok(all_in(ruby, &inner, &outer, Walk::Equal)?.into())
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let hash = own(ruby, this)?;
    if hash.table().is_empty() {
        return Ok(Value::str(Text::from("{}").narrowed()));
    }
    let shown = ruby.guarded(Walk::Inspect, this, &Value::Nil, |ruby| {
        let mut shown = Text::from("{");
        for (index, (key, value)) in entries(hash).into_iter().enumerate() {
            let key = ruby.inspect(&key)?;
            match index {
                0 => shown.set_encoding(key.encoding()),
                _ => shown.push_str(", "),
            }
            append(&mut shown, &key);
            shown.push_str("=>");
            append(&mut shown, &ruby.inspect(&value)?);
            ruby.charge(1 + shown.len() as u64 / 4096)?;
            ruby.grown(shown.len())?;
        }
        shown.push_str("}");
        Ok(shown)
    })?;
    Ok(shown.map_or_else(|| "{...}".into(), Value::str))
}
