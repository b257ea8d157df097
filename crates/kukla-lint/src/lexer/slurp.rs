//! The parts of strings and heredocs: texts, interpolations in braces, variables without braces.
//!
//! The loops read one character after the other and test at each whether a part begins or ends there, in the same order as puppet-lint, since
//! its results for odd texts follow from that order.

use super::literal::variable_name;

/// The kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SegmentKind {
    Text,
    /// The content of `${}`.
    Interpolation,
    /// A variable without braces; a line end may come before its `$`.
    Variable,
}

/// A part, as offsets into the text after the opening quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub kind: SegmentKind,
    pub start: usize,
    pub end: usize,
}

struct Slurper<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// The beginning of the current part.
    start: usize,
    /// The nesting of braces in an interpolation.
    depth: usize,
    segments: Vec<Segment>,
}

/// The parts of a string in double quotes and the number of bytes up to the closing quote and with it; no parts if it does not end.
pub(super) fn string(text: &str) -> (Option<Vec<Segment>>, usize) {
    let mut slurper = Slurper::new(text);
    while slurper.at < text.len() {
        if slurper.looking_at(b"${") {
            slurper.start_interpolation();
        } else if slurper.depth > 0 && slurper.byte() == b'{' {
            slurper.read_char();
        } else if slurper.byte() == b'}' {
            slurper.end_interpolation();
        } else if slurper.at_variable() {
            slurper.variable();
        } else if let Some(end) = slurper.at_end() {
            slurper.at = end;
            if slurper.depth == 0 {
                slurper.finish(SegmentKind::Text, end - 1);
                break;
            }
        } else if let Some(end) = slurper.escaped_quote() {
            slurper.at = end;
        } else {
            slurper.read_char();
        }
    }
    let is_open = slurper.segments.is_empty() && !text.is_empty();
    ((!is_open).then_some(slurper.segments), slurper.at)
}

/// The parts of a heredoc, the last of which is its closing tag, and the number of bytes up to the end of the tag.
pub(super) fn heredoc(text: &str, tag: &str) -> (Vec<Segment>, usize) {
    let name = heredoc_tag(tag);
    let interpolates = tag.starts_with('"');
    let mut slurper = Slurper::new(text);
    while slurper.at < text.len() {
        if let Some(end) = slurper.at_tag(name) {
            let start = slurper.at;
            slurper.finish(SegmentKind::Text, start);
            slurper.segments.push(Segment { kind: SegmentKind::Text, start, end });
            slurper.at = end;
            if slurper.depth == 0 {
                break;
            }
            slurper.start = end;
        } else if interpolates && slurper.looking_at(b"${") {
            slurper.start_interpolation();
        } else if interpolates && slurper.depth > 0 && slurper.byte() == b'{' {
            slurper.read_char();
        } else if interpolates && slurper.at_variable() {
            slurper.variable();
        } else if interpolates && slurper.byte() == b'}' {
            slurper.end_interpolation();
        } else {
            slurper.read_char();
        }
    }
    (slurper.segments, slurper.at)
}

/// The name of a tag, without quotes, syntax and flags.
fn heredoc_tag(tag: &str) -> &str {
    let inner = tag.strip_prefix('"').filter(|rest| !rest.is_empty()).unwrap_or(tag);
    // The shortest name that a quote, a syntax, blanks and flags may follow.
    let ends = inner.char_indices().map(|(at, char)| at + char.len_utf8());
    ends.into_iter().find(|end| is_tag_rest(&inner[*end..])).map_or(inner, |end| &inner[..end])
}

fn is_tag_rest(rest: &str) -> bool {
    let blank_or_flags = |rest: &str| {
        let rest = &rest[super::blanks(rest)..];
        rest.is_empty() || rest.starts_with('/')
    };
    let with_syntax = |rest: &str| {
        blank_or_flags(rest)
            || rest.strip_prefix(':').is_some_and(|syntax| {
                syntax.char_indices().any(|(at, char)| blank_or_flags(&syntax[at + char.len_utf8()..]))
            })
    };
    rest.strip_prefix('"').is_some_and(with_syntax) || with_syntax(rest)
}

