//! Lists in brackets: arrays, hashes, arguments, parameters, attributes.

use kukla_syntax::SyntaxKind as K;
use kukla_syntax::tree::Node;

use super::align::{Row, Rows};
use super::{Lowering, is_entry};
use crate::document::Op;
use crate::options;

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
    /// Whether no space follows a comma on one line.
    pub tight: bool,
    /// The elements that may stay beside the opening bracket of a broken list.
    pub head: Head,
}

/// The elements that may stay beside the opening bracket of a broken list, if the author had them there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// None.
    Empty,
    /// The operator of a query, whose operands follow: `['and', ['=', 'name', 'a']]`.
    Operator,
    /// Any, as in `run_task('facts', $targets,` before named parameters.
    Any,
}

impl ListForm {
    const fn new(spaced: bool, comma: TrailingComma, rows: bool) -> ListForm {
        ListForm { spaced, comma, rows, tight: false, head: Head::Empty }
    }

    pub const ARRAY: ListForm =
        ListForm { head: Head::Operator, ..ListForm::new(false, TrailingComma::Add, true) };
    pub const BRACES: ListForm = ListForm::new(true, TrailingComma::Add, false);
    pub const KEYS: ListForm = ListForm::new(false, TrailingComma::Keep, true);
    pub const ARGUMENTS: ListForm = ListForm { head: Head::Any, ..ListForm::KEYS };
    pub const PARAMETERS: ListForm = ListForm::new(false, TrailingComma::Add, false);
    pub const PIPES: ListForm = ListForm::new(false, TrailingComma::Keep, false);
}

/// The columns of a parameter list, to be aligned when all are known.
#[derive(Default)]
pub(super) struct ParameterColumns {
    /// Those of the variables after their types.
    names: Rows,
    /// Those of the `=`.
    defaults: Rows,
    /// For each `=`, the place of the padding before the variable.
    paddings: Vec<Option<usize>>,
}

/// The arrows of a list, to be aligned when all are known.
#[derive(Default)]
pub(super) struct Arrows {
    rows: Rows,
    /// Whether a key is more than a name or a literal.
    has_expressions: bool,
    /// Whether these are the arrows of attributes, or of hashes and selectors among them. Linters want them beside the longest name.
    in_body: bool,
}

