//! What lies within: `include?`, `cover?`, `===`, `min`, `max`, `minmax`, `overlap?`.

use std::cmp::Ordering;

use crate::args::Args;
use crate::class::{ClassId, Native, method, methods, quick};
use crate::core::enumerable;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{RangeObject, Value};

use super::each::must_iterate;
use super::own;

pub(super) const METHODS: &[Native] = methods![
    quick("include?", 1, 1, include).alias("member?"),
    quick("===", 1, 1, case_equal),
    quick("cover?", 1, 1, cover),
    method("overlap?", 1, 1, overlap),
    method("min", 0, 1, min),
    method("max", 0, 1, max),
    method("minmax", 0, 0, minmax),
];

/// How two bounds compare; `None` if they cannot be compared.
fn order(ruby: &mut Ruby<'_>, a: &Value, b: &Value) -> Result<Option<Ordering>> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Ok(Some(a.cmp(b))),
        _ => {
            let answer = ruby.send(a, sym::CMP, std::slice::from_ref(b))?;
            ruby.ordering(&answer, a, b)
        }
    }
}

/// Whether a value lies between the ends.
pub(super) fn covers(ruby: &mut Ruby<'_>, range: &RangeObject, value: &Value) -> Result<bool> {
    if !range.begin.is_nil() {
        match order(ruby, &range.begin, value)? {
            Some(Ordering::Less | Ordering::Equal) => {}
            _ => return Ok(false),
        }
    }
    if range.end.is_nil() {
        return Ok(true);
    }
    Ok(match order(ruby, value, &range.end)? {
        Some(Ordering::Less) => true,
        Some(Ordering::Equal) => !range.exclusive,
        _ => false,
    })
}

fn is_number(ruby: &mut Ruby<'_>, value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Float(_)) || ruby.is_a(value, ClassId::NUMERIC)
}

fn include(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let range = own(ruby, this)?;
    let linear =
        |ruby: &mut Ruby<'_>, value: &Value| is_number(ruby, value) || ruby.is_a(value, ClassId::TIME);
    if linear(ruby, &range.begin) || linear(ruby, &range.end) {
        return Ok(covers(ruby, range, &args[0])?.into());
    }
    if let (Value::String(begin), Value::String(end)) = (&range.begin, &range.end) {
        let Some(wanted) = ruby.maybe_string(&args[0])? else { return Ok(false.into()) };
        // Single characters are in order.
        let (begin, end, wanted) = (begin.text().clone(), end.text().clone(), wanted.text().clone());
        if begin.len() == 1 && end.len() == 1 && begin.is_ascii() && end.is_ascii() {
            if wanted.len() == 1 && wanted.is_ascii() {
                return Ok(covers(ruby, range, &args[0])?.into());
            }
            return Ok(false.into());
        }
        return enumerable::call(ruby, this, "include?", args);
    }
    if matches!((&range.begin, &range.end), (Value::String(_), Value::Nil) | (Value::Nil, Value::String(_))) {
        return Ok(covers(ruby, range, &args[0])?.into());
    }
    if range.begin.is_nil() {
        let class = ruby.class_name_of(&range.begin);
        return Err(ruby.type_error(format!("can't iterate from {class}")));
    }
    enumerable::call(ruby, this, "include?", args)
}

fn case_equal(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let range = own(ruby, this)?;
    Ok(covers(ruby, range, &args[0])?.into())
}

fn cover(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let range = own(ruby, this)?;
    match &args[0] {
        Value::Range(inner) => Ok(covers_range(ruby, range, inner)?.into()),
        value => Ok(covers(ruby, range, value)?.into()),
    }
}

fn covers_range(ruby: &mut Ruby<'_>, range: &RangeObject, inner: &std::rc::Rc<RangeObject>) -> Result<bool> {
    if !inner.begin.is_nil() && !inner.end.is_nil() {
        match order(ruby, &inner.begin, &inner.end)? {
            Some(Ordering::Less) => {}
            Some(Ordering::Equal) if !inner.exclusive => {}
            _ => return Ok(false),
        }
    }
    // Where it begins.
    if !range.begin.is_nil() {
        if inner.begin.is_nil() {
            return Ok(false);
        }
        match order(ruby, &range.begin, &inner.begin)? {
            Some(Ordering::Less | Ordering::Equal) => {}
            _ => return Ok(false),
        }
    }
    // Where it ends.
    if range.end.is_nil() {
        return Ok(!inner.end.is_nil() || !range.exclusive || inner.exclusive);
    }
    if inner.end.is_nil() {
        return Ok(false);
    }
    match order(ruby, &inner.end, &range.end)? {
        Some(Ordering::Less) => Ok(true),
        Some(Ordering::Equal) => Ok(!range.exclusive || inner.exclusive),
        Some(Ordering::Greater)
            if inner.exclusive
                && matches!(inner.begin, Value::Int(_) | Value::Big(_))
                && matches!(inner.end, Value::Int(_) | Value::Big(_)) =>
        {
            let greatest = max(ruby, &Value::Range(inner.clone()), &Args::default())?;
            covers(ruby, range, &greatest)
        }
        _ => Ok(false),
    }
}

