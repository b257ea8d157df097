//! Sets of characters as `tr`, `delete`, `squeeze` and `count` take them: `a-z`, `^0-9`, `\\-x`.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, Native, method};
use crate::core::string::{common_encoding, copy_and_in_place, must_be_valid, own};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::text::{Encoding, Text};
use crate::value::{StringObject, Value};

pub(super) const METHODS: &[Native] = &[
    method("count", 0, ANY, count),
    method("delete", 0, ANY, delete),
    method("delete!", 0, ANY, delete_in_place),
    method("squeeze", 0, ANY, squeeze),
    method("squeeze!", 0, ANY, squeeze_in_place),
    method("tr", 2, 2, tr),
    method("tr!", 2, 2, tr_in_place),
    method("tr_s", 2, 2, tr_s),
    method("tr_s!", 2, 2, tr_s_in_place),
];

copy_and_in_place! {
    delete, delete_in_place => deleted;
    squeeze, squeeze_in_place => squeezed;
    tr, tr_in_place => translated;
    tr_s, tr_s_in_place => translated_and_squeezed;
}

/// The numbers of the characters of a text. What is not valid has numbers beyond those of characters, so that it matches itself.
fn codes(text: &Text) -> Vec<u32> {
    text.chars().map(|char| code(text.encoding(), char)).collect()
}

fn code(encoding: Encoding, char: &[u8]) -> u32 {
    match encoding.precise_len(char) {
        Ok(_) => encoding.codepoint(char),
        Err(_) => 0x8000_0000 | char.iter().fold(0, |code, byte| code << 8 | u32::from(*byte)),
    }
}

/// A set as it is written: ranges in order, and whether it means all others.
struct Set {
    ranges: Vec<(u32, u32)>,
    inverted: bool,
    /// Membership of the first 128 characters, the common case.
    ascii: [bool; 128],
}

impl Set {
    fn parse(ruby: &mut Ruby<'_>, text: &Text) -> Result<Set> {
        ruby.charge_bytes(SET_EFFORT * text.len())?;
        let codes = codes(text);
        let inverted = codes.len() > 1 && codes[0] == u32::from('^');
        let ranges = ranges(ruby, text.encoding(), &codes[usize::from(inverted)..])?;
        let mut set = Set { ranges, inverted, ascii: [false; 128] };
        for code in 0..128u32 {
            set.ascii[code as usize] = set.look_up(code);
        }
        Ok(set)
    }

    fn look_up(&self, code: u32) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&code)) != self.inverted
    }

    #[inline]
    fn contains(&self, code: u32) -> bool {
        self.ascii.get(code as usize).copied().unwrap_or_else(|| self.look_up(code))
    }
}

/// The ranges of a set without its `^`; a backslash takes the meaning from what follows.
fn ranges(ruby: &mut Ruby<'_>, encoding: Encoding, codes: &[u32]) -> Result<Vec<(u32, u32)>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    let (backslash, dash) = (u32::from('\\'), u32::from('-'));
    let read = |at: &mut usize| {
        if codes[*at] == backslash && *at + 1 < codes.len() {
            *at += 1;
        }
        let code = codes[*at];
        *at += 1;
        code
    };
    while at < codes.len() {
        let from = read(&mut at);
        if codes.get(at) == Some(&dash) && at + 1 < codes.len() {
            at += 1;
            let to = read(&mut at);
            if from > to {
                let shown = |code: u32| {
                    encoding
                        .char_bytes(code)
                        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                        .unwrap_or_default()
                };
                let message =
                    format!("invalid range \"{}-{}\" in string transliteration", shown(from), shown(to));
                return Err(ruby.argument_error(message));
            }
            ranges.push((from, to));
        } else {
            ranges.push((from, from));
        }
    }
    Ok(ranges)
}

/// How many times the effort of going through the characters of a set it takes to read it: each common character is looked up.
const SET_EFFORT: usize = 32;

/// How many times the effort of going through a text it takes to look up its characters.
const LOOKUP_EFFORT: usize = 8;

/// Counts the lookup of all characters of a text in sets, each of which has this number of ranges.
fn charge_lookups<'s>(ruby: &mut Ruby<'_>, text: &Text, sets: impl Iterator<Item = &'s Set>) -> Result<()> {
    let is_ascii = text.is_ascii();
    let ranges: usize = sets.map(|set| if is_ascii { 1 } else { 1 + set.ranges.len() / 8 }).sum();
    ruby.charge_bytes((LOOKUP_EFFORT * text.len()).saturating_mul(ranges))
}

/// The characters that all the given sets have in common.
struct Sets(Vec<Set>);

impl Sets {
    fn from_args(ruby: &mut Ruby<'_>, string: &StringObject, args: &Args<'_>) -> Result<Sets> {
        if args.is_empty() {
            return Err(ruby.argument_error("wrong number of arguments (given 0, expected 1+)"));
        }
        let mut sets = Vec::with_capacity(args.len());
        for set in args.list {
            let set = ruby.to_string(set)?;
            common_encoding(ruby, &string.text(), &set.text())?;
            let set = set.text();
            sets.push(Set::parse(ruby, &set)?);
        }
        must_be_valid(ruby, &string.text())?;
        charge_lookups(ruby, &string.text(), sets.iter())?;
        Ok(Sets(sets))
    }

    #[inline]
    fn contains(&self, code: u32) -> bool {
        self.0.iter().all(|set| set.contains(code))
    }
}

