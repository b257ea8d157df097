//! The plain part of YAML that data files are made of, read at the speed of the disk.
//!
//! Blocks of keys and items, scalars on one line, `|` and `>`, lists and maps in brackets: where a text holds nothing else, this
//! scanner tells the [`Builder`] the same as libyaml's would, in less time. What it does not know for certain it does not
//! read at all: [`build`] says no, and libyaml reads the text from its beginning. So every question here is asked in the
//! direction of doubt, and errors are never reported from here.

use std::borrow::Cow;

use super::build::Builder;
use super::quoted;
use super::search::find_any;

/// Says to `builder` what is in the document `text`. `None`: this is not for us, and `builder` is spoilt.
pub(super) fn build(text: &[u8], builder: &mut Builder) -> Option<()> {
    let text = std::str::from_utf8(text).ok()?;
    if !is_printable(text) {
        return None;
    }
    builder.expect(text.len());
    let mut scanner =
        Scanner { text, at: 0, number: 0, line: None, commented: false, flow_line_end: 0, builder };
    scanner.advance();
    scanner.root()?;
    if let Some(line) = scanner.line
        && line.indent == 0
        && scanner.rest(line).strip_prefix(b"...").is_some_and(ends)
    {
        scanner.advance();
    }
    // Anything left is in an invalid position.
    scanner.line.is_none().then_some(())
}

/// Whether all characters are such as YAML takes, breaks and blanks being the ordinary ones.
fn is_printable(text: &str) -> bool {
    let (mut unprintable, mut suspect) = (0, 0);
    // Without a way out in the middle, and with bytes for answers, the loop is done many bytes at a time.
    for &byte in text.as_bytes() {
        let control = u8::from(byte < b' ') & u8::from(byte != b'\n') & u8::from(byte != b'\t');
        unprintable |= control | u8::from(byte == 0x7f);
        // What the odd characters begin with.
        suspect |= u8::from(byte == 0xc2) | u8::from(byte == 0xe2) | u8::from(byte == 0xef);
    }
    let odd =
        |c| matches!(c, '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    unprintable == 0 && (suspect == 0 || !text.contains(odd))
}

/// Whether nothing but blanks and a comment follow on the line.
fn ends(rest: &[u8]) -> bool {
    match rest {
        [] => true,
        [b' ', ..] => matches!(rest.get(spaces(rest)), None | Some(b'#')),
        _ => false,
    }
}

/// A line that holds something, or what is left of it behind a dash.
#[derive(Clone, Copy)]
struct Line {
    /// The column where it begins.
    indent: usize,
    start: usize,
    end: usize,
}

struct Scanner<'a> {
    text: &'a str,
    /// Where the next line begins.
    at: usize,
    /// How many lines are before that.
    number: u32,
    /// The next line that holds something.
    line: Option<Line>,
    /// Whether a comment line directly precedes it.
    commented: bool,
    /// Where the line inside brackets ends that was looked at last.
    flow_line_end: usize,
    builder: &'a mut Builder,
}

