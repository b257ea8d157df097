//! Taking something off the ends of strings.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{Native, method};
use crate::core::string::{common_encoding, copy_and_in_place, must_be_valid};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::text::{Encoding, Text};
use crate::value::{StringObject, Value};

pub(super) const METHODS: &[Native] = &[
    method("chomp", 0, 1, chomp),
    method("chomp!", 0, 1, chomp_in_place),
    method("chop", 0, 0, chop),
    method("chop!", 0, 0, chop_in_place),
    method("delete_prefix", 1, 1, delete_prefix),
    method("delete_prefix!", 1, 1, delete_prefix_in_place),
    method("delete_suffix", 1, 1, delete_suffix),
    method("delete_suffix!", 1, 1, delete_suffix_in_place),
    method("lstrip", 0, 0, lstrip),
    method("lstrip!", 0, 0, lstrip_in_place),
    method("rstrip", 0, 0, rstrip),
    method("rstrip!", 0, 0, rstrip_in_place),
    method("strip", 0, 0, strip),
    method("strip!", 0, 0, strip_in_place),
];

copy_and_in_place! {
    chomp, chomp_in_place => chomped;
    chop, chop_in_place => chopped;
    delete_prefix, delete_prefix_in_place => without_prefix;
    delete_suffix, delete_suffix_in_place => without_suffix;
    lstrip, lstrip_in_place => left_stripped;
    rstrip, rstrip_in_place => right_stripped;
    strip, strip_in_place => stripped;
}

fn part(text: &Text, from: usize, to: usize) -> Option<Text> {
    if from == 0 && to == text.len() { None } else { Some(text.slice(from..to.max(from))) }
}

/// Whether a character is white space for `strip`; a NUL counts too.
fn is_blank(text: &Text, char: &[u8]) -> bool {
    let code = text.encoding().codepoint(char);
    matches!(code, 0 | 9..=13 | 32)
}

fn left_end(text: &Text) -> usize {
    if text.encoding().unit() == 1 {
        return text.iter().position(|byte| !matches!(byte, 0 | 9..=13 | 32)).unwrap_or(text.len());
    }
    let blank = text.chars().take_while(|char| is_blank(text, char));
    blank.map(<[u8]>::len).sum()
}

fn right_end(ruby: &mut Ruby<'_>, text: &Text) -> Result<usize> {
    if !text.encoding().is_single_byte() {
        must_be_valid(ruby, text)?;
    }
    if text.encoding().unit() == 1 {
        return Ok(text.iter().rposition(|byte| !matches!(byte, 0 | 9..=13 | 32)).map_or(0, |at| at + 1));
    }
    let blank = text.chars().rev().take_while(|char| is_blank(text, char));
    Ok(text.len() - blank.map(<[u8]>::len).sum::<usize>())
}

fn left_stripped(ruby: &mut Ruby<'_>, string: &Rc<StringObject>, _: &Args<'_>) -> Result<Option<Text>> {
    let text = string.text();
    let start = left_end(&text);
    must_be_valid(ruby, &text.slice(start..start + text.char_len_at(start)))?;
    Ok(part(&text, start, text.len()))
}

fn right_stripped(ruby: &mut Ruby<'_>, string: &Rc<StringObject>, _: &Args<'_>) -> Result<Option<Text>> {
    let text = string.text();
    let end = right_end(ruby, &text)?;
    Ok(part(&text, 0, end))
}

fn stripped(ruby: &mut Ruby<'_>, string: &Rc<StringObject>, _: &Args<'_>) -> Result<Option<Text>> {
    let text = string.text();
    let start = left_end(&text);
    let end = right_end(ruby, &text)?;
    Ok(part(&text, start, end))
}

fn chopped(_: &mut Ruby<'_>, string: &Rc<StringObject>, _: &Args<'_>) -> Result<Option<Text>> {
    let text = string.text();
    if text.is_empty() {
        return Ok(None);
    }
    if text.encoding() == Encoding::Utf8 && !text.is_valid() {
        // What is left of a character goes as a whole.
        let start = text.iter().rposition(|byte| byte & 0xc0 != 0x80).unwrap_or(0);
        if text.encoding().precise_len(&text[start..]).is_err() {
            return Ok(part(&text, 0, start));
        }
    }
    let mut chars = text.chars();
    let last = chars.next_back().unwrap_or_default();
    let before = if text.encoding().codepoint(last) == 10 { chars.next_back() } else { None };
    let more = before.filter(|char| text.encoding().codepoint(char) == 13).map_or(0, <[u8]>::len);
    Ok(part(&text, 0, text.len() - last.len() - more))
}

/// How long the line end is that `chomp` takes off: `\n`, `\r\n` or `\r`.
fn line_end(bytes: &[u8]) -> usize {
    match bytes {
        [.., b'\r', b'\n'] => 2,
        [.., b'\n' | b'\r'] => 1,
        _ => 0,
    }
}

/// Where text without its end begins and ends: what `chomp` of a separator leaves.
pub(crate) fn chomped_len(text: &Text, separator: &Text) -> usize {
    let bytes = text.as_bytes();
    match separator.as_bytes() {
        b"" => {
            let mut end = bytes.len();
            loop {
                match &bytes[..end] {
                    [.., b'\r', b'\n'] => end -= 2,
                    [.., b'\n'] => end -= 1,
                    _ => return end,
                }
            }
        }
        b"\n" => bytes.len() - line_end(bytes),
        other if bytes.ends_with(other) && text.is_boundary(bytes.len() - other.len()) => {
            bytes.len() - other.len()
        }
        _ => bytes.len(),
    }
}

fn chomped(ruby: &mut Ruby<'_>, string: &Rc<StringObject>, args: &Args<'_>) -> Result<Option<Text>> {
    let separator = match args.get(0) {
        None => Text::from("\n"),
        Some(Value::Nil) => return Ok(None),
        Some(given) => ruby.to_text(given)?,
    };
    let text = string.text();
    if text.encoding().unit() > 1 && args.is_empty() {
        let mut chars = text.chars();
        let last = chars.next_back().unwrap_or_default();
        let code = text.encoding().codepoint(last);
        let mut end = text.len();
        if matches!(code, 10 | 13) && !last.is_empty() {
            end -= last.len();
            let before = chars.next_back().unwrap_or_default();
            if code == 10 && text.encoding().codepoint(before) == 13 {
                end -= before.len();
            }
        }
        return Ok(part(&text, 0, end));
    }
    if text.common_encoding(&separator).is_none() {
        return Ok(None);
    }
    Ok(part(&text, 0, chomped_len(&text, &separator)))
}

fn without_prefix(ruby: &mut Ruby<'_>, string: &Rc<StringObject>, args: &Args<'_>) -> Result<Option<Text>> {
    let prefix = ruby.to_string(&args[0])?;
    let (text, prefix) = (string.text(), prefix.text());
    common_encoding(ruby, &text, &prefix)?;
    let begins = !prefix.is_empty() && text.starts_with(&prefix) && text.is_boundary(prefix.len());
    Ok(if begins { part(&text, prefix.len(), text.len()) } else { None })
}

fn without_suffix(ruby: &mut Ruby<'_>, string: &Rc<StringObject>, args: &Args<'_>) -> Result<Option<Text>> {
    let suffix = ruby.to_string(&args[0])?;
    let (text, suffix) = (string.text(), suffix.text());
    common_encoding(ruby, &text, &suffix)?;
    let ends = !suffix.is_empty() && text.ends_with(&suffix) && text.is_boundary(text.len() - suffix.len());
    Ok(if ends { part(&text, 0, text.len() - suffix.len()) } else { None })
}
