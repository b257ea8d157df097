//! `sub` and `gsub`.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{Native, method};
use crate::core::enumerator::unknown;
use crate::core::match_data::{self, Match};
use crate::core::regexp::set_match;
use crate::core::string::search::{self, SearchPattern};
use crate::core::string::{common_encoding, own, own_to_change};
use crate::error::Result;
use crate::proc::ProcObject;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::Text;
use crate::value::{HashObject, RegexpObject, StringObject, Value};

pub(super) const METHODS: &[Native] = &[
    method("gsub", 1, 2, gsub),
    method("gsub!", 1, 2, gsub_in_place),
    method("sub", 1, 2, sub),
    method("sub!", 1, 2, sub_in_place),
];

/// A piece of a replacement.
enum Piece {
    Text(Vec<u8>),
    Group(usize),
    Named(String),
    Before,
    After,
    LastGroup,
}

/// The replacement of a match.
enum Replacement<'a> {
    Plain(Rc<StringObject>),
    Template(Rc<StringObject>, Vec<Piece>),
    Hash(Rc<HashObject>),
    Block(&'a Rc<ProcObject>),
}

/// A replacement's back references: `\\1`, `\\k<name>`, `\\0`, `\\&`, `` \\` ``, `\\'`, `\\\\`.
fn template(bytes: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        let (piece, len) = match (byte, next) {
            (b'\\', Some(digit @ b'0'..=b'9')) => (Piece::Group(usize::from(digit - b'0')), 2),
            (b'\\', Some(b'&')) => (Piece::Group(0), 2),
            (b'\\', Some(b'`')) => (Piece::Before, 2),
            (b'\\', Some(b'\'')) => (Piece::After, 2),
            (b'\\', Some(b'+')) => (Piece::LastGroup, 2),
            (b'\\', Some(b'\\')) => {
                plain.push(b'\\');
                at += 2;
                continue;
            }
            (b'\\', Some(b'k')) if bytes.get(at + 2) == Some(&b'<') => {
                match memchr::memchr(b'>', &bytes[at + 3..]) {
                    Some(len) => {
                        let name = String::from_utf8_lossy(&bytes[at + 3..at + 3 + len]).into_owned();
                        (Piece::Named(name), len + 4)
                    }
                    None => {
                        plain.push(b'\\');
                        at += 1;
                        continue;
                    }
                }
            }
            (byte, _) => {
                plain.push(*byte);
                at += 1;
                continue;
            }
        };
        if !plain.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
        }
        pieces.push(piece);
        at += len;
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    pieces
}

fn fill(ruby: &mut Ruby<'_>, pieces: &[Piece], found: &Match, text: &Text, out: &mut Vec<u8>) -> Result<()> {
    let (start, end) = found.whole();
    let group = |out: &mut Vec<u8>, number: usize| {
        if let Some((start, end)) = found.spans.get(number).copied().flatten() {
            out.extend_from_slice(&text[start..end]);
        }
    };
    for piece in pieces {
        match piece {
            Piece::Text(plain) => out.extend_from_slice(plain),
            // Where groups have names they are not counted.
            Piece::Group(1..) if found.has_names() => {}
            Piece::Group(number) => group(out, *number),
            Piece::Before => out.extend_from_slice(&text[..start]),
            Piece::After => out.extend_from_slice(&text[end..]),
            Piece::LastGroup => {
                if let Some(number) =
                    (1..found.spans.len()).rev().find(|number| found.spans[*number].is_some())
                {
                    group(out, number);
                }
            }
            Piece::Named(name) => match found.named(name).or_else(|| name.parse().ok()) {
                Some(number) => group(out, number),
                None => return Err(ruby.index_error(format!("undefined group name reference: {name}"))),
            },
        }
    }
    Ok(())
}

fn replacement<'a>(ruby: &mut Ruby<'_>, args: &Args<'a>) -> Result<Option<Replacement<'a>>> {
    let Some(given) = args.get(1) else { return Ok(args.block.map(Replacement::Block)) };
    let string = match given {
        Value::String(string) => string.clone(),
        Value::Hash(hash) => return Ok(Some(Replacement::Hash(hash.clone()))),
        other => match ruby.maybe_string(other)? {
            Some(string) => string,
            None => match ruby.maybe_hash(other)? {
                Some(hash) => return Ok(Some(Replacement::Hash(hash))),
                None => return Err(ruby.no_conversion(other, "String")),
            },
        },
    };
    let plain = !string.text().contains(&b'\\');
    Ok(Some(if plain {
        Replacement::Plain(string)
    } else {
        let pieces = template(&string.text());
        Replacement::Template(string, pieces)
    }))
}

