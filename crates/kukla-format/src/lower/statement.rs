//! Lists of statements, and the comments that keep the formatter from some of them.

use kukla_syntax::SyntaxKind as K;
use kukla_syntax::tree::Node;

use super::Lowering;
use super::align::Rows;
use crate::document::Op;

impl<'t> Lowering<'t> {
    /// The statements of a block or a file, each on a line of its own. The line break before the first is the caller's.
    pub(super) fn statements(&mut self, parent: Node<'t>) {
        let parts: Vec<Node<'t>> =
            parent.children().filter(|part| !matches!(part.kind(), K::LBrace | K::RBrace)).collect();
        self.statement_list(parent, &parts);
    }

    /// The statements `parts` of `parent`.
    pub(crate) fn statement_list(&mut self, parent: Node<'t>, parts: &[Node<'t>]) {
        let mut assignments = Rows::of_statements();
        let mut first = true;
        let mut off_end = 0;
        for &part in parts {
            if part.start() < off_end {
                continue;
            }
            if part.kind() == K::Semicolon {
                self.document.push(Op::Text(";"));
                continue;
            }
            let blank = self.blank_ahead() && !first;
            if !first {
                self.document.hard_line(blank);
            }
            first = false;
            if let Some(end) = self.switched_off(parent, part) {
                off_end = end;
                if part.start() < end {
                    continue;
                }
            }
            if blank || part.kind() != K::Assignment || self.comment_ahead() {
                assignments.begin_run();
            }
            self.lead();
            match part.kind() {
                _ if self.is_skipped(part) => self.verbatim(part),
                K::Assignment => self.assignment(part, &mut assignments),
                _ => self.expr(part),
            }
        }
        self.align(assignments);
    }

    /// Whether a comment `# fmt: skip` at the end of its last line keeps a node as it is.
    pub(super) fn is_skipped(&self, node: Node<'t>) -> bool {
        let mut index = node.end_index();
        while let Some(element) = self.tree.element(index) {
            match element.kind() {
                K::Whitespace if element.text().contains('\n') => return false,
                K::Whitespace | K::Comma | K::Semicolon => index += 1,
                K::LineComment => return directive(element) == Some("skip"),
                _ => return false,
            }
        }
        false
    }

    /// If `# fmt: off` is among the comments before a statement: prints everything from there up to `# fmt: on`, or to the end of
    /// the list, as it is. The offset where that ends.
    fn switched_off(&mut self, parent: Node<'t>, statement: Node<'t>) -> Option<u32> {
        let before: Vec<Node<'t>> = parent
            .all_children()
            .skip_while(|part| part.index() < self.at)
            .take_while(|part| part.index() < statement.index())
            .collect();
        let off = *before.iter().find(|part| directive(**part) == Some("off"))?;
        let after = parent.all_children().skip_while(|part| part.index() <= off.index());
        let on = after.clone().find(|part| directive(*part) == Some("on"));
        let end = match on {
            Some(on) => on,
            None => after.filter(|part| !matches!(part.kind(), K::Whitespace | K::RBrace)).last()?,
        };
        for comment in before.iter().take_while(|part| part.index() < off.index()) {
            if matches!(comment.kind(), K::LineComment | K::BlockComment) {
                self.document.text(comment.text().trim_end_matches('\r'));
                self.at = comment.index() + 1;
                let blank = self.blank_ahead();
                self.document.hard_line(blank);
            }
        }
        let from = off.start() - self.line_indent(off).min(off.start());
        let from = if self.text[..off.start() as usize].trim_end_matches([' ', '\t']).len() as u32 == from {
            self.document.push(Op::Margin);
            from
        } else {
            off.start()
        };
        self.document.text(self.text[from as usize..end.span().end as usize].trim_end_matches(['\r', '\n']));
        self.at = end.end_index();
        Some(end.span().end)
    }
}

/// The word after `# fmt:` in a comment.
fn directive(comment: Node<'_>) -> Option<&str> {
    if comment.kind() != K::LineComment {
        return None;
    }
    comment.text().trim_start_matches('#').trim_start().strip_prefix("fmt:").map(str::trim)
}
