//! `Comparable`.

use std::cmp::Ordering;

use crate::args::Args;
use crate::class::{Native, NativeClass, method};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

/// The module `Comparable`.
pub const COMPARABLE: NativeClass = NativeClass { methods: &[METHODS], ..NativeClass::module("Comparable") };

const METHODS: &[Native] = &[
    method("==", 1, 1, equal),
    method("<", 1, 1, |ruby, this, args| Ok(ruby.must_compare(this, &args[0])?.is_lt().into())),
    method("<=", 1, 1, |ruby, this, args| Ok(ruby.must_compare(this, &args[0])?.is_le().into())),
    method(">", 1, 1, |ruby, this, args| Ok(ruby.must_compare(this, &args[0])?.is_gt().into())),
    method(">=", 1, 1, |ruby, this, args| Ok(ruby.must_compare(this, &args[0])?.is_ge().into())),
    method("between?", 2, 2, |ruby, this, args| {
        let within = ruby.must_compare(this, &args[0])?.is_ge() && ruby.must_compare(this, &args[1])?.is_le();
        Ok(within.into())
    }),
    method("clamp", 1, 2, clamp),
];

/// Objects that compare as equal are equal. An object whose `<=>` asks `==` in turn is equal to nothing but itself.
fn equal(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if this.is_same(&args[0]) {
        return Ok(true.into());
    }
    let other = args[0].clone();
    if ruby.comparing.iter().any(|(a, b)| a.is_same(this) && b.is_same(&other)) {
        return Ok(false.into());
    }
    ruby.comparing.push((this.clone(), other.clone()));
    let answer = ruby.send(this, sym::CMP, std::slice::from_ref(&other));
    ruby.comparing.pop();
    match answer? {
        Value::Nil => Ok(false.into()),
        answer => Ok((ruby.ordering(&answer, this, &other)? == Some(Ordering::Equal)).into()),
    }
}

/// Keeps a value between two others: `clamp(least, most)` or `clamp(least..most)`.
fn clamp(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (least, most) = match args.list {
        [least, most] => (least.clone(), most.clone()),
        [Value::Range(range)] => {
            if range.exclusive && !range.end.is_nil() {
                return Err(ruby.argument_error("cannot clamp with an exclusive range"));
            }
            (range.begin.clone(), range.end.clone())
        }
        _ => {
            let class = ruby.class_name_of(&args[0]);
            return Err(ruby.type_error(format!("wrong argument type {class} (expected Range)")));
        }
    };
    if !least.is_nil() && !most.is_nil() && ruby.must_compare(&least, &most)?.is_gt() {
        return Err(ruby.argument_error("min argument must be smaller than max argument"));
    }
    if !least.is_nil() {
        match ruby.must_compare(this, &least)? {
            Ordering::Equal => return Ok(this.clone()),
            Ordering::Less => return Ok(least),
            Ordering::Greater => {}
        }
    }
    if !most.is_nil() && ruby.must_compare(this, &most)?.is_gt() {
        return Ok(most);
    }
    Ok(this.clone())
}
