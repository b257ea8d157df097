//! Positions in a source text: byte ranges, and the line and column Puppet would report for them.

use std::ops::Range;

/// A range of bytes in one source text, and the byte that messages name for it.
///
/// The range is underlined. Puppet's line and column are those of another byte for many constructs: of the
/// operator for a binary expression, even of something before the range for some.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
    /// Offset of the byte whose line and column Puppet reports.
    pub point: u32,
}

impl Span {
    /// The span from `start` up to, and not including, `end`.
    pub const fn new(start: u32, end: u32) -> Span {
        Span { start, end, point: start }
    }

    /// An empty span at `offset`.
    pub const fn at(offset: u32) -> Span {
        Span { start: offset, end: offset, point: offset }
    }

    /// The same range, for which messages name another byte.
    pub const fn pointing_at(self, point: u32) -> Span {
        Span { point, ..self }
    }

    /// The number of bytes covered.
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Whether the span covers no bytes.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// The smallest span that covers both; messages name what they name for the first.
    pub fn cover(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end), point: self.point }
    }

    /// Whether `offset` lies within the span.
    pub const fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }

    /// The span as a range of indices into the text.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// A position as people and Puppet name it: both numbers count from one, the column in characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LineColumn {
    /// The line, counted from 1.
    pub line: u32,
    /// The column in characters (not bytes, not screen cells), counted from 1.
    pub column: u32,
}

/// The offsets at which the lines of a text begin.
///
/// Only `\n` ends a line, as in Puppet; a `\r` before it is the last character of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Finds the lines of `text`.
    pub fn new(text: &str) -> LineIndex {
        let mut starts = Vec::with_capacity(text.len() / 32 + 1);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
        LineIndex { starts }
    }

    /// The line (from 1) that holds the byte at `offset`.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&start| start <= offset) as u32
    }

    /// The offset at which `line` (from 1) begins, if there is such a line.
    pub fn line_start(&self, line: u32) -> Option<u32> {
        self.starts.get((line as usize).checked_sub(1)?).copied()
    }

    /// The number of lines; a text that ends in a line break has an empty last line.
    pub fn lines(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The line and column of the byte at `offset` of `text`, the text this index was made from.
    pub fn line_column(&self, text: &str, offset: u32) -> LineColumn {
        let line = self.line(offset);
        let start = self.starts[line as usize - 1] as usize;
        let end = (offset as usize).clamp(start, text.len());
        // Characters are counted by their first bytes, so an offset inside a character is harmless.
        let before = text.as_bytes()[start..end].iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        LineColumn { line, column: before as u32 + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let text = "aé\r\n\nçx";
        let index = LineIndex::new(text);
        let at = |offset| {
            let LineColumn { line, column } = index.line_column(text, offset);
            (line, column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(3), (1, 3));
        assert_eq!(at(5), (2, 1));
        assert_eq!(at(8), (3, 2));
        assert_eq!(at(99), (3, 3));
    }
}
