//! A walk through one text, which looks up names, infers types, and calls the rules.

use std::sync::Arc;

use kukla::Diagnostic;
use kukla::syntax::ast::{self, Expr, Manifest, Statements, Template};
use kukla::syntax::tree::Node;
use kukla::syntax::{Source, Span, Tree};
use kukla::values::{Str, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::finding::{Finding, Fix};
use crate::repository::definition::Fingerprint;
use crate::repository::{Definition, Index, Kind, Question, definition};
use crate::rule::RuleSelection;

mod branch;
mod call;
mod expression;
mod operator;
mod resource;
mod scope;

pub use branch::may_match;
pub use call::Argument;
pub use scope::{ALWAYS, Scope, ScopeKind};

/// The dependencies of a text on the rest of the repository: its findings are valid while these are unchanged.
#[derive(Debug, Default)]
pub struct Dependencies {
    /// The fingerprints of definitions by kind and name; the default for a missing one.
    pub definitions: FxHashMap<(Kind, Str), Fingerprint>,
    /// Whether a variable of that name is set anywhere.
    pub variables: FxHashMap<Str, bool>,
    /// Other questions, with fingerprints of the answers.
    pub questions: FxHashMap<Question, u64>,
    /// The names in the text that are defined nowhere, so that the findings depend on all definitions with similar names.
    pub unknown: FxHashSet<Str>,
}

/// A walk through one text.
#[derive(Debug)]
pub struct Walk<'i> {
    /// The repository.
    pub index: &'i Index,
    /// The text.
    pub source: &'i Source,
    /// The module that it belongs to.
    pub module: Option<&'i str>,
    /// Whether all modules that it can use are here, so that a missing name is an error.
    pub complete: bool,
    /// The rules to apply beyond those that always apply.
    pub selection: RuleSelection,
    /// The findings.
    pub findings: Vec<Finding>,
    /// The dependencies.
    pub dependencies: Dependencies,
    /// The scopes around, innermost last.
    pub scopes: Vec<Scope>,
    /// The types of variables that follow from the tests around.
    narrowed: Vec<Narrowed>,
    /// Variables that branches have set, which the branches beside them do not see.
    branched: Vec<(Str, Type)>,
    /// The tests that decide whether the current expression is evaluated.
    tests: Vec<Span>,
    /// The variable that the current test compares with nothing, as in `if !$name`.
    pub questioned: Option<Str>,
    /// The types of all expressions, if they are asked for.
    types: Option<Vec<(Span, Type)>>,
}

/// The type of a variable that follows from a test, and the depth of scopes at that test: a variable set deeper is another one.
#[derive(Debug)]
struct Narrowed {
    name: Str,
    ty: Type,
    depth: usize,
}

/// Walks through a text. `complete`: whether all modules that it can use are here.
pub fn walk<'i>(
    index: &'i Index,
    source: &'i Source,
    tree: &Tree,
    module: Option<&'i str>,
    complete: bool,
    selection: RuleSelection,
) -> Walk<'i> {
    walked(index, source, tree, module, complete, selection, None)
}

/// The types of the expressions of a text, in the order in which they are known.
pub fn types(index: &Index, source: &Source, tree: &Tree, module: Option<&str>) -> Vec<(Span, Type)> {
    let walk = walked(index, source, tree, module, false, RuleSelection::default(), Some(Vec::new()));
    walk.types.unwrap_or_default()
}

fn walked<'i>(
    index: &'i Index,
    source: &'i Source,
    tree: &Tree,
    module: Option<&'i str>,
    complete: bool,
    selection: RuleSelection,
    types: Option<Vec<(Span, Type)>>,
) -> Walk<'i> {
    let mut walk = Walk {
        index,
        source,
        module,
        complete,
        selection,
        findings: Vec::new(),
        dependencies: Dependencies::default(),
        scopes: Vec::new(),
        narrowed: Vec::new(),
        branched: Vec::new(),
        tests: Vec::new(),
        questioned: None,
        types,
    };
    if let Some(manifest) = Manifest::of(tree) {
        walk.scoped(Scope::new(ScopeKind::Top, definition::assigned(manifest.syntax())), |walk| {
            walk.body(manifest.statements());
        });
    } else if let Some(template) = Template::of(tree) {
        let kind = ScopeKind::Template { is_closed: template.has_parameter_list() };
        walk.scoped(Scope::new(kind, definition::assigned(template.syntax())), |walk| {
            walk.parameters(template.parameters());
            walk.body(template.statements());
        });
    }
    walk
}

