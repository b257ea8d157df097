//! Comments and empty lines: where they belong.
//!
//! Tokens are printed in the order of the text, so one position, [`Lowering::at`], separates what has been printed from what has not.
//! A comment on the line of a token belongs to that token and stays at the end of its line. A comment on a line of its own belongs to the
//! token after it; before a closing bracket, to the list that the bracket ends.

use kukla_syntax::SyntaxKind as K;
use kukla_syntax::tree::Node;

use super::Lowering;
use crate::document::{Op, width};

/// The next thing that is not a blank.
enum Next<'t> {
    Comment(Node<'t>),
    /// A token of the grammar, or the end.
    Other,
}

impl<'t> Lowering<'t> {
    /// Passes over blanks; counts the line breaks among them.
    fn skip_blanks(&mut self) -> (u32, Next<'t>) {
        let mut breaks = 0;
        while let Some(element) = self.tree.element(self.at) {
            match element.kind() {
                K::Whitespace => {
                    breaks += memchr::memchr_iter(b'\n', element.text().as_bytes()).count() as u32;
                    self.at += 1;
                }
                K::HeredocBody => {
                    breaks = 1;
                    self.at = element.end_index();
                }
                // Printed by the list they separate.
                K::Comma | K::Semicolon => self.at += 1,
                K::LineComment | K::BlockComment => return (breaks, Next::Comment(element)),
                kind if kind.is_token() => return (breaks, Next::Other),
                _ => self.at += 1,
            }
        }
        (breaks, Next::Other)
    }

    /// Whether an empty line precedes the next comment or token.
    pub(super) fn blank_ahead(&mut self) -> bool {
        let from = self.at;
        let (breaks, _) = self.skip_blanks();
        self.at = from;
        breaks > 1
    }

    /// Whether comments precede the first token of `node`.
    pub(super) fn comment_ahead(&mut self) -> bool {
        let from = self.at;
        let (_, next) = self.skip_blanks();
        self.at = from;
        matches!(next, Next::Comment(_))
    }

    /// Prints the comments that follow the last token on its line.
    pub(super) fn trail(&mut self) {
        loop {
            let from = self.at;
            let (breaks, next) = self.skip_blanks();
            let Next::Comment(comment) = next else {
                self.at = from;
                return;
            };
            if breaks > 0 {
                self.at = from;
                return;
            }
            let text = comment.text().trim_end_matches('\r');
            if comment.kind() == K::LineComment {
                let line = &self.text[..comment.start() as usize];
                let gap = width(&line[line.trim_end_matches([' ', '\t']).len()..]);
                self.document.push(Op::Comment(gap, text));
            } else {
                // The comment at the end of the line comes first.
                if self.document.has_open_comment() {
                    self.document.hard_line(false);
                } else {
                    self.document.space();
                }
                self.document.text(text);
            }
            self.at = comment.index() + 1;
        }
    }

    /// Prints the comments before the next token, each on a line of its own.
    pub(super) fn lead(&mut self) {
        loop {
            let from = self.at;
            let (_, next) = self.skip_blanks();
            let Next::Comment(comment) = next else {
                self.at = from;
                return;
            };
            if !self.document.at_line_start() {
                self.document.hard_line(false);
            }
            self.comment_line(comment);
            let from = self.at;
            let (breaks, _) = self.skip_blanks();
            self.at = from;
            if breaks == 0 {
                // Only a comment between `/*` and `*/` can have something after it.
                self.document.space();
                self.trail();
            } else {
                self.document.hard_line(breaks > 1);
            }
        }
    }

    /// Prints the comments before a closing bracket; `first` if nothing else is in the brackets. Whether there are any.
    pub(crate) fn dangling(&mut self, mut first: bool) -> bool {
        let mut any = false;
        loop {
            let from = self.at;
            let (breaks, next) = self.skip_blanks();
            let Next::Comment(comment) = next else {
                self.at = from;
                return any;
            };
            self.document.hard_line(breaks > 1 && !first);
            self.comment_line(comment);
            (first, any) = (false, true);
        }
    }

    fn comment_line(&mut self, comment: Node<'t>) {
        self.document.text(comment.text().trim_end_matches('\r'));
        self.at = comment.index() + 1;
    }

    /// Whether a comment ends where a bracket begins. With a blank between them the bracket would begin a list.
    pub(super) fn touches_comment(&self, bracket: Node<'t>) -> bool {
        self.tree.token_before(bracket).is_some_and(|before| before.kind() == K::BlockComment)
    }

    /// Whether a line break comes before the first token of `node`, after the token before it.
    pub(super) fn starts_line(&self, node: Node<'t>) -> bool {
        let mut before = self.tree.token_before(node);
        while let Some(token) = before {
            match token.kind() {
                K::Whitespace | K::BlockComment if token.text().contains('\n') => return true,
                K::HeredocEnd => return true,
                K::Whitespace | K::BlockComment | K::LineComment | K::Comma | K::Semicolon => {}
                _ => return false,
            }
            before = self.tree.token_before(token);
        }
        false
    }

    /// The offset at which the line of an offset begins.
    pub(super) fn line_start(&self, offset: u32) -> usize {
        memchr::memrchr(b'\n', &self.text.as_bytes()[..offset as usize]).map_or(0, |at| at + 1)
    }

    /// The text of the line before an offset.
    fn line_before(&self, offset: u32) -> &'t str {
        &self.text[self.line_start(offset)..offset as usize]
    }

    /// The column at which a node begins in the source.
    pub(super) fn column(&self, node: Node<'t>) -> u32 {
        width(self.line_before(node.start()))
    }

    /// The indentation of the line on which a node begins in the source.
    pub(super) fn line_indent(&self, node: Node<'t>) -> u32 {
        let line = self.line_before(node.start());
        width(&line[..line.len() - line.trim_start().len()])
    }

    /// The blanks before a token on its line.
    pub(super) fn gap_before(&self, token: Node<'t>) -> u32 {
        let line = self.line_before(token.start());
        width(&line[line.trim_end_matches([' ', '\t']).len()..])
    }
}
