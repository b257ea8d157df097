//! Counting.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{Native, iterator};
use crate::core::numeric::arithmetic::{add, subtract};
use crate::core::numeric::round::{Mode, round};
use crate::core::numeric::tower::{is_real, sign};
use crate::error::Result;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

/// Methods that count.
pub const ITERATE: &[Native] = &[
    iterator("times", 0, 0, times, times_size),
    iterator("upto", 1, 1, upto, upto_size),
    iterator("downto", 1, 1, downto, downto_size),
];

fn times(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    if let Value::Int(times) = *this {
        for at in 0..times {
            ruby.yield_to(block, &[Value::Int(at)])?;
        }
        return Ok(this.clone());
    }
    let mut at = Value::Int(0);
    while ruby.compare(&at, this)?.is_some_and(std::cmp::Ordering::is_lt) {
        ruby.yield_to(block, std::slice::from_ref(&at))?;
        at = add(ruby, &at, &Value::Int(1))?;
    }
    Ok(this.clone())
}

fn upto(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    if let (Value::Int(from), Value::Int(to)) = (this, &args[0]) {
        for at in *from..=*to {
            ruby.yield_to(block, &[Value::Int(at)])?;
        }
        return Ok(this.clone());
    }
    let mut at = this.clone();
    while !ruby.send(&at, sym::GT, args.list)?.is_true() {
        ruby.yield_to(block, std::slice::from_ref(&at))?;
        at = add(ruby, &at, &Value::Int(1))?;
    }
    Ok(this.clone())
}

fn downto(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    if let (Value::Int(from), Value::Int(to)) = (this, &args[0]) {
        for at in (*to..=*from).rev() {
            ruby.yield_to(block, &[Value::Int(at)])?;
        }
        return Ok(this.clone());
    }
    let mut at = this.clone();
    while !ruby.send(&at, sym::LT, args.list)?.is_true() {
        ruby.yield_to(block, std::slice::from_ref(&at))?;
        at = subtract(ruby, &at, &Value::Int(1))?;
    }
    Ok(this.clone())
}

fn times_size(_: &mut Ruby<'_>, this: &Value, _: &[Value]) -> Result {
    Ok(if sign(this) == Some(-1) { Value::Int(0) } else { this.clone() })
}

fn upto_size(ruby: &mut Ruby<'_>, this: &Value, args: &[Value]) -> Result {
    distance(ruby, this, &args[0], 1)
}

fn downto_size(ruby: &mut Ruby<'_>, this: &Value, args: &[Value]) -> Result {
    distance(ruby, this, &args[0], -1)
}

/// The number of integers from one to another; `nil` if the other is not a number.
fn distance(ruby: &mut Ruby<'_>, from: &Value, to: &Value, direction: i64) -> Result {
    if !is_real(to) {
        return Ok(Value::Nil);
    }
    let (low, high) = if direction > 0 { (from, to) } else { (to, from) };
    let span = subtract(ruby, high, low)?;
    let count = add(ruby, &span, &Value::Int(1))?;
    match &count {
        Value::Float(number) if !number.is_finite() => Ok(count),
        _ => {
            let whole = round(ruby, &count, None, Mode::Floor)?;
            Ok(if sign(&whole) == Some(-1) { Value::Int(0) } else { whole })
        }
    }
}
