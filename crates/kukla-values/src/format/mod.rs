//! Values as text: interpolation, `sprintf`, the format language of `String.new`, and numbers read back from text.

mod class;
mod digits;
mod field;
mod float;
mod number;
mod pattern;
mod ruby;
mod sprintf;
mod string;

use crate::types::write;
use crate::{Str, Value};
use kukla_syntax::deep;

pub use class::{class_name, no_implicit_conversion};
pub use field::FormatField;
pub use kukla_syntax::float_text;
pub use number::{
    IntegerRules, IntegerText, digit_run, parse_float, parse_integer, parse_number, prefix_base,
};
pub use pattern::Format;
pub use ruby::{dump_text, inspect, inspect_text, old_argument, to_s};
pub use sprintf::sprintf;
pub use string::{Formats, format_value, format_with};

/// The text of `"${value}"`.
///
/// Strings inside collections are not quoted, regular expressions keep their slashes, `undef` is nothing.
pub fn interpolate(value: &Value) -> Str {
    match value {
        Value::String(text) => text.clone(),
        Value::Undef => Str::new(),
        value => {
            let mut out = String::new();
            interpolate_into(value, &mut out);
            out.into()
        }
    }
}

/// Appends what `"${value}"` puts into a string.
pub fn interpolate_into(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => out.push_str(text),
        Value::Array(values) => {
            out.push('[');
            for (at, value) in values.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                deep(|| interpolate_into(value, out));
            }
            out.push(']');
        }
        Value::Hash(hash) => {
            out.push('{');
            for (at, (key, value)) in hash.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                interpolate_into(key, out);
                out.push_str(" => ");
                deep(|| interpolate_into(value, out));
            }
            out.push('}');
        }
        Value::Regexp(regexp) => out.push_str(&regexp.to_literal()),
        value => out.push_str(&to_s(value)),
    }
}

/// Text in Puppet's quotes: single ones unless a control character needs an escape, or double ones if asked for.
pub fn quote(text: &str, double: bool) -> String {
    if !double {
        return write::quote(text);
    }
    let mut out = String::with_capacity(text.len() + 2);
    write::push_double_quoted(&mut out, text);
    out
}

#[cfg(test)]
mod tests;
