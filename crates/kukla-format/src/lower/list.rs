//! Lists in brackets: arrays, hashes, arguments, parameters, attributes.

use kukla_syntax::SyntaxKind as K;
use kukla_syntax::tree::Node;

use super::align::{self, Row};
use super::{Lowering, is_entry};
use crate::document::Op;
use crate::options::Arrows;

/// Whether a comma follows the last element of a broken list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrailingComma {
    /// Always.
    Add,
    /// If the author wrote one.
    Keep,
}

/// The form of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListForm {
    /// Whether spaces separate the elements from the brackets if all is on one line.
    pub spaced: bool,
    pub comma: TrailingComma,
    /// Whether several elements on a line stay there.
    pub rows: bool,
}

impl ListForm {
    pub const ARRAY: ListForm = ListForm { spaced: false, comma: TrailingComma::Add, rows: true };
    pub const BRACES: ListForm = ListForm { spaced: true, comma: TrailingComma::Add, rows: false };
    pub const ARGUMENTS: ListForm = ListForm { spaced: false, comma: TrailingComma::Keep, rows: true };
    pub const PARAMETERS: ListForm = ListForm { spaced: false, comma: TrailingComma::Add, rows: false };
    pub const PIPES: ListForm = ListForm { spaced: false, comma: TrailingComma::Keep, rows: false };
}

/// The arrows of a list, to be aligned when all are known: the place of the padding, and the width of the key before it.
#[derive(Default)]
pub(super) struct Arrowed(Vec<(usize, u32)>);

impl<'t> Lowering<'t> {
    /// A list: the opening bracket, elements and commas, the closing bracket.
    pub(super) fn list(&mut self, parts: &[Node<'t>], form: ListForm) {
        let [open, inside @ .., close] = parts else { return };
        let items: Vec<Node<'t>> =
            inside.iter().copied().filter(|part| !matches!(part.kind(), K::Comma | K::Semicolon)).collect();
        let Some((&first, rest)) = items.split_first() else { return self.empty_list(*open, *close) };
        let broken = self.starts_line(first) || rest.iter().any(|item| self.starts_line(*item));
        let in_rows = form.rows && broken && rest.iter().any(|item| !self.starts_line(*item));
        let comma = match form.comma {
            TrailingComma::Add => true,
            TrailingComma::Keep => inside.last().is_some_and(|part| part.kind() == K::Comma),
        };
        self.document.open(broken);
        self.token(*open);
        if rest.is_empty() && !broken && form.rows && hugs(first) && !self.comment_ahead() {
            self.expr(first);
            self.token(*close);
            return self.document.close();
        }
        self.document.push(Op::Indent);
        let mut arrows = Arrowed::default();
        let mut equals = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match index {
                0 => self.document.push(Op::Line { space: form.spaced, blank: false }),
                _ if in_rows && !self.starts_line(*item) => self.document.space(),
                _ => {
                    let blank = self.blank_ahead();
                    self.document.line(blank);
                }
            }
            self.lead();
            self.item(*item, &mut arrows, &mut equals);
            if index < rest.len() {
                self.document.push(Op::Text(","));
            } else if comma {
                self.document.push(Op::IfBroken(","));
            }
        }
        self.dangling(false);
        self.document.push(Op::Dedent);
        self.document.push(Op::Line { space: form.spaced, blank: false });
        self.token(*close);
        self.document.close();
        if !in_rows {
            self.align_arrows(&arrows);
        }
        self.align_columns(&equals);
    }

    fn empty_list(&mut self, open: Node<'t>, close: Node<'t>) {
        self.document.open(false);
        self.token(open);
        self.document.push(Op::Indent);
        self.dangling(true);
        self.document.push(Op::Dedent);
        self.document.soft_line();
        self.token(close);
        self.document.close();
    }

    fn item(&mut self, item: Node<'t>, arrows: &mut Arrowed, equals: &mut Vec<(usize, Row)>) {
        if self.is_skipped(item) {
            return self.verbatim(item);
        }
        match item.kind() {
            kind if is_entry(kind) => self.entry(item, arrows),
            K::Parameter => self.parameter(item, equals),
            _ => self.expr(item),
        }
    }

    /// `key => value`
    pub(super) fn entry(&mut self, entry: Node<'t>, arrows: &mut Arrowed) {
        let mut parts = entry.children();
        let (Some(key), Some(arrow), Some(value)) = (parts.next(), parts.next(), parts.next()) else {
            return self.verbatim(entry);
        };
        let from = self.document.ops.len();
        self.expr(key);
        if let Some(width) = self.document.flat_width(from) {
            arrows.0.push((self.document.ops.len(), width));
            self.document.push(Op::Pad(0));
        }
        self.document.space();
        self.token(arrow);
        self.value(value);
    }

    /// Something after `=` or `=>`. It stays on the next line if it began there and does not fit here.
    pub(super) fn value(&mut self, value: Node<'t>) {
        if !self.starts_line(value) {
            self.document.space();
            return self.expr(value);
        }
        let commented = self.comment_ahead();
        self.document.open(commented);
        self.document.push(Op::Indent);
        self.document.line(false);
        self.lead();
        self.expr(value);
        self.document.push(Op::Dedent);
        self.document.close();
    }

    pub(super) fn align_arrows(&mut self, arrows: &Arrowed) {
        if self.options.arrows == Arrows::Single {
            return;
        }
        let widest = arrows.0.iter().map(|(_, width)| *width).max().unwrap_or(0);
        for (at, width) in &arrows.0 {
            self.document.ops[*at] = Op::Pad(widest - width);
        }
    }

    /// `Type *$name = default`
    fn parameter(&mut self, parameter: Node<'t>, equals: &mut Vec<(usize, Row)>) {
        let from = self.document.ops.len();
        let mut parts = parameter.children();
        while let Some(part) = parts.next() {
            match part.kind() {
                K::Star | K::Ampersand | K::Variable => {
                    self.token(part);
                }
                K::Equals => {
                    self.column_of(part, from, equals);
                    self.document.space();
                    self.token(part);
                    if let Some(value) = parts.next() {
                        self.value(value);
                    }
                }
                _ => {
                    self.expr(part);
                    self.document.space();
                }
            }
        }
    }

    /// Notes that `token`, which comes next in the row that began with the instruction `from`, may be in a column.
    pub(super) fn column_of(&mut self, token: Node<'t>, from: usize, rows: &mut Vec<(usize, Row)>) {
        let Some(width) = self.document.flat_width(from).filter(|_| !self.starts_line(token)) else { return };
        let (gap, column) = (self.gap_before(token), self.column(token));
        rows.push((self.document.ops.len(), Row { gap, column, width }));
        self.document.push(Op::Pad(0));
    }

    /// Aligns the rows, as far as the author did.
    pub(super) fn align_columns(&mut self, rows: &[(usize, Row)]) {
        let only_rows: Vec<Row> = rows.iter().map(|(_, row)| *row).collect();
        for ((at, _), gap) in rows.iter().zip(align::gaps(&only_rows)) {
            self.document.ops[*at] = Op::Pad(gap - 1);
        }
    }
}

/// Whether something that is alone between brackets stays beside them, however long it is.
fn hugs(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        K::SqString | K::DqString | K::InterpolatedString | K::HeredocTag | K::Variable | K::Array | K::Hash
    )
}
