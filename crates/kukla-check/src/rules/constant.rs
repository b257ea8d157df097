//! Expressions that depend on nothing but the text: they are evaluated, and their errors are those of every compilation that
//! reaches them.

use std::sync::{Mutex, PoisonError};

use kukla::catalog::types;
use kukla::eval::function::Quality;
use kukla::eval::registry::FunctionOrigin;
use kukla::eval::settings::Settings;
use kukla::syntax::ast::{Expr, Lambda};
use kukla::syntax::tree::Node;
use kukla::syntax::{Location, Source, Span, Strict, SyntaxKind as K, Tree, deep};
use kukla::values::{Limits, Name, Type};
use kukla::{Compiler, Diagnostic, MemoryWorld, SiteSpec};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::finding::Finding;
use crate::repository::definition;

/// The errors of expressions that were evaluated before, by their texts. They depend on nothing else.
#[derive(Debug, Default)]
pub struct Trials(Mutex<FxHashMap<Box<str>, Option<Box<Diagnostic>>>>);

/// The number of texts after which the errors are forgotten.
const MANY: usize = 100_000;

/// The most that one expression may use: more belongs into a compilation.
const LIMITS: fn() -> Limits = || Limits {
    steps: 100_000,
    memory: 8 << 20,
    logs: 100,
    depth: 100,
    resources: 100,
    elements: 10_000,
    text: 1 << 20,
    nesting: 200,
    deadline: None,
};

/// A name that is free in an expression that leaves the lambda around it.
const JUMP: &str = "break()";

/// The errors of the constant expressions of a text, except where there are findings already.
pub fn check(
    trials: &Trials,
    tree: &Tree,
    source: &Source,
    strict: Strict,
    known: &[Finding],
) -> Vec<Finding> {
    let mut search = Search::default();
    let rest = search.visit(tree.root());
    search.found.extend(rest.pending);
    let mut findings: Vec<Finding> = Vec::new();
    for expr in search.found {
        let Some((program, before)) = program(expr) else { continue };
        let Some(failure) = trials.failure(&program, strict) else { continue };
        let moved = moved(*failure, before, expr.span(), source);
        if !known.iter().any(|one| one.diagnostic.is_error() && is_in(&one.diagnostic, expr.span(), source)) {
            findings.push(Finding::from(moved));
        }
    }
    findings
}

/// Whether a diagnostic is about a span of a text.
fn is_in(known: &Diagnostic, span: Span, source: &Source) -> bool {
    known.position.as_ref().and_then(|position| position.location()).is_some_and(|at| {
        at.source.name() == source.name() && span.start <= at.span.start && at.span.start < span.end
    })
}

/// The manifest that evaluates an expression, and the number of bytes before the expression in it.
fn program(expr: Expr<'_>) -> Option<(String, u32)> {
    let text = expr.syntax().text();
    Some(match expr {
        Expr::Resource(_) | Expr::Collector(_) | Expr::Relationship(_) | Expr::Assignment(_) => {
            (text.to_owned(), 0)
        }
        Expr::Call(call) if call.syntax().kind() == K::StatementCall => (text.to_owned(), 0),
        // An object type is resolved when it is used.
        Expr::TypeAlias(alias) => (format!("{text}\n{}", alias.name()?), 0),
        Expr::Unfold(_) | Expr::Error(_) => return None,
        _ => (format!("({text}\n)"), 1),
    })
}

/// A diagnostic of a program of its own, at its position in the text.
fn moved(mut failure: Diagnostic, before: u32, span: Span, source: &Source) -> Diagnostic {
    failure.position.get_or_insert(span.into());
    let labels = failure.labels.iter_mut().map(|label| &mut label.position);
    failure.position.iter_mut().chain(&mut failure.focus).chain(labels).for_each(|position| {
        let found = position.location().map(|location| location.span);
        // What comes after the expression is not in the text.
        let found =
            found.filter(|found| found.start >= before && found.end <= before + (span.end - span.start));
        let span = found.map_or(span, |found| Span {
            start: found.start - before + span.start,
            end: found.end - before + span.start,
            point: found.point.max(before) - before + span.start,
        });
        *position = Location { source: source.clone(), span }.into();
    });
    failure.stage = kukla::syntax::Stage::Validation;
    failure.trace.clear();
    failure.within.clear();
    failure
}

impl Trials {
    /// The error of a program, if it has one.
    fn failure(&self, program: &str, strict: Strict) -> Option<Box<Diagnostic>> {
        let table = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = table().get(program) {
            return known.clone();
        }
        let failure = evaluate(program, strict);
        let mut table = table();
        if table.len() > MANY {
            table.clear();
        }
        table.insert(program.into(), failure.clone());
        failure
    }
}

