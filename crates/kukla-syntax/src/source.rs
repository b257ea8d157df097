//! A source text: what it is called, what it says, and where its lines are.

use std::sync::{Arc, OnceLock};

use crate::span::{LineColumn, LineIndex, Span};

/// The text of one manifest or template, shared on clone.
#[derive(Clone, Debug)]
pub struct Source(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: Option<Box<str>>,
    text: Arc<str>,
    lines: OnceLock<LineIndex>,
}

/// Bytes that are not a source text, because Puppet reads UTF-8 only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidUtf8 {
    /// Offset of the first byte that belongs to no character.
    pub offset: usize,
}

impl std::fmt::Display for InvalidUtf8 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "invalid byte sequence in UTF-8 at byte {}", self.offset)
    }
}

impl std::error::Error for InvalidUtf8 {}

impl Source {
    /// A text with the name (usually the path) that messages give it.
    pub fn new(name: impl Into<Box<str>>, text: impl Into<Arc<str>>) -> Source {
        Source::build(Some(name.into()), text.into())
    }

    /// A text that comes from no file.
    pub fn unnamed(text: impl Into<Arc<str>>) -> Source {
        Source::build(None, text.into())
    }

    /// A named text from the bytes of a file.
    pub fn from_bytes(name: impl Into<Box<str>>, bytes: Vec<u8>) -> Result<Source, InvalidUtf8> {
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Source::new(name, text)),
            Err(error) => Err(InvalidUtf8 { offset: error.utf8_error().valid_up_to() }),
        }
    }

    fn build(name: Option<Box<str>>, text: Arc<str>) -> Source {
        Source(Arc::new(Inner { name, text, lines: OnceLock::new() }))
    }

    /// The name given to the text, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// The text itself.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The text, to be kept without the source.
    pub fn shared_text(&self) -> Arc<str> {
        Arc::clone(&self.0.text)
    }

    /// Where the lines begin; found on first use.
    pub fn lines(&self) -> &LineIndex {
        self.0.lines.get_or_init(|| LineIndex::new(&self.0.text))
    }

    /// The text of a line, counted from one, without surrounding blanks; `None` if there is no such line.
    pub fn line_span(&self, line: u32) -> Option<Span> {
        let mut start = 0;
        for (number, text) in (1..).zip(self.text().split_inclusive('\n')) {
            if number == line {
                let blanks = text.len() - text.trim_start().len();
                let start = u32::try_from(start + blanks).ok()?;
                return Some(Span::new(start, start + u32::try_from(text.trim().len()).ok()?));
            }
            start += text.len();
        }
        None
    }

    /// The line and column of a byte, as Puppet reports them.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        self.lines().line_column(self.text(), offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_places() {
        let source = Source::unnamed("a: 1\n  b: 2 \n");
        let text = |line| source.line_span(line).map(|span| &source.text()[span.range()]);
        assert_eq!([text(0), text(1), text(2), text(3)], [None, Some("a: 1"), Some("b: 2"), None]);
    }

    #[test]
    fn invalid_utf8_is_found() {
        assert_eq!(Source::from_bytes("x", b"ab\xffc".to_vec()).err(), Some(InvalidUtf8 { offset: 2 }));
    }
}
