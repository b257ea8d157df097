//! The demands that a body makes on its parameters beyond their types.
//!
//! A parameter without a type may still accept few values: a body that begins with `validate_legacy(Boolean, 'validate_bool', $enable)`, or
//! passes `$ports` to a define whose own parameter is an `Array`, fails for everything else. Only uses that happen whenever the body runs
//! are recorded, so that a value that fails there is wrong wherever the body is used.

use std::hash::{Hash, Hasher};

use kukla::syntax::Span;
use kukla::syntax::ast::{self, AttributeOp, BinaryOp, Expr, ResourceForm, Segment, Statements};
use kukla::values::Str;

use super::definition::{Kind, Parameter, plain, template};
use super::literal;

/// The demand that a use makes on a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Demand {
    /// A type, as written.
    Type(Str),
    /// A type, or a value that an old function of stdlib accepted.
    Legacy(Str, Str),
    /// An argument of a function: its name, the index and number of the arguments, and whether there is a lambda.
    Argument(Str, usize, usize, bool),
    /// A parameter of a class or a defined type.
    Passed(Kind, Str, Str),
    /// Resources of a type: a hash from titles to hashes of attributes.
    Resources(Str),
    /// The demands of several branches, one of which applies.
    Branch(Vec<Vec<Use>>),
}

/// A use of a parameter in a body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Use {
    /// The demand on the value.
    pub demand: Demand,
    /// The span of the use.
    pub span: Span,
    /// Whether the use happens only if the value is true.
    pub if_true: bool,
}

impl Use {
    /// Hashes everything but the spans.
    pub fn hash_meaning(&self, hasher: &mut impl Hasher) {
        self.if_true.hash(hasher);
        match &self.demand {
            Demand::Branch(branches) => {
                for uses in branches {
                    uses.len().hash(hasher);
                    uses.iter().for_each(|one| kukla::syntax::deep(|| one.hash_meaning(hasher)));
                }
            }
            demand => demand.hash(hasher),
        }
    }
}

/// Adds to each parameter its uses in a body. Returns the templates that the body renders, which see all parameters.
pub fn note(name: &str, parameters: &mut [Parameter], body: Statements<'_>) -> Vec<(Str, Span)> {
    let mut noted = Body { name, parameters, tested: None, rendered: Vec::new() };
    noted.statements(body);
    noted.rendered
}

/// The types of titles, of operands of `<` and its like, and of operands of arithmetic operators.
const TITLE: &str = "Variant[String, Array, Type]";
const ORDERED: &str = "Variant[Numeric, String, Type, SemVer]";
const RECKONED: &str = "Variant[Numeric, String, Timespan]";

struct Body<'p> {
    name: &'p str,
    parameters: &'p mut [Parameter],
    /// The parameter that is known to be true. Whether others are used then depends on it.
    tested: Option<Str>,
    rendered: Vec<(Str, Span)>,
}