fn evaluate(program: &str, strict: Strict) -> Option<Box<Diagnostic>> {
    let settings = Settings { strict, limits: LIMITS(), ..Settings::default() };
    let spec = SiteSpec { code: Some(program.to_owned()), settings, ..SiteSpec::default() };
    let site = Compiler::new(MemoryWorld::default()).open_new(&spec).ok()?;
    let failure = site.eval(&kukla::Node::named("check")).result.err()?;
    is_certain(&failure).then_some(failure)
}

/// Whether an error is one of the program, not of its size or of the world that it lacks.
fn is_certain(failure: &Diagnostic) -> bool {
    const ELSEWHERE: &[&str] = &[
        "DEADLINE_PASSED",
        "DUPLICATE_DECLARATION",
        "EVALUATION_LIMIT",
        "GENERATOR_FAILED",
        "MEMORY_LIMIT",
        "NESTED_TOO_DEEP",
        "RECURSION_LIMIT",
        "TEXT_TOO_LONG",
        "TOO_MANY_ELEMENTS",
        "TOO_MANY_ELEMENTS_IN_ALL",
        "TOO_MANY_LOGS",
        "TOO_MANY_RESOURCES",
        "TOO_MUCH_TEXT_IN_ALL",
        "UNKNOWN_CLASS",
        "UNKNOWN_FUNCTION",
        "UNKNOWN_CALLED_FUNCTION",
        "UNKNOWN_DECLARED_CLASS",
        "UNKNOWN_RESOURCE_TYPE",
        "UNKNOWN_RESOURCE",
    ];
    failure.is_error()
        && failure.stage == kukla::syntax::Stage::Evaluation
        && !ELSEWHERE.contains(&failure.code.name)
}

/// A search for the largest constant expressions.
#[derive(Default)]
struct Search<'t> {
    found: Vec<Expr<'t>>,
}

/// The result for a part of the tree.
#[derive(Default)]
struct Part<'t> {
    /// The variables that are set outside of it.
    free: FxHashSet<&'t str>,
    /// Whether it depends on something else that is outside.
    is_open: bool,
    /// The constant expressions in it that are to be evaluated.
    pending: Vec<Expr<'t>>,
}

impl<'t> Part<'t> {
    fn open() -> Part<'t> {
        Part { is_open: true, ..Part::default() }
    }

    fn is_constant(&self) -> bool {
        !self.is_open && self.free.is_empty()
    }
}

impl<'t> Search<'t> {
    fn visit(&mut self, node: Node<'t>) -> Part<'t> {
        if node.kind().is_trivia() {
            return Part::default();
        }
        let mut part = Part::default();
        let mut constants = Vec::new();
        if !node.kind().is_token() {
            for child in node.children() {
                let child = deep(|| self.visit(child));
                match child.is_constant() {
                    true => constants.extend(child.pending),
                    false => self.found.extend(child.pending),
                }
                part.free.extend(child.free);
                part.is_open |= child.is_open;
            }
        }
        part.pending = constants;
        match Expr::cast(node) {
            Some(Expr::TypeAlias(alias)) => {
                part.free.remove(alias.name().unwrap_or_default());
            }
            Some(Expr::Assignment(assignment)) => {
                for target in assignment.left().syntax().descendants() {
                    if let Some(Expr::Variable(variable)) = Expr::cast(target) {
                        part.free.remove(variable.name());
                    }
                }
            }
            _ => {}
        }
        let Some(expr) = Expr::cast(node) else {
            if let Some(lambda) = Lambda::cast(node) {
                bind(&mut part, lambda);
            }
            return part;
        };
        match nature(expr) {
            Nature::Plain => part,
            Nature::Free(name) => {
                part.free.insert(name);
                part
            }
            Nature::Open => {
                self.found.append(&mut part.pending);
                Part::open()
            }
            // What it contains is evaluated with it.
            Nature::Whole if part.is_constant() => Part { pending: vec![expr], ..part },
            Nature::Choice if part.is_constant() && !part.pending.is_empty() => {
                Part { pending: vec![expr], ..part }
            }
            Nature::Whole | Nature::Choice => part,
        }
    }
}

/// Removes the variables that a lambda sets itself.
fn bind<'t>(part: &mut Part<'t>, lambda: Lambda<'t>) {
    for parameter in lambda.parameters() {
        part.free.remove(parameter.name());
    }
    for name in lambda.body().map(|body| definition::assigned(body.syntax())).unwrap_or_default() {
        part.free.remove(name.as_str());
    }
    part.free.remove(JUMP);
}

/// The effect of an expression on its parts.
enum Nature<'t> {
    /// Nothing: it cannot fail where its parts do not.
    Plain,
    /// It may fail.
    Whole,
    /// It decides which of its parts are evaluated.
    Choice,
    /// It needs a variable.
    Free(&'t str),
    /// It needs something else.
    Open,
}

