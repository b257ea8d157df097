//! Classes, defined types, functions, plans, nodes and types.

use kukla_syntax::SyntaxKind as K;
use kukla_syntax::tree::Node;

use super::Lowering;
use super::list::ListForm;
use crate::document::Op;

impl<'t> Lowering<'t> {
    /// `class name (parameters) inherits parent { }`, `function name(parameters) >> Type { }`
    pub(super) fn definition(&mut self, node: Node<'t>) {
        let is_function = node.kind() == K::FunctionDefinition;
        for (index, part) in node.children().enumerate() {
            if index > 0 && !(is_function && part.kind() == K::Parameters) {
                self.document.space();
            }
            self.expr(part);
        }
    }

    /// `(parameters)` or `|parameters|`
    pub(super) fn parameters(&mut self, node: Node<'t>) {
        let in_pipes = node.children().next().is_some_and(|part| part.kind() == K::Pipe);
        self.list_of(node, if in_pipes { ListForm::PIPES } else { ListForm::PARAMETERS });
    }

    /// `node names { }`
    pub(super) fn node_definition(&mut self, node: Node<'t>) {
        let mut first = true;
        let hosts = node.children().filter(|part| part.kind() != K::Comma);
        let broken = hosts.clone().skip(2).any(|part| part.kind() != K::Block && self.starts_line(part));
        let last = hosts.clone().take_while(|part| !matches!(part.kind(), K::InheritsKw | K::Block)).last();
        self.document.open(broken);
        for part in hosts {
            let is_host = !matches!(part.kind(), K::NodeKw | K::InheritsKw | K::Block);
            if part.kind() != K::NodeKw {
                if is_host && !first && self.starts_line(part) {
                    self.document.hard_line(false);
                } else {
                    self.document.space();
                }
            }
            if part.kind() == K::Block {
                self.document.close();
            }
            self.expr(part);
            if is_host && Some(part) != last && first_list(node, part) {
                self.document.push(Op::Text(","));
            }
            first &= !is_host;
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

/// Whether a host is one of those that a node definition is for, not the one it inherits from.
fn first_list(node: Node<'_>, host: Node<'_>) -> bool {
    node.child(K::InheritsKw).is_none_or(|keyword| host.start() < keyword.start())
}
