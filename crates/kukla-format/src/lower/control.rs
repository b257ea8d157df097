//! Blocks, conditions and cases.

use kukla_syntax::SyntaxKind as K;
use kukla_syntax::tree::Node;

use super::Lowering;
use super::align::Rows;
use crate::document::Op;

/// The columns of the options of a case, to be aligned when all are known.
#[derive(Default)]
struct OptionColumns {
    /// Those of the blocks.
    rows: Rows,
    /// For each block, the spaces before the colon, which moves to the value.
    colon_gaps: Vec<u32>,
    /// Whether a block has several lines.
    has_lines: bool,
}

impl OptionColumns {
    /// The columns of the blocks. Where the colons before blocks on one line were in a column, the blocks are.
    fn blocks(mut self) -> Rows {
        if self.has_lines {
            return self.rows;
        }
        let least = self.colon_gaps.iter().copied().min().unwrap_or(0);
        for (row, colon_gap) in self.rows.rows.iter_mut().zip(self.colon_gaps) {
            row.gap += colon_gap - least;
            row.column -= least;
        }
        self.rows
    }
}

impl<'t> Lowering<'t> {
    /// `{ statements }`: on one line if it was and has only one statement.
    pub(super) fn block(&mut self, node: Node<'t>) {
        self.block_or_lines(node, false);
    }

    /// `{ statements }`, broken if `broken`.
    fn block_or_lines(&mut self, node: Node<'t>, broken: bool) {
        let (Some(open), Some(close)) = (node.child(K::LBrace), node.child(K::RBrace)) else {
            return self.verbatim(node);
        };
        let statements = node.children().count().saturating_sub(2);
        let broken = broken && statements > 0 || statements > 1 || node.text().contains('\n');
        self.document.open(broken);
        self.token(open);
        self.document.push(Op::Indent);
        if statements > 0 {
            self.document.line(false);
            self.statements(node);
        }
        self.dangling(statements == 0);
        self.document.push(Op::Dedent);
        self.document.push(Op::Line { space: statements > 0, blank: false });
        self.token(close);
        self.document.close();
    }

    /// `if test { } elsif test { } else { }`, and the same for `unless`. All of it is on one line, or each block is broken.
    pub(super) fn condition(&mut self, node: Node<'t>) {
        let branches = || node.children().filter(|part| matches!(part.kind(), K::Elsif | K::Else));
        let blocks = || branches().chain([node]).filter_map(|branch| branch.child(K::Block));
        let broken = branches().next().is_some()
            && (branches().any(|branch| self.starts_line(branch))
                || blocks().any(|block| block.text().contains('\n')));
        self.branch(node, broken);
    }

    fn branch(&mut self, branch: Node<'t>, broken: bool) {
        for (index, part) in branch.children().enumerate() {
            let is_branch = matches!(part.kind(), K::Elsif | K::Else);
            if is_branch && self.comment_ahead() {
                self.document.hard_line(false);
            } else if index > 0 {
                self.document.space();
            }
            match part.kind() {
                K::Block => self.block_or_lines(part, broken),
                K::Elsif | K::Else => self.branch(part, broken),
                _ => self.expr(part),
            }
        }
    }

    /// `case test { options }`
    pub(super) fn case(&mut self, node: Node<'t>) {
        let mut columns = OptionColumns::default();
        let mut first = true;
        self.document.open(true);
        for part in node.children() {
            match part.kind() {
                K::LBrace => {
                    self.document.space();
                    self.token(part);
                    self.document.push(Op::Indent);
                }
                K::CaseOption => {
                    let blank = self.blank_ahead() && !first;
                    self.document.hard_line(blank);
                    self.lead();
                    self.case_option(part, &mut columns);
                    first = false;
                }
                K::RBrace => {
                    self.dangling(first);
                    self.document.push(Op::Dedent);
                    self.document.hard_line(false);
                    self.token(part);
                }
                K::CaseKw => self.token(part),
                _ => {
                    self.document.space();
                    self.expr(part);
                }
            }
        }
        self.document.close();
        self.align(columns.blocks());
    }

    /// `a, b: { statements }`
    fn case_option(&mut self, node: Node<'t>, columns: &mut OptionColumns) {
        let from = self.document.ops.len();
        let values: Vec<Node<'t>> = node
            .children()
            .take_while(|part| part.kind() != K::Colon)
            .filter(|part| part.kind() != K::Comma)
            .collect();
        let broken = values.iter().skip(1).any(|value| self.starts_line(*value));
        self.document.open(broken);
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                self.document.push(Op::Text(","));
                if broken && !self.starts_line(*value) {
                    self.document.space();
                } else {
                    self.document.line(false);
                }
                self.lead();
            }
            self.expr(*value);
        }
        self.document.close();
        let mut colon_gap = 0;
        for part in node.children() {
            match part.kind() {
                K::Colon => {
                    colon_gap = self.gap_before(part);
                    self.token(part);
                }
                K::Block => {
                    self.column_of(part, (node, from), &mut columns.rows);
                    columns.colon_gaps.resize(columns.rows.rows.len(), colon_gap);
                    columns.has_lines |= part.text().contains('\n');
                    self.document.space();
                    self.block(part);
                }
                _ => {}
            }
        }
    }
}
