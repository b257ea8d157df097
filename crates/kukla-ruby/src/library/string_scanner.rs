//! `StringScanner`: a string read piece by piece.

use std::rc::Rc;

use crate::args::Args;
use crate::class::{ANY, ClassId, Native, NativeClass, method, methods, quick};
use crate::core::match_data::{self, Match};
use crate::core::regexp::matching::{self, Direction, Spans};
use crate::core::string::{self, show};
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::{Encoding, Text};
use crate::value::{Object, RegexpObject, StringObject, Value};

/// The class `StringScanner`.
pub const STRING_SCANNER: NativeClass = NativeClass {
    methods: &[METHODS],
    singleton: &[SINGLETON],
    setup: Some(|ruby, class| ruby.set_constant(class, "Version", "3.0.1".into())),
    ..NativeClass::class("StringScanner", "Object")
};

/// The class `StringScanner::Error`.
pub const STRING_SCANNER_ERROR: NativeClass = NativeClass::class("StringScanner::Error", "StandardError");

const SINGLETON: &[Native] = &[method("allocate", 0, 0, allocate), method("must_C_version", 0, 0, itself)];

const METHODS: &[Native] = methods![
    method("<<", 1, 1, concat),
    quick("[]", 1, 1, group),
    method("beginning_of_line?", 0, 0, is_beginning_of_line).alias("bol?"),
    method("captures", 0, 0, captures),
    method("charpos", 0, 0, charpos),
    quick("check", 1, 1, check),
    method("check_until", 1, 1, check_until),
    method("concat", 1, 1, concat),
    quick("eos?", 0, 0, is_eos),
    method("exist?", 1, 1, exist),
    method("fixed_anchor?", 0, 0, is_fixed_anchor),
    method("get_byte", 0, 0, get_byte),
    quick("getch", 0, 0, getch),
    method("initialize", 1, 3, initialize),
    method("initialize_copy", 1, 1, initialize_copy),
    method("inspect", 0, 0, inspect),
    quick("match?", 1, 1, is_match),
    quick("matched", 0, 0, matched),
    quick("matched?", 0, 0, is_matched),
    method("matched_size", 0, 0, matched_size),
    method("named_captures", 0, 0, named_captures),
    quick("peek", 1, 1, peek),
    method("peek_byte", 0, 0, peek_byte),
    quick("pointer", 0, 0, pos),
    method("pointer=", 1, 1, set_pos),
    quick("pos", 0, 0, pos),
    method("pos=", 1, 1, set_pos),
    method("post_match", 0, 0, post_match),
    method("pre_match", 0, 0, pre_match),
    method("reset", 0, 0, reset),
    method("rest", 0, 0, rest),
    method("rest?", 0, 0, is_rest),
    quick("rest_size", 0, 0, rest_size),
    quick("scan", 1, 1, scan),
    method("scan_byte", 0, 0, scan_byte),
    method("scan_full", 3, 3, scan_full),
    quick("scan_until", 1, 1, scan_until),
    method("search_full", 3, 3, search_full),
    method("size", 0, 0, size),
    quick("skip", 1, 1, skip),
    method("skip_until", 1, 1, skip_until),
    quick("string", 0, 0, string_of),
    method("string=", 1, 1, set_string),
    method("terminate", 0, 0, terminate),
    method("unscan", 0, 0, unscan),
    method("values_at", 0, ANY, values_at),
];

/// Where a scanner is, and what it matched last.
#[derive(Clone)]
struct Scanner {
    string: Rc<StringObject>,
    /// The byte position.
    at: usize,
    /// Whether `^` and `\A` mean the start of the string rather than the position.
    fixed_anchor: bool,
    last: Option<Last>,
}

/// The last match.
#[derive(Clone)]
struct Last {
    regexp: Option<Rc<RegexpObject>>,
    /// The places in the string.
    spans: Spans,
    /// Where the scanner was before.
    from: usize,
}

