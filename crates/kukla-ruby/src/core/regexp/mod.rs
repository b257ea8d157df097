//! Regular expressions.

pub(crate) mod matching;

use std::rc::Rc;

use kukla_values::regexp::{self, Options, Regexp, escape_bytes};

use crate::args::Args;
use crate::class::{ANY, ClassId, Constant, Native, NativeClass, method, methods, private, quick};
use crate::core::match_data::{self, Match};
use crate::core::string;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::{Encoding, Text};
use crate::value::{Head, RegexpObject, StringObject, Value};
use matching::{Direction, Spans};

/// The class `Regexp`.
pub const REGEXP: NativeClass = NativeClass {
    methods: &[METHODS],
    singleton: &[SINGLETON],
    setup: Some(constants),
    ..NativeClass::class("Regexp", "Object")
};

const METHODS: &[Native] = &[
    method("==", 1, 1, equal),
    method("===", 1, 1, case_equal),
    method("=~", 1, 1, match_operator),
    quick("casefold?", 0, 0, is_casefold),
    quick("encoding", 0, 0, encoding),
    method("eql?", 1, 1, equal),
    method("fixed_encoding?", 0, 0, is_fixed_encoding),
    method("hash", 0, 0, hash),
    private("initialize", 1, 3, initialize),
    method("inspect", 0, 0, inspect),
    method("match", 1, 2, match_method),
    method("match?", 1, 2, is_match),
    method("named_captures", 0, 0, named_captures),
    quick("names", 0, 0, names),
    quick("options", 0, 0, options),
    quick("source", 0, 0, source),
    quick("timeout", 0, 0, timeout),
    method("to_s", 0, 0, to_s),
    method("~", 0, 0, match_last_line),
];

const SINGLETON: &[Native] = methods![
    method("new", 1, 3, new).alias("compile"),
    method("escape", 1, 1, escape_method).alias("quote"),
    quick("last_match", 0, 1, last_match),
    method("linear_time?", 1, 3, is_linear_time),
    quick("timeout", 0, 0, timeout),
    method("timeout=", 1, 1, set_timeout),
    method("try_convert", 1, 1, try_convert),
    method("union", 0, ANY, union),
];

const IGNORE_CASE: i64 = 1;
const EXTENDED: i64 = 2;
const MULTILINE: i64 = 4;
const FIXED_ENCODING: i64 = 16;
const NO_ENCODING: i64 = 32;

fn constants(ruby: &mut Ruby<'_>, class: ClassId) {
    let all = [
        ("IGNORECASE", IGNORE_CASE),
        ("EXTENDED", EXTENDED),
        ("MULTILINE", MULTILINE),
        ("FIXEDENCODING", FIXED_ENCODING),
        ("NOENCODING", NO_ENCODING),
    ];
    for (name, value) in all {
        let name = ruby.symbols.intern(name);
        ruby.class_mut(class).constants.insert(name, Constant { value: Value::Int(value), private: false });
    }
}

/// The expression as a value of a class.
fn make(class: ClassId, pattern: std::sync::Arc<Regexp>, encoding_bits: u8) -> Value {
    let regexp = RegexpObject { head: Head::new(class), pattern, encoding_bits };
    regexp.head.freeze();
    Value::Regexp(Rc::new(regexp))
}

/// The expression written as `source`, or `RegexpError`.
pub(crate) fn from_source(ruby: &mut Ruby<'_>, source: &Text) -> Result {
    compile(ruby, ClassId::REGEXP, source, 0)
}

/// The expression written as `source` with options as numbers, or `RegexpError`.
pub(crate) fn compile(ruby: &mut Ruby<'_>, class: ClassId, source: &Text, bits: i64) -> Result {
    ruby.charge(1 + source.len() as u64)?;
    let binary = bits & NO_ENCODING != 0 || (source.encoding() == Encoding::Binary && !source.is_ascii());
    let encoding = if binary { regexp::Encoding::Binary } else { regexp::Encoding::Utf8 };
    match Regexp::from_bytes(source, options_of_bits(bits), encoding) {
        Ok(pattern) => Ok(make(class, pattern, (bits & (FIXED_ENCODING | NO_ENCODING)) as u8)),
        Err(error) => {
            let message = error.to_string();
            Err(ruby.error(ClassId::REGEXP_ERROR, message))
        }
    }
}

fn options_of_bits(bits: i64) -> Options {
    Options {
        ignore_case: bits & IGNORE_CASE != 0,
        multiline: bits & MULTILINE != 0,
        extended: bits & EXTENDED != 0,
    }
}

/// Whether it only fits text of its own encoding.
fn is_fixed(regexp: &RegexpObject) -> bool {
    regexp.pattern.is_beyond_ascii() || i64::from(regexp.encoding_bits) & FIXED_ENCODING != 0
}

