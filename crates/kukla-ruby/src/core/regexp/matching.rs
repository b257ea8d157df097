//! Looking for a pattern in a text: the only place that calls the engine.

use kukla_values::regexp;
pub(crate) use kukla_values::regexp::{Direction, Spans};

use crate::class::ClassId;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::text::{Encoding, Text};
use crate::value::RegexpObject;

/// Looks for a match from a byte position.
pub(crate) fn search(
    ruby: &mut Ruby<'_>,
    regexp: &RegexpObject,
    text: &Text,
    from: usize,
    direction: Direction,
) -> Result<Option<Spans>> {
    check(ruby, regexp, text)?;
    if from > text.len() {
        return Ok(None);
    }
    charge(ruby, if direction == Direction::Backward { from } else { text.len() - from })?;
    let found = regexp.pattern.search(text, from, reading(text), direction)?;
    ruby.charge(regexp::spent())?;
    Ok(found)
}

/// Looks for a match in what follows a byte position, as if nothing came before it.
pub(crate) fn search_rest(
    ruby: &mut Ruby<'_>,
    regexp: &RegexpObject,
    text: &Text,
    from: usize,
    direction: Direction,
) -> Result<Option<Spans>> {
    check(ruby, regexp, text)?;
    let Some(rest) = text.get(from..) else { return Ok(None) };
    charge(ruby, 0)?;
    let spans = regexp.pattern.search(rest, 0, reading(text), direction)?;
    let place = |(start, end): (usize, usize)| (start + from, end + from);
    Ok(spans.map(|spans| spans.into_iter().map(|span| span.map(place)).collect()))
}

/// Counts a search through a number of bytes that is about to begin, and the work of those before it: a method that finds all matches makes
/// many of them.
fn charge(ruby: &mut Ruby<'_>, bytes: usize) -> Result<()> {
    ruby.charge(1 + bytes as u64 / 32 + regexp::spent())
}

/// How the engine is to read a text.
fn reading(text: &Text) -> regexp::Encoding {
    if text.encoding() == Encoding::Utf8 { regexp::Encoding::Utf8 } else { regexp::Encoding::Binary }
}

/// Whether there is a match at or after a byte position.
pub(crate) fn is_match(ruby: &mut Ruby<'_>, regexp: &RegexpObject, text: &Text, from: usize) -> Result<bool> {
    if from == 0
        && text.encoding() == Encoding::Utf8
        && let Some(subject) = text.as_str()
    {
        check(ruby, regexp, text)?;
        charge(ruby, text.len())?;
        return Ok(regexp.pattern.try_is_match(subject)?);
    }
    Ok(search(ruby, regexp, text, from, Direction::Forward)?.is_some())
}

/// An error if the text is not valid or the pattern is in another encoding.
fn check(ruby: &mut Ruby<'_>, regexp: &RegexpObject, text: &Text) -> Result<()> {
    if text.is_ascii() {
        return Ok(());
    }
    if !text.is_valid() {
        return Err(ruby.argument_error(format!("invalid byte sequence in {}", text.encoding().name())));
    }
    let encoding = text.encoding();
    let own = match regexp.pattern.encoding() {
        regexp::Encoding::Utf8 => Encoding::Utf8,
        regexp::Encoding::Binary => Encoding::Binary,
    };
    let beyond_ascii = regexp.pattern.is_beyond_ascii();
    if encoding.is_ascii_compatible() && (!beyond_ascii || encoding == own) {
        return Ok(());
    }
    let pattern = if beyond_ascii { own.name() } else { "US-ASCII" };
    let message =
        format!("incompatible encoding regexp match ({pattern} regexp with {} string)", encoding.name());
    Err(ruby.error(ClassId::COMPATIBILITY_ERROR, message))
}
