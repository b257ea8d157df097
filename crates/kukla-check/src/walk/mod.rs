//! A walk through one text: names are looked up and types found out on the way, and rules say what they think of it.

use std::sync::Arc;

use kukla::Diagnostic;
use kukla::syntax::ast::{self, Expr, Manifest, Statements, Template};
use kukla::syntax::{Source, Span, Tree};
use kukla::values::{Str, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::finding::{Finding, Fix};
use crate::repository::{Definition, Index, Kind, definition};
use crate::rule::Asks;

mod branch;
mod call;
mod expression;
mod operator;
mod resource;
mod scope;

pub use branch::may_match;
pub use call::Argument;
pub use scope::{ALWAYS, Scope, ScopeKind};

/// What is asked of the rest of the repository while a text is walked through: its findings hold for as long as the answers do.
#[derive(Debug, Default)]
pub struct Asked {
    /// What a name stands for, as a fingerprint; nothing is zero.
    pub definitions: FxHashMap<(Kind, Str), u64>,
    /// Whether anything sets a variable of that name.
    pub variables: FxHashMap<Str, bool>,
}

/// One text being walked through.
#[derive(Debug)]
pub struct Walk<'i> {
    /// The repository.
    pub index: &'i Index,
    /// The text.
    pub source: &'i Source,
    /// The module it belongs to.
    pub module: Option<&'i str>,
    /// Whether all modules are here that it can make use of, so that what is not found is nowhere.
    pub complete: bool,
    /// What is asked for.
    pub asks: Asks,
    /// What was found.
    pub findings: Vec<Finding>,
    /// What was asked.
    pub asked: Asked,
    /// The scopes around, innermost last.
    pub scopes: Vec<Scope>,
    /// What tests have shown of variables, for as long as it holds.
    narrowed: Vec<Narrowed>,
    /// Variables that branches have set, which are not set in the branches beside them.
    branched: Vec<(Str, Type)>,
    /// How many conditions the current statement stands under.
    pub conditions: usize,
    /// The titles of resources in the bodies around, by type and title, to find duplicates.
    pub declared: Vec<FxHashMap<(Str, Str), Span>>,
}

/// What a test has shown of a variable, and how deep in scopes it was made: what is set deeper is another variable.
#[derive(Debug)]
struct Narrowed {
    name: Str,
    ty: Type,
    depth: usize,
}

/// Walks through a text.
pub fn walk<'i>(
    index: &'i Index,
    source: &'i Source,
    tree: &Tree,
    module: Option<&'i str>,
    asks: Asks,
) -> Walk<'i> {
    let mut walk = Walk {
        index,
        source,
        module,
        complete: index.survey.is_complete_for(module),
        asks,
        findings: Vec::new(),
        asked: Asked::default(),
        scopes: Vec::new(),
        narrowed: Vec::new(),
        branched: Vec::new(),
        conditions: 0,
        declared: Vec::new(),
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
    /// Reports something.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.report_with(diagnostic, None);
    }

    /// Reports something, with what would mend it.
    pub fn report_with(&mut self, diagnostic: Diagnostic, fix: Option<Fix>) {
        let diagnostic = diagnostic.in_stage(kukla::syntax::Stage::Validation).in_source(self.source);
        self.findings.push(Finding::from(diagnostic).with_fix(fix));
    }

    /// The class of that name.
    pub fn class(&mut self, name: &str) -> Option<Arc<Definition>> {
        let found = self.index.classes.get(name).cloned();
        self.ask(Kind::Class, name, found.as_deref());
        found
    }

    /// Notes what the answer to a question was.
    pub fn ask(&mut self, kind: Kind, name: &str, found: Option<&Definition>) {
        let answer = || found.map_or(0, Definition::fingerprint);
        self.asked.definitions.entry((kind, name.into())).or_insert_with(answer);
    }

    /// Does something in a scope of its own.
    fn scoped<T>(&mut self, scope: Scope, body: impl FnOnce(&mut Self) -> T) -> T {
        let conditions = std::mem::take(&mut self.conditions);
        let narrowed =
            if scope.kind == ScopeKind::Lambda { Vec::new() } else { std::mem::take(&mut self.narrowed) };
        let is_lambda = scope.kind == ScopeKind::Lambda;
        self.scopes.push(scope);
        self.declared.push(FxHashMap::default());
        let done = body(self);
        self.declared.pop();
        self.scopes.pop();
        self.conditions = conditions;
        if !is_lambda {
            self.narrowed = narrowed;
        }
        done
    }

    /// Walks through statements one after the other; what they come to is what the last one comes to.
    pub fn body(&mut self, statements: Statements<'_>) -> Type {
        self.check_reached(statements.clone());
        let mut last = Type::Undef;
        for statement in statements {
            last = self.infer(statement);
        }
        last
    }

    /// Declares parameters, whose defaults see those before them.
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
            if let Some(scope) = self.scopes.last_mut() {
                scope.variables.insert(parameter.name().into(), ty);
            }
        }
    }

    /// Walks through a definition.
    fn definition(&mut self, expr: Expr<'_>) {
        match expr {
            Expr::ClassDefinition(class) => {
                let name = self.full_name(class.name());
                if let (Some(parent), Some(token)) = (class.parent(), class.parent_token()) {
                    self.check_class_name(parent, token.span());
                }
                let assigned =
                    class.body().map(|body| definition::assigned(body.syntax())).unwrap_or_default();
                self.scoped(Scope::new(ScopeKind::Class(name), assigned), |walk| {
                    walk.parameters(class.parameters());
                    walk.body(class.statements());
                });
            }
            Expr::DefineDefinition(define) => {
                let name = self.full_name(define.name());
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
                    walk.check_returned(function, &returned);
                });
            }
            Expr::NodeDefinition(node) => {
                let assigned =
                    node.body().map(|body| definition::assigned(body.syntax())).unwrap_or_default();
                self.scoped(Scope::new(ScopeKind::Node, assigned), |walk| {
                    walk.body(node.statements());
                });
            }
            Expr::TypeAlias(alias) if alias.object_hash().is_none() => self.type_names(alias.right()),
            _ => {}
        }
    }

    /// The full name of what is defined inside of the classes around.
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

    /// The names that could be meant by a variable's name here.
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
