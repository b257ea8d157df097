//! Quoted strings and what is interpolated into them.

use super::{Lexer, OpenInterpolation, Within};
use crate::SyntaxKind::{self, *};
use crate::codes::*;
use crate::{Diagnostic, Severity, Span, diagnostic};

/// How a stretch of interpolated text ended.
#[derive(Clone, Copy)]
pub(super) enum Stop {
    /// At the closing quote; the offset is that of the quote.
    Quote(usize),
    /// At a `$` that begins a variable, which ends at the second offset.
    Variable(usize, usize),
    /// At a `${`.
    Open(usize),
    /// At the end of the text.
    End,
}

impl Lexer<'_> {
    pub(super) fn single_quoted(&mut self) {
        let mut at = self.pos + 1 + self.swallowed_quote(self.pos + 1, b"'");
        loop {
            match memchr::memchr2(b'\'', b'\\', &self.bytes[at..self.end]) {
                Some(skip) if self.bytes[at + skip] == b'\'' => return self.emit_to(SqString, at + skip + 1),
                Some(skip) if at + skip + 2 < self.end => at += skip + 2,
                _ => return self.unclosed(self.pos + 1, "\"'\""),
            }
        }
    }

    pub(super) fn double_quoted(&mut self) {
        let from = self.pos + 1;
        let outermost = self.noticed_at.is_none();
        if outermost {
            self.noticed_at = Some(self.pos);
        }
        self.double_quoted_start(from);
        if outermost && self.context.interpolations.is_empty() {
            self.noticed_at = None;
        }
    }

    fn double_quoted_start(&mut self, from: usize) {
        match self.text_stop(from, true) {
            Stop::Quote(end) => self.emit_to(DqString, end + 1),
            Stop::End => match self.bytes[from..self.end].iter().rposition(|&byte| byte == b'$') {
                // Puppet starts again after a `$` that begins nothing.
                Some(dollar) => self.unclosed(from + dollar + 1, "''"),
                None => self.unclosed(from, "'\"'"),
            },
            stop => {
                self.add(DqStart, self.pos);
                if !self.interpolate(stop, Within::DqString) {
                    self.double_quoted_rest();
                }
            }
        }
    }

    /// The text after an interpolation of a double-quoted string, up to an expression in braces or the end.
    pub(super) fn double_quoted_rest(&mut self) {
        loop {
            match self.text_stop(self.pos, true) {
                Stop::Quote(end) => {
                    self.add(DqEnd, self.pos);
                    self.pos = end + 1;
                    // Puppet's lexer returns the tokens of a nested string without noticing.
                    if self.context.interpolations.is_empty() {
                        self.context.after = DqEnd;
                        if self.heredoc_depth == 0 {
                            self.noticed_at = None;
                        }
                    }
                    return;
                }
                Stop::End => {
                    let after = format!("'{}'", self.last_word());
                    return self.unclosed_as(self.pos, &after, DqEnd);
                }
                stop => {
                    if self.pos < stop_offset(stop) {
                        self.add(DqText, self.pos);
                    }
                    if self.interpolate(stop, Within::DqString) {
                        return;
                    }
                }
            }
        }
    }

    /// Adds the tokens that begin an interpolation; `true` if an expression in braces comes next.
    pub(super) fn interpolate(&mut self, stop: Stop, within: Within) -> bool {
        match stop {
            Stop::Variable(start, end) => {
                self.add(Variable, start);
                self.pos = end;
                false
            }
            Stop::Open(start) => {
                self.add(InterpolationOpen, start);
                self.pos = start + 2;
                let braces = self.context.braces;
                self.context.braces += 1;
                let first = self.out.kinds.len();
                self.context.interpolations.push(OpenInterpolation { braces, first, within });
                true
            }
            Stop::Quote(_) | Stop::End => false,
        }
    }

    /// 1 if the quote at `at`, where a stretch of text begins, does not end it.
    ///
    /// Puppet looks for a quote with another character before it and only then for one in front, so in `"""` the second
    /// quote is text and the third ends the string.
    fn swallowed_quote(&self, at: usize, ends: &[u8]) -> usize {
        if self.byte(at) != ends[0] || at >= self.end {
            return 0;
        }
        let backslashes = self.bytes[at + 1..self.end].iter().take_while(|&&byte| byte == b'\\').count();
        let next = at + 1 + backslashes;
        usize::from(backslashes % 2 == 0 && next < self.end && ends.contains(&self.bytes[next]))
    }

    /// Where the text from `from` stops being plain text.
    pub(super) fn text_stop(&mut self, from: usize, quoted: bool) -> Stop {
        let mut at = from;
        if quoted {
            at += self.swallowed_quote(from, b"\"$");
        }
        let mut odd_escape = None;
        let stop = loop {
            let found = if quoted {
                memchr::memchr3(b'"', b'$', b'\\', &self.bytes[at..self.end])
            } else {
                memchr::memchr2(b'$', b'\\', &self.bytes[at..self.end])
            };
            let Some(skip) = found else { break Stop::End };
            at += skip;
            match self.bytes[at] {
                b'"' => break Stop::Quote(at),
                b'$' if self.byte(at + 1) == b'{' => break Stop::Open(at),
                b'$' => match self.variable_end(at + 1) {
                    Some(end) => break Stop::Variable(at, end),
                    None => {
                        // To Puppet a `$` that begins nothing still ends the stretch.
                        if let Some(escape) = odd_escape.take() {
                            self.odd_escapes(escape, at, at + 1);
                        }
                        at += 1;
                    }
                },
                _ => {
                    if at + 1 >= self.end {
                        break Stop::End;
                    }
                    if quoted && odd_escape.is_none() && !self.known_escape(at) {
                        odd_escape = Some(at);
                    }
                    at += 2;
                }
            }
        };
        if let (Some(escape), false) = (odd_escape, matches!(stop, Stop::End)) {
            let end = stop_offset(stop);
            self.odd_escapes(escape, end, end + if matches!(stop, Stop::Open(_)) { 2 } else { 1 });
        }
        stop
    }

    fn known_escape(&self, at: usize) -> bool {
        match self.byte(at + 1) {
            b'\\' | b'$' | b'\'' | b'"' | b'r' | b'n' | b't' | b's' | b'\n' | b'\r' => true,
            b'u' => unicode_digits(&self.bytes[at + 2..self.end])
                .and_then(|digits| u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok())
                .and_then(char::from_u32)
                .is_some(),
            _ => false,
        }
    }

    /// Reports the escapes of a stretch that are none. Puppet names the position after the stretch.
    fn odd_escapes(&mut self, first: usize, end: usize, after: usize) {
        let reported = self.at(after);
        let mut at = first;
        while at + 1 < end {
            if self.bytes[at] != b'\\' {
                at += 1;
                continue;
            }
            let ch = self.text[at + 1..].chars().next().unwrap_or('\\');
            let place = Span::new(at as u32, (at + 1 + ch.len_utf8()) as u32);
            if ch == 'u' && !self.known_escape(at) {
                let mut wrong = diagnostic!(reported, ILLEGAL_UNICODE_ESCAPE)
                    .focus_on(place, "not a character")
                    .hint("write `\\u` and four hexadecimal digits, or `\\u{...}`");
                if unicode_digits(&self.bytes[at + 2..self.end]).is_some() {
                    // A well-formed escape that is not a character.
                    wrong.severity = Severity::Error;
                }
                self.report(wrong);
            } else if !self.known_escape(at) {
                let wrong = diagnostic!(reported, UNRECOGNIZED_ESCAPE { ch })
                    .focus_on(place, "not an escape, so the backslash stays in the text")
                    .hint(format!("write `\\\\{ch}` for a backslash and `{ch}`"));
                self.report(wrong);
            }
            at += 1 + ch.len_utf8();
        }
    }

    /// Whether the `}` here ends an interpolation. The brace has been counted as closed.
    pub(super) fn closes_interpolation(&self) -> bool {
        self.context.interpolations.last().is_some_and(|open| open.braces == self.context.braces)
    }

    /// Ends the innermost interpolation.
    pub(super) fn close_interpolation(&mut self) -> Within {
        self.emit(InterpolationClose, 1);
        self.context.after = RBrace;
        self.finish_interpolation(1)
    }

    /// Puppet's rule for `"${name}"`, `"${name[...]}"` and `"${name.call}"`: the name is a variable.
    ///
    /// `true`, `false` and `undef` alone stay what they are; as variables they would be of no use to anyone.
    pub(super) fn finish_interpolation(&mut self, closing: usize) -> Within {
        let Some(open) = self.context.interpolations.pop() else { return Within::DqString };
        let end = self.out.kinds.len() - closing;
        let mut significant = (open.first..end).filter(|&index| !self.out.kinds[index].is_trivia());
        if let Some(first) = significant.next() {
            let kind = self.out.kinds[first];
            let next = significant.next().map(|index| self.out.kinds[index]);
            let becomes = match next {
                None => !matches!(kind, TrueKw | FalseKw | UndefKw),
                Some(Dot | LBracket) => !matches!(kind, TrueKw | FalseKw),
                Some(_) => false,
            };
            if becomes && (matches!(kind, Number | Name | Word) || kind.is_keyword()) {
                self.out.kinds[first] = VariableName;
            }
        }
        open.within
    }

    /// The text that Puppet's lexer matched last, by which it says where a quote was left open.
    fn last_word(&self) -> &str {
        let kinds = &self.out.kinds;
        let is_matched = |&index: &usize| {
            let kind: SyntaxKind = kinds[index];
            kind.is_operand() || kind.is_keyword() || kind == InterpolationOpen
        };
        let Some(index) = (0..kinds.len()).rev().find(is_matched) else { return "" };
        if kinds[index] == InterpolationOpen {
            return "";
        }
        let end = self.out.starts.get(index + 1).map_or(self.pos, |&end| end as usize);
        let text = &self.text[self.out.starts[index] as usize..end];
        let in_string = index > 0 && matches!(kinds[index - 1], DqStart | DqText);
        if in_string { text.strip_prefix('$').unwrap_or(text) } else { text }
    }

    /// The text has ended; strings that are still open are reported.
    pub(super) fn unclosed_interpolations(&mut self) {
        if self.context.interpolations.iter().any(|open| open.within == Within::DqString) {
            let after = format!("'{}'", self.last_word());
            let wrong = diagnostic!(self.at(self.end), UNCLOSED_QUOTE { after, followed_by: "<eof>" });
            self.report(self.explain_open_text(wrong, Span::default()));
        }
    }

    fn unclosed(&mut self, from: usize, after: &str) {
        self.unclosed_as(from, after, ErrorToken);
    }

    /// Reports an open string and ends it with its line.
    fn unclosed_as(&mut self, from: usize, after: &str, kind: SyntaxKind) {
        let opening = Span::new(self.pos as u32, from as u32);
        let followed_by = self.followed_by(from);
        let wrong = diagnostic!(self.at(from), UNCLOSED_QUOTE { after, followed_by });
        self.report(self.explain_open_text(wrong, opening));
        let line = memchr::memchr(b'\n', &self.bytes[from..self.end]).map_or(self.end, |len| from + len);
        self.add(kind, self.pos);
        self.context.after = ErrorToken;
        self.pos = line;
        self.context.interpolations.retain(|open| open.within == Within::Heredoc);
        if self.heredoc_depth == 0 {
            self.noticed_at = None;
        }
    }

    /// Adds to an error about an open string where it begins, or the interpolation in it that swallowed its end.
    fn explain_open_text(&self, wrong: Diagnostic, opening: Span) -> Diagnostic {
        let open = self.context.interpolations.iter().find(|open| open.within == Within::DqString);
        let start = open.and_then(|open| Some(*self.out.starts.get(open.first.checked_sub(1)?)?));
        if let Some(start) = start {
            let rest = self.text[start as usize + 2..self.end].lines().next().unwrap_or("");
            let name =
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
            let (name, rest) = rest.split_at(name);
            let text = rest.split('"').next().unwrap_or("");
            let wrong = wrong.focus_on(Span::new(start, start + 2), "this `${` is not closed");
            return match name.is_empty() {
                true => wrong.hint("write the missing `}`"),
                false => wrong.hint(format!("write `${{{name}}}{text}`")),
            };
        }
        match opening.is_empty() {
            true => wrong,
            false => wrong
                .focus_on(opening, "this quote is not closed")
                .hint(format!("write the missing `{}`", &self.text[opening.range()])),
        }
    }

    /// The next few characters, as Puppet shows them.
    pub(super) fn followed_by(&self, from: usize) -> String {
        let rest = &self.text[from.min(self.end)..self.end];
        if rest.is_empty() {
            return "<eof>".to_owned();
        }
        let mut shown: String = rest.chars().take(5).collect();
        shown.push_str("...");
        shown.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
    }
}

/// Where the text before a stop ends.
pub(super) fn stop_offset(stop: Stop) -> usize {
    match stop {
        Stop::Quote(at) | Stop::Variable(at, _) | Stop::Open(at) => at,
        Stop::End => usize::MAX,
    }
}

/// The digits of the character that these bytes, which follow `\u`, name.
fn unicode_digits(rest: &[u8]) -> Option<&[u8]> {
    let hex = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    match rest {
        [b'{', inside @ ..] => {
            let digits = hex(&inside[..inside.len().min(7)]);
            ((1..=6).contains(&digits) && inside.get(digits) == Some(&b'}')).then(|| &inside[..digits])
        }
        _ => (hex(&rest[..rest.len().min(4)]) == 4).then(|| &rest[..4]),
    }
}
