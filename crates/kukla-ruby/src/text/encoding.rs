//! Encodings: their names, and where a character ends in each of them.

/// How bytes are read as characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// UTF-8, the default.
    #[default]
    Utf8,
    /// ASCII-8BIT, also called BINARY: every byte is a character.
    Binary,
    /// US-ASCII.
    Ascii,
    /// ISO-8859-1.
    Latin1,
    /// ISO-8859-15.
    Latin9,
    /// Windows-1252.
    Windows1252,
    /// Windows-1251.
    Windows1251,
    /// UTF-16, low byte first.
    Utf16le,
    /// UTF-16, high byte first.
    Utf16be,
    /// UTF-32, low byte first.
    Utf32le,
    /// UTF-32, high byte first.
    Utf32be,
    /// UTF-16 with a mark for the order of bytes; only a name until converted.
    Utf16,
    /// UTF-32 with a mark for the order of bytes; only a name until converted.
    Utf32,
    /// EUC-JP.
    EucJp,
    /// Shift_JIS.
    ShiftJis,
    /// Windows-31J.
    Windows31j,
}

/// The reason why bytes are not a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoChar {
    /// More bytes would have to follow.
    Unfinished,
    /// No bytes could make it one.
    Invalid,
}

struct Facts {
    name: &'static str,
    aliases: &'static [&'static str],
}

/// All encodings, in the order of `Encoding.list`.
pub const ENCODINGS: &[Encoding] = &[
    Encoding::Binary,
    Encoding::Utf8,
    Encoding::Ascii,
    Encoding::EucJp,
    Encoding::Latin1,
    Encoding::Latin9,
    Encoding::ShiftJis,
    Encoding::Utf16be,
    Encoding::Utf16le,
    Encoding::Utf32be,
    Encoding::Utf32le,
    Encoding::Windows31j,
    Encoding::Windows1251,
    Encoding::Windows1252,
    Encoding::Utf16,
    Encoding::Utf32,
];

impl Encoding {
    fn facts(self) -> Facts {
        let (name, aliases): (_, &[_]) = match self {
            Encoding::Utf8 => ("UTF-8", &["CP65001"]),
            Encoding::Binary => ("ASCII-8BIT", &["BINARY"]),
            Encoding::Ascii => ("US-ASCII", &["ASCII", "ANSI_X3.4-1968", "646"]),
            Encoding::Latin1 => ("ISO-8859-1", &["ISO8859-1"]),
            Encoding::Latin9 => ("ISO-8859-15", &["ISO8859-15"]),
            Encoding::Windows1252 => ("Windows-1252", &["CP1252"]),
            Encoding::Windows1251 => ("Windows-1251", &["CP1251"]),
            Encoding::Utf16le => ("UTF-16LE", &[]),
            Encoding::Utf16be => ("UTF-16BE", &["UCS-2BE"]),
            Encoding::Utf32le => ("UTF-32LE", &["UCS-4LE"]),
            Encoding::Utf32be => ("UTF-32BE", &["UCS-4BE"]),
            Encoding::Utf16 => ("UTF-16", &[]),
            Encoding::Utf32 => ("UTF-32", &[]),
            Encoding::EucJp => ("EUC-JP", &["eucJP"]),
            Encoding::ShiftJis => ("Shift_JIS", &[]),
            Encoding::Windows31j => ("Windows-31J", &["CP932", "csWindows31J", "SJIS", "PCK"]),
        };
        Facts { name, aliases }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Its other names.
    pub fn aliases(self) -> &'static [&'static str] {
        self.facts().aliases
    }

    /// The encoding of that name, in upper or lower case.
    pub fn named(name: &str) -> Option<Encoding> {
        let is_it = |encoding: &&Encoding| {
            let facts = encoding.facts();
            facts.name.eq_ignore_ascii_case(name)
                || facts.aliases.iter().any(|other| other.eq_ignore_ascii_case(name))
        };
        if let Some(found) = ENCODINGS.iter().find(is_it) {
            return Some(*found);
        }
        let stands_for_the_default = ["external", "locale", "filesystem"];
        stands_for_the_default.iter().any(|other| other.eq_ignore_ascii_case(name)).then_some(Encoding::Utf8)
    }

    /// Whether it is only a name: its characters are unknown.
    pub fn is_dummy(self) -> bool {
        matches!(self, Encoding::Utf16 | Encoding::Utf32)
    }

