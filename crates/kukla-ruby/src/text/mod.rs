//! The text of a string: bytes and the encoding they are read in.

mod encoding;

use std::cell::Cell;
use std::ops::{Deref, Range};
use std::rc::Rc;

use kukla_values::Str;

use crate::memory::{self, Taken, Weighed};

pub use encoding::{ENCODINGS, Encoding, NoChar};

/// The bytes of a string. Text that came from the embedding program or from source code is shared until it is changed, as is the text that matches refer to.
#[derive(Debug)]
enum Bytes {
    Shared(Str),
    Counted(Rc<(Vec<u8>, Taken)>),
    Own(Vec<u8>),
}

impl Clone for Bytes {
    fn clone(&self) -> Bytes {
        match self {
            Bytes::Shared(text) => Bytes::Shared(text.clone()),
            Bytes::Counted(counted) => Bytes::Counted(counted.clone()),
            Bytes::Own(bytes) => {
                memory::spend(bytes.len());
                Bytes::Own(bytes.clone())
            }
        }
    }
}

/// The known properties of the bytes, so that they are not determined twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Knowledge {
    Nothing,
    /// All are ASCII, in an encoding that has ASCII.
    Ascii,
    /// They are valid, and not all ASCII.
    Valid,
    /// They are not valid in the encoding.
    Broken,
}

/// Texts shorter than this are copied rather than counted.
const WORTH_SHARING: usize = 64;

/// The text of a string.
#[derive(Clone, Debug)]
pub struct Text {
    bytes: Bytes,
    encoding: Encoding,
    known: Cell<Knowledge>,
}

impl Weighed for Text {
    /// Shared bytes are counted where they are stored.
    #[inline]
    fn weight(&self) -> usize {
        match &self.bytes {
            Bytes::Own(bytes) => bytes.capacity(),
            Bytes::Shared(_) | Bytes::Counted(_) => 0,
        }
    }
}

impl Text {
    fn from_parts(bytes: Bytes, encoding: Encoding, known: Knowledge) -> Text {
        Text { bytes, encoding, known: Cell::new(known) }
    }

    /// Bytes in an encoding.
    pub fn new(bytes: Vec<u8>, encoding: Encoding) -> Text {
        Text::from_parts(Bytes::Own(bytes), encoding, Knowledge::Nothing)
    }

    /// Bytes that are known to be ASCII, in UTF-8.
    pub fn ascii(bytes: Vec<u8>) -> Text {
        debug_assert!(bytes.is_ascii());
        Text::from_parts(Bytes::Own(bytes), Encoding::Utf8, Knowledge::Ascii)
    }

    /// Binary data.
    pub fn binary(bytes: Vec<u8>) -> Text {
        Text::new(bytes, Encoding::Binary)
    }

    /// The encoding.
    #[inline]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Reads the same bytes in another encoding.
    pub fn set_encoding(&mut self, encoding: Encoding) {
        if self.encoding != encoding {
            let stays = self.known.get() == Knowledge::Ascii && encoding.is_ascii_compatible();
            if !stays {
                self.known.set(Knowledge::Nothing);
            }
            self.encoding = encoding;
        }
    }

    /// The same bytes in another encoding.
    pub fn in_encoding(mut self, encoding: Encoding) -> Text {
        self.set_encoding(encoding);
        self
    }

    /// The same in US-ASCII if all of it is ASCII, as Ruby keeps names.
    pub fn narrowed(self) -> Text {
        if self.is_ascii() { self.in_encoding(Encoding::Ascii) } else { self }
    }

