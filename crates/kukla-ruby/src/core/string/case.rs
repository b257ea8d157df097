//! Upper, lower and title case.

use std::rc::Rc;

use kukla_values::case;

use crate::args::Args;
use crate::class::{Native, method};
use crate::core::string::copy_and_in_place;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::text::Text;
use crate::value::{StringObject, Value};

pub(super) const METHODS: &[Native] = &[
    method("capitalize", 0, 2, capitalize),
    method("capitalize!", 0, 2, capitalize_in_place),
    method("downcase", 0, 2, downcase),
    method("downcase!", 0, 2, downcase_in_place),
    method("swapcase", 0, 2, swapcase),
    method("swapcase!", 0, 2, swapcase_in_place),
    method("upcase", 0, 2, upcase),
    method("upcase!", 0, 2, upcase_in_place),
];

copy_and_in_place! {
    upcase, upcase_in_place => to_upper;
    downcase, downcase_in_place => to_lower;
    swapcase, swapcase_in_place => to_swapped;
    capitalize, capitalize_in_place => to_capitalized;
}

/// The options of these methods.
#[derive(Clone, Copy, Default)]
struct Manner {
    /// Only ASCII letters change.
    ascii: bool,
    /// As Turks and Azerbaijanis write: with a dotless i.
    turkic: bool,
    /// Make letters comparable instead of lower case.
    fold: bool,
}

fn manner(ruby: &mut Ruby<'_>, args: &Args<'_>, folds: bool) -> Result<Manner> {
    let mut manner = Manner::default();
    let mut names = Vec::new();
    for option in args.list {
        let Value::Symbol(symbol) = option else {
            let word = ruby.class_name_of(option);
            return Err(ruby.type_error(format!("no implicit conversion of {word} into Symbol")));
        };
        names.push(ruby.name(*symbol).to_owned());
    }
    for (place, name) in names.iter().enumerate() {
        match (name.as_str(), place) {
            ("ascii", 0) => {
                manner.ascii = true;
                if names.len() > 1 {
                    return Err(ruby.argument_error("too many options"));
                }
            }
            ("fold", 0) => {
                if !folds {
                    return Err(ruby.argument_error("option :fold only allowed for downcasing"));
                }
                manner.fold = true;
                if names.len() > 1 {
                    return Err(ruby.argument_error("too many options"));
                }
            }
            ("turkic", 0) => manner.turkic = true,
            ("lithuanian", 0) => {}
            ("turkic", 1) if names[0] == "lithuanian" => manner.turkic = true,
            ("lithuanian", 1) if names[0] == "turkic" => {}
            ("turkic" | "lithuanian" | "ascii" | "fold", 1) => {
                return Err(ruby.argument_error("invalid second argument: use only Lithuanian with Turkic"));
            }
            _ => return Err(ruby.argument_error("invalid option")),
        }
    }
    Ok(manner)
}

/// Text with each character mapped; `None` if nothing changes.
fn map(
    ruby: &mut Ruby<'_>,
    string: &StringObject,
    manner: Manner,
    ascii: fn(usize, u8) -> u8,
    unicode: fn(&mut String, usize, char, Manner),
) -> Result<Option<Text>> {
    let text = string.text();
    let encoding = text.encoding();
    let manner = if encoding.is_unicode() { manner } else { Manner { turkic: false, ..manner } };
    let only_ascii =
        text.is_ascii() || !encoding.has_letters_beyond_ascii() || (manner.ascii && text.is_valid());
    if encoding.is_ascii_compatible() && only_ascii && !manner.turkic {
        let mapped: Vec<u8> = text.iter().enumerate().map(|(at, byte)| ascii(at, *byte)).collect();
        let same = mapped == text.as_bytes();
        return Ok(if same { None } else { Some(text.with_bytes(mapped)) });
    }
    if !text.is_valid() {
        return Err(ruby.argument_error("input string invalid"));
    }
    let mut mapped = String::with_capacity(text.len() + 8);
    for (at, char) in text.chars().enumerate() {
        match encoding.decode(char) {
            Some(char) if manner.ascii => match u8::try_from(u32::from(char)) {
                Ok(byte) if byte.is_ascii() => mapped.push(char::from(ascii(at, byte))),
                _ => mapped.push(char),
            },
            Some(char) => unicode(&mut mapped, at, char, manner),
            None => {}
        }
    }
    let bytes: Vec<u8> = match encoding {
        crate::text::Encoding::Utf8 => mapped.into_bytes(),
        other => mapped.chars().filter_map(|char| other.encode(char)).flatten().collect(),
    };
    let same = bytes == text.as_bytes();
    Ok(if same { None } else { Some(text.with_bytes(bytes)) })
}

