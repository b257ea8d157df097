//! Parts of strings by position, range, pattern or text.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{Native, method, quick};
use crate::core::match_data::{self, Match};
use crate::core::regexp::matching::Direction;
use crate::core::regexp::search_and_set;
use crate::core::string::{common_encoding, own, own_to_change, search};
use crate::error::{Result, Unwind};
use crate::ruby::Ruby;
use crate::text::Text;
use crate::value::{RangeObject, RegexpObject, StringObject, Value};

pub(super) const METHODS: &[Native] = &[
    quick("[]", 1, 2, element),
    method("[]=", 2, 3, set_element),
    quick("bytesize", 0, 0, bytesize),
    quick("byteslice", 1, 2, byteslice),
    method("bytesplice", 2, 5, bytesplice),
    quick("empty?", 0, 0, is_empty),
    quick("getbyte", 1, 1, getbyte),
    quick("length", 0, 0, length),
    quick("setbyte", 2, 2, setbyte),
    quick("size", 0, 0, length),
    quick("slice", 1, 2, element),
    method("slice!", 1, 2, slice_out),
];

fn length(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::Int(own(ruby, this)?.text().chars_count() as i64))
}

fn bytesize(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::Int(own(ruby, this)?.text().len() as i64))
}

fn is_empty(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(own(ruby, this)?.text().is_empty().into())
}

/// Where a range begins and how long it is within `len` things; `None` if it begins outside. `strict` complains then.
pub(crate) fn range_within(
    ruby: &mut Ruby<'_>,
    range: &Rc<RangeObject>,
    len: usize,
    strict: bool,
) -> Result<Option<(usize, usize)>> {
    let begin = if range.begin.is_nil() { 0 } else { ruby.to_int(&range.begin)? };
    let (end, exclusive) =
        if range.end.is_nil() { (-1, false) } else { (ruby.to_int(&range.end)?, range.exclusive) };
    let count = len as i64;
    let start = if begin < 0 { begin + count } else { begin };
    if start < 0 || start > count {
        if !strict {
            return Ok(None);
        }
        let shown = ruby.inspect(&Value::Range(range.clone()))?;
        return Err(ruby.range_error(format!("{} out of range", shown.to_str_lossy())));
    }
    let end = if end < 0 { end + count } else { end };
    let end = if exclusive { end } else { end.saturating_add(1) }.min(count);
    Ok(Some((start as usize, (end - start).max(0) as usize)))
}

/// How many places a range spans from its start, beyond the end of `len` things too.
pub(crate) fn range_length(
    ruby: &mut Ruby<'_>,
    range: &RangeObject,
    start: usize,
    len: usize,
) -> Result<usize> {
    if range.end.is_nil() {
        return Ok(len.saturating_sub(start));
    }
    let end = ruby.to_int(&range.end)?;
    let end = if end < 0 { end + len as i64 } else { end };
    let end = if range.exclusive { end } else { end.saturating_add(1) };
    let count = (end - start as i64).max(0) as usize;
    ruby.charge(count as u64)?;
    Ok(count)
}

/// The bytes of `count` characters from a position, counted from the end if negative; `None` outside.
fn char_range(text: &Text, start: i64, count: i64) -> Option<(usize, usize)> {
    if count < 0 {
        return None;
    }
    let start = if start < 0 { start.checked_add(text.chars_count() as i64)? } else { start };
    let from = text.byte_of_char(usize::try_from(start).ok()?)?;
    let to = text.byte_after(from, count as usize).unwrap_or(text.len());
    Some((from, to))
}

/// The character at a position, counted from the end if negative.
#[inline]
fn char_at(text: &Text, index: i64) -> Option<(usize, usize)> {
    if text.is_single_byte() {
        let index = if index < 0 { index.checked_add(text.len() as i64)? } else { index };
        let index = usize::try_from(index).ok()?;
        return (index < text.len()).then_some((index, index + 1));
    }
    char_range(text, index, 1).filter(|(from, to)| from < to)
}

/// Where a pattern's group lies in the string; `$~` is set.
fn captured(
    ruby: &mut Ruby<'_>,
    string: &Rc<StringObject>,
    regexp: &Rc<RegexpObject>,
    group: Option<&Value>,
) -> Result<Option<(Match, Option<usize>)>> {
    let Some(found) = search_and_set(ruby, regexp, string, 0, Direction::Forward)? else { return Ok(None) };
    let number = match group {
        None => Some(0),
        Some(group) => match_data::group_number(ruby, &found, group)?,
    };
    Ok(Some((found, number)))
}

