//! Taking strings apart: `split`, `partition`, `rpartition`.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{Native, method};
use crate::core::regexp::matching::{self, Direction};
use crate::core::regexp::search_and_set;
use crate::core::string::search::{self, SearchPattern};
use crate::core::string::{common_encoding, must_be_valid, own};
use crate::error::Result;
use crate::memory::Gathered;
use crate::ruby::Ruby;
use crate::text::{Encoding, Text};
use crate::value::{RegexpObject, Value};

pub(super) const METHODS: &[Native] = &[
    method("partition", 1, 1, partition),
    method("rpartition", 1, 1, rpartition),
    method("split", 0, 2, split),
];

/// At what a text is split.
enum Separator {
    /// At runs of white space, as awk does.
    White,
    /// Between characters.
    Nothing,
    Plain(Text),
    Pattern(Rc<RegexpObject>),
}

fn separator(ruby: &mut Ruby<'_>, given: &Value) -> Result<Separator> {
    let given = match given {
        Value::Nil => {
            let name = ruby.symbols.intern("$;");
            ruby.globals.get(&name).cloned().unwrap_or_default()
        }
        given => given.clone(),
    };
    if given.is_nil() {
        return Ok(Separator::White);
    }
    Ok(match SearchPattern::new(ruby, &given)? {
        SearchPattern::Pattern(regexp) => match regexp.pattern.source() {
            "" => Separator::Nothing,
            " " if regexp.pattern.options() == Default::default() => Separator::Plain(" ".into()),
            _ => Separator::Pattern(regexp),
        },
        SearchPattern::Plain(text) => {
            let text = text.text().clone();
            match text.as_bytes() {
                b" " => Separator::White,
                b"" => Separator::Nothing,
                _ => {
                    must_be_valid(ruby, &text)?;
                    Separator::Plain(text)
                }
            }
        }
    })
}

/// The parts of a text, counted as they are made.
#[derive(Default)]
struct Parts(Gathered);

