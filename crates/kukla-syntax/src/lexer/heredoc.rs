//! Heredocs: a tag in the program, and text on the lines after it.

use super::string::{Stop, stop_offset};
use super::{Context, EppMode, Lexer, Within, is_blank};
use crate::SyntaxKind::*;
use crate::codes::*;
use crate::{Span, bail, diagnostic};

/// How deep heredocs may stand in the texts of heredocs.
const MAX_DEPTH: u32 = 16;

/// After this number of heredocs without a text no further text is searched for, because every search may read the whole rest.
const MAX_FAILED: u32 = 8;

/// Which escapes mean something in a heredoc.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Escapes(u8);

impl Escapes {
    pub const TAB: u8 = 1;
    pub const RETURN: u8 = 2;
    pub const NEWLINE: u8 = 4;
    pub const SPACE: u8 = 8;
    pub const UNICODE: u8 = 16;
    pub const LINE: u8 = 32;
    pub const DOLLAR: u8 = 64;
    /// Set when there are any, since then `\\` is one too.
    pub const BACKSLASH: u8 = 128;

    pub fn has(self, escape: u8) -> bool {
        self.0 & escape != 0
    }
}

/// One heredoc: where its parts are and how its text is to be read.
#[derive(Clone, Debug)]
pub(crate) struct Heredoc {
    /// The token of the tag.
    pub tag: u32,
    /// The tokens of the text and the end line, once they are known.
    pub tokens: (u32, u32),
    /// The text.
    pub text: Span,
    /// The syntax the tag names.
    pub syntax: Span,
    /// The blanks to be taken from the beginning of each line.
    pub margin: Span,
    /// Whether the last line break belongs to the text.
    pub trim: bool,
    /// Whether the text is interpolated.
    pub interpolated: bool,
    /// Which escapes mean something.
    pub escapes: Escapes,
    /// Where the end line begins and where it is over.
    end_line: (usize, usize),
}

/// The parts of `@(END:syntax/escapes)`.
struct Tag<'t> {
    end_tag: &'t str,
    interpolated: bool,
    syntax: Span,
    escapes: Option<&'t str>,
}

/// How a heredoc ends.
struct EndLine {
    start: usize,
    end: usize,
    margin: Span,
    trim: bool,
}

impl<'t> Lexer<'t> {
    pub(super) fn heredoc_tag(&mut self) {
        let start = self.pos;
        let close = match self.context.no_paren_from {
            from if start < from => memchr::memchr(b')', &self.bytes[start..self.end]),
            _ => None,
        };
        let Some(len) = close else {
            self.context.no_paren_from = self.context.no_paren_from.min(start);
            let followed_by = self.followed_by(start);
            self.report(diagnostic!(self.at(start), HEREDOC_UNCLOSED_PARENTHESIS { followed_by }));
            return self.emit(ErrorToken, 2);
        };
        let after = start + len + 1;
        let tag_index = self.out.kinds.len() as u32;
        let heredoc = match self.read_tag(start, after) {
            Ok((tag, escapes)) => self.find_text(tag_index, after, &tag, escapes),
            Err(wrong) => Err(wrong),
        };
        match heredoc {
            Ok(heredoc) => {
                self.context.newline_jump = Some(heredoc.end_line.1);
                self.context.pending.push(self.out.heredocs.len());
                self.out.heredocs.push(heredoc);
                self.add(HeredocTag, start);
            }
            Err(wrong) => {
                let outer = self.noticed_at;
                self.noticed_at = outer.or(Some(start));
                self.report(*wrong.into_diagnostic());
                self.noticed_at = outer;
                self.add(ErrorToken, start);
            }
        }
        if self.context.interpolations.is_empty() {
            self.context.after = HeredocTag;
        }
        self.pos = after;
    }

