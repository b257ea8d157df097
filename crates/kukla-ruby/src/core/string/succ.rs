//! The string after a string.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{Native, iterator, method};
use crate::core::enumerator::unknown;
use crate::core::string::{common_encoding, copy_and_in_place, own};
use crate::error::Result;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::text::{Encoding, Text};
use crate::value::{StringObject, Value};

pub(super) const METHODS: &[Native] = &[
    method("next", 0, 0, succ),
    method("next!", 0, 0, succ_in_place),
    method("succ", 0, 0, succ),
    method("succ!", 0, 0, succ_in_place),
    iterator("upto", 1, 2, upto, unknown),
];

copy_and_in_place! { succ, next_in_place => following; }

fn succ_in_place(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    next_in_place(ruby, this, args)?;
    Ok(this.clone())
}

/// How many times the effort of going through a text it takes to find the next one.
const EFFORT: usize = 32;

fn following(ruby: &mut Ruby<'_>, string: &Rc<StringObject>, _: &Args<'_>) -> Result<Option<Text>> {
    ruby.charge_bytes(string.text().len().saturating_mul(EFFORT))?;
    Ok(Some(after(&string.text())))
}

/// How a character goes on.
#[derive(Clone)]
enum Step {
    /// It has no successor of its kind.
    Other,
    /// It becomes this character.
    Next(Vec<u8>),
    /// It starts again with the first, and the second is put before it if nothing else takes the carry.
    Wrapped(Vec<u8>, Vec<u8>),
}

fn kind(encoding: Encoding, char: &[u8]) -> Option<bool> {
    if encoding.has_letters_beyond_ascii() {
        let char = encoding.decode(char)?;
        return if is_digit(char) {
            Some(true)
        } else if char.is_alphabetic() {
            Some(false)
        } else {
            None
        };
    }
    let byte = u8::try_from(encoding.codepoint(char)).ok()?;
    if byte.is_ascii_digit() {
        Some(true)
    } else if byte.is_ascii_alphabetic() {
        Some(false)
    } else {
        None
    }
}

/// Whether a character is a decimal digit: a numeric one whose value its place among ten such tells.
fn is_digit(char: char) -> bool {
    char.is_ascii_digit()
        || (char.is_numeric()
            && !char.is_alphabetic()
            && DIGIT_ZEROS.iter().any(|zero| (*zero..*zero + 10).contains(&u32::from(char))))
}

/// The zeros of the decimal digits of Unicode's scripts.
const DIGIT_ZEROS: &[u32] = &[
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0,
    0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50,
    0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
];

/// The character with the next number that takes as many bytes.
fn next_char(encoding: Encoding, char: &[u8]) -> Option<Vec<u8>> {
    let mut code = encoding.codepoint(char).checked_add(1)?;
    if code == 0xd800 && encoding.is_unicode() {
        code = 0xe000;
    }
    encoding.char_bytes(code).filter(|next| next.len() == char.len())
}

fn previous_char(encoding: Encoding, char: &[u8]) -> Option<Vec<u8>> {
    let code = encoding.codepoint(char).checked_sub(1)?;
    encoding.char_bytes(code).filter(|previous| previous.len() == char.len())
}

fn step(encoding: Encoding, char: &[u8]) -> Step {
    let Some(digit) = kind(encoding, char) else { return Step::Other };
    // A gap of one character in the alphabet is stepped over.
    let mut next = next_char(encoding, char);
    for _ in 0..2 {
        match next {
            Some(char) if kind(encoding, &char) == Some(digit) => return Step::Next(char),
            Some(char) => next = next_char(encoding, &char),
            None => break,
        }
    }
    let mut first = char.to_vec();
    for _ in 0..0x10000 {
        match previous_char(encoding, &first) {
            Some(char) if kind(encoding, &char) == Some(digit) => first = char,
            _ => break,
        }
    }
    let carry =
        if digit { next_char(encoding, &first).unwrap_or_else(|| first.clone()) } else { first.clone() };
    Step::Wrapped(first, carry)
}

