//! Templates: the code in each tag is formatted, the text between the tags stays as it is.
//!
//! A tag on one line stays on one line, since its place is given by the text around it. Statements and parameters over several lines get the
//! layout of manifests. A tag over several lines in which a block begins or ends stays as it is.

use kukla_syntax::SyntaxKind as K;
use kukla_syntax::tree::{Node, Tree};

use crate::document::width;
use crate::lower::Lowering;
use crate::options::Options;
use crate::print::{self, LineStyle};

/// The text of a template with formatted tags.
pub(crate) fn format(tree: &Tree, options: &Options, style: LineStyle) -> String {
    let mut out = String::with_capacity(tree.text().len());
    let mut copied = 0;
    let mut open = None;
    for token in tree.elements().filter(|element| element.kind().is_token()) {
        match token.kind() {
            K::EppOpen | K::EppRenderOpen => open = Some(token),
            K::EppClose | K::EppRenderClose => {
                let Some(open) = open.take() else { continue };
                let tag = Tag { tree, options, style, open, close: token };
                let Some(code) = tag.format() else { continue };
                out.push_str(&tree.text()[copied..open.span().end as usize]);
                out.push_str(&code);
                copied = token.start() as usize;
            }
            _ => {}
        }
    }
    out.push_str(&tree.text()[copied..]);
    out
}

/// A tag and what it needs to be formatted.
struct Tag<'t> {
    tree: &'t Tree,
    options: &'t Options,
    style: LineStyle,
    open: Node<'t>,
    close: Node<'t>,
}

/// The code of a tag, taken apart.
struct Pieces<'t> {
    /// Expressions and statements that are whole, and the tokens of those that go on in other tags.
    nodes: Vec<Node<'t>>,
    /// Whether all nodes are whole statements.
    whole: bool,
    /// Whether there are comments.
    commented: bool,
}

impl<'t> Tag<'t> {
    /// The code between the marks of the tag, blanks included; `None` to leave it as it is.
    fn format(&self) -> Option<String> {
        let code = &self.tree.text()[self.open.span().end as usize..self.close.start() as usize];
        let pieces = self.pieces()?;
        if pieces.nodes.is_empty() {
            return None;
        }
        if !code.contains('\n') {
            return (!pieces.commented).then(|| self.one_line(code, &pieces.nodes));
        }
        if !pieces.whole {
            return None;
        }
        match pieces.nodes[..] {
            [only] if self.has_only_parameters(&[only]) && self.hangs(only) => self.hanging_parameters(only),
            _ => Some(self.several_lines(code, &pieces.nodes)),
        }
    }

