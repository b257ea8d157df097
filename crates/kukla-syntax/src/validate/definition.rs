//! Definitions: where they may stand, what they and their parameters may be called.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::assign::is_qualified_name;
use super::codes::*;
use super::effect::has_no_effect;
use super::label::{Capitalized, label, with_article};
use super::literal::literal;
use super::{Checker, at, at_node};
use crate::ast::{self, Expr, Segment};
use crate::tree::Node;
use crate::{Diagnostic, Span, SyntaxKind as K, diagnostic};

/// Names that belong to types of the language, in order.
const TYPE_NAMES: &[&str] = &[
    "any",
    "array",
    "boolean",
    "collection",
    "enum",
    "float",
    "hash",
    "init",
    "integer",
    "numeric",
    "object",
    "optional",
    "pattern",
    "regexp",
    "runtime",
    "scalar",
    "semver",
    "semverrange",
    "sensitive",
    "string",
    "struct",
    "timespan",
    "timestamp",
    "tuple",
    "type",
    "typeset",
    "unit",
    "variant",
];

impl<'t> Checker<'_, 't> {
    pub(super) fn class(&mut self, node: Node<'t>) {
        let Some(class) = ast::ClassDefinition::cast(node) else { return };
        let expr = Expr::ClassDefinition(class);
        self.named(expr, &self.qualified(class.name()));
        self.attributes_of(expr, class.parameters());
        self.ends_without_effect(expr, class.statements());
        for parameter in class.parameters() {
            if parameter.type_expr().is_some_and(|ty| literal(ty).is_none()) {
                let name = parameter.name();
                self.report(diagnostic!(
                    at_node(parameter.syntax()),
                    ILLEGAL_NONLITERAL_PARAMETER_TYPE { name }
                ));
            }
        }
    }

    pub(super) fn define(&mut self, node: Node<'t>) {
        let Some(define) = ast::DefineDefinition::cast(node) else { return };
        let expr = Expr::DefineDefinition(define);
        self.named(expr, &self.qualified(define.name()));
        self.attributes_of(expr, define.parameters());
        self.ends_without_effect(expr, define.statements());
    }

    pub(super) fn function(&mut self, node: Node<'t>) {
        let Some(expr) = Expr::cast(node) else { return };
        let (name, returns) = match expr {
            Expr::FunctionDefinition(function) => (function.name(), function.return_type()),
            Expr::PlanDefinition(plan) => (plan.name(), None),
            _ => return,
        };
        self.named(expr, name);
        if let Some(ty) = returns {
            self.type_reference(expr, ty);
        }
        self.unique_names(parameters(node));
    }

    pub(super) fn lambda(&mut self, node: Node<'t>) {
        let Some(lambda) = ast::Lambda::cast(node) else { return };
        let mut list = lambda.parameters().peekable();
        while let Some(parameter) = list.next() {
            if parameter.captures_rest() && list.peek().is_some() {
                let name = parameter.name();
                self.report(diagnostic!(at_node(parameter.syntax()), CAPTURES_REST_NOT_LAST { name }));
            }
        }
    }

    pub(super) fn template_parameters(&mut self, node: Node<'t>) {
        self.no_rest(|| "an Epp Template".into(), parameters(node));
        self.unique_names(parameters(node));
    }

    pub(super) fn node_definition(&mut self, node: Node<'t>) {
        let Some(definition) = ast::NodeDefinition::cast(node) else { return };
        let expr = Expr::NodeDefinition(definition);
        definition.hosts().for_each(|host| self.host(host));
        self.top_level(expr);
        self.ends_without_effect(expr, definition.statements());
        if let Some(parent) = definition.parent() {
            self.report(
                diagnostic!(at(parent), ILLEGAL_NODE_INHERITANCE; hint: "put what nodes share into a class"),
            );
        }
    }

    pub(super) fn type_alias(&mut self, node: Node<'t>) {
        let Some(alias) = ast::TypeAlias::cast(node) else { return };
        let expr = Expr::TypeAlias(alias);
        self.top_level(expr);
        if let Some(name) = alias.name() {
            if name.starts_with("::") {
                let construct = with_article(expr);
                self.report(diagnostic!(at(expr), ILLEGAL_DEFINITION_NAME { name, construct }));
            }
            self.type_reference(expr, alias.right());
            let inherits =
                !matches!(alias.right(), Expr::Type(ty) if matches!(ty.name(), "Object" | "TypeSet"));
            if let Some(hash) = alias.object_hash().filter(|_| inherits) {
                let is_parent =
                    |entry: &ast::HashEntry<'t>| literal(entry.key()).as_deref() == Some("parent");
                if hash.entries().any(|entry| is_parent(&entry)) {
                    self.report(diagnostic!(at(Expr::Hash(hash)), DUPLICATE_KEY { key: "parent" }));
                }
            }
            return;
        }
        // A mapping of types of the runtime, which has one form only.
        let runtime = matches!(alias.left(), Expr::Access(access)
            if matches!(access.left(), Expr::Type(ty) if ty.name() == "Runtime"));
        let keys = match alias.left() {
            Expr::Access(access) => access.keys().collect(),
            _ => Vec::new(),
        };
        let pattern = keys.len() == 2 && is_replacement(keys[1]);
        let construct = with_article(expr);
        if !runtime {
            self.report(diagnostic!(at(expr), UNSUPPORTED_EXPRESSION { construct }));
        } else if (pattern && !is_replacement(alias.right())) || (!pattern && !is_type(alias.right())) {
            let expected = if pattern { "a Tuple[Regexp,String]" } else { "a Type" };
            let construct = Capitalized(construct);
            self.report(diagnostic!(at(expr), ILLEGAL_TYPE_MAPPING { expected, construct }));
        }
    }

    pub(super) fn type_definition(&mut self, node: Node<'t>) {
        let Some(definition) = ast::TypeDefinition::cast(node) else { return };
        let expr = Expr::TypeDefinition(definition);
        self.top_level(expr);
        let construct = with_article(expr);
        self.report(diagnostic!(at(expr), UNSUPPORTED_EXPRESSION { construct };
            hint: "name a type with `type Name = ...`"));
    }

    /// The name with those of the classes around it.
    fn qualified<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let mut full = String::new();
        for outer in self.open.iter().filter_map(|outer| ast::ClassDefinition::cast(*outer)) {
            full.push_str(outer.name());
            full.push_str("::");
        }
        if full.is_empty() { name.into() } else { (full + name).into() }
    }

    fn named(&mut self, expr: Expr<'t>, name: &str) {
        self.top_level(expr);
        if !is_qualified_name(name) {
            let construct = with_article(expr);
            let wrong = diagnostic!(at(expr), ILLEGAL_DEFINITION_NAME { name, construct });
            self.report(with_better_name(wrong, name_span(expr, name), name));
        }
        if let Some(file) = self.rules.namespace.refuses(name) {
            let mut wrong = diagnostic!(at(expr), ILLEGAL_DEFINITION_LOCATION { name, file });
            if let Some(span) = name_span(expr, name) {
                wrong = wrong.focus_on(span, "");
            }
            self.report(match self.rules.namespace.place_of(name, expr) {
                Some(hint) => wrong.hint(hint),
                None => wrong,
            });
        }
        if TYPE_NAMES.binary_search(&name).is_ok() {
            let construct = with_article(expr);
            self.report(diagnostic!(at(expr), RESERVED_TYPE_NAME { name, construct }));
        }
        if name == "plan" {
            self.report(diagnostic!(at(expr), FUTURE_RESERVED_WORD { word: name }));
        }
    }

    /// Definitions stand at the top; classes, defines and nodes also in classes. A block that holds only the definition
    /// is none to Puppet, except as the body of another definition.
    fn top_level(&mut self, expr: Expr<'t>) {
        let absolute =
            matches!(expr, Expr::FunctionDefinition(_) | Expr::TypeAlias(_) | Expr::TypeDefinition(_));
        let mut around = self.open.iter().rev().copied();
        let (mut container, mut in_block) = (around.next(), false);
        if let Some(block) = container.filter(|container| container.kind() == K::Block) {
            container = around.next();
            let only = block.children().filter_map(Expr::cast).nth(1).is_none();
            let body = container.is_some_and(|owner| {
                matches!(
                    owner.kind(),
                    K::ClassDefinition
                        | K::DefineDefinition
                        | K::NodeDefinition
                        | K::FunctionDefinition
                        | K::PlanDefinition
                        | K::TypeDefinition
                )
            });
            in_block = body || !only;
        }
        let at_top = container
            .is_none_or(|container| matches!(container.kind(), K::Manifest | K::ClassDefinition | K::Apply));
        // What a template holds lies in a block of its own.
        let in_template = container.is_some_and(|container| container.kind() == K::Template);
        if absolute && (in_block || in_template) {
            let construct = Capitalized(with_article(expr));
            self.report(diagnostic!(at(expr), NOT_ABSOLUTE_TOP_LEVEL { construct }));
        } else if !at_top {
            self.report(diagnostic!(at(expr), NOT_TOP_LEVEL));
        }
    }

    /// The parameters of a class or define are its attributes.
    fn attributes_of(&mut self, expr: Expr<'t>, list: impl Iterator<Item = ast::Parameter<'t>>) {
        let list: Vec<_> = list.collect();
        self.no_rest(|| with_article(expr), list.iter().copied());
        self.unique_names(list.iter().copied());
        for parameter in list.into_iter().filter(|parameter| matches!(parameter.name(), "name" | "title")) {
            let (name, construct) = (parameter.name(), format!("the {}", label(expr)));
            self.report(diagnostic!(at_node(parameter.syntax()), RESERVED_PARAMETER { name, construct }));
        }
    }

    fn no_rest(&mut self, construct: impl Fn() -> String, list: impl Iterator<Item = ast::Parameter<'t>>) {
        for parameter in list.filter(|parameter| parameter.captures_rest()) {
            let (name, construct) = (parameter.name(), construct());
            self.report(diagnostic!(
                at_node(parameter.syntax()),
                CAPTURES_REST_NOT_SUPPORTED { name, construct }
            ));
        }
    }

    fn unique_names(&mut self, list: impl Iterator<Item = ast::Parameter<'t>>) {
        let mut seen = FxHashSet::default();
        seen.reserve(list.size_hint().0);
        for parameter in list {
            let name = parameter.name();
            if !seen.insert(name) {
                self.report(diagnostic!(at_node(parameter.syntax()), DUPLICATE_PARAMETER { name }));
            }
        }
    }

    fn ends_without_effect(&mut self, expr: Expr<'t>, statements: impl Iterator<Item = Expr<'t>>) {
        let Some(last) = statements.last() else { return };
        if has_no_effect(last) && !matches!(last, Expr::UntitledResource(_)) {
            let (construct, container) = (label(last), Capitalized(with_article(expr)));
            self.report(diagnostic!(at(last), IDEM_NOT_ALLOWED_LAST { construct, container }));
        }
    }

    fn type_reference(&mut self, container: Expr<'t>, ty: Expr<'t>) {
        let name = match ty {
            Expr::Access(access) => access.left(),
            other => other,
        };
        // A hash on the right of an alias means an object type.
        if !matches!(name, Expr::Type(_) | Expr::Hash(_) | Expr::Error(_)) {
            self.unacceptable(ty, "a type reference", with_article(container));
        }
    }

    fn host(&mut self, host: Expr<'t>) {
        let name = match host {
            Expr::String(string) => string.value(),
            Expr::Name(name) => name.name().into(),
            Expr::Type(ty) => ty.name().to_lowercase().into(),
            Expr::Number(_) | Expr::Default(_) | Expr::Regex(_) | Expr::Error(_) => return,
            Expr::Interpolated(string) => {
                let inserted = string.segments().find_map(|segment| match segment {
                    Segment::Expr(expr) => Some(expr),
                    Segment::Text(..) => None,
                });
                let place = inserted.unwrap_or(host);
                self.report(diagnostic!(at(place), ILLEGAL_HOSTNAME_INTERPOLATION));
                return;
            }
            _ => {
                self.unacceptable(host, "hostname", "a Node Definition");
                return;
            }
        };
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if !name.chars().all(legal) {
            self.report(diagnostic!(at(host), ILLEGAL_HOSTNAME_CHARS { name };
                hint: "to match several names use a regular expression"));
        }
    }
}