fn count(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = own(ruby, this)?;
    let sets = Sets::from_args(ruby, string, args)?;
    let text = string.text();
    let encoding = text.encoding();
    Ok(Value::Int(text.chars().filter(|char| sets.contains(code(encoding, char))).count() as i64))
}

fn deleted(ruby: &mut Ruby<'_>, string: &Rc<StringObject>, args: &Args<'_>) -> Result<Option<Text>> {
    if string.text().is_empty() {
        return Ok(None);
    }
    let sets = Sets::from_args(ruby, string, args)?;
    let text = string.text();
    let encoding = text.encoding();
    let mut kept = Vec::with_capacity(text.len());
    for char in text.chars() {
        if !sets.contains(code(encoding, char)) {
            kept.extend_from_slice(char);
        }
    }
    Ok(if kept.len() == text.len() { None } else { Some(text.with_bytes(kept)) })
}

fn squeezed(ruby: &mut Ruby<'_>, string: &Rc<StringObject>, args: &Args<'_>) -> Result<Option<Text>> {
    let sets = if args.is_empty() { None } else { Some(Sets::from_args(ruby, string, args)?) };
    let text = string.text();
    let encoding = text.encoding();
    must_be_valid(ruby, &text)?;
    let mut kept = Vec::with_capacity(text.len());
    let mut last: &[u8] = &[];
    for char in text.chars() {
        if char != last || sets.as_ref().is_some_and(|sets| !sets.contains(code(encoding, char))) {
            kept.extend_from_slice(char);
            last = char;
        }
    }
    Ok(if kept.len() == text.len() { None } else { Some(text.with_bytes(kept)) })
}

/// The replacement of each character of a set.
struct Translation {
    from: Set,
    to: Vec<(u32, u32)>,
    ascii: [Option<u32>; 128],
}

impl Translation {
    fn new(from: Set, to: Vec<(u32, u32)>) -> Translation {
        let mut translation = Translation { from, to, ascii: [None; 128] };
        for code in 0..128u32 {
            translation.ascii[code as usize] = translation.look_up(code);
        }
        translation
    }

    fn last(&self) -> Option<u32> {
        self.to.last().map(|range| range.1)
    }

    fn nth(&self, mut place: u64) -> Option<u32> {
        for (from, to) in &self.to {
            let len = u64::from(to - from) + 1;
            if place < len {
                return Some(from + place as u32);
            }
            place -= len;
        }
        self.last()
    }

    fn look_up(&self, code: u32) -> Option<u32> {
        if self.from.inverted {
            return if self.from.look_up(code) { self.last() } else { None };
        }
        // Of a character that is named twice the last one counts.
        let mut place = 0;
        let mut found = None;
        for (from, to) in &self.from.ranges {
            if (*from..=*to).contains(&code) {
                found = Some(place + u64::from(code - from));
            }
            place += u64::from(to - from) + 1;
        }
        self.nth(found?)
    }

    #[inline]
    fn of(&self, code: u32) -> Option<u32> {
        match self.ascii.get(code as usize) {
            Some(known) => *known,
            None => self.look_up(code),
        }
    }
}

fn translate(
    ruby: &mut Ruby<'_>,
    string: &Rc<StringObject>,
    args: &Args<'_>,
    squeeze: bool,
) -> Result<Option<Text>> {
    let from = ruby.to_string(&args[0])?;
    let to = ruby.to_string(&args[1])?;
    if to.text().is_empty() {
        return deleted(ruby, string, &Args::new(&args.list[..1]));
    }
    let text = string.text();
    if text.is_empty() {
        return Ok(None);
    }
    let encoding = {
        let (from, to) = (from.text(), to.text());
        let first = common_encoding(ruby, &text, &from)?;
        let second = common_encoding(ruby, &text, &to)?;
        if first == second { first } else { common_encoding(ruby, &from, &to)? }
    };
    if from.text().is_empty() {
        return Ok(None);
    }
    let from = Set::parse(ruby, &from.text())?;
    let to = ranges(ruby, encoding, &codes(&to.text()))?;
    must_be_valid(ruby, &text)?;
    charge_lookups(ruby, &text, std::iter::once(&from))?;
    ruby.charge_bytes((to.len() * 128).saturating_add(if text.is_ascii() {
        0
    } else {
        to.len() * text.len()
    }))?;
    let translation = Translation::new(from, to);
    let mut out = Vec::with_capacity(text.len());
    let mut last = None;
    let mut changed = false;
    for char in text.chars() {
        match translation.of(code(encoding, char)) {
            Some(new) => {
                if squeeze && last == Some(new) {
                    changed = true;
                    continue;
                }
                last = Some(new);
                if new < 128 && encoding.unit() == 1 {
                    out.push(new as u8);
                } else {
                    out.extend(encoding.char_bytes(new).unwrap_or_default());
                }
                changed = true;
            }
            None => {
                last = None;
                out.extend_from_slice(char);
            }
        }
    }
    Ok(if changed { Some(Text::new(out, encoding)) } else { None })
}

fn translated(ruby: &mut Ruby<'_>, string: &Rc<StringObject>, args: &Args<'_>) -> Result<Option<Text>> {
    translate(ruby, string, args, false)
}

fn translated_and_squeezed(
    ruby: &mut Ruby<'_>,
    string: &Rc<StringObject>,
    args: &Args<'_>,
) -> Result<Option<Text>> {
    translate(ruby, string, args, true)
}