fn own<'v>(ruby: &mut Ruby<'_>, this: &'v Value) -> Result<&'v Rc<RegexpObject>> {
    match this {
        Value::Regexp(regexp) => Ok(regexp),
        _ => Err(ruby.type_error("uninitialized Regexp")),
    }
}

/// Looks for a match in a string from a byte position and sets `$~`.
pub(crate) fn search_and_set(
    ruby: &mut Ruby<'_>,
    regexp: &Rc<RegexpObject>,
    string: &Rc<StringObject>,
    from: usize,
    direction: Direction,
) -> Result<Option<Match>> {
    let spans = {
        let text = string.text();
        matching::search(ruby, regexp, &text, from, direction)?
    };
    Ok(set_match(ruby, Some(regexp), string, spans))
}

/// Sets `$~` to what was found.
pub(crate) fn set_match(
    ruby: &mut Ruby<'_>,
    regexp: Option<&Rc<RegexpObject>>,
    string: &Rc<StringObject>,
    spans: Option<Spans>,
) -> Option<Match> {
    let Some(spans) = spans else {
        ruby.set_last_match(Value::Nil);
        return None;
    };
    let found = Match { regexp: regexp.cloned(), subject: match_data::frozen_subject(string), spans };
    ruby.set_last_match(match_data::make(found.clone()));
    Some(found)
}

/// The string that is matched: of a symbol its name.
fn subject(ruby: &mut Ruby<'_>, value: &Value) -> Result<Option<Rc<StringObject>>> {
    match value {
        Value::Nil => Ok(None),
        Value::Symbol(symbol) => {
            Ok(Some(StringObject::new(ClassId::STRING, crate::core::symbol::text_of(ruby, *symbol))))
        }
        other => ruby.to_string(other).map(Some),
    }
}

fn match_operator(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let regexp = own(ruby, this)?;
    let Some(string) = subject(ruby, &args[0])? else {
        ruby.set_last_match(Value::Nil);
        return Ok(Value::Nil);
    };
    let found = search_and_set(ruby, regexp, &string, 0, Direction::Forward)?;
    Ok(found.map_or(Value::Nil, |found| Value::Int(string.text().char_of_byte(found.whole().0) as i64)))
}

fn match_last_line(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let line = ruby.symbols.intern("$_");
    let line = ruby.globals.get(&line).cloned().unwrap_or_default();
    if !matches!(line, Value::String(_)) {
        ruby.set_last_match(Value::Nil);
        return Ok(Value::Nil);
    }
    match_operator(ruby, this, &Args::new(&[line]))
}

fn case_equal(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let regexp = own(ruby, this)?;
    let string = match &args[0] {
        Value::Symbol(_) => subject(ruby, &args[0])?,
        other => ruby.maybe_string(other)?,
    };
    let Some(string) = string else {
        ruby.set_last_match(Value::Nil);
        return Ok(false.into());
    };
    Ok(search_and_set(ruby, regexp, &string, 0, Direction::Forward)?.is_some().into())
}

/// The byte position that a number of characters means, from the end if negative; `None` outside.
fn position(ruby: &mut Ruby<'_>, text: &StringObject, position: Option<&Value>) -> Result<Option<usize>> {
    let Some(position) = position else { return Ok(Some(0)) };
    let position = ruby.to_int(position)?;
    let text = text.text();
    let position = if position < 0 { position + text.chars_count() as i64 } else { position };
    Ok(usize::try_from(position).ok().map(|position| text.byte_of_char(position).unwrap_or(text.len())))
}

fn match_method(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let regexp = own(ruby, this)?;
    let found = match subject(ruby, &args[0])? {
        None => None,
        Some(string) => match position(ruby, &string, args.get(1))? {
            None => None,
            Some(from) => search_and_set(ruby, regexp, &string, from, Direction::Forward)?,
        },
    };
    if found.is_none() {
        ruby.set_last_match(Value::Nil);
        return Ok(Value::Nil);
    }
    let found = ruby.last_match();
    match args.block {
        Some(block) => ruby.yield_to(block, &[found]),
        None => Ok(found),
    }
}

fn is_match(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let regexp = own(ruby, this)?;
    let Some(string) = subject(ruby, &args[0])? else { return Ok(false.into()) };
    let Some(from) = position(ruby, &string, args.get(1))? else { return Ok(false.into()) };
    if let Some(start) = args.get(1)
        && ruby.to_int(start)? > string.text().chars_count() as i64
    {
        return Ok(false.into());
    }
    let text = string.text();
    Ok(matching::is_match(ruby, regexp, &text, from)?.into())
}

