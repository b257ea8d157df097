//! Untrusted text on one line, without hidden characters.

use std::borrow::Cow;

/// The text with a symbol in place of each hidden character: those that move the cursor, colour a terminal, or change the direction
/// of reading.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_hidden(c) { symbol(c) } else { c }).collect())
}

fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Unicode has a visible symbol for each ASCII control character.
fn symbol(c: char) -> char {
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
    fn hidden_characters_become_visible() {
        assert_eq!(visible("a\tb"), "a\tb");
        assert_eq!(visible("a\n\u{1b}[31mb\r\u{7f}"), "a␊␛[31mb␍␡");
        assert_eq!(visible("a\u{202e}b\u{2028}"), "a\u{fffd}b\u{fffd}");
    }
}
