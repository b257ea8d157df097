//! What a syntax error probably means.

use super::Parser;
use crate::SyntaxKind::*;

impl Parser<'_> {
    /// What might help someone who wrote the current token where it cannot be.
    pub(super) fn hint(&self) -> Option<String> {
        let before = (0..self.at).rev().map(|index| self.tokens.kinds[index]).find(|kind| *kind > HeredocEnd);
        let after_operand =
            before.is_some_and(|kind| kind.ends_operand() || matches!(kind, RBrace | UndefKw | DefaultKw));
        let text = self.token_text(self.at);
        let hint = match self.current {
            Eof => "something is not closed: look for a missing `}`, `)`, `]` or quote".to_owned(),
            Equals if after_operand => "`==` compares, `=>` gives a key or an attribute its value".to_owned(),
            FatArrow if matches!(before, Some(kind) if kind.is_keyword()) => {
                "a keyword as a key of a hash must be quoted".to_owned()
            }
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
}