/// The text with replacements; `None` if nothing matches. `$~` is set.
fn replaced(
    ruby: &mut Ruby<'_>,
    string: &Rc<StringObject>,
    wanted: &SearchPattern,
    replacement: &Replacement<'_>,
    all: bool,
) -> Result<Option<Text>> {
    let regexp: Option<&Rc<RegexpObject>> =
        if let SearchPattern::Pattern(regexp) = wanted { Some(regexp) } else { None };
    if let SearchPattern::Plain(part) = wanted {
        common_encoding(ruby, &string.text(), &part.text())?;
    }
    let first = next(ruby, string, wanted, 0)?;
    let Some(first) = first else {
        ruby.set_last_match(Value::Nil);
        return Ok(None);
    };
    let subject = match_data::frozen_subject(string);
    let text = subject.text();
    let mut out = Vec::with_capacity(text.len() + 16);
    let mut encoding = text.encoding();
    if let Replacement::Plain(with) | Replacement::Template(with, _) = replacement {
        encoding = common_encoding(ruby, &text, &with.text())?;
    }
    let mut copied = 0;
    let mut spans = Some(first);
    let mut last = None;
    while let Some(found) = spans {
        let whole = found.first().copied().flatten().unwrap_or_default();
        out.extend_from_slice(&text[copied..whole.0]);
        match replacement {
            Replacement::Plain(with) => {
                out.extend_from_slice(&with.text());
                last = Some(found);
            }
            Replacement::Template(_, pieces) => {
                let found = Match { regexp: regexp.cloned(), subject: subject.clone(), spans: found };
                fill(ruby, pieces, &found, &text, &mut out)?;
                last = Some(found.spans);
            }
            Replacement::Hash(_) | Replacement::Block(_) => {
                set_match(ruby, regexp, &subject, Some(found.clone()));
                let part = Value::str(text.slice(whole.0..whole.1));
                let with = match replacement {
                    Replacement::Block(block) => ruby.yield_to(block, &[part])?,
                    Replacement::Hash(hash) => ruby.send(&Value::Hash(hash.clone()), sym::INDEX, &[part])?,
                    _ => Value::Nil,
                };
                let with = ruby.display(&with)?;
                if !with.is_ascii() && with.encoding() != encoding {
                    let all = text.with_bytes(std::mem::take(&mut out)).in_encoding(encoding);
                    let rest = if all.is_empty() { &*text } else { &all };
                    encoding = common_encoding(ruby, rest, &with)?;
                    out = all.to_vec();
                }
                out.extend_from_slice(&with);
                last = Some(found);
            }
        }
        ruby.charge(1)?;
        ruby.grown(out.len())?;
        copied = whole.1;
        if !all {
            break;
        }
        let from = search::after(&text, whole);
        if from > whole.1 {
            let end = from.min(text.len());
            out.extend_from_slice(&text[copied..end]);
            copied = end;
        }
        spans = search::next_match(ruby, &text, wanted, from)?;
    }
    out.extend_from_slice(&text[copied..]);
    set_match(ruby, regexp, &subject, last);
    Ok(Some(Text::new(out, encoding)))
}

fn next(
    ruby: &mut Ruby<'_>,
    string: &StringObject,
    wanted: &SearchPattern,
    from: usize,
) -> Result<Option<crate::core::regexp::matching::Spans>> {
    let text = string.text();
    search::next_match(ruby, &text, wanted, from)
}

fn run(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, all: bool) -> Result<Option<Text>> {
    let string = own(ruby, this)?;
    let Some(replacement) = replacement(ruby, args)? else {
        return Err(ruby.wrong_number_of_arguments(1, 2));
    };
    let wanted = SearchPattern::quoted(ruby, &args[0])?;
    replaced(ruby, string, &wanted, &replacement, all)
}

fn copy(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, all: bool) -> Result {
    let text = run(ruby, this, args, all)?;
    match text {
        Some(text) => Ok(Value::str(text)),
        None => Ok(Value::str(own(ruby, this)?.text().clone())),
    }
}

fn in_place(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>, all: bool) -> Result {
    let string = own_to_change(ruby, this)?;
    match run(ruby, this, args, all)? {
        Some(text) => {
            ruby.check_frozen(this)?;
            *string.text_mut() = text;
            Ok(this.clone())
        }
        None => Ok(Value::Nil),
    }
}

fn sub(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    copy(ruby, this, args, false)
}

fn sub_in_place(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    in_place(ruby, this, args, false)
}

fn gsub(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if args.len() == 1 && args.block.is_none() {
        return ruby.enumerator(this, args, unknown);
    }
    copy(ruby, this, args, true)
}

fn gsub_in_place(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    if args.len() == 1 && args.block.is_none() {
        return ruby.enumerator(this, args, unknown);
    }
    in_place(ruby, this, args, true)
}
