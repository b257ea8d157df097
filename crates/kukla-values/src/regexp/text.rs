//! Stepping through a subject by characters: those of UTF-8, or single bytes.

/// The character at a position and its length; nothing where the bytes are not a character.
pub(super) fn decode(text: &[u8], at: usize) -> Option<(u32, usize)> {
    let rest = text.get(at..)?;
    let first = u32::from(*rest.first()?);
    let tail = |index: usize| {
        rest.get(index).filter(|byte| **byte & 0xc0 == 0x80).map(|byte| u32::from(byte & 0x3f))
    };
    match first {
        0..=0x7f => Some((first, 1)),
        0xc2..=0xdf => Some(((first & 0x1f) << 6 | tail(1)?, 2)),
        0xe0..=0xef => {
            let code = (first & 0x0f) << 12 | tail(1)? << 6 | tail(2)?;
            (code >= 0x800 && !(0xd800..0xe000).contains(&code)).then_some((code, 3))
        }
        0xf0..=0xf4 => {
            let code = (first & 0x07) << 18 | tail(1)? << 12 | tail(2)? << 6 | tail(3)?;
            (0x1_0000..=0x10_ffff).contains(&code).then_some((code, 4))
        }
        _ => None,
    }
}

/// The code of a byte that is not a character: above every character, so that only negated classes contain it.
pub(super) const BROKEN: u32 = 0x11_0000;

/// The character at a position in UTF-8; a stray byte counts as one.
#[inline]
pub(super) fn char_at(text: &[u8], at: usize) -> (u32, usize) {
    match text.get(at) {
        Some(&byte) if byte < 0x80 => (u32::from(byte), 1),
        _ => decode(text, at).unwrap_or((BROKEN, 1)),
    }
}

/// Where the character before a position begins in UTF-8.
#[inline]
pub(super) fn before(text: &[u8], at: usize) -> Option<usize> {
    let mut start = at.checked_sub(1)?;
    let floor = at.saturating_sub(4);
    while start > floor && text.get(start).is_some_and(|byte| byte & 0xc0 == 0x80) {
        start -= 1;
    }
    let whole = decode(text, start).is_some_and(|(_, length)| start + length == at);
    Some(if whole { start } else { at - 1 })
}

/// Whether a position lies between characters of UTF-8.
#[inline]
pub(super) fn is_boundary(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|byte| byte & 0xc0 != 0x80)
}