impl<'a> Scanner<'a> {
    /// The content of a line.
    fn rest(&self, line: Line) -> &'a [u8] {
        &self.text.as_bytes()[line.start..line.end]
    }

    /// The same as text.
    fn rest_text(&self, line: Line) -> &'a str {
        &self.text[line.start..line.end]
    }

    /// The end of the line that begins at or holds `from`, without its break.
    fn end_of_line(&self, from: usize) -> usize {
        find_any(&self.text.as_bytes()[from..], [b'\n']).map_or(self.text.len(), |length| from + length)
    }

    /// Takes the line that begins here, whatever it holds.
    fn take_line(&mut self) -> Option<(usize, usize)> {
        if self.at >= self.text.len() {
            return None;
        }
        let (start, end) = (self.at, self.end_of_line(self.at));
        self.at = end + 1;
        self.number += 1;
        Some((start, end))
    }

    /// Goes to the next line that holds something but a comment.
    fn advance(&mut self) {
        self.line = None;
        self.commented = false;
        while let Some((start, end)) = self.take_line() {
            let bytes = &self.text.as_bytes()[start..end];
            let indent = bytes.iter().take_while(|byte| **byte == b' ').count();
            let line = Line { indent, start: start + indent, end };
            match bytes.get(indent) {
                None => {}
                Some(b'#') => self.commented = true,
                Some(_) => {
                    self.line = Some(line);
                    return;
                }
            }
        }
    }

    /// All of the document: a list or map, perhaps in brackets, or nothing at all.
    fn root(&mut self) -> Option<()> {
        if let Some(line) = self.line
            && line.indent == 0
            && let Some(rest) = self.rest(line).strip_prefix(b"---")
        {
            if ends(rest) {
                self.advance();
            } else {
                let start = line.end - rest.len() + spaces(rest);
                let line = Line { start, ..line };
                let is_apart = rest.starts_with(b" ");
                return if is_apart && self.opens_brackets(line) { self.value(line, 0, None) } else { None };
            }
        }
        let Some(line) = self.line else { return Some(()) };
        match self.rest(line) {
            rest if is_marker(line, rest) => None,
            _ if self.opens_brackets(line) => self.value(line, 0, None),
            rest if dashed(rest).is_some() => self.sequence(line.indent, None),
            _ => self.mapping(line.indent, None, None),
        }
    }

    fn sequence(&mut self, indent: usize, anchor: Option<&str>) -> Option<()> {
        self.builder.open_sequence(anchor, self.number).ok()?;
        while let Some(line) = self.line {
            let item = match dashed(self.rest(line)) {
                Some(item) if line.indent == indent => item,
                _ if line.indent > indent => return None,
                _ => break,
            };
            let column = line.indent + 1 + spaces(item);
            let inner = Line { indent: column, start: line.start + column - line.indent, ..line };
            if dashed(self.rest(inner)).is_some() {
                self.line = Some(inner);
                self.sequence(column, None)?;
            } else if let Some(scalar) = self.scalar(inner) {
                self.line = Some(inner);
                self.mapping_or_text(inner, indent, None, scalar)?;
            } else {
                self.node(inner, indent, |line, _| line.indent > indent)?;
            }
        }
        self.builder.close().ok()
    }

    /// A map whose first key is on this line, unless the line holds the scalar alone. It belongs to a key or a dash at `indent`.
    fn mapping_or_text(
        &mut self,
        line: Line,
        indent: usize,
        anchor: Option<&str>,
        scalar: Scalar<'a>,
    ) -> Option<()> {
        match self.after_colon(line, scalar.length) {
            Some(start) => self.mapping(line.indent, anchor, Some((scalar, start))),
            None => self.text(line, indent, anchor, scalar),
        }
    }

    /// A map, of which the first key may have been read.
    fn mapping(
        &mut self,
        indent: usize,
        anchor: Option<&str>,
        mut first: Option<(Scalar<'a>, usize)>,
    ) -> Option<()> {
        self.builder.open_mapping(anchor, self.number).ok()?;
        while let Some(line) = self.line {
            if line.indent < indent || is_marker(line, self.rest(line)) {
                break;
            }
            if line.indent > indent || dashed(self.rest(line)).is_some() {
                return None;
            }
            let (key, start) = first.take().or_else(|| self.key(line))?;
            self.builder.add_text(None, &key.text, key.quoted, self.number).ok()?;
            let value = Line { start: start + spaces(&self.text.as_bytes()[start..line.end]), ..line };
            // The items of a list may stand right below the key.
            let belongs = |line: Line, text: &[u8]| {
                line.indent > indent || line.indent == indent && dashed(text).is_some()
            };
            self.node(value, indent, belongs)?;
        }
        self.builder.close().ok()
    }

    /// The value of a key or a dash at `indent`: the rest of its line, or the lines below it if they `belong` to it.
    fn node(&mut self, line: Line, indent: usize, belongs: impl Fn(Line, &[u8]) -> bool) -> Option<()> {
        let (anchor, line) = self.anchored(line)?;
        // A key or a dash has a blank behind it, so this is a comment indeed.
        if !matches!(self.rest(line).first(), None | Some(b'#')) {
            return if anchor.is_some() && self.key(line).is_some() {
                None
            } else {
                self.value(line, indent, anchor)
            };
        }
        self.advance();
        match self.line {
            Some(below) if self.rest(below).starts_with(b"&") && anchor.is_none() => {
                // The name of a list or map in brackets; of what else it might be is not known here.
                let (anchor, rest) = self.anchored(below)?;
                let brackets = belongs(below, b"") && self.opens_brackets(rest);
                if brackets && self.key(below).is_none() { self.value(rest, indent, anchor) } else { None }
            }
            Some(below) if belongs(below, self.rest(below)) => match self.scalar(below) {
                _ if dashed(self.rest(below)).is_some() => self.sequence(below.indent, anchor),
                Some(scalar) => self.mapping_or_text(below, indent, anchor, scalar),
                None => self.value(below, indent, anchor),
            },
            _ => self.builder.add_text(anchor, "", false, self.number).ok(),
        }
    }

    /// The anchor that a line begins with, if any, and what is left of the line.
    #[inline]
    fn anchored(&self, line: Line) -> Option<(Option<&'a str>, Line)> {
        if self.rest(line).first() == Some(&b'&') { self.anchor(line) } else { Some((None, line)) }
    }

    fn anchor(&self, line: Line) -> Option<(Option<&'a str>, Line)> {
        let rest = &self.rest_text(line)[1..];
        let name = name(rest)?;
        let after = &rest.as_bytes()[name.len()..];
        let blanks = spaces(after);
        let is_apart = blanks > 0 || after.is_empty();
        is_apart.then(|| (Some(name), Line { start: line.end - after.len() + blanks, ..line }))
    }

    /// The key that a line begins with, and where what follows its colon begins.
    #[inline]
    fn key(&self, line: Line) -> Option<(Scalar<'a>, usize)> {
        let scalar = self.scalar(line)?;
        let start = self.after_colon(line, scalar.length)?;
        Some((scalar, start))
    }

    /// The scalar that a line begins with, if it ends there.
    #[inline]
    fn scalar(&self, line: Line) -> Option<Scalar<'a>> {
        match self.rest(line).first()? {
            b'"' | b'\'' => quoted(self.rest_text(line)),
            _ => plain(self.rest_text(line)),
        }
    }

    fn opens_brackets(&self, line: Line) -> bool {
        matches!(self.rest(line).first(), Some(b'[' | b'{'))
    }

    /// Where what follows the colon begins, if a scalar of that length is a key.
    #[inline]
    fn after_colon(&self, line: Line, length: usize) -> Option<usize> {
        let rest = self.rest(line);
        let colon = length + spaces(&rest[length..]);
        // libyaml does not accept longer ones as keys.
        let is_key = matches!(rest[colon..], [b':'] | [b':', b' ', ..]) && colon <= 1000;
        is_key.then_some(line.start + colon + 1)
    }

    /// A scalar, or a list or map in brackets, that belongs to a key or a dash at `indent`.
    fn value(&mut self, line: Line, indent: usize, anchor: Option<&str>) -> Option<()> {
        let scalar = match self.rest(line).first()? {
            b'|' | b'>' => return self.block_text(line, indent, anchor),
            b'[' | b'{' => {
                let end = self.flow(line.start, anchor)?;
                let line_end = self.end_of_line(end);
                self.at = (line_end + 1).max(self.at);
                let ends = ends(&self.text.as_bytes()[end..line_end]);
                self.advance();
                return ends.then_some(());
            }
            b'*' => {
                let name = name(&self.rest_text(line)[1..])?;
                let ends = anchor.is_none() && ends(&self.rest(line)[1 + name.len()..]);
                self.builder.add_alias(name, self.number).ok()?;
                self.advance();
                return ends.then_some(());
            }
            b'"' | b'\'' => match quoted(self.rest_text(line)) {
                Some(found) => found,
                None => return self.quoted_lines(line, indent, anchor),
            },
            _ => plain(self.rest_text(line))?,
        };
        self.text(line, indent, anchor, scalar)
    }

    /// The scalar that a line begins with, and the lines that go on with it.
    fn text(&mut self, line: Line, indent: usize, anchor: Option<&str>, scalar: Scalar<'a>) -> Option<()> {
        let after = &self.rest(line)[scalar.length..];
        if !ends(after) {
            return None;
        }
        let number = self.number;
        self.advance();
        if self.line.is_none_or(|next| next.indent <= indent) {
            return self.builder.add_text(anchor, &scalar.text, scalar.quoted, number).ok();
        }
        // Lines further in go on with it, unless it has an end of its own: quotes, or a comment.
        if scalar.quoted || after.contains(&b'#') {
            return None;
        }
        let text = self.continued(scalar.text.into_owned(), indent, number)?;
        self.builder.add_text(anchor, &text, false, number).ok()
    }

    /// A plain scalar that goes on with the present line: a break is a blank, several are one less.
    fn continued(&mut self, mut text: String, indent: usize, mut number: u32) -> Option<String> {
        while let Some(line) = self.line.filter(|line| line.indent > indent) {
            let more = self.rest_text(line);
            let part = plain_rest(more)?;
            if self.commented || part.len() < more.trim_end_matches(' ').len() {
                return None;
            }
            fold(&mut text, (self.number - number) as usize);
            text.push_str(part);
            number = self.number;
            self.advance();
        }
        Some(text)
    }

    /// A scalar in quotes that does not end on its line.
    fn quoted_lines(&mut self, line: Line, indent: usize, anchor: Option<&str>) -> Option<()> {
        let (text, length) = quoted::on_lines(&self.text[line.start..])?;
        self.builder.add_text(anchor, &text, true, self.number).ok()?;
        let end = line.start + length;
        let line_end = self.end_of_line(end);
        let breaks = self.text[line.start..end].bytes().filter(|byte| *byte == b'\n').count();
        self.number = self.number.saturating_add(u32::try_from(breaks).ok()?);
        self.at = line_end + 1;
        let ends = ends(&self.text.as_bytes()[end..line_end]);
        self.advance();
        (ends && self.line.is_none_or(|next| next.indent <= indent)).then_some(())
    }

    /// `|` or `>` and the lines below.
    fn block_text(&mut self, line: Line, parent: usize, anchor: Option<&str>) -> Option<()> {
        let header = self.rest(line);
        let folded = header.starts_with(b">");
        let (chomp, header) = match header.get(1) {
            Some(b'-') => (Chomp::Strip, &header[2..]),
            Some(b'+') => (Chomp::Keep, &header[2..]),
            _ => (Chomp::Clip, &header[1..]),
        };
        if !ends(header) {
            return None;
        }
        let (first_start, first_end) = self.take_line()?;
        let first = &self.text.as_bytes()[first_start..first_end];
        let indent = spaces(first);
        let begins_with = first.get(indent);
        if indent <= parent || matches!(begins_with, None | Some(b'\t')) {
            return None;
        }
        let mut text = String::with_capacity(first_end - first_start);
        text.push_str(&self.text[first_start + indent..first_end]);
        let mut breaks = 1;
        // Whether the line before is further in: no break around such a line is folded.
        let mut was_inside = false;
        let mut last_end = first_end;
        loop {
            let (at, number) = (self.at, self.number);
            let Some((start, end)) = self.take_line() else { break };
            let line = &self.text[start..end];
            let lead = spaces(line.as_bytes());
            if lead == line.len() && lead <= indent {
                breaks += 1;
                last_end = end;
                continue;
            }
            if lead < indent {
                if line.as_bytes()[lead] == b'\t' {
                    return None;
                }
                (self.at, self.number) = (at, number);
                break;
            }
            let content = &line[indent..];
            let is_inside = content.starts_with([' ', '\t']);
            if folded && !was_inside && !is_inside {
                fold(&mut text, breaks);
            } else {
                text.extend(std::iter::repeat_n('\n', breaks));
            }
            was_inside = is_inside;
            text.push_str(content);
            breaks = 1;
            last_end = end;
        }
        // What a block means that ends with the text but not with a line is libyaml's secret.
        if last_end == self.text.len() {
            return None;
        }
        match chomp {
            Chomp::Strip => {}
            Chomp::Clip => text.push('\n'),
            Chomp::Keep => text.extend(std::iter::repeat_n('\n', breaks)),
        }
        self.builder.add_text(anchor, &text, true, self.number).ok()?;
        self.advance();
        Some(())
    }

    /// The list or map in brackets at `at`; where it ends.
    fn flow(&mut self, at: usize, anchor: Option<&str>) -> Option<usize> {
        let map = self.text.as_bytes()[at] == b'{';
        let close = if map { b'}' } else { b']' };
        let builder = &mut *self.builder;
        if map {
            builder.open_mapping(anchor, self.number)
        } else {
            builder.open_sequence(anchor, self.number)
        }
        .ok()?;
        let mut at = self.flow_blanks(at + 1)?;
        while self.text.as_bytes().get(at) != Some(&close) {
            if map {
                at = self.flow_key(at)?;
            }
            at = self.flow_value(at)?;
            at = self.flow_blanks(at)?;
            match *self.text.as_bytes().get(at)? {
                b',' => at = self.flow_blanks(at + 1)?,
                end if end == close => {}
                _ => return None,
            }
        }
        self.builder.close().ok()?;
        Some(at + 1)
    }

    fn flow_key(&mut self, at: usize) -> Option<usize> {
        let key = self.scalar_in_brackets(at)?;
        let end = at + key.length;
        self.builder.add_text(None, &key.text, key.quoted, self.number).ok()?;
        // Behind quotes the colon needs no blank.
        let is_key = match self.text.as_bytes()[end..] {
            [b':', b' ', ..] => true,
            [b':', ..] => key.quoted,
            _ => false,
        };
        if is_key { self.flow_blanks(end + 1) } else { None }
    }

    fn flow_value(&mut self, at: usize) -> Option<usize> {
        match *self.text.as_bytes().get(at)? {
            b'[' | b'{' => self.flow(at, None),
            b'*' => {
                let name = name(&self.text[at + 1..])?;
                self.builder.add_alias(name, self.number).ok()?;
                Some(at + 1 + name.len())
            }
            _ => self.flow_scalar(at),
        }
    }

    /// The rest of a line inside brackets. All of a text may be one line, so its end is looked for once.
    fn rest_in_brackets(&mut self, at: usize) -> &'a str {
        if at >= self.flow_line_end {
            self.flow_line_end = self.end_of_line(at);
        }
        &self.text[at..self.flow_line_end]
    }

    fn scalar_in_brackets(&mut self, at: usize) -> Option<Scalar<'a>> {
        let rest = self.rest_in_brackets(at);
        match rest.as_bytes().first()? {
            b'"' | b'\'' => quoted(rest),
            _ => simple(rest),
        }
    }

    fn flow_scalar(&mut self, at: usize) -> Option<usize> {
        let scalar = self.scalar_in_brackets(at)?;
        let mut end = at + scalar.length;
        if scalar.quoted || !self.text[end..].trim_start_matches(' ').starts_with('\n') {
            self.builder.add_text(None, &scalar.text, scalar.quoted, self.number).ok()?;
            return Some(end);
        }
        let mut text = scalar.text;
        let mut number = self.number;
        loop {
            end = self.flow_breaks(end)?;
            if matches!(self.text.as_bytes()[end], b',' | b']' | b'}' | b'#') {
                break;
            }
            let more = simple(self.rest_in_brackets(end))?;
            let text = text.to_mut();
            fold(text, (self.number - number) as usize);
            text.push_str(&more.text);
            number = self.number;
            end += more.length;
            if !self.text[end..].trim_start_matches(' ').starts_with('\n') {
                break;
            }
        }
        self.builder.add_text(None, &text, false, number).ok()?;
        Some(end)
    }

    /// Goes over blanks, breaks and lines of comment inside brackets.
    fn flow_blanks(&mut self, mut at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        loop {
            at = self.flow_breaks(at)?;
            if bytes[at] != b'#' || !matches!(bytes[at - 1], b' ' | b'\n') {
                return Some(at);
            }
            at = self.end_of_line(at);
        }
    }

    /// Goes over blanks and breaks inside brackets.
    fn flow_breaks(&mut self, mut at: usize) -> Option<usize> {
        loop {
            match *self.text.as_bytes().get(at)? {
                b' ' => at += 1,
                b'\n' => {
                    at += 1;
                    self.at = self.end_of_line(at) + 1;
                    self.number += 1;
                }
                _ => return Some(at),
            }
        }
    }
}

