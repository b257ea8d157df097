//! Making strings: from nothing, from each other, by adding to them.

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, method, methods, quick};
use crate::core::encoding;
use crate::core::string::{common_encoding, own, own_to_change};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::{Encoding, Text};
use crate::value::{StringObject, Value};

pub(super) const METHODS: &[Native] = methods![
    method("*", 1, 1, times),
    method("+", 1, 1, plus),
    quick("+@", 0, 0, unfrozen),
    quick("-@", 0, 0, deduplicated),
    quick("<<", 1, 1, append),
    method("append_as_bytes", 0, ANY, append_as_bytes),
    quick("clear", 0, 0, clear),
    method("concat", 0, ANY, concat),
    method("dedup", 0, 0, deduplicated),
    method("initialize", 0, 2, initialize),
    method("initialize_copy", 1, 1, replace),
    method("insert", 2, 2, insert),
    method("prepend", 0, ANY, prepend),
    method("replace", 1, 1, replace),
    quick("to_s", 0, 0, to_s).alias("to_str"),
];

pub(super) const SINGLETON: &[Native] =
    &[method("allocate", 0, 0, allocate), method("try_convert", 1, 1, try_convert)];

/// The largest string that is made, in bytes.
const LARGEST: usize = 1 << 30;

fn allocate(_: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let class = if let Value::Class(class) = this { *class } else { ClassId::STRING };
    Ok(Value::String(StringObject::new(class, Text::new(Vec::new(), Encoding::Binary))))
}

fn try_convert(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    Ok(ruby.maybe_string(&args[0])?.map_or(Value::Nil, Value::String))
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (given, keywords) = args.split();
    let string = own(ruby, this)?;
    if let Some(from) = given.first() {
        let text = ruby.to_text(from)?;
        ruby.check_frozen(this)?;
        *string.text_mut() = text;
    }
    if let Some(keywords) = keywords {
        let encoding = ruby.keyword(keywords, "encoding").filter(|given| !given.is_nil());
        if let Some(given) = encoding {
            let encoding = encoding::from_value(ruby, &given)?;
            string.text_mut().set_encoding(encoding);
        }
        if let Some(capacity) = ruby.keyword(keywords, "capacity").filter(|given| !given.is_nil()) {
            ruby.to_int(&capacity)?;
        }
    }
    Ok(this.clone())
}

fn to_s(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    if ruby.real_class_of(this) == ClassId::STRING {
        return Ok(this.clone());
    }
    Ok(Value::str(string.text().clone()))
}

fn plus(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    let other = ruby.to_string(&args[0])?;
    let (a, b) = (string.text(), other.text());
    let encoding = common_encoding(ruby, &a, &b)?;
    ruby.charge(1 + (a.len() + b.len()) as u64 / 64)?;
    ruby.grown(a.len() + b.len())?;
    let mut joined = Vec::with_capacity(a.len() + b.len());
    joined.extend_from_slice(&a);
    let mut joined = Text::new(joined, a.encoding());
    joined.push_text(&b);
    Ok(Value::str(joined.in_encoding(encoding)))
}

fn times(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    let count = ruby.to_int(&args[0])?;
    let Ok(count) = usize::try_from(count) else { return Err(ruby.argument_error("negative argument")) };
    let text = string.text();
    let size = match text.len().checked_mul(count) {
        Some(size) if size <= i64::MAX as usize => size,
        _ => return Err(ruby.argument_error("argument too big")),
    };
    ruby.charge(1 + size as u64 / 16)?;
    ruby.grown(size)?;
    if size > LARGEST {
        return Err(ruby.error(ClassId::NO_MEMORY_ERROR, "failed to allocate memory"));
    }
    Ok(Value::str(text.with_bytes(text.repeat(count))))
}