    /// The bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Own(bytes) => bytes,
            Bytes::Shared(text) => text.as_bytes(),
            Bytes::Counted(counted) => &counted.0,
        }
    }

    /// The text, if the bytes are valid UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match &self.bytes {
            Bytes::Shared(text) => Some(text),
            _ => std::str::from_utf8(self.as_bytes()).ok(),
        }
    }

    /// The text for people: what is not valid is replaced.
    pub fn to_str_lossy(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.as_bytes())
    }

    /// The text as a shared string, without a copy if it is shared already; `None` if it is not valid UTF-8.
    pub fn to_shared(&self) -> Option<Str> {
        match &self.bytes {
            Bytes::Shared(text) => Some(text.clone()),
            _ => self.as_str().map(Str::from),
        }
    }

    /// The bytes, to change.
    pub fn make_mut(&mut self) -> &mut Vec<u8> {
        self.known.set(Knowledge::Nothing);
        self.owned()
    }

    fn owned(&mut self) -> &mut Vec<u8> {
        match &mut self.bytes {
            Bytes::Own(_) => {}
            Bytes::Shared(text) => self.bytes = Bytes::Own(text.as_bytes().to_vec()),
            Bytes::Counted(counted) => {
                let bytes = match Rc::get_mut(counted) {
                    Some(alone) => std::mem::take(&mut alone.0),
                    None => counted.0.clone(),
                };
                self.bytes = Bytes::Own(bytes);
            }
        }
        match &mut self.bytes {
            Bytes::Own(bytes) => bytes,
            Bytes::Shared(_) | Bytes::Counted(_) => unreachable!("made its own above"),
        }
    }

    /// The same text again, without copying a long one.
    pub fn share(&mut self) -> Text {
        if let Bytes::Own(bytes) = &mut self.bytes
            && bytes.len() >= WORTH_SHARING
        {
            let bytes = std::mem::take(bytes);
            let taken = Taken::new(bytes.capacity());
            self.bytes = Bytes::Counted(Rc::new((bytes, taken)));
        }
        self.clone()
    }

    #[inline]
    fn knowledge(&self) -> Knowledge {
        match self.known.get() {
            Knowledge::Nothing => self.find_out(),
            known => known,
        }
    }

    fn find_out(&self) -> Knowledge {
        let bytes = self.as_bytes();
        memory::spend(bytes.len());
        let known = if self.encoding.is_ascii_compatible() && bytes.is_ascii() {
            Knowledge::Ascii
        } else if is_valid(bytes, self.encoding) {
            Knowledge::Valid
        } else {
            Knowledge::Broken
        };
        self.known.set(known);
        known
    }

    /// Whether all characters are ASCII.
    #[inline]
    pub fn is_ascii(&self) -> bool {
        self.knowledge() == Knowledge::Ascii
    }

    /// Whether the bytes are valid in the encoding.
    #[inline]
    pub fn is_valid(&self) -> bool {
        self.knowledge() != Knowledge::Broken
    }

    /// Whether every byte is a character.
    #[inline]
    pub fn is_single_byte(&self) -> bool {
        self.encoding.is_single_byte() || self.is_ascii()
    }

    /// How many characters there are.
    pub fn chars_count(&self) -> usize {
        if self.is_single_byte() {
            return self.len();
        }
        memory::spend(self.len());
        if self.encoding == Encoding::Utf8 && self.is_valid() {
            return count_utf8(self.as_bytes());
        }
        self.chars().count()
    }

    /// How many bytes the character at a byte position has.
    #[inline]
    pub fn char_len_at(&self, at: usize) -> usize {
        self.encoding.char_len(self.as_bytes().get(at..).unwrap_or_default())
    }

    /// The byte position of a character; that of the end too. `None` beyond it.
    pub fn byte_of_char(&self, index: usize) -> Option<usize> {
        self.byte_after(0, index)
    }

    /// The byte position `count` characters after another, `None` beyond the end.
    pub fn byte_after(&self, from: usize, count: usize) -> Option<usize> {
        if self.is_single_byte() {
            return from.checked_add(count).filter(|at| *at <= self.len());
        }
        let bytes = self.as_bytes();
        memory::spend(count.min(bytes.len()));
        let mut at = from;
        for _ in 0..count {
            if at >= bytes.len() {
                return None;
            }
            at += self.encoding.char_len(&bytes[at..]);
        }
        Some(at)
    }

    /// The number of characters before a byte position.
    pub fn char_of_byte(&self, byte: usize) -> usize {
        let byte = byte.min(self.len());
        if self.is_single_byte() {
            return byte;
        }
        memory::spend(byte);
        if self.encoding == Encoding::Utf8 && self.is_valid() {
            return count_utf8(&self.as_bytes()[..byte]);
        }
        let mut at = 0;
        let mut count = 0;
        while at < byte {
            at += self.char_len_at(at).max(1);
            count += 1;
        }
        count
    }

    /// Whether a character begins or the text ends at a byte position.
    pub fn is_boundary(&self, at: usize) -> bool {
        if at == 0 || at == self.len() || self.is_single_byte() {
            return at <= self.len();
        }
        let Some(byte) = self.as_bytes().get(at) else { return false };
        match self.encoding {
            Encoding::Utf8 if self.is_valid() => byte & 0xc0 != 0x80,
            _ => {
                memory::spend(at);
                let mut position = 0;
                while position < at {
                    position += self.char_len_at(position).max(1);
                }
                position == at
            }
        }
    }

    /// The characters, as bytes.
    pub fn chars(&self) -> Chars<'_> {
        let single = self.is_single_byte();
        Chars { rest: self.as_bytes(), encoding: self.encoding, single }
    }

    /// Part of the text, by bytes; what is beyond the end is left out.
    pub fn slice(&self, range: Range<usize>) -> Text {
        let end = range.end.min(self.len());
        let bytes = self.as_bytes().get(range.start..end).unwrap_or_default();
        memory::spend(bytes.len());
        let known = match self.known.get() {
            Knowledge::Ascii => Knowledge::Ascii,
            _ => Knowledge::Nothing,
        };
        Text::from_parts(Bytes::Own(bytes.to_vec()), self.encoding, known)
    }

    /// Other bytes in the same encoding.
    pub fn with_bytes(&self, bytes: Vec<u8>) -> Text {
        Text::new(bytes, self.encoding)
    }

    /// Appends text whose encoding is the same or fits.
    pub fn push_text(&mut self, other: &Text) {
        let known = match (self.known.get(), other.knowledge()) {
            (Knowledge::Ascii, known @ (Knowledge::Ascii | Knowledge::Valid)) => known,
            (Knowledge::Valid, Knowledge::Ascii | Knowledge::Valid) => Knowledge::Valid,
            _ if self.is_empty() => other.knowledge(),
            _ => Knowledge::Nothing,
        };
        memory::spend(other.len());
        self.owned().extend_from_slice(other.as_bytes());
        self.known.set(known);
    }

    /// Appends valid UTF-8 to UTF-8.
    pub fn push_str(&mut self, other: &str) {
        let known = match self.known.get() {
            known @ (Knowledge::Ascii | Knowledge::Valid) if other.is_ascii() => known,
            _ => Knowledge::Nothing,
        };
        self.owned().extend_from_slice(other.as_bytes());
        self.known.set(known);
    }

    /// Whether both have the same characters: the same bytes in encodings that fit.
    pub fn same_text(&self, other: &Text) -> bool {
        self.same_bytes(other) && self.is_comparable(other)
    }

    /// Whether both have the same bytes.
    #[inline]
    pub fn same_bytes(&self, other: &Text) -> bool {
        let (a, b) = (self.as_bytes(), other.as_bytes());
        a.len() == b.len() && {
            memory::spend(a.len());
            a == b
        }
    }

    /// Whether the bytes of both mean the same.
    pub fn is_comparable(&self, other: &Text) -> bool {
        self.encoding == other.encoding
            || self.is_empty()
            || other.is_empty()
            || (self.encoding.is_ascii_compatible()
                && other.encoding.is_ascii_compatible()
                && (self.is_ascii() || other.is_ascii()))
    }

    /// The encoding of both texts together, `None` if they do not fit.
    #[inline]
    pub fn common_encoding(&self, other: &Text) -> Option<Encoding> {
        if self.encoding == other.encoding {
            return Some(self.encoding);
        }
        if other.is_empty() {
            return Some(self.encoding);
        }
        if self.is_empty() {
            let keeps = self.encoding.is_ascii_compatible() && other.is_ascii();
            return Some(if keeps { self.encoding } else { other.encoding });
        }
        if !self.encoding.is_ascii_compatible() || !other.encoding.is_ascii_compatible() {
            None
        } else if other.is_ascii() {
            Some(self.encoding)
        } else if self.is_ascii() {
            Some(other.encoding)
        } else {
            None
        }
    }
}

