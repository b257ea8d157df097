//! From the text of a literal to its value: escapes, margins, radixes.

use std::borrow::Cow;

use crate::lexer::{Escapes, Heredoc};

/// The value of the inside of a single-quoted string, where only `\\` and `\'` are escapes.
pub(crate) fn single_quoted(inside: &str) -> Cow<'_, str> {
    if !inside.contains('\\') {
        return Cow::Borrowed(inside);
    }
    let mut value = String::with_capacity(inside.len());
    let mut chars = inside.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some(&escaped @ ('\\' | '\''))) => {
                chars.next();
                value.push(escaped);
            }
            _ => value.push(c),
        }
    }
    Cow::Owned(value)
}

/// The value of a stretch of a double-quoted string.
pub(crate) fn double_quoted(inside: &str) -> Cow<'_, str> {
    if !inside.contains('\\') {
        return Cow::Borrowed(inside);
    }
    let inside = unicode_escapes(inside);
    Cow::Owned(unescape(&inside, |c| {
        matches!(c, '\\' | '$' | '\'' | '"' | 'r' | 'n' | 't' | 's' | 'u' | '\n')
    }))
}

/// The value of a stretch of a heredoc's text whose margin is already gone.
pub(crate) fn heredoc_text(inside: Cow<'_, str>, escapes: Escapes) -> Cow<'_, str> {
    if !escapes.has(Escapes::BACKSLASH) || !inside.contains('\\') {
        return inside;
    }
    let inside = if escapes.has(Escapes::UNICODE) { unicode_escapes(&inside) } else { inside };
    Cow::Owned(unescape(&inside, |c| match c {
        '\\' => true,
        't' => escapes.has(Escapes::TAB),
        'r' => escapes.has(Escapes::RETURN),
        'n' => escapes.has(Escapes::NEWLINE),
        's' => escapes.has(Escapes::SPACE),
        'u' => escapes.has(Escapes::UNICODE),
        '\n' => escapes.has(Escapes::LINE),
        '$' => escapes.has(Escapes::DOLLAR),
        _ => false,
    }))
}

/// The text from `start` to `end`, which lie in the text of `heredoc`, without the margin and the break it does away with.
pub(crate) fn without_margin<'t>(text: &'t str, heredoc: &Heredoc, start: u32, end: u32) -> Cow<'t, str> {
    let mut piece = &text[start as usize..end as usize];
    if heredoc.trim && end == heredoc.text.end {
        piece = piece.strip_suffix('\n').map_or(piece, |piece| piece.strip_suffix('\r').unwrap_or(piece));
    }
    let margin = &text[heredoc.margin.range()];
    if margin.is_empty() {
        return Cow::Borrowed(piece);
    }
    let starts_line = start == heredoc.text.start || text.as_bytes()[start as usize - 1] == b'\n';
    let mut value = String::with_capacity(piece.len());
    for (index, line) in piece.split_inclusive('\n').enumerate() {
        let whole = index > 0 || starts_line;
        value.push_str(if whole { line.strip_prefix(margin).unwrap_or(line) } else { line });
    }
    Cow::Owned(value)
}

/// Replaces `\uXXXX` and `\u{X...}` and nothing else.
///
/// Puppet does this in a pass of its own, so a backslash made this way can begin another escape.
fn unicode_escapes(inside: &str) -> Cow<'_, str> {
    if !inside.contains("\\u") {
        return Cow::Borrowed(inside);
    }
    let mut value = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = rest.find('\\') {
        value.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((c, len)) = rest.strip_prefix("\\u").and_then(unicode_escape) {
            value.push(c);
            rest = &rest[2 + len..];
        } else {
            let len = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
            value.push_str(&rest[..len]);
            rest = &rest[len..];
        }
    }
    value.push_str(rest);
    Cow::Owned(value)
}

