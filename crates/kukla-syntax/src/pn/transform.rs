//! From the typed views to PN, in the shapes of Puppet's model.

use std::borrow::Cow;

use super::Pn;
use crate::ast::*;
use crate::tree::Tree;
use crate::{Number, ast, deep};

type Entry<'t> = (Cow<'t, str>, Pn<'t>);

fn entry<'t>(key: &'static str, value: Pn<'t>) -> Entry<'t> {
    (Cow::Borrowed(key), value)
}

fn list<'t>(elements: impl IntoIterator<Item = Pn<'t>>) -> Pn<'t> {
    Pn::List(elements.into_iter().collect())
}

fn name(name: &str) -> Pn<'_> {
    Pn::call("qn", vec![Pn::string(name)])
}

fn reference(name: &str) -> Pn<'_> {
    Pn::call("qr", vec![Pn::string(name)])
}

fn nop<'t>() -> Pn<'t> {
    Pn::call("nop", Vec::new())
}

pub(super) fn program(tree: &Tree) -> Pn<'_> {
    let mut writer = Transform::default();
    if let Some(manifest) = Manifest::of(tree) {
        return writer.body(manifest.statements()).unwrap_or_else(nop);
    }
    let mut entries = Vec::new();
    if let Some(template) = Template::of(tree) {
        let parameters: Vec<_> = template.parameters().collect();
        writer.parameters(&parameters, &mut entries);
        let statements = writer.statements(template.statements());
        entries.push(entry("body", Pn::List(vec![Pn::call("epp", statements)])));
    }
    Pn::call("lambda", vec![Pn::Map(entries)])
}

#[derive(Default)]
struct Transform<'t> {
    /// The names of the classes and plans around.
    names: Vec<&'t str>,
}

