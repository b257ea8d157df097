//! Encodings as values.

use crate::args::Args;
use crate::class::{ClassId, Constant, Native, NativeClass, method};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::text::{ENCODINGS, Encoding, Text};
use crate::value::{Object, Value};

/// The class `Encoding`.
pub const ENCODING: NativeClass = NativeClass {
    methods: &[METHODS],
    singleton: &[SINGLETON],
    setup: Some(constants),
    ..NativeClass::class("Encoding", "Object")
};

const METHODS: &[Native] = &[
    method("ascii_compatible?", 0, 0, is_ascii_compatible),
    method("dummy?", 0, 0, is_dummy),
    method("inspect", 0, 0, inspect),
    method("name", 0, 0, name),
    method("names", 0, 0, names),
    method("to_s", 0, 0, name),
];

const SINGLETON: &[Native] = &[
    method("aliases", 0, 0, aliases),
    method("compatible?", 2, 2, compatible),
    method("default_external", 0, 0, default_external),
    method("default_external=", 1, 1, set_default),
    method("default_internal", 0, 0, default_internal),
    method("default_internal=", 1, 1, set_default),
    method("find", 1, 1, find),
    method("list", 0, 0, list),
    method("name_list", 0, 0, name_list),
];

/// The name of the constant for an encoding: `UTF_8`, `WINDOWS_1252`.
fn constant_names(encoding: Encoding) -> Vec<String> {
    let mut names = Vec::new();
    for name in std::iter::once(encoding.name()).chain(encoding.aliases().iter().copied()) {
        let plain: String =
            name.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '_' }).collect();
        if plain.starts_with(|first: char| first.is_ascii_uppercase()) {
            names.push(plain.clone());
        }
        names.push(plain.to_ascii_uppercase());
    }
    names.retain(|name| !name.starts_with(|first: char| first.is_ascii_digit()));
    names.dedup();
    names
}

fn constants(ruby: &mut Ruby<'_>, class: ClassId) {
    for encoding in ENCODINGS {
        let object = Object::with(class, *encoding);
        object.head.freeze();
        let value = Value::Object(object);
        for name in constant_names(*encoding) {
            let name = ruby.symbols.intern(&name);
            ruby.class_mut(class).constants.insert(name, Constant { value: value.clone(), private: false });
        }
    }
}

/// An encoding as a value.
pub(crate) fn value(ruby: &mut Ruby<'_>, encoding: Encoding) -> Value {
    let name = constant_names(encoding).into_iter().next().unwrap_or_default();
    let name = ruby.symbols.intern(&name);
    match ruby.class(ClassId::ENCODING).constants.get(&name) {
        Some(constant) => constant.value.clone(),
        None => Value::Nil,
    }
}

/// The encoding that an `Encoding` is.
pub(crate) fn of_value(value: &Value) -> Option<Encoding> {
    match value {
        Value::Object(object) => object.payload::<Encoding>().map(|encoding| *encoding),
        _ => None,
    }
}

/// The encoding of that name, or an `ArgumentError`.
pub(crate) fn named(ruby: &mut Ruby<'_>, name: &str) -> Result<Encoding> {
    match Encoding::named(name) {
        Some(encoding) => Ok(encoding),
        None => Err(ruby.argument_error(format!("unknown encoding name - {name}"))),
    }
}

/// The encoding that an `Encoding` or a name means.
pub(crate) fn from_value(ruby: &mut Ruby<'_>, value: &Value) -> Result<Encoding> {
    if let Some(encoding) = of_value(value) {
        return Ok(encoding);
    }
    let name = ruby.to_text(value)?.to_str_lossy().into_owned();
    named(ruby, &name)
}

/// The character with a number in an encoding, or a `RangeError`.
pub(crate) fn char_text(ruby: &mut Ruby<'_>, code: i64, encoding: Encoding) -> Result<Text> {
    let Ok(number) = u32::try_from(code) else {
        return Err(ruby.range_error(format!("{code} out of char range")));
    };
    // A number beyond ASCII makes a string in US-ASCII one of bytes.
    if encoding == Encoding::Ascii && (128..256).contains(&number) {
        return Ok(Text::binary(vec![number as u8]));
    }
    match encoding.char_bytes(number) {
        Some(bytes) => Ok(Text::new(bytes, encoding)),
        None if encoding.is_unicode() && (number <= 0x10ffff) => {
            Err(ruby.range_error(format!("invalid codepoint 0x{number:X} in {}", encoding.name())))
        }
        None if encoding.is_unicode() => {
            Err(ruby.range_error(format!("invalid codepoint 0x{number:X} in {}", encoding.name())))
        }
        None => Err(ruby.range_error(format!("{code} out of char range"))),
    }
}

