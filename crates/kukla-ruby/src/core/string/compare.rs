//! Comparing strings.

use std::cmp::Ordering;

use crate::args::Args;
use crate::class::{Native, method, methods, quick};
use crate::core::string::{case, own};
use crate::error::Result;
use crate::memory;
use crate::recursion::Walk;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::Text;
use crate::value::Value;

pub(super) const METHODS: &[Native] = methods![
    quick("<=>", 1, 1, compare),
    quick("==", 1, 1, equal).alias("==="),
    method("casecmp", 1, 1, casecmp),
    method("casecmp?", 1, 1, is_casecmp),
    quick("eql?", 1, 1, eql),
    method("hash", 0, 0, hash),
];

fn equal(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    if let Value::String(other) = &args[0] {
        return Ok(string.text().same_text(&other.text()).into());
    }
    if args[0].head().is_some() && ruby.responds_to(&args[0], sym::TO_STR, false)? {
        return Ok(ruby.send(&args[0], sym::EQ, std::slice::from_ref(this))?.is_true().into());
    }
    Ok(false.into())
}

fn eql(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    Ok(matches!(&args[0], Value::String(other) if string.text().same_text(&other.text())).into())
}

fn hash(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let code = ruby.hash_code(this)?;
    Ok(Value::Int((code >> 2) as i64))
}

/// The order of two texts: that of their bytes, then of their encodings.
pub(crate) fn order(a: &Text, b: &Text) -> Ordering {
    memory::spend(a.len().min(b.len()));
    a.as_bytes().cmp(b.as_bytes()).then_with(|| {
        if a.is_comparable(b) { Ordering::Equal } else { (a.encoding() as u8).cmp(&(b.encoding() as u8)) }
    })
}

fn compare(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    if let Value::String(other) = &args[0] {
        return Ok(Value::Int(order(&string.text(), &other.text()) as i64));
    }
    if args[0].head().is_none() || !ruby.responds_to(&args[0], sym::CMP, false)? {
        return Ok(Value::Nil);
    }
    // Who is asked may ask back.
    let other = &args[0];
    let asked = ruby
        .guarded(Walk::Compare, this, other, |ruby| ruby.send(other, sym::CMP, std::slice::from_ref(this)))?;
    match asked.unwrap_or_default() {
        Value::Nil => Ok(Value::Nil),
        Value::Int(answer) => Ok(Value::integer(-i128::from(answer))),
        answer => ruby.send(&Value::Int(0), sym::MINUS, &[answer]),
    }
}

fn casecmp(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    let Some(other) = ruby.maybe_string(&args[0])? else { return Ok(Value::Nil) };
    let (a, b) = (string.text(), other.text());
    if a.common_encoding(&b).is_none() {
        return Ok(Value::Nil);
    }
    let lower = |text: &Text| text.as_bytes().to_ascii_lowercase();
    Ok(Value::Int(lower(&a).cmp(&lower(&b)) as i64))
}

fn is_casecmp(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    let Some(other) = ruby.maybe_string(&args[0])? else { return Ok(Value::Nil) };
    let (a, b) = (string.text(), other.text());
    if a.common_encoding(&b).is_none() {
        return Ok(Value::Nil);
    }
    Ok((case::fold(ruby, &a)?.as_bytes() == case::fold(ruby, &b)?.as_bytes()).into())
}
