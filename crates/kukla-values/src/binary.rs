//! Bytes, and the ways to write them as text.

use std::fmt;
use std::sync::Arc;

use kukla_syntax::{bail, diagnostic};

use crate::Result;
use crate::codes::{BINARY_NOT_UTF8, INVALID_BASE64, UNKNOWN_BINARY_FORMAT};

/// A sequence of bytes, shared on clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Binary(pub Arc<[u8]>);

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// How many characters of base64 Ruby puts on a line.
const LINE: usize = 60;

impl Binary {
    /// The bytes themselves.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Binary {
        Binary(bytes.into())
    }

    /// Reads a text in one of the formats of `Binary.new`: `%b`, `%u`, `%B`, `%s`, `%r`.
    pub fn parse(text: &str, format: &str) -> Result<Binary> {
        match format {
            // The padding is as Puppet guesses it; what follows the first equals sign is not looked at anyway.
            "%b" => Ok(Binary::from_relaxed(text)),
            "%u" => Binary::from_urlsafe(text),
            "%B" => Binary::from_strict(text),
            "%s" | "%r" => Ok(Binary::new(text.as_bytes())),
            _ => bail!(UNKNOWN_BINARY_FORMAT { format }),
        }
    }

    /// Reads base64 and skips what is not.
    pub fn from_relaxed(text: &str) -> Binary {
        let sextets: Vec<u32> = text.bytes().take_while(|&byte| byte != b'=').filter_map(sextet).collect();
        let mut bytes = Vec::with_capacity(sextets.len() * 3 / 4);
        for group in sextets.chunks(4).filter(|group| group.len() > 1) {
            let bits = (0..4).fold(0, |bits, at| (bits << 6) | group.get(at).copied().unwrap_or(0));
            bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
        }
        Binary::new(bytes)
    }

    /// Reads base64 with exact padding and nothing else.
    pub fn from_strict(text: &str) -> Result<Binary> {
        let body = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
        let padding = text.len() - body.len();
        let fits = text.len().is_multiple_of(4)
            && body.bytes().all(|byte| sextet(byte).is_some())
            && match (padding, body.bytes().last().and_then(sextet)) {
                (1, Some(last)) => body.len() % 4 == 3 && last & 0b11 == 0,
                (2, Some(last)) => body.len() % 4 == 2 && last & 0b1111 == 0,
                (padding, _) => padding == 0,
            };
        if fits { Ok(Binary::from_relaxed(text)) } else { bail!(INVALID_BASE64) }
    }

    /// Reads base64 with `-` and `_`, padded or not.
    pub fn from_urlsafe(text: &str) -> Result<Binary> {
        let mut text = text.replace('-', "+").replace('_', "/");
        if !text.ends_with('=') && !text.len().is_multiple_of(4) {
            text.extend(std::iter::repeat_n('=', 4 - text.len() % 4));
        }
        Binary::from_strict(&text)
    }

    /// Base64 without line breaks.
    pub fn to_base64(&self) -> String {
        let mut out = String::with_capacity(self.0.len().div_ceil(3) * 4);
        for group in self.0.chunks(3) {
            let bits =
                (0..3).fold(0u32, |bits, at| (bits << 8) | u32::from(group.get(at).copied().unwrap_or(0)));
            for at in 0..4 {
                let letter = ALPHABET[(bits >> (18 - 6 * at)) as usize & 63];
                out.push(if at <= group.len() { char::from(letter) } else { '=' });
            }
        }
        out
    }

    /// Base64 in lines, each ended.
    pub fn to_relaxed(&self) -> String {
        let base64 = self.to_base64();
        let mut out = String::with_capacity(base64.len() + base64.len() / LINE + 1);
        let mut rest = base64.as_str();
        while !rest.is_empty() {
            let (line, after) = rest.split_at(rest.len().min(LINE));
            out.push_str(line);
            out.push('\n');
            rest = after;
        }
        out
    }

    /// Base64 with `-` and `_`.
    pub fn to_urlsafe(&self) -> String {
        self.to_base64().replace('+', "-").replace('/', "_")
    }

    /// The bytes as text, if they are UTF-8.
    pub fn to_text(&self) -> Result<&str> {
        std::str::from_utf8(&self.0).map_err(|error| {
            let byte = self.0.get(error.valid_up_to()).copied().unwrap_or(0);
            diagnostic!(BINARY_NOT_UTF8 { byte: format!("{byte:02X}") }).into()
        })
    }

    /// The bytes of both, one after the other.
    pub fn concat(&self, other: &Binary) -> Binary {
        Binary::new([&*self.0, &*other.0].concat())
    }
}

fn sextet(byte: u8) -> Option<u32> {
    let sextet = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(sextet.into())
}

impl fmt::Display for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_base64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_strict_and_relaxed() {
        assert_eq!(Binary::new(*b"hello").to_base64(), "aGVsbG8=");
        assert_eq!(Binary::from_relaxed("aGV sb\nG8=").to_base64(), "aGVsbG8=");
        assert_eq!(Binary::new(*b"a\xff\xfe").to_urlsafe(), "Yf_-");
        assert!(Binary::from_strict("aGVsbG9=").is_err(), "bits that no byte takes");
        assert!(Binary::from_strict("aGVsbG8").is_err() && Binary::from_strict("aGVs bG8=").is_err());
        assert_eq!(Binary::from_urlsafe("_-8").unwrap().0[..], [255, 239]);
        let lines = Binary::new([0; 50]).to_relaxed();
        assert_eq!(lines.lines().map(str::len).collect::<Vec<_>>(), [60, 8]);
        assert_eq!(Binary::new(*b"").to_relaxed(), "");
    }
}