impl<'t> Lowering<'t> {
    /// A list: the opening bracket, elements and commas, the closing bracket.
    pub(super) fn list(&mut self, parts: &[Node<'t>], form: ListForm) {
        let [open, inside @ .., close] = parts else { return };
        let items: Vec<Node<'t>> =
            inside.iter().copied().filter(|part| !matches!(part.kind(), K::Comma | K::Semicolon)).collect();
        let Some((&first, rest)) = items.split_first() else { return self.empty_list(*open, *close) };
        let broken = self.starts_line(first) || rest.iter().any(|item| self.starts_line(*item));
        let head = self.head(&items, *close, form);
        let in_rows =
            form.rows && broken && items.iter().skip(head.max(1)).any(|item| !self.starts_line(*item));
        let comma = match form.comma {
            TrailingComma::Add => true,
            TrailingComma::Keep => inside.last().is_some_and(|part| part.kind() == K::Comma),
        };
        self.document.open(broken);
        self.token(*open);
        if !broken && form.rows && hugs(&items) && !self.comment_ahead() {
            self.brackets.push(self.line_start(open.start()));
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    self.document.push(Op::Text(","));
                    self.document.space();
                }
                self.expr(*item);
            }
            self.brackets.pop();
            self.token(*close);
            return self.document.close();
        }
        let levels = self.levels(*open, first);
        self.indent(levels);
        // The elements of a broken list begin lines of their own.
        self.brackets.push(if broken { usize::MAX } else { self.line_start(open.start()) });
        let mut arrows = Arrows::default();
        let mut columns = ParameterColumns::default();
        for (index, item) in items.iter().enumerate() {
            if index == 0 && head > 0 {
                // Elements that do not fit beside the bracket begin the next line.
                self.document.open(false);
            }
            match index {
                0 => self.document.push(Op::Line { space: form.spaced, blank: false }),
                _ if index < head => self.document.space(),
                _ if in_rows && !self.starts_line(*item) => self.document.space(),
                _ => {
                    let blank = self.blank_ahead();
                    self.document.push(Op::Line { space: !form.tight, blank });
                    if blank || self.comment_ahead() {
                        columns.names.begin_run();
                        columns.defaults.begin_run();
                    }
                }
            }
            self.lead();
            if index < head {
                self.item(*item, &mut Arrows::default(), &mut columns);
            } else {
                self.item(*item, &mut arrows, &mut columns);
            }
            if index + 1 == head {
                self.document.close();
            }
            if index < rest.len() {
                self.document.push(Op::Text(","));
            } else if comma {
                self.document.push(Op::IfBroken(","));
            }
        }
        self.dangling(false);
        self.brackets.pop();
        self.dedent(levels);
        self.document.push(Op::Line { space: form.spaced, blank: false });
        self.token(*close);
        self.document.close();
        if !in_rows {
            self.align_arrows(arrows);
        }
        self.align_parameters(columns);
    }

    /// The number of elements that stay beside the opening bracket of a broken list. The closing bracket must be on its own line.
    fn head(&self, items: &[Node<'t>], close: Node<'t>, form: ListForm) -> usize {
        let head = items.iter().take_while(|item| !self.starts_line(**item)).count();
        let (beside, below) = items.split_at(head);
        let allowed = match form.head {
            Head::Empty => false,
            Head::Operator => {
                beside.len() == 1
                    && matches!(beside[0].kind(), K::SqString | K::DqString)
                    && below.iter().all(|item| item.kind() == K::Array && self.starts_line(*item))
            }
            Head::Any => beside.iter().all(|item| !item.text().contains('\n')),
        };
        if allowed && !below.is_empty() && self.starts_line(close) { head } else { 0 }
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

    fn item(&mut self, item: Node<'t>, arrows: &mut Arrows, columns: &mut ParameterColumns) {
        if self.is_skipped(item) {
            return self.verbatim(item);
        }
        match item.kind() {
            kind if is_entry(kind) => self.entry(item, arrows),
            K::Parameter => self.parameter(item, columns),
            _ => self.expr(item),
        }
    }

    /// `key => value`
    pub(super) fn entry(&mut self, entry: Node<'t>, arrows: &mut Arrows) {
        let mut parts = entry.children();
        let (Some(key), Some(arrow), Some(value)) = (parts.next(), parts.next(), parts.next()) else {
            return self.verbatim(entry);
        };
        let from = self.document.ops.len();
        self.expr(key);
        self.column_of(arrow, (entry, from), &mut arrows.rows);
        arrows.has_expressions |= !(key.kind().is_token() || key.kind() == K::InterpolatedString);
        arrows.in_body |= self.bodies > 0 || matches!(entry.kind(), K::Attribute | K::AttributeSplat);
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

    /// Aligns the arrows of a list. Where keys are expressions, as in the type `Struct`, the author decides. So does the author about the
    /// column of a hash or a selector in which all arrows are in one: without its longest key, the others need not move.
    pub(super) fn align_arrows(&mut self, arrows: Arrows) {
        let rows = &arrows.rows.rows;
        if self.options.arrows == options::Arrows::Single {
            return;
        }
        if arrows.has_expressions {
            return self.align(arrows.rows);
        }
        let widest = rows.iter().map(|row| row.width).max().unwrap_or(0);
        let column = arrows.rows.shared_column().filter(|column| !arrows.in_body && *column > widest);
        let last = column.map_or(widest, |column| column - 1);
        for row in rows {
            self.document.ops[row.place] = Op::Pad(last - row.width);
        }
    }

    /// `Type *$name = default`
    fn parameter(&mut self, parameter: Node<'t>, columns: &mut ParameterColumns) {
        let from = self.document.ops.len();
        let mut parts = parameter.children();
        let mut after_type = false;
        let mut padding = None;
        while let Some(part) = parts.next() {
            match part.kind() {
                K::Star | K::Ampersand | K::Variable => {
                    if std::mem::take(&mut after_type) {
                        padding = Some(self.document.ops.len());
                        self.column_of(part, (parameter, from), &mut columns.names);
                        self.document.space();
                    }
                    self.token(part);
                }
                K::Equals => {
                    self.column_of(part, (parameter, from), &mut columns.defaults);
                    columns.paddings.resize(columns.defaults.rows.len(), padding);
                    self.document.space();
                    self.token(part);
                    if let Some(value) = parts.next() {
                        self.value(value);
                    }
                }
                K::PrivateKw => {
                    self.token(part);
                    self.document.space();
                }
                _ => {
                    self.expr(part);
                    after_type = true;
                }
            }
        }
    }

    /// Aligns the variables and then the `=`, which moves with them.
    fn align_parameters(&mut self, mut columns: ParameterColumns) {
        self.align(columns.names);
        for (row, padding) in columns.defaults.rows.iter_mut().zip(&columns.paddings) {
            if let Some(Op::Pad(pad)) = padding.map(|at| self.document.ops[at]) {
                row.width += pad;
            }
        }
        self.align(columns.defaults);
    }

    /// Notes that `token`, which comes next in the row of `start` that began with the instruction `from`, may be in a column.
    pub(super) fn column_of(&mut self, token: Node<'t>, (start, from): (Node<'t>, usize), rows: &mut Rows) {
        if self.starts_line(token) {
            return;
        }
        // What needs several lines ends in no column.
        let Some(width) = self.document.flat_width(from) else { return };
        let column = self.column(token).saturating_sub(self.column(start));
        rows.push(Row { place: self.document.ops.len(), gap: self.gap_before(token), column, width });
        self.document.push(Op::Pad(0));
    }

    /// Aligns rows, as far as the author did.
    pub(super) fn align(&mut self, rows: Rows) {
        for (place, gap) in rows.gaps() {
            self.document.ops[place] = Op::Pad(gap - 1);
        }
    }
}

/// Whether the elements of a list stay beside its brackets, however long they are: a single one that cannot be broken, or an array or a
/// hash, which is broken instead, as the last of few.
fn hugs(items: &[Node<'_>]) -> bool {
    let [head @ .., last] = items else { return false };
    let is_list = matches!(last.kind(), K::Array | K::Hash) && last.children().nth(2).is_some();
    let is_text = matches!(
        last.kind(),
        K::SqString | K::DqString | K::InterpolatedString | K::HeredocTag | K::Variable | K::Regex
    );
    let is_short =
        |item: &Node<'_>| item.kind().is_token() || matches!(item.kind(), K::InterpolatedString | K::Access);
    let width: u32 = head.iter().map(|item| item.span().len()).sum();
    (is_list && width <= HUG_WIDTH && head.iter().all(is_short)) || (is_text && head.is_empty())
}

/// How long the elements before an array or a hash may be for it to be broken in their place.
const HUG_WIDTH: u32 = 60;