    /// Whether ASCII bytes are ASCII characters in it.
    pub fn is_ascii_compatible(self) -> bool {
        self.unit() == 1 && !self.is_dummy()
    }

    /// Whether it is one of Unicode's.
    pub fn is_unicode(self) -> bool {
        use Encoding::{Utf8, Utf16, Utf16be, Utf16le, Utf32, Utf32be, Utf32le};
        matches!(self, Utf8 | Utf16le | Utf16be | Utf32le | Utf32be | Utf16 | Utf32)
    }

    /// The least number of bytes that a character has.
    pub fn unit(self) -> usize {
        match self {
            Encoding::Utf16le | Encoding::Utf16be => 2,
            Encoding::Utf32le | Encoding::Utf32be => 4,
            _ => 1,
        }
    }

    /// Whether every byte is a character.
    pub fn is_single_byte(self) -> bool {
        use Encoding::{Ascii, Binary, Latin1, Latin9, Utf16, Utf32, Windows1251, Windows1252};
        matches!(self, Binary | Ascii | Latin1 | Latin9 | Windows1252 | Windows1251 | Utf16 | Utf32)
    }

    /// How many bytes the first character has.
    pub fn precise_len(self, bytes: &[u8]) -> Result<usize, NoChar> {
        use NoChar::{Invalid, Unfinished};
        let Some(&first) = bytes.first() else { return Err(Unfinished) };
        match self {
            Encoding::Utf8 => utf8_len(bytes),
            Encoding::Ascii => {
                if first < 0x80 {
                    Ok(1)
                } else {
                    Err(Invalid)
                }
            }
            Encoding::Utf16le | Encoding::Utf16be => match bytes {
                [a, b, rest @ ..] => {
                    let high = if self == Encoding::Utf16le { *b } else { *a };
                    match high {
                        0xD8..=0xDB => match rest {
                            [c, d, ..] => {
                                let low = if self == Encoding::Utf16le { *d } else { *c };
                                if (0xDC..=0xDF).contains(&low) { Ok(4) } else { Err(Invalid) }
                            }
                            _ => Err(Unfinished),
                        },
                        0xDC..=0xDF => Err(Invalid),
                        _ => Ok(2),
                    }
                }
                _ => Err(Unfinished),
            },
            Encoding::Utf32le | Encoding::Utf32be => match self.codepoint_of_utf32(bytes) {
                None => Err(Unfinished),
                Some(code) => char::from_u32(code).map_or(Err(Invalid), |_| Ok(4)),
            },
            Encoding::EucJp => match first {
                0..=0x7f => Ok(1),
                0x8e | 0xa1..=0xfe => match bytes.get(1) {
                    None => Err(Unfinished),
                    Some(0xa1..=0xfe) => Ok(2),
                    Some(_) => Err(Invalid),
                },
                0x8f => match (bytes.get(1), bytes.get(2)) {
                    (Some(0xa1..=0xfe), Some(0xa1..=0xfe)) => Ok(3),
                    (None, _) | (Some(0xa1..=0xfe), None) => Err(Unfinished),
                    _ => Err(Invalid),
                },
                _ => Err(Invalid),
            },
            Encoding::ShiftJis | Encoding::Windows31j => match first {
                0..=0x7f | 0xa1..=0xdf => Ok(1),
                0x81..=0x9f | 0xe0..=0xfc => match bytes.get(1) {
                    None => Err(Unfinished),
                    Some(0x40..=0x7e | 0x80..=0xfc) => Ok(2),
                    Some(_) => Err(Invalid),
                },
                _ => Err(Invalid),
            },
            _ => Ok(1),
        }
    }

    /// The number of bytes of the first character; invalid bytes count as the smallest unit.
    #[inline]
    pub fn char_len(self, bytes: &[u8]) -> usize {
        if bytes.first().is_some_and(|first| *first < 0x80) && self.unit() == 1 {
            return 1;
        }
        self.precise_len(bytes).unwrap_or_else(|_| self.unit().min(bytes.len()))
    }