impl<'t> Slurper<'t> {
    fn new(text: &'t str) -> Slurper<'t> {
        Slurper { text, bytes: text.as_bytes(), at: 0, start: 0, depth: 0, segments: Vec::new() }
    }

    fn byte(&self) -> u8 {
        self.bytes[self.at]
    }

    fn looking_at(&self, pattern: &[u8]) -> bool {
        self.bytes[self.at..].starts_with(pattern)
    }

    /// Whether the current part ends with a backslash.
    fn after_backslash(&self) -> bool {
        self.at > self.start && self.bytes[self.at - 1] == b'\\'
    }

    fn finish(&mut self, kind: SegmentKind, end: usize) {
        self.segments.push(Segment { kind, start: self.start, end });
    }

    fn read_char(&mut self) {
        let byte = self.byte();
        self.at += self.text[self.at..].chars().next().map_or(1, char::len_utf8);
        if self.depth > 0 {
            match byte {
                b'{' => self.depth += 1,
                b'}' => self.depth -= 1,
                _ => {}
            }
        }
    }

    fn start_interpolation(&mut self) {
        if self.after_backslash() {
            return self.read_char();
        }
        if self.depth == 0 {
            self.finish(SegmentKind::Text, self.at);
            self.start = self.at + 2;
        }
        self.at += 2;
        self.depth += 1;
    }

    fn end_interpolation(&mut self) {
        self.at += 1;
        if self.depth == 0 {
            return;
        }
        self.depth -= 1;
        if self.depth == 0 {
            self.finish(SegmentKind::Interpolation, self.at - 1);
            self.start = self.at;
        }
    }

    /// Whether a variable begins here or after the next character, which is not a backslash.
    fn at_variable(&self) -> bool {
        self.depth == 0 && !self.after_backslash() && self.variable_end().is_some()
    }

    fn variable_end(&self) -> Option<usize> {
        let named = |dollar: usize| {
            (self.bytes.get(dollar) == Some(&b'$'))
                .then(|| variable_name(&self.bytes[dollar + 1..]))
                .filter(|length| *length > 0)
                .map(|length| dollar + 1 + length)
        };
        named(self.at).or_else(|| {
            let char = self.text[self.at..].chars().next()?;
            if char == '\\' { None } else { named(self.at + char.len_utf8()) }
        })
    }

    fn variable(&mut self) {
        let char = self.text[self.at..].chars().next();
        if let Some(char) = char.filter(|char| *char != '\n')
            && self.bytes.get(self.at + char.len_utf8()) == Some(&b'$')
        {
            self.read_char();
        }
        self.finish(SegmentKind::Text, self.at);
        self.start = self.at;
        if let Some(end) = self.variable_end() {
            self.at = end;
            self.finish(SegmentKind::Variable, end);
        }
        self.start = self.at;
    }

    /// The offset after the closing quote if it is here, or after one more character, with pairs of backslashes before it.
    fn at_end(&self) -> Option<usize> {
        let quote = |from: usize| {
            let pairs = self.bytes.get(from..)?.iter().take_while(|byte| **byte == b'\\').count();
            (pairs % 2 == 0 && self.bytes.get(from + pairs) == Some(&b'"')).then_some(from + pairs + 1)
        };
        quote(self.at).or_else(|| {
            let char = self.text[self.at..].chars().next()?;
            if char == '\\' { None } else { quote(self.at + char.len_utf8()) }
        })
    }

    /// The offset after backslashes and the quote that they escape.
    fn escaped_quote(&self) -> Option<usize> {
        let count = self.bytes[self.at..].iter().take_while(|byte| **byte == b'\\').count();
        (count > 0 && self.bytes.get(self.at + count) == Some(&b'"')).then_some(self.at + count + 1)
    }

    /// The offset after the closing tag of a heredoc if it is here: it may have a bar, a dash and blanks before it, and ends a line.
    fn at_tag(&self, name: &str) -> Option<usize> {
        let byte = self.byte();
        if !(byte == b'|'
            || byte == b'-'
            || byte.is_ascii_whitespace()
            || byte == 0x0b
            || name.as_bytes().first() == Some(&byte))
        {
            return None;
        }
        let blanks = |from: usize| {
            let rest = self.bytes.get(from..).unwrap_or_default();
            from + rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0x0b).count()
        };
        let tag = |from: usize| {
            let end = from + name.len();
            let is_tag = self.bytes.get(from..end) == Some(name.as_bytes());
            (is_tag && matches!(self.bytes.get(end), None | Some(b'\n'))).then_some(end)
        };
        let dashed = |from: usize| {
            let from = blanks(from);
            let with = (self.bytes.get(from) == Some(&b'-')).then(|| tag(blanks(from + 1))).flatten();
            with.or_else(|| tag(from))
        };
        let barred = (byte == b'|').then(|| dashed(self.at + 1)).flatten();
        barred.or_else(|| dashed(self.at))
    }
}