fn element(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    if let [Value::Int(index)] = args.list {
        let text = string.text();
        return Ok(char_at(&text, *index).map_or(Value::Nil, |(from, to)| Value::str(text.slice(from..to))));
    }
    let place = match args.list {
        [Value::Regexp(regexp), rest @ ..] => captured(ruby, string, regexp, rest.first())?
            .and_then(|(found, number)| found.spans.get(number?).copied().flatten()),
        [start, count] => {
            let (start, count) = (ruby.to_int(start)?, ruby.to_int(count)?);
            char_range(&string.text(), start, count)
        }
        [Value::Range(range)] => {
            let count = string.text().chars_count();
            range_within(ruby, range, count, false)?
                .and_then(|(start, count)| char_range(&string.text(), start as i64, count as i64))
        }
        [Value::String(part)] => {
            let (text, part) = (string.text(), part.text());
            common_encoding(ruby, &text, &part)?;
            return Ok(if search::find(&text, &part, 0).is_some() {
                Value::str(part.clone())
            } else {
                Value::Nil
            });
        }
        [index] => {
            let index = ruby.to_int(index)?;
            char_at(&string.text(), index)
        }
        _ => None,
    };
    let text = string.text();
    Ok(place.map_or(Value::Nil, |(from, to)| Value::str(text.slice(from..to))))
}

/// The place that the arguments of `[]=` mean, or its complaint.
fn place_to_set(ruby: &mut Ruby<'_>, string: &Rc<StringObject>, place: &[Value]) -> Result<(usize, usize)> {
    match place {
        [Value::Regexp(regexp), rest @ ..] => {
            let Some((found, number)) = captured_to_set(ruby, string, regexp, rest.first())? else {
                return Err(ruby.index_error("regexp not matched"));
            };
            match found.spans.get(number).copied().flatten() {
                Some(span) => Ok(span),
                None => Err(ruby.index_error(format!("regexp group {number} not matched"))),
            }
        }
        [start, count] => {
            let (start, count) = (ruby.to_int(start)?, ruby.to_int(count)?);
            if count < 0 {
                return Err(ruby.index_error(format!("negative length {count}")));
            }
            let place = char_range(&string.text(), start, count);
            place.ok_or_else(|| out_of_string(ruby, start))
        }
        [Value::Range(range)] => {
            let len = string.text().chars_count();
            let (start, count) = range_within(ruby, range, len, true)?.unwrap_or_default();
            Ok(char_range(&string.text(), start as i64, count as i64).unwrap_or_default())
        }
        [Value::String(part)] => {
            let (text, part) = (string.text(), part.text());
            match search::find(&text, &part, 0) {
                Some(at) => Ok((at, at + part.len())),
                None => Err(ruby.index_error("string not matched")),
            }
        }
        [index] => {
            let index = ruby.to_int(index)?;
            let place = {
                let text = string.text();
                char_at(&text, index)
                    .or_else(|| (index == text.chars_count() as i64).then_some((text.len(), text.len())))
            };
            place.ok_or_else(|| out_of_string(ruby, index))
        }
        _ => Ok((0, 0)),
    }
}

fn captured_to_set(
    ruby: &mut Ruby<'_>,
    string: &Rc<StringObject>,
    regexp: &Rc<RegexpObject>,
    group: Option<&Value>,
) -> Result<Option<(Match, usize)>> {
    match captured(ruby, string, regexp, group)? {
        None => Ok(None),
        Some((found, Some(number))) => Ok(Some((found, number))),
        Some((_, None)) => {
            let number = ruby.to_int(group.unwrap_or(&Value::Nil))?;
            Err(ruby.index_error(format!("index {number} out of regexp")))
        }
    }
}

fn out_of_string(ruby: &mut Ruby<'_>, index: i64) -> Box<Unwind> {
    ruby.index_error(format!("index {index} out of string"))
}

/// Puts other text in place of some bytes.
pub(crate) fn splice(
    ruby: &mut Ruby<'_>,
    text: &mut Text,
    place: (usize, usize),
    other: &Text,
) -> Result<()> {
    let encoding = common_encoding(ruby, text, other)?;
    text.make_mut().splice(place.0..place.1, other.iter().copied());
    text.set_encoding(encoding);
    Ok(())
}

fn set_element(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own_to_change(ruby, this)?;
    let Some((value, place)) = args.list.split_last() else { return Ok(Value::Nil) };
    // Ruby asks for the place of a pattern or text first, for that of a number last.
    let (place, other) = if let [Value::Regexp(_) | Value::String(_), ..] = place {
        let place = place_to_set(ruby, string, place)?;
        (place, ruby.to_text(value)?)
    } else {
        let mut numbers = Vec::with_capacity(place.len());
        for number in place {
            let plain = matches!(number, Value::Range(_));
            numbers.push(if plain { number.clone() } else { Value::Int(ruby.to_int(number)?) });
        }
        let other = ruby.to_text(value)?;
        (place_to_set(ruby, string, &numbers)?, other)
    };
    splice(ruby, &mut string.text_mut(), place, &other)?;
    Ok(value.clone())
}