impl Last {
    fn whole(&self) -> (usize, usize) {
        self.spans.first().copied().flatten().unwrap_or_default()
    }
}

fn allocate(_: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let class = if let Value::Class(class) = this { *class } else { ClassId::STRING_SCANNER };
    Ok(Value::Object(Object::new(class)))
}

fn itself(_: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(this.clone())
}

fn initialize(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let fixed_anchor = string::only_keyword(ruby, args, "fixed_anchor")?.is_some_and(|given| given.is_true());
    let string = ruby.to_string(&args[0])?;
    if let Value::Object(object) = this {
        object.set_payload(Scanner { string, at: 0, fixed_anchor, last: None });
    }
    Ok(this.clone())
}

fn initialize_copy(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let scanner = own(ruby, &args[0])?;
    put(this, scanner);
    Ok(this.clone())
}

/// The state of a scanner, to work on; [`put`] it back.
fn own(ruby: &mut Ruby<'_>, this: &Value) -> Result<Scanner> {
    if let Value::Object(object) = this
        && let Some(scanner) = object.payload::<Scanner>()
    {
        let mut scanner = scanner.clone();
        // The string may have become shorter meanwhile.
        scanner.at = scanner.at.min(scanner.string.text().len());
        return Ok(scanner);
    }
    Err(ruby.argument_error("uninitialized StringScanner object"))
}

fn put(this: &Value, scanner: Scanner) {
    if let Value::Object(object) = this {
        object.set_payload(scanner);
    }
}

/// The action of a scan on its match.
#[derive(Clone, Copy)]
struct Manner {
    /// Whether the match may begin later than at the position.
    until: bool,
    /// Whether the scanner moves on.
    advance: bool,
    /// Whether the text is the answer rather than its length.
    text: bool,
}

fn run(ruby: &mut Ruby<'_>, this: &Value, pattern: &Value, manner: Manner) -> Result {
    let mut scanner = own(ruby, this)?;
    let string = scanner.string.clone();
    let from = scanner.at;
    let (spans, regexp) = match pattern {
        Value::Regexp(regexp) => {
            let direction = if manner.until { Direction::Forward } else { Direction::Here };
            let text = string.text();
            let spans = if scanner.fixed_anchor {
                matching::search(ruby, regexp, &text, from, direction)?
            } else {
                matching::search_rest(ruby, regexp, &text, from, direction)?
            };
            (spans, Some(regexp.clone()))
        }
        other => {
            let part = match ruby.maybe_string(other)? {
                Some(part) if !manner.until => part,
                _ => {
                    let word = ruby.class_name_of(other);
                    return Err(ruby.type_error(format!("wrong argument type {word} (expected Regexp)")));
                }
            };
            let (text, part) = (string.text(), part.text());
            string::common_encoding(ruby, &text, &part)?;
            (text[from..].starts_with(&part).then(|| vec![Some((from, from + part.len()))]), None)
        }
    };
    let Some(spans) = spans else {
        scanner.last = None;
        put(this, scanner);
        return Ok(Value::Nil);
    };
    let last = Last { regexp, spans, from };
    let (_, end) = last.whole();
    if manner.advance {
        scanner.at = end;
    }
    scanner.last = Some(last);
    put(this, scanner);
    Ok(if manner.text { Value::str(string.text().slice(from..end)) } else { Value::Int((end - from) as i64) })
}

macro_rules! scans {
    ($($name:ident: $until:literal $advance:literal $text:literal;)*) => {
        $(fn $name(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
            run(ruby, this, &args[0], Manner { until: $until, advance: $advance, text: $text })
        })*
    };
}

scans! {
    scan: false true true;
    check: false false true;
    skip: false true false;
    is_match: false false false;
    scan_until: true true true;
    check_until: true false true;
    skip_until: true true false;
    exist: true false false;
}

fn scan_full(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    run(ruby, this, &args[0], Manner { until: false, advance: args[1].is_true(), text: args[2].is_true() })
}

