//! Arrays as wholes: `==`, `<=>`, `hash`, `inspect`, `join`.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::args::Args;
use crate::class::{ClassId, Native, method, methods};
use crate::core::array::own;
use crate::error::Result;
use crate::recursion::Walk;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::{Encoding, Text};
use crate::value::{StringObject, Value};

pub(super) const METHODS: &[Native] = methods![
    method("==", 1, 1, equal),
    method("eql?", 1, 1, eql),
    method("hash", 0, 0, hash),
    method("<=>", 1, 1, compare),
    method("inspect", 0, 0, inspect).alias("to_s"),
    method("join", 0, 1, join),
];

fn equal(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let other = &args[0];
    if this.is_same(other) {
        return Ok(true.into());
    }
    let array = own(ruby, this)?;
    let Value::Array(list) = other else {
        if !matches!(other, Value::Object(_)) || !ruby.responds_to(other, sym::TO_ARY, false)? {
            return Ok(false.into());
        }
        return Ok(ruby.eq(other, this)?.into());
    };
    if array.len() != list.len() {
        return Ok(false.into());
    }
    let same = ruby.guarded(Walk::Equal, this, other, |ruby| {
        let mut index = 0;
        while let (Some(a), Some(b)) = (array.get(index), list.get(index)) {
            if !a.is_same(&b) && !ruby.eq(&a, &b)? {
                return Ok(false);
            }
            index += 1;
        }
        Ok(array.len() == list.len())
    })?;
    Ok(same.unwrap_or(true).into())
}

fn eql(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let other = &args[0];
    if this.is_same(other) {
        return Ok(true.into());
    }
    let array = own(ruby, this)?;
    let Value::Array(list) = other else { return Ok(false.into()) };
    if array.len() != list.len() {
        return Ok(false.into());
    }
    let same = ruby.guarded(Walk::Eql, this, other, |ruby| {
        let mut index = 0;
        while let (Some(a), Some(b)) = (array.get(index), list.get(index)) {
            if !ruby.eql(&a, &b)? {
                return Ok(false);
            }
            index += 1;
        }
        Ok(array.len() == list.len())
    })?;
    Ok(same.unwrap_or(true).into())
}

fn hash(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let array = own(ruby, this)?;
    let code = ruby.guarded_hash(this, |ruby| {
        let mut hasher = FxHasher::default();
        hasher.write_usize(array.len());
        let mut index = 0;
        while let Some(value) = array.get(index) {
            hasher.write_u64(ruby.hash_code(&value)?);
            index += 1;
        }
        Ok(hasher.finish())
    })?;
    Ok(Value::Int(shown_code(code)))
}

/// A hash code as programs see it: an integer that fits Ruby's small ones.
pub(crate) fn shown_code(code: u64) -> i64 {
    (code as i64) >> 2
}

fn compare(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let array = own(ruby, this)?;
    let Some(list) = ruby.maybe_array(&args[0])? else { return Ok(Value::Nil) };
    if this.is_same(&Value::Array(list.clone())) {
        return Ok(Value::Int(0));
    }
    let order = ruby.guarded(Walk::Compare, this, &args[0], |ruby| {
        let mut index = 0;
        while let (Some(a), Some(b)) = (array.get(index), list.get(index)) {
            let answer = match (&a, &b) {
                (Value::Int(a), Value::Int(b)) => Value::Int(a.cmp(b) as i64),
                _ => ruby.send(&a, sym::CMP, &[b])?,
            };
            if !matches!(answer, Value::Int(0)) {
                return Ok(answer);
            }
            index += 1;
        }
        Ok(Value::Int(array.len().cmp(&list.len()) as i64))
    })?;
    Ok(order.unwrap_or_default())
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let array = own(ruby, this)?;
    if array.is_empty() {
        return Ok(ascii("[]"));
    }
    let shown = ruby.guarded(Walk::Inspect, this, &Value::Nil, |ruby| {
        let mut shown = Text::from("[");
        let mut index = 0;
        while let Some(value) = array.get(index) {
            let item = ruby.inspect(&value)?;
            match index {
                0 => shown.set_encoding(item.encoding()),
                _ => shown.push_str(", "),
            }
            append(&mut shown, &item);
            ruby.charge(1 + shown.len() as u64 / 4096)?;
            ruby.grown(shown.len())?;
            index += 1;
        }
        shown.push_str("]");
        Ok(shown)
    })?;
    Ok(shown.map_or_else(|| "[...]".into(), Value::str))
}

fn ascii(text: &str) -> Value {
    Value::str(Text::new(text.as_bytes().to_vec(), Encoding::Ascii))
}

fn join(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if own(ruby, this)?.is_empty() {
        return Ok(Value::str(Text::new(Vec::new(), Encoding::Ascii)));
    }
    let separator = match &args[0] {
        Value::Nil => match ruby.globals_join_separator() {
            Some(separator) => Some(ruby.to_text(&separator)?),
            None => None,
        },
        separator => Some(ruby.to_text(separator)?),
    };
    let mut joined: Option<Text> = None;
    join_into(ruby, this, separator.as_ref(), &mut joined)?;
    Ok(Value::String(StringObject::new(ClassId::STRING, joined.unwrap_or_else(|| "".into()))))
}

fn join_into(
    ruby: &mut Ruby<'_>,
    this: &Value,
    separator: Option<&Text>,
    joined: &mut Option<Text>,
) -> Result<()> {
    let array = own(ruby, this)?;
    let done = ruby.guarded(Walk::Join, this, &Value::Nil, |ruby| {
        let mut index = 0;
        while let Some(value) = array.get(index) {
            if index > 0
                && let (Some(separator), Some(joined)) = (separator, joined.as_mut())
            {
                append(joined, separator);
            }
            index += 1;
            ruby.charge(1)?;
            let text = match &value {
                Value::String(string) => string.text().clone(),
                Value::Array(_) => {
                    join_into(ruby, &value, separator, joined)?;
                    continue;
                }
                Value::Object(_) | Value::Hash(_) | Value::Range(_) | Value::Proc(_) => {
                    if let Some(string) = ruby.maybe_string(&value)? {
                        string.text().clone()
                    } else if let Some(list) = ruby.maybe_array(&value)? {
                        join_into(ruby, &Value::Array(list), separator, joined)?;
                        continue;
                    } else {
                        ruby.display(&value)?
                    }
                }
                Value::Symbol(symbol) => crate::core::symbol::text_of(ruby, *symbol),
                Value::Nil => Text::from("").narrowed(),
                other => ruby.display(other)?,
            };
            match joined {
                Some(joined) => {
                    append(joined, &text);
                    ruby.grown(joined.len())?;
                }
                None => *joined = Some(text),
            }
        }
        Ok(())
    })?;
    match done {
        Some(()) => {
            // An empty array among the elements still is one of them.
            joined.get_or_insert_with(|| "".into());
            Ok(())
        }
        None => Err(ruby.argument_error("recursive array join")),
    }
}

/// Appends a text; the encoding stays until characters come that are not ASCII.
pub(in crate::core) fn append(text: &mut Text, more: &Text) {
    let decides = !more.is_ascii() && text.encoding() != more.encoding() && text.is_ascii();
    text.push_text(more);
    if decides {
        text.set_encoding(more.encoding());
    }
}
