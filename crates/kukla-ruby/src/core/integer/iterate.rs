//! Counting.

use crate::args::Args;
use crate::class::{Native, method};
use crate::core::numeric::arithmetic::{add, subtract};
use crate::core::numeric::enumerator;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;

/// Methods that count.
pub const ITERATE: &[Native] =
    &[method("times", 0, 0, times), method("upto", 1, 1, upto), method("downto", 1, 1, downto)];

fn times(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Some(block) = args.block else { return enumerator(ruby, this, "times", args) };
    let mut at = Value::Int(0);
    while ruby.compare(&at, this)?.is_some_and(std::cmp::Ordering::is_lt) {
        ruby.yield_to(block, std::slice::from_ref(&at))?;
        at = add(ruby, &at, &Value::Int(1))?;
    }
    Ok(this.clone())
}

fn upto(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Some(block) = args.block else { return enumerator(ruby, this, "upto", args) };
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

fn downto(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Some(block) = args.block else { return enumerator(ruby, this, "downto", args) };
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
