//! How Ruby writes expressions: `Regexp#to_s`, `Regexp#inspect`, `Regexp.escape`, `Regexp.union`.

use super::{Encoding, Options, Regexp};

impl Options {
    /// The letters of the options that are on, in Ruby's order.
    pub fn letters(self) -> String {
        let all = [(self.multiline, 'm'), (self.ignore_case, 'i'), (self.extended, 'x')];
        all.into_iter().filter_map(|(on, letter)| on.then_some(letter)).collect()
    }

    fn inverse(self) -> Options {
        Options { multiline: !self.multiline, ignore_case: !self.ignore_case, extended: !self.extended }
    }

    fn set(&mut self, letter: u8, on: bool) -> bool {
        match letter {
            b'm' => self.multiline = on,
            b'i' => self.ignore_case = on,
            b'x' => self.extended = on,
            _ => return false,
        }
        true
    }
}

impl Regexp {
    /// The expression as it is put into another: `(?-mix:a)`, as Ruby's `to_s` has it.
    pub fn to_embedded(&self) -> &[u8] {
        self.embedded.get_or_init(|| self.embed().into())
    }

    fn embed(&self) -> Vec<u8> {
        let (options, source) = self.unwrapped().unwrap_or((self.options, self.source_bytes()));
        let mut out = b"(?".to_vec();
        out.extend(options.letters().bytes());
        let off = options.inverse().letters();
        if !off.is_empty() {
            out.push(b'-');
            out.extend(off.bytes());
        }
        out.push(b':');
        write_source(source, self.encoding, &mut out);
        out.push(b')');
        out
    }

    /// The expression between slashes with its options, as in Ruby's `inspect`; `n` is left to the caller.
    pub fn to_inspected(&self) -> Vec<u8> {
        let mut out = vec![b'/'];
        write_source(self.source_bytes(), self.encoding, &mut out);
        out.push(b'/');
        out.extend(self.options.letters().bytes());
        out
    }

    /// The inner source if the whole source is one group with options, and these options.
    fn unwrapped(&self) -> Option<(Options, &[u8])> {
        let mut options = self.options;
        let mut rest = self.source_bytes();
        loop {
            if rest.len() < 4 {
                return None;
            }
            rest = rest.strip_prefix(b"(?")?;
            while let Some((&letter, after)) = rest.split_first()
                && options.set(letter, true)
            {
                rest = after;
            }
            if rest.len() > 1
                && let Some(after) = rest.strip_prefix(b"-")
            {
                rest = after;
                while let Some((&letter, after)) = rest.split_first()
                    && options.set(letter, false)
                {
                    rest = after;
                }
            }
            match rest.split_first()? {
                (b')', after) if after.starts_with(b"(?") => rest = after,
                (b')', after) => return Some((options, after)),
                (b':', after) => {
                    let inside = after.strip_suffix(b")")?;
                    return Regexp::from_bytes(inside, options, self.encoding)
                        .is_ok()
                        .then_some((options, inside));
                }
                _ => return None,
            }
        }
    }
}

/// A source between slashes with its options, as messages quote it.
pub(super) fn inspected(source: &[u8], options: Options, encoding: Encoding) -> String {
    let mut out = Vec::with_capacity(source.len() + 2);
    write_source(source, encoding, &mut out);
    format!("/{}/{}", String::from_utf8_lossy(&out), options.letters())
}

/// The source with slashes and what cannot be printed escaped.
fn write_source(source: &[u8], encoding: Encoding, out: &mut Vec<u8>) {
    let mut at = 0;
    while at < source.len() {
        let byte = source[at];
        match byte {
            b'\\' if at + 1 < source.len() => {
                let length = match encoding {
                    Encoding::Utf8 => super::text::char_at(source, at + 1).1,
                    Encoding::Binary => 1,
                };
                out.extend_from_slice(&source[at..at + 1 + length]);
                at += 1 + length;
                continue;
            }
            b'/' => out.extend_from_slice(b"\\/"),
            0x09..=0x0d | 0x20..=0x7e => out.push(byte),
            0x80.. if encoding == Encoding::Utf8 => {
                let (code, length) = super::text::char_at(source, at);
                if code == super::text::BROKEN {
                    out.extend_from_slice(format!("\\x{byte:02X}").as_bytes());
                } else {
                    out.extend_from_slice(&source[at..at + length]);
                }
                at += length;
                continue;
            }
            _ => out.extend_from_slice(format!("\\x{byte:02X}").as_bytes()),
        }
        at += 1;
    }
}

/// The source of a pattern that matches exactly these bytes.
pub fn escape_bytes(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &byte in text {
        let letter = match byte {
            b'[' | b']' | b'{' | b'}' | b'(' | b')' | b'|' | b'-' | b'*' | b'.' | b'\\' | b'?' | b'+'
            | b'^' | b'$' | b'#' | b' ' => byte,
            b'\t' => b't',
            b'\n' => b'n',
            b'\r' => b'r',
            0x0c => b'f',
            0x0b => b'v',
            _ => {
                out.push(byte);
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', letter]);
    }
    out
}

/// The source of a pattern that matches what any of these match, each written as for embedding or escaped.
pub fn union<'s>(parts: impl IntoIterator<Item = &'s [u8]>) -> Vec<u8> {
    let parts: Vec<&[u8]> = parts.into_iter().collect();
    if parts.is_empty() {
        return b"(?!)".to_vec();
    }
    parts.join(&b'|')
}
