//! `String#unpack`.

use num_bigint::BigInt;

use super::{Count, Directive, ascii};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::text::{Encoding, Text};
use crate::value::Value;

struct Unpacker<'b> {
    bytes: &'b [u8],
    at: usize,
    values: Vec<Value>,
    /// How many values are wanted.
    most: usize,
}

pub(super) fn unpack(
    ruby: &mut Ruby<'_>,
    bytes: &[u8],
    offset: usize,
    directives: &[Directive],
    most: usize,
) -> Result<Vec<Value>> {
    let mut unpacker = Unpacker { bytes, at: offset, values: Vec::new(), most };
    for directive in directives {
        unpacker.directive(ruby, *directive)?;
        if unpacker.values.len() >= most {
            break;
        }
    }
    Ok(unpacker.values)
}

impl Unpacker<'_> {
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Reads items of a size until there are enough or no more; `nil` replaces missing ones.
    fn items(
        &mut self,
        ruby: &mut Ruby<'_>,
        directive: Directive,
        size: usize,
        read: impl Fn(&[u8]) -> Value,
    ) -> Result<()> {
        let there = self.rest().len() / size;
        let wanted = match directive.count {
            Count::Once => 1,
            Count::Times(times) => times,
            Count::Star => there,
        };
        ruby.charge(1 + wanted as u64)?;
        for _ in 0..wanted.min(there) {
            let value = read(&self.bytes[self.at..self.at + size]);
            self.values.push(value);
            self.at += size;
        }
        if directive.count != Count::Star {
            let missing = wanted.saturating_sub(there).min(1 << 24);
            self.values.extend(std::iter::repeat_n(Value::Nil, missing));
        }
        Ok(())
    }

    fn directive(&mut self, ruby: &mut Ruby<'_>, directive: Directive) -> Result<()> {
        if let Some((size, signed, big_endian)) = directive.integer() {
            return self.items(ruby, directive, size, |bytes| integer(bytes, signed, big_endian));
        }
        if let Some((size, big_endian)) = directive.float() {
            return self.items(ruby, directive, size, |bytes| float(bytes, big_endian));
        }
        match directive.letter {
            b'a' | b'A' | b'Z' => self.string(directive),
            b'b' | b'B' => {
                self.digits(directive, 8, |byte, place| byte >> place & 1, directive.letter == b'B')
            }
            b'h' | b'H' => {
                self.digits(directive, 2, |byte, place| byte >> (4 * place) & 15, directive.letter == b'H')
            }
            b'U' => return self.characters(ruby, directive),
            b'w' => self.compressed(directive),
            b'm' => {
                let decoded = if directive.count == Count::Times(0) {
                    ascii::base64_decode_strictly(self.rest())
                } else {
                    Some(ascii::base64_decode(self.rest()))
                };
                let Some(decoded) = decoded else { return Err(ruby.argument_error("invalid base64")) };
                self.rest_as(decoded);
            }
            b'u' => {
                let decoded = ascii::uudecode(self.rest());
                self.rest_as(decoded);
            }
            b'M' => {
                let decoded = ascii::quoted_printable_decode(self.rest());
                self.rest_as(decoded);
            }
            b'x' => {
                let count = match directive.count {
                    Count::Star => self.rest().len(),
                    Count::Once => 1,
                    Count::Times(times) => times,
                };
                if count > self.rest().len() {
                    return Err(ruby.argument_error("x outside of string"));
                }
                self.at += count;
            }
            b'X' => {
                let count = match directive.count {
                    Count::Star => self.rest().len(),
                    Count::Once => 1,
                    Count::Times(times) => times,
                };
                match self.at.checked_sub(count) {
                    Some(at) => self.at = at,
                    None => return Err(ruby.argument_error("X outside of string")),
                }
            }
            b'@' => {
                let place = match directive.count {
                    Count::Star => self.rest().len(),
                    Count::Once => 0,
                    Count::Times(times) => times,
                };
                match Some(place).filter(|at| *at <= self.bytes.len()) {
                    Some(at) => self.at = at,
                    None => return Err(ruby.argument_error("@ outside of string")),
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// All that is left, decoded.
    fn rest_as(&mut self, decoded: Vec<u8>) {
        self.values.push(Value::str(Text::binary(decoded)));
        self.at = self.bytes.len();
    }

    fn string(&mut self, directive: Directive) {
        let rest = self.rest();
        let len = match directive.count {
            Count::Once => 1,
            Count::Times(times) => times,
            Count::Star => rest.len(),
        };
        let taken = &rest[..len.min(rest.len())];
        let (text, used) = match directive.letter {
            b'A' => {
                let end = taken.iter().rposition(|byte| !matches!(byte, b' ' | 0)).map_or(0, |at| at + 1);
                (&taken[..end], taken.len())
            }
            b'Z' => match memchr::memchr(0, taken) {
                Some(end) if directive.count == Count::Star => (&taken[..end], end + 1),
                Some(end) => (&taken[..end], taken.len()),
                None => (taken, taken.len()),
            },
            _ => (taken, taken.len()),
        };
        self.values.push(Value::str(Text::binary(text.to_vec())));
        self.at += used;
    }

    /// Bits or hexadecimal digits, `per` of them in a byte.
    fn digits(
        &mut self,
        directive: Directive,
        per: usize,
        digit: impl Fn(u8, usize) -> u8,
        high_first: bool,
    ) {
        let all = self.rest().len() * per;
        let wanted = match directive.count {
            Count::Once => 1.min(all),
            Count::Times(times) => times.min(all),
            Count::Star => all,
        };
        let mut text = Vec::with_capacity(wanted);
        for number in 0..wanted {
            let byte = self.bytes[self.at + number / per];
            let place = if high_first { per - 1 - number % per } else { number % per };
            text.push(b"0123456789abcdef"[usize::from(digit(byte, place))]);
        }
        self.at += wanted.div_ceil(per);
        self.values.push(Value::str(Text::new(text, Encoding::Ascii)));
    }

    fn characters(&mut self, ruby: &mut Ruby<'_>, directive: Directive) -> Result<()> {
        let mut left = match directive.count {
            Count::Once => 1,
            Count::Times(times) => times,
            Count::Star => usize::MAX,
        };
        while left > 0 && self.at < self.bytes.len() && self.values.len() < self.most {
            let (code, len) = utf8(ruby, self.rest())?;
            self.values.push(Value::Int(i64::from(code)));
            self.at += len;
            left -= 1;
        }
        Ok(())
    }

    fn compressed(&mut self, directive: Directive) {
        let mut left = match directive.count {
            Count::Once => 1,
            Count::Times(times) => times,
            Count::Star => usize::MAX,
        };
        while left > 0 {
            let Some(len) = self.rest().iter().position(|byte| byte & 0x80 == 0) else { break };
            let mut number = BigInt::from(0);
            for byte in &self.bytes[self.at..=self.at + len] {
                number = (number << 7) + BigInt::from(byte & 0x7f);
            }
            self.values.push(Value::integer(number));
            self.at += len + 1;
            left -= 1;
        }
    }
}

fn integer(bytes: &[u8], signed: bool, big_endian: bool) -> Value {
    let fold = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    let number = if big_endian { bytes.iter().fold(0, fold) } else { bytes.iter().rev().fold(0, fold) };
    if signed {
        let shift = 64 - 8 * bytes.len() as u32;
        return Value::Int((number << shift) as i64 >> shift);
    }
    Value::integer(number)
}

fn float(bytes: &[u8], big_endian: bool) -> Value {
    let mut ordered = bytes.to_vec();
    if !big_endian {
        ordered.reverse();
    }
    match <[u8; 8]>::try_from(&ordered[..]) {
        Ok(eight) => Value::Float(f64::from_be_bytes(eight)),
        Err(_) => {
            let four = <[u8; 4]>::try_from(&ordered[..]).unwrap_or_default();
            Value::Float(f64::from(f32::from_be_bytes(four)))
        }
    }
}

/// The number of a character in the original form of UTF-8, and how many bytes it takes.
fn utf8(ruby: &mut Ruby<'_>, bytes: &[u8]) -> Result<(u32, usize)> {
    let first = bytes.first().copied().unwrap_or(0);
    let (len, start) = match first {
        0..=0x7f => return Ok((u32::from(first), 1)),
        0x80..=0xbf | 0xfe.. => return Err(ruby.argument_error("malformed UTF-8 character")),
        0xc0..=0xdf => (2, first & 0x1f),
        0xe0..=0xef => (3, first & 0x0f),
        0xf0..=0xf7 => (4, first & 0x07),
        0xf8..=0xfb => (5, first & 0x03),
        0xfc..=0xfd => (6, first & 0x01),
    };
    if bytes.len() < len {
        let message =
            format!("malformed UTF-8 character (expected {len} bytes, given {} bytes)", bytes.len());
        return Err(ruby.argument_error(message));
    }
    let mut code = u32::from(start);
    for byte in &bytes[1..len] {
        if byte & 0xc0 != 0x80 {
            return Err(ruby.argument_error("malformed UTF-8 character"));
        }
        code = code << 6 | u32::from(byte & 0x3f);
    }
    let least = [0, 0, 0x80, 0x800, 0x1_0000, 0x20_0000, 0x400_0000][len];
    if code < least {
        return Err(ruby.argument_error("redundant UTF-8 sequence"));
    }
    Ok((code, len))
}