impl Parts {
    fn push(&mut self, part: Text) {
        self.0.push(Value::str(part));
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

fn is_white(byte: u8) -> bool {
    matches!(byte, 9..=13 | 32)
}

/// Splits at runs of white space into at most `limit` parts, if there is a limit.
fn split_white(text: &Text, limit: usize) -> Parts {
    let bytes = text.as_bytes();
    let mut parts = Parts::default();
    let mut at = 0;
    loop {
        while bytes.get(at).is_some_and(|byte| is_white(*byte)) {
            at += 1;
        }
        if limit > 0 && parts.len() + 1 == limit {
            parts.push(text.slice(at..bytes.len()));
            return parts;
        }
        let start = at;
        while bytes.get(at).is_some_and(|byte| !is_white(*byte)) {
            at += 1;
        }
        if at == bytes.len() {
            // With a limit what comes after the last separator counts, even if it is nothing.
            parts.push(text.slice(start..at));
            return parts;
        }
        parts.push(text.slice(start..at));
    }
}

fn split_plain(text: &Text, separator: &Text, limit: usize) -> Parts {
    let mut parts = Parts::default();
    let mut start = 0;
    let mut from = 0;
    while limit == 0 || parts.len() + 1 < limit {
        let Some(at) = search::find(text, separator, from) else { break };
        parts.push(text.slice(start..at));
        start = at + separator.len();
        from = start;
    }
    parts.push(text.slice(start..text.len()));
    parts
}

fn split_chars(text: &Text, limit: usize) -> Parts {
    let mut parts = Parts::default();
    let mut start = 0;
    for char in text.chars() {
        if limit > 0 && parts.len() + 1 == limit {
            break;
        }
        parts.push(text.with_bytes(char.to_vec()));
        start += char.len();
    }
    parts.push(text.slice(start..text.len()));
    parts
}

fn split_pattern(ruby: &mut Ruby<'_>, text: &Text, regexp: &RegexpObject, limit: usize) -> Result<Parts> {
    let mut parts = Parts::default();
    let mut count = 1;
    let mut begin = 0;
    let mut from = 0;
    // Whether the search has stepped over an empty match at the start of the part.
    let mut stepped = false;
    while from <= text.len() {
        let Some(spans) = matching::search(ruby, regexp, text, from, Direction::Forward)? else { break };
        let (start, end) = spans.first().copied().flatten().unwrap_or_default();
        if start == from && start == end {
            if !stepped {
                from += text.char_len_at(from).max(1);
                stepped = true;
                continue;
            }
            parts.push(text.slice(begin..begin + text.char_len_at(begin)));
            begin = from;
        } else {
            parts.push(text.slice(begin..start));
            begin = end;
            from = end;
        }
        stepped = false;
        spans[1..].iter().flatten().for_each(|(start, end)| parts.push(text.slice(*start..*end)));
        count += 1;
        if limit > 0 && limit <= count {
            break;
        }
    }
    parts.push(text.slice(begin..text.len()));
    Ok(parts)
}

fn split(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    let limit = args.get(1).map(|limit| ruby.to_int(limit)).transpose()?.unwrap_or(0);
    let separator = separator(ruby, &args[0])?;
    let text = string.text().clone();
    ruby.charge(1 + text.len() as u64 / 8)?;
    let most = usize::try_from(limit).unwrap_or(0);
    let mut parts = Parts::default();
    if limit == 1 && !text.is_empty() {
        parts.push(text);
    } else if !text.is_empty() {
        parts = match separator {
            Separator::White => {
                must_be_valid(ruby, &text)?;
                split_white(&text, most)
            }
            Separator::Nothing => split_chars(&text, most),
            Separator::Plain(separator) => {
                must_be_valid(ruby, &text)?;
                common_encoding(ruby, &text, &separator)?;
                split_plain(&text, &separator, most)
            }
            Separator::Pattern(regexp) => split_pattern(ruby, &text, &regexp, most)?,
        };
    }
    let mut parts = parts.0.into_vec();
    if limit == 0 {
        let is_empty = |part: &Value| matches!(part, Value::String(part) if part.text().is_empty());
        while parts.last().is_some_and(is_empty) {
            parts.pop();
        }
    }
    match args.block {
        None => Ok(Value::array(parts)),
        Some(block) => {
            for part in parts {
                ruby.yield_to(block, &[part])?;
            }
            Ok(this.clone())
        }
    }
}

/// The argument of `partition`: a pattern or a string.
fn partition_pattern(ruby: &mut Ruby<'_>, value: &Value) -> Result<SearchPattern> {
    if let Value::Regexp(regexp) = value {
        return Ok(SearchPattern::Pattern(regexp.clone()));
    }
    match ruby.maybe_string(value)? {
        Some(string) => Ok(SearchPattern::Plain(string)),
        None => {
            let word = ruby.class_name_of(value);
            Err(ruby.type_error(format!("type mismatch: {word} given")))
        }
    }
}

/// The part before a match, the match (in the encoding of the pattern), and the part after it.
fn three(text: &Text, (start, end): (usize, usize), encoding: Encoding) -> Value {
    let middle = text.slice(start..end).in_encoding(encoding);
    Value::array([text.slice(0..start), middle, text.slice(end..text.len())].map(Value::str).to_vec())
}

fn partition(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    let place = match partition_pattern(ruby, &args[0])? {
        SearchPattern::Pattern(regexp) => {
            let encoding = string.text().encoding();
            search_and_set(ruby, &regexp, string, 0, Direction::Forward)?
                .map(|found| (found.whole(), encoding))
        }
        SearchPattern::Plain(part) => {
            let (text, part) = (string.text(), part.text());
            common_encoding(ruby, &text, &part)?;
            // Invalid text is not found anywhere.
            let found = part.is_valid().then(|| search::find(&text, &part, 0)).flatten();
            found.map(|at| ((at, at + part.len()), part.encoding()))
        }
    };
    let text = string.text();
    Ok(match place {
        Some((place, encoding)) => three(&text, place, encoding),
        None => three(&text, (text.len(), text.len()), text.encoding()),
    })
}

fn rpartition(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    let place = match partition_pattern(ruby, &args[0])? {
        SearchPattern::Pattern(regexp) => {
            let len = string.text().len();
            let encoding = string.text().encoding();
            search_and_set(ruby, &regexp, string, len, Direction::Backward)?
                .map(|found| (found.whole(), encoding))
        }
        SearchPattern::Plain(part) => {
            let (text, part) = (string.text(), part.text());
            common_encoding(ruby, &text, &part)?;
            let found = part.is_valid().then(|| search::find_last(&text, &part, text.len())).flatten();
            found.map(|at| ((at, at + part.len()), part.encoding()))
        }
    };
    let text = string.text();
    Ok(match place {
        Some((place, encoding)) => three(&text, place, encoding),
        None => three(&text, (0, 0), text.encoding()),
    })
}
