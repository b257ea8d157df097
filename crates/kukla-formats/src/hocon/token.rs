//! HOCON's tokens.

use crate::Error;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Newline,
    Comma,
    Equals,
    Colon,
    PlusEquals,
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    /// Quoted text.
    Quoted(String),
    /// Text without quotes, numbers and words included.
    Plain(String),
    /// Blanks within a line.
    Blanks(String),
    /// The inside of `${…}`.
    Reference {
        path: Vec<String>,
        optional: bool,
    },
    End,
}

impl Token {
    /// How messages name it.
    pub fn describe(&self) -> String {
        match self {
            Token::Newline => "newline".into(),
            Token::Comma => "','".into(),
            Token::Equals => "'='".into(),
            Token::Colon => "':'".into(),
            Token::PlusEquals => "'+='".into(),
            Token::OpenBrace => "'{'".into(),
            Token::CloseBrace => "'}'".into(),
            Token::OpenBracket => "'['".into(),
            Token::CloseBracket => "']'".into(),
            Token::Quoted(text) => format!("'\"{text}\"'"),
            Token::Plain(text) | Token::Blanks(text) => format!("'{text}'"),
            Token::Reference { path, .. } => format!("'${{{}}}'", path.join(".")),
            Token::End => "end of file".into(),
        }
    }
}

/// Splits a text; each token with its line.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, u32)>, Error> {
    let mut lexer =
        Lexer { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1, tokens: Vec::new() };
    while lexer.next()? {}
    lexer.tokens.push((Token::End, lexer.line));
    Ok(lexer.tokens)
}

struct Lexer<'t> {
    rest: &'t str,
    line: u32,
    tokens: Vec<(Token, u32)>,
}

impl Lexer<'_> {
    fn error<T>(&self, message: String) -> Result<T, Error> {
        Err(Error::hocon(message, self.line))
    }

    fn next(&mut self) -> Result<bool, Error> {
        let Some(c) = self.rest.chars().next() else { return Ok(false) };
        let simple = match c {
            '\n' => Some(Token::Newline),
            ',' => Some(Token::Comma),
            '=' => Some(Token::Equals),
            ':' => Some(Token::Colon),
            '{' => Some(Token::OpenBrace),
            '}' => Some(Token::CloseBrace),
            '[' => Some(Token::OpenBracket),
            ']' => Some(Token::CloseBracket),
            _ => None,
        };
        if let Some(token) = simple {
            self.tokens.push((token, self.line));
            self.line += u32::from(c == '\n');
            self.rest = &self.rest[1..];
        } else if c == '#' || self.rest.starts_with("//") {
            self.rest = &self.rest[self.rest.find('\n').unwrap_or(self.rest.len())..];
        } else if self.rest.starts_with("+=") {
            self.tokens.push((Token::PlusEquals, self.line));
            self.rest = &self.rest[2..];
        } else if c.is_whitespace() {
            let end = self.rest.find(|c: char| c == '\n' || !c.is_whitespace()).unwrap_or(self.rest.len());
            self.tokens.push((Token::Blanks(self.rest[..end].into()), self.line));
            self.rest = &self.rest[end..];
        } else if c == '"' {
            let text = self.quoted()?;
            self.tokens.push((Token::Quoted(text), self.line));
        } else if c == '$' {
            self.reference()?;
        } else if "$\"{}[]:=,+#`^?!@*&\\".contains(c) {
            let what = format!("'{c}' (Reserved character '{c}' is not allowed outside quotes)");
            return self.error(format!(
                "Expecting a value but got wrong token: {what} (if you intended {what} to be part of a key or string value, try enclosing the key or value in double quotes)"
            ));
        } else {
            let end = self
                .rest
                .char_indices()
                .find(|(at, c)| {
                    c.is_whitespace()
                        || "$\"{}[]:=,+#`^?!@*&\\".contains(*c)
                        || *c == '/' && self.rest[at + 1..].starts_with('/')
                })
                .map_or(self.rest.len(), |(at, _)| at);
            self.tokens.push((Token::Plain(self.rest[..end].into()), self.line));
            self.rest = &self.rest[end..];
        }
        Ok(true)
    }

    fn quoted(&mut self) -> Result<String, Error> {
        if let Some(inner) = self.rest.strip_prefix("\"\"\"") {
            let Some(mut end) = inner.find("\"\"\"") else {
                return self.error("End of input but triple-quoted string was still open".into());
            };
            // Quotes just before the closing three belong to the text.
            while inner[end + 3..].starts_with('"') {
                end += 1;
            }
            let text = inner[..end].to_owned();
            self.line += text.matches('\n').count() as u32;
            self.rest = &inner[end + 3..];
            return Ok(text);
        }
        let mut out = String::new();
        let mut chars = self.rest[1..].char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[at + 2..];
                    return Ok(out);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => out.push('\n'),
                    Some((_, 't')) => out.push('\t'),
                    Some((_, 'r')) => out.push('\r'),
                    Some((_, 'b')) => out.push('\x08'),
                    Some((_, 'f')) => out.push('\x0c'),
                    Some((_, c @ ('"' | '\\' | '/'))) => out.push(c),
                    Some((at, 'u')) => {
                        let code = self
                            .rest
                            .get(at + 2..at + 6)
                            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
                        match code.and_then(char::from_u32) {
                            Some(c) => out.push(c),
                            None => {
                                return self.error("Malformed hex digits after \\u escape in string".into());
                            }
                        }
                        chars.nth(3);
                    }
                    _ => return self.error("backslash followed by an invalid escape".into()),
                },
                c if c < ' ' => {
                    return self.error("control characters are not allowed in a quoted string".into());
                }
                c => out.push(c),
            }
        }
        self.error("End of input but string quote was still open".into())
    }

    fn reference(&mut self) -> Result<(), Error> {
        let Some(inner) = self.rest.strip_prefix("${") else {
            return self.error("'$' not followed by {".into());
        };
        let (inner, optional) = match inner.strip_prefix('?') {
            Some(inner) => (inner, true),
            None => (inner, false),
        };
        self.rest = inner;
        let mut path = vec![String::new()];
        loop {
            match self.rest.chars().next() {
                Some('}') => break,
                Some('"') => {
                    let text = self.quoted()?;
                    if let Some(last) = path.last_mut() {
                        last.push_str(&text);
                    }
                }
                Some('.') => {
                    path.push(String::new());
                    self.rest = &self.rest[1..];
                }
                Some(c) if c != '\n' => {
                    if let Some(last) = path.last_mut() {
                        last.push(c);
                    }
                    self.rest = &self.rest[c.len_utf8()..];
                }
                _ => return self.error("Substitution ${ was not closed with a }".into()),
            }
        }
        self.rest = &self.rest[1..];
        let path = path.into_iter().map(|part| part.trim().to_owned()).collect();
        self.tokens.push((Token::Reference { path, optional }, self.line));
        Ok(())
    }
}