fn push_upper(to: &mut String, _: usize, char: char, manner: Manner) {
    match char {
        'i' if manner.turkic => to.push('İ'),
        char => to.extend(char.to_uppercase()),
    }
}

fn push_lower(to: &mut String, _: usize, char: char, manner: Manner) {
    match char {
        'I' if manner.turkic => to.push('ı'),
        'İ' if manner.turkic => to.push('i'),
        char if manner.fold => push_folded(to, char),
        char => to.extend(char.to_lowercase()),
    }
}

/// A character as it is compared when case does not matter.
fn push_folded(to: &mut String, char: char) {
    match u32::from(char) {
        // Cherokee folds to its capitals, which are older.
        0x13a0..=0x13f5 => to.push(char),
        0x13f8..=0x13fd | 0xab70..=0xabbf => to.extend(char.to_uppercase()),
        0x1e9e => to.push_str("ss"),
        0x130 => to.push_str("i\u{307}"),
        // A dotless i stays what it is.
        0x131 => to.push(char),
        _ => to.extend(char.to_uppercase().flat_map(char::to_lowercase)),
    }
}

fn push_title(to: &mut String, char: char, manner: Manner) {
    match char {
        'i' if manner.turkic => to.push('İ'),
        char => case::push_titlecase(to, char),
    }
}

fn push_swapped(to: &mut String, _: usize, char: char, manner: Manner) {
    match char {
        'I' if manner.turkic => to.push('ı'),
        'İ' if manner.turkic => to.push('i'),
        'i' if manner.turkic => to.push('İ'),
        char => case::push_swapped(to, char),
    }
}

fn swap_ascii(byte: u8) -> u8 {
    if byte.is_ascii_alphabetic() { byte ^ 0x20 } else { byte }
}

fn to_upper(ruby: &mut Ruby<'_>, string: &Rc<StringObject>, args: &Args<'_>) -> Result<Option<Text>> {
    let manner = manner(ruby, args, false)?;
    map(ruby, string, manner, |_, byte| byte.to_ascii_uppercase(), push_upper)
}

fn to_lower(ruby: &mut Ruby<'_>, string: &Rc<StringObject>, args: &Args<'_>) -> Result<Option<Text>> {
    let manner = manner(ruby, args, true)?;
    map(ruby, string, manner, |_, byte| byte.to_ascii_lowercase(), push_lower)
}

fn to_swapped(ruby: &mut Ruby<'_>, string: &Rc<StringObject>, args: &Args<'_>) -> Result<Option<Text>> {
    let manner = manner(ruby, args, false)?;
    map(ruby, string, manner, |_, byte| swap_ascii(byte), push_swapped)
}

fn to_capitalized(ruby: &mut Ruby<'_>, string: &Rc<StringObject>, args: &Args<'_>) -> Result<Option<Text>> {
    let manner = manner(ruby, args, false)?;
    let ascii =
        |at: usize, byte: u8| if at == 0 { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() };
    map(ruby, string, manner, ascii, |to, at, char, manner| {
        if at == 0 { push_title(to, char, manner) } else { push_lower(to, at, char, manner) }
    })
}

/// The text as it is compared when case does not matter.
pub(crate) fn fold(ruby: &mut Ruby<'_>, text: &Text) -> Result<Text> {
    if text.is_ascii() || !text.encoding().is_unicode() {
        return Ok(text.with_bytes(text.to_ascii_lowercase()));
    }
    if !text.is_valid() {
        return Err(ruby.argument_error("input string invalid"));
    }
    let mut folded = String::with_capacity(text.len());
    for char in text.chars() {
        if let Some(char) = char::from_u32(text.encoding().codepoint(char)) {
            push_folded(&mut folded, char);
        }
    }
    Ok(folded.into())
}
