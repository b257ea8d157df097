//! Templates: text with Puppet code between `<%` and `%>`.

use super::{EppMode, Lexer};
use crate::SyntaxKind::*;
use crate::codes::*;
use crate::diagnostic;

/// The tag after a stretch of template text.
enum Follows {
    /// The end of the template.
    End,
    /// The end of the template right after a comment or `<%%`, where Puppet forgets the text before.
    EndOfTag,
    /// `<%` or `<%-`; the tag's length.
    Code(usize),
    /// `<%=`
    Render,
    /// Nothing good.
    Wrong(&'static crate::Code),
}

impl Lexer<'_> {
    pub(super) fn template(&mut self) {
        self.context.epp = EppMode::Code;
        self.epp_text();
        self.tokens();
        if self.context.epp != EppMode::None {
            self.report(diagnostic!(self.at(self.end), EPP_UNBALANCED_TAG; hint: "close the code with `%>`"));
        }
    }

    /// The end of a piece of code, and the text after it.
    pub(super) fn epp_close(&mut self, len: usize) {
        let kind = if self.context.epp == EppMode::Render { EppRenderClose } else { EppClose };
        self.add(kind, self.pos);
        if kind == EppRenderClose {
            self.context.after = kind;
        }
        self.pos += len;
        self.epp_text();
    }

    /// Text up to the next tag, and that tag.
    fn epp_text(&mut self) {
        let start = self.pos;
        let (end, follows) = scan(&self.bytes[start..self.end]);
        let end = start + end;
        if start < end {
            // Text of which nothing is left is not rendered, unless it is the last.
            let silent = match follows {
                Follows::End => false,
                Follows::EndOfTag => true,
                _ => rendered_text(self.text, start, end).is_empty(),
            };
            self.add(if silent { EppSilentText } else { EppText }, start);
            if !silent {
                self.context.after = EppText;
            }
        }
        self.pos = end;
        match follows {
            Follows::End | Follows::EndOfTag => self.context.epp = EppMode::None,
            Follows::Code(len) => {
                self.context.epp = EppMode::Code;
                self.add(EppOpen, end);
                self.pos += len;
            }
            Follows::Render => {
                self.context.epp = EppMode::Render;
                self.emit(EppRenderOpen, 3);
            }
            Follows::Wrong(code) => {
                self.context.epp = EppMode::None;
                let place = self.at(end + 2);
                self.report(crate::Diagnostic::new(code, Vec::new()).within_text(place));
                if end < self.end {
                    self.emit_to(ErrorToken, self.end);
                }
            }
        }
    }
}

/// The length of the text at the beginning of `bytes`, comments included, and what follows it.
fn scan(bytes: &[u8]) -> (usize, Follows) {
    let mut at = 0;
    let mut after_tag = false;
    while let Some(skip) = memchr::memmem::find(&bytes[at..], b"<%") {
        after_tag = true;
        let tag = at + skip;
        at = tag + 2;
        match bytes.get(at) {
            None => return (tag, Follows::Wrong(&EPP_UNBALANCED_EXPRESSION)),
            Some(b'%') => at += 1,
            Some(b'-') => return (tag, Follows::Code(3)),
            Some(b'=') => return (tag, Follows::Render),
            Some(b'#') => match comment_end(bytes, at) {
                Some(end) => at = end,
                None => return (tag, Follows::Wrong(&EPP_UNBALANCED_COMMENT)),
            },
            Some(_) => return (tag, Follows::Code(2)),
        }
    }
    let follows = if after_tag && at == bytes.len() { Follows::EndOfTag } else { Follows::End };
    (bytes.len(), follows)
}

/// The offset after the `%>` that ends a comment, which is not preceded by another `%`. `at` is that of the `#`.
fn comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    memchr::memmem::find_iter(&bytes[at..], b"%>")
        .map(|len| at + len)
        .find(|&end| end > at && bytes[end - 1] != b'%')
        .map(|end| end + 2)
}

/// The text that the template text from `start` to `end` renders: without comments, with `<%%` and `%%>` unescaped, and without
/// blanks next to `-%>` and `<%-`.
pub(crate) fn rendered_text(text: &str, start: usize, end: usize) -> String {
    let bytes = text.as_bytes();
    let mut rendered = String::with_capacity(end - start);
    // The minus of `<%-%>` belongs to the opening tag, and that of `<-%>` to an arrow.
    let before = &text[..start];
    let is_other = before.ends_with("<%-%>") || (before.ends_with("<-%>") && !before.ends_with("<<-%>"));
    let mut skip_leading = before.ends_with("-%>") && !is_other;
    let mut at = start;
    while at < end {
        let next = memchr::memmem::find(&bytes[at..end], b"<%").map_or(end, |len| at + len);
        let mut part = &text[at..next];
        if std::mem::take(&mut skip_leading) {
            part = part.trim_start_matches([' ', '\t']);
            part = part.strip_prefix('\r').unwrap_or(part);
            part = part.strip_prefix('\n').unwrap_or(part);
        }
        rendered.push_str(&part.replace("%%>", "%>"));
        if next >= end {
            break;
        }
        at = next + 2;
        match bytes.get(at) {
            Some(b'#') => {
                let after = comment_end(bytes, at).unwrap_or(end);
                if bytes.get(at + 1) == Some(&b'-') {
                    let kept = rendered.trim_end_matches([' ', '\t']).len();
                    rendered.truncate(kept);
                }
                skip_leading = text[at..after].ends_with("-%>");
                at = after;
            }
            _ => {
                rendered.push_str("<%");
                at += 1;
            }
        }
    }
    if text[end..].starts_with("<%-") {
        let kept = rendered.trim_end_matches([' ', '\t']).len();
        rendered.truncate(kept);
    }
    rendered
}
