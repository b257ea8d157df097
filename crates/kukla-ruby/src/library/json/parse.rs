//! Reading JSON, with the words of json 2.6 for what is wrong.

use std::rc::Rc;

use crate::class::ClassId;
use crate::core::numeric::parse;
use crate::error::{Result, Unwind};
use crate::hash::Table;
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::text::{Encoding, Text};
use crate::value::{HashObject, Value};

/// How to read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether names become symbols.
    pub symbolize_names: bool,
    /// Whether `NaN` and `Infinity` are numbers.
    pub allow_nan: bool,
    /// Whether what is read is frozen.
    pub freeze: bool,
    /// How deep it may nest; 0 for any depth.
    pub max_nesting: usize,
    /// The class of objects, if not hashes.
    pub object_class: Value,
    /// The class of arrays, if not arrays.
    pub array_class: Value,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            symbolize_names: false,
            allow_nan: false,
            freeze: false,
            max_nesting: 100,
            object_class: Value::Nil,
            array_class: Value::Nil,
        }
    }
}

impl Options {
    /// Applies keywords or a hash of options.
    pub fn read(&mut self, ruby: &mut Ruby<'_>, given: &HashObject) -> Result<()> {
        for (name, flag) in [
            ("symbolize_names", &mut self.symbolize_names),
            ("allow_nan", &mut self.allow_nan),
            ("freeze", &mut self.freeze),
        ] {
            if let Some(value) = ruby.keyword(given, name) {
                *flag = value.is_true();
            }
        }
        for (name, class) in
            [("object_class", &mut self.object_class), ("array_class", &mut self.array_class)]
        {
            if let Some(value) = ruby.keyword(given, name) {
                *class = value;
            }
        }
        match ruby.keyword(given, "max_nesting") {
            None => {}
            Some(Value::Nil | Value::Bool(false)) => self.max_nesting = 0,
            Some(depth) => self.max_nesting = ruby.to_int(&depth)?.max(0) as usize,
        }
        Ok(())
    }
}

/// The value that a text says.
pub fn document(ruby: &mut Ruby<'_>, text: &[u8], options: &Options) -> Result {
    ruby.charge(text.len() as u64 / 8)?;
    let mut parser = Parser { text, at: 0, options, depth: 0 };
    if !parser.skip(ruby)? {
        return Err(parser.unexpected(ruby, DOCUMENT, text.len()));
    }
    let start = parser.at;
    let Some(value) = parser.value(ruby)? else { return Err(parser.unexpected(ruby, DOCUMENT, start)) };
    if !parser.skip(ruby)? {
        return Err(parser.unexpected(ruby, DOCUMENT, text.len()));
    }
    if parser.at < text.len() {
        return Err(parser.unexpected(ruby, DOCUMENT, parser.at));
    }
    Ok(value)
}

/// Numbers that json puts in front of its complaints: where in its own text they are raised.
const DOCUMENT: u32 = 859;
const ARRAY: u32 = 451;
const SURROGATE: u32 = 521;
const NOT_A_NUMBER: u32 = 225;
const INFINITY: u32 = 232;
const NEGATIVE_INFINITY: u32 = 249;

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    options: &'t Options,
    depth: usize,
}