/// Continues a text after this number of line breaks: one is a blank, several are one less.
fn fold(text: &mut String, breaks: usize) {
    match breaks {
        1 => text.push(' '),
        many => text.extend(std::iter::repeat_n('\n', many - 1)),
    }
}

enum Chomp {
    Strip,
    Clip,
    Keep,
}

/// A scalar and whether it is text whatever it looks like.
struct Scalar<'a> {
    text: Cow<'a, str>,
    quoted: bool,
    /// How long it is as it is written.
    length: usize,
}

fn spaces(text: &[u8]) -> usize {
    text.iter().take_while(|byte| **byte == b' ').count()
}

/// The text after the dash of an item.
fn dashed(text: &[u8]) -> Option<&[u8]> {
    matches!(text, [b'-'] | [b'-', b' ', ..]).then(|| &text[1..])
}

/// The name of an anchor that `text` begins with.
fn name(text: &str) -> Option<&str> {
    let named = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let length = text.bytes().take_while(|byte| named(*byte)).count();
    (length > 0).then(|| &text[..length])
}

/// Whether the line begins or ends a document.
fn is_marker(line: Line, rest: &[u8]) -> bool {
    line.indent == 0 && matches!(rest, [b'-', b'-', b'-', ..] | [b'.', b'.', b'.', ..])
}