    fn read_tag(&self, start: usize, after: usize) -> crate::Result<(Tag<'t>, Escapes)> {
        let text = self.text;
        let tag = parse_tag(text, start + 2, after - 1)
            .ok_or_else(|| diagnostic!(self.at(after), HEREDOC_INVALID_SYNTAX))?;
        if tag.end_tag.is_empty() {
            bail!(self.at(after), HEREDOC_EMPTY_ENDTAG);
        }
        let mut escapes = Escapes::default();
        if let Some(letters) = tag.escapes {
            let letters = if letters.is_empty() { "trnsuL$" } else { letters };
            let twice = letters.char_indices().any(|(at, c)| letters[..at].contains(c));
            if twice {
                let escapes = letters.chars().map(String::from).collect::<Vec<_>>().join(", ");
                bail!(self.at(after), HEREDOC_MULTIPLE_AT_ESCAPES { escapes });
            }
            escapes.0 = Escapes::BACKSLASH;
            for actual in letters.chars() {
                escapes.0 |= match actual {
                    't' => Escapes::TAB,
                    'r' => Escapes::RETURN,
                    'n' => Escapes::NEWLINE,
                    's' => Escapes::SPACE,
                    'u' => Escapes::UNICODE,
                    'L' => Escapes::LINE,
                    '$' => Escapes::DOLLAR,
                    _ => bail!(self.at(after), HEREDOC_INVALID_ESCAPE { actual }),
                };
            }
        }
        Ok((tag, escapes))
    }

    fn find_text(
        &mut self,
        tag_index: u32,
        after: usize,
        tag: &Tag<'t>,
        escapes: Escapes,
    ) -> crate::Result<Heredoc> {
        if self.failed_heredocs >= MAX_FAILED || self.heredoc_depth >= MAX_DEPTH {
            return Err(self.unending(after, after, tag).into());
        }
        let text_start = match self.context.newline_jump {
            Some(start) => start,
            None => match memchr::memchr(b'\n', &self.bytes[after..self.end]) {
                Some(len) => after + len + 1,
                None => {
                    self.failed_heredocs += 1;
                    bail!(self.at(after), HEREDOC_WITHOUT_TEXT);
                }
            },
        };
        let Some(end) = self.find_end(text_start, tag.end_tag) else {
            self.failed_heredocs += 1;
            return Err(self.unending(text_start, after, tag).into());
        };
        Ok(Heredoc {
            tag: tag_index,
            tokens: (0, 0),
            text: Span::new(text_start as u32, end.start as u32),
            syntax: tag.syntax,
            margin: end.margin,
            trim: end.trim,
            interpolated: tag.interpolated,
            escapes,
            end_line: (end.start, end.end),
        })
    }

    /// The error for a heredoc whose tag ends at `after` and that no line ends.
    #[cold]
    fn unending(&self, at: usize, after: usize, tag: &Tag<'_>) -> crate::Diagnostic {
        let end_tag = tag.end_tag;
        let wrong = diagnostic!(self.at(at), HEREDOC_WITHOUT_END_TAGGED_LINE)
            .focus_on(self.between(self.pos, after), "no line ends this text")
            .hint(format!(
                "write `{end_tag}` on a line of its own; only blanks, `|` and `-` may come before it"
            ));
        match self.similar_line(at, end_tag) {
            Some(line) => wrong.label(line, "this is not quite the end tag"),
            None => wrong,
        }
    }

    /// A line below that was probably meant to end the text: the tag with something else, or in other letters.
    fn similar_line(&self, from: usize, tag: &str) -> Option<Span> {
        let mut start = from;
        for line in self.text[from..self.end].split_inclusive('\n') {
            let found = line.trim_start_matches([' ', '\t', '|', '-']).trim_end();
            let begins = found.get(..tag.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(tag));
            if begins && found.len() <= tag.len() + 3 {
                let at = start + line.find(found)?;
                return Some(self.between(at, at + found.len()));
            }
            start += line.len();
        }
        None
    }

    /// The first line from `start` that ends with the tag. Puppet ignores the rest of that line.
    fn find_end(&self, start: usize, end_tag: &str) -> Option<EndLine> {
        let mut line_start = start;
        while line_start < self.end {
            let rest = &self.bytes[line_start..self.end];
            let line_end = memchr::memchr(b'\n', rest).map_or(self.end, |len| line_start + len + 1);
            let line = &self.text[line_start..line_end];
            let line = line.strip_suffix('\n').unwrap_or(line);
            let line = line.strip_suffix('\r').unwrap_or(line).trim_end_matches(is_blank);
            if let Some(before) = line.strip_suffix(end_tag) {
                let before = before.trim_end_matches(is_blank);
                let (trim, before) = match before.strip_suffix('-') {
                    Some(before) => (true, before.trim_end_matches(is_blank)),
                    None => (false, before),
                };
                let margin = match before.strip_suffix('|') {
                    Some(before) => {
                        let blanks = before.len() - before.trim_end_matches(is_blank).len();
                        let end = line_start + before.len();
                        Span::new((end - blanks) as u32, end as u32)
                    }
                    None => Span::at(line_start as u32),
                };
                return Some(EndLine { start: line_start, end: line_end, margin, trim });
            }
            line_start = line_end;
        }
        None
    }

