//! Resources, their defaults and overrides, and collectors.

use kukla_syntax::SyntaxKind as K;
use kukla_syntax::tree::Node;

use super::Lowering;
use super::align::Rows;
use super::list::{Arrows, ListForm};
use super::operator::first_token;
use crate::document::Op;

impl<'t> Lowering<'t> {
    /// `@resource`, `@@resource`
    pub(super) fn virtual_resource(&mut self, node: Node<'t>) {
        for part in node.children() {
            if matches!(first_token(part).kind(), K::At | K::AtAt | K::LParen) && !part.kind().is_token() {
                // Beside the sign, another would be part of it.
                self.document.space();
            }
            self.expr(part);
        }
    }

    /// `type { title: attributes; title: attributes }`
    pub(super) fn resource(&mut self, node: Node<'t>) {
        let parts: Vec<Node<'t>> = node.children().collect();
        let [kind, open, ref bodies @ .., close] = parts[..] else { return self.verbatim(node) };
        let ends_with_semicolon = bodies.last().is_some_and(|part| part.kind() == K::Semicolon);
        let bodies: Vec<Node<'t>> =
            bodies.iter().copied().filter(|part| part.kind() == K::ResourceBody).collect();
        self.expr(kind);
        self.document.space();
        match bodies[..] {
            [body] if !self.starts_line(body) => self.single_body(open, body, close),
            _ => self.bodies(open, &bodies, close, ends_with_semicolon),
        }
    }

    /// A title on the line of the brace, and attributes below it.
    fn single_body(&mut self, open: Node<'t>, body: Node<'t>, close: Node<'t>) {
        let attributes = attributes(body);
        let has_long_title = body.children().next().is_some_and(|title| title.text().contains('\n'));
        let broken = attributes.iter().any(|attribute| self.starts_line(*attribute))
            || self.starts_line(close)
            || has_long_title && !attributes.is_empty();
        self.document.open(broken);
        self.token(open);
        self.document.space();
        self.title(body);
        self.document.push(Op::Indent);
        self.attribute_lines(&attributes, Op::IfBroken(","));
        self.dangling(false);
        self.document.push(Op::Dedent);
        self.document.line(false);
        self.token(close);
        self.document.close();
    }

    /// Each title on a line of its own.
    fn bodies(&mut self, open: Node<'t>, bodies: &[Node<'t>], close: Node<'t>, semicolon: bool) {
        self.document.open(true);
        self.token(open);
        self.document.push(Op::Indent);
        let mut columns = Rows::default();
        for (index, body) in bodies.iter().enumerate() {
            let blank = self.blank_ahead() && index > 0;
            self.document.hard_line(blank);
            self.lead();
            let is_last = index + 1 == bodies.len();
            let ends_with_comma = body.children().last().is_some_and(|part| part.kind() == K::Comma);
            let is_broken = attributes(*body).iter().any(|attribute| self.starts_line(*attribute));
            let keeps_comma = bodies.len() == 1 || ends_with_comma && is_broken;
            let end = if is_last && !semicolon && keeps_comma { Op::IfBroken(",") } else { Op::Text(";") };
            self.body(*body, end, &mut columns);
        }
        self.align(columns);
        self.dangling(false);
        self.document.push(Op::Dedent);
        self.document.hard_line(false);
        self.token(close);
        self.document.close();
    }

    /// `title: attributes` with a line for each attribute, or all on one if they were.
    fn body(&mut self, body: Node<'t>, end: Op<'t>, columns: &mut Rows) {
        let attributes = attributes(body);
        let broken = attributes.iter().any(|attribute| self.starts_line(*attribute));
        let from = self.document.ops.len();
        self.title(body);
        if let Some(first) = attributes.first().filter(|_| !broken) {
            self.column_of(*first, (body, from), columns);
        }
        self.document.open(broken);
        self.document.push(Op::Indent);
        self.attribute_lines(&attributes, end);
        self.document.push(Op::Dedent);
        self.document.close();
        if attributes.is_empty() && matches!(end, Op::Text(_)) {
            self.document.push(end);
        }
    }

    fn title(&mut self, body: Node<'t>) {
        for part in body.children().take(2) {
            self.expr(part);
        }
    }

    /// The attributes of a body, each after a line break of the group around.
    fn attribute_lines(&mut self, attributes: &[Node<'t>], end: Op<'t>) {
        let mut arrows = Arrows::default();
        self.bodies += 1;
        for (index, attribute) in attributes.iter().enumerate() {
            let blank = self.blank_ahead() && index > 0;
            self.document.line(blank);
            self.lead();
            if self.is_skipped(*attribute) {
                self.verbatim(*attribute);
            } else {
                self.entry(*attribute, &mut arrows);
            }
            self.document.push(if index + 1 < attributes.len() { Op::Text(",") } else { end });
        }
        self.bodies -= 1;
        self.align_arrows(arrows);
    }

    /// `Type { attributes }`, `Type[title] { attributes }`
    pub(super) fn attributes_of(&mut self, node: Node<'t>) {
        let parts: Vec<Node<'t>> = node.children().collect();
        let Some((left, list)) = parts.split_first() else { return };
        self.expr(*left);
        self.document.space();
        self.list(list, ListForm::BRACES);
    }

    /// `Type <| query |> { attributes }`
    pub(super) fn collector(&mut self, node: Node<'t>) {
        let parts: Vec<Node<'t>> = node.children().collect();
        let [left, query, ref list @ ..] = parts[..] else { return self.verbatim(node) };
        self.expr(left);
        self.document.space();
        let parts: Vec<Node<'t>> = query.children().collect();
        match parts[..] {
            // Both `<| |>` and `<||>` are common.
            [open, close] if !self.starts_line(close) && self.gap_before(close) == 0 => {
                self.token(open);
                self.token(close);
            }
            _ => self.spaced(query),
        }
        if !list.is_empty() {
            self.document.space();
            self.list(list, ListForm::BRACES);
        }
    }
}

fn attributes(body: Node<'_>) -> Vec<Node<'_>> {
    body.children().filter(|part| matches!(part.kind(), K::Attribute | K::AttributeSplat)).collect()
}
