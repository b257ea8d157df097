//! Statements: a report is at the right place if it is in the changed statement.

use kukla::syntax::tree::Node;
use kukla::syntax::{Source, Span, SyntaxKind as K, Tree};

/// The statements of a text. A statement that contains others ends where the first of them begins; a parameter, and each of
/// several resources, count as statements.
pub struct Statements {
    units: Vec<Span>,
    /// The offsets at which a statement can be inserted that runs whenever the statement after it does.
    doors: Vec<(Span, u32)>,
}

impl Statements {
    /// The statements of a tree.
    pub fn of(tree: &Tree) -> Statements {
        let mut statements = Statements { units: Vec::new(), doors: Vec::new() };
        statements.within(tree.root());
        statements
    }

    fn within(&mut self, node: Node<'_>) {
        let holds_statements = matches!(node.kind(), K::Manifest | K::Block | K::Template);
        for child in node.children().filter(|child| !child.kind().is_token()) {
            let is_unit = matches!(
                child.kind(),
                K::Parameter | K::ResourceBody | K::CaseOption | K::Elsif | K::EppRender
            );
            if holds_statements || is_unit {
                self.units.push(head(child));
            }
            if holds_statements && node.kind() != K::Template {
                self.doors.push((child.span(), child.start()));
            }
            // The statement of a class is inserted at the beginning of its body.
            if matches!(child.kind(), K::ClassDefinition | K::DefineDefinition | K::FunctionDefinition)
                && let Some(body) = child.child(K::Block)
            {
                self.doors.push((Span::new(child.start(), body.start() + 1), body.start() + 1));
            }
            self.within(child);
        }
    }

    /// The statement around an offset.
    pub fn at(&self, offset: u32) -> Option<Span> {
        let around = self.units.iter().filter(|unit| unit.start <= offset && offset <= unit.end);
        around.min_by_key(|unit| unit.end - unit.start).copied()
    }

    /// The offset at which to insert a statement that runs whenever the one around `offset` does.
    pub fn door(&self, offset: u32) -> Option<u32> {
        let around = self.doors.iter().filter(|(unit, _)| unit.start <= offset && offset <= unit.end);
        around.min_by_key(|(unit, _)| unit.end - unit.start).map(|(_, door)| *door)
    }

    /// The lines of the statement around an offset.
    pub fn lines(&self, source: &Source, offset: u32) -> (u32, u32) {
        let unit = self.at(offset).unwrap_or(Span::new(offset, offset));
        (source.line_column(unit.start).line, source.line_column(unit.end.max(unit.start)).line)
    }

    /// The lines of the statement that contains a line.
    pub fn lines_around(&self, source: &Source, line: u32) -> (u32, u32) {
        let Some(start) = source.lines().line_start(line) else { return (line, line) };
        let text = source.text()[start as usize..].lines().next().unwrap_or_default();
        let (first, last) = self.lines(source, start + (text.len() - text.trim_start().len()) as u32);
        if (first..=last).contains(&line) { (first, last) } else { (line, line) }
    }
}

/// The part of a statement before the statements inside of it.
fn head(node: Node<'_>) -> Span {
    let span = node.span();
    let inner = node.descendants().skip(1).find(|inner| matches!(inner.kind(), K::Block | K::CaseOption));
    let parameters = node.children().find(|child| child.kind() == K::Parameters);
    let end = [inner, parameters].into_iter().flatten().map(|inner| inner.start()).min();
    Span::new(span.start, end.unwrap_or(span.end))
}
