//! `Array#pack`.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use super::{Count, Directive, ascii, directives};
use crate::args::Args;
use crate::class::ClassId;
use crate::core::string;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::{Encoding, Text};
use crate::value::{ArrayObject, Value};

/// The largest string that is made.
const LARGEST: usize = 1 << 28;

struct Packer<'a> {
    items: &'a ArrayObject,
    next: usize,
    out: Vec<u8>,
    encoding: Encoding,
}

pub(super) fn pack(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let buffer = string::only_keyword(ruby, args, "buffer")?.filter(|buffer| !buffer.is_nil());
    let Value::Array(items) = this else { return Err(ruby.no_conversion(this, "Array")) };
    let template = ruby.to_text(&args[0])?;
    let directives = directives(ruby, &template)?;
    let start = match &buffer {
        None => Vec::new(),
        Some(buffer @ Value::String(string)) => {
            ruby.check_frozen(buffer)?;
            string.text().to_vec()
        }
        Some(other) => {
            let word = ruby.class_name_of(other);
            return Err(ruby.type_error(format!("buffer must be String, not {word}")));
        }
    };
    let mut packer = Packer { items, next: 0, out: start, encoding: Encoding::Ascii };
    for directive in &directives {
        packer.directive(ruby, *directive)?;
    }
    if let Some(Value::String(string)) = &buffer {
        let encoding = string.text().encoding();
        *string.text_mut() = Text::new(packer.out, encoding);
        return Ok(buffer.unwrap_or_default());
    }
    Ok(Value::str(Text::new(packer.out, packer.encoding)))
}

/// The low 64 bits of an integer.
fn low_bits(ruby: &mut Ruby<'_>, value: &Value) -> Result<u64> {
    let number = match value {
        Value::Int(number) => return Ok(*number as u64),
        Value::Nil => return Err(ruby.no_conversion(value, "Integer")),
        other => ruby.to_integer(other)?,
    };
    Ok(match number {
        Value::Int(number) => number as u64,
        Value::Big(big) => {
            let low = &big.number & BigInt::from(u64::MAX);
            low.to_u64().unwrap_or(0)
        }
        _ => 0,
    })
}

