//! Types from text: what signatures of functions, rich data and `Type('...')` are written in.
//!
//! The text of a type is a small part of the language, and signatures by the hundred are read at every start, so it has a
//! reader of its own: names with brackets, and literals inside them.

use kukla_syntax::diagnostic;

use super::Type;
use crate::codes::INVALID_TYPE_SPECIFICATION;
use crate::regexp::Regexp;
use crate::{Error, Hash, Result, Value};

impl Type {
    /// Reads a type that consists of built-in types alone; other names become references to nothing.
    pub fn parse(text: &str) -> Result<Type> {
        Type::parse_with(text, &|_| None)
    }

    /// Reads a type; `find` knows the names that are not built in.
    pub fn parse_with(text: &str, find: &dyn Fn(&str) -> Option<Type>) -> Result<Type> {
        match parse_value(text, find)? {
            Value::Type(ty) => Ok(std::sync::Arc::unwrap_or_clone(ty)),
            _ => Err(not_a_type(text)),
        }
    }
}

/// Reads a literal value as it may stand inside the brackets of a type.
pub fn parse_value(text: &str, find: &dyn Fn(&str) -> Option<Type>) -> Result<Value> {
    let mut reader = Reader { text, at: 0, depth: 0, find };
    let value = reader.value()?;
    reader.space();
    if reader.at < text.len() {
        return Err(not_a_type(text));
    }
    Ok(value)
}

fn not_a_type(text: &str) -> Error {
    diagnostic!(INVALID_TYPE_SPECIFICATION { text }).into()
}

/// Deeper than anyone writes.
const DEEPEST: usize = 200;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    find: &'a dyn Fn(&str) -> Option<Type>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips blanks and comments.
    fn space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            match trimmed.strip_prefix('#') {
                Some(comment) => self.at += 1 + comment.find('\n').unwrap_or(comment.len()),
                None => return,
            }
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn fail<T>(&self) -> Result<T> {
        Err(not_a_type(self.text))
    }

    fn value(&mut self) -> Result<Value> {
        self.space();
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fail();
        }
        let value = match self.peek() {
            Some('\'') => self.single_quoted(),
            Some('"') => self.double_quoted(),
            Some('/') => self.regexp(),
            Some('[') => {
                self.at += 1;
                Ok(self.list("]")?.into())
            }
            Some('{') => self.hash(),
            Some('-' | '+' | '0'..='9') => self.number(),
            Some(c) if c.is_ascii_uppercase() || c == ':' => self.named(),
            Some(c) if c.is_ascii_lowercase() || c == '_' => Ok(match self.word() {
                "true" => Value::Boolean(true),
                "false" => Value::Boolean(false),
                "undef" => Value::Undef,
                "default" => Value::Default,
                word => Value::from(word),
            }),
            _ => self.fail(),
        };
        self.depth -= 1;
        value
    }

    /// A name with its segments.
    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn named(&mut self) -> Result<Value> {
        let start = self.at;
        let name = self.word();
        let bare = name.strip_prefix("::").unwrap_or(name);
        let known = Type::builtin(bare).or_else(|| (self.find)(bare));
        if !self.eat("[") {
            return Ok(Value::of_type(known.unwrap_or_else(|| Type::Reference(name.into()))));
        }
        let args = self.list("]")?;
        match (known, args.as_slice()) {
            (Some(Type::Reference(_)), [Value::String(text)]) => {
                Ok(Value::of_type(Type::Reference(text.clone())))
            }
            (Some(ty), args) => Ok(ty.with_brackets(args)?),
            // The text itself, resolved later by name.
            (None, _) => Ok(Value::of_type(Type::Reference(self.text[start..self.at].into()))),
        }
    }

    fn list(&mut self, end: &str) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        while !self.eat(end) {
            if !values.is_empty() && !self.eat(",") {
                return self.fail();
            }
            if self.eat(end) {
                break;
            }
            values.push(self.value()?);
        }
        Ok(values)
    }

    fn hash(&mut self) -> Result<Value> {
        self.at += 1;
        let mut hash = Hash::new();
        while !self.eat("}") {
            if !hash.is_empty() && !self.eat(",") {
                return self.fail();
            }
            if self.eat("}") {
                break;
            }
            let key = self.value()?;
            if !self.eat("=>") {
                return self.fail();
            }
            let value = self.value()?;
            hash.insert(key, value);
        }
        Ok(hash.into())
    }

    fn number(&mut self) -> Result<Value> {
        let negative = self.eat("-");
        if !negative {
            self.eat("+");
        }
        self.space();
        let rest = self.rest();
        let mut end = 0;
        for (i, c) in rest.char_indices() {
            let after_exponent =
                i > 0 && matches!(rest.as_bytes()[i - 1], b'e' | b'E') && !rest.starts_with("0x");
            if c.is_ascii_alphanumeric() || c == '.' || after_exponent && matches!(c, '+' | '-') {
                end = i + 1;
            } else {
                break;
            }
        }
        self.at += end;
        let digits = &rest[..end];
        let sign = if negative { "-" } else { "" };
        let lower = digits.to_ascii_lowercase();
        let whole = |digits: &str, radix| {
            i64::from_str_radix(&format!("{sign}{digits}"), radix).ok().map(Value::Integer)
        };
        let value = if let Some(hex) = lower.strip_prefix("0x") {
            whole(hex, 16)
        } else if lower.contains(['.', 'e']) {
            format!("{sign}{lower}").parse().ok().map(Value::Float)
        } else if lower.len() > 1 && lower.starts_with('0') {
            whole(&lower[1..], 8)
        } else {
            whole(&lower, 10)
        };
        value.ok_or_else(|| not_a_type(self.text))
    }

    fn single_quoted(&mut self) -> Result<Value> {
        let mut out = String::new();
        let mut chars = self.rest()[1..].char_indices().peekable();
        while let Some((i, c)) = chars.next() {
            match c {
                '\'' => {
                    self.at += i + 2;
                    return Ok(out.into());
                }
                '\\' => match chars.next_if(|(_, c)| matches!(c, '\'' | '\\')) {
                    Some((_, c)) => out.push(c),
                    None => out.push('\\'),
                },
                c => out.push(c),
            }
        }
        self.fail()
    }

    fn double_quoted(&mut self) -> Result<Value> {
        let mut out = String::new();
        let mut chars = self.rest()[1..].char_indices().peekable();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += i + 2;
                    return Ok(out.into());
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some('r') => out.push('\r'),
                    Some('s') => out.push(' '),
                    Some('u') if chars.next_if(|(_, c)| *c == '{').is_some() => {
                        let mut code = String::new();
                        while let Some((_, c)) = chars.next_if(|(_, c)| *c != '}') {
                            code.push(c);
                        }
                        chars.next();
                        match u32::from_str_radix(&code, 16).ok().and_then(char::from_u32) {
                            Some(c) => out.push(c),
                            None => return self.fail(),
                        }
                    }
                    Some(c) => out.push(c),
                    None => return self.fail(),
                },
                c => out.push(c),
            }
        }
        self.fail()
    }

    fn regexp(&mut self) -> Result<Value> {
        let mut source = String::new();
        let mut chars = self.rest()[1..].char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '/' => {
                    self.at += i + 2;
                    return Ok(Value::Regexp(Regexp::new(&source)?));
                }
                '\\' => match chars.next() {
                    Some((_, '/')) => source.push('/'),
                    Some((_, c)) => {
                        source.push('\\');
                        source.push(c);
                    }
                    None => return self.fail(),
                },
                c => source.push(c),
            }
        }
        self.fail()
    }
}