fn is_empty(ruby: &mut Ruby<'_>, range: &RangeObject) -> Result<bool> {
    if range.begin.is_nil() || range.end.is_nil() {
        return Ok(false);
    }
    Ok(match order(ruby, &range.begin, &range.end)? {
        Some(Ordering::Less) => false,
        Some(Ordering::Equal) => range.exclusive,
        _ => true,
    })
}

fn overlap(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let range = own(ruby, this)?;
    let Value::Range(other) = &args[0] else {
        let class = ruby.class_name_of(&args[0]);
        return Err(ruby.type_error(format!("wrong argument type {class} (expected Range)")));
    };
    if is_empty(ruby, range)? || is_empty(ruby, other)? {
        return Ok(false.into());
    }
    let reaches = |ruby: &mut Ruby<'_>, one: &RangeObject, two: &RangeObject| -> Result<bool> {
        if one.begin.is_nil() || two.end.is_nil() {
            return Ok(true);
        }
        Ok(match order(ruby, &one.begin, &two.end)? {
            Some(Ordering::Less) => true,
            Some(Ordering::Equal) => !two.exclusive,
            _ => false,
        })
    };
    Ok((reaches(ruby, range, other)? && reaches(ruby, other, range)?).into())
}

fn min(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let range = own(ruby, this)?;
    if range.begin.is_nil() {
        return Err(ruby.range_error("cannot get the minimum of beginless range"));
    }
    if args.block.is_some() {
        if range.end.is_nil() {
            return Err(
                ruby.range_error("cannot get the minimum of endless range with custom comparison method")
            );
        }
        return enumerable::call(ruby, this, "min", args);
    }
    if !args.is_empty() {
        must_iterate(ruby, range)?;
        return enumerable::call(ruby, this, "min", args);
    }
    if range.end.is_nil() {
        return Ok(range.begin.clone());
    }
    Ok(if is_empty(ruby, range)? { Value::Nil } else { range.begin.clone() })
}

fn max(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let range = own(ruby, this)?;
    let number = is_number(ruby, &range.end);
    if range.end.is_nil() {
        return Err(ruby.range_error("cannot get the maximum of endless range"));
    }
    if args.block.is_some() || (range.exclusive && !number) || !args.is_empty() {
        if range.begin.is_nil() {
            return Err(
                ruby.range_error("cannot get the maximum of beginless range with custom comparison method")
            );
        }
        return enumerable::call(ruby, this, "max", args);
    }
    if !range.begin.is_nil() {
        match order(ruby, &range.begin, &range.end)? {
            Some(Ordering::Less) => {}
            Some(Ordering::Equal) if !range.exclusive => {}
            _ => return Ok(Value::Nil),
        }
    }
    if !range.exclusive {
        return Ok(range.end.clone());
    }
    if !matches!(range.end, Value::Int(_) | Value::Big(_)) {
        return Err(ruby.type_error("cannot exclude non Integer end value"));
    }
    if !matches!(range.begin, Value::Int(_) | Value::Big(_)) {
        return Err(ruby.type_error("cannot exclude end value with non Integer begin value"));
    }
    ruby.send(&range.end, sym::MINUS, &[Value::Int(1)])
}

fn minmax(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if args.block.is_some() {
        let range = own(ruby, this)?;
        if range.begin.is_nil() {
            return Err(
                ruby.range_error("cannot get the minimum of beginless range with custom comparison method")
            );
        }
        if range.end.is_nil() {
            return Err(
                ruby.range_error("cannot get the maximum of endless range with custom comparison method")
            );
        }
        return enumerable::call(ruby, this, "minmax", args);
    }
    if own(ruby, this)?.end.is_nil() {
        return Err(ruby.range_error("cannot get the maximum of endless range"));
    }
    let least = min(ruby, this, &Args::default())?;
    let greatest = max(ruby, this, &Args::default())?;
    Ok(Value::array(vec![least, greatest]))
}
