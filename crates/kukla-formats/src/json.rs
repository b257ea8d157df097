//! JSON, as Ruby's `json` reads it: comments are skipped, unknown escapes stand for themselves, the last of equal keys
//! wins, a hundred levels are the limit.

use kukla_values::{Array, Hash, Str, Value};

use crate::Error;

/// A JSON text as a value, with the line, from one, of each key of the outermost object.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The value.
    pub value: Value,
    /// If it is an object: the line, from one, of each key, in the order of the keys.
    pub lines: Vec<u32>,
}

const MAX_DEPTH: usize = 100;

/// Reads one JSON text.
pub fn read(text: &str) -> Result<Document, Error> {
    let mut reader = Reader { text, at: 0, depth: 0, lines: Vec::new(), line: 1, counted: 0 };
    reader.blanks();
    let start = reader.at;
    let value = reader.value().map_err(|failure| reader.explain(failure, start))?;
    reader.blanks();
    if reader.at < text.len() {
        return Err(reader.unexpected(reader.at));
    }
    Ok(Document { value, lines: reader.lines })
}

/// The line of the mistake that makes a text no JSON, and what is wrong there; it never repeats the text, which can be secret.
pub fn mistake(text: &str) -> Option<(u32, String)> {
    let error = serde_json::from_str::<serde_json::Value>(text).err()?;
    let what = error.to_string();
    let what = what.split(" at line ").next().unwrap_or_default();
    let line = u32::try_from(error.line()).ok()?;
    Some((line, format!("{what} on line {line}, column {}", error.column())))
}

