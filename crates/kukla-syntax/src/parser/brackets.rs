//! Which bracket is probably missing its partner, by the indentation of the lines before an error.

use super::Parser;
use crate::SyntaxKind::{self, *};

/// The brackets before the current token.
#[derive(Default)]
pub(super) struct Brackets {
    /// Those that nothing has closed, outermost first.
    pub open: Vec<usize>,
    /// An opening bracket and the one that closes it, which begins a line further to the left than the line of the opening one, as if it
    /// were meant for another; the first one inside of all that are open.
    pub misled: Option<(usize, usize)>,
    /// A closing bracket that begins a line further to the right than the line of its partner, and the partner; the last one.
    pub early: Option<(usize, usize)>,
}

impl Brackets {
    pub fn scan(parser: &Parser<'_>) -> Brackets {
        let kinds = &parser.tokens.kinds[..parser.at];
        let mut lines = Lines::default();
        let mut brackets = Brackets::default();
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut misled = Vec::new();
        for (index, kind) in kinds.iter().enumerate() {
            if !is_opening(*kind) && !is_closing(*kind) {
                continue;
            }
            let start = parser.tokens.starts[index] as usize;
            lines.go_to(parser.text, start);
            if is_opening(*kind) {
                open.push((index, lines.blanks));
                continue;
            }
            let is_partner = |(opening, _): &mut (usize, usize)| closes(kinds[*opening], *kind);
            let Some((opening, own)) = open.pop_if(is_partner) else { continue };
            if lines.start + lines.blanks != start {
                continue;
            }
            if lines.blanks < own {
                misled.push((opening, index));
            } else if lines.blanks > own {
                brackets.early = Some((index, opening));
            }
        }
        brackets.open = open.into_iter().map(|(index, _)| index).collect();
        let innermost = brackets.open.last().copied().unwrap_or(0);
        brackets.misled = misled.into_iter().filter(|(opening, _)| *opening > innermost).min();
        brackets
    }
}

fn is_opening(kind: SyntaxKind) -> bool {
    matches!(kind, LBrace | SelectorBrace | LParen | LineLParen | LBracket | ListStart | InterpolationOpen)
}

fn is_closing(kind: SyntaxKind) -> bool {
    matches!(kind, RBrace | RParen | RBracket | InterpolationClose)
}

fn closes(opening: SyntaxKind, closing: SyntaxKind) -> bool {
    match opening {
        LParen | LineLParen => closing == RParen,
        LBracket | ListStart => closing == RBracket,
        InterpolationOpen => closing == InterpolationClose,
        _ => closing == RBrace,
    }
}

/// The text of the bracket that closes an opening one.
pub(super) fn closer_of(opening: SyntaxKind) -> &'static str {
    match opening {
        LParen | LineLParen => ")",
        LBracket | ListStart => "]",
        _ => "}",
    }
}

/// A line of the text on a way from its beginning to its end, so that each line is looked at once.
#[derive(Default)]
struct Lines {
    start: usize,
    /// How far the line is indented.
    blanks: usize,
    /// Up to where the text is known.
    seen: usize,
}

impl Lines {
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
