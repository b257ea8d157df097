//! Ruby's preprocessing of a pattern: escapes that spell characters outside ASCII become these characters.
//!
//! `\u{e9}`, `\xc3\xa9` and `\303\251` all become `é`; escapes of ASCII characters become `\xNN`, so that they are never
//! syntax. Everything else stays as written.

use super::Encoding;

/// A pattern ready to be parsed.
pub(super) struct Unescaped {
    /// The pattern as code points, or as bytes in a binary pattern.
    pub codes: Vec<u32>,
    /// Whether it holds anything beyond ASCII, written plainly or escaped, or a property of characters, which ties it to its encoding.
    pub beyond_ascii: bool,
}

/// Replaces the escapes of a pattern, or says what is wrong with one.
pub(super) fn unescape(source: &[u8], encoding: Encoding) -> Result<Unescaped, &'static str> {
    let mut reader =
        Reader { source, at: 0, encoding, codes: Vec::with_capacity(source.len()), beyond: false };
    while let Some(byte) = reader.peek() {
        if byte == b'\\' {
            reader.escape()?;
        } else {
            reader.plain()?;
        }
    }
    Ok(Unescaped { codes: reader.codes, beyond_ascii: reader.beyond })
}

struct Reader<'s> {
    source: &'s [u8],
    at: usize,
    encoding: Encoding,
    codes: Vec<u32>,
    beyond: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.source.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn push(&mut self, code: u32) {
        self.beyond |= code > 0x7f;
        self.codes.push(code);
    }

    fn push_ascii(&mut self, text: &str) {
        self.codes.extend(text.bytes().map(u32::from));
    }

    /// One literal character.
    fn plain(&mut self) -> Result<(), &'static str> {
        let (code, length) = match self.encoding {
            Encoding::Binary => (self.peek().map(u32::from), 1),
            Encoding::Utf8 => match super::text::decode(self.source, self.at) {
                Some((code, length)) => (Some(code), length),
                None => (None, 1),
            },
        };
        let Some(code) = code else { return Err("invalid multibyte character") };
        self.push(code);
        self.at += length;
        Ok(())
    }

    fn escape(&mut self) -> Result<(), &'static str> {
        let start = self.at;
        self.at += 1;
        let Some(byte) = self.peek() else { return Err("too short escape sequence") };
        match byte {
            b'1'..=b'7' if self.octal(self.at) <= 0o177 => self.as_written(),
            b'0'..=b'7' | b'x' | b'c' | b'C' | b'M' => {
                self.at = start;
                self.bytes()
            }
            b'u' => {
                self.at += 1;
                self.unicode()
            }
            b'p' | b'P' => {
                self.beyond |= self.encoding == Encoding::Utf8;
                self.as_written()
            }
            _ => self.as_written(),
        }
    }

    /// An escape that means something to the parser.
    fn as_written(&mut self) -> Result<(), &'static str> {
        self.push(u32::from(b'\\'));
        self.plain()
    }

    fn octal(&self, at: usize) -> u32 {
        let digits = self.source[at..].iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
        digits.fold(0, |value, digit| value * 8 + u32::from(digit - b'0'))
    }

    /// A character spelt by its bytes, each of them escaped.
    fn bytes(&mut self) -> Result<(), &'static str> {
        let first = self.byte()?;
        if first < 0x80 || self.encoding == Encoding::Binary {
            if first < 0x80 {
                self.push_ascii(&format!("\\x{first:02X}"));
            } else {
                self.push(u32::from(first));
            }
            return Ok(());
        }
        let length = match first {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return Err("invalid multibyte escape"),
        };
        let mut spelt = vec![first];
        while spelt.len() < length {
            spelt.push(self.byte()?);
            let good = match std::str::from_utf8(&spelt) {
                Ok(_) => true,
                Err(error) => error.error_len().is_none(),
            };
            if !good {
                return Err("invalid multibyte escape");
            }
        }
        match super::text::decode(&spelt, 0) {
            Some((code, _)) => self.push(code),
            None => return Err("invalid multibyte escape"),
        }
        Ok(())
    }

    /// One escaped byte, with any `\C-` and `\M-` before it.
    fn byte(&mut self) -> Result<u8, &'static str> {
        if self.next() != Some(b'\\') {
            return Err("too short escaped multibyte character");
        }
        let (mut control, mut meta) = (false, false);
        let code = loop {
            let Some(byte) = self.next() else { return Err("too short escape sequence") };
            match byte {
                b'\\' => break u32::from(b'\\'),
                b'n' => break 0x0a,
                b't' => break 0x09,
                b'r' => break 0x0d,
                b'f' => break 0x0c,
                b'v' => break 0x0b,
                b'a' => break 0x07,
                b'e' => break 0x1b,
                b'0'..=b'7' => {
                    let code = self.octal(self.at - 1);
                    let digits = self.source[self.at - 1..].iter().take(3);
                    self.at += digits.take_while(|byte| matches!(byte, b'0'..=b'7')).count() - 1;
                    break code;
                }
                b'x' => {
                    let digits: Vec<u32> = (self.source[self.at..].iter().take(2))
                        .map_while(|&byte| char::from(byte).to_digit(16))
                        .collect();
                    if digits.is_empty() {
                        return Err("invalid hex escape");
                    }
                    self.at += digits.len();
                    break digits.iter().fold(0, |value, digit| value * 16 + digit);
                }
                b'M' => {
                    if meta {
                        return Err("duplicate meta escape");
                    }
                    meta = true;
                    if self.next() != Some(b'-') || self.at >= self.source.len() {
                        return Err("too short meta escape");
                    }
                    match self.modified("too short meta escape")? {
                        Some(code) => break code,
                        None => continue,
                    }
                }
                b'C' | b'c' => {
                    if byte == b'C' && self.next() != Some(b'-') {
                        return Err("too short control escape");
                    }
                    if control {
                        return Err("duplicate ctrl escape");
                    }
                    control = true;
                    match self.modified("too short control escape")? {
                        Some(code) => break code,
                        None => continue,
                    }
                }
                _ => return Err("unexpected escape sequence"),
            }
        };
        let Ok(mut code) = u8::try_from(code) else { return Err("invalid escape code") };
        if control {
            code &= 0x1f;
        }
        if meta {
            code |= 0x80;
        }
        Ok(code)
    }

    /// The character that `\C-` or `\M-` applies to; nothing if that is another escape, of which the backslash has been read.
    fn modified(&mut self, short: &'static str) -> Result<Option<u32>, &'static str> {
        match self.next() {
            Some(b'\\') => Ok(None),
            Some(byte) if byte < 0x80 => Ok(Some(u32::from(byte))),
            _ => Err(short),
        }
    }

    /// `\u00e9` or `\u{61 62}`, from after the letter.
    fn unicode(&mut self) -> Result<(), &'static str> {
        match self.peek() {
            None => return Err("too short escape sequence"),
            Some(b'{') => self.at += 1,
            Some(_) => {
                let digits: Vec<u32> = (self.source[self.at..].iter().take(4))
                    .map_while(|&byte| char::from(byte).to_digit(16))
                    .collect();
                if digits.len() < 4 {
                    return Err("invalid Unicode escape");
                }
                self.at += 4;
                return self.scalar(digits.iter().fold(0, |value, digit| value * 16 + digit));
            }
        }
        let start = self.codes.len();
        loop {
            while self.peek().is_some_and(|byte| byte.is_ascii_whitespace() || byte == 0x0b) {
                self.at += 1;
            }
            let digits: Vec<u32> =
                (self.source[self.at..].iter()).map_while(|&byte| char::from(byte).to_digit(16)).collect();
            if digits.is_empty() {
                break;
            }
            if digits.len() > 6 {
                return Err("invalid Unicode range");
            }
            self.at += digits.len();
            self.scalar(digits.iter().fold(0, |value, digit| value * 16 + digit))?;
        }
        if self.codes.len() == start || self.next() != Some(b'}') {
            return Err("invalid Unicode list");
        }
        Ok(())
    }

    fn scalar(&mut self, code: u32) -> Result<(), &'static str> {
        let Some(c) = char::from_u32(code) else { return Err("invalid Unicode range") };
        if c.is_ascii() {
            self.push_ascii(&format!("\\x{code:02X}"));
        } else if self.encoding == Encoding::Utf8 {
            self.push(code);
        } else {
            let mut buffer = [0; 4];
            c.encode_utf8(&mut buffer).bytes().for_each(|byte| self.push(u32::from(byte)));
        }
        Ok(())
    }
}