fn equal(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let regexp = own(ruby, this)?;
    Ok(matches!(&args[0], Value::Regexp(other)
        if other.pattern.source() == regexp.pattern.source() && meaning_of(other) == meaning_of(regexp))
    .into())
}

fn hash(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let regexp = own(ruby, this)?;
    let code = ruby.hash_code(&regexp.pattern.source().into())?;
    Ok(Value::Int(((code ^ meaning_of(regexp) as u64) >> 2) as i64))
}

/// The options that make a pattern another one, which `n` on a pattern in ASCII does not.
fn meaning_of(regexp: &RegexpObject) -> i64 {
    let options = options_of(regexp);
    if regexp.pattern.source().is_ascii() { options & !NO_ENCODING } else { options }
}

fn options_of(regexp: &RegexpObject) -> i64 {
    let options = regexp.pattern.options();
    let flag = |on: bool, flag: i64| if on { flag } else { 0 };
    flag(options.ignore_case, IGNORE_CASE)
        | flag(options.extended, EXTENDED)
        | flag(options.multiline, MULTILINE)
        | flag(is_fixed(regexp), FIXED_ENCODING)
        | i64::from(regexp.encoding_bits) & NO_ENCODING
}

fn options(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(Value::Int(options_of(own(ruby, this)?)))
}

fn is_casefold(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(own(ruby, this)?.pattern.options().ignore_case.into())
}

fn is_fixed_encoding(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    Ok(is_fixed(own(ruby, this)?).into())
}

fn encoding(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let regexp = own(ruby, this)?;
    let encoding = match regexp.pattern.encoding() {
        _ if !is_fixed(regexp) => Encoding::Ascii,
        regexp::Encoding::Utf8 => Encoding::Utf8,
        regexp::Encoding::Binary => Encoding::Binary,
    };
    Ok(crate::core::encoding::value(ruby, encoding))
}

/// How long a match may take is counted in steps, not in time; what was asked for is only remembered.
const TIMEOUT: &str = "$ regexp timeout";

fn timeout(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let name = ruby.symbols.intern(TIMEOUT);
    Ok(match this {
        Value::Class(_) => ruby.globals.get(&name).cloned().unwrap_or_default(),
        _ => Value::Nil,
    })
}

fn set_timeout(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let limit = match &args[0] {
        Value::Nil => Value::Nil,
        limit => {
            let seconds = ruby.to_float(limit)?;
            if seconds <= 0.0 {
                let shown = ruby.display(limit)?.to_str_lossy().into_owned();
                return Err(ruby.argument_error(format!("invalid timeout: {shown}")));
            }
            Value::Float(seconds)
        }
    };
    let name = ruby.symbols.intern(TIMEOUT);
    ruby.globals.insert(name, limit);
    Ok(args[0].clone())
}

/// Patterns are made by `new`, once.
fn initialize(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    if this.head().is_some_and(Head::is_frozen) {
        return Err(ruby.error(ClassId::FROZEN_ERROR, "can't modify literal regexp"));
    }
    Err(ruby.type_error("already initialized regexp"))
}

/// Bytes of a pattern as text: in US-ASCII where they can be.
fn pattern_text(pattern: &Regexp, bytes: Vec<u8>) -> Text {
    let text = Text::from(bytes);
    match pattern.encoding() {
        _ if text.is_ascii() => text.in_encoding(Encoding::Ascii),
        regexp::Encoding::Utf8 => text,
        regexp::Encoding::Binary => text.in_encoding(Encoding::Binary),
    }
}

fn source(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let pattern = &own(ruby, this)?.pattern;
    Ok(Value::str(pattern_text(pattern, pattern.source_bytes().to_vec())))
}

fn inspect(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let regexp = own(ruby, this)?;
    let pattern = &regexp.pattern;
    let mut shown = pattern.to_inspected();
    if i64::from(regexp.encoding_bits) & NO_ENCODING != 0 {
        shown.push(b'n');
    }
    Ok(Value::str(pattern_text(pattern, shown)))
}

fn to_s(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let pattern = &own(ruby, this)?.pattern;
    Ok(Value::str(pattern_text(pattern, pattern.to_embedded().to_vec())))
}

/// The name of a group as text: in US-ASCII where it can be.
pub(crate) fn group_name(name: &str) -> Text {
    Text::from(name).narrowed()
}

fn names(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let names = own(ruby, this)?.pattern.names();
    Ok(Value::array(names.iter().map(|(name, _)| Value::str(group_name(name))).collect::<Vec<_>>()))
}