/// Appends a string, or the character with a number.
pub(crate) fn append_value(ruby: &mut Ruby<'_>, string: &StringObject, value: &Value) -> Result<()> {
    let other = match value {
        Value::String(other) => other.clone(),
        Value::Int(code) => {
            let encoding = string.text().encoding();
            let char = encoding::char_text(ruby, *code, encoding)?;
            StringObject::new(ClassId::STRING, char)
        }
        Value::Big(_) => return Err(ruby.range_error("bignum out of char range")),
        other => ruby.to_string(other)?,
    };
    ruby.grown(string.text().len() + other.text().len())?;
    if std::ptr::eq(&raw const *other, string) {
        let copy = string.text().clone();
        string.text_mut().push_text(&copy);
        return Ok(());
    }
    let other = other.text();
    let mut text = string.text_mut();
    if text.encoding() == other.encoding() {
        text.push_text(&other);
    } else {
        let encoding = common_encoding(ruby, &text, &other)?;
        text.push_text(&other);
        text.set_encoding(encoding);
    }
    Ok(())
}

fn append(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own_to_change(ruby, this)?;
    append_value(ruby, string, &args[0])?;
    Ok(this.clone())
}

fn concat(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own_to_change(ruby, this)?;
    // What is appended is what the arguments were before, even if one of them is the string itself.
    let mut list = Vec::with_capacity(args.len());
    for value in args.list {
        list.push(if value.is_same(this) { Value::str(string.text().clone()) } else { value.clone() });
    }
    for value in &list {
        append_value(ruby, string, value)?;
    }
    Ok(this.clone())
}

fn append_as_bytes(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own_to_change(ruby, this)?;
    let mut bytes = Vec::new();
    for value in args.list {
        match value {
            Value::Int(byte) => bytes.push(*byte as u8),
            Value::Big(big) => bytes.extend(big.number.to_signed_bytes_le().first()),
            Value::String(other) => {
                ruby.grown(string.text().len() + 2 * (bytes.len() + other.text().len()))?;
                bytes.extend_from_slice(&other.text());
            }
            other => {
                let word = ruby.word_for(other);
                return Err(
                    ruby.type_error(format!("wrong argument type {word} (expected String or Integer)"))
                );
            }
        }
    }
    string.text_mut().make_mut().extend(bytes);
    Ok(this.clone())
}

fn prepend(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own_to_change(ruby, this)?;
    let mut front = Text::new(Vec::new(), string.text().encoding());
    for value in args.list {
        let other = ruby.to_text(value)?;
        let encoding = common_encoding(ruby, &front, &other)?;
        front.push_text(&other);
        front.set_encoding(encoding);
    }
    let mut text = string.text_mut();
    let encoding = common_encoding(ruby, &text, &front)?;
    front.push_text(&text);
    *text = front.in_encoding(encoding);
    Ok(this.clone())
}

fn insert(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let position = ruby.to_int(&args[0])?;
    let other = ruby.to_text(&args[1])?;
    let string = own_to_change(ruby, this)?;
    let mut text = string.text_mut();
    let count = text.chars_count() as i64;
    let place = if position < 0 { position + count + 1 } else { position };
    if !(0..=count).contains(&place) {
        let shown = if position < 0 { position + 1 } else { position };
        return Err(ruby.index_error(format!("index {shown} out of string")));
    }
    let at = text.byte_of_char(place as usize).unwrap_or(text.len());
    let encoding = common_encoding(ruby, &text, &other)?;
    text.make_mut().splice(at..at, other.iter().copied());
    text.set_encoding(encoding);
    Ok(this.clone())
}

fn replace(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own_to_change(ruby, this)?;
    let text = ruby.to_text(&args[0])?;
    *string.text_mut() = text;
    Ok(this.clone())
}

fn clear(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let string = own_to_change(ruby, this)?;
    let mut text = string.text_mut();
    *text = text.with_bytes(Vec::new());
    Ok(this.clone())
}

fn unfrozen(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    if string.head.is_frozen() { ruby.send(this, sym::DUP, &[]) } else { Ok(this.clone()) }
}

fn deduplicated(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    if string.head.is_frozen() {
        return Ok(this.clone());
    }
    let copy = StringObject::new(ClassId::STRING, string.text().clone());
    copy.head.freeze();
    Ok(Value::String(copy))
}
