//! Escapes that stand for characters: `\t`, `\101`, `\x41`, `\u{61 62}`, `\cA`.

use super::translate::Translator;
use crate::Result;

impl Translator<'_> {
    /// The characters an escape stands for; `c` is the one after the backslash. Bytes of one character may be spelt in a row.
    pub(super) fn character(&mut self, c: char) -> Result<Vec<char>> {
        let byte = match c {
            't' => b'\t',
            'n' => b'\n',
            'r' => b'\r',
            'f' => 0x0c,
            'v' => 0x0b,
            'a' => 0x07,
            'e' => 0x1b,
            '0'..='7' => self.octal(c)?,
            'x' => self.hex_byte()?,
            'u' => return self.unicode(),
            'c' | 'C' | 'M' => self.control(c)?,
            _ => return Ok(vec![c]),
        };
        if byte < 0x80 {
            return Ok(vec![char::from(byte)]);
        }
        let mut bytes = vec![byte];
        loop {
            match std::str::from_utf8(&bytes) {
                Ok(text) => return Ok(text.chars().collect()),
                Err(_) if bytes.len() < 4 && self.peek() == Some('\\') && self.peek_at(1) == Some('x') => {
                    self.skip(2);
                    bytes.push(self.hex_byte()?);
                }
                Err(_) => return self.fail(format_args!("invalid multibyte escape")),
            }
        }
    }

    fn octal(&mut self, first: char) -> Result<u8> {
        let mut value = first.to_digit(8).unwrap_or(0);
        for _ in 0..2 {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) else { break };
            value = value * 8 + digit;
            self.advance();
        }
        match u8::try_from(value) {
            Ok(byte) => Ok(byte),
            Err(_) => self.fail(format_args!("invalid escape code")),
        }
    }

    fn hex_byte(&mut self) -> Result<u8> {
        let mut value = None;
        for _ in 0..2 {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) else { break };
            value = Some(value.unwrap_or(0) * 16 + digit as u8);
            self.advance();
        }
        match value {
            Some(byte) => Ok(byte),
            None => self.fail(format_args!("invalid hex escape")),
        }
    }

    /// `\u00e9`, `\u{61 62}`.
    fn unicode(&mut self) -> Result<Vec<char>> {
        let mut found = Vec::new();
        if self.eat('{') {
            let start = self.place();
            while self.peek().is_some_and(|c| c != '}') {
                self.advance();
            }
            let list = self.between(start);
            if !self.eat('}') {
                return self.fail(format_args!("unterminated Unicode escape"));
            }
            for code in list.split_ascii_whitespace() {
                match u32::from_str_radix(code, 16) {
                    Ok(code) => found.push(self.scalar(code)?),
                    Err(_) => return self.fail(format_args!("invalid Unicode list")),
                }
            }
            return Ok(found);
        }
        if self.peek().is_none() {
            return self.fail(format_args!("too short escape sequence"));
        }
        let mut code = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) else {
                return self.fail(format_args!("invalid Unicode escape"));
            };
            code = code * 16 + digit;
            self.advance();
        }
        found.push(self.scalar(code)?);
        Ok(found)
    }

    fn scalar(&self, code: u32) -> Result<char> {
        match char::from_u32(code) {
            Some(c) => Ok(c),
            None => self.fail(format_args!("invalid Unicode range")),
        }
    }

    /// `\cx`, `\C-x`, `\M-x`.
    fn control(&mut self, c: char) -> Result<u8> {
        let what = if c == 'M' { "meta" } else { "control" };
        if c != 'c' && !self.eat('-') {
            return self.fail(format_args!("too short {what} escape"));
        }
        let byte = match self.advance() {
            None => return self.fail(format_args!("too short {what} escape")),
            Some('?') if c != 'M' => return Ok(0x7f),
            Some('\\') => match self.advance() {
                Some(next) => match self.character(next)?.as_slice() {
                    [one] if one.is_ascii() => *one as u8,
                    _ => return self.fail(format_args!("invalid multibyte escape")),
                },
                None => return self.fail(format_args!("too short escape sequence")),
            },
            Some(next) if next.is_ascii() => next as u8,
            Some(_) => return self.fail(format_args!("invalid multibyte escape")),
        };
        Ok(if c == 'M' { byte | 0x80 } else { byte & 0x1f })
    }
}