fn nature(expr: Expr<'_>) -> Nature<'_> {
    match expr {
        Expr::Undef(_)
        | Expr::Default(_)
        | Expr::Boolean(_)
        | Expr::Number(_)
        | Expr::String(_)
        | Expr::Regex(_)
        | Expr::Name(_)
        | Expr::Interpolated(_)
        | Expr::Array(_)
        | Expr::Hash(_)
        | Expr::Paren(_)
        | Expr::Not(_)
        | Expr::Unfold(_)
        | Expr::RenderText(_) => Nature::Plain,
        Expr::Type(name) if is_builtin_type(name.name()) => Nature::Plain,
        Expr::Type(name) => Nature::Free(name.name()),
        Expr::Variable(variable) => Nature::Free(variable.name()),
        // The number of the variables may be another one than that of the values.
        Expr::Assignment(assignment) if matches!(assignment.left(), Expr::Array(_) | Expr::Hash(_)) => {
            Nature::Whole
        }
        Expr::Assignment(_) | Expr::If(_) | Expr::Unless(_) | Expr::Case(_) => Nature::Choice,
        Expr::Binary(_) | Expr::Negate(_) | Expr::Selector(_) => Nature::Whole,
        Expr::Relationship(_) => Nature::Whole,
        Expr::Access(access) => match access.left() {
            // The value of an attribute depends on the catalog.
            Expr::Access(inner) if is_reference(inner.left()) => Nature::Open,
            _ => Nature::Whole,
        },
        Expr::Call(call) => match call.function() {
            Expr::Name(name) => call_nature(name.name(), call.arguments().next()),
            Expr::Type(name) if name.name().trim_start_matches("::") == "Deferred" => Nature::Open,
            Expr::Type(_) | Expr::Access(_) => Nature::Whole,
            _ => Nature::Open,
        },
        Expr::MethodCall(call) => call_nature(call.name(), Some(call.receiver())),
        Expr::Resource(resource) => match resource.type_expr() {
            Some(Expr::Name(name)) if types::core(name.name().trim_start_matches("::")).is_some() => {
                let is_usual = resource.bodies().all(|body| {
                    let mut attributes = body.attributes();
                    matches!(body.title().unwrap_parens(), Expr::String(title) if !title.value().is_empty())
                        && attributes.all(|one| one.operator() == kukla::syntax::ast::AttributeOp::Set)
                });
                if is_usual { Nature::Plain } else { Nature::Whole }
            }
            // A class is declared by a name that is not empty.
            None => {
                let is_name = |body: kukla::syntax::ast::ResourceBody<'_>| {
                    !matches!(
                        body.title().unwrap_parens(),
                        Expr::Number(_) | Expr::Boolean(_) | Expr::Undef(_)
                    ) && crate::repository::literal::text(body.title()).is_none_or(|text| !text.is_empty())
                };
                if resource.bodies().all(is_name) { Nature::Open } else { Nature::Whole }
            }
            _ => Nature::Open,
        },
        Expr::Collector(_) => Nature::Whole,
        Expr::TypeAlias(alias) if alias.object_hash().is_some() => Nature::Whole,
        _ => Nature::Open,
    }
}

fn call_nature<'t>(name: &str, first: Option<Expr<'_>>) -> Nature<'t> {
    const PURE: fn(&Quality) -> bool = |quality| {
        matches!(quality, Quality::Logs | Quality::Deprecated | Quality::TypedResult | Quality::ReadsClock)
    };
    match name {
        "break" | "next" | "return" => return Nature::Free(JUMP),
        // They fail for some values, whatever is declared.
        "include" | "contain" | "require" | "realize" | "tag" | "defined" | "generate" | "import" => {
            return Nature::Whole;
        }
        "inline_epp" => {
            let text = first.and_then(crate::repository::literal::text);
            let is_closed = text.is_some_and(|text| !text.contains('$') && !text.contains("epp"));
            return if is_closed { Nature::Whole } else { Nature::Open };
        }
        _ => {}
    }
    let function = Name::existing(name).and_then(|name| kukla::registry().get(name));
    match function {
        Some(function)
            if function.origin == FunctionOrigin::Core && function.builtin.qualities.iter().all(PURE) =>
        {
            Nature::Whole
        }
        _ => Nature::Open,
    }
}

/// Whether an expression names a type of resources.
fn is_reference(expr: Expr<'_>) -> bool {
    matches!(expr, Expr::Type(name) if !is_data_type(name.name()))
}

fn is_data_type(name: &str) -> bool {
    let name = name.trim_start_matches("::");
    !matches!(name, "Class" | "Resource")
        && Type::parse(name).is_ok_and(|ty| !matches!(ty, Type::Reference(_) | Type::Alias(_)))
}

/// Whether a name means the same in all repositories.
fn is_builtin_type(name: &str) -> bool {
    let bare = name.trim_start_matches("::");
    matches!(bare, "Class" | "Resource") || is_data_type(name) || types::core(&bare.to_lowercase()).is_some()
}