impl<'t> Transform<'t> {
    /// The elements of a block. Calls here are not asked for a value.
    fn statements(&mut self, statements: Statements<'t>) -> Vec<Pn<'t>> {
        let mut elements = Vec::new();
        for statement in statements {
            match statement {
                Expr::Call(call) if call.form() == CallForm::Bare => {
                    // Puppet sees a name and a value.
                    elements.push(self.expr(call.function()));
                    for argument in call.arguments() {
                        elements.push(self.statement(argument));
                    }
                }
                _ => elements.push(self.statement(statement)),
            }
        }
        elements
    }

    fn statement(&mut self, expr: Expr<'t>) -> Pn<'t> {
        match expr {
            Expr::Call(call) => self.call(call, "invoke"),
            _ => self.expr(expr),
        }
    }

    /// A body that is a block only if it has several statements.
    fn body(&mut self, statements: Statements<'t>) -> Option<Pn<'t>> {
        let mut elements = self.statements(statements);
        match elements.len() {
            0 => None,
            1 => elements.pop(),
            _ => Some(Pn::call("block", elements)),
        }
    }

    /// The list of a body's statements. A body that is a single block counts as its statements.
    fn body_list(&mut self, block: Option<Block<'t>>) -> Option<Pn<'t>> {
        let mut body = self.body(block?.statements())?;
        Some(match &mut body {
            Pn::Call(name, elements) if name == "block" => Pn::List(std::mem::take(elements)),
            _ => Pn::List(vec![body]),
        })
    }

    fn expr(&mut self, expr: Expr<'t>) -> Pn<'t> {
        deep(|| self.expr_here(expr))
    }

    fn exprs(&mut self, exprs: impl Iterator<Item = Expr<'t>>) -> Vec<Pn<'t>> {
        exprs.map(|expr| self.expr(expr)).collect()
    }

    fn expr_here(&mut self, expr: Expr<'t>) -> Pn<'t> {
        match expr {
            Expr::Undef(_) => Pn::Nil,
            Expr::Default(_) => Pn::call("default", Vec::new()),
            Expr::Boolean(boolean) => Pn::Boolean(boolean.value()),
            Expr::Number(literal) => number(literal.value()),
            Expr::String(string) => Pn::String(string.value()),
            Expr::Interpolated(string) => Pn::call("concat", self.segments(string.segments())),
            Expr::Heredoc(heredoc) => self.heredoc(heredoc),
            Expr::Regex(regex) => Pn::call("regexp", vec![Pn::String(regex.pattern())]),
            Expr::Name(qualified) => name(qualified.name()),
            Expr::Type(reference_to) => reference(reference_to.name()),
            Expr::Variable(variable) => Pn::call("var", vec![Pn::string(variable.name())]),
            Expr::Reserved(word) => Pn::call("reserved", vec![Pn::string(word.word())]),
            Expr::Array(array) => Pn::call("array", self.exprs(array.elements())),
            Expr::Hash(hash) => self.hash(hash),
            Expr::Assignment(it) => self.binary(it.operator().text(), it.left(), it.right()),
            Expr::Relationship(it) => self.binary(it.operator().text(), it.left(), it.right()),
            Expr::Binary(it) => self.binary(it.operator().text(), it.left(), it.right()),
            Expr::Not(it) => self.unary("!", it.inner()),
            Expr::Negate(it) => match it.literal() {
                Some(Number::Integer { value: Some(value), .. }) => Pn::Integer(value),
                Some(Number::Float(value)) => Pn::Float(value),
                _ => self.unary("-", it.inner()),
            },
            Expr::Unfold(it) => self.unary("unfold", it.inner()),
            Expr::Paren(it) => self.unary("paren", it.inner()),
            Expr::Selector(selector) => {
                let entries =
                    selector.entries().map(|entry| self.binary("=>", entry.matching(), entry.value()));
                let entries = list(entries.collect::<Vec<_>>());
                Pn::call("?", vec![self.expr(selector.left()), entries])
            }
            Expr::Access(access) => {
                let mut elements = vec![self.expr(access.left())];
                elements.extend(self.exprs(access.keys()));
                Pn::call("access", elements)
            }
            Expr::Call(call) if call.form() == CallForm::Parenthesized => self.call(call, "call"),
            Expr::Call(call) => self.call(call, "invoke"),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::If(it) => self.if_expression(it),
            Expr::Unless(it) => {
                let mut entries = vec![entry("test", self.expr(it.test()))];
                entries.extend(self.body_list(it.block()).map(|body| entry("then", body)));
                entries.extend(self.body_list(it.else_block()).map(|body| entry("else", body)));
                Pn::call("unless", vec![Pn::Map(entries)])
            }
            Expr::Case(case) => {
                let test = self.expr(case.test());
                let options = case.options().map(|option| self.case_option(option));
                let options = list(options.collect::<Vec<_>>());
                Pn::call("case", vec![test, options])
            }
            Expr::Resource(_)
            | Expr::ResourceDefaults(_)
            | Expr::ResourceOverride(_)
            | Expr::UntitledResource(_)
            | Expr::Collector(_) => self.resource(expr),
            Expr::RenderText(text) => Pn::call("render-s", vec![Pn::String(Cow::Owned(text.value()))]),
            Expr::Render(render) => {
                let body = match render.body() {
                    RenderBody::Expr(expr) => self.expr(expr),
                    RenderBody::Block(block) => self.body(block.statements()).unwrap_or_else(nop),
                };
                Pn::call("render", vec![body])
            }
            Expr::Error(node) => Pn::call("error", vec![Pn::string(node.text())]),
            _ => self.definition(expr),
        }
    }

    fn unary(&mut self, operator: &'static str, inner: Expr<'t>) -> Pn<'t> {
        Pn::call(operator, vec![self.expr(inner)])
    }

    fn binary(&mut self, operator: &'static str, left: Expr<'t>, right: Expr<'t>) -> Pn<'t> {
        Pn::call(operator, vec![self.expr(left), self.expr(right)])
    }

    fn segments(&mut self, segments: impl Iterator<Item = Segment<'t>>) -> Vec<Pn<'t>> {
        let pieces = segments.map(|segment| match segment {
            Segment::Text(text, _) => Pn::String(text),
            Segment::Expr(expr) => Pn::call("str", vec![self.expr(expr)]),
        });
        pieces.collect()
    }

    fn heredoc(&mut self, heredoc: Heredoc<'t>) -> Pn<'t> {
        let mut entries = Vec::new();
        if !heredoc.syntax_name().is_empty() {
            entries.push(entry("syntax", Pn::string(heredoc.syntax_name())));
        }
        let text = match heredoc.value() {
            Some(text) if !heredoc.is_interpolated() => Pn::String(text),
            _ => Pn::call("concat", self.segments(heredoc.segments())),
        };
        entries.push(entry("text", text));
        Pn::call("heredoc", vec![Pn::Map(entries)])
    }

    fn hash(&mut self, hash: Hash<'t>) -> Pn<'t> {
        let entries = hash.entries().map(|entry| self.binary("=>", entry.key(), entry.value()));
        Pn::call("hash", entries.collect())
    }

    fn call(&mut self, call: Call<'t>, kind: &'static str) -> Pn<'t> {
        let mut entries = vec![entry("functor", self.expr(call.function()))];
        entries.push(entry("args", list(self.exprs(call.arguments()))));
        entries.extend(call.lambda().map(|lambda| entry("block", self.lambda(lambda))));
        Pn::call(kind, vec![Pn::Map(entries)])
    }

    fn method_call(&mut self, call: MethodCall<'t>) -> Pn<'t> {
        let functor = Pn::call(".", vec![self.expr(call.receiver()), name(call.name())]);
        let mut entries = vec![entry("functor", functor)];
        entries.push(entry("args", list(self.exprs(call.arguments()))));
        entries.extend(call.lambda().map(|lambda| entry("block", self.lambda(lambda))));
        Pn::call("call-method", vec![Pn::Map(entries)])
    }

    fn lambda(&mut self, lambda: Lambda<'t>) -> Pn<'t> {
        let mut entries = Vec::new();
        let parameters: Vec<_> = lambda.parameters().collect();
        self.parameters(&parameters, &mut entries);
        entries.extend(lambda.return_type().map(|returns| entry("returns", self.expr(returns))));
        self.block_entry("body", lambda.statements(), &mut entries);
        Pn::call("lambda", vec![Pn::Map(entries)])
    }

    /// The statements of a body that is a block even if it has only one.
    fn block_entry(&mut self, key: &'static str, statements: Statements<'t>, entries: &mut Vec<Entry<'t>>) {
        let statements = self.statements(statements);
        if !statements.is_empty() {
            entries.push(entry(key, Pn::List(statements)));
        }
    }

    fn parameters(&mut self, parameters: &[Parameter<'t>], entries: &mut Vec<Entry<'t>>) {
        if parameters.is_empty() {
            return;
        }
        let parameters = parameters.iter().map(|parameter| {
            let mut entries = Vec::new();
            entries.extend(parameter.type_expr().map(|expr| entry("type", self.expr(expr))));
            if parameter.captures_rest() {
                entries.push(entry("splat", Pn::Boolean(true)));
            }
            entries.extend(parameter.default().map(|expr| entry("value", self.expr(expr))));
            (Cow::Borrowed(parameter.name()), Pn::Map(entries))
        });
        entries.push(entry("params", Pn::Map(parameters.collect())));
    }

    /// An `elsif` is an `if` in an `else`.
    fn if_expression(&mut self, it: If<'t>) -> Pn<'t> {
        let branches: Vec<_> = it.branches().collect();
        let mut otherwise = self.body_list(it.else_block());
        for branch in branches.into_iter().rev() {
            let mut entries = vec![entry("test", self.expr(branch.test()))];
            entries.extend(self.body_list(branch.block()).map(|body| entry("then", body)));
            entries.extend(otherwise.take().map(|body| entry("else", body)));
            otherwise = Some(Pn::List(vec![Pn::call("if", vec![Pn::Map(entries)])]));
        }
        match &mut otherwise {
            Some(Pn::List(single)) => single.pop().unwrap_or_else(nop),
            _ => nop(),
        }
    }

    fn case_option(&mut self, option: CaseOption<'t>) -> Pn<'t> {
        let mut entries = vec![entry("when", list(self.exprs(option.values())))];
        let statements = option.block().map(|block| self.statements(block.statements())).unwrap_or_default();
        let statements = if statements.is_empty() { vec![nop()] } else { statements };
        entries.push(entry("then", Pn::List(statements)));
        Pn::Map(entries)
    }

    fn attributes(&mut self, attributes: impl Iterator<Item = Attribute<'t>>) -> Pn<'t> {
        let elements = attributes.map(|attribute| {
            let value = self.expr(attribute.value());
            let operator = match attribute.operator() {
                AttributeOp::Splat => return Pn::call("splat-hash", vec![value]),
                AttributeOp::Set => "=>",
                AttributeOp::Append => "+>",
            };
            Pn::call(operator, vec![Pn::string(attribute.name()), value])
        });
        list(elements.collect::<Vec<_>>())
    }

    fn resource(&mut self, expr: Expr<'t>) -> Pn<'t> {
        let (kind, mut entries, form) = match expr {
            Expr::Resource(resource) => {
                let type_name = resource.type_expr().map_or_else(|| name("class"), |expr| self.expr(expr));
                let bodies = resource.bodies().map(|body| {
                    let title = self.expr(body.title());
                    Pn::Map(vec![entry("title", title), entry("ops", self.attributes(body.attributes()))])
                });
                let bodies = list(bodies.collect::<Vec<_>>());
                ("resource", vec![entry("type", type_name), entry("bodies", bodies)], resource.form())
            }
            Expr::ResourceDefaults(defaults) => {
                let type_expr = self.expr(defaults.type_expr());
                let operations = self.attributes(defaults.attributes());
                (
                    "resource-defaults",
                    vec![entry("type", type_expr), entry("ops", operations)],
                    defaults.form(),
                )
            }
            Expr::ResourceOverride(it) => {
                let resources = self.expr(it.resources());
                let operations = self.attributes(it.attributes());
                (
                    "resource-override",
                    vec![entry("resources", resources), entry("ops", operations)],
                    it.form(),
                )
            }
            Expr::UntitledResource(it) => {
                let attributes = it.attributes().map(|attribute| match attribute.operator() {
                    AttributeOp::Splat => Pn::call("=>", vec![nop(), nop()]),
                    _ => Pn::call("=>", vec![Pn::string(attribute.name()), self.expr(attribute.value())]),
                });
                let hash = Pn::call("hash", attributes.collect());
                return Pn::call("block", vec![self.expr(it.name()), hash]);
            }
            Expr::Collector(collector) => return self.collector(collector),
            _ => return self.expr(expr),
        };
        if form != ResourceForm::Regular {
            entries.push(entry("form", Pn::string(form.name())));
        }
        Pn::call(kind, vec![Pn::Map(entries)])
    }

    fn collector(&mut self, collector: Collector<'t>) -> Pn<'t> {
        let mut entries = vec![entry("type", self.expr(collector.type_expr()))];
        if let Some(query) = collector.query() {
            let kind = if query.is_exported() { "exported-query" } else { "virtual-query" };
            let condition = query.condition().map(|condition| self.expr(condition));
            entries.push(entry("query", Pn::call(kind, condition.into_iter().collect())));
        }
        match self.attributes(collector.attributes()) {
            Pn::List(ref operations) if operations.is_empty() => {}
            operations => entries.push(entry("ops", operations)),
        }
        Pn::call("collect", vec![Pn::Map(entries)])
    }

    /// A class, define or plan carries the names of the classes around it.
    fn nested_name(&self, name: &str) -> Pn<'t> {
        Pn::String(Cow::Owned(ast::nested_name(&self.names, name)))
    }

    fn definition(&mut self, expr: Expr<'t>) -> Pn<'t> {
        let mut entries = Vec::new();
        let kind = match expr {
            Expr::ClassDefinition(class) => {
                entries.push(entry("name", self.nested_name(class.name())));
                entries.extend(class.parent().map(|parent| entry("parent", Pn::string(parent))));
                self.parameters(&class.parameters().collect::<Vec<_>>(), &mut entries);
                self.names.push(class.name());
                self.block_entry("body", class.statements(), &mut entries);
                self.names.pop();
                "class"
            }
            Expr::DefineDefinition(define) => {
                entries.push(entry("name", self.nested_name(define.name())));
                self.parameters(&define.parameters().collect::<Vec<_>>(), &mut entries);
                self.block_entry("body", define.statements(), &mut entries);
                "define"
            }
            Expr::PlanDefinition(plan) => {
                entries.push(entry("name", self.nested_name(plan.name())));
                self.parameters(&plan.parameters().collect::<Vec<_>>(), &mut entries);
                self.names.push(plan.name());
                self.block_entry("body", plan.statements(), &mut entries);
                self.names.pop();
                "plan"
            }
            Expr::FunctionDefinition(function) => {
                entries.push(entry("name", Pn::string(function.name())));
                self.parameters(&function.parameters().collect::<Vec<_>>(), &mut entries);
                self.block_entry("body", function.statements(), &mut entries);
                entries.extend(function.return_type().map(|returns| entry("returns", self.expr(returns))));
                "function"
            }
            Expr::NodeDefinition(node) => {
                entries.push(entry("matches", list(self.exprs(node.hosts()))));
                entries.extend(node.parent().map(|parent| entry("parent", self.expr(parent))));
                self.block_entry("body", node.statements(), &mut entries);
                "node"
            }
            Expr::Apply(apply) => {
                entries.push(entry("args", list(self.exprs(apply.arguments()))));
                if let Some(body) = apply.body() {
                    self.block_entry("body", body.statements(), &mut entries);
                }
                "apply"
            }
            Expr::TypeAlias(alias) => return self.type_alias(alias),
            Expr::TypeDefinition(definition) => {
                let statements = self.statements(definition.statements());
                let body = if statements.is_empty() { nop() } else { Pn::call("block", statements) };
                let parent = definition.parent().map_or(Pn::Nil, Pn::string);
                return Pn::call("type-definition", vec![Pn::string(definition.name()), parent, body]);
            }
            _ => return nop(),
        };
        Pn::call(kind, vec![Pn::Map(entries)])
    }

    fn type_alias(&mut self, alias: TypeAlias<'t>) -> Pn<'t> {
        let right = match (alias.right(), alias.object_hash()) {
            (parent, Some(hash)) => self.object_type(parent, hash),
            (Expr::Hash(hash), None) => Pn::call("access", vec![reference("Object"), self.hash(hash)]),
            (right, None) => self.expr(right),
        };
        match alias.name() {
            Some(name) => Pn::call("type-alias", vec![Pn::string(name), right]),
            None => Pn::call("type-mapping", vec![self.expr(alias.left()), right]),
        }
    }

    /// `Parent { ... }` on the right side of an alias.
    fn object_type(&mut self, parent: Expr<'t>, hash: Hash<'t>) -> Pn<'t> {
        let mut entries: Vec<_> =
            hash.entries().map(|entry| self.binary("=>", entry.key(), entry.value())).collect();
        let base = match parent {
            Expr::Type(base) if matches!(base.name(), "Object" | "TypeSet") => reference(base.name()),
            _ => {
                entries.push(Pn::call("=>", vec![name("parent"), self.expr(parent)]));
                reference("Object")
            }
        };
        Pn::call("access", vec![base, Pn::call("hash", entries)])
    }
}

fn number<'t>(number: Number) -> Pn<'t> {
    match number {
        Number::Float(value) => Pn::Float(value),
        Number::Integer { value, radix } => {
            let value = Pn::Integer(value.unwrap_or(i128::MAX));
            match radix {
                10 => value,
                _ => {
                    let entries = vec![entry("radix", Pn::Integer(radix.into())), entry("value", value)];
                    Pn::call("int", vec![Pn::Map(entries)])
                }
            }
        }
    }
}