fn search_full(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    run(ruby, this, &args[0], Manner { until: true, advance: args[1].is_true(), text: args[2].is_true() })
}

/// Takes a number of bytes as a match of their own.
fn take(ruby: &mut Ruby<'_>, this: &Value, len: impl Fn(&Text, usize) -> usize) -> Result {
    let mut scanner = own(ruby, this)?;
    let from = scanner.at;
    let string = scanner.string.clone();
    let text = string.text();
    if from >= text.len() {
        scanner.last = None;
        put(this, scanner);
        return Ok(Value::Nil);
    }
    let end = (from + len(&text, from)).min(text.len());
    scanner.last = Some(Last { regexp: None, spans: vec![Some((from, end))], from });
    scanner.at = end;
    put(this, scanner);
    Ok(Value::str(text.slice(from..end)))
}

fn getch(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    take(ruby, this, Text::char_len_at)
}

fn get_byte(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    take(ruby, this, |_, _| 1)
}

fn scan_byte(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let byte = peek_byte(ruby, this, args)?;
    get_byte(ruby, this, args)?;
    Ok(byte)
}

fn peek_byte(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let scanner = own(ruby, this)?;
    let byte = scanner.string.text().get(scanner.at).copied();
    Ok(byte.map_or(Value::Nil, |byte| Value::Int(i64::from(byte))))
}

fn peek(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let count = ruby.to_int(&args[0])?;
    let scanner = own(ruby, this)?;
    let Ok(count) = usize::try_from(count) else {
        return Err(ruby.argument_error("negative string size (or size too big)"));
    };
    let text = scanner.string.text();
    Ok(Value::str(text.slice(scanner.at..scanner.at.saturating_add(count))))
}

fn pos(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::Int(own(ruby, this)?.at as i64))
}

fn charpos(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let scanner = own(ruby, this)?;
    let count = scanner.string.text().char_of_byte(scanner.at);
    Ok(Value::Int(count as i64))
}

fn set_pos(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let position = ruby.to_int(&args[0])?;
    let mut scanner = own(ruby, this)?;
    let len = scanner.string.text().len() as i64;
    let at = if position < 0 { position + len } else { position };
    if !(0..=len).contains(&at) {
        return Err(ruby.range_error("index out of range"));
    }
    scanner.at = at as usize;
    put(this, scanner);
    Ok(args[0].clone())
}

fn string_of(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::String(own(ruby, this)?.string))
}

fn set_string(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = ruby.to_string(&args[0])?;
    let fixed_anchor = own(ruby, this)?.fixed_anchor;
    put(this, Scanner { string, at: 0, fixed_anchor, last: None });
    Ok(args[0].clone())
}

fn concat(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let string = Value::String(own(ruby, this)?.string);
    let more = Value::String(ruby.to_string(&args[0])?);
    ruby.send(&string, sym::SHIFT_LEFT, &[more])?;
    Ok(this.clone())
}

fn reset(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let scanner = own(ruby, this)?;
    put(this, Scanner { at: 0, last: None, ..scanner });
    Ok(this.clone())
}

fn terminate(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let scanner = own(ruby, this)?;
    let at = scanner.string.text().len();
    put(this, Scanner { at, last: None, ..scanner });
    Ok(this.clone())
}

fn unscan(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let scanner = own(ruby, this)?;
    let Some(last) = &scanner.last else {
        return Err(
            ruby.error(ClassId::STRING_SCANNER_ERROR, "unscan failed: previous match record not exist")
        );
    };
    let at = last.from;
    put(this, Scanner { at, last: None, ..scanner });
    Ok(this.clone())
}

fn is_beginning_of_line(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let scanner = own(ruby, this)?;
    let text = scanner.string.text();
    Ok((scanner.at == 0 || text.get(scanner.at - 1) == Some(&b'\n')).into())
}

fn is_eos(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let scanner = own(ruby, this)?;
    let eos = scanner.at >= scanner.string.text().len();
    Ok(eos.into())
}

fn is_rest(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    Ok((!is_eos(ruby, this, args)?.is_true()).into())
}