fn is_valid(bytes: &[u8], encoding: Encoding) -> bool {
    match encoding {
        Encoding::Utf8 => std::str::from_utf8(bytes).is_ok(),
        Encoding::Ascii => bytes.is_ascii(),
        _ if encoding.is_single_byte() => true,
        _ => {
            let mut at = 0;
            while at < bytes.len() {
                match encoding.precise_len(&bytes[at..]) {
                    Ok(len) => at += len,
                    Err(_) => return false,
                }
            }
            true
        }
    }
}

/// How many characters valid UTF-8 has: the bytes that begin one.
fn count_utf8(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte as i8) >= -0x40).count()
}

/// The characters of a text, as bytes.
#[derive(Clone, Debug)]
pub struct Chars<'t> {
    rest: &'t [u8],
    encoding: Encoding,
    single: bool,
}

impl<'t> Iterator for Chars<'t> {
    type Item = &'t [u8];

    #[inline]
    fn next(&mut self) -> Option<&'t [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let len = if self.single { 1 } else { self.encoding.char_len(self.rest) };
        let (char, rest) = self.rest.split_at(len.clamp(1, self.rest.len()));
        self.rest = rest;
        Some(char)
    }
}

impl DoubleEndedIterator for Chars<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let len = if self.single { 1 } else { self.encoding.last_char_len(self.rest) };
        let (rest, char) = self.rest.split_at(self.rest.len() - len.clamp(1, self.rest.len()));
        self.rest = rest;
        Some(char)
    }
}

impl Deref for Text {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        text.as_bytes().to_vec().into()
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        text.into_bytes().into()
    }
}

impl From<Str> for Text {
    fn from(text: Str) -> Text {
        Text::from_parts(Bytes::Shared(text), Encoding::Utf8, Knowledge::Nothing)
    }
}

impl From<Vec<u8>> for Text {
    /// Bytes read as UTF-8, whether they are valid or not.
    fn from(bytes: Vec<u8>) -> Text {
        Text::new(bytes, Encoding::Utf8)
    }
}