impl Parser<'_> {
    #[cold]
    fn complain(&self, ruby: &mut Ruby<'_>, number: u32, what: &str, at: usize) -> Box<Unwind> {
        let rest = String::from_utf8_lossy(self.text.get(at..).unwrap_or_default());
        ruby.error(ClassId::JSON_PARSER_ERROR, format!("{number}: {what} at '{rest}'"))
    }

    #[cold]
    fn unexpected(&self, ruby: &mut Ruby<'_>, number: u32, at: usize) -> Box<Unwind> {
        self.complain(ruby, number, "unexpected token", at)
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn starts_with(&self, word: &[u8]) -> bool {
        self.text[self.at..].starts_with(word)
    }

    /// Skips white space and comments; false if a comment has no end.
    fn skip(&mut self, _: &mut Ruby<'_>) -> Result<bool> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'/') => {
                    let rest = &self.text[self.at..];
                    let end = match rest.get(1) {
                        Some(b'/') => rest.iter().position(|byte| *byte == b'\n').map(|at| at + 1),
                        Some(b'*') => rest[2..].windows(2).position(|pair| pair == b"*/").map(|at| at + 4),
                        _ => None,
                    };
                    match end {
                        Some(end) => self.at += end,
                        None => return Ok(false),
                    }
                }
                _ => return Ok(true),
            }
        }
    }

    /// A value; `None` if there is none here, which the caller reports.
    fn value(&mut self, ruby: &mut Ruby<'_>) -> Result<Option<Value>> {
        for (word, value) in
            [(&b"null"[..], Value::Nil), (b"true", Value::Bool(true)), (b"false", Value::Bool(false))]
        {
            if self.starts_with(word) {
                self.at += word.len();
                return Ok(Some(value));
            }
        }
        match self.peek() {
            Some(b'"') => match self.string(ruby)? {
                Some(text) => {
                    let string = Value::str(Text::new(text, Encoding::Utf8));
                    Ok(Some(self.finished(string)))
                }
                None => Ok(None),
            },
            Some(b'[') => self.array(ruby),
            Some(b'{') => self.object(ruby),
            Some(b'N') if self.starts_with(b"NaN") => self.special(ruby, 3, f64::NAN, NOT_A_NUMBER, self.at),
            Some(b'I') if self.starts_with(b"Infinity") => {
                let shown = self.at.checked_sub(1).unwrap_or(self.text.len());
                self.special(ruby, 8, f64::INFINITY, INFINITY, shown)
            }
            Some(b'-') if self.starts_with(b"-Infinity") => {
                self.special(ruby, 9, f64::NEG_INFINITY, NEGATIVE_INFINITY, self.at)
            }
            Some(b'-' | b'0'..=b'9') => Ok(self.number()),
            _ => Ok(None),
        }
    }

    fn special(
        &mut self,
        ruby: &mut Ruby<'_>,
        length: usize,
        number: f64,
        complaint: u32,
        shown: usize,
    ) -> Result<Option<Value>> {
        if !self.options.allow_nan {
            return Err(self.unexpected(ruby, complaint, shown));
        }
        self.at += length;
        Ok(Some(Value::Float(number)))
    }

    fn number(&mut self) -> Option<Value> {
        let digits = |mut at: usize| {
            let start = at;
            while self.text.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            (at > start).then_some(at)
        };
        let start = self.at;
        let first = start + usize::from(self.peek() == Some(b'-'));
        let mut end = digits(first)?;
        if self.text.get(first) == Some(&b'0') && end > first + 1 {
            return None;
        }
        let mut is_float = false;
        if self.text.get(end) == Some(&b'.')
            && let Some(after) = digits(end + 1)
        {
            is_float = true;
            end = after;
        }
        if matches!(self.text.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.text.get(end + 1), Some(b'+' | b'-')));
            if let Some(after) = digits(end + 1 + sign) {
                is_float = true;
                end = after;
            }
        }
        self.at = end;
        let text = &self.text[start..end];
        if is_float {
            return parse::float(text, false).map(Value::Float);
        }
        parse::integer(text, 10, false).map(Value::integer)
    }

    /// The text of a string; `None` if it does not end or holds what it may not.
    fn string(&mut self, ruby: &mut Ruby<'_>) -> Result<Option<Vec<u8>>> {
        let mut out = Vec::new();
        let mut at = self.at + 1;
        loop {
            let Some(byte) = self.text.get(at).copied() else { return Ok(None) };
            match byte {
                b'"' => {
                    self.at = at + 1;
                    return Ok(Some(out));
                }
                0..=0x1f => return Ok(None),
                b'\\' => {
                    let Some(escaped) = self.text.get(at + 1).copied() else { return Ok(None) };
                    at += 2;
                    match escaped {
                        b'b' => out.push(8),
                        b'f' => out.push(12),
                        b'n' => out.push(b'\n'),
                        b'r' => out.push(b'\r'),
                        b't' => out.push(b'\t'),
                        b'u' => {
                            let Some(code) = self.hex(at) else { return Ok(None) };
                            at += 4;
                            let mut whole = code;
                            if (0xd800..=0xdbff).contains(&code) {
                                let low = (self.text.get(at) == Some(&b'\\')
                                    && self.text.get(at + 1) == Some(&b'u'))
                                .then(|| self.hex(at + 2))
                                .flatten();
                                let Some(low) = low else {
                                    return Err(self.complain(
                                        ruby,
                                        SURROGATE,
                                        "incomplete surrogate pair",
                                        at - 6,
                                    ));
                                };
                                whole = (((code & 0x3f) << 10) | ((((code >> 6) & 0xf) + 1) << 16))
                                    | (low & 0x3ff);
                                at += 6;
                            }
                            push_code(&mut out, whole);
                        }
                        0..=0x1f => return Ok(None),
                        other => out.push(other),
                    }
                }
                byte => {
                    out.push(byte);
                    at += 1;
                }
            }
        }
    }

    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 4)?;
        digits.iter().try_fold(0, |code, digit| Some(code * 16 + (*digit as char).to_digit(16)?))
    }

    fn enter(&mut self, ruby: &mut Ruby<'_>) -> Result<()> {
        self.depth += 1;
        ruby.charge(1)?;
        let most = if self.options.max_nesting == 0 { 10_000 } else { self.options.max_nesting };
        if self.depth > most {
            let message = format!("nesting of {} is too deep", self.depth);
            return Err(ruby.error(ClassId::JSON_NESTING_ERROR, message));
        }
        Ok(())
    }

    fn finished(&self, value: Value) -> Value {
        if self.options.freeze
            && let Some(head) = value.head()
        {
            head.freeze();
        }
        value
    }

    fn array(&mut self, ruby: &mut Ruby<'_>) -> Result<Option<Value>> {
        self.enter(ruby)?;
        self.at += 1;
        let mut items = Vec::new();
        let end = self.text.len();
        loop {
            if !self.skip(ruby)? {
                return Err(self.unexpected(ruby, ARRAY, end));
            }
            if items.is_empty() && self.peek() == Some(b']') {
                break;
            }
            let start = self.at;
            match kukla_syntax::deep(|| self.value(ruby))? {
                Some(value) => items.push(value),
                None => return Err(self.unexpected(ruby, ARRAY, start)),
            }
            if !self.skip(ruby)? {
                return Err(self.unexpected(ruby, ARRAY, end));
            }
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.unexpected(ruby, ARRAY, self.at)),
            }
        }
        self.at += 1;
        self.depth -= 1;
        if !self.options.array_class.is_nil() {
            let made = ruby.send(&self.options.array_class, sym::NEW, &[])?;
            for item in items {
                ruby.send(&made, sym::SHIFT_LEFT, &[item])?;
            }
            return Ok(Some(made));
        }
        Ok(Some(self.finished(Value::array(items))))
    }

    fn object(&mut self, ruby: &mut Ruby<'_>) -> Result<Option<Value>> {
        self.enter(ruby)?;
        self.at += 1;
        let hash = HashObject::new(ClassId::HASH, Table::new());
        let mut own: Vec<(Value, Value)> = Vec::new();
        let mut first = true;
        loop {
            if !self.skip(ruby)? {
                return Ok(None);
            }
            match self.peek() {
                Some(b'}') if first => break,
                Some(b'"') => {}
                _ => return Ok(None),
            }
            first = false;
            let Some(name) = self.string(ruby)? else { return Ok(None) };
            if !self.skip(ruby)? || self.peek() != Some(b':') {
                return Ok(None);
            }
            self.at += 1;
            if !self.skip(ruby)? {
                return Ok(None);
            }
            let Some(value) = kukla_syntax::deep(|| self.value(ruby))? else { return Ok(None) };
            let key = if self.options.symbolize_names {
                ruby.symbol(&String::from_utf8_lossy(&name))
            } else {
                Value::str(Text::new(name, Encoding::Utf8))
            };
            if self.options.object_class.is_nil() {
                ruby.hash_set(&hash, key, value)?;
            } else {
                own.push((key, value));
            }
            if !self.skip(ruby)? {
                return Ok(None);
            }
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Ok(None),
            }
        }
        self.at += 1;
        self.depth -= 1;
        if !self.options.object_class.is_nil() {
            let made = ruby.send(&self.options.object_class, sym::NEW, &[])?;
            for (key, value) in own {
                ruby.send(&made, sym::INDEX_SET, &[key, value])?;
            }
            return Ok(Some(made));
        }
        Ok(Some(self.finished(Value::Hash(Rc::clone(&hash)))))
    }
}

/// A code point as UTF-8; half of a pair too, as json writes it.
fn push_code(out: &mut Vec<u8>, code: u32) {
    match char::from_u32(code) {
        Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.extend_from_slice(&[
            0xe0 | (code >> 12) as u8,
            0x80 | ((code >> 6) & 0x3f) as u8,
            0x80 | (code & 0x3f) as u8,
        ]),
    }
}
