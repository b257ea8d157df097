//! `Numeric#step`.

use std::cmp::Ordering;

use super::arithmetic::add;
use super::compare::order;
use super::tower::is_real;
use crate::args::Args;
use crate::class::{ClassId, Native, method};
use crate::core::enumerator::arithmetic;
use crate::error::Result;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::Value;
use std::rc::Rc;

/// `Numeric#step`
pub const STEP: &[Native] = &[method("step", 0, 3, step)];

fn step(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (rest, keywords) = args.split();
    if rest.len() > 2 {
        return Err(ruby.wrong_number_of_arguments(rest.len(), "0..2"));
    }
    let mut limit = rest.first().cloned().unwrap_or_default();
    let mut by = rest.get(1).cloned();
    if let Some(keywords) = keywords {
        ruby.refuse_keywords_except(keywords, &["by", "to"])?;
        if let Some(to) = ruby.keyword(keywords, "to") {
            if !rest.is_empty() {
                return Err(ruby.argument_error("to is given twice"));
            }
            limit = to;
        }
        if let Some(given) = ruby.keyword(keywords, "by") {
            if rest.len() > 1 {
                return Err(ruby.argument_error("step is given twice"));
            }
            by = Some(given);
        }
    }
    let Some(block) = args.block else {
        let by = by.unwrap_or(Value::Int(1));
        if ruby.is_a(&by, ClassId::NUMERIC) && is_zero(ruby, &by)? {
            return Err(ruby.argument_error("step can't be 0"));
        }
        if ruby.is_a(&by, ClassId::NUMERIC) && (limit.is_nil() || ruby.is_a(&limit, ClassId::NUMERIC)) {
            ruby.called = "step";
            return Ok(arithmetic::sequence(ruby, this, args, (this.clone(), limit, by), false));
        }
        let mut shown = rest.to_vec();
        if shown.len() == 1 && keywords.is_none() {
            shown.push(Value::Int(1));
        }
        let name = ruby.symbols.intern("step");
        return ruby.make_enumerator(this, name, &Args::new(&shown));
    };
    let by = match by {
        Some(Value::Nil) if rest.len() > 1 => {
            return Err(ruby.type_error("no implicit conversion from nil to integer"));
        }
        Some(Value::Nil) | None => Value::Int(1),
        Some(by) => by,
    };
    if is_zero(ruby, &by)? {
        return Err(ruby.argument_error("step can't be 0"));
    }
    each_step(ruby, this, &limit, &by, false, block)?;
    Ok(this.clone())
}

fn is_zero(ruby: &mut Ruby<'_>, by: &Value) -> Result<bool> {
    match by {
        Value::Nil => Ok(false),
        by => ruby.eq(by, &Value::Int(0)),
    }
}

/// How many steps of floats there are, not being misled by how floats round.
pub fn float_steps(begin: f64, end: f64, by: f64, exclusive: bool) -> f64 {
    let count = (end - begin) / by;
    let error = (begin.abs() + end.abs() + (end - begin).abs()) / by.abs() * f64::EPSILON;
    if by == 0.0 {
        return f64::INFINITY;
    }
    if by.is_infinite() {
        return f64::from(u8::from(if by > 0.0 { begin <= end } else { begin >= end }));
    }
    let error = error.min(0.5);
    if exclusive {
        if count <= 0.0 {
            return 0.0;
        }
        let steps = if count < 1.0 { 0.0 } else { (count - error).floor() };
        let last = (steps + 1.0) * by + begin;
        if begin < end {
            if last < end { steps + 2.0 } else { steps + 1.0 }
        } else if begin > end && last > end {
            steps + 2.0
        } else {
            steps + 1.0
        }
    } else if count < 0.0 {
        0.0
    } else {
        (count + error).floor() + 1.0
    }
}

/// The value of a step of floats.
pub fn float_step(begin: f64, end: f64, by: f64, at: f64, exclusive: bool) -> f64 {
    let value = at * by + begin;
    if !exclusive && (if by >= 0.0 { end < value } else { value < end }) { end } else { value }
}

/// Yields `begin`, `begin + by` and so on, up to `end` or for ever if that is `nil`.
pub fn each_step(
    ruby: &mut Ruby<'_>,
    begin: &Value,
    end: &Value,
    by: &Value,
    exclusive: bool,
    block: &Rc<ProcObject>,
) -> Result<()> {
    let any_float = [begin, end, by].iter().any(|value| matches!(value, Value::Float(_)));
    if any_float && is_real(begin) && is_real(by) && (end.is_nil() || is_real(end)) {
        let (first, by) = (ruby.to_float(begin)?, ruby.to_float(by)?);
        let last = match end {
            Value::Nil if by < 0.0 => f64::NEG_INFINITY,
            Value::Nil => f64::INFINITY,
            end => ruby.to_float(end)?,
        };
        let count = float_steps(first, last, by, exclusive);
        if by.is_infinite() {
            if count > 0.0 {
                ruby.yield_to(block, &[Value::Float(first)])?;
            }
            return Ok(());
        }
        let mut at = 0.0;
        while at < count {
            ruby.yield_to(block, &[Value::Float(float_step(first, last, by, at, exclusive))])?;
            at += 1.0;
        }
        return Ok(());
    }
    let down = ruby.send(by, sym::LT, &[Value::Int(0)])?.is_true();
    let mut at = begin.clone();
    loop {
        if !end.is_nil() {
            let past = match order(&at, end) {
                Some(order) => {
                    let order = if down { order.map(Ordering::reverse) } else { order };
                    order.is_none_or(|order| order.is_gt() || (exclusive && order.is_eq()))
                }
                None => {
                    let operator = match (down, exclusive) {
                        (true, false) => sym::LT,
                        (true, true) => sym::LE,
                        (false, false) => sym::GT,
                        (false, true) => sym::GE,
                    };
                    ruby.send(&at, operator, std::slice::from_ref(end))?.is_true()
                }
            };
            if past {
                return Ok(());
            }
        }
        ruby.charge(1)?;
        ruby.yield_to(block, std::slice::from_ref(&at))?;
        at = if is_real(&at) && is_real(by) {
            add(ruby, &at, by)?
        } else {
            ruby.send(&at, sym::PLUS, std::slice::from_ref(by))?
        };
    }
}
