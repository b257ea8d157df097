//! Operators, relationships, calls and what else is applied to an expression.

use kukla_syntax::SyntaxKind as K;
use kukla_syntax::tree::Node;

use super::Lowering;
use super::align::Rows;
use super::list::ListForm;
use crate::document::Op;

/// A link of a chain: the operator, and what follows it.
type Link<'t> = (Node<'t>, Node<'t>);

/// The first operand of a left-leaning chain, and its links, as long as `continues` holds for the operators.
fn chain<'t>(node: Node<'t>, continues: impl Fn(K) -> bool) -> (Node<'t>, Vec<Link<'t>>) {
    let mut links = Vec::new();
    let mut first = node;
    while first.kind() == node.kind() {
        let mut parts = first.children();
        let (Some(left), Some(operator), Some(right)) = (parts.next(), parts.next(), parts.next()) else {
            break;
        };
        if !continues(operator.kind()) {
            break;
        }
        links.push((operator, right));
        first = left;
    }
    links.reverse();
    (first, links)
}

/// Operators between which a line breaks at all of them or at none.
fn class(operator: K) -> u8 {
    match operator {
        K::AndKw | K::OrKw => 1,
        K::Plus | K::Minus => 2,
        K::Star | K::Slash | K::Percent => 3,
        K::ShiftLeft | K::ShiftRight => 4,
        _ => 0,
    }
}

impl<'t> Lowering<'t> {
    /// Whether the lines after the first one of what begins with `first` are deeper than it: they stay so.
    fn is_indented(&self, first: Node<'t>, broken: impl Iterator<Item = Node<'t>>) -> bool {
        let mut broken = broken.filter(|node| self.starts_line(*node));
        broken.next().is_none_or(|node| self.line_indent(node) > self.line_indent(first))
    }

    /// `left op right op right`: line breaks stay on the side of the operator where they were.
    pub(super) fn binary(&mut self, node: Node<'t>) {
        let Some(operator) = node.children().nth(1) else { return self.verbatim(node) };
        let class_here = class(operator.kind());
        let (first, links) = match class_here {
            0 => {
                let mut parts = node.children();
                let (Some(left), Some(operator), Some(right)) = (parts.next(), parts.next(), parts.next())
                else {
                    return self.verbatim(node);
                };
                (left, vec![(operator, right)])
            }
            _ => chain(node, |kind| class(kind) == class_here),
        };
        let places = links.iter().flat_map(|(operator, right)| [*operator, *right]);
        let broken = places.clone().any(|place| self.starts_line(place));
        let indented = self.is_indented(first, places);
        self.document.open(broken);
        self.expr(first);
        if indented {
            self.document.push(Op::Indent);
        }
        for (operator, right) in links {
            if self.starts_line(operator) {
                self.document.hard_line(false);
                self.token(operator);
                self.document.space();
            } else {
                self.document.space();
                self.token(operator);
                if self.starts_line(right) {
                    self.document.hard_line(false);
                } else if broken || class_here == 0 {
                    self.document.space();
                } else {
                    self.document.line(false);
                }
            }
            self.expr(right);
        }
        if indented {
            self.document.push(Op::Dedent);
        }
        self.document.close();
    }

    /// `!operand`, or `! operand` where the author wrote so.
    pub(super) fn not(&mut self, node: Node<'t>) {
        let parts: Vec<Node<'t>> = node.children().collect();
        let [operator, operand] = parts[..] else { return self.verbatim(node) };
        self.token(operator);
        if !self.starts_line(operand) && self.gap_before(operand) > 0 {
            self.document.space();
        }
        self.expr(operand);
    }

    /// `left -> right -> right`: an arrow at a line break leads the line.
    pub(super) fn relationship(&mut self, node: Node<'t>) {
        let (first, links) = chain(node, |_| true);
        let places = links.iter().flat_map(|(arrow, right)| [*arrow, *right]);
        let broken = places.clone().any(|place| self.starts_line(place));
        let indented = if broken { self.is_indented(first, places) } else { true };
        self.document.open(broken);
        self.expr(first);
        if indented {
            self.document.push(Op::Indent);
        }
        for (arrow, right) in links {
            if !broken {
                self.document.line(false);
            } else if self.starts_line(arrow) || self.starts_line(right) {
                self.document.hard_line(false);
            } else {
                self.document.space();
            }
            // Comments beside the arrow come before it.
            self.lead();
            self.at = arrow.index() + 1;
            self.trail();
            self.lead();
            self.document.push(Op::Text(arrow.text()));
            self.document.space();
            self.expr(right);
        }
        if indented {
            self.document.push(Op::Dedent);
        }
        self.document.close();
    }

    /// `left = right`; `column` is of the list of statements it is in.
    pub(super) fn assignment(&mut self, node: Node<'t>, column: &mut Rows) {
        let mut parts = node.children();
        let (Some(left), Some(operator), Some(right)) = (parts.next(), parts.next(), parts.next()) else {
            return self.verbatim(node);
        };
        let from = self.document.ops.len();
        self.expr(left);
        self.column_of(operator, (node, from), column);
        self.document.space();
        self.token(operator);
        self.value(right);
    }