impl Body<'_> {
    fn statements(&mut self, statements: Statements<'_>) {
        for statement in statements {
            // Statements after this one may not run.
            if statement.syntax().text().contains("return") {
                return;
            }
            self.expr(statement);
        }
    }

    /// Visits the parts that are evaluated whenever an expression is.
    fn expr(&mut self, expr: Expr<'_>) {
        kukla::syntax::deep(|| match expr {
            Expr::Paren(paren) => self.expr(paren.inner()),
            Expr::Not(not) => self.expr(not.inner()),
            Expr::Array(array) => array.elements().for_each(|element| self.expr(element)),
            Expr::Hash(hash) => hash.entries().for_each(|entry| self.expr(entry.value())),
            Expr::Interpolated(text) => text.segments().for_each(|segment| {
                if let Segment::Expr(expr) = segment {
                    self.expr(expr);
                }
            }),
            Expr::Assignment(assignment) => self.expr(assignment.right()),
            Expr::Relationship(arrow) => {
                self.expr(arrow.left());
                self.expr(arrow.right());
            }
            Expr::Binary(binary) => self.binary(binary),
            Expr::Call(call) => {
                if let Expr::Name(name) = call.function() {
                    let arguments: Vec<Expr<'_>> = call.arguments().collect();
                    self.call(name.name(), &arguments, call.lambda().is_some());
                }
            }
            Expr::MethodCall(call) if call.name() == "each" && call.arguments().next().is_none() => {
                self.expr(call.receiver());
                if let Some(lambda) = call.lambda() {
                    self.each(call.receiver(), lambda);
                }
            }
            Expr::MethodCall(call) => {
                let arguments: Vec<Expr<'_>> =
                    [call.receiver()].into_iter().chain(call.arguments()).collect();
                self.call(call.name(), &arguments, call.lambda().is_some());
            }
            Expr::Resource(resource) => self.resource(resource),
            Expr::If(choice) => {
                if let Some(first) = choice.branches().next() {
                    self.expr(first.test());
                    self.branch_on_parameter(first);
                }
                if let Some(last) = choice.else_block() {
                    let branches = choice.branches().filter_map(|branch| branch.block());
                    self.branches(branches.chain([last]).map(|block| block.statements()).collect());
                }
            }
            Expr::Unless(unless) => self.expr(unless.test()),
            Expr::Case(case) => {
                self.expr(case.test());
                let is_default =
                    |option: ast::CaseOption<'_>| option.values().any(|one| matches!(one, Expr::Default(_)));
                if case.options().any(is_default) {
                    let blocks = case.options().filter_map(|option| option.block());
                    self.branches(blocks.map(|block| block.statements()).collect());
                }
            }
            Expr::Selector(selector) => self.expr(selector.left()),
            _ => {}
        });
    }

    /// Visits a branch that runs if a parameter is true.
    fn branch_on_parameter(&mut self, branch: ast::Branch<'_>) {
        if self.tested.is_none()
            && let Expr::Variable(variable) = branch.test().unwrap_parens()
            && let Some(block) = branch.block()
        {
            self.tested = Some(variable.name().into());
            self.statements(block.statements());
            self.tested = None;
        }
    }

    /// Visits the branches of a condition, one of which runs.
    fn branches(&mut self, branches: Vec<Statements<'_>>) {
        let before: Vec<usize> = self.parameters.iter().map(|parameter| parameter.uses.len()).collect();
        let rendered = self.rendered.len();
        let mut found: Vec<Vec<Vec<Use>>> = vec![Vec::new(); before.len()];
        for statements in branches {
            self.statements(statements);
            self.rendered.truncate(rendered);
            for (at, parameter) in self.parameters.iter_mut().enumerate() {
                found[at].push(parameter.uses.split_off(before[at]));
            }
        }
        for (parameter, branches) in self.parameters.iter_mut().zip(found) {
            if let Some(span) = branches.first().and_then(|uses| uses.first()).map(|first| first.span)
                && branches.iter().all(|uses| !uses.is_empty())
            {
                parameter.uses.push(Use { demand: Demand::Branch(branches), span, if_true: false });
            }
        }
    }

    fn binary(&mut self, binary: ast::Binary<'_>) {
        let wanted = match binary.operator() {
            BinaryOp::And | BinaryOp::Or => return self.expr(binary.left()),
            BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => Some(RECKONED),
            BinaryOp::Less | BinaryOp::LessOrEqual | BinaryOp::Greater | BinaryOp::GreaterOrEqual => {
                Some(ORDERED)
            }
            _ => None,
        };
        for side in [binary.left(), binary.right()] {
            self.expr(side);
            if let Some(wanted) = wanted {
                self.add_use(side, Demand::Type(wanted.into()));
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &[Expr<'_>], has_lambda: bool) {
        // These functions accept anything.
        if matches!(name, "defined" | "fail") || arguments.iter().any(|one| matches!(one, Expr::Unfold(_))) {
            return;
        }
        arguments.iter().for_each(|argument| self.expr(*argument));
        match (name, arguments) {
            ("assert_type", [ty @ (Expr::Type(_) | Expr::Access(_)), value]) if !has_lambda => {
                self.add_use(*value, Demand::Type(ty.syntax().text().into()));
            }
            ("validate_legacy", [ty, function, value, ..]) => {
                let ty = literal::text(*ty).unwrap_or_else(|| ty.syntax().text().to_owned());
                if let Some(function) = literal::text(*function) {
                    self.add_use(*value, Demand::Legacy(ty.into(), function.into()));
                }
            }
            ("template", templates) if self.tested.is_none() => {
                let named =
                    templates.iter().filter_map(|one| Some((template(*one, self.name)?.into(), one.span())));
                self.rendered.extend(named);
            }
            _ => {
                if let ("create_resources", [kind, resources, ..]) = (name, arguments)
                    && let Some(kind) = literal::text(*kind)
                {
                    self.add_use(*resources, Demand::Resources(plain(kind.trim_start_matches('@'))));
                }
                for (at, argument) in arguments.iter().enumerate() {
                    self.add_use(*argument, Demand::Argument(name.into(), at, arguments.len(), has_lambda));
                }
            }
        }
    }

    /// `$hash.each |$title, $given| { type { $title: * => $given } }`.
    fn each(&mut self, hash: Expr<'_>, lambda: ast::Lambda<'_>) {
        self.add_use(hash, Demand::Argument("each".into(), 0, 1, true));
        let names: Vec<&str> = lambda.parameters().map(|parameter| parameter.name()).collect();
        let [_, given] = names[..] else { return };
        for statement in lambda.statements() {
            let Expr::Resource(resource) = statement else { continue };
            let Some(Expr::Name(kind)) = resource.type_expr() else { continue };
            let is_given = |attribute: ast::Attribute<'_>| {
                let is_variable =
                    matches!(attribute.value(), Expr::Variable(variable) if variable.name() == given);
                attribute.operator() == AttributeOp::Splat && is_variable
            };
            if resource.bodies().any(|body| body.attributes().any(is_given)) {
                self.add_use(hash, Demand::Resources(plain(kind.name())));
            }
        }
    }

    fn resource(&mut self, resource: ast::Resource<'_>) {
        let kind = match resource.type_expr() {
            None => Some((Kind::Class, None)),
            Some(Expr::Name(name)) => Some((Kind::Define, Some(plain(name.name())))),
            _ => None,
        };
        for body in resource.bodies() {
            let to = match (&kind, body.title()) {
                (Some((Kind::Class, _)), title) => {
                    literal::text(title).map(|name| (Kind::Class, plain(&name)))
                }
                (Some((kind, Some(name))), title) if self.is_text(title) => Some((*kind, name.clone())),
                _ => None,
            };
            self.add_use(body.title(), Demand::Type(TITLE.into()));
            for attribute in body.attributes() {
                self.expr(attribute.value());
                if let Some((kind, name)) = &to
                    && resource.form() == ResourceForm::Regular
                    && attribute.operator() == AttributeOp::Set
                {
                    let demand = Demand::Passed(*kind, name.clone(), attribute.name().into());
                    self.add_use(attribute.value(), demand);
                }
            }
        }
    }

    /// Whether a title is a single string; an array of titles may be empty.
    fn is_text(&self, title: Expr<'_>) -> bool {
        match title {
            Expr::String(_) | Expr::Interpolated(_) | Expr::Name(_) => true,
            Expr::Variable(variable) => match variable.name() {
                "title" | "name" => true,
                name => self.parameters.iter().any(|one| one.name == name && one.is_text),
            },
            _ => false,
        }
    }

    fn add_use(&mut self, value: Expr<'_>, demand: Demand) {
        let Expr::Variable(variable) = value.unwrap_parens() else { return };
        if self.tested.as_ref().is_some_and(|tested| tested != variable.name()) {
            return;
        }
        if let Some(parameter) = self.parameters.iter_mut().find(|one| one.name == variable.name()) {
            parameter.uses.push(Use { demand, span: value.span(), if_true: self.tested.is_some() });
        }
    }
}
