//! Upper, lower and title case, as Ruby maps them.
//!
//! Ruby maps each character by itself. Rust's `str::to_lowercase` looks at the neighbours of a capital sigma and writes a final sigma at the end of
//! a word; Ruby never does (`"ΟΔΟΣ".downcase` ends in U+03C3). Title case is missing from Rust's library: a digraph such as `ǆ` has a form of its
//! own, and of a letter that becomes several, only the first is a capital.

use crate::Str;

/// `text.upcase`
pub fn upcase(text: &str) -> Str {
    text.to_uppercase().into()
}

/// `text.downcase`
pub fn downcase(text: &str) -> Str {
    if text.is_ascii() {
        Str::from(text).to_ascii_lowercase()
    } else {
        text.chars().flat_map(char::to_lowercase).collect()
    }
}

/// `text.capitalize`
pub fn capitalize(text: &str) -> Str {
    let mut chars = text.chars();
    let mut out = Str::with_capacity(text.len());
    if let Some(first) = chars.next() {
        push_titlecase(&mut out, first);
        out.extend(chars.flat_map(char::to_lowercase));
    }
    out
}

/// `text.swapcase`
pub fn swapcase(text: &str) -> Str {
    let mut out = Str::with_capacity(text.len());
    text.chars().for_each(|char| push_swapped(&mut out, char));
    out
}

/// Appends a character with its case swapped. Letters that only title case has are two letters in one, each of which is swapped.
pub fn push_swapped(out: &mut impl Extend<char>, char: char) {
    let mut push = |text: &str| out.extend(text.chars());
    match u32::from(char) {
        0x1c5 => push("dŽ"),
        0x1c8 => push("lJ"),
        0x1cb => push("nJ"),
        0x1f2 => push("dZ"),
        0x1f88..=0x1f8f | 0x1f98..=0x1f9f | 0x1fa8..=0x1faf | 0x1fbc | 0x1fcc | 0x1ffc => {
            let mut letters = char.to_uppercase();
            out.extend(letters.next().into_iter().flat_map(char::to_lowercase).chain(letters));
        }
        _ if has_lowercase(char) => out.extend(char.to_lowercase()),
        _ => out.extend(char.to_uppercase()),
    }
}

fn has_lowercase(char: char) -> bool {
    let mut lower = char.to_lowercase();
    lower.len() > 1 || lower.next() != Some(char)
}

/// Appends a character as the first of a capitalised word.
pub fn push_titlecase(out: &mut impl Extend<char>, char: char) {
    let mut push = |text: &str| out.extend(text.chars());
    match u32::from(char) {
        // Two letters in one character have a form of their own.
        0x1c4..=0x1c6 => push("ǅ"),
        0x1c7..=0x1c9 => push("ǈ"),
        0x1ca..=0x1cc => push("ǋ"),
        0x1f1..=0x1f3 => push("ǲ"),
        // Georgian words do not begin with a capital.
        0x10d0..=0x10ff => out.extend([char]),
        0x1c90..=0x1cbf => out.extend(char.to_lowercase()),
        // An iota below stays below.
        code @ 0x1f80..=0x1faf => out.extend(char::from_u32(code | 8)),
        0x1fb3 => push("ᾼ"),
        0x1fc3 => push("ῌ"),
        0x1ff3 => push("ῼ"),
        0x1fbc | 0x1fcc | 0x1ffc => out.extend([char]),
        0x1fb2 => push("Ὰ\u{345}"),
        0x1fb4 => push("Ά\u{345}"),
        0x1fc2 => push("Ὴ\u{345}"),
        0x1fc4 => push("Ή\u{345}"),
        0x1ff2 => push("Ὼ\u{345}"),
        0x1ff4 => push("Ώ\u{345}"),
        0x1fb7 => push("Α\u{342}\u{345}"),
        0x1fc7 => push("Η\u{342}\u{345}"),
        0x1ff7 => push("Ω\u{342}\u{345}"),
        _ => {
            let mut letters = char.to_uppercase();
            out.extend(letters.next());
            // The marks after these letters have no small form, but `to_lowercase` would change the letter under some of them.
            let keeps = matches!(char, 'ŉ' | 'ǰ' | 'ΐ' | 'ΰ' | 'ẖ'..='ẚ' | 'ὐ'..='ὖ' | 'ᾶ' | 'ῆ' | 'ῒ'..='ῖ' | 'ῢ'..='ῦ' | 'ῶ');
            if keeps {
                out.extend(letters);
            } else {
                out.extend(letters.flat_map(char::to_lowercase));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sigma_is_never_final() {
        assert_eq!(downcase("ΟΔΟΣ ς"), "οδοσ ς");
        assert_eq!(capitalize("ΣΟΔΟΣ"), "Σοδοσ");
        assert_eq!(swapcase("ΟΔΟΣ οδος"), "οδοσ ΟΔΟΣ");
    }

    #[test]
    fn words_begin_with_title_case() {
        for (text, expected) in
            [("ǆur", "ǅur"), ("ßa", "Ssa"), ("ﬁx", "Fix"), ("ŉA", "ʼNa"), ("", ""), ("ÉA", "Éa"), ("ᾳ", "ᾼ")]
        {
            assert_eq!(capitalize(text), expected);
        }
        assert_eq!(upcase("straße"), "STRASSE");
        assert_eq!(swapcase("aBßǅ"), "AbSSdŽ");
    }
}
