//! Static validation: what Puppet's grammar lets through and its language does not.
//!
//! One walk over the tree checks each construct in place. The checks of a construct come in the order in which
//! Puppet reports them, since people look at the first one.

mod assign;
pub mod codes;
mod collect;
mod definition;
mod effect;
mod label;
mod literal;
mod namespace;
mod script;
mod syntax;

use crate::ast::{self, Expr};
use crate::tree::Node;
use crate::{Diagnostic, Parse, Source, Span, Stage, Strict, SyntaxKind as K, Tree, diagnostic};

pub use namespace::{FileInModule, FileNamespace, ModuleDirectories, OwnModule, is_module_name};
pub use syntax::check_text as check_syntax;

use crate::codes::ILLEGAL_EPP_PARAMETERS;
use codes::*;
use effect::has_no_effect;
use label::{Capitalized, label, with_article};

/// The context of validation besides the text.
#[derive(Clone, Debug, Default)]
pub struct Rules<'a> {
    /// Puppet's `strict` setting.
    pub strict: Strict,
    /// The definitions that the file's location in a module allows.
    pub namespace: FileNamespace<'a>,
    /// Puppet's `tasks` setting: a script runs, and catalog constructs are allowed only in `apply` blocks.
    pub tasks: bool,
}

/// The errors of a program that can be parsed, in the order in which Puppet reports them.
pub fn validate(tree: &Tree, rules: &Rules<'_>) -> Vec<Diagnostic> {
    let mut checker = Checker { rules, found: Vec::new(), unlisted: 0, open: Vec::with_capacity(32) };
    checker.place_of_statements(tree);
    for node in tree.elements() {
        if node.kind().is_token() {
            checker.token(node);
        } else {
            checker.node(node);
        }
    }
    checker.end()
}

/// Parses a manifest and, if it has a tree, validates it: all that is wrong, in one list.
pub fn check(source: &Source, parse: &Parse, rules: &Rules<'_>) -> Vec<Diagnostic> {
    debug_assert_eq!(source.text(), parse.tree.text());
    let mut found = parse.diagnostics.clone();
    if parse.is_ok() {
        found.extend(validate(&parse.tree, rules));
    }
    found
}

/// How many problems of one text are listed.
const MOST_LISTED: usize = 100;

struct Checker<'a, 't> {
    rules: &'a Rules<'a>,
    found: Vec<Diagnostic>,
    /// How many problems were found beyond those that are listed.
    unlisted: usize,
    /// The nodes around the current one, outermost first.
    open: Vec<Node<'t>>,
}

