//! What a body asks of its parameters beyond their types.
//!
//! A parameter without a type may still be good for little: a body that begins with `validate_legacy(Boolean, 'validate_bool', $enable)`, or
//! hands `$ports` on to a define whose own parameter is an `Array`, fails for everything else. What is noted here is done whenever the body
//! runs, so that a value it fails for is wrong wherever the body is used.

use kukla::syntax::Span;
use kukla::syntax::ast::{self, AttributeOp, BinaryOp, Expr, ResourceForm, Segment, Statements};
use kukla::values::Str;

use super::definition::{Kind, Parameter, plain, template};
use super::literal;

/// What a value must be for something that a body does with it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Demand {
    /// Of a type, as written.
    Type(Str),
    /// Of a type, or what an old function of stdlib let pass.
    Legacy(Str, Str),
    /// What a function takes at a place among so many arguments, with a lambda or without.
    Argument(Str, usize, usize, bool),
    /// What a class or a defined type takes for a parameter.
    Passed(Kind, Str, Str),
    /// Resources of a type: a hash of their titles, with hashes of what they are given.
    Resources(Str),
    /// What one of several branches asks for; which of them is not known.
    Branch(Vec<Vec<Use>>),
}

/// Something that a body does with a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Use {
    /// What it asks for.
    pub demand: Demand,
    /// Where it is done.
    pub span: Span,
    /// Whether it is done only if the value is true.
    pub if_true: bool,
}

/// Notes with the parameters of a body what it does with them; the templates that it renders, which see them all.
pub fn note(name: &str, parameters: &mut [Parameter], body: Statements<'_>) -> Vec<(Str, Span)> {
    let mut noted = Body { name, parameters, tested: None, rendered: Vec::new() };
    noted.statements(body);
    noted.rendered
}

/// What titles can be, what numbers are compared with, and what is reckoned with.
const TITLE: &str = "Variant[String, Array, Type]";
const ORDERED: &str = "Variant[Numeric, String, Type, SemVer]";
const RECKONED: &str = "Variant[Numeric, String, Timespan]";

struct Body<'p> {
    name: &'p str,
    parameters: &'p mut [Parameter],
    /// The parameter that is known to be true; of others it is then not known whether they are used.
    tested: Option<Str>,
    rendered: Vec<(Str, Span)>,
}

impl Body<'_> {
    fn statements(&mut self, statements: Statements<'_>) {
        for statement in statements {
            // Behind this nothing is certain.
            if statement.syntax().text().contains("return") {
                return;
            }
            self.expr(statement);
        }
    }

    /// Goes through what is evaluated whenever an expression is.
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
                    self.tested(first);
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

    /// What is done if a parameter is true.
    fn tested(&mut self, branch: ast::Branch<'_>) {
        if self.tested.is_none()
            && let Expr::Variable(variable) = branch.test().unwrap_parens()
            && let Some(block) = branch.block()
        {
            self.tested = Some(variable.name().into());
            self.statements(block.statements());
            self.tested = None;
        }
    }

    /// What is done in all branches, in each in its own way.
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
                self.uses(side, Demand::Type(wanted.into()));
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &[Expr<'_>], has_lambda: bool) {
        // What these are asked about may be anything.
        if matches!(name, "defined" | "fail") || arguments.iter().any(|one| matches!(one, Expr::Unfold(_))) {
            return;
        }
        arguments.iter().for_each(|argument| self.expr(*argument));
        match (name, arguments) {
            ("assert_type", [ty @ (Expr::Type(_) | Expr::Access(_)), value]) if !has_lambda => {
                self.uses(*value, Demand::Type(ty.syntax().text().into()));
            }
            ("validate_legacy", [ty, function, value, ..]) => {
                let ty = literal::text(*ty).unwrap_or_else(|| ty.syntax().text().to_owned());
                if let Some(function) = literal::text(*function) {
                    self.uses(*value, Demand::Legacy(ty.into(), function.into()));
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
                    self.uses(*resources, Demand::Resources(plain(kind.trim_start_matches('@'))));
                }
                for (at, argument) in arguments.iter().enumerate() {
                    self.uses(*argument, Demand::Argument(name.into(), at, arguments.len(), has_lambda));
                }
            }
        }
    }

    /// `$hash.each |$title, $given| { type { $title: * => $given } }`.
    fn each(&mut self, hash: Expr<'_>, lambda: ast::Lambda<'_>) {
        self.uses(hash, Demand::Argument("each".into(), 0, 1, true));
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
                self.uses(hash, Demand::Resources(plain(kind.name())));
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
            self.uses(body.title(), Demand::Type(TITLE.into()));
            for attribute in body.attributes() {
                self.expr(attribute.value());
                if let Some((kind, name)) = &to
                    && resource.form() == ResourceForm::Regular
                    && attribute.operator() == AttributeOp::Set
                {
                    let demand = Demand::Passed(*kind, name.clone(), attribute.name().into());
                    self.uses(attribute.value(), demand);
                }
            }
        }
    }

    /// Whether a title is one: a list of titles may be empty.
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

    fn uses(&mut self, value: Expr<'_>, demand: Demand) {
        let Expr::Variable(variable) = value.unwrap_parens() else { return };
        if self.tested.as_ref().is_some_and(|tested| tested != variable.name()) {
            return;
        }
        if let Some(parameter) = self.parameters.iter_mut().find(|one| one.name == variable.name()) {
            parameter.uses.push(Use { demand, span: value.span(), if_true: self.tested.is_some() });
        }
    }
}
