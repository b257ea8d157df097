//! Positions: lines and columns of the protocol, and offsets in a text.
//!
//! The protocol counts lines and columns from zero, and columns in units that client and server agree on. A line ends with `\n`, `\r\n` or `\r`.

use kukla::syntax::Span;
use lsp_types::{Position, PositionEncodingKind, Range};

/// The unit of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Code units of UTF-16, the unit of clients that name none.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The encoding to use with a client that supports these: bytes if possible, since nothing has to be counted then.
    pub fn choose(offered: &[PositionEncodingKind]) -> Encoding {
        let known = [
            (PositionEncodingKind::UTF8, Encoding::Utf8),
            (PositionEncodingKind::UTF32, Encoding::Utf32),
            (PositionEncodingKind::UTF16, Encoding::Utf16),
        ];
        let found = known.into_iter().find(|(kind, _)| offered.contains(kind));
        found.map(|(_, encoding)| encoding).unwrap_or_default()
    }

    /// Its name in the protocol.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn width(self, character: char) -> u32 {
        match self {
            Encoding::Utf8 => character.len_utf8() as u32,
            Encoding::Utf16 => character.len_utf16() as u32,
            Encoding::Utf32 => 1,
        }
    }

    /// The length of a text in this unit.
    pub fn length(self, text: &str) -> u32 {
        if self == Encoding::Utf8 || text.is_ascii() {
            return text.len() as u32;
        }
        text.chars().map(|character| self.width(character)).sum()
    }

    /// The offset of a column in a line; that of the end of the line if the line is shorter.
    fn offset(self, line: &str, column: u32) -> usize {
        let mut left = column;
        for (at, character) in line.char_indices() {
            let width = self.width(character);
            // A column inside of a character is that of its beginning.
            if left < width {
                return at;
            }
            left -= width;
        }
        line.len()
    }
}

/// The offsets at which the lines of a text begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines(Vec<u32>);

impl Lines {
    /// Finds the lines of a text.
    pub fn of(text: &str) -> Lines {
        let mut starts = vec![0];
        let bytes = text.as_bytes();
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            // `\r\n` is one end.
            if bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n') {
                starts.push(at as u32 + 1);
            }
        }
        Lines(starts)
    }

    /// The number of lines; a text that ends with a line break has an empty last line.
    pub fn count(&self) -> u32 {
        self.0.len() as u32
    }

    /// The offsets of a line, without its end.
    pub fn range(&self, text: &str, line: u32) -> Option<std::ops::Range<usize>> {
        let start = *self.0.get(line as usize)? as usize;
        let end = self.0.get(line as usize + 1).map_or(text.len(), |end| *end as usize);
        let inside = text[start..end].trim_end_matches(['\n', '\r']);
        Some(start..start + inside.len())
    }

    /// The line of an offset, counted from zero.
    pub fn line(&self, offset: u32) -> u32 {
        self.0.partition_point(|start| *start <= offset).saturating_sub(1) as u32
    }
}

/// A text with its lines, for the translation of positions.
#[derive(Clone, Copy, Debug)]
pub struct Positions<'t> {
    /// The text.
    pub text: &'t str,
    /// Its lines.
    pub lines: &'t Lines,
    /// The unit of columns.
    pub encoding: Encoding,
}

impl Positions<'_> {
    /// The offset of a position; the nearest one if the text has no such position.
    pub fn offset(&self, position: Position) -> u32 {
        match self.lines.range(self.text, position.line) {
            Some(line) => {
                let start = line.start;
                (start + self.encoding.offset(&self.text[line], position.character)) as u32
            }
            None => self.text.len() as u32,
        }
    }

    /// The position of an offset.
    pub fn position(&self, offset: u32) -> Position {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.lines.line(offset as u32);
        let start = self.lines.0[line as usize] as usize;
        Position { line, character: self.encoding.length(&self.text[start..offset]) }
    }

    /// The range of a span.
    pub fn range(&self, span: Span) -> Range {
        Range { start: self.position(span.start), end: self.position(span.end.max(span.start)) }
    }

    /// The span of a range.
    pub fn span(&self, range: Range) -> Span {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        Span::new(start.min(end), end.max(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_in_every_unit() {
        let text = "a\u{e9}\u{1f600}b\r\nx\ry\n";
        let lines = Lines::of(text);
        assert_eq!(lines.count(), 4);
        let b = text.find('b').unwrap() as u32;
        for (encoding, column) in [(Encoding::Utf8, 7), (Encoding::Utf16, 4), (Encoding::Utf32, 3)] {
            let positions = Positions { text, lines: &lines, encoding };
            let position = Position { line: 0, character: column };
            assert_eq!(positions.position(b), position, "{encoding:?}");
            assert_eq!(positions.offset(position), b);
            // Beyond the end of a line, and of the text.
            assert_eq!(positions.offset(Position { line: 0, character: 99 }), b + 1);
            assert_eq!(positions.offset(Position { line: 99, character: 0 }), text.len() as u32);
            assert_eq!(
                positions.position(text.find('y').unwrap() as u32),
                Position { line: 2, character: 0 }
            );
        }
    }

    #[test]
    fn bytes_are_preferred() {
        let offered = [PositionEncodingKind::UTF16, PositionEncodingKind::UTF8];
        assert_eq!(Encoding::choose(&offered), Encoding::Utf8);
        assert_eq!(Encoding::choose(&[]), Encoding::Utf16);
    }
}
