//! From tokens to a tree.

use kukla_values::Value;

use super::Node;
use super::object::Object;
use super::token::Token;
use crate::Error;

const MAX_DEPTH: usize = 200;
/// How often one key may refer to what it was before.
pub(super) const MOST_OVER: u32 = 500;
const QUOTE_IT: &str = "to be part of a key or string value, try enclosing the key or value in double quotes";

/// The outermost object.
pub(super) fn parse(tokens: Vec<(Token, u32)>) -> Result<Node, Error> {
    let mut parser = Parser { tokens, at: 0, depth: 0 };
    parser.skip();
    let root = match parser.peek() {
        Token::OpenBrace => parser.object()?,
        Token::OpenBracket => return parser.error(" has type LIST rather than object at file root".into()),
        _ => parser.fields(false)?,
    };
    parser.skip();
    match parser.peek() {
        Token::End => Ok(root),
        token => parser
            .error(format!("Document has trailing tokens after first object or array: {}", token.describe())),
    }
}

struct Parser {
    tokens: Vec<(Token, u32)>,
    at: usize,
    depth: usize,
}

impl Parser {
    /// There is always a last token, the end.
    fn peek(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)].0
    }

    fn line(&self) -> u32 {
        self.tokens[self.at.min(self.tokens.len() - 1)].1
    }

    fn take(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn error<T>(&self, message: String) -> Result<T, Error> {
        Err(Error::hocon(message, self.line()))
    }

    /// Skips blanks; line breaks too. True if there was a line break.
    fn skip(&mut self) -> bool {
        let mut broken = false;
        while let Token::Blanks(_) | Token::Newline = self.peek() {
            broken |= *self.peek() == Token::Newline;
            self.at += 1;
        }
        broken
    }

    fn blanks(&mut self) {
        while let Token::Blanks(_) = self.peek() {
            self.at += 1;
        }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.error(format!("nested deeper than {MAX_DEPTH} levels"));
        }
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn object(&mut self) -> Result<Node, Error> {
        self.take();
        self.deeper(|parser| parser.fields(true))
    }

    fn fields(&mut self, braced: bool) -> Result<Node, Error> {
        let mut entries = Object::default();
        loop {
            self.skip();
            match self.peek() {
                Token::CloseBrace if braced => {
                    self.take();
                    return Ok(Node::Object(entries));
                }
                Token::End if !braced => return Ok(Node::Object(entries)),
                Token::End if entries.is_empty() => {
                    return self
                        .error("expecting a close brace or a field name here, got end of file".into());
                }
                Token::End => {
                    return self.error("Expecting close brace } or a comma, got end of file".into());
                }
                Token::Plain(word) if word == "include" && self.is_include() => self.include()?,
                _ => self.field(&mut entries)?,
            }
            let broken = self.skip();
            match self.peek() {
                Token::Comma => {
                    self.take();
                    self.skip();
                    if *self.peek() == Token::Comma {
                        return self.error("expecting a close brace or a field name here, got ','".into());
                    }
                }
                Token::CloseBrace if braced => {}
                Token::End if !braced => {}
                _ if broken => {}
                Token::End => {
                    return self.error("Expecting close brace } or a comma, got end of file".into());
                }
                token => {
                    let token = token.describe();
                    return self.error(format!(
                        "Expecting close brace }} or a comma, got {token} (if you intended {token} {QUOTE_IT})"
                    ));
                }
            }
        }
    }

    fn is_include(&self) -> bool {
        let after = self.tokens[self.at + 1..]
            .iter()
            .map(|(token, _)| token)
            .find(|t| !matches!(t, Token::Blanks(_)));
        match after {
            Some(Token::Quoted(_)) => true,
            Some(Token::Plain(word)) => {
                ["file(", "url(", "classpath(", "required("].iter().any(|w| word.starts_with(w))
            }
            _ => false,
        }
    }

    fn include<T>(&mut self) -> Result<T, Error> {
        self.error(
            "include is not supported: there are no files beside this text, and Puppet goes on without them"
                .into(),
        )
    }

    fn field(&mut self, entries: &mut Object) -> Result<(), Error> {
        let path = self.path()?;
        self.blanks();
        let append = *self.peek() == Token::PlusEquals;
        let line = self.line();
        match self.peek() {
            Token::OpenBrace => {}
            Token::Equals | Token::Colon | Token::PlusEquals => {
                self.take();
                self.skip();
            }
            token => {
                let message =
                    format!("Key '{}' may not be followed by token: {}", path.join("."), token.describe());
                return self.error(message);
            }
        }
        let mut value = self.value()?;
        if append {
            value = Node::Append(Box::new(value), line);
        }
        if self.depth + path.len() > MAX_DEPTH {
            return self.error(format!("nested deeper than {MAX_DEPTH} levels"));
        }
        let mut path = path;
        while path.len() > 1 {
            if let Some(last) = path.pop() {
                value = Node::Object(Object::of(last, value));
            }
        }
        entries.put(path.pop().unwrap_or_default(), value, join);
        Ok(())
    }

    /// `a.b."c d"`, possibly with blanks inside a part.
    fn path(&mut self) -> Result<Vec<String>, Error> {
        let mut path = vec![String::new()];
        let mut any = false;
        loop {
            match self.peek() {
                Token::Plain(text) => {
                    for (n, part) in text.split('.').enumerate() {
                        if n > 0 {
                            path.push(String::new());
                        }
                        if let Some(last) = path.last_mut() {
                            last.push_str(part);
                        }
                    }
                }
                Token::Quoted(text) => {
                    if let Some(last) = path.last_mut() {
                        last.push_str(text);
                    }
                }
                Token::Blanks(blanks) => {
                    let joins =
                        matches!(self.tokens.get(self.at + 1), Some((Token::Plain(_) | Token::Quoted(_), _)));
                    if joins && let Some(last) = path.last_mut() {
                        last.push_str(blanks);
                    }
                }
                token if !any => {
                    let token = token.describe();
                    return self.error(format!("expecting a close brace or a field name here, got {token}"));
                }
                _ => return Ok(path),
            }
            any = true;
            self.at += 1;
        }
    }

    /// One value, or several side by side, up to a comma, a line break or a closing bracket.
    fn value(&mut self) -> Result<Node, Error> {
        let line = self.line();
        let mut parts = Vec::new();
        loop {
            match self.peek() {
                Token::OpenBrace => parts.push(self.object()?),
                Token::OpenBracket => parts.push(self.list()?),
                Token::Quoted(_) | Token::Plain(_) | Token::Reference { .. } | Token::Blanks(_) => {
                    let line = self.line();
                    match self.take() {
                        Token::Quoted(text) => parts.push(Node::Value(text.into())),
                        Token::Plain(text) => parts.push(Node::Text(text)),
                        Token::Blanks(text) => parts.push(Node::Text(text)),
                        Token::Reference { path, optional } => {
                            parts.push(Node::Reference { path, optional, line })
                        }
                        _ => {}
                    }
                }
                token if parts.is_empty() => {
                    let token = token.describe();
                    return self.error(format!("Expecting a value but got wrong token: {token}"));
                }
                _ => break,
            }
        }
        while matches!(parts.last(), Some(Node::Text(text)) if text.trim().is_empty()) {
            parts.pop();
        }
        // Neighbouring pieces of plain text are one piece: `1 2` is text, `1` a number.
        let mut joined: Vec<Node> = Vec::new();
        for part in parts {
            match (joined.last_mut(), part) {
                (Some(Node::Text(text)), Node::Text(more)) => text.push_str(&more),
                (_, part) => joined.push(part),
            }
        }
        match <[Node; 1]>::try_from(joined) {
            Ok([Node::Text(text)]) => literal(text).map(Node::Value),
            Ok([node]) => Ok(node),
            Err(joined) => Ok(Node::Joined(joined, line)),
        }
    }

    fn list(&mut self) -> Result<Node, Error> {
        self.take();
        self.deeper(|parser| {
            let mut elements = Vec::new();
            parser.skip();
            if let token @ (Token::End | Token::Comma | Token::CloseBrace | Token::Equals | Token::Colon) = parser.peek() {
                let token = token.describe();
                return parser.error(format!(
                    "List should have ] or a first element after the open [, instead had token: {token} (if you want {token} to be part of a string value, then double-quote it)"
                ));
            }
            while *parser.peek() != Token::CloseBracket {
                elements.push(parser.value()?);
                let broken = parser.skip();
                match parser.peek() {
                    Token::Comma => {
                        parser.take();
                        parser.skip();
                    }
                    Token::CloseBracket => {}
                    token if !broken || *token == Token::End => {
                        let token = token.describe();
                        return parser.error(format!(
                            "List should have ended with ] or had a comma, instead had token: {token} (if you want {token} to be part of a string value, then double-quote it)"
                        ));
                    }
                    _ => {}
                }
            }
            parser.take();
            Ok(Node::List(elements))
        })
    }
}

