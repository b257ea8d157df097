//! Strings piece by piece: bytes, characters, code points, lines.

use std::rc::Rc;

use unicode_segmentation::UnicodeSegmentation;

use crate::args::Args;
use crate::class::{Native, iterator, method};
use crate::core::enumerator::unknown;
use crate::core::string::{common_encoding, must_be_valid, only_keyword, own, strip};
use crate::error::Result;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::text::Text;
use crate::value::Value;

pub(super) const METHODS: &[Native] = &[
    method("bytes", 0, 0, bytes),
    method("chars", 0, 0, chars),
    method("codepoints", 0, 0, codepoints),
    iterator("each_byte", 0, 0, each_byte, byte_count),
    iterator("each_char", 0, 0, each_char, char_count),
    iterator("each_codepoint", 0, 0, each_codepoint, char_count),
    iterator("each_grapheme_cluster", 0, 0, each_grapheme_cluster, grapheme_count),
    iterator("each_line", 0, 2, each_line, unknown),
    method("grapheme_clusters", 0, 0, grapheme_clusters),
    method("lines", 0, 2, lines),
];

fn all_bytes(ruby: &mut Ruby<'_>, this: &Value) -> Result<Vec<Value>> {
    Ok(own(ruby, this)?.text().iter().map(|byte| Value::Int(i64::from(*byte))).collect())
}

fn all_chars(ruby: &mut Ruby<'_>, this: &Value) -> Result<Vec<Value>> {
    let text = own(ruby, this)?.text();
    ruby.charge(text.len() as u64 / 4)?;
    Ok(text.chars().map(|char| Value::str(text.with_bytes(char.to_vec()))).collect())
}

fn all_codepoints(ruby: &mut Ruby<'_>, this: &Value) -> Result<Vec<Value>> {
    let text = own(ruby, this)?.text();
    if !text.is_single_byte() {
        must_be_valid(ruby, &text)?;
    }
    let encoding = text.encoding();
    Ok(text.chars().map(|char| Value::Int(i64::from(encoding.codepoint(char)))).collect())
}

/// Grapheme clusters: one character to the reader, however many code points it takes.
pub(crate) fn all_graphemes(ruby: &mut Ruby<'_>, this: &Value) -> Result<Vec<Value>> {
    let text = own(ruby, this)?.text();
    ruby.charge(text.len() as u64 / 4)?;
    if !text.encoding().is_unicode() || text.encoding().unit() > 1 {
        drop(text);
        return all_chars(ruby, this);
    }
    let mut clusters = Vec::new();
    for chunk in text.utf8_chunks() {
        clusters.extend(chunk.valid().graphemes(true).map(Value::from));
        clusters.extend(chunk.invalid().iter().map(|byte| Value::str(vec![*byte])));
    }
    Ok(clusters)
}

fn yield_all(ruby: &mut Ruby<'_>, this: &Value, block: &Rc<ProcObject>, values: Vec<Value>) -> Result {
    for value in values {
        ruby.yield_to(block, &[value])?;
    }
    Ok(this.clone())
}

fn list_or_yield(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, values: Vec<Value>) -> Result {
    match args.block {
        Some(block) => yield_all(ruby, this, block, values),
        None => Ok(Value::array(values)),
    }
}

fn bytes(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let values = all_bytes(ruby, this)?;
    list_or_yield(ruby, this, args, values)
}

fn chars(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let values = all_chars(ruby, this)?;
    list_or_yield(ruby, this, args, values)
}

fn codepoints(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let values = all_codepoints(ruby, this)?;
    list_or_yield(ruby, this, args, values)
}

fn grapheme_clusters(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let values = all_graphemes(ruby, this)?;
    list_or_yield(ruby, this, args, values)
}

fn byte_count(ruby: &mut Ruby<'_>, this: &Value, _: &[Value]) -> Result {
    Ok(Value::Int(own(ruby, this)?.text().len() as i64))
}