    /// The texts of the heredocs of the line that just ended.
    pub(super) fn heredoc_bodies(&mut self) {
        for index in std::mem::take(&mut self.context.pending) {
            let heredoc = &self.out.heredocs[index];
            let (text, interpolated, end_line) = (heredoc.text, heredoc.interpolated, heredoc.end_line);
            let escapes = heredoc.escapes.has(Escapes::DOLLAR);
            if (text.start as usize) != self.pos {
                // A string or comment has swallowed the line break after the tag, and the text with it.
                let tag = self.out.starts[heredoc.tag as usize];
                self.report(diagnostic!(Span::at(tag), HEREDOC_WITHOUT_TEXT; hint: "the line with the tag must end outside of strings and comments"));
                continue;
            }
            let first = self.out.kinds.len() as u32;
            self.add(HeredocStart, self.pos);
            if interpolated {
                let tag = self.out.starts[self.out.heredocs[index].tag as usize] as usize;
                let outer = self.noticed_at;
                self.noticed_at = outer.or(Some(tag));
                self.interpolated_text(text.end as usize, escapes);
                self.noticed_at = outer;
            } else if !text.is_empty() {
                self.add(HeredocText, self.pos);
            }
            self.add(HeredocEnd, end_line.0);
            self.pos = end_line.1;
            self.context.line_start = self.pos;
            self.out.heredocs[index].tokens = (first, self.out.kinds.len() as u32);
        }
    }

    /// Text with interpolations up to `end`, read by a lexer of its own.
    fn interpolated_text(&mut self, end: usize, escapes: bool) {
        let outer = std::mem::replace(&mut self.context, Context::new(self.pos, EppMode::None));
        let outer_end = std::mem::replace(&mut self.end, end);
        self.heredoc_depth += 1;
        while self.pos < end {
            let stop = if escapes { self.text_stop(self.pos, false) } else { self.plain_stop() };
            let text_end = stop_offset(stop).min(end);
            if self.pos < text_end {
                self.add(HeredocText, self.pos);
                self.pos = text_end;
            }
            if self.interpolate(stop, Within::Heredoc) && !self.tokens() {
                // The text ends within an interpolation, and Puppet does not mind unless a string is open.
                self.unclosed_interpolations();
                while !self.context.interpolations.is_empty() {
                    self.finish_interpolation(0);
                }
            }
        }
        self.heredoc_depth -= 1;
        self.end = outer_end;
        self.context = outer;
    }

    /// The next interpolation where a backslash has no power over `$`.
    fn plain_stop(&self) -> Stop {
        let mut at = self.pos;
        while let Some(skip) = memchr::memchr(b'$', &self.bytes[at..self.end]) {
            at += skip;
            if self.byte(at + 1) == b'{' {
                return Stop::Open(at);
            }
            if let Some(end) = self.variable_end(at + 1) {
                return Stop::Variable(at, end);
            }
            at += 1;
        }
        Stop::End
    }
}

/// Reads the text between `@(` and `)`.
fn parse_tag(text: &str, start: usize, end: usize) -> Option<Tag<'_>> {
    let inside = &text[start..end];
    let name_len = inside.find([':', '/', '\r', '\n']).unwrap_or(inside.len());
    if name_len == 0 {
        return None;
    }
    let mut rest = &inside[name_len..];
    let mut syntax = Span::at(start as u32);
    if let Some(after) = rest.strip_prefix(':') {
        let word = after.trim_start_matches(is_blank);
        let len =
            word.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '+')).unwrap_or(word.len());
        if len < 2 || !word.starts_with(|c: char| c.is_ascii_lowercase()) {
            return None;
        }
        let at = end - word.len();
        syntax = Span::new(at as u32, (at + len) as u32);
        rest = word[len..].trim_start_matches(is_blank);
    }
    let mut escapes = None;
    if let Some(after) = rest.strip_prefix('/') {
        let len =
            after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$')).unwrap_or(after.len());
        escapes = Some(&after[..len]);
        rest = after[len..].trim_start_matches(is_blank);
    }
    if !rest.is_empty() {
        return None;
    }
    let name = inside[..name_len].trim_matches(|c: char| c.is_ascii_whitespace() || c == '\0');
    let quoted = name.len() > 1 && name.starts_with('"') && name.ends_with('"');
    let end_tag = if quoted { name[1..name.len() - 1].trim() } else { name };
    Some(Tag { end_tag, interpolated: quoted, syntax, escapes })
}
