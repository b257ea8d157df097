//! Scalars in quotes: those that end on their line, and those that go on.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// The quoted scalar that `text` begins with, if it ends on the same line, and its length with the quotes.
pub(super) fn on_one_line(line: &str) -> Option<(Cow<'_, str>, usize)> {
    if line.as_bytes().first() == Some(&b'"') { double_quoted(line) } else { single_quoted(line) }
}

fn single_quoted(text: &str) -> Option<(Cow<'_, str>, usize)> {
    let mut from = 1;
    loop {
        let quote = from + memchr(b'\'', &text.as_bytes()[from..])?;
        if text.as_bytes().get(quote + 1) == Some(&b'\'') {
            from = quote + 2;
            continue;
        }
        let inner = &text[1..quote];
        let inner = if from > 1 { Cow::Owned(inner.replace("''", "'")) } else { Cow::Borrowed(inner) };
        return Some((inner, quote + 1));
    }
}

fn double_quoted(text: &str) -> Option<(Cow<'_, str>, usize)> {
    let end = 1 + memchr2(b'"', b'\\', &text.as_bytes()[1..])?;
    if text.as_bytes()[end] == b'"' {
        return Some((Cow::Borrowed(&text[1..end]), end + 1));
    }
    let mut inner = String::with_capacity(text.len());
    let mut rest = &text[1..];
    loop {
        let at = rest.find(['"', '\\'])?;
        inner.push_str(&rest[..at]);
        if rest[at..].starts_with('"') {
            return Some((Cow::Owned(inner), text.len() - rest.len() + at + 1));
        }
        let (c, length) = escaped(&rest[at + 1..])?;
        inner.push(c);
        rest = &rest[at + 1 + length..];
    }
}

/// The value and the length of an escape sequence at the beginning of `text`.
fn escaped(text: &str) -> Option<(char, usize)> {
    let digits = match text.as_bytes().first()? {
        b'0' => return Some(('\0', 1)),
        b'a' => return Some(('\x07', 1)),
        b'b' => return Some(('\x08', 1)),
        b't' => return Some(('\t', 1)),
        b'n' => return Some(('\n', 1)),
        b'v' => return Some(('\x0b', 1)),
        b'f' => return Some(('\x0c', 1)),
        b'r' => return Some(('\r', 1)),
        b'e' => return Some(('\x1b', 1)),
        byte @ (b' ' | b'"' | b'/' | b'\\') => return Some((char::from(*byte), 1)),
        b'x' => 2,
        b'u' => 4,
        b'U' => 8,
        _ => return None,
    };
    let code = text.get(1..=digits).filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    Some((char::from_u32(u32::from_str_radix(code, 16).ok()?)?, digits + 1))
}

/// The quoted scalar that `text` begins with and that goes on over several lines, and its length with the quotes: a break is a
/// blank, several are one less, and blanks on both sides of them do not count.
pub(super) fn on_lines(text: &str) -> Option<(String, usize)> {
    let mut out = String::new();
    let mut at = 1;
    loop {
        let (mut from, joint) = match line(text, at, &mut out)? {
            Line::Closed(after) => return Some((out, after)),
            Line::Open(end) => (end, " "),
            Line::Joined(end) => (end, ""),
        };
        let mut blank_lines = 0;
        loop {
            let start = from + 1;
            if is_marker(&text[start..]) {
                return None;
            }
            at = start + blanks(&text[start..]);
            if text.as_bytes().get(at) != Some(&b'\n') {
                break;
            }
            blank_lines += 1;
            from = at;
        }
        match blank_lines {
            0 => out.push_str(joint),
            many => out.extend(std::iter::repeat_n('\n', many)),
        }
    }
}

/// How a line inside of quotes ends.
enum Line {
    /// With the closing quote; where the text goes on.
    Closed(usize),
    /// With a break, which is there.
    Open(usize),
    /// With a break that a backslash makes nothing of.
    Joined(usize),
}

/// Adds the content of the line at `at` to `out`.
fn line(text: &str, mut at: usize, out: &mut String) -> Option<Line> {
    let double = text.starts_with('"');
    // Blanks at the end of a line go, those that were written as escapes stay.
    let mut kept = out.len();
    loop {
        let stops: &[char] = if double { &['"', '\\', '\n'] } else { &['\'', '\n'] };
        let stop = at + text[at..].find(stops)?;
        out.push_str(&text[at..stop]);
        let next = text.as_bytes().get(stop + 1).copied();
        match (text.as_bytes()[stop], next) {
            (b'\n', _) => {
                let trimmed = out.trim_end_matches([' ', '\t']).len();
                out.truncate(trimmed.max(kept));
                return Some(Line::Open(stop));
            }
            (b'\'', Some(b'\'')) => out.push('\''),
            (b'\\', Some(b'\n')) => return Some(Line::Joined(stop + 1)),
            (b'\\', _) => {
                let (c, length) = escaped(&text[stop + 1..])?;
                out.push(c);
                kept = out.len();
                at = stop + 1 + length;
                continue;
            }
            _ => return Some(Line::Closed(stop + 1)),
        }
        kept = out.len();
        at = stop + 2;
    }
}

fn blanks(text: &str) -> usize {
    text.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Whether a line begins or ends a document, which no quotes can prevent.
fn is_marker(text: &str) -> bool {
    text.starts_with("---") || text.starts_with("...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_are_folded() {
        let text = |text| on_lines(text).map(|(text, _)| text);
        assert_eq!(text("'a  \n   b'"), Some("a b".into()));
        assert_eq!(text("'a\n\n \n b''c'"), Some("a\n\nb'c".into()));
        assert_eq!(text("\"a \\\n   b\\t \n\n c\""), Some("a b\t\nc".into()));
        assert_eq!(text("\"a\n \" rest"), Some("a ".into()));
        assert_eq!(text("\"a\n--- b\""), None);
        assert_eq!(text("'a\n b"), None);
    }
}