    fn pieces(&self) -> Option<Pieces<'t>> {
        let mut pieces = Pieces { nodes: Vec::new(), whole: true, commented: false };
        let mut at = self.open.index() + 1;
        while at < self.close.index() {
            let element = self.tree.element(at)?;
            let is_whole = element.end_index() <= self.close.index();
            at = if is_whole { element.end_index() } else { at + 1 };
            match element.kind() {
                K::Whitespace => {}
                // What keeps code as it is, and texts whose place is not that of their tags.
                K::LineComment | K::BlockComment if element.text().contains("fmt:") => return None,
                K::HeredocBody => return None,
                K::LineComment | K::BlockComment => pieces.commented = true,
                kind => {
                    pieces.whole &= is_whole && (!kind.is_token() || kind.is_operand());
                    if is_whole {
                        pieces.nodes.push(element);
                    }
                }
            }
        }
        let is_heredoc = |node: Node<'t>| matches!(node.kind(), K::HeredocTag | K::HeredocBody);
        let has_heredoc = pieces.nodes.iter().any(|piece| piece.descendants().any(is_heredoc));
        (!has_heredoc).then_some(pieces)
    }

    /// The pieces with spaces between them where they belong. Spaces at the beginning of a line show how deep blocks are nested, before the
    /// tag or in it.
    fn one_line(&self, code: &str, pieces: &[Node<'t>]) -> String {
        let depth = code.len() - code.trim_start_matches(' ').len();
        let is_indented = self.open.kind() == K::EppOpen && self.line_before().trim().is_empty();
        let mut out = " ".repeat(if is_indented { depth.max(1) } else { 1 });
        for (index, piece) in pieces.iter().enumerate() {
            if index > 0 && self.is_spaced(pieces[index - 1], *piece) {
                out.push(' ');
            }
            out.push_str(&self.flat(*piece));
        }
        out.push(' ');
        out
    }

    /// Whether there is a space between two pieces.
    fn is_spaced(&self, left: Node<'t>, right: Node<'t>) -> bool {
        match (left.kind(), right.kind()) {
            (_, K::Comma | K::Colon | K::Semicolon | K::RParen | K::RBracket) => false,
            (K::LParen | K::LineLParen | K::LBracket | K::Dot, _) => false,
            (_, K::LBrace | K::Parameters)
            | (K::LBrace | K::RBrace | K::Comma | K::Colon | K::Semicolon, _)
                if right.kind() != K::Dot =>
            {
                true
            }
            _ => left.span().end < right.start(),
        }
    }

    /// Whether this is the tag with the parameters of the template.
    fn has_only_parameters(&self, nodes: &[Node<'t>]) -> bool {
        matches!(nodes, [only] if only.kind() == K::Parameters && self.tree.root().child(K::Parameters) == Some(*only))
    }

    /// A piece on one line; as it is if the layout needs several.
    fn flat(&self, piece: Node<'t>) -> String {
        let mut lowering = Lowering::new(self.tree, self.options, piece.index());
        if self.has_only_parameters(&[piece]) {
            lowering.template_parameters(piece);
        } else {
            lowering.expr(piece);
        }
        let style = LineStyle { width: u32::MAX, ..self.style };
        let text = print::print(lowering.document, style);
        let text = text.trim_end_matches(['\r', '\n']);
        if text.contains('\n') { piece.text().to_owned() } else { text.to_owned() }
    }

    /// The line of the tag before it.
    fn line_before(&self) -> &'t str {
        let before = &self.tree.text()[..self.open.start() as usize];
        &before[before.rfind('\n').map_or(0, |at| at + 1)..]
    }

    /// Whether all parameters begin in the column of the first, which is beside the bar: the form of Puppet's documentation.
    fn hangs(&self, parameters: Node<'t>) -> bool {
        let place = |node: Node<'t>| {
            let before = &self.tree.text()[..node.start() as usize];
            let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
            (width(line), line.trim().is_empty())
        };
        let mut places = parameters.children().filter(|part| part.kind() == K::Parameter).map(place);
        let first = places.next().filter(|(_, begins_line)| !begins_line);
        let mut rest = places.peekable();
        rest.peek().is_some() && first.is_some_and(|(column, _)| rest.all(|place| place == (column, true)))
    }

    /// Parameters below each other, the first of them beside the bar.
    fn hanging_parameters(&self, parameters: Node<'t>) -> Option<String> {
        let mut lowering = Lowering::new(self.tree, self.options, self.open.index() + 1);
        lowering.template_parameters(parameters);
        lowering.dangling(false);
        let line = self.line_before();
        let column = width(line) + self.open.span().len() + width(" | ");
        let margin = column.checked_sub(self.style.indent)?;
        let text = print::print(lowering.document, LineStyle { margin, ..self.style });
        let list = text.trim().strip_prefix('|')?.strip_suffix('|')?.trim();
        let indent = &line[..line.len() - line.trim_start().len()];
        Some(format!(" | {list}{}{indent}| ", self.style.ending))
    }

    /// Statements or parameters in the layout of manifests, indented like the line on which the tag begins.
    fn several_lines(&self, code: &str, nodes: &[Node<'t>]) -> String {
        let line = self.line_before();
        let margin = (line.len() - line.trim_start().len()) as u32;
        let begins_line = code[..code.len() - code.trim_start().len()].contains('\n');
        let ends_line = code[code.trim_end().len()..].contains('\n');
        let is_statement = !self.has_only_parameters(nodes);
        let level = u32::from(begins_line && is_statement);
        let mut lowering = Lowering::new(self.tree, self.options, self.open.index() + 1);
        match nodes {
            [parameters] if !is_statement => lowering.template_parameters(*parameters),
            _ => lowering.statement_list(self.tree.root(), nodes),
        }
        lowering.dangling(false);
        let style = LineStyle { margin: margin + level * self.style.indent, ..self.style };
        let text = print::print(lowering.document, style);
        let text = text.trim_end_matches(['\r', '\n']);
        let mut out = String::with_capacity(text.len() + 8);
        let end_line = |out: &mut String, spaces: u32| {
            out.push_str(self.style.ending);
            (0..spaces).for_each(|_| out.push(' '));
        };
        if level > 0 {
            end_line(&mut out, style.margin);
        } else {
            out.push(' ');
        }
        out.push_str(text);
        if ends_line && is_statement || text.lines().last().is_some_and(|line| line.contains('#')) {
            end_line(&mut out, margin);
        } else {
            out.push(' ');
        }
        out
    }
}
