//! `Array#pack` and `String#unpack`: values as bytes.

mod ascii;
mod read;
mod write;

use crate::args::Args;
use crate::class::{Native, method};
use crate::core::string;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

/// Methods of `Array`.
pub(crate) const ARRAY_METHODS: &[Native] = &[method("pack", 1, 2, write::pack)];

/// Methods of `String`.
pub(crate) const STRING_METHODS: &[Native] =
    &[method("unpack", 1, 2, unpack), method("unpack1", 1, 2, unpack1)];

/// How many times a directive applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    Once,
    Times(usize),
    Star,
}

/// One directive of a template.
#[derive(Clone, Copy, Debug)]
struct Directive {
    letter: u8,
    count: Count,
    /// Whether the size is that of the machine's C: `_` or `!`.
    native: bool,
    /// `>`
    big_endian: bool,
    /// `<`
    little_endian: bool,
}

impl Directive {
    /// For the directives that write integers: how many bytes, whether signed, whether the high byte comes first.
    fn integer(&self) -> Option<(usize, bool, bool)> {
        Some(match self.letter {
            b'c' => (1, true, false),
            b'C' => (1, false, false),
            b's' => (2, true, self.big_endian),
            b'S' => (2, false, self.big_endian),
            b'i' => (4, true, self.big_endian),
            b'I' => (4, false, self.big_endian),
            b'l' => (if self.native { 8 } else { 4 }, true, self.big_endian),
            b'L' => (if self.native { 8 } else { 4 }, false, self.big_endian),
            b'q' | b'j' => (8, true, self.big_endian),
            b'Q' | b'J' => (8, false, self.big_endian),
            b'n' => (2, false, true),
            b'N' => (4, false, true),
            b'v' => (2, false, false),
            b'V' => (4, false, false),
            _ => return None,
        })
    }

    /// For the directives that write floats: how many bytes, and whether the high byte comes first.
    fn float(&self) -> Option<(usize, bool)> {
        Some(match self.letter {
            b'd' | b'D' | b'E' => (8, false),
            b'G' => (8, true),
            b'f' | b'F' | b'e' => (4, false),
            b'g' => (4, true),
            _ => return None,
        })
    }
}

/// The directives of a template.
fn directives(ruby: &mut Ruby<'_>, template: &[u8]) -> Result<Vec<Directive>> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(letter) = template.get(at).copied() {
        at += 1;
        match letter {
            b' ' | b'\t'..=b'\r' | 0 => continue,
            b'#' => {
                at += memchr::memchr(b'\n', &template[at..]).unwrap_or(template.len() - at);
                continue;
            }
            _ => {}
        }
        let mut directive =
            Directive { letter, count: Count::Once, native: false, big_endian: false, little_endian: false };
        while let Some(modifier @ (b'_' | b'!' | b'<' | b'>')) = template.get(at).copied() {
            if !b"sSiIlLqQjJ".contains(&letter) {
                let message = format!("'{}' allowed only after types sSiIlLqQjJ", char::from(modifier));
                return Err(ruby.argument_error(message));
            }
            match modifier {
                b'<' => directive.little_endian = true,
                b'>' => directive.big_endian = true,
                _ => directive.native = true,
            }
            if directive.little_endian && directive.big_endian {
                return Err(ruby.range_error("Can't use both '<' and '>'"));
            }
            at += 1;
        }
        match template.get(at) {
            Some(b'*') => {
                directive.count = Count::Star;
                at += 1;
            }
            Some(b'0'..=b'9') => {
                let mut number: usize = 0;
                while let Some(digit @ b'0'..=b'9') = template.get(at) {
                    let next = number
                        .checked_mul(10)
                        .and_then(|number| number.checked_add(usize::from(digit - b'0')));
                    number = match next.filter(|next| *next <= i64::MAX as usize) {
                        Some(next) => next,
                        None => return Err(ruby.range_error("pack length too big")),
                    };
                    at += 1;
                }
                directive.count = Count::Times(number);
            }
            // At the end it means the first byte, anywhere else the beginning.
            None if letter == b'@' => directive.count = Count::Times(1),
            _ => {}
        }
        all.push(directive);
    }
    Ok(all)
}

fn unpack_all(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, most: usize) -> Result<Vec<Value>> {
    let offset = string::only_keyword(ruby, args, "offset")?;
    let (given, _) = args.split();
    let template = ruby.to_text(given.first().unwrap_or(&Value::Nil))?;
    let offset = offset.map(|offset| ruby.to_int(&offset)).transpose()?.unwrap_or(0);
    let bytes = string::own(ruby, this)?.text().clone();
    let Ok(offset) = usize::try_from(offset) else {
        return Err(ruby.argument_error("offset can't be negative"));
    };
    if offset > bytes.len() {
        return Err(ruby.argument_error("offset outside of string"));
    }
    let directives = directives(ruby, &template)?;
    read::unpack(ruby, &bytes, offset, &directives, most)
}

fn unpack(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let values = unpack_all(ruby, this, args, usize::MAX)?;
    match args.block {
        None => Ok(Value::array(values)),
        Some(block) => {
            for value in values {
                ruby.yield_to(block, &[value])?;
            }
            Ok(Value::Nil)
        }
    }
}

fn unpack1(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok(unpack_all(ruby, this, args, 1)?.into_iter().next().unwrap_or_default())
}