    /// How many bytes the last character has.
    pub fn last_char_len(self, bytes: &[u8]) -> usize {
        if bytes.last().is_none_or(|last| *last < 0x80)
            && self.unit() == 1
            && !matches!(self, Encoding::ShiftJis | Encoding::Windows31j)
        {
            return bytes.len().min(1);
        }
        let unit = self.unit();
        if self.is_single_byte() {
            return bytes.len().min(1);
        }
        if matches!(self, Encoding::EucJp | Encoding::ShiftJis | Encoding::Windows31j) {
            let mut at = 0;
            let mut last = 0;
            while at < bytes.len() {
                last = self.char_len(&bytes[at..]);
                at += last;
            }
            return last;
        }
        let most = bytes.len().min(4);
        let mut len = unit;
        while len <= most {
            if self.precise_len(&bytes[bytes.len() - len..]) == Ok(len) {
                return len;
            }
            len += unit;
        }
        match bytes.len() % unit {
            0 => unit.min(bytes.len()),
            rest => rest,
        }
    }

    fn codepoint_of_utf32(self, bytes: &[u8]) -> Option<u32> {
        let unit: [u8; 4] = bytes.get(..4)?.try_into().ok()?;
        Some(if self == Encoding::Utf32le { u32::from_le_bytes(unit) } else { u32::from_be_bytes(unit) })
    }

    /// The number of a character that is valid.
    pub fn codepoint(self, char: &[u8]) -> u32 {
        match self {
            Encoding::Utf8 => match *char {
                [a] => u32::from(a),
                [a, b] => (u32::from(a) & 0x1f) << 6 | u32::from(b) & 0x3f,
                [a, b, c] => (u32::from(a) & 0xf) << 12 | (u32::from(b) & 0x3f) << 6 | u32::from(c) & 0x3f,
                [a, b, c, d] => {
                    (u32::from(a) & 0x7) << 18
                        | (u32::from(b) & 0x3f) << 12
                        | (u32::from(c) & 0x3f) << 6
                        | u32::from(d) & 0x3f
                }
                _ => 0,
            },
            Encoding::Utf16le | Encoding::Utf16be => {
                let unit = |at: usize| {
                    let pair = [char.get(at).copied().unwrap_or(0), char.get(at + 1).copied().unwrap_or(0)];
                    u32::from(if self == Encoding::Utf16le {
                        u16::from_le_bytes(pair)
                    } else {
                        u16::from_be_bytes(pair)
                    })
                };
                if char.len() == 4 { 0x10000 + ((unit(0) & 0x3ff) << 10 | unit(2) & 0x3ff) } else { unit(0) }
            }
            Encoding::Utf32le | Encoding::Utf32be => self.codepoint_of_utf32(char).unwrap_or(0),
            _ => char.iter().fold(0, |code, byte| code << 8 | u32::from(*byte)),
        }
    }

    /// The bytes of the character with a number, if there is one.
    pub fn char_bytes(self, code: u32) -> Option<Vec<u8>> {
        let unicode = char::from_u32(code);
        Some(match self {
            Encoding::Utf8 => unicode?.to_string().into_bytes(),
            Encoding::Utf16le => {
                unicode?.encode_utf16(&mut [0; 2]).iter().flat_map(|unit| unit.to_le_bytes()).collect()
            }
            Encoding::Utf16be => {
                unicode?.encode_utf16(&mut [0; 2]).iter().flat_map(|unit| unit.to_be_bytes()).collect()
            }
            Encoding::Utf32le => unicode.map(|_| code.to_le_bytes().to_vec())?,
            Encoding::Utf32be => unicode.map(|_| code.to_be_bytes().to_vec())?,
            Encoding::Ascii => vec![u8::try_from(code).ok().filter(u8::is_ascii)?],
            Encoding::EucJp | Encoding::ShiftJis | Encoding::Windows31j => {
                let bytes: Vec<u8> = code.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
                let bytes = if bytes.is_empty() { vec![0] } else { bytes };
                if self.precise_len(&bytes) == Ok(bytes.len()) { bytes } else { return None }
            }
            _ => vec![u8::try_from(code).ok()?],
        })
    }

    /// The Unicode character of a valid character, if the conversion is known.
    pub fn decode(self, char: &[u8]) -> Option<char> {
        let code = self.codepoint(char);
        match self {
            Encoding::Binary | Encoding::Ascii => char::from_u32(code).filter(char::is_ascii),
            Encoding::Latin1 => char::from_u32(code),
            Encoding::Latin9 => match LATIN9.iter().find(|(byte, _)| u32::from(*byte) == code) {
                Some((_, char)) => Some(*char),
                None => char::from_u32(code),
            },
            Encoding::Windows1252 => high_half(code, 0x80, WINDOWS_1252),
            Encoding::Windows1251 => high_half(code, 0x80, WINDOWS_1251),
            Encoding::EucJp | Encoding::ShiftJis | Encoding::Windows31j => {
                char::from_u32(code).filter(char::is_ascii)
            }
            _ => char::from_u32(code),
        }
    }

