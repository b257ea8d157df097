//! Tags: words on resources, by which runs are limited and collectors choose.

/// Whether a word can be a tag: letters, digits and underscores, then also colons, dots and hyphens.
pub fn is_valid(tag: &str) -> bool {
    // Ruby's `\Z` lets one line break pass at the end.
    let tag = tag.strip_suffix('\n').unwrap_or(tag);
    // Nearly all are ASCII, and titles that are not valid tags mostly differ in the first character.
    let plain = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    match tag.as_bytes() {
        [] => return false,
        [first, ..] if first.is_ascii() && !plain(*first) => return false,
        bytes if bytes.is_ascii() => {
            return bytes.iter().all(|&byte| plain(byte) || matches!(byte, b':' | b'.' | b'-'));
        }
        _ => {}
    }
    let word = |c: char| c == '_' || c.is_alphanumeric();
    let mut chars = tag.chars();
    chars.next().is_some_and(word) && chars.all(|c| word(c) || matches!(c, ':' | '.' | '-'))
}

/// The further tags that a qualified name brings: `a::b` is also tagged `a` and `b`.
pub fn segments(tag: &str) -> impl Iterator<Item = &str> {
    // Looking for two bytes takes less than preparing a search for text, since tags are short.
    let colons = |text: &str| text.as_bytes().windows(2).position(|pair| pair == b"::");
    let mut rest = colons(tag).map(|_| tag);
    // Ruby's `split` drops empty fields at the end.
    while let Some(shorter) = rest.and_then(|rest| rest.strip_suffix("::")) {
        rest = Some(shorter);
    }
    std::iter::from_fn(move || {
        let text = rest?;
        let (segment, after) = match colons(text) {
            Some(at) => (&text[..at], Some(&text[at + 2..])),
            None => (text, None),
        };
        rest = after;
        Some(segment)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert!(is_valid("a::b-c.d_e") && is_valid("é9") && is_valid("a\n"));
        assert!(!is_valid("") && !is_valid("-a") && !is_valid("a b") && !is_valid("/etc"));
        assert_eq!(segments("a::b").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(segments("a:::b::::c:d::").collect::<Vec<_>>(), ["a", ":b", "", "c:d"]);
        assert_eq!(segments("ab").count(), 0);
    }
}
