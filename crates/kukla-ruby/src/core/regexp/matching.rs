//! Looking for a pattern in a text: the only place that calls the engine.

use kukla_values::regexp::Regexp;

use crate::class::ClassId;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::text::{Encoding, Text};
use crate::value::RegexpObject;

/// Where a match and its groups lie, in bytes.
pub(crate) type Spans = Vec<Option<(usize, usize)>>;

/// From where a match is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// The first match at or after the position.
    Forward,
    /// A match right at the position.
    Here,
    /// The last match that begins at or before the position.
    Backward,
}

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
    ruby.charge(1 + (text.len() - from) as u64 / 32)?;
    let pattern = &regexp.pattern;
    match text.as_str() {
        Some(subject) => Ok(find(pattern, subject, from, direction)?),
        None => {
            // Each byte becomes a character of one or two bytes; places are translated back.
            let widened: String = text.iter().map(|byte| char::from(*byte)).collect();
            let place = |at: usize| widened.char_indices().take_while(|(position, _)| *position < at).count();
            let start = text.iter().take(from).map(|byte| char::from(*byte).len_utf8()).sum();
            let spans = find(pattern, &widened, start, direction)?;
            Ok(spans
                .map(|spans| spans.into_iter().map(|span| span.map(|(a, b)| (place(a), place(b)))).collect()))
        }
    }
}

fn find(
    pattern: &Regexp,
    subject: &str,
    from: usize,
    direction: Direction,
) -> std::result::Result<Option<Spans>, kukla_values::Error> {
    let at = |from: usize| -> std::result::Result<Option<Spans>, kukla_values::Error> {
        let found = pattern.captures_at(subject, from)?;
        Ok(found.map(|captures| (0..captures.len()).map(|group| captures.span(group)).collect()))
    };
    let here = |from: usize, found: Option<Spans>| {
        found.filter(|spans| spans.first().copied().flatten().is_some_and(|(start, _)| start == from))
    };
    match direction {
        Direction::Forward => at(from),
        Direction::Here => Ok(here(from, at(from)?)),
        Direction::Backward => {
            let mut from = from;
            loop {
                if subject.is_char_boundary(from)
                    && let found @ Some(_) = here(from, at(from)?)
                {
                    return Ok(found);
                }
                match from.checked_sub(1) {
                    Some(before) => from = before,
                    None => return Ok(None),
                }
            }
        }
    }
}

/// Whether there is a match at or after a byte position.
pub(crate) fn is_match(ruby: &mut Ruby<'_>, regexp: &RegexpObject, text: &Text, from: usize) -> Result<bool> {
    if from == 0
        && let Some(subject) = text.as_str()
    {
        check(ruby, regexp, text)?;
        ruby.charge(1 + text.len() as u64 / 32)?;
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
    let fits =
        encoding.is_ascii_compatible() && (regexp.pattern.source().is_ascii() || encoding == Encoding::Utf8);
    if fits {
        return Ok(());
    }
    let pattern = if regexp.pattern.source().is_ascii() { "US-ASCII" } else { "UTF-8" };
    let message =
        format!("incompatible encoding regexp match ({pattern} regexp with {} string)", encoding.name());
    Err(ruby.error(ClassId::COMPATIBILITY_ERROR, message))
}