/// The value of one piece of unquoted text alone.
fn literal(text: String) -> Result<Value, Error> {
    Ok(match text.as_str() {
        "true" => true.into(),
        "false" => false.into(),
        "null" => Value::Undef,
        _ => number(&text)?.unwrap_or_else(|| text.into()),
    })
}

/// A number in JSON's notation; a leading zero makes it octal, and what has no fraction is an integer.
fn number(text: &str) -> Result<Option<Value>, Error> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) || text.ends_with(['.', 'e', 'E', '-', '+']) {
        return Ok(None);
    }
    let is_octal = digits.len() > 1 && digits.starts_with('0');
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        if is_octal && digits.contains(['8', '9']) {
            return Ok(None);
        }
        let integer = i64::from_str_radix(text, if is_octal { 8 } else { 10 });
        return integer.map(|n| Some(Value::Integer(n))).map_err(|_| Error::outside(text));
    }
    let Some(float) = text.parse().ok().filter(|n: &f64| n.is_finite()) else { return Ok(None) };
    if float.fract() != 0.0 {
        return Ok(Some(Value::Float(float)));
    }
    if !(-TWO_TO_63..TWO_TO_63).contains(&float) {
        return Err(Error::outside(text));
    }
    Ok(Some(Value::Integer(float as i64)))
}

const TWO_TO_63: f64 = (1u64 << 63) as f64;

/// Puts a value under a key; objects join, later keys first, anything else replaces but stays within reach of `${key}`.
/// The value of a key after another definition of it.
fn join(before: Node, after: Node) -> Node {
    match (before, after) {
        (Node::Object(mut before), Node::Object(after)) => {
            before.precede(after, join);
            Node::Object(before)
        }
        (_, after @ (Node::Value(_) | Node::List(_))) if !refers(&after) => after,
        (Node::Value(_) | Node::List(_), after @ Node::Object(_)) => after,
        (before, after) => {
            let levels = if let Node::Over { levels, .. } = &before { levels + 1 } else { 1 };
            // Following it is an error, so the first definition can be dropped.
            let before = if levels > MOST_OVER { Node::Value(Value::Undef) } else { before };
            Node::Over { before: Box::new(before), after: Box::new(after), levels }
        }
    }
}

fn refers(node: &Node) -> bool {
    match node {
        Node::Value(_) | Node::Text(_) => false,
        Node::List(elements) => elements.iter().any(refers),
        Node::Object(entries) => entries.nodes().any(refers),
        _ => true,
    }
}