fn slice_out(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own_to_change(ruby, this)?;
    let removed = element(ruby, this, args)?;
    let Value::String(part) = &removed else { return Ok(Value::Nil) };
    let place = match args.list {
        [Value::Int(index)] => char_at(&string.text(), *index).unwrap_or_default(),
        list => {
            let place = place_to_set(ruby, string, list)?;
            (place.0, place.0 + part.text().len())
        }
    };
    string.text_mut().make_mut().drain(place.0..place.1);
    Ok(removed)
}

/// The byte position within a string that a number means.
fn byte_position(ruby: &mut Ruby<'_>, string: &StringObject, index: &Value) -> Result<(i64, Option<usize>)> {
    let index = ruby.to_int(index)?;
    let len = string.text().len() as i64;
    let at = if index < 0 { index + len } else { index };
    Ok((index, (0..len).contains(&at).then_some(at as usize)))
}

fn getbyte(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    let (_, at) = byte_position(ruby, string, &args[0])?;
    Ok(at.and_then(|at| string.text().get(at).copied()).map_or(Value::Nil, |byte| Value::Int(byte.into())))
}

fn setbyte(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own_to_change(ruby, this)?;
    let (index, at) = byte_position(ruby, string, &args[0])?;
    let byte = match ruby.to_integer(&args[1])? {
        Value::Int(byte) => byte as u8,
        Value::Big(big) => big.number.to_signed_bytes_le().first().copied().unwrap_or(0),
        _ => 0,
    };
    let Some(at) = at else { return Err(out_of_string(ruby, index)) };
    if let Some(place) = string.text_mut().make_mut().get_mut(at) {
        *place = byte;
    }
    Ok(args[1].clone())
}

/// The bytes that a start and a count, or a range, mean.
fn byte_range(ruby: &mut Ruby<'_>, string: &StringObject, list: &[Value]) -> Result<Option<(usize, usize)>> {
    let len = string.text().len();
    match list {
        [Value::Range(range)] => {
            Ok(range_within(ruby, range, len, false)?.map(|(start, count)| (start, start + count)))
        }
        [start, count] => {
            let (start, count) = (ruby.to_int(start)?, ruby.to_int(count)?);
            let start = if start < 0 { start + len as i64 } else { start };
            if count < 0 || start < 0 || start > len as i64 {
                return Ok(None);
            }
            Ok(Some((start as usize, start.saturating_add(count).min(len as i64) as usize)))
        }
        [index] => Ok(byte_position(ruby, string, index)?.1.map(|at| (at, at + 1))),
        _ => Ok(None),
    }
}

fn byteslice(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    let place = byte_range(ruby, string, args.list)?;
    Ok(place.map_or(Value::Nil, |(from, to)| Value::str(string.text().slice(from..to))))
}

/// The place for `bytesplice`, which must begin and end with a character.
fn splice_place(ruby: &mut Ruby<'_>, string: &StringObject, list: &[Value]) -> Result<(usize, usize)> {
    let place = match list {
        [Value::Range(range)] => {
            let len = string.text().len();
            range_within(ruby, range, len, true)?.map(|(start, count)| (start, start + count))
        }
        [other] => {
            let word = ruby.class_name_of(other);
            return Err(ruby.type_error(format!("wrong argument type {word} (expected Range)")));
        }
        list => byte_range(ruby, string, list)?,
    };
    let Some((from, to)) = place else {
        if let [_, count] = list {
            let count = ruby.to_int(count)?;
            if count < 0 {
                return Err(ruby.index_error(format!("negative length {count}")));
            }
        }
        let index = ruby.to_int(list.first().unwrap_or(&Value::Nil))?;
        return Err(out_of_string(ruby, index));
    };
    for at in [from, to] {
        if !string.text().is_boundary(at) {
            return Err(ruby.index_error(format!("offset {at} does not land on character boundary")));
        }
    }
    Ok((from, to))
}

fn bytesplice(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own_to_change(ruby, this)?;
    let (place, other, part): (&[Value], &Value, &[Value]) = match args.list {
        [range @ Value::Range(_), other] => (std::slice::from_ref(range), other, &[]),
        [range @ Value::Range(_), other, part] => {
            (std::slice::from_ref(range), other, std::slice::from_ref(part))
        }
        [_, _, other] => (&args.list[..2], other, &[]),
        [_, _, other, _, _] => (&args.list[..2], other, &args.list[3..]),
        [first, _] => (std::slice::from_ref(first), first, &[]),
        list => return Err(ruby.wrong_number_of_arguments(list.len(), "2, 3, or 5")),
    };
    let place = splice_place(ruby, string, place)?;
    let other = ruby.to_string(other)?;
    let (from, to) =
        if part.is_empty() { (0, other.text().len()) } else { splice_place(ruby, &other, part)? };
    let other = other.text().slice(from..to);
    splice(ruby, &mut string.text_mut(), place, &other)?;
    Ok(this.clone())
}
