//! Classes, defined types, functions, plans, nodes and types.

use kukla_syntax::SyntaxKind as K;
use kukla_syntax::tree::Node;

use super::Lowering;
use super::list::ListForm;
use crate::document::Op;

impl<'t> Lowering<'t> {
    /// `class name (parameters) inherits parent { }`, `function name(parameters) >> Type { }`
    pub(super) fn definition(&mut self, node: Node<'t>) {
        for (index, part) in node.children().enumerate() {
            if index > 0 && !(part.kind() == K::Parameters && self.touches_name(node, part)) {
                self.document.space();
            }
            self.expr(part);
        }
    }

    /// Whether no space precedes the parameters of a definition. Functions and plans, which are called, have both forms.
    fn touches_name(&self, definition: Node<'t>, parameters: Node<'t>) -> bool {
        match definition.kind() {
            K::FunctionDefinition if self.starts_line(parameters) => true,
            K::FunctionDefinition | K::PlanDefinition => self.gap_before(parameters) == 0,
            _ => false,
        }
    }

    /// `(parameters)` or `|parameters|`
    pub(super) fn parameters(&mut self, node: Node<'t>) {
        let in_pipes = node.children().next().is_some_and(|part| part.kind() == K::Pipe);
        self.list_of(node, if in_pipes { ListForm::PIPES } else { ListForm::PARAMETERS });
    }

    /// The parameters of a template, `| parameters |`.
    pub(crate) fn template_parameters(&mut self, node: Node<'t>) {
        self.list_of(node, ListForm { spaced: true, ..ListForm::PIPES });
    }

    /// `node names { }`
    pub(super) fn node_definition(&mut self, node: Node<'t>) {
        let is_header = |part: &Node<'t>| part.kind() != K::Block;
        let header: Vec<Node<'t>> =
            node.children().filter(is_header).filter(|part| part.kind() != K::Comma).collect();
        let inherits = header.iter().position(|part| part.kind() == K::InheritsKw).unwrap_or(header.len());
        let broken = header.iter().skip(2).any(|part| self.starts_line(*part));
        self.document.open(broken);
        for (index, part) in header.iter().enumerate() {
            if index > 1 && self.starts_line(*part) {
                self.document.hard_line(false);
            } else if index > 0 {
                self.document.space();
            }
            if index == 1 {
                self.document.push(Op::Indent);
            }
            self.expr(*part);
            if index > 0 && index + 1 < inherits {
                self.document.push(Op::Text(","));
            }
        }
        self.document.push(Op::Dedent);
        self.document.close();
        if let Some(block) = node.child(K::Block) {
            self.document.space();
            self.block(block);
        }
    }

    /// `apply(arguments) { }`
    pub(super) fn apply(&mut self, node: Node<'t>) {
        for part in node.children() {
            if part.kind() == K::Block {
                self.document.space();
            }
            self.expr(part);
        }
    }

    /// `type Name = Type`
    pub(super) fn type_alias(&mut self, node: Node<'t>) {
        let mut after_equals = false;
        for (index, part) in node.children().enumerate() {
            if std::mem::take(&mut after_equals) {
                self.value(part);
                continue;
            }
            if index > 0 {
                self.document.space();
            }
            after_equals = part.kind() == K::Equals;
            self.expr(part);
        }
    }
}