fn own(ruby: &mut Ruby<'_>, this: &Value) -> Result<Encoding> {
    match of_value(this) {
        Some(encoding) => Ok(encoding),
        None => Err(ruby.type_error("wrong argument type (expected Encoding)")),
    }
}

fn name(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::str(Text::from(own(ruby, this)?.name()).in_encoding(Encoding::Ascii)))
}

fn all_names(encoding: Encoding) -> Vec<Value> {
    let mut names = vec![Value::from(encoding.name())];
    names.extend(encoding.aliases().iter().map(|name| Value::from(*name)));
    if encoding == Encoding::Utf8 {
        names.extend(["locale", "external", "filesystem"].map(Value::from));
    }
    names
}

fn names(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::array(all_names(own(ruby, this)?)))
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let encoding = own(ruby, this)?;
    let dummy = if encoding.is_dummy() { " (dummy)" } else { "" };
    Ok(format!("#<Encoding:{}{dummy}>", encoding.name()).into())
}

fn is_dummy(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(own(ruby, this)?.is_dummy().into())
}

fn is_ascii_compatible(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(own(ruby, this)?.is_ascii_compatible().into())
}

fn list(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    Ok(Value::array(ENCODINGS.iter().map(|encoding| value(ruby, *encoding)).collect::<Vec<_>>()))
}

fn name_list(_: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    Ok(Value::array(ENCODINGS.iter().flat_map(|encoding| all_names(*encoding)).collect::<Vec<_>>()))
}

fn aliases(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    let mut pairs = Vec::new();
    for encoding in ENCODINGS {
        pairs
            .extend(encoding.aliases().iter().map(|name| (Value::from(*name), Value::from(encoding.name()))));
    }
    pairs.push(("locale".into(), "UTF-8".into()));
    pairs.push(("external".into(), "UTF-8".into()));
    pairs.push(("filesystem".into(), "UTF-8".into()));
    ruby.make_hash(pairs)
}

fn find(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let given = match &args[0] {
        Value::Symbol(symbol) => Value::from(ruby.name(*symbol)),
        other => other.clone(),
    };
    if let Value::String(string) = &given
        && string.text().as_bytes().eq_ignore_ascii_case(b"internal")
    {
        return Ok(Value::Nil);
    }
    let encoding = from_value(ruby, &given)?;
    Ok(value(ruby, encoding))
}

fn default_external(ruby: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    Ok(value(ruby, Encoding::Utf8))
}

fn default_internal(_: &mut Ruby<'_>, _: &Value, _: &Args<'_>) -> Result {
    Ok(Value::Nil)
}

/// The defaults stay UTF-8: what they would change is not read or written by encoding here.
fn set_default(_: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    Ok(args[0].clone())
}

/// What a value has as text for `compatible?`.
fn text_or_encoding(ruby: &mut Ruby<'_>, value: &Value) -> Option<Text> {
    match value {
        Value::String(string) => Some(string.text().clone()),
        Value::Symbol(symbol) => Some(crate::core::symbol::text_of(ruby, *symbol)),
        Value::Regexp(regexp) => Some(Text::from(regexp.pattern.source()).narrowed()),
        _ => None,
    }
}

fn compatible(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let (a, b) = (text_or_encoding(ruby, &args[0]), text_or_encoding(ruby, &args[1]));
    let common = match (a, b) {
        (Some(a), Some(b)) => a.common_encoding(&b),
        (a, b) => {
            let a = a.map(|text| text.encoding()).or_else(|| of_value(&args[0]));
            let b = b.map(|text| text.encoding()).or_else(|| of_value(&args[1]));
            match (a, b) {
                (Some(a), Some(b)) if a == b => Some(a),
                (Some(a), Some(Encoding::Ascii)) if a.is_ascii_compatible() => Some(a),
                (Some(Encoding::Ascii), Some(b)) if b.is_ascii_compatible() => Some(b),
                _ => None,
            }
        }
    };
    Ok(common.map_or(Value::Nil, |encoding| value(ruby, encoding)))
}