/// The plain scalar that `text` begins with, up to a colon or a comment, without blanks behind it.
#[inline]
fn plain(text: &str) -> Option<Scalar<'_>> {
    let bytes = text.as_bytes();
    match bytes.first()? {
        b'?' | b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"'
        | b'%' | b'@' | b'`' => return None,
        b'-' | b':' if matches!(bytes.get(1), None | Some(b' ' | b'\t')) => return None,
        _ => {}
    }
    let text = plain_rest(text)?;
    Some(Scalar { text: Cow::Borrowed(text), quoted: false, length: text.len() })
}

/// The part of a line that belongs to a plain scalar, up to a colon or a comment, without trailing blanks.
fn plain_rest(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut from = 0;
    // Whatever ends it has a blank beside it, unless it is a colon at the end of the line.
    let mut end = loop {
        let blank = find_any(&bytes[from..], [b' ', b'\t']);
        let Some(at) = blank.map(|length| from + length) else {
            break bytes.len() - usize::from(bytes.ends_with(b":"));
        };
        if at > 0 && bytes[at - 1] == b':' {
            break at - 1;
        }
        if bytes[at] == b'\t' {
            return None;
        }
        if bytes.get(at + 1) == Some(&b'#') {
            break at;
        }
        from = at + 1;
    };
    while end > 0 && bytes[end - 1] == b' ' {
        end -= 1;
    }
    Some(&text[..end])
}

