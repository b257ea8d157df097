//! Looking for something in strings.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, method, quick};
use crate::core::match_data;
use crate::core::regexp::matching::{self, Direction};
use crate::core::regexp::{self, search_and_set, set_match};
use crate::core::string::{common_encoding, own, show};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::Text;
use crate::value::{RegexpObject, StringObject, Value};

pub(super) const METHODS: &[Native] = &[
    method("=~", 1, 1, match_operator),
    method("byteindex", 1, 2, byteindex),
    method("byterindex", 1, 2, byterindex),
    quick("end_with?", 0, ANY, ends_with),
    method("include?", 1, 1, includes),
    method("index", 1, 2, index),
    method("match", 1, 2, match_method),
    method("match?", 1, 2, is_match),
    method("rindex", 1, 2, rindex),
    method("scan", 1, 1, scan),
    quick("start_with?", 0, ANY, starts_with),
];

/// The byte position of the first occurrence of a part at or after another.
pub(crate) fn find(text: &Text, part: &[u8], from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let single = text.is_single_byte();
    let mut from = from;
    loop {
        let rest = bytes.get(from..)?;
        let at = match part {
            [byte] => memchr::memchr(*byte, rest),
            part => memchr::memmem::find(rest, part),
        }? + from;
        if single || text.is_boundary(at) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// The byte position of the last occurrence of a part that begins at or before another.
pub(crate) fn find_last(text: &Text, part: &[u8], from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut end = from.checked_add(part.len())?.min(bytes.len());
    loop {
        let at = memchr::memmem::rfind(&bytes[..end], part)?;
        if text.is_boundary(at) {
            return Some(at);
        }
        end = (at + part.len()).checked_sub(1)?;
    }
}

/// The object of a search: a pattern or plain text.
pub(crate) enum SearchPattern {
    /// A pattern.
    Pattern(Rc<RegexpObject>),
    /// Plain text.
    Plain(Rc<StringObject>),
}

impl SearchPattern {
    /// A pattern, or a string (`to_str`); anything else is a `TypeError` in these words.
    pub(crate) fn new(ruby: &mut Ruby<'_>, value: &Value) -> Result<SearchPattern> {
        if let Value::Regexp(regexp) = value {
            return Ok(SearchPattern::Pattern(regexp.clone()));
        }
        match ruby.maybe_string(value)? {
            Some(string) => Ok(SearchPattern::Plain(string)),
            None => {
                let word = ruby.word_for(value);
                Err(ruby.type_error(format!("wrong argument type {word} (expected Regexp)")))
            }
        }
    }

    /// A pattern, or a string (`to_str`) in its place, which must be valid.
    pub(crate) fn quoted(ruby: &mut Ruby<'_>, value: &Value) -> Result<SearchPattern> {
        let wanted = SearchPattern::new(ruby, value)?;
        if let SearchPattern::Plain(part) = &wanted
            && !part.text().is_valid()
        {
            let shown = show::inspect_text(&part.text());
            let shown = String::from_utf8_lossy(&shown[1..shown.len() - 1]).into_owned();
            let message = format!("invalid multibyte character: /{shown}/");
            return Err(ruby.error(ClassId::REGEXP_ERROR, message));
        }
        Ok(wanted)
    }

    /// A pattern, or a string (`to_str`); anything else is not a String.
    fn index(ruby: &mut Ruby<'_>, value: &Value) -> Result<SearchPattern> {
        if let Value::Regexp(regexp) = value {
            return Ok(SearchPattern::Pattern(regexp.clone()));
        }
        Ok(SearchPattern::Plain(ruby.to_string(value)?))
    }
}

fn find_forward(
    ruby: &mut Ruby<'_>,
    string: &Rc<StringObject>,
    wanted: &SearchPattern,
    from: usize,
) -> Result<Option<usize>> {
    match wanted {
        SearchPattern::Pattern(regexp) => {
            Ok(search_and_set(ruby, regexp, string, from, Direction::Forward)?.map(|found| found.whole().0))
        }
        SearchPattern::Plain(part) => {
            let (text, part) = (string.text(), part.text());
            common_encoding(ruby, &text, &part)?;
            ruby.charge(1 + (text.len() - from.min(text.len())) as u64 / 256)?;
            Ok(if part.is_valid() { find(&text, &part, from) } else { None })
        }
    }
}

fn find_backward(
    ruby: &mut Ruby<'_>,
    string: &Rc<StringObject>,
    wanted: &SearchPattern,
    from: usize,
) -> Result<Option<usize>> {
    match wanted {
        SearchPattern::Pattern(regexp) => {
            Ok(search_and_set(ruby, regexp, string, from, Direction::Backward)?.map(|found| found.whole().0))
        }
        SearchPattern::Plain(part) => {
            let (text, part) = (string.text(), part.text());
            common_encoding(ruby, &text, &part)?;
            ruby.charge(1 + text.len() as u64 / 256)?;
            Ok(if part.is_valid() { find_last(&text, &part, from) } else { None })
        }
    }
}

fn no_match(ruby: &mut Ruby<'_>, wanted: &SearchPattern) -> Result {
    if let SearchPattern::Pattern(_) = wanted {
        ruby.set_last_match(Value::Nil);
    }
    Ok(Value::Nil)
}

fn index(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    let start = args.get(1).map(|start| ruby.to_int(start)).transpose()?.unwrap_or(0);
    let wanted = SearchPattern::index(ruby, &args[0])?;
    let from = {
        let text = string.text();
        let start = if start < 0 { start + text.chars_count() as i64 } else { start };
        usize::try_from(start).ok().and_then(|start| text.byte_of_char(start))
    };
    let Some(from) = from else { return no_match(ruby, &wanted) };
    let found = find_forward(ruby, string, &wanted, from)?;
    Ok(found.map_or(Value::Nil, |at| Value::Int(string.text().char_of_byte(at) as i64)))
}

fn rindex(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    let start = args.get(1).map(|start| ruby.to_int(start)).transpose()?;
    let wanted = SearchPattern::index(ruby, &args[0])?;
    let from = {
        let text = string.text();
        match start {
            None => Some(text.len()),
            Some(start) => {
                let start = if start < 0 { start + text.chars_count() as i64 } else { start };
                usize::try_from(start).ok().map(|start| text.byte_of_char(start).unwrap_or(text.len()))
            }
        }
    };
    let Some(from) = from else { return no_match(ruby, &wanted) };
    let found = find_backward(ruby, string, &wanted, from)?;
    Ok(found.map_or(Value::Nil, |at| Value::Int(string.text().char_of_byte(at) as i64)))
}

/// An error if no character begins at a byte position.
fn must_be_boundary(ruby: &mut Ruby<'_>, string: &StringObject, at: usize) -> Result<()> {
    if string.text().is_boundary(at) {
        return Ok(());
    }
    Err(ruby.index_error(format!("offset {at} does not land on character boundary")))
}

fn byteindex(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    let start = args.get(1).map(|start| ruby.to_int(start)).transpose()?.unwrap_or(0);
    let wanted = SearchPattern::index(ruby, &args[0])?;
    let len = string.text().len() as i64;
    let start = if start < 0 { start + len } else { start };
    if !(0..=len).contains(&start) {
        return no_match(ruby, &wanted);
    }
    must_be_boundary(ruby, string, start as usize)?;
    let found = find_forward(ruby, string, &wanted, start as usize)?;
    Ok(found.map_or(Value::Nil, |at| Value::Int(at as i64)))
}

fn byterindex(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    let len = string.text().len() as i64;
    let start = args.get(1).map(|start| ruby.to_int(start)).transpose()?.unwrap_or(len);
    let wanted = SearchPattern::index(ruby, &args[0])?;
    let start = if start < 0 { start + len } else { start }.min(len);
    if start < 0 {
        return no_match(ruby, &wanted);
    }
    must_be_boundary(ruby, string, start as usize)?;
    let found = find_backward(ruby, string, &wanted, start as usize)?;
    Ok(found.map_or(Value::Nil, |at| Value::Int(at as i64)))
}

fn includes(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    let part = ruby.to_string(&args[0])?;
    let (text, part) = (string.text(), part.text());
    common_encoding(ruby, &text, &part)?;
    ruby.charge(1 + text.len() as u64 / 256)?;
    Ok((part.is_valid() && find(&text, &part, 0).is_some()).into())
}

fn starts_with(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    for prefix in args.list {
        if let Value::Regexp(regexp) = prefix {
            if search_and_set(ruby, regexp, string, 0, Direction::Here)?.is_some() {
                return Ok(true.into());
            }
            continue;
        }
        let prefix = ruby.to_string(prefix)?;
        let (text, prefix) = (string.text(), prefix.text());
        common_encoding(ruby, &text, &prefix)?;
        if text.starts_with(&prefix) && text.is_boundary(prefix.len()) {
            return Ok(true.into());
        }
    }
    Ok(false.into())
}

fn ends_with(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    for suffix in args.list {
        let suffix = ruby.to_string(suffix)?;
        let (text, suffix) = (string.text(), suffix.text());
        common_encoding(ruby, &text, &suffix)?;
        if text.ends_with(&suffix) && text.is_boundary(text.len() - suffix.len()) {
            return Ok(true.into());
        }
    }
    Ok(false.into())
}

fn match_operator(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    match &args[0] {
        Value::Regexp(regexp) => {
            let found = search_and_set(ruby, regexp, string, 0, Direction::Forward)?;
            Ok(found
                .map_or(Value::Nil, |found| Value::Int(string.text().char_of_byte(found.whole().0) as i64)))
        }
        Value::String(_) => Err(ruby.type_error("type mismatch: String given")),
        other => ruby.send(other, sym::MATCH, std::slice::from_ref(this)),
    }
}

/// The pattern that `match` takes: a string is one in source.
fn pattern(ruby: &mut Ruby<'_>, value: &Value) -> Result {
    match SearchPattern::new(ruby, value)? {
        SearchPattern::Pattern(regexp) => Ok(Value::Regexp(regexp)),
        SearchPattern::Plain(source) => {
            let source = source.text().clone();
            regexp::from_source(ruby, &source)
        }
    }
}

fn match_method(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let pattern = pattern(ruby, &args[0])?;
    let mut list = args.list.to_vec();
    list[0] = this.clone();
    let name = ruby.symbols.intern("match");
    ruby.call(&pattern, name, &Args { list: &list, ..*args })
}

fn is_match(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let pattern = pattern(ruby, &args[0])?;
    let mut list = args.list.to_vec();
    list[0] = this.clone();
    let name = ruby.symbols.intern("match?");
    ruby.call(&pattern, name, &Args::new(&list))
}

/// Where the search goes on after a match: past an empty one by a character.
pub(crate) fn after(text: &Text, (start, end): (usize, usize)) -> usize {
    if end > start { end } else { end + text.char_len_at(end).max(1) }
}

/// The places of the next match of what is wanted.
pub(crate) fn next_match(
    ruby: &mut Ruby<'_>,
    text: &Text,
    wanted: &SearchPattern,
    from: usize,
) -> Result<Option<matching::Spans>> {
    if from > text.len() {
        return Ok(None);
    }
    match wanted {
        SearchPattern::Pattern(regexp) => matching::search(ruby, regexp, text, from, Direction::Forward),
        SearchPattern::Plain(part) => {
            let part = part.text();
            Ok(find(text, &part, from).map(|at| vec![Some((at, at + part.len()))]))
        }
    }
}

fn scan(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    let wanted = SearchPattern::quoted(ruby, &args[0])?;
    if let SearchPattern::Plain(part) = &wanted {
        common_encoding(ruby, &string.text(), &part.text())?;
    }
    let regexp = if let SearchPattern::Pattern(regexp) = &wanted { Some(regexp.clone()) } else { None };
    let subject = match_data::frozen_subject(string);
    let text = subject.text();
    let mut results = Vec::new();
    let mut from = 0;
    let mut last = None;
    while let Some(spans) = next_match(ruby, &text, &wanted, from)? {
        let whole = spans.first().copied().flatten().unwrap_or_default();
        from = after(&text, whole);
        let part =
            |span: Option<(usize, usize)>| span.map_or(Value::Nil, |(a, b)| Value::str(text.slice(a..b)));
        let result = match &spans[..] {
            [whole] => part(*whole),
            [_, groups @ ..] => Value::array(groups.iter().map(|group| part(*group)).collect::<Vec<_>>()),
            [] => Value::Nil,
        };
        match args.block {
            None => {
                ruby.charge(1)?;
                results.push(result);
                last = Some(spans);
            }
            Some(block) => {
                set_match(ruby, regexp.as_ref(), &subject, Some(spans.clone()));
                ruby.yield_to(block, &[result])?;
                last = Some(spans);
            }
        }
    }
    set_match(ruby, regexp.as_ref(), &subject, last);
    if args.block.is_some() { Ok(this.clone()) } else { Ok(Value::array(results)) }
}
