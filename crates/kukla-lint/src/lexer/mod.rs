//! The lexer of the lint rules.
//!
//! Rules of puppet-lint are defined over the tokens of its own lexer, which differs from Puppet's in many ways: `$a[1]` is one token, blanks
//! are tokens, a name may end with a dash, and a heredoc ends where its tag ends a line. Findings have the same positions only if the tokens are
//! the same, so this lexer makes these tokens, on any text. It never guesses: text without a token ends it with an error, as there.

mod literal;
mod slurp;

use memchr::memchr;

use crate::token::{Kind, Token};
use slurp::{Segment, SegmentKind};

/// The error that ends a text: puppet-lint reports it and runs the rules that need no tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexError {
    /// The line, counted from one.
    pub line: u32,
    /// The column, counted from one.
    pub column: u32,
    /// The offset of the character at fault.
    pub offset: u32,
    /// Its cause, if it is known.
    pub reason: Option<&'static str>,
}

/// The nesting of interpolations that is read; deeper ones are an error.
const DEEPEST: u32 = 64;

/// The tokens of a text.
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>, LexError> {
    let mut lexer = Lexer {
        text,
        tokens: Vec::with_capacity(text.len() / 3),
        line: 1,
        column: 1,
        last_code: None,
        heredocs: Vec::new(),
        depth: 0,
    };
    lexer.run(0, text.len())?;
    Ok(lexer.tokens)
}

struct Lexer<'t> {
    text: &'t str,
    tokens: Vec<Token<'t>>,
    /// The position of the next token, counted as puppet-lint counts.
    line: u32,
    column: u32,
    last_code: Option<u32>,
    /// The tags of heredocs whose texts begin after the next end of a line.
    heredocs: Vec<&'t str>,
    depth: u32,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The number of bytes of blanks at the beginning of a text.
fn blanks(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | 0x0b | 0x0c => at += 1,
            0..=0x7f => break,
            _ => match text[at..].chars().next() {
                Some(char) if is_space_separator(char) => at += char.len_utf8(),
                _ => break,
            },
        }
    }
    at
}