impl<'i> Walk<'i> {
    /// Reports a problem.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.report_with(diagnostic, None);
    }

    /// Reports a problem, with its fix.
    pub fn report_with(&mut self, diagnostic: Diagnostic, fix: Option<Fix>) {
        let diagnostic = diagnostic.in_stage(kukla::syntax::Stage::Validation).in_source(self.source);
        self.findings.push(Finding::from(diagnostic).with_fix(fix));
    }

    /// The class of that name.
    pub fn class(&mut self, name: &str) -> Option<Arc<Definition>> {
        let found = self.index.classes.get(name).cloned();
        if found.is_none() {
            self.dependencies.unknown.insert(name.into());
        }
        self.record_dependency(Kind::Class, name, found.as_deref());
        found
    }

    /// Records that the findings depend on a definition, or on its absence.
    pub fn record_dependency(&mut self, kind: Kind, name: &str, found: Option<&Definition>) {
        let answer = || found.map(Definition::fingerprint).unwrap_or_default();
        self.dependencies.definitions.entry((kind, name.into())).or_insert_with(answer);
    }

    /// Records that the findings depend on the answer to a question.
    pub fn depend_on(&mut self, question: Question) {
        if !self.dependencies.questions.contains_key(&question) {
            let answer = self.index.answer(&question);
            self.dependencies.questions.insert(question, answer);
        }
    }

    /// Runs `body` in a scope of its own.
    fn scoped<T>(&mut self, scope: Scope, body: impl FnOnce(&mut Self) -> T) -> T {
        let is_lambda = scope.kind == ScopeKind::Lambda;
        let (narrowed, tests) = match is_lambda {
            true => (Vec::new(), Vec::new()),
            false => (std::mem::take(&mut self.narrowed), std::mem::take(&mut self.tests)),
        };
        self.scopes.push(scope);
        let done = body(self);
        self.scopes.pop();
        if !is_lambda {
            self.narrowed = narrowed;
            self.tests = tests;
        }
        done
    }

    /// Whether a test around the current expression mentions a name.
    pub fn is_tested(&self, name: &str) -> bool {
        self.tests.iter().any(|test| self.source.text()[test.range()].contains(name))
    }

    /// Walks through statements in order; the result is the type of the last one.
    pub fn body(&mut self, statements: Statements<'_>) -> Type {
        self.check_unreachable(statements.clone());
        let mut last = Type::Undef;
        for statement in statements {
            last = self.infer(statement);
        }
        last
    }

    /// Declares parameters, whose defaults see the parameters before them.
    pub fn parameters<'t>(&mut self, parameters: impl Iterator<Item = ast::Parameter<'t>>) {
        for parameter in parameters {
            let mut declared = None;
            if let Some(written) = parameter.type_expr() {
                self.type_names(written);
                declared = self.index.types.read(written.syntax().text());
            }
            if let Some(default) = parameter.default() {
                let given = self.infer(default);
                self.check_default(parameter, declared.as_ref(), default, &given);
            }
            let mut ty = declared.unwrap_or(Type::Any);
            if parameter.captures_rest() {
                ty = Type::any_array();
            }
            let span = parameter.name_token().map(Node::span).unwrap_or_default();
            self.set_parameter(parameter.name(), span, ty);
        }
    }

    /// Walks through a definition.
    fn definition(&mut self, expr: Expr<'_>) {
        match expr {
            Expr::ClassDefinition(class) => {
                let name = self.full_name(class.name());
                if let (Some(parent), Some(token)) = (class.parent(), class.parent_token()) {
                    self.check_class_name(parent, token.span());
                    self.check_inheritance(&name, parent, token.span());
                }
                self.check_parameter_names(class.name(), class.parameters());
                let assigned =
                    class.body().map(|body| definition::assigned(body.syntax())).unwrap_or_default();
                self.scoped(Scope::new(ScopeKind::Class(name), assigned), |walk| {
                    walk.parameters(class.parameters());
                    walk.body(class.statements());
                });
            }
            Expr::DefineDefinition(define) => {
                let name = self.full_name(define.name());
                self.check_parameter_names(define.name(), define.parameters());
                let assigned =
                    define.body().map(|body| definition::assigned(body.syntax())).unwrap_or_default();
                self.scoped(Scope::new(ScopeKind::Define(name), assigned), |walk| {
                    walk.parameters(define.parameters());
                    walk.body(define.statements());
                });
            }
            Expr::FunctionDefinition(function) => {
                let assigned =
                    function.body().map(|body| definition::assigned(body.syntax())).unwrap_or_default();
                self.scoped(Scope::new(ScopeKind::Function, assigned), |walk| {
                    walk.parameters(function.parameters());
                    if let Some(ty) = function.return_type() {
                        walk.type_names(ty);
                    }
                    let returned = walk.body(function.statements());
                    walk.check_return_type(function, &returned);
                });
            }
            Expr::NodeDefinition(node) => {
                let assigned =
                    node.body().map(|body| definition::assigned(body.syntax())).unwrap_or_default();
                self.scoped(Scope::new(ScopeKind::Node, assigned), |walk| {
                    walk.body(node.statements());
                });
            }
            Expr::TypeAlias(alias) => {
                self.check_alias_name(alias);
                if alias.object_hash().is_none() {
                    self.type_names(alias.right());
                }
            }
            _ => {}
        }
    }

    /// The full name of a definition inside of the classes around.
    fn full_name(&self, name: &str) -> Str {
        let around = self.scopes.iter().rev().find_map(|scope| match &scope.kind {
            ScopeKind::Class(name) => Some(name.as_str()),
            _ => None,
        });
        match around {
            Some(around) => crate::repository::plain(&format!("{around}::{name}")),
            None => crate::repository::plain(name),
        }
    }

    /// The names of variables that are visible here.
    pub fn visible(&self) -> FxHashSet<&str> {
        let mut names: FxHashSet<&str> = FxHashSet::default();
        for scope in self.scopes.iter().rev() {
            names.extend(scope.variables.keys().map(|name| name.as_str()));
            names.extend(scope.assigned.iter().map(|name| name.as_str()));
            if scope.kind != ScopeKind::Lambda {
                break;
            }
        }
        names
    }
}