fn rest(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let scanner = own(ruby, this)?;
    let rest = scanner.string.text().slice(scanner.at..usize::MAX);
    Ok(Value::str(rest))
}

fn rest_size(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let scanner = own(ruby, this)?;
    let left = scanner.string.text().len() - scanner.at;
    Ok(Value::Int(left as i64))
}

fn is_fixed_anchor(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(own(ruby, this)?.fixed_anchor.into())
}

fn is_matched(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(own(ruby, this)?.last.is_some().into())
}

/// The last match as a `MatchData` would have it.
fn last_match(ruby: &mut Ruby<'_>, this: &Value) -> Result<Option<Match>> {
    let scanner = own(ruby, this)?;
    Ok(scanner.last.map(|last| Match { regexp: last.regexp, subject: scanner.string, spans: last.spans }))
}

fn matched(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(last_match(ruby, this)?.and_then(|found| found.group(0)).map_or(Value::Nil, Value::str))
}

fn matched_size(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let found = last_match(ruby, this)?;
    Ok(found.map_or(Value::Nil, |found| Value::Int((found.whole().1 - found.whole().0) as i64)))
}

fn group(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Some(found) = last_match(ruby, this)? else { return Ok(Value::Nil) };
    let number = match_data::group_number(ruby, &found, &args[0])?;
    Ok(number.and_then(|number| found.group(number)).map_or(Value::Nil, Value::str))
}

fn size(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(last_match(ruby, this)?.map_or(Value::Nil, |found| Value::Int(found.spans.len() as i64)))
}

fn captures(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let Some(found) = last_match(ruby, this)? else { return Ok(Value::Nil) };
    // A group that took no part is an empty string here, unlike in a MatchData.
    let groups =
        (1..found.spans.len()).map(|number| Value::str(found.group(number).unwrap_or_else(|| "".into())));
    Ok(Value::array(groups.collect::<Vec<_>>()))
}

fn values_at(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Some(found) = last_match(ruby, this)? else { return Ok(Value::Nil) };
    let all = Value::array(match_data::all_groups(&found));
    let name = ruby.symbols.intern("values_at");
    ruby.send(&all, name, args.list)
}

fn named_captures(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let Some(found) = last_match(ruby, this)? else { return ruby.make_hash([]) };
    let found = match_data::make(found);
    let name = ruby.symbols.intern("named_captures");
    ruby.send(&found, name, &[])
}

fn pre_match(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let found = last_match(ruby, this)?;
    Ok(found.map_or(Value::Nil, |found| Value::str(found.subject.text().slice(0..found.whole().0))))
}

fn post_match(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let found = last_match(ruby, this)?;
    Ok(found.map_or(Value::Nil, |found| Value::str(found.subject.text().slice(found.whole().1..usize::MAX))))
}

/// How many bytes on each side `inspect` shows.
const SHOWN: usize = 5;

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let name = ruby.class_name_of(this);
    let scanner = own(ruby, this)?;
    let text = scanner.string.text();
    if scanner.at >= text.len() {
        return Ok(format!("#<{name} fin>").into());
    }
    let quoted = |text: &Text| {
        let bytes = text.clone().in_encoding(Encoding::Binary);
        String::from_utf8_lossy(&show::inspect_text(&bytes)).into_owned()
    };
    let mut after = text.slice(scanner.at..scanner.at + SHOWN);
    if scanner.at + SHOWN < text.len() {
        after.push_str("...");
    }
    let place = format!("{}/{}", scanner.at, text.len());
    if scanner.at == 0 {
        return Ok(format!("#<{name} {place} @ {}>", quoted(&after)).into());
    }
    let start = scanner.at.saturating_sub(SHOWN);
    let mut before = Text::from(if start > 0 { "..." } else { "" });
    before.push_text(&text.slice(start..scanner.at));
    Ok(format!("#<{name} {place} {} @ {}>", quoted(&before), quoted(&after)).into())
}
