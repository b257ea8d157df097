//! Strings of JSON, as Ruby's generator writes them: quotes, backslashes and control characters are escaped, nothing else.

use std::fmt::Write;

/// Appends text as a JSON string.
#[inline]
pub fn string(out: &mut String, text: &str) {
    out.push('"');
    escape(out, text);
    out.push('"');
}

/// Appends text as it is written between the quotes of a JSON string.
#[inline]
pub fn escape(out: &mut String, mut text: &str) {
    if is_plain(text.as_bytes()) {
        return out.push_str(text);
    }
    while let Some(at) = first_special(text.as_bytes()) {
        out.push_str(&text[..at]);
        match text.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            byte => {
                let _ = write!(out, "\\u{byte:04x}");
            }
        }
        text = &text[at + 1..];
    }
    out.push_str(text);
}

/// The high bits of the bytes of a word that JSON requires to be escaped: quotes, backslashes and control characters. Bits above the
/// lowest of them may be wrong.
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    // Subtracting sets the high bit of the bytes that were smaller. A borrow can only spoil what comes after a byte that was
    // found, so the first one is right.
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
    let same = |word: u64, byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, 0x20) | same(word, b'"') | same(word, b'\\')) & HIGH
}

/// Whether one of sixteen bytes needs escaping; processors compare sixteen at once.
fn has_special(bytes: &[u8; 16]) -> bool {
    bytes.iter().fold(false, |found, &byte| found | (byte < 0x20) | (byte == b'"') | (byte == b'\\'))
}

/// Whether nothing needs escaping, as in nearly all texts, most of which are a few words long.
#[inline]
fn is_plain(bytes: &[u8]) -> bool {
    if let (chunks, Some(last)) = (bytes.as_chunks::<16>().0, bytes.last_chunk::<16>()) {
        return !chunks.iter().any(has_special) && !has_special(last);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        return special_bytes(u64::from_le_bytes(*first)) | special_bytes(u64::from_le_bytes(*last)) == 0;
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let word = u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
        return special_bytes(word) == 0;
    }
    bytes.iter().all(|&byte| byte >= 0x20 && byte != b'"' && byte != b'\\')
}

/// The index of the first byte that JSON requires to be escaped: a quote, a backslash or a control character.
fn first_special(bytes: &[u8]) -> Option<usize> {
    let special = |chunk: &[u8; 8]| {
        let found = special_bytes(u64::from_le_bytes(*chunk));
        (found != 0).then(|| found.trailing_zeros() as usize / 8)
    };
    let (chunks, rest) = bytes.as_chunks::<8>();
    for (i, chunk) in chunks.iter().enumerate() {
        if let Some(at) = special(chunk) {
            return Some(i * 8 + at);
        }
    }
    // The last eight bytes, some of which were looked at before; a text that has no eight is looked at one by one.
    match bytes.last_chunk::<8>() {
        Some(last) if !rest.is_empty() => special(last).map(|at| bytes.len() - 8 + at),
        Some(_) => None,
        None => rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        let mut out = String::new();
        string(&mut out, "a\"\\\n\u{1}é/");
        assert_eq!(out, "\"a\\\"\\\\\\n\\u0001é/\"");
    }

    #[test]
    fn what_needs_escaping_is_found_wherever_it_stands() {
        for byte in 0..=255 {
            for at in 0..20 {
                let mut bytes = [b'\x7f'; 20];
                bytes[at] = byte;
                let expected = (byte < 0x20 || byte == b'"' || byte == b'\\').then_some(at);
                assert_eq!(first_special(&bytes), expected, "{byte} at {at}");
                for end in at + 1..=bytes.len() {
                    assert_eq!(is_plain(&bytes[at..end]), expected.is_none(), "{byte} at {at} of {end}");
                    assert_eq!(is_plain(&bytes[..end]), expected.is_none(), "{byte} at {at} of {end}");
                }
            }
        }
        assert_eq!(first_special("ééééééé\t\"".as_bytes()), Some(14));
    }
}
