//! From the tree to a document: one function per construct.

mod align;
mod control;
mod definition;
mod list;
mod literal;
mod operator;
mod resource;
mod statement;
mod trivia;

use kukla_syntax::tree::{Node, Tree};
use kukla_syntax::{SyntaxKind as K, deep};

use self::list::ListForm;
use crate::document::{Document, Op};
use crate::options::Options;

/// The document of a tree without errors.
pub(crate) fn lower<'t>(tree: &'t Tree, options: &'t Options) -> Document<'t> {
    let mut lowering = Lowering::new(tree, options, 1);
    lowering.document.ops.reserve(tree.len());
    lowering.statements(tree.root());
    lowering.dangling(tree.root().children().next().is_none());
    lowering.document
}

/// The conversion of a tree, or of a part of it.
pub(crate) struct Lowering<'t> {
    tree: &'t Tree,
    text: &'t str,
    options: &'t Options,
    pub(crate) document: Document<'t>,
    /// The first element that has not been printed.
    at: u32,
    /// The spaces of one level of indentation in the source.
    unit: u32,
    /// For each list around, where the line of its opening bracket begins in the source.
    brackets: Vec<usize>,
    /// The number of resource bodies around.
    bodies: u32,
}

/// The indentation of the first statement in braces that begins a line.
fn indentation_unit(tree: &Tree) -> Option<u32> {
    let breaks: Vec<usize> = tree.text().match_indices('\n').map(|(at, _)| at + 1).collect();
    let indent = |offset: u32| {
        let offset = offset as usize;
        let after = breaks.partition_point(|start| *start <= offset);
        let line = &tree.text()[after.checked_sub(1).map_or(0, |last| breaks[last])..offset];
        (line.len() - line.trim_start().len()) as u32
    };
    let braces = tree.elements().filter(|element| matches!(element.kind(), K::Block | K::Parameters));
    let mut units = braces.filter_map(|block| {
        let first = block.children().nth(1)?;
        indent(first.start()).checked_sub(indent(block.start())).filter(|unit| *unit > 0)
    });
    units.next()
}

/// Whether this is a `key => value` of any kind.
fn is_entry(kind: K) -> bool {
    matches!(kind, K::HashEntry | K::SelectorEntry | K::Attribute | K::AttributeSplat)
}

impl<'t> Lowering<'t> {
    /// The conversion of what begins with the element `at`.
    pub(crate) fn new(tree: &'t Tree, options: &'t Options, at: u32) -> Lowering<'t> {
        Lowering {
            tree,
            text: tree.text(),
            options,
            document: Document::default(),
            at,
            unit: indentation_unit(tree).unwrap_or(options.indent),
            brackets: Vec::new(),
            bodies: 0,
        }
    }

    /// Prints a token with the comments before it and after it on its line.
    fn token(&mut self, token: Node<'t>) {
        self.lead();
        self.document.text(token.text());
        self.at = token.index() + 1;
        self.trail();
    }

    /// Prints a node as it is in the source.
    fn verbatim(&mut self, node: Node<'t>) {
        self.lead();
        self.document.text(node.text());
        self.pass(node);
        self.trail();
    }

    /// Goes on after a node whose text has been printed. The texts of its heredocs that are below it are still to come.
    fn pass(&mut self, node: Node<'t>) {
        let end = node.end_index();
        for tag in node.descendants().filter(|element| element.kind() == K::HeredocTag) {
            if let Some(body) = heredoc_body(tag).filter(|body| body.index() >= end) {
                self.document.push(Op::Heredoc(body.text()));
            }
        }
        self.at = end;
    }

    pub(crate) fn expr(&mut self, node: Node<'t>) {
        match node.kind() {
            K::SqString | K::DqString => self.string(node),
            K::HeredocTag => {
                self.lead();
                self.document.text(node.text());
                if let Some(body) = heredoc_body(node) {
                    self.document.push(Op::Heredoc(body.text()));
                }
                self.at = node.end_index();
                self.trail();
            }
            kind if kind.is_token() => self.token(node),
            _ => deep(|| self.node(node)),
        }
    }

    fn node(&mut self, node: Node<'t>) {
        match node.kind() {
            K::InterpolatedString => self.interpolated(node),
            K::Array => self.list_of(node, ListForm::ARRAY),
            K::Hash => self.list_of(node, ListForm::BRACES),
            K::Arguments => self.list_of(node, ListForm::ARGUMENTS),
            K::Parameters => self.parameters(node),
            K::HashEntry | K::SelectorEntry => self.entry(node, &mut list::Arrows::default()),
            K::Binary => self.binary(node),
            K::Relationship => self.relationship(node),
            K::Assignment => self.assignment(node, &mut align::Rows::default()),
            K::Not => self.not(node),
            K::Negate | K::Unfold => self.sequence(node),
            K::Paren => self.paren(node),
            K::Selector => self.selector(node),
            K::Access | K::AliasedAccess => self.access(node),
            K::Call => self.call(node),
            K::MethodCall => self.method_call(node),
            K::StatementCall | K::BareCall => self.statement_call(node),
            K::Lambda => self.lambda(node),
            K::If | K::Unless => self.condition(node),
            K::Case => self.case(node),
            K::Block => self.block(node),
            K::Virtual => self.virtual_resource(node),
            K::Resource => self.resource(node),
            K::ResourceDefaults | K::ResourceOverride | K::UntitledResource => self.attributes_of(node),
            K::Collector => self.collector(node),
            K::ClassDefinition
            | K::DefineDefinition
            | K::FunctionDefinition
            | K::PlanDefinition
            | K::TypeDefinition => self.definition(node),
            K::NodeDefinition => self.node_definition(node),
            K::Apply => self.apply(node),
            K::TypeAlias => self.type_alias(node),
            K::ReturnType => self.spaced(node),
            _ => self.verbatim(node),
        }
    }

    /// The levels by which the elements of a list are indented: one, or as many as brackets were opened on the line, if the author had it so.
    fn levels(&self, open: Node<'t>, first: Node<'t>) -> u32 {
        if !self.starts_line(first) {
            return 1;
        }
        let line = self.line_start(open.start());
        let beside = self.brackets.iter().rev().take_while(|bracket| **bracket == line).count() as u32;
        let depth = self.line_indent(first).saturating_sub(self.line_indent(open));
        (depth / self.unit).clamp(1, beside + 1)
    }

    fn indent(&mut self, levels: u32) {
        (0..levels).for_each(|_| self.document.push(Op::Indent));
    }

    fn dedent(&mut self, levels: u32) {
        (0..levels).for_each(|_| self.document.push(Op::Dedent));
    }

    /// A node that is all list.
    fn list_of(&mut self, node: Node<'t>, form: ListForm) {
        let parts: Vec<Node<'t>> = node.children().collect();
        self.list(&parts, form);
    }

    /// The parts one after the other, without blanks.
    fn sequence(&mut self, node: Node<'t>) {
        for part in node.children() {
            self.expr(part);
        }
    }

    /// The parts with a space between them.
    fn spaced(&mut self, node: Node<'t>) {
        for (index, part) in node.children().enumerate() {
            if index > 0 {
                self.document.space();
            }
            self.expr(part);
        }
    }
}

fn heredoc_body(tag: Node<'_>) -> Option<Node<'_>> {
    kukla_syntax::ast::Heredoc::cast(tag)?.body()
}