impl<'t> Checker<'_, 't> {
    fn report(&mut self, mut diagnostic: Diagnostic) {
        if let Some(severity) = diagnostic.code.severity_under(self.rules.strict) {
            diagnostic.severity = severity;
            diagnostic.stage = Stage::Validation;
            if self.found.len() < MOST_LISTED {
                self.found.push(diagnostic);
                return;
            }
            // One summarises all that follow, with the severity of the worst of them.
            self.unlisted += 1;
            match self.found.get_mut(MOST_LISTED) {
                Some(known) => known.severity = known.severity.min(severity),
                None => self.found.push(diagnostic),
            }
        }
    }

    /// All that was found, the last of it being the number of what is not listed.
    fn end(mut self) -> Vec<Diagnostic> {
        if self.unlisted > 1
            && let Some(last) = self.found.pop()
        {
            let mut more = diagnostic!(last.span(), MORE_PROBLEMS { count: self.unlisted });
            (more.severity, more.stage) = (last.severity, last.stage);
            self.found.push(more);
        }
        self.found
    }

    fn token(&mut self, token: Node<'t>) {
        match token.kind() {
            K::Variable | K::VariableName => self.variable(token),
            K::Number => self.number(token),
            K::AttrKw | K::PrivateKw => self.reserved_word(token),
            K::HeredocTag => self.heredoc(token),
            _ => {}
        }
    }

    fn node(&mut self, node: Node<'t>) {
        while self.open.last().is_some_and(|outer| outer.end_index() <= node.index()) {
            self.open.pop();
        }
        self.construct(node);
        self.open.push(node);
    }

    /// The node around the current one.
    fn parent(&self) -> Option<Node<'t>> {
        self.open.last().copied()
    }

    fn construct(&mut self, node: Node<'t>) {
        if self.rules.tasks && self.refused_in_script(node) {
            return;
        }
        match node.kind() {
            K::Manifest | K::Block => self.forgotten_values(node),
            K::Template => {
                self.forgotten_values(node);
                self.template_parameters(node);
            }
            K::Assignment => self.assignment(node),
            K::Binary | K::Not | K::Negate | K::Unfold | K::Paren | K::Array => self.values_in(node),
            K::HashEntry => self.values_in(node),
            K::Hash => self.duplicate_keys(node),
            K::If | K::Elsif | K::Unless | K::Interpolation => self.first_is_value(node),
            K::Case => self.case(node),
            K::CaseOption => {
                let values = ast::CaseOption::cast(node).into_iter().flat_map(ast::CaseOption::values);
                values.for_each(|value| self.value(value));
            }
            K::Selector => self.selector(node),
            K::SelectorEntry => self.first_is_value(node),
            K::Relationship => self.relationship(node),
            K::Attribute | K::AttributeSplat => self.attribute(node),
            K::Call => self.callee(node),
            K::UntitledResource => self.untitled_resource(node),
            K::Resource => self.resource(node),
            K::ResourceBody => self.unfolds(node),
            K::Virtual => self.virtual_form(node),
            K::Collector => self.collector(node),
            K::Lambda => self.lambda(node),
            K::Parameter => self.parameter(node),
            K::ClassDefinition => self.class(node),
            K::DefineDefinition => self.define(node),
            K::FunctionDefinition | K::PlanDefinition => self.function(node),
            K::NodeDefinition => self.node_definition(node),
            K::TypeAlias => self.type_alias(node),
            K::TypeDefinition => self.type_definition(node),
            _ => {}
        }
    }

    /// Everything directly inside must produce a value.
    fn values_in(&mut self, node: Node<'t>) {
        node.children().filter_map(Expr::cast).for_each(|expr| self.value(expr));
    }

    fn first_is_value(&mut self, node: Node<'t>) {
        if let Some(expr) = node.children().find_map(Expr::cast) {
            self.value(expr);
        }
    }

    /// A place where a value is needed.
    fn value(&mut self, expr: Expr<'t>) {
        match expr {
            Expr::Collector(_)
            | Expr::ClassDefinition(_)
            | Expr::DefineDefinition(_)
            | Expr::NodeDefinition(_)
            | Expr::FunctionDefinition(_)
            | Expr::PlanDefinition(_)
            | Expr::TypeAlias(_)
            | Expr::TypeDefinition(_) => {
                let construct = Capitalized(with_article(expr));
                self.report(diagnostic!(at(expr), NOT_RVALUE { construct }));
            }
            Expr::Not(not) => self.value(not.inner()),
            Expr::Negate(negate) => self.value(negate.inner()),
            Expr::Unfold(unfold) => self.value(unfold.inner()),
            Expr::Paren(paren) => self.value(paren.inner()),
            _ => {}
        }
    }

    fn relationship(&mut self, node: Node<'t>) {
        for operand in node.children().filter_map(Expr::cast) {
            if !matches!(operand, Expr::Collector(_) | Expr::Relationship(_)) {
                self.value(operand);
            }
        }
    }

    /// Only the last value of a block goes anywhere. The first one that does not is reported.
    fn forgotten_values(&mut self, node: Node<'t>) {
        let mut statements = node.all_children().filter_map(Expr::cast).peekable();
        while let Some(statement) = statements.next() {
            if statements.peek().is_some() && has_no_effect(statement) {
                let construct = label(statement);
                let mut found = diagnostic!(at(statement), IDEM_EXPRESSION_NOT_LAST { construct });
                if let Expr::Name(name) = statement {
                    found = found.hint(format!("to call a function, write `{}(...)`", name.name()));
                }
                self.report(found);
                return;
            }
        }
    }

    fn untitled_resource(&mut self, node: Node<'t>) {
        if let Some(Expr::UntitledResource(resource)) = Expr::cast(node) {
            let name = resource.name().syntax().text();
            self.report(diagnostic!(at_node(node), RESOURCE_WITHOUT_TITLE { name };
                hint: "a resource is `{name} {{ 'title': attribute => value }}`"));
        }
    }

    fn case(&mut self, node: Node<'t>) {
        let Some(case) = ast::Case::cast(node) else { return };
        self.value(case.test());
        let mut seen = false;
        for value in case.options().flat_map(ast::CaseOption::values) {
            if matches!(value, Expr::Default(_)) {
                if seen {
                    let construct = label(Expr::Case(case));
                    self.report(diagnostic!(at(value), DUPLICATE_DEFAULT { construct }));
                }
                seen = true;
            }
        }
    }

    fn selector(&mut self, node: Node<'t>) {
        let Some(selector) = ast::Selector::cast(node) else { return };
        self.value(selector.left());
        let defaults = selector.entries().map(ast::SelectorEntry::matching);
        if let Some(second) = defaults.filter(|value| matches!(value, Expr::Default(_))).nth(1) {
            let construct = label(Expr::Selector(selector));
            self.report(diagnostic!(at(second), DUPLICATE_DEFAULT { construct }));
        }
    }

    fn callee(&mut self, node: Node<'t>) {
        let Some(call) = ast::Call::cast(node) else { return };
        let function = call.function();
        let callable = match function {
            Expr::Name(_) | Expr::Type(_) | Expr::Error(_) => true,
            Expr::Access(access) => matches!(access.left(), Expr::Type(_)),
            _ => false,
        };
        if let Expr::RenderText(_) = function {
            self.report(diagnostic!(at_node(node), ILLEGAL_EPP_PARAMETERS;
                hint: "parameters of a template stand between bars: `<%- | $x | -%>`"));
        } else if !callable {
            self.unacceptable(function, "function name", with_article(Expr::Call(call)));
        }
    }

    /// A construct is used where only another kind is allowed.
    fn unacceptable(&mut self, expr: Expr<'t>, feature: &str, container: impl std::fmt::Display) {
        let construct = Capitalized(with_article(expr));
        self.report(diagnostic!(at(expr), ILLEGAL_EXPRESSION { construct, feature, container }));
    }

    fn attribute(&mut self, node: Node<'t>) {
        let Some(attribute) = ast::Attribute::cast(node) else { return };
        // In a default `+>` adds to the default in force, which Puppet refuses and the language's founding documents allow.
        let in_body = self.parent().is_some_and(|parent| parent.kind() == K::ResourceBody);
        if attribute.operator() == ast::AttributeOp::Append && in_body {
            let (name, construct) = (attribute.name(), "a Resource Instance Definition");
            self.report(
                diagnostic!(at_node(node), ILLEGAL_ATTRIBUTE_APPEND { name, construct }; hint: "use `=>`"),
            );
        }
        self.value(attribute.value());
    }

    fn resource(&mut self, node: Node<'t>) {
        let Some(resource) = ast::Resource::cast(node) else { return };
        let outer = self.parent().filter(|parent| parent.kind() == K::Virtual);
        if let (true, Some(outer)) = (resource.is_class(), outer) {
            self.report(diagnostic!(at_node(outer), CLASS_NOT_VIRTUALIZABLE));
        }
    }

    fn unfolds(&mut self, node: Node<'t>) {
        let unfolds = node.children().filter(|child| child.kind() == K::AttributeSplat);
        for again in unfolds.skip(1) {
            self.report(
                diagnostic!(at_node(again), MULTIPLE_ATTRIBUTES_UNFOLD; hint: "merge the hashes: `* => $a + $b`"),
            );
        }
    }

    fn virtual_form(&mut self, node: Node<'t>) {
        let nested = self.parent().is_some_and(|parent| parent.kind() == K::Virtual);
        if !nested && matches!(Expr::cast(node), Some(Expr::ResourceDefaults(_) | Expr::ResourceOverride(_)))
        {
            self.report(diagnostic!(at_node(node), NOT_VIRTUALIZEABLE));
        }
    }

    fn reserved_word(&mut self, token: Node<'t>) {
        let around = self.open.iter().rev().filter(|outer| token.index() < outer.end_index());
        let mut kinds = around.map(|outer| outer.kind()).peekable();
        let attribute = kinds.peek() == Some(&K::Attribute);
        // `private` before a class, a defined type or a parameter of theirs is a modifier.
        let owner = kinds.find(|kind| !matches!(kind, K::Parameter | K::Parameters));
        let modifier =
            token.kind() == K::PrivateKw && matches!(owner, Some(K::ClassDefinition | K::DefineDefinition));
        if !modifier && !attribute {
            let word = token.text();
            self.report(diagnostic!(at_node(token), RESERVED_WORD { word }));
        }
    }

    /// The innermost node around a token.
    fn around(&self, token: Node<'t>) -> Option<Node<'t>> {
        self.open.iter().rev().copied().find(|outer| token.index() < outer.end_index())
    }
}

/// The span to report for an expression: all of it, where Puppet points.
fn at(expr: Expr<'_>) -> Span {
    expr.span().pointing_at(expr.puppet_offset())
}

fn at_node(node: Node<'_>) -> Span {
    node.span().pointing_at(ast::puppet_offset(node))
}
