//! Lowering: from the syntax tree to a [`Program`].

mod definition;
mod expression;
mod mention;
mod resource;

use indexmap::IndexSet;
use kukla_syntax::validate::{Rules, validate};
use kukla_syntax::{Diagnostic, Severity, Source, Span, ast};
use kukla_values::{Name, Value};
use rustc_hash::FxBuildHasher;

use crate::coverage::{Mark, MarkKind};
use crate::error::{Location, Stage};
use crate::program::{Definition, EppHead, Expr, Kind, Mention, Program, Questions};

/// Reads, checks and lowers a manifest.
pub fn lower(source: &Source, rules: &Rules<'_>) -> Result<Program, Box<Diagnostic>> {
    lower_marking(source, rules, None)
}

/// The same, with marks if there is a list for them.
pub(crate) fn lower_marking(
    source: &Source,
    rules: &Rules<'_>,
    marks: Option<&mut Vec<Mark>>,
) -> Result<Program, Box<Diagnostic>> {
    let parse = kukla_syntax::parse_with(source, kukla_syntax::ParseOptions { tasks: rules.tasks });
    let mut warnings = Vec::new();
    sort_out(source, parse.diagnostics, &mut warnings)?;
    sort_out(source, validate(&parse.tree, rules), &mut warnings)?;
    let mut lowering = Lowering::new(source, marks);
    let statements = ast::Manifest::of(&parse.tree).into_iter().flat_map(ast::Manifest::statements);
    let main = lowering.statements(statements, parse.tree.root().index(), Span::at(0));
    lowering.finish(main, None, warnings)
}

/// Reads, checks and lowers a template, with marks if there is a list for them.
pub(crate) fn lower_epp(
    source: &Source,
    rules: &Rules<'_>,
    marks: Option<&mut Vec<Mark>>,
) -> Result<Program, Box<Diagnostic>> {
    let parse = kukla_syntax::parse_epp(source);
    let mut warnings = Vec::new();
    sort_out(source, parse.diagnostics, &mut warnings)?;
    sort_out(source, validate(&parse.tree, rules), &mut warnings)?;
    let mut lowering = Lowering::new(source, marks);
    let template = ast::Template::of(&parse.tree);
    let params = lowering.params(template.into_iter().flat_map(ast::Template::parameters));
    let specified = template.is_some_and(ast::Template::has_parameter_list);
    let statements = template.into_iter().flat_map(ast::Template::statements);
    let body = lowering.statements(statements, parse.tree.root().index(), Span::at(0));
    let main = Expr { span: body.span, node: parse.tree.root().index(), kind: Kind::Epp(Box::new(body)) };
    lowering.finish(main, Some(EppHead { params, specified }), warnings)
}

/// Keeps warnings and makes one failure of all errors.
fn sort_out(
    source: &Source,
    diagnostics: Vec<Diagnostic>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(), Box<Diagnostic>> {
    if diagnostics.is_empty() {
        return Ok(());
    }
    let (errors, others): (Vec<_>, Vec<_>) =
        diagnostics.into_iter().partition(|d| d.severity == Severity::Error);
    warnings.extend(others);
    let mut errors = errors.into_iter().map(|wrong| wrong.in_source(source));
    match errors.next() {
        None => Ok(()),
        Some(mut first) => {
            first.others = errors.collect();
            // Puppet reads no further than the first mistake.
            let read = Some(first.span().point).filter(|_| first.stage == Stage::Syntax);
            warnings.retain(|warning| read.is_none_or(|read| warning.span().point <= read));
            first.warnings = std::mem::take(warnings);
            Err(Box::new(first))
        }
    }
}

/// The state of lowering one text.
struct Lowering<'s> {
    source: &'s Source,
    questions: Questions,
    definitions: Vec<Definition>,
    /// The classes around what is being lowered, joined.
    container: Option<Name>,
    is_in_node: bool,
    mentions: IndexSet<Mention, FxBuildHasher>,
    failure: Option<Diagnostic>,
    /// The marks of a program that is to be measured.
    marks: Option<&'s mut Vec<Mark>>,
    /// The definition whose parameters and body are being lowered.
    owner: Option<Name>,
}