fn named_captures(ruby: &mut Ruby<'_>, this: &Value, _: &Args<'_>) -> Result {
    let pattern = own(ruby, this)?.pattern.clone();
    let pairs = pattern.names().iter().map(|(name, groups)| {
        let groups = groups.iter().map(|group| Value::Int(*group as i64)).collect::<Vec<_>>();
        (Value::from(&**name), Value::array(groups))
    });
    ruby.make_hash(pairs)
}

fn bits_from(ruby: &mut Ruby<'_>, given: Option<&Value>) -> Result<i64> {
    Ok(match given {
        None | Some(Value::Nil | Value::Bool(false)) => 0,
        Some(Value::Int(bits)) => *bits,
        Some(Value::String(letters)) => {
            let letters = letters.text().to_str_lossy().into_owned();
            let mut bits = 0;
            for letter in letters.chars() {
                bits |= match letter {
                    'i' => IGNORE_CASE,
                    'm' => MULTILINE,
                    'x' => EXTENDED,
                    _ => return Err(ruby.argument_error(format!("unknown regexp option: {letters}"))),
                };
            }
            bits
        }
        Some(_) => IGNORE_CASE,
    })
}

fn new(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let (given, _) = args.split();
    let class = if let Value::Class(class) = this { *class } else { ClassId::REGEXP };
    let made = match given.first() {
        Some(Value::Regexp(regexp)) => regexp.clone(),
        source => {
            let source = ruby.to_text(source.unwrap_or(&Value::Nil))?;
            let bits = bits_from(ruby, given.get(1))?;
            match compile(ruby, class, &source, bits)? {
                Value::Regexp(regexp) => regexp,
                other => return Ok(other),
            }
        }
    };
    // Unlike a literal of the program it is not frozen.
    let (pattern, encoding_bits) = (made.pattern.clone(), made.encoding_bits);
    Ok(Value::Regexp(Rc::new(RegexpObject { head: Head::new(class), pattern, encoding_bits })))
}

fn is_linear_time(ruby: &mut Ruby<'_>, this: &Value, args: &Args<'_>) -> Result {
    let Value::Regexp(regexp) = new(ruby, this, args)? else { return Ok(false.into()) };
    let backtracks = ["\\1", "\\k<", "\\g<"];
    Ok((!backtracks.iter().any(|sign| regexp.pattern.source().contains(sign))).into())
}

/// The text as a pattern that matches just it.
pub(crate) fn escape(text: &Text) -> Text {
    text.with_bytes(escape_bytes(text)).narrowed()
}

fn escape_method(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let text = match subject(ruby, &args[0])? {
        Some(string) => string.text().clone(),
        None => return Err(ruby.no_conversion(&Value::Nil, "String")),
    };
    Ok(Value::str(escape(&text)))
}

fn last_match(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let found = ruby.last_match();
    match args.get(0) {
        Some(group) if !found.is_nil() => ruby.send(&found, sym::INDEX, std::slice::from_ref(group)),
        _ => Ok(found),
    }
}

fn try_convert(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    if let Value::Regexp(_) = &args[0] {
        return Ok(args[0].clone());
    }
    let Some(answer) = ruby.try_send(&args[0], sym::TO_REGEXP, &[])? else { return Ok(Value::Nil) };
    match answer {
        Value::Nil | Value::Regexp(_) => Ok(answer),
        other => {
            let (own, other) = (ruby.class_name_of(&args[0]), ruby.class_name_of(&other));
            Err(ruby.type_error(format!("can't convert {own} to Regexp ({own}#to_regexp gives {other})")))
        }
    }
}

fn union(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let list = match args.list {
        [one] => match ruby.maybe_array(one)? {
            Some(array) => array.to_vec(),
            None => vec![one.clone()],
        },
        list => list.to_vec(),
    };
    if list.is_empty() {
        return from_source(ruby, &"(?!)".into());
    }
    let only = list.len() == 1;
    let mut source = Text::from("");
    for (number, part) in list.iter().enumerate() {
        let converted = try_convert(ruby, &Value::Nil, &Args::new(std::slice::from_ref(part)))?;
        if number > 0 {
            source.push_str("|");
        }
        match converted {
            Value::Regexp(regexp) if only => return Ok(Value::Regexp(regexp)),
            Value::Regexp(regexp) => source.push_text(
                &pattern_text(&regexp.pattern, regexp.pattern.to_embedded().to_vec())
                    .in_encoding(Encoding::Utf8),
            ),
            _ => {
                let string = if only { subject(ruby, part)? } else { ruby.maybe_string(part)? };
                let Some(string) = string else { return Err(ruby.no_conversion(part, "String")) };
                let escaped = escape(&string.text());
                let encoding = string::common_encoding(ruby, &source, &escaped)?;
                source.push_text(&escaped);
                source.set_encoding(encoding);
            }
        }
    }
    from_source(ruby, &source)
}
