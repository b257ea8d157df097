//! Lowering: from the syntax tree to a [`Program`].

mod definition;
mod expression;
mod resource;

use kukla_syntax::validate::{Rules, validate};
use kukla_syntax::{Diagnostic, Severity, Source, Span, ast};
use kukla_values::{Name, Value};

use crate::error::{Location, Stage};
use crate::program::{Definition, EppHead, Expr, Kind, Program, Questions};

/// Reads, checks and lowers a manifest.
pub fn lower(source: &Source, rules: &Rules<'_>) -> Result<Program, Box<Diagnostic>> {
    let parse = kukla_syntax::parse_with(source, kukla_syntax::ParseOptions { tasks: rules.tasks });
    let mut warnings = Vec::new();
    sort_out(source, parse.diagnostics, &mut warnings)?;
    sort_out(source, validate(&parse.tree, rules), &mut warnings)?;
    let mut lowering = Lowering::new(source);
    let statements = ast::Manifest::of(&parse.tree).into_iter().flat_map(ast::Manifest::statements);
    let main = lowering.statements(statements, Span::at(0));
    lowering.finish(main, None, warnings)
}

/// Reads, checks and lowers a template.
pub fn lower_epp(source: &Source, rules: &Rules<'_>) -> Result<Program, Box<Diagnostic>> {
    let parse = kukla_syntax::parse_epp(source);
    let mut warnings = Vec::new();
    sort_out(source, parse.diagnostics, &mut warnings)?;
    sort_out(source, validate(&parse.tree, rules), &mut warnings)?;
    let mut lowering = Lowering::new(source);
    let template = ast::Template::of(&parse.tree);
    let params = lowering.params(template.into_iter().flat_map(ast::Template::parameters));
    let specified = template.is_some_and(ast::Template::has_parameter_list);
    let body = lowering.statements(template.into_iter().flat_map(ast::Template::statements), Span::at(0));
    let main = Expr { span: body.span, kind: Kind::Epp(Box::new(body)) };
    lowering.finish(main, Some(EppHead { params, specified }), warnings)
}

/// Keeps warnings and makes one failure of all errors.
fn sort_out(
    source: &Source,
    diagnostics: Vec<Diagnostic>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(), Box<Diagnostic>> {
    let (errors, others): (Vec<_>, Vec<_>) =
        diagnostics.into_iter().partition(|d| d.severity == Severity::Error);
    warnings.extend(others);
    let mut errors = errors.into_iter().map(|wrong| wrong.in_source(source));
    match errors.next() {
        None => Ok(()),
        Some(mut first) => {
            first.others = errors.collect();
            // Puppet reads no further than the first mistake.
            let read = Some(first.span().start).filter(|_| first.stage == Stage::Syntax);
            warnings.retain(|warning| read.is_none_or(|read| warning.span().start <= read));
            first.warnings = std::mem::take(warnings);
            Err(Box::new(first))
        }
    }
}

/// What lowering carries along.
struct Lowering<'s> {
    source: &'s Source,
    questions: Questions,
    definitions: Vec<Definition>,
    /// The classes around what is being lowered, joined.
    container: Option<Name>,
    failure: Option<Diagnostic>,
}

impl<'s> Lowering<'s> {
    fn new(source: &'s Source) -> Lowering<'s> {
        Lowering {
            source,
            questions: Questions::default(),
            definitions: Vec::new(),
            container: None,
            failure: None,
        }
    }

    fn finish(
        self,
        main: Expr,
        epp: Option<EppHead>,
        warnings: Vec<Diagnostic>,
    ) -> Result<Program, Box<Diagnostic>> {
        let Lowering { source, questions, definitions, failure, .. } = self;
        match failure {
            Some(failure) => Err(Box::new(failure)),
            None => Ok(Program { text: source.shared_text(), definitions, main, epp, warnings, questions }),
        }
    }

    /// Notes the first thing that is wrong; what stands for it never runs.
    fn refuse(&mut self, wrong: Diagnostic, span: Span) -> Kind {
        if self.failure.is_none() {
            let wrong = wrong.in_stage(Stage::Validation);
            self.failure = Some(wrong.at(Location { source: self.source.clone(), span }));
        }
        Kind::Literal(Value::Undef)
    }

    /// Several statements as one expression.
    fn statements<'t>(&mut self, statements: impl Iterator<Item = ast::Expr<'t>>, span: Span) -> Expr {
        let mut lowered: Vec<Expr> = Vec::new();
        for statement in statements {
            let expr = self.expr(statement);
            lowered.push(expr);
        }
        match lowered.len() {
            0 => Expr { span, kind: Kind::Nop },
            1 => lowered.remove(0),
            _ => Expr { span: lowered[0].span, kind: Kind::Block(lowered.into()) },
        }
    }

    fn block(&mut self, block: Option<ast::Block<'_>>) -> Expr {
        match block {
            Some(block) => self.statements(block.statements(), block.span()),
            None => Expr { span: Span::at(0), kind: Kind::Nop },
        }
    }
}

/// Where an expression stands: the position Puppet reports, and the end.
fn span_of(expr: ast::Expr<'_>) -> Span {
    position(expr.puppet_offset(), expr.span())
}

fn position(offset: u32, span: Span) -> Span {
    Span::new(offset, span.end.max(offset))
}
