//! PN text back to PN.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::CharIndices;

use crate::deep;

use super::Pn;

/// PN text nested deeper than this is refused.
const MAX_DEPTH: u32 = 50_000;

/// The error in an invalid PN text, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The offset of the character that does not fit.
    pub offset: usize,
    /// The expected syntax.
    pub expected: &'static str,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "expected {} at offset {}", self.expected, self.offset)
    }
}

impl std::error::Error for ReadError {}

struct Reader<'t> {
    text: &'t str,
    chars: Peekable<CharIndices<'t>>,
    depth: u32,
}

pub(super) fn read(text: &str) -> Result<Pn<'static>, ReadError> {
    let mut reader = Reader { text, chars: text.char_indices().peekable(), depth: 0 };
    let pn = reader.value()?;
    match reader.peek() {
        None => Ok(pn),
        Some(_) => reader.fail("the end"),
    }
}

impl Reader<'_> {
    /// The next character that is not blank.
    fn peek(&mut self) -> Option<char> {
        while self.chars.next_if(|(_, c)| matches!(c, ' ' | '\t' | '\r' | '\n')).is_some() {}
        self.chars.peek().map(|&(_, c)| c)
    }

    fn offset(&mut self) -> usize {
        self.chars.peek().map_or(self.text.len(), |&(at, _)| at)
    }

    fn fail<T>(&mut self, expected: &'static str) -> Result<T, ReadError> {
        Err(ReadError { offset: self.offset(), expected })
    }

    fn value(&mut self) -> Result<Pn<'static>, ReadError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail("less nesting");
        }
        let value = deep(|| self.value_here());
        self.depth -= 1;
        value
    }

    fn value_here(&mut self) -> Result<Pn<'static>, ReadError> {
        match self.peek() {
            Some('[') => {
                self.chars.next();
                Ok(Pn::List(self.values(']')?))
            }
            Some('(') => {
                self.chars.next();
                self.peek();
                let name = self.word();
                if name.is_empty() {
                    return self.fail("a name");
                }
                Ok(Pn::Call(Cow::Owned(name), self.values(')')?))
            }
            Some('{') => {
                self.chars.next();
                let mut entries = Vec::new();
                loop {
                    match self.peek() {
                        Some('}') => break,
                        Some(':') => {
                            self.chars.next();
                            let key = self.word();
                            entries.push((Cow::Owned(key), self.value()?));
                        }
                        _ => return self.fail("a key or `}`"),
                    }
                }
                self.chars.next();
                Ok(Pn::Map(entries))
            }
            Some('"') => {
                self.chars.next();
                Ok(Pn::String(Cow::Owned(self.string()?)))
            }
            Some(_) => {
                let offset = self.offset();
                let word = self.word();
                literal(&word).ok_or(ReadError { offset, expected: "a value" })
            }
            None => self.fail("a value"),
        }
    }

    fn values(&mut self, close: char) -> Result<Vec<Pn<'static>>, ReadError> {
        let mut values = Vec::new();
        while self.peek() != Some(close) {
            values.push(self.value()?);
        }
        self.chars.next();
        Ok(values)
    }

    /// Everything up to a blank or a closing delimiter.
    fn word(&mut self) -> String {
        let mut word = String::new();
        let ends = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n' | '(' | ')' | '[' | ']' | '{' | '}' | '"');
        while let Some((_, c)) = self.chars.next_if(|&(_, c)| !ends(c)) {
            word.push(c);
        }
        word
    }

    fn string(&mut self) -> Result<String, ReadError> {
        let mut text = String::new();
        loop {
            match self.chars.next() {
                None => return self.fail("`\"`"),
                Some((_, '"')) => return Ok(text),
                Some((_, '\\')) => match self.chars.next() {
                    Some((_, 't')) => text.push('\t'),
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, 'o')) => {
                        let mut code = 0;
                        for _ in 0..3 {
                            let digit = self.chars.next().and_then(|(_, c)| c.to_digit(8));
                            let Some(digit) = digit else { return self.fail("an octal digit") };
                            code = code * 8 + digit;
                        }
                        text.extend(char::from_u32(code));
                    }
                    Some((_, c)) => text.push(c),
                    None => return self.fail("an escape"),
                },
                Some((_, c)) => text.push(c),
            }
        }
    }
}

fn literal(word: &str) -> Option<Pn<'static>> {
    Some(match word {
        "nil" => Pn::Nil,
        "true" => Pn::Boolean(true),
        "false" => Pn::Boolean(false),
        _ => match word.parse() {
            Ok(value) => Pn::Integer(value),
            Err(_) => Pn::Float(word.parse().ok()?),
        },
    })
}