/// Whether a character is of Unicode's category Zs.
fn is_space_separator(char: char) -> bool {
    matches!(
        char,
        ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// The number of bytes of a line end at the beginning of a text.
fn line_end(text: &[u8]) -> usize {
    match text {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

fn length(text: &str) -> u32 {
    let count = if text.is_ascii() { text.len() } else { text.chars().count() };
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl<'t> Lexer<'t> {
    /// Reads the tokens of a part of the text: all of it, or an interpolation.
    fn run(&mut self, start: usize, end: usize) -> Result<(), LexError> {
        let first = self.tokens.len();
        let mut at = start;
        while at < end {
            at = self.token(at, start, end, first)?;
        }
        Ok(())
    }

    /// Reads the token at an offset; the offset after it.
    fn token(&mut self, at: usize, start: usize, end: usize, first: usize) -> Result<usize, LexError> {
        let rest = &self.text[at..end];
        if let Some((kind, length)) = literal::known(rest) {
            self.simple(kind, at, length);
            return Ok(at + length);
        }
        let bytes = rest.as_bytes();
        match bytes[0] {
            b'$' if literal::variable(&bytes[1..]) > 0 => {
                let length = literal::variable(&bytes[1..]) + 1;
                self.push(Kind::Variable, at + 1..at + length, at..at + length);
                return Ok(at + length);
            }
            b'\'' if memchr(b'\'', &bytes[1..]).is_some() => {
                let length =
                    literal::closing(&bytes[1..], b'\'').ok_or_else(|| self.error(at, start, None))?;
                self.push(Kind::Sstring, at + 1..at + 1 + length, at..at + length + 2);
                return Ok(at + length + 2);
            }
            b'"' => {
                let (segments, consumed) = slurp::string(&rest[1..]);
                let Some(segments) = segments else {
                    return Err(self.error(at, start, Some("unterminated string")));
                };
                self.string(at + 1, consumed, &segments)?;
                return Ok(at + 1 + consumed);
            }
            b'@' if let Some(name) = literal::heredoc_name(rest) => {
                let length = name.len() + 3;
                self.heredocs.push(name);
                self.push(Kind::HeredocOpen, at + 2..at + length - 1, at..at + length);
                return Ok(at + length);
            }
            b'#' => {
                let length = literal::line_length(bytes);
                self.push(Kind::Comment, at + 1..at + length, at..at + length);
                return Ok(at + length);
            }
            b'/' if bytes.get(1) == Some(&b'/') => {
                let length = literal::line_length(bytes);
                self.push(Kind::SlashComment, at + 2..at + length, at..at + length);
                return Ok(at + length);
            }
            b'/' if bytes.get(1) == Some(&b'*')
                && let Some(close) = rest[2..].find("*/") =>
            {
                self.push(Kind::BlockComment, at + 2..at + 2 + close, at..at + close + 4);
                return Ok(at + close + 4);
            }
            b'/' if memchr(b'/', &bytes[1..]).is_some() && self.may_be_regex(first) => {
                let length =
                    literal::closing(&bytes[1..], b'/').ok_or_else(|| self.error(at, start, None))?;
                self.push(Kind::Regex, at + 1..at + 1 + length, at..at + length + 2);
                return Ok(at + length + 2);
            }
            b'/' => {
                self.simple(Kind::Div, at, 1);
                return Ok(at + 1);
            }
            b'@' => {
                self.simple(Kind::At, at, 1);
                return Ok(at + 1);
            }
            _ => {}
        }
        match line_end(bytes) {
            0 => Err(self.error(at, start, None)),
            length => {
                self.push(Kind::Newline, at..at + length, at..at + length);
                let next = at + length;
                if !self.heredocs.is_empty() {
                    return self.heredoc(next, end);
                }
                let indent = blanks(&self.text[next..end]);
                if indent > 0 {
                    self.simple(Kind::Indent, next, indent);
                }
                Ok(next + indent)
            }
        }
    }

    /// Whether a regular expression may follow the tokens so far.
    fn may_be_regex(&self, first: usize) -> bool {
        let last = self.tokens[first..].iter().rev().find(|token| !token.kind.is_formatting());
        last.is_none_or(|token| {
            matches!(
                token.kind,
                Kind::Node
                    | Kind::Lbrace
                    | Kind::Rbrace
                    | Kind::Match
                    | Kind::Nomatch
                    | Kind::Comma
                    | Kind::Lbrack
                    | Kind::If
                    | Kind::Elsif
                    | Kind::Lparen
                    | Kind::Equals
            )
        })
    }

    /// The error of a character. Within an interpolation puppet-lint counts lines and columns from its beginning.
    fn error(&self, at: usize, start: usize, reason: Option<&'static str>) -> LexError {
        let offset = u32::try_from(at).unwrap_or(u32::MAX);
        if self.depth == 0 {
            return LexError { line: self.line, column: self.column, offset, reason };
        }
        let before = &self.text[start..at];
        let line = before.matches('\n').count();
        let column = length(before.rsplit('\n').next().unwrap_or_default()) + 1;
        LexError { line: u32::try_from(line).unwrap_or(u32::MAX).saturating_add(1), column, offset, reason }
    }

    fn simple(&mut self, kind: Kind, at: usize, length: usize) {
        self.push(kind, at..at + length, at..at + length);
    }

    /// Reads the segments of a string, whose content begins at `from`.
    fn string(&mut self, from: usize, consumed: usize, segments: &[Segment]) -> Result<(), LexError> {
        let open = from - 1;
        match segments {
            [] => Ok(()),
            [only] => {
                self.push(Kind::String, from + only.start..from + only.end, open..from + consumed);
                Ok(())
            }
            _ => self.pieces(from, open, from + consumed, segments, [Kind::Dqpre, Kind::Dqmid, Kind::Dqpost]),
        }
    }

    /// Reads the text of the first heredoc that waits for it; the offset after it.
    fn heredoc(&mut self, from: usize, end: usize) -> Result<usize, LexError> {
        let tag = self.heredocs.remove(0);
        let (segments, consumed) = slurp::heredoc(&self.text[from..end], tag);
        let whole = from..from + consumed;
        match segments.split_last() {
            None | Some((_, [])) => {}
            Some((_, [only])) => self.push(Kind::Heredoc, from + only.start..from + only.end, whole),
            Some((_, pieces)) => {
                let kinds = [Kind::HeredocPre, Kind::HeredocMid, Kind::HeredocPost];
                self.pieces(from, from, whole.end, pieces, kinds)?;
            }
        }
        Ok(from + consumed)
    }

    /// Reads texts and interpolations. The tokens around an interpolation in braces cover the braces.
    fn pieces(
        &mut self,
        from: usize,
        open: usize,
        close: usize,
        segments: &[Segment],
        [pre, mid, post]: [Kind; 3],
    ) -> Result<(), LexError> {
        let last = segments.len() - 1;
        let mut begin = open;
        for (index, segment) in segments.iter().enumerate() {
            let value = from + segment.start..from + segment.end;
            if index == 0 || index == last {
                let next = segments.get(index + 1);
                let end = next.map_or(close, |next| from + next.start);
                self.push(if index == 0 { pre } else { post }, value, begin..end);
                begin = end;
                continue;
            }
            match segment.kind {
                SegmentKind::Interpolation => {
                    self.interpolation(value.start, value.end)?;
                    begin = value.end;
                }
                SegmentKind::Variable => {
                    let name =
                        if self.text[value.clone()].starts_with('$') { value.start + 1 } else { value.start };
                    self.push(Kind::UnencVariable, name..value.end, value.clone());
                    begin = value.end;
                }
                SegmentKind::Text => {
                    let end = segments.get(index + 1).map_or(close, |next| from + next.start);
                    self.push(mid, value, begin..end);
                    begin = end;
                }
            }
        }
        Ok(())
    }

    fn interpolation(&mut self, start: usize, end: usize) -> Result<(), LexError> {
        if self.depth >= DEEPEST {
            return Err(self.error(start, start, None));
        }
        let first = self.tokens.len();
        // Lines and columns go on; the name at the beginning is a variable.
        self.depth += 1;
        let mut at = start;
        while at < end {
            at = self.token(at, start, end, first)?;
            if let Some(token) = self.tokens.get_mut(first).filter(|_| at > start) {
                let is_variable = match token.kind {
                    Kind::Name => true,
                    Kind::Type => token.value == "type",
                    kind => Kind::of_keyword(token.value) == Some(kind),
                };
                if is_variable {
                    token.kind = Kind::Variable;
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Adds a token and counts the lines and columns that it takes, as puppet-lint does when it does not know yet what follows.
    fn push(&mut self, kind: Kind, value: std::ops::Range<usize>, span: std::ops::Range<usize>) {
        if kind == Kind::UnencVariable {
            // The text before it was counted with the `${` of an enclosed variable.
            self.column = self.column.saturating_sub(2);
        }
        let at = u32::try_from(self.tokens.len()).unwrap_or(u32::MAX);
        let mut token = Token {
            kind,
            value: &self.text[value.clone()],
            start: u32::try_from(span.start).unwrap_or(u32::MAX),
            end: u32::try_from(span.end).unwrap_or(u32::MAX),
            line: self.line,
            column: self.column,
            previous_code: None,
            next_code: None,
        };
        if !kind.is_formatting() {
            if let Some(last) = self.last_code {
                token.previous_code = Some(last);
                self.tokens[last as usize].next_code = Some(at);
            }
            self.last_code = Some(at);
        }
        let previous = self.tokens.last().map(|token| token.kind);
        self.tokens.push(token);
        if kind == Kind::Newline {
            self.line += 1;
            self.column = 1;
            return;
        }
        // The quotes and braces that surround the value.
        let (before, after) = match kind {
            Kind::Dqpre => (1, 2),
            Kind::HeredocPre => (0, 2),
            Kind::Dqmid | Kind::HeredocMid => (prefix(previous), 2),
            Kind::Dqpost => (prefix(previous), 1),
            Kind::HeredocPost => (prefix(previous), 0),
            Kind::UnencVariable => (1, 0),
            // It counts without its slashes, which only shows where an interpolation ends it.
            Kind::SlashComment => (0, 0),
            _ => return self.advance(&self.text[span], 0, 0),
        };
        // The closing tag is not part of the value.
        let end = if kind == Kind::HeredocPost { span.end } else { value.end };
        self.advance(&self.text[value.start..end], before, after);
    }

    fn advance(&mut self, text: &str, before: u32, after: u32) {
        let bytes = text.as_bytes();
        let mut last = 0;
        let mut at = 0;
        while let Some(found) = memchr::memchr2(b'\n', b'\r', &bytes[at..]) {
            at += found;
            at += line_end(&bytes[at..]);
            self.line += 1;
            last = at;
        }
        let tail = length(&text[last..]) + after;
        self.column = if last > 0 { tail + 1 } else { self.column + before + tail };
    }
}

/// The columns before a text in a string: the `}` of an enclosed variable.
fn prefix(previous: Option<Kind>) -> u32 {
    let is_open = matches!(
        previous,
        Some(Kind::UnencVariable | Kind::Dqpre | Kind::Dqmid | Kind::HeredocPre | Kind::HeredocMid)
    );
    u32::from(!is_open)
}