/// How a part failed. Ruby's reader complains about the innermost list, but about the outermost object.
enum Failure {
    /// Nothing more to say than that something here is wrong.
    Here,
    /// Settled.
    Final(Error),
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    lines: Vec<u32>,
    line: u32,
    counted: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, what: String, at: usize) -> Error {
        let before = &self.text[..at.min(self.text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Error::named(what).at(line as u32, column as u32)
    }

    fn unexpected(&self, at: usize) -> Error {
        self.error(format!("unexpected token at '{}'", &self.text[at.min(self.text.len())..]), at)
            .quoting("unexpected token")
    }

    fn explain(&self, failure: Failure, at: usize) -> Error {
        match failure {
            Failure::Here => self.unexpected(at),
            Failure::Final(error) => error,
        }
    }

    fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'/') => {
                    let rest = &self.text[self.at..];
                    let length = match rest.as_bytes().get(1) {
                        Some(b'/') => rest.find('\n'),
                        Some(b'*') => rest[2..].find("*/").map(|end| end + 4),
                        _ => None,
                    };
                    match length {
                        Some(length) => self.at += length,
                        None => return,
                    }
                }
                _ => return,
            }
        }
    }

    fn value(&mut self) -> Result<Value, Failure> {
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                for (word, value) in [("true", true.into()), ("false", false.into()), ("null", Value::Undef)]
                {
                    if self.text[self.at..].starts_with(word) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                // Ruby's parser knows this word and refuses it at once, wherever it is.
                if self.text[self.at..].starts_with("NaN") {
                    return Err(Failure::Final(self.unexpected(self.at)));
                }
                Err(Failure::Here)
            }
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Failure>) -> Result<Value, Failure> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Failure::Final(
                self.error(format!("nesting of {} is too deep", self.depth), self.at),
            ));
        }
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn array(&mut self) -> Result<Value, Failure> {
        self.at += 1;
        let mut array = Array::new();
        self.blanks();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(array.into());
        }
        loop {
            self.blanks();
            let start = self.at;
            match self.value() {
                Ok(value) => array.push(value),
                Err(failure) => return Err(Failure::Final(self.explain(failure, start))),
            }
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(array.into());
                }
                _ => return Err(Failure::Final(self.unexpected(self.at))),
            }
        }
    }

    fn object(&mut self) -> Result<Value, Failure> {
        self.at += 1;
        let mut hash = Hash::new();
        self.blanks();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(hash.into());
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err(Failure::Here);
            }
            if self.depth == 1 {
                self.line +=
                    self.text.as_bytes()[self.counted..self.at].iter().filter(|b| **b == b'\n').count()
                        as u32;
                self.counted = self.at;
            }
            let key = self.string()?;
            self.blanks();
            if self.peek() != Some(b':') {
                return Err(Failure::Here);
            }
            self.at += 1;
            self.blanks();
            let value = self.value()?;
            let (place, _) = hash.make_mut().insert_full(key.into(), value);
            if self.depth == 1 {
                match self.lines.get_mut(place) {
                    Some(line) => *line = self.line,
                    None => self.lines.push(self.line),
                }
            }
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(hash.into());
                }
                _ => return Err(Failure::Here),
            }
        }
    }

    fn string(&mut self) -> Result<Str, Failure> {
        let start = self.at + 1;
        let rest = &self.text[start..];
        let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..b' ');
        let plain = rest.as_bytes().iter().position(is_special).ok_or(Failure::Here)?;
        if rest.as_bytes()[plain] == b'"' {
            self.at = start + plain + 1;
            return Ok(Str::from(&rest[..plain]));
        }
        self.string_with_escapes().map(Str::from)
    }

    fn string_with_escapes(&mut self) -> Result<String, Failure> {
        let start = self.at;
        let mut out = String::new();
        let mut chars = self.text[start + 1..].char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at = start + 1 + at + 1;
                    return Ok(out);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => out.push('\n'),
                    Some((_, 't')) => out.push('\t'),
                    Some((_, 'r')) => out.push('\r'),
                    Some((_, 'b')) => out.push('\x08'),
                    Some((_, 'f')) => out.push('\x0c'),
                    Some((escape, 'u')) => {
                        let unit = |from: usize| {
                            let digits = self.text.get(start + 1 + from..start + 5 + from)?;
                            u32::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))
                        };
                        let Some(first) = unit(escape + 1) else { return Err(Failure::Here) };
                        let mut used = 4;
                        let c = match first {
                            0xd800..=0xdbff => {
                                let second = (self.text.get(start + escape + 6..start + escape + 8)
                                    == Some("\\u"))
                                .then(|| unit(escape + 7))
                                .flatten()
                                .filter(|second| (0xdc00..=0xdfff).contains(second));
                                let Some(second) = second else {
                                    let rest = &self.text[start + escape..];
                                    return Err(Failure::Final(self.error(
                                        format!("incomplete surrogate pair at '{rest}'"),
                                        start + escape,
                                    )));
                                };
                                used = 10;
                                char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
                            }
                            unit => char::from_u32(unit),
                        };
                        out.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
                        for _ in 0..used {
                            chars.next();
                        }
                    }
                    Some((_, c)) if c >= ' ' => out.push(c),
                    _ => return Err(Failure::Here),
                },
                c if c < ' ' => return Err(Failure::Here),
                c => out.push(c),
            }
        }
        Err(Failure::Here)
    }

    fn number(&mut self) -> Result<Value, Failure> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let digits = |mut at: usize| {
            let from = at;
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            (at > from).then_some(at)
        };
        let first = start + usize::from(bytes[start] == b'-');
        let Some(whole) = digits(first) else { return Err(Failure::Here) };
        if bytes[first] == b'0' && whole > first + 1 {
            return Err(Failure::Here);
        }
        let mut end = whole;
        if bytes.get(end) == Some(&b'.')
            && let Some(decimals) = digits(end + 1)
        {
            end = decimals;
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
            end = digits(end + 1 + sign).unwrap_or(end);
        }
        // As in Ruby, a fraction or exponent that more of a number follows is not part of the number.
        if matches!(bytes.get(end), Some(b'0'..=b'9' | b'.' | b'e' | b'E' | b'-')) {
            end = whole;
        }
        self.at = end;
        let number = &self.text[start..end];
        if end > whole {
            return Ok(Value::Float(number.parse().unwrap_or(f64::NAN)));
        }
        // Ruby's integers have no limit, Puppet's have.
        number.parse().map(Value::Integer).map_err(|_| Failure::Final(Error::outside(number)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        read(text).map_or_else(|error| error.what.to_string(), |document| format!("{:?}", document.value))
    }

    #[test]
    fn complains_as_ruby_does() {
        assert_eq!(error(""), "unexpected token at ''");
        assert_eq!(error(r#"{"a":}"#), r#"unexpected token at '{"a":}'"#);
        assert_eq!(error("[1,]"), "unexpected token at ']'");
        assert_eq!(error("[1 2]"), "unexpected token at '2]'");
        assert_eq!(error("[01]"), "unexpected token at '01]'");
        assert_eq!(error("[1.]"), "unexpected token at '.]'");
        assert_eq!(error(r#"{"a":1} x"#), "unexpected token at 'x'");
        assert_eq!(error(&"[".repeat(101)), "nesting of 101 is too deep");
    }

    #[test]
    fn reads_what_ruby_reads() {
        let document =
            read("{\"a\": [1, -2.5, 1e2, \"\\q\\ud83d\\ude00\"],\n /* c */\n \"b\": null}").expect("JSON");
        let hash = document.value.as_hash().expect("an object");
        let list: Value = vec![1.into(), (-2.5).into(), 100.0.into(), "q😀".into()].into();
        assert_eq!(hash.get("a"), Some(&list));
        assert_eq!(document.lines, [1, 3]);
    }
}