fn grapheme_count(ruby: &mut Ruby<'_>, this: &Value, _: &[Value]) -> Result {
    Ok(Value::Int(all_graphemes(ruby, this)?.len() as i64))
}

fn char_count(ruby: &mut Ruby<'_>, this: &Value, _: &[Value]) -> Result {
    Ok(Value::Int(own(ruby, this)?.text().chars_count() as i64))
}

fn each_byte(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let string = own(ruby, this)?;
    let mut at = 0;
    // The string may grow or shrink meanwhile.
    loop {
        let byte = string.text().get(at).copied();
        let Some(byte) = byte else { return Ok(this.clone()) };
        ruby.yield_to(block, &[Value::Int(i64::from(byte))])?;
        at += 1;
    }
}

fn each_char(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let values = all_chars(ruby, this)?;
    yield_all(ruby, this, block, values)
}

fn each_codepoint(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let values = all_codepoints(ruby, this)?;
    yield_all(ruby, this, block, values)
}

fn each_grapheme_cluster(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let values = all_graphemes(ruby, this)?;
    yield_all(ruby, this, block, values)
}

/// The lines of a text, each with the separator that ends it unless `chomp`. An empty separator means paragraphs.
pub(crate) fn split_lines(text: &Text, separator: &Text, chomp: bool) -> Vec<Text> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut start = 0;
    let paragraphs = separator.is_empty();
    let finder =
        memchr::memmem::Finder::new(if paragraphs { b"\n\n".as_slice() } else { separator.as_bytes() });
    let newline = separator.as_bytes() == b"\n";
    while start < bytes.len() {
        let mut from = start;
        let found = loop {
            let found = if newline {
                memchr::memchr(b'\n', &bytes[from..]).map(|at| at + from)
            } else {
                finder.find(&bytes[from..]).map(|at| at + from)
            };
            match found {
                Some(at) if !newline && !text.is_boundary(at) => from = at + 1,
                found => break found,
            }
        };
        let (end, next) = match found {
            None => (bytes.len(), bytes.len()),
            Some(at) if paragraphs => {
                let more = bytes[at..].iter().take_while(|byte| **byte == b'\n').count();
                (at + 2, at + more)
            }
            Some(at) => (at + separator.len().max(1), at + separator.len().max(1)),
        };
        let end = match (chomp, found) {
            (false, _) => end,
            (true, Some(at)) if paragraphs => at + 1,
            (true, _) if newline => {
                let line = &bytes[start..end];
                end - match line {
                    [.., b'\r', b'\n'] => 2,
                    [.., b'\n' | b'\r'] => 1,
                    _ => 0,
                }
            }
            (true, Some(at)) => at,
            (true, None) => start + strip::chomped_len(&text.slice(start..end), separator),
        };
        lines.push(text.slice(start..end));
        start = next;
    }
    lines
}

fn all_lines(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result<Vec<Value>> {
    let chomp = only_keyword(ruby, args, "chomp")?.is_some_and(|given| given.is_true());
    let (given, _) = args.split();
    if given.len() > 1 {
        return Err(ruby.wrong_number_of_arguments(given.len(), "0..1"));
    }
    let separator = match given.first() {
        None => Text::from("\n"),
        Some(Value::Nil) => return Ok(vec![Value::str(own(ruby, this)?.text().clone())]),
        Some(given) => ruby.to_text(given)?,
    };
    let text = own(ruby, this)?.text();
    ruby.charge(text.len() as u64 / 16)?;
    common_encoding(ruby, &text, &separator)?;
    Ok(split_lines(&text, &separator, chomp).into_iter().map(Value::str).collect())
}

fn lines(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let values = all_lines(ruby, this, args)?;
    list_or_yield(ruby, this, args, values)
}

fn each_line(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let values = all_lines(ruby, this, args)?;
    yield_all(ruby, this, block, values)
}