/// The text that follows a text.
pub(crate) fn after(text: &Text) -> Text {
    if text.is_empty() {
        return text.clone();
    }
    let encoding = text.encoding();
    let mut chars: Vec<Vec<u8>> = text.chars().map(<[u8]>::to_vec).collect();
    let is_char = |char: &[u8]| encoding.precise_len(char) == Ok(char.len());
    let mut carry: Option<(usize, Vec<u8>)> = None;
    let mut gap = false;
    // The first character of an alphabet is far away, and a long carry asks for it again and again.
    let mut known: Option<(Vec<u8>, Step)> = None;
    for at in (0..chars.len()).rev() {
        // After something that is neither, a letter does not carry to a digit nor a digit to a letter.
        if gap && let Some((last, _)) = &carry {
            let (last, this) = (&chars[*last], &chars[at]);
            let alpha = |char: &[u8]| matches!(char, [byte] if byte.is_ascii_alphabetic());
            let digit = |char: &[u8]| matches!(char, [byte] if byte.is_ascii_digit());
            if (alpha(last) && digit(this)) || (digit(last) && alpha(this)) {
                break;
            }
        }
        if !is_char(&chars[at]) {
            continue;
        }
        let step = match &known {
            Some((char, step)) if *char == chars[at] => step.clone(),
            _ => step(encoding, &chars[at]),
        };
        known = Some((chars[at].clone(), step.clone()));
        match step {
            Step::Other => gap = true,
            Step::Next(next) => {
                chars[at] = next;
                return text.with_bytes(chars.concat());
            }
            Step::Wrapped(first, before) => {
                chars[at] = first;
                carry = Some((at, before));
                gap = false;
            }
        }
    }
    if let Some((at, before)) = carry {
        chars.insert(at, before);
        return text.with_bytes(chars.concat());
    }
    let mut before = None;
    for at in (0..chars.len()).rev() {
        if encoding.is_single_byte() {
            let byte = chars[at].first().copied().unwrap_or(0);
            chars[at] = vec![byte.wrapping_add(1)];
            if byte != 255 {
                return text.with_bytes(chars.concat());
            }
            before = Some((at, vec![1]));
            continue;
        }
        if !is_char(&chars[at]) {
            continue;
        }
        match next_char(encoding, &chars[at]) {
            Some(next) => {
                chars[at] = next;
                return text.with_bytes(chars.concat());
            }
            None => {
                let zero = encoding.char_bytes(0).unwrap_or_default();
                let one = encoding.char_bytes(1).unwrap_or_default();
                chars[at] = zero;
                before = Some((at, one));
            }
        }
    }
    let (at, char) = before.unwrap_or_else(|| (0, encoding.char_bytes(1).unwrap_or_default()));
    chars.insert(at, char);
    text.with_bytes(chars.concat())
}

/// Calls `each` with every string from one to another, until it says to stop.
pub(crate) fn each_up_to(
    ruby: &mut Ruby<'_>,
    from: &Text,
    to: &Text,
    exclusive: bool,
    mut each: impl FnMut(&mut Ruby<'_>, Value) -> Result<bool>,
) -> Result<()> {
    let single = |text: &Text| text.len() == 1 && text.is_ascii();
    if single(from) && single(to) {
        let (from_byte, to_byte) = (from[0], to[0]);
        let last = if exclusive { to_byte.checked_sub(1) } else { Some(to_byte) };
        for byte in from_byte..=last.unwrap_or(0) {
            if last.is_none() || !each(ruby, Value::str(from.with_bytes(vec![byte])))? {
                return Ok(());
            }
        }
        return Ok(());
    }
    let digits = |text: &Text| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if digits(from) && digits(to) {
        let width = from.len();
        let number = |text: &Text| text.as_str().and_then(|text| text.parse::<u64>().ok());
        if let (Some(first), Some(last)) = (number(from), number(to)) {
            // "01".upto("10") keeps its width, "9".upto("11") grows.
            for value in first..=last {
                if exclusive && value == last {
                    break;
                }
                ruby.charge(1 + width as u64 / 64)?;
                let digits = value.to_string();
                // Rust's own padding ends at 65,535.
                let zeros = "0".repeat(width.saturating_sub(digits.len()));
                let text = Text::from(zeros + &digits).in_encoding(Encoding::Ascii);
                if !each(ruby, Value::str(text))? {
                    break;
                }
            }
            return Ok(());
        }
    }
    let order = from.as_bytes().cmp(to.as_bytes());
    if order.is_gt() || exclusive && order.is_eq() {
        return Ok(());
    }
    let end = after(to);
    let mut current = from.clone();
    while current.as_bytes() != end.as_bytes() {
        ruby.charge(1)?;
        let is_last = current.as_bytes() == to.as_bytes();
        if exclusive && is_last {
            break;
        }
        let next = after(&current);
        if !each(ruby, Value::str(current))? || is_last {
            break;
        }
        current = next;
        if current.len() > to.len() || current.is_empty() {
            break;
        }
    }
    Ok(())
}

fn upto(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, block: &Rc<ProcObject>) -> Result {
    let from = own(ruby, this)?.text().clone();
    let to = ruby.to_text(&args[0])?;
    common_encoding(ruby, &from, &to)?;
    let block = block.clone();
    each_up_to(ruby, &from, &to, args[1].is_true(), |ruby, value| {
        ruby.yield_to(&block, &[value])?;
        Ok(true)
    })?;
    Ok(this.clone())
}
