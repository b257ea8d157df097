//! Values as Ruby itself shows them, which is what `sprintf` uses: `to_s` and `inspect`.

use std::fmt::Write;

use kukla_syntax::deep;

use crate::types::write;
use crate::{Str, Type, Value};

use super::float_text;

/// Ruby's `to_s`.
pub fn to_s(value: &Value) -> Str {
    match value {
        Value::Undef => Str::new(),
        Value::Default => "default".into(),
        Value::Boolean(true) => "true".into(),
        Value::Boolean(false) => "false".into(),
        Value::Integer(number) => ecow::eco_format!("{number}"),
        Value::Float(number) => float_text(*number).into(),
        Value::String(text) => text.clone(),
        Value::Regexp(regexp) => String::from_utf8_lossy(regexp.to_embedded()).into(),
        Value::Type(ty) => match &**ty {
            Type::Resource(Some(resource)) if resource.handed_over => resource.without_quotes(),
            ty => ecow::eco_format!("{ty}"),
        },
        Value::Sensitive(_) => "Sensitive [value redacted]".into(),
        Value::Timestamp(stamp) => ecow::eco_format!("{stamp}"),
        Value::Timespan(span) => ecow::eco_format!("{span}"),
        Value::SemVer(version) => ecow::eco_format!("{version}"),
        Value::SemVerRange(range) => ecow::eco_format!("{range}"),
        Value::Binary(bytes) => ecow::eco_format!("{bytes}"),
        Value::Uri(uri) => ecow::eco_format!("{uri}"),
        Value::Iterator(iterator) => {
            ecow::eco_format!("Iterator[{}]-Value", iterator.element_type().generalized())
        }
        Value::Host(host) => host.text(),
        Value::Object(_) => write::literal(value).into(),
        Value::Array(_) | Value::Hash(_) => inspect(value),
    }
}

/// The argument that a function of Puppet's old API, such as `sprintf`, gets for a value: many values arrive as text.
pub fn old_argument(value: &Value) -> Value {
    match value {
        Value::Undef => Value::String(Str::new()),
        value => inner_argument(value),
    }
}

fn inner_argument(value: &Value) -> Value {
    match value {
        Value::Regexp(_) => Value::String(inspect(value)),
        Value::SemVer(_)
        | Value::SemVerRange(_)
        | Value::Binary(_)
        | Value::Timespan(_)
        | Value::Timestamp(_) => Value::String(to_s(value)),
        Value::Type(ty) => match &**ty {
            Type::Resource(Some(resource)) => Value::from(resource.without_quotes()),
            Type::Class(Some(name)) => {
                Value::from(format!("Class[{}]", crate::types::make::capitalize(name)))
            }
            _ => value.clone(),
        },
        Value::Array(values) => Value::Array(values.iter().map(inner_argument).collect()),
        Value::Hash(hash) => Value::Hash(
            hash.iter().map(|(key, value)| (inner_argument(key), inner_argument(value))).collect(),
        ),
        value => value.clone(),
    }
}

/// Ruby's `inspect`.
pub fn inspect(value: &Value) -> Str {
    match value {
        Value::Undef => "nil".into(),
        Value::Default => ":default".into(),
        Value::String(text) => inspect_text(text).into(),
        Value::Regexp(regexp) => String::from_utf8_lossy(&regexp.to_inspected()).into(),
        Value::Sensitive(_) => "#<Sensitive [value redacted]>".into(),
        Value::SemVerRange(range) => range.normalized().into(),
        Value::Array(values) => {
            let parts: Vec<Str> = deep(|| values.iter().map(inspect).collect());
            ecow::eco_format!("[{}]", parts.join(", "))
        }
        Value::Hash(hash) => {
            let entry = |(key, value)| format!("{}=>{}", inspect(key), inspect(value));
            let parts: Vec<String> = deep(|| hash.iter().map(entry).collect());
            ecow::eco_format!("{{{}}}", parts.join(", "))
        }
        Value::Timestamp(stamp) => ecow::eco_format!("Timestamp('{stamp}')"),
        Value::Timespan(span) => ecow::eco_format!("Timespan('{span}')"),
        value => to_s(value),
    }
}

/// Text in double quotes with Ruby's escapes.
pub fn inspect_text(text: &str) -> String {
    escaped(text, false)
}

/// Text in double quotes with everything but ASCII escaped.
pub fn dump_text(text: &str) -> String {
    escaped(text, true)
}

fn escaped(text: &str, ascii: bool) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let short = match c {
            '"' | '\\' => c,
            '\n' => 'n',
            '\t' => 't',
            '\r' => 'r',
            '\x0c' => 'f',
            '\x0b' => 'v',
            '\x08' => 'b',
            '\x07' => 'a',
            '\x1b' => 'e',
            '#' if matches!(chars.peek(), Some('{' | '$' | '@')) => c,
            _ => {
                // Writing to a string cannot fail.
                let _ = match c {
                    '\x7f' => write!(out, "\\x7F"),
                    c if c.is_ascii_control() && ascii => write!(out, "\\x{:02X}", c as u32),
                    c if c.is_control() || (ascii && !c.is_ascii()) => match c as u32 {
                        code @ 0..=0xffff => write!(out, "\\u{code:04X}"),
                        code => write!(out, "\\u{{{code:X}}}"),
                    },
                    c => write!(out, "{c}"),
                };
                continue;
            }
        };
        out.push('\\');
        out.push(short);
    }
    out.push('"');
    out
}

/// Bytes in double quotes, those outside ASCII in hexadecimal.
pub(super) fn inspect_bytes(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for part in bytes.utf8_chunks() {
        let shown = inspect_text(part.valid());
        for c in shown[1..shown.len() - 1].replace("\\u00", "\\x").chars() {
            match c {
                c if c.is_ascii() => out.push(c),
                c => c
                    .encode_utf8(&mut [0; 4])
                    .bytes()
                    .for_each(|byte| out.push_str(&format!("\\x{byte:02X}"))),
            }
        }
        part.invalid().iter().for_each(|byte| out.push_str(&format!("\\x{byte:02X}")));
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_patterns() {
        for (source, shown) in [
            ("AB", "(?-mix:AB)"),
            ("(?i:AB)", "(?i-mx:AB)"),
            ("(?im-x:a|b)", "(?mi-x:a|b)"),
            ("(?:a)", "(?-mix:a)"),
            ("(?i)a|b", "(?i-mx:a|b)"),
            ("(?i)(?x)a", "(?ix-m:a)"),
            ("(?i)(?m:x)", "(?mi-x:x)"),
            ("(?i)(?=a)b", "(?-mix:(?i)(?=a)b)"),
            ("a(?i)b", "(?-mix:a(?i)b)"),
            ("(?i:a)(?x:b)", "(?-mix:(?i:a)(?x:b))"),
        ] {
            let regexp = crate::regexp::Regexp::new(source).expect("a pattern");
            assert_eq!(to_s(&Value::Regexp(regexp)), shown);
        }
    }
}