/// A regular expression and the text that takes the place of what it matches.
fn is_replacement(expr: Expr<'_>) -> bool {
    let Expr::Array(array) = expr else { return false };
    let elements: Vec<_> = array.elements().collect();
    matches!(elements[..], [Expr::Regex(_), Expr::String(_)])
}

fn is_type(expr: Expr<'_>) -> bool {
    match expr {
        Expr::Type(_) => true,
        Expr::Access(access) => matches!(access.left(), Expr::Type(_)),
        _ => false,
    }
}

fn parameters(node: Node<'_>) -> impl Iterator<Item = ast::Parameter<'_>> {
    node.child(K::Parameters).into_iter().flat_map(|list| list.children().filter_map(ast::Parameter::cast))
}

/// Where the name of a definition is written.
fn name_span(expr: Expr<'_>, name: &str) -> Option<Span> {
    let span = expr.span();
    let text = expr.syntax().text();
    let own = name.rsplit("::").next().unwrap_or(name);
    let head = &text[..text.find(['{', '(']).unwrap_or(text.len())];
    let at = head.find(name).map(|at| (at, name)).or_else(|| Some((head.find(own)?, own)));
    at.map(|(at, found)| Span::new(span.start + at as u32, span.start + (at + found.len()) as u32))
}

/// An error about a name, with a name that is allowed: in lower case, with underscores.
fn with_better_name(wrong: Diagnostic, span: Option<Span>, name: &str) -> Diagnostic {
    let wrong = match span {
        Some(span) => wrong.focus_on(span, "names consist of lower-case letters, digits and `_`"),
        None => wrong,
    };
    let better: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() || c == ':' { c.to_ascii_lowercase() } else { '_' })
        .collect();
    let better = better.trim_start_matches('_');
    match is_qualified_name(better) {
        true => wrong.hint(format!("write `{better}`")),
        false => wrong,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_of_types_are_in_order() {
        assert!(super::TYPE_NAMES.is_sorted());
    }
}