/// A plain scalar inside brackets, made only of characters that mean nothing there.
fn simple(text: &str) -> Option<Scalar<'_>> {
    let bytes = text.as_bytes();
    let leads =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'/' | b'.' | b'~' | b'$' | b'+');
    let good = match bytes.first()? {
        // Three dots may end the document.
        b'.' => !text.starts_with("..."),
        b'-' => bytes.get(1).is_some_and(u8::is_ascii_alphanumeric),
        first => leads(first),
    };
    let goes_on = |at: usize| match bytes[at] {
        b':' => bytes.get(at + 1).is_some_and(leads),
        byte => {
            leads(&byte)
                || byte >= 0x80
                || matches!(byte, b' ' | b'-' | b'@' | b'=' | b'*' | b'(' | b')' | b';' | b'^')
        }
    };
    let end = (1..bytes.len()).find(|at| !goes_on(*at)).unwrap_or(bytes.len());
    let text = text[..end].trim_end_matches(' ');
    // Its terminator follows directly, or the syntax is not supported here.
    let stops = matches!(bytes.get(end), None | Some(b',' | b']' | b'}' | b':'));
    (good && stops).then_some(Scalar { text: Cow::Borrowed(text), quoted: false, length: text.len() })
}

/// The quoted scalar that a line begins with, if it ends there.
fn quoted(line: &str) -> Option<Scalar<'_>> {
    let (text, length) = quoted::on_one_line(line)?;
    Some(Scalar { text, quoted: true, length })
}
