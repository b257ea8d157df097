//! `ljust`, `rjust`, `center`, `reverse`.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{Native, method};
use crate::core::string::{common_encoding, copy_and_in_place, own};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::text::Text;
use crate::value::{StringObject, Value};

pub(super) const METHODS: &[Native] = &[
    method("center", 1, 2, center),
    method("ljust", 1, 2, ljust),
    method("reverse", 0, 0, reverse),
    method("reverse!", 0, 0, reverse_in_place),
    method("rjust", 1, 2, rjust),
];

copy_and_in_place! { reverse, turn_around => reversed; }

fn reverse_in_place(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    turn_around(ruby, this, args)?;
    Ok(this.clone())
}

fn reversed(_: &mut Ruby<'_>, string: &Rc<StringObject>, _: &Args<'_>) -> Result<Option<Text>> {
    let text = string.text();
    if text.is_single_byte() {
        return Ok(Some(text.with_bytes(text.iter().rev().copied().collect())));
    }
    let mut chars: Vec<&[u8]> = text.chars().collect();
    chars.reverse();
    Ok(Some(text.with_bytes(chars.concat())))
}

/// The padding, repeated to a number of characters.
fn padding(pad: &Text, width: usize) -> Vec<u8> {
    if pad.is_single_byte() {
        return pad.iter().copied().cycle().take(width).collect();
    }
    let chars: Vec<&[u8]> = pad.chars().collect();
    chars.iter().cycle().take(width).flat_map(|char| char.iter().copied()).collect()
}

/// The text in the middle of a field, with `left(missing)` characters of padding before it.
fn justify(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, left: fn(usize) -> usize) -> Result {
    let string = own(ruby, this)?;
    let width = ruby.to_int(&args[0])?;
    let pad = match args.get(1) {
        Some(pad) => ruby.to_text(pad)?,
        None => {
            let encoding = string.text().encoding();
            Text::new(encoding.char_bytes(32).unwrap_or_default(), encoding)
        }
    };
    let text = string.text();
    let encoding = common_encoding(ruby, &text, &pad)?;
    if pad.is_empty() {
        return Err(ruby.argument_error("zero width padding"));
    }
    let missing = usize::try_from(width).unwrap_or(0).saturating_sub(text.chars_count());
    if missing == 0 {
        return Ok(Value::str(text.clone()));
    }
    ruby.charge(missing as u64 / 8)?;
    ruby.grown(missing.saturating_mul(pad.len()))?;
    let before = left(missing);
    if missing.checked_mul(pad.len()).is_none_or(|size| size > 1 << 32) {
        return Err(ruby.argument_error("argument too big"));
    }
    let mut bytes = padding(&pad, before);
    bytes.extend_from_slice(&text);
    bytes.extend(padding(&pad, missing - before));
    Ok(Value::str(Text::new(bytes, encoding)))
}

fn ljust(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    justify(ruby, this, args, |_| 0)
}

fn rjust(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    justify(ruby, this, args, |missing| missing)
}

fn center(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    justify(ruby, this, args, |missing| missing / 2)
}
