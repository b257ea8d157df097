//! The probable meaning of a syntax error.

use super::Parser;
use crate::SyntaxKind::*;

impl Parser<'_> {
    /// A hint for a token that cannot be at its position.
    pub(super) fn hint(&self) -> Option<String> {
        let before = (0..self.at).rev().map(|index| self.tokens.kinds[index]).find(|kind| *kind > HeredocEnd);
        let after_operand =
            before.is_some_and(|kind| kind.ends_operand() || matches!(kind, RBrace | UndefKw | DefaultKw));
        let text = self.token_text(self.at);
        if let Some(hint) = self.misspelt_elsif() {
            return Some(hint);
        }
        let hint = match self.current {
            Eof => "something is not closed: look for a missing `}`, `)`, `]` or quote".to_owned(),
            Equals if after_operand => "`==` compares, `=>` gives a key or an attribute its value".to_owned(),
            FatArrow if matches!(before, Some(kind) if kind.is_keyword()) => {
                "a keyword as a key of a hash must be quoted".to_owned()
            }
            IfKw if before == Some(ElseKw) => "another condition is `elsif`, in one word".to_owned(),
            ElsifKw => "`elsif` follows the block of an `if`; `unless` has only `else`".to_owned(),
            ElseKw => "`else` follows the block of an `if` or `unless`".to_owned(),
            RBrace | RParen | RBracket if before == Some(Comma) => {
                "a value is missing after the comma".to_owned()
            }
            RBrace if before == Some(Semicolon) => "no `;` is needed before `}`".to_owned(),
            Unknown | Ampersand => format!(
                "the character `{}` begins nothing in Puppet; quote it if it is text",
                text.escape_debug()
            ),
            Colon if after_operand => {
                "a `:` ends the title of a resource or the values of a case option".to_owned()
            }
            kind if kind.is_keyword() && !after_operand => {
                format!("`{text}` is a reserved word; quote it if it is meant to be text")
            }
            kind if after_operand && (kind.is_operand() || matches!(kind, DqStart | ListStart | LBrace)) => {
                "a comma, an operator or a closing bracket may be missing before this".to_owned()
            }
            _ => return None,
        };
        Some(hint)
    }

    /// A hint for another language's spelling of `elsif`: it follows the brace of a block on the same line.
    pub(super) fn misspelt_elsif(&self) -> Option<String> {
        let line = self.text[..self.tokens.starts[self.at] as usize].rfind('\n').map_or(0, |end| end + 1);
        let mut tokens = (0..self.at).rev().filter(|index| self.tokens.kinds[*index] > HeredocEnd);
        let on_line = |index: &usize| self.tokens.starts[*index] as usize >= line;
        let word = tokens.by_ref().take_while(on_line).find(|index| {
            self.tokens.kinds[*index] == Name
                && matches!(self.token_text(*index), "elseif" | "elif" | "elsif")
        })?;
        let is_after_block = tokens.next().is_some_and(|index| self.tokens.kinds[index] == RBrace);
        is_after_block.then(|| format!("`{}` is written `elsif` in Puppet", self.token_text(word)))
    }

    /// The brace that is probably unclosed, of those that are open at the end: the first whose closing brace is further to
    /// the left than the line that opens it, as if it were meant for another.
    pub(super) fn unclosed_brace(&self, opening: usize) -> usize {
        let mut open = Vec::new();
        let mut line = Line::default();
        for (index, kind) in self.tokens.kinds.iter().enumerate().take(self.at) {
            if !matches!(kind, LBrace | SelectorBrace | RBrace) {
                continue;
            }
            let start = self.tokens.starts[index] as usize;
            line.go_to(self.text, start);
            match kind {
                RBrace => match open.pop() {
                    Some((brace, own)) if line.start + line.blanks == start && line.blanks < own => {
                        return brace;
                    }
                    _ => {}
                },
                _ => open.push((index, line.blanks)),
            }
        }
        opening
    }
}

/// A line of the text on a way from its beginning to its end, so that each line is looked at once.
#[derive(Default)]
struct Line {
    start: usize,
    /// How far it is indented.
    blanks: usize,
    /// Up to where the text is known.
    seen: usize,
}

impl Line {
    /// Goes on to the line that holds `offset`.
    fn go_to(&mut self, text: &str, offset: usize) {
        if let Some(end) = text[self.seen..offset].rfind('\n') {
            self.start = self.seen + end + 1;
        } else if self.seen > 0 {
            self.seen = offset;
            return;
        }
        let blanks = |byte: &u8| matches!(byte, b' ' | b'\t');
        self.blanks = text.as_bytes()[self.start..].iter().take_while(|byte| blanks(byte)).count();
        self.seen = offset;
    }
}