impl Packer<'_> {
    fn next(&mut self, ruby: &mut Ruby<'_>) -> Result {
        match self.items.get(self.next) {
            Some(value) => {
                self.next += 1;
                Ok(value)
            }
            None => Err(ruby.argument_error("too few arguments")),
        }
    }

    /// How many values a directive takes.
    fn times(&self, count: Count) -> usize {
        match count {
            Count::Once => 1,
            Count::Times(times) => times,
            Count::Star => self.items.len().saturating_sub(self.next),
        }
    }

    fn room(&self, ruby: &mut Ruby<'_>, more: usize) -> Result<()> {
        ruby.charge(1 + more as u64 / 16)?;
        ruby.grown(self.out.len().saturating_add(more))?;
        if self.out.len().saturating_add(more) > LARGEST {
            return Err(ruby.error(ClassId::NO_MEMORY_ERROR, "failed to allocate memory"));
        }
        Ok(())
    }

    fn directive(&mut self, ruby: &mut Ruby<'_>, directive: Directive) -> Result<()> {
        match directive.letter {
            b'U' if self.encoding == Encoding::Ascii => self.encoding = Encoding::Utf8,
            b'U' | b'm' | b'M' | b'u' => {}
            _ => self.encoding = Encoding::Binary,
        }
        if let Some((size, _, big_endian)) = directive.integer() {
            for _ in 0..self.times(directive.count) {
                let value = self.next(ruby)?;
                let bits = low_bits(ruby, &value)?;
                if big_endian {
                    self.out.extend_from_slice(&bits.to_be_bytes()[8 - size..]);
                } else {
                    self.out.extend_from_slice(&bits.to_le_bytes()[..size]);
                }
            }
            return Ok(());
        }
        if let Some((size, big_endian)) = directive.float() {
            for _ in 0..self.times(directive.count) {
                let value = self.next(ruby)?;
                let number = ruby.to_float(&value)?;
                let bytes = match (size, big_endian) {
                    (8, true) => number.to_be_bytes().to_vec(),
                    (8, false) => number.to_le_bytes().to_vec(),
                    (_, true) => (number as f32).to_be_bytes().to_vec(),
                    (_, false) => (number as f32).to_le_bytes().to_vec(),
                };
                self.out.extend(bytes);
            }
            return Ok(());
        }
        match directive.letter {
            b'a' | b'A' | b'Z' | b'b' | b'B' | b'h' | b'H' => {
                let value = self.next(ruby)?;
                let text = if value.is_nil() { Text::from("") } else { ruby.to_text(&value)? };
                self.string(ruby, directive, &text)
            }
            b'U' => {
                for _ in 0..self.times(directive.count) {
                    let value = self.next(ruby)?;
                    let number = ruby.to_int(&value)?;
                    if !(0..=0x7fff_ffff).contains(&number) {
                        return Err(ruby.range_error("pack(U): value out of range"));
                    }
                    push_utf8(&mut self.out, number as u32);
                }
                Ok(())
            }
            b'w' => {
                for _ in 0..self.times(directive.count) {
                    let value = self.next(ruby)?;
                    self.compressed(ruby, &value)?;
                }
                Ok(())
            }
            b'm' | b'u' => {
                let value = self.next(ruby)?;
                let text = ruby.to_text(&value)?;
                self.room(ruby, text.len() * 2)?;
                let line = match directive.count {
                    Count::Times(0) if directive.letter == b'm' => 0,
                    Count::Times(len @ 3..) => {
                        (len / 3 * 3).min(if directive.letter == b'u' { 63 } else { usize::MAX / 4 * 3 })
                    }
                    _ => 45,
                };
                let encoded = if directive.letter == b'm' {
                    ascii::base64_encode(&text, line)
                } else {
                    ascii::uuencode(&text, line)
                };
                self.out.extend(encoded);
                Ok(())
            }
            b'M' => {
                let value = self.next(ruby)?;
                let text = match ruby.send(&value, sym::TO_S, &[])? {
                    Value::String(string) => string.text().clone(),
                    other => ruby.display(&other)?,
                };
                self.room(ruby, text.len() * 3)?;
                let most = match directive.count {
                    Count::Times(len @ 2..) => len,
                    _ => 72,
                };
                self.out.extend(ascii::quoted_printable(&text, most));
                Ok(())
            }
            b'x' => {
                let count = match directive.count {
                    Count::Star => 0,
                    count => self.times(count),
                };
                self.room(ruby, count)?;
                self.out.resize(self.out.len() + count, 0);
                Ok(())
            }
            b'X' => {
                let count = match directive.count {
                    Count::Star => 0,
                    count => self.times(count),
                };
                match self.out.len().checked_sub(count) {
                    Some(len) => self.out.truncate(len),
                    None => return Err(ruby.argument_error("X outside of string")),
                }
                Ok(())
            }
            b'@' => {
                let place = match directive.count {
                    Count::Star => 0,
                    count => self.times(count),
                };
                self.room(ruby, place)?;
                self.out.resize(place, 0);
                Ok(())
            }
            b'p' | b'P' => Err(ruby.argument_error("pack of pointers is not possible here")),
            _ => Ok(()),
        }
    }

    fn string(&mut self, ruby: &mut Ruby<'_>, directive: Directive, text: &Text) -> Result<()> {
        let len = match directive.count {
            Count::Once => 1,
            Count::Times(len) => len,
            Count::Star => text.len() + usize::from(directive.letter == b'Z'),
        };
        self.room(ruby, len)?;
        let taken = &text[..len.min(text.len())];
        match directive.letter {
            b'a' | b'A' | b'Z' => {
                let filler = if directive.letter == b'A' { b' ' } else { 0 };
                self.out.extend_from_slice(taken);
                self.out.resize(self.out.len() + len - taken.len(), filler);
            }
            b'b' | b'B' => {
                for chunk in taken.chunks(8) {
                    let byte = chunk.iter().enumerate().fold(0u8, |byte, (place, bit)| {
                        let bit = bit & 1;
                        byte | if directive.letter == b'b' { bit << place } else { bit << (7 - place) }
                    });
                    self.out.push(byte);
                }
                // Ruby adds a byte for two bits that are missing.
                self.out.resize(self.out.len() + (len - taken.len()).div_ceil(2), 0);
            }
            _ => {
                let digit =
                    |byte: u8| if byte.is_ascii_alphabetic() { ((byte & 7) + 9) & 15 } else { byte & 15 };
                for chunk in taken.chunks(2) {
                    let (first, second) = (digit(chunk[0]), chunk.get(1).map_or(0, |byte| digit(*byte)));
                    self.out.push(if directive.letter == b'h' {
                        first | second << 4
                    } else {
                        first << 4 | second
                    });
                }
                self.out.resize(self.out.len() + len.div_ceil(2) - taken.len().div_ceil(2), 0);
            }
        }
        Ok(())
    }

    /// An integer in as few bytes of seven bits as it takes.
    fn compressed(&mut self, ruby: &mut Ruby<'_>, value: &Value) -> Result<()> {
        let mut number: BigInt = match ruby.to_integer(value)? {
            Value::Int(number) => number.into(),
            Value::Big(big) => big.number.clone(),
            _ => BigInt::zero(),
        };
        if number.is_negative() {
            return Err(ruby.argument_error("can't compress negative numbers"));
        }
        let mut bytes = Vec::new();
        loop {
            let low = (&number & BigInt::from(0x7f)).to_u8().unwrap_or(0);
            bytes.push(if bytes.is_empty() { low } else { low | 0x80 });
            number >>= 7;
            if number.is_zero() {
                break;
            }
        }
        self.out.extend(bytes.iter().rev());
        Ok(())
    }
}

/// A number in the original form of UTF-8, which goes beyond Unicode.
fn push_utf8(out: &mut Vec<u8>, code: u32) {
    let tail = |place: u32| 0x80 | (code >> (6 * place) & 0x3f) as u8;
    let (lead, more) = match code {
        0..=0x7f => return out.push(code as u8),
        0x80..=0x7ff => (0xc0, 1),
        0x800..=0xffff => (0xe0, 2),
        0x1_0000..=0x1f_ffff => (0xf0, 3),
        0x20_0000..=0x3ff_ffff => (0xf8, 4),
        _ => (0xfc, 5),
    };
    out.push(lead | (code >> (6 * more)) as u8);
    out.extend((0..more).rev().map(tail));
}
