//! Tags that a comma follows at once, as in `[!a, b]`: the scanner has no answer to them, so they are given a space.

use std::borrow::Cow;

use libyaml_safer::{EventData, Parser, ScalarStyle};

use super::read::completed;

/// The text with a space behind each tag that a comma follows; nearly always the text itself.
pub(super) fn spaced(text: &[u8]) -> Cow<'_, [u8]> {
    let (readable, rest) = match std::str::from_utf8(text) {
        Ok(readable) => (readable, &[][..]),
        Err(error) => {
            let (readable, rest) = text.split_at(error.valid_up_to());
            (std::str::from_utf8(readable).unwrap_or_default(), rest)
        }
    };
    let readable = readable.strip_prefix('\u{feff}').unwrap_or(readable);
    let mut commas = candidates(readable.as_bytes());
    if commas.is_empty() {
        return Cow::Borrowed(text);
    }
    // A space before a comma changes no structure, so a text with one at every candidate tells which of them are tags. The scanner does not
    // count a byte order mark, which no text has but at its beginning; should one have it, places tell nothing.
    let (tags, read) = match readable.contains('\u{feff}') {
        true => (Vec::new(), 0),
        false => bare_tags(&with_spaces(readable, &commas)),
    };
    let mut inserted = 0;
    commas.retain(|comma| {
        // Behind what cannot be read the scanner must find no tag before a comma either.
        let is_tag = comma + inserted >= read || tags.binary_search(&(comma + inserted)).is_ok();
        inserted += 1;
        is_tag
    });
    let mut spaced = with_spaces(readable, &commas);
    spaced.extend_from_slice(rest);
    Cow::Owned(spaced)
}

/// Where commas stand behind what would be a tag, were it not inside of something else.
fn candidates(text: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut at, mut verbatim_end) = (0, 0);
    while let Some(start) = text[at..].iter().position(|byte| *byte == b'!').map(|found| at + found) {
        let mut end = start + 1;
        if text.get(end) == Some(&b'<') {
            // What begins within ends at the same place.
            end = end.max(verbatim_end);
            while text.get(end).is_some_and(|byte| !byte.is_ascii_whitespace() && text[end - 1] != b'>') {
                end += 1;
            }
            verbatim_end = end;
            // It may be quoted text instead of a tag, with the tags inside.
            at = start + 1;
        } else {
            let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_;/?:@&=+$.%!~*'()".contains(byte);
            while text.get(end).is_some_and(belongs) {
                end += 1;
            }
            at = end;
        }
        if text.get(end) == Some(&b',') {
            found.push(end);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn with_spaces(text: &str, places: &[usize]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + places.len());
    let mut from = 0;
    for &place in places {
        out.extend_from_slice(&text.as_bytes()[from..place]);
        out.push(b' ');
        from = place;
    }
    out.extend_from_slice(&text.as_bytes()[from..]);
    out
}

/// Where tags end that stand for a value of their own, in ascending order, and how far the text can be read.
fn bare_tags(text: &[u8]) -> (Vec<usize>, usize) {
    let completed = completed(text);
    let mut input = completed.as_deref().unwrap_or(text);
    let mut parser = Parser::new();
    parser.set_input_string(&mut input);
    let (mut ends, mut read) = (Vec::new(), 0);
    while let Ok(event) = parser.parse() {
        read = usize::try_from(event.end_mark.index).unwrap_or(usize::MAX);
        match &event.data {
            EventData::StreamEnd => return (ends, usize::MAX),
            EventData::Scalar { tag: Some(_), value, style: ScalarStyle::Plain, .. } if value.is_empty() => {
                ends.extend(usize::try_from(event.end_mark.index).ok());
            }
            _ => {}
        }
    }
    (ends, read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_behind_tags_are_found_whatever_stands_before() {
        assert_eq!(&*spaced(b"[!a, b]"), b"[!a , b]");
        assert_eq!(&*spaced(b"['!a, b', !c, d]"), b"['!a, b', !c , d]");
        assert_eq!(&*spaced("\u{feff}[!a, b]".as_bytes()), b"[!a , b]");
        assert_eq!(
            &*spaced("\u{feff}\u{feff}[?v\"!,!,) b]".as_bytes()),
            "\u{feff}[?v\"! ,! ,) b]".as_bytes()
        );
    }
}