/// The character that the text after `\u` names, and how much of the text does.
fn unicode_escape(after: &str) -> Option<(char, usize)> {
    let (digits, len) = match after.strip_prefix('{') {
        Some(inside) => {
            let digits = &inside[..inside.find('}')?];
            (digits, digits.len() + 2)
        }
        None => (after.get(..4)?, 4),
    };
    let well_formed = (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !well_formed {
        return None;
    }
    Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, len))
}

/// Replaces the escapes that `known` says are such. An escaped line break is asked for as `\n` and vanishes.
fn unescape(inside: &str, known: impl Fn(char) -> bool) -> String {
    let mut value = String::with_capacity(inside.len());
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            value.push(c);
            continue;
        }
        let mut ahead = chars.clone();
        let (escaped, line_break) = match (ahead.next(), ahead.next()) {
            (Some('\r'), Some('\n')) => ('\n', true),
            (Some('\n'), _) => ('\n', false),
            (Some(escaped), _) if escaped != '\r' => (escaped, false),
            _ => {
                value.push('\\');
                continue;
            }
        };
        chars.next();
        if line_break {
            chars.next();
        }
        match (escaped, known(escaped)) {
            ('\n', true) => {}
            ('r', true) => value.push('\r'),
            ('n', true) => value.push('\n'),
            ('t', true) => value.push('\t'),
            ('s', true) => value.push(' '),
            ('u', true) => value.push_str("\\u"),
            (_, true) => value.push(escaped),
            (_, false) => {
                value.push('\\');
                if line_break {
                    value.push('\r');
                }
                value.push(escaped);
            }
        }
    }
    value
}

/// The pattern of a regular expression literal, without its slashes and with `\/` undone.
pub(crate) fn regex(token: &str) -> Cow<'_, str> {
    let inside = token.strip_prefix('/').unwrap_or(token);
    let inside = inside.strip_suffix('/').unwrap_or(inside);
    if inside.contains("\\/") { Cow::Owned(inside.replace("\\/", "/")) } else { Cow::Borrowed(inside) }
}

/// The value of a number literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer. `value` is `None` when it has more than 127 bits.
    Integer {
        /// The value, which may lie outside of the 64 bits an Integer has.
        value: Option<i128>,
        /// 8, 10 or 16, as it was written.
        radix: u8,
    },
    /// A number with a fraction or an exponent.
    Float(f64),
}

/// The value of a number token; `None` if the lexer accepted an invalid number.
///
/// Literals are not read as numbers in text are: they have neither signs nor underscores, and of the prefixes only `0x` and `0`.
pub(crate) fn number(token: &str) -> Option<Number> {
    let integer = |digits: &str, radix: u8| {
        let value = i128::from_str_radix(digits, radix.into()).ok();
        Some(Number::Integer { value, radix })
    };
    match token.as_bytes() {
        [b'0', b'x' | b'X', ..] => integer(&token[2..], 16),
        [b'0', _, ..] if token.bytes().all(|byte| byte.is_ascii_digit()) => integer(token, 8),
        bytes if bytes.iter().all(u8::is_ascii_digit) => integer(token, 10),
        _ => token.parse().ok().map(Number::Float),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(single_quoted(r"a\'b\\c\d"), r"a'b\c\d");
        assert_eq!(double_quoted(r"a\tb\q\$\u0041\u{1f600}\u00"), "a\tb\\q$A\u{1f600}\\u00");
        assert_eq!(double_quoted("a\\\r\nb\\\nc\\\rd"), "abc\\\rd");
        assert_eq!(double_quoted(r"\u005cn"), "\n");
        assert_eq!(regex(r"/a\/b\\/"), r"a/b\\");
    }

    #[test]
    fn numbers() {
        let integer = |value, radix| Some(Number::Integer { value: Some(value), radix });
        assert_eq!(number("0x1F"), integer(31, 16));
        assert_eq!(number("017"), integer(15, 8));
        assert_eq!(number("0"), integer(0, 10));
        assert_eq!(number("1.5e-3"), Some(Number::Float(0.0015)));
    }
}