impl<'s> Lowering<'s> {
    fn new(source: &'s Source, marks: Option<&'s mut Vec<Mark>>) -> Lowering<'s> {
        Lowering {
            source,
            questions: Questions::default(),
            definitions: Vec::new(),
            container: None,
            is_in_node: false,
            mentions: IndexSet::default(),
            failure: None,
            marks,
            owner: None,
        }
    }

    /// An expression that counts, if the program is to be measured.
    fn mark(&mut self, kind: MarkKind, span: Span) -> Option<Expr> {
        let marks = self.marks.as_mut()?;
        let mark = Mark::new(kind, span);
        let counter = mark.counter();
        marks.push(mark);
        Some(Expr { span, node: 0, kind: Kind::Mark(counter) })
    }

    /// An expression that counts before it is evaluated, if the program is to be measured.
    fn marked(&mut self, kind: MarkKind, span: Span, expr: Expr) -> Expr {
        let Some(mark) = self.mark(kind, span) else { return expr };
        let (span, node) = (expr.span, expr.node);
        Expr { span, node, kind: Kind::Block(Box::new([mark, expr])) }
    }

    /// A statement, after its mark.
    fn push_statement(&mut self, statement: ast::Expr<'_>, lowered: &mut Vec<Expr>) {
        let expr = self.expr(statement);
        let kind = match &expr.kind {
            // What a definition leaves behind.
            Kind::Nop => None,
            Kind::RenderText(_) => Some(MarkKind::Text),
            _ => Some(MarkKind::Statement),
        };
        lowered.extend(kind.and_then(|kind| self.mark(kind, expr.span)));
        lowered.push(expr);
    }

    fn finish(
        self,
        main: Expr,
        epp: Option<EppHead>,
        warnings: Vec<Diagnostic>,
    ) -> Result<Program, Box<Diagnostic>> {
        let Lowering { source, questions, definitions, mentions, failure, .. } = self;
        let (text, mentions) = (source.shared_text(), mentions.into_iter().collect());
        match failure {
            Some(failure) => Err(Box::new(failure)),
            None => Ok(Program { text, definitions, main, epp, warnings, questions, mentions }),
        }
    }

    /// Records the first error; the expression returned in place of the wrong one never runs.
    fn refuse(&mut self, wrong: Diagnostic, span: Span) -> Kind {
        if self.failure.is_none() {
            let wrong = wrong.in_stage(Stage::Validation);
            self.failure = Some(wrong.at(Location { source: self.source.clone(), span }));
        }
        Kind::Literal(Value::Undef)
    }

    /// Several statements as one expression; `span` is for none at all.
    fn statements<'t>(
        &mut self,
        mut statements: impl Iterator<Item = ast::Expr<'t>>,
        node: u32,
        span: Span,
    ) -> Expr {
        let Some(first) = statements.next() else { return Expr { span, node, kind: Kind::Nop } };
        if self.marks.is_some() {
            return self.marked_statements(std::iter::once(first).chain(statements), node);
        }
        let first = self.expr(first);
        // Most blocks hold one, which needs no list.
        let Some(second) = statements.next() else { return first };
        let (start, mut last) = (first.span, first.span);
        let mut lowered = vec![first];
        for statement in std::iter::once(second).chain(statements) {
            let expr = self.expr(statement);
            last = expr.span;
            lowered.push(expr);
        }
        if let [before @ .., _] = &mut lowered[..] {
            before.iter_mut().for_each(forget_value);
        }
        Expr { span: start.cover(last), node, kind: Kind::Block(lowered.into()) }
    }

    /// Several statements as one expression, each after its mark.
    fn marked_statements<'t>(&mut self, statements: impl Iterator<Item = ast::Expr<'t>>, node: u32) -> Expr {
        let mut lowered = Vec::new();
        for statement in statements {
            self.push_statement(statement, &mut lowered);
        }
        if let [before @ .., _] = &mut lowered[..] {
            before.iter_mut().for_each(forget_value);
        }
        let span = lowered.iter().map(|expr| expr.span).reduce(Span::cover).unwrap_or(Span::at(0));
        Expr { span, node, kind: Kind::Block(lowered.into()) }
    }

    fn block(&mut self, block: Option<ast::Block<'_>>) -> Expr {
        match block {
            Some(block) => self.statements(block.statements(), block.syntax().index(), block.span()),
            None => Expr::default(),
        }
    }

    /// The body of what has no value.
    fn body(&mut self, block: Option<ast::Block<'_>>) -> Expr {
        let mut body = self.block(block);
        forget_value(&mut body);
        body
    }
}

/// Marks an expression whose value is not used.
fn forget_value(expr: &mut Expr) {
    match &mut expr.kind {
        Kind::Resource(resource) => resource.is_value = false,
        Kind::Block(statements) => statements.last_mut().into_iter().for_each(forget_value),
        Kind::If(test) => [&mut test.then, &mut test.otherwise].into_iter().for_each(forget_value),
        Kind::Case(case) => case.options.iter_mut().for_each(|option| forget_value(&mut option.then)),
        _ => {}
    }
}

/// The span of an expression, with the position that Puppet reports for it.
fn span_of(expr: ast::Expr<'_>) -> Span {
    expr.span().pointing_at(expr.puppet_offset())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each expression covers its text and knows its node; what messages name is Puppet's business.
    #[test]
    fn expressions_know_their_range_their_node_and_the_column_puppet_reports() {
        let cases = [
            ("1 + 2 * 3", 3),
            ("$a = 3", 4),
            ("$a[1, 2]", 1),
            ("[1].map |$x| { $x }", 4),
            ("[1].join('-')", 9),
            ("$a ? { 1 => 2 }", 1),
            ("notify { 'x': message => 'y' }", 1),
            ("Notify['x'] -> Notify['y']", 13),
            ("if $a { 1 } else { 2 }", 1),
            ("\"a ${b} c\"", 1),
        ];
        for (code, column) in cases {
            let source = Source::unnamed(format!("  {code}\n"));
            let parse = kukla_syntax::parse(&source);
            let program = lower(&source, &Rules { strict: kukla_syntax::Strict::Off, ..Rules::default() })
                .unwrap_or_else(|failure| panic!("{code}: {failure}"));
            let span = program.main.span;
            assert_eq!(&source.text()[span.range()], code);
            assert_eq!(source.line_column(span.point).column, column + 2, "{code}");
            let node = parse.tree.element(program.main.node).expect("it has a node");
            assert_eq!(node.text(), code);
        }
    }
}
