//! Texts that others wrote, on one line and with nothing hidden in them.

use std::borrow::Cow;

/// The text with a sign in place of each character that would not show: what moves the cursor, colours a terminal, or turns the
/// direction of reading.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_hidden(c) { sign(c) } else { c }).collect())
}

fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Unicode has a picture of each of the oldest control characters.
fn sign(c: char) -> char {
    match u32::from(c) {
        code @ 0..0x20 => char::from_u32(0x2400 + code).unwrap_or(char::REPLACEMENT_CHARACTER),
        0x7f => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_not_show_is_shown() {
        assert_eq!(visible("a\tb"), "a\tb");
        assert_eq!(visible("a\n\u{1b}[31mb\r\u{7f}"), "a␊␛[31mb␍␡");
        assert_eq!(visible("a\u{202e}b\u{2028}"), "a\u{fffd}b\u{fffd}");
    }
}
