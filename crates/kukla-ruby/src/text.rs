//! The text of a string: bytes and the encoding they are read in.

use std::ops::Deref;

use kukla_values::Str;

/// How bytes are read as characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// UTF-8, which text is in unless said otherwise.
    #[default]
    Utf8,
    /// ASCII-8BIT, also called BINARY: every byte is a character.
    Binary,
    /// US-ASCII.
    Ascii,
}

/// The bytes of a string. Text that came from Puppet or a program is shared until it is changed.
#[derive(Clone, Debug)]
enum Bytes {
    Shared(Str),
    Own(Vec<u8>),
}

/// The text of a string.
#[derive(Clone, Debug)]
pub struct Text {
    bytes: Bytes,
    encoding: Encoding,
}

impl Text {
    /// Bytes in an encoding.
    pub fn new(bytes: Vec<u8>, encoding: Encoding) -> Text {
        Text { bytes: Bytes::Own(bytes), encoding }
    }

    /// Bytes that are no text.
    pub fn binary(bytes: Vec<u8>) -> Text {
        Text::new(bytes, Encoding::Binary)
    }

    /// The encoding.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Reads the same bytes in another encoding.
    pub fn set_encoding(&mut self, encoding: Encoding) {
        self.encoding = encoding;
    }

    /// The bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Shared(text) => text.as_bytes(),
            Bytes::Own(bytes) => bytes,
        }
    }

    /// The text, if the bytes are valid UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match &self.bytes {
            Bytes::Shared(text) => Some(text),
            Bytes::Own(bytes) => std::str::from_utf8(bytes).ok(),
        }
    }

    /// The text for people: what is not valid is replaced.
    pub fn to_str_lossy(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.as_bytes())
    }

    /// The text as Puppet has it, shared if it is shared already; `None` if it is not valid UTF-8.
    pub fn to_puppet(&self) -> Option<Str> {
        match &self.bytes {
            Bytes::Shared(text) => Some(text.clone()),
            Bytes::Own(bytes) => std::str::from_utf8(bytes).ok().map(Str::from),
        }
    }

    /// The bytes, to change.
    pub fn make_mut(&mut self) -> &mut Vec<u8> {
        if let Bytes::Shared(text) = &self.bytes {
            self.bytes = Bytes::Own(text.as_bytes().to_vec());
        }
        match &mut self.bytes {
            Bytes::Own(bytes) => bytes,
            Bytes::Shared(_) => unreachable!("made its own above"),
        }
    }

    /// Whether all bytes are ASCII.
    pub fn is_ascii(&self) -> bool {
        self.as_bytes().is_ascii()
    }

    /// Whether the bytes are valid in the encoding.
    pub fn is_valid(&self) -> bool {
        match self.encoding {
            Encoding::Utf8 => self.as_str().is_some(),
            Encoding::Binary => true,
            Encoding::Ascii => self.is_ascii(),
        }
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
        Text { bytes: Bytes::Own(text.as_bytes().to_vec()), encoding: Encoding::Utf8 }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text { bytes: Bytes::Own(text.into_bytes()), encoding: Encoding::Utf8 }
    }
}

impl From<Str> for Text {
    fn from(text: Str) -> Text {
        Text { bytes: Bytes::Shared(text), encoding: Encoding::Utf8 }
    }
}

impl From<Vec<u8>> for Text {
    /// Bytes read as UTF-8, whether they are valid or not.
    fn from(bytes: Vec<u8>) -> Text {
        Text::new(bytes, Encoding::Utf8)
    }
}