    /// `(inner)`
    pub(super) fn paren(&mut self, node: Node<'t>) {
        let parts: Vec<Node<'t>> = node.children().collect();
        let [open, inner, close] = parts[..] else { return self.verbatim(node) };
        let broken = self.starts_line(inner);
        self.document.open(broken);
        self.token(open);
        if broken || self.comment_ahead() {
            self.document.push(Op::Indent);
            self.document.soft_line();
            self.lead();
            self.expr(inner);
            self.dangling(false);
            self.document.push(Op::Dedent);
            self.document.soft_line();
        } else {
            self.expr(inner);
        }
        self.token(close);
        self.document.close();
    }

    /// `left ? { entries }`
    pub(super) fn selector(&mut self, node: Node<'t>) {
        let parts: Vec<Node<'t>> = node.children().collect();
        let [left, question, ref entries @ ..] = parts[..] else { return self.verbatim(node) };
        self.expr(left);
        self.document.space();
        self.token(question);
        self.document.space();
        match entries {
            [entry] => self.expr(*entry),
            _ => self.list(entries, ListForm::BRACES),
        }
    }

    /// `left[keys]`
    pub(super) fn access(&mut self, node: Node<'t>) {
        let parts: Vec<Node<'t>> = node.children().collect();
        let Some((left, keys)) = parts.split_first() else { return };
        if keys.first().is_some_and(|bracket| self.touches_comment(*bracket)) {
            return self.verbatim(node);
        }
        self.expr(*left);
        // Both `Integer[1,2]` and `Integer[1, 2]` are common.
        let mut later = keys.iter().skip(2);
        let is_type = left.kind() == K::TypeName && later.clone().any(|key| key.kind() == K::Comma);
        let tight = is_type && later.all(|key| key.kind() == K::RBracket || self.gap_before(*key) == 0);
        self.list(keys, ListForm { tight, ..ListForm::KEYS });
    }

    /// `function(arguments) lambda`
    pub(super) fn call(&mut self, node: Node<'t>) {
        for part in node.children() {
            if part.kind() == K::Lambda {
                self.document.space();
            }
            self.expr(part);
        }
    }

    /// `receiver.name(arguments) lambda.name`: a dot that begins a line stays there.
    pub(super) fn method_call(&mut self, node: Node<'t>) {
        let mut calls = vec![node];
        let mut receiver = node;
        while let Some(left) = receiver.children().next() {
            receiver = left;
            if left.kind() != K::MethodCall {
                break;
            }
            calls.push(left);
        }
        let dots = calls.iter().rev().filter_map(|call| call.child(K::Dot));
        let broken = dots.clone().any(|dot| self.starts_line(dot));
        let indented = broken && self.is_indented(receiver, dots);
        self.document.open(broken);
        self.expr(receiver);
        if indented {
            self.document.push(Op::Indent);
        }
        for call in calls.into_iter().rev() {
            for part in call.children().skip(1) {
                match part.kind() {
                    K::Dot if self.starts_line(part) => self.document.hard_line(false),
                    // `1 .abs` is a call, `1.abs` an invalid number.
                    K::Dot if self.ends_with_number() && self.gap_before(part) > 0 => self.document.space(),
                    K::Lambda => self.document.space(),
                    _ => {}
                }
                self.expr(part);
            }
        }
        if indented {
            self.document.push(Op::Dedent);
        }
        self.document.close();
    }

    fn ends_with_number(&self) -> bool {
        let last = self.document.ops.iter().rev().find_map(|op| match op {
            Op::Text(text) => Some(*text),
            _ => None,
        });
        last.is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// `include a, b`
    pub(super) fn statement_call(&mut self, node: Node<'t>) {
        let mut parts = node.children().filter(|part| !matches!(part.kind(), K::Comma | K::Semicolon));
        let Some(name) = parts.next() else { return };
        let arguments: Vec<Node<'t>> = parts.collect();
        let broken = arguments.iter().skip(1).any(|argument| self.starts_line(*argument));
        self.document.open(broken);
        self.token(name);
        self.document.push(Op::Indent);
        for (index, argument) in arguments.iter().enumerate() {
            // On the line of the name, a parenthesis would begin its arguments.
            let keeps_line = index == 0 && first_token(*argument).kind() == K::LineLParen;
            match index {
                0 if keeps_line => self.document.hard_line(false),
                0 => self.document.space(),
                _ if broken && !self.starts_line(*argument) => self.document.space(),
                _ => self.document.line(false),
            }
            self.lead();
            self.expr(*argument);
            if index + 1 < arguments.len() {
                self.document.push(Op::Text(","));
            }
        }
        self.document.push(Op::Dedent);
        self.document.close();
    }

    /// `|parameters| >> Type { statements }`
    pub(super) fn lambda(&mut self, node: Node<'t>) {
        self.spaced(node);
    }
}

/// The first token of a node.
pub(super) fn first_token(node: Node<'_>) -> Node<'_> {
    node.descendants().find(|element| element.kind().is_token()).unwrap_or(node)
}