    /// The bytes of a Unicode character in this encoding, if it has that character.
    pub fn encode(self, char: char) -> Option<Vec<u8>> {
        let code = u32::from(char);
        match self {
            Encoding::Binary => u8::try_from(code).ok().filter(u8::is_ascii).map(|byte| vec![byte]),
            Encoding::Latin9 => match LATIN9.iter().find(|(_, other)| *other == char) {
                Some((byte, _)) => Some(vec![*byte]),
                None if LATIN9.iter().any(|(byte, _)| u32::from(*byte) == code) => None,
                None => u8::try_from(code).ok().map(|byte| vec![byte]),
            },
            Encoding::Windows1252 => from_high_half(char, 0x80, WINDOWS_1252),
            Encoding::Windows1251 => from_high_half(char, 0x80, WINDOWS_1251),
            Encoding::EucJp | Encoding::ShiftJis | Encoding::Windows31j => {
                char.is_ascii().then(|| vec![code as u8])
            }
            _ => self.char_bytes(code),
        }
    }

    /// Whether characters beyond ASCII are letters that have a case.
    pub fn has_letters_beyond_ascii(self) -> bool {
        self.is_convertible() && !matches!(self, Encoding::Binary | Encoding::Ascii) && !self.is_dummy()
    }

    /// Whether text can be converted from and to it.
    pub fn is_convertible(self) -> bool {
        !matches!(self, Encoding::EucJp | Encoding::ShiftJis | Encoding::Windows31j)
    }
}

/// The characters of ISO-8859-15 that differ from ISO-8859-1.
const LATIN9: &[(u8, char)] =
    &[(0xa4, '€'), (0xa6, 'Š'), (0xa8, 'š'), (0xb4, 'Ž'), (0xb8, 'ž'), (0xbc, 'Œ'), (0xbd, 'œ'), (0xbe, 'Ÿ')];

/// The bytes from 0x80; a blank is not a character, and the rest is as in ISO-8859-1.
const WINDOWS_1252: &str = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";
/// The bytes from 0x80; a blank is not a character.
const WINDOWS_1251: &str = "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–— ™љ›њќћџ\u{a0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{ad}®Ї°±Ііґµ¶·ё№є»јЅѕїАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя";

fn high_half(code: u32, start: u32, table: &str) -> Option<char> {
    match code.checked_sub(start) {
        None => char::from_u32(code),
        Some(at) => match table.chars().nth(at as usize) {
            Some(' ') => None,
            Some(char) => Some(char),
            None => char::from_u32(code),
        },
    }
}

fn from_high_half(char: char, start: u8, table: &str) -> Option<Vec<u8>> {
    if u32::from(char) < u32::from(start) {
        return Some(vec![char as u8]);
    }
    let len = table.chars().count();
    match table.chars().position(|other| other == char && other != ' ') {
        Some(at) => Some(vec![start + at as u8]),
        None => u8::try_from(u32::from(char))
            .ok()
            .filter(|byte| usize::from(*byte) >= usize::from(start) + len)
            .map(|byte| vec![byte]),
    }
}

fn utf8_len(bytes: &[u8]) -> Result<usize, NoChar> {
    use NoChar::{Invalid, Unfinished};
    let tail = |least: u8, most: u8, len: usize| -> Result<usize, NoChar> {
        match bytes.get(1) {
            None => return Err(Unfinished),
            Some(byte) if !(least..=most).contains(byte) => return Err(Invalid),
            Some(_) => {}
        }
        for at in 2..len {
            match bytes.get(at) {
                None => return Err(Unfinished),
                Some(0x80..=0xbf) => {}
                Some(_) => return Err(Invalid),
            }
        }
        Ok(len)
    };
    match bytes.first() {
        None => Err(Unfinished),
        Some(0..=0x7f) => Ok(1),
        Some(0xc2..=0xdf) => tail(0x80, 0xbf, 2),
        Some(0xe0) => tail(0xa0, 0xbf, 3),
        Some(0xed) => tail(0x80, 0x9f, 3),
        Some(0xe1..=0xef) => tail(0x80, 0xbf, 3),
        Some(0xf0) => tail(0x90, 0xbf, 4),
        Some(0xf1..=0xf3) => tail(0x80, 0xbf, 4),
        Some(0xf4) => tail(0x80, 0x8f, 4),
        Some(_) => Err(Invalid),
    }
}
