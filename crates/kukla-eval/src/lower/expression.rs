//! Expressions.

use kukla_syntax::{Number, Span, ast, deep, diagnostic};
use kukla_values::arithmetic::Operator;
use kukla_values::regexp::Regexp;
use kukla_values::{Name, Str, Value};

use super::Lowering;
use crate::codes::NOT_LOWERED;
use crate::coverage::{MarkKind, Way};
use crate::label;
use crate::program::{
    Access, Arrow, Assign, AssignOperator, Call, CallForm, Callee, CalleeName, Case, CaseOption, Comparison,
    Constant, Expr, Heredoc, If, IllegalTarget, Kind, Segment, Selector, Target, Variable, VariableTarget,
};
use kukla_syntax::validate::codes::{NUMERIC_OVERFLOW, RESOURCE_WITHOUT_TITLE};

impl Lowering<'_> {
    pub(super) fn expr(&mut self, expr: ast::Expr<'_>) -> Expr {
        let span = self.span(expr);
        Expr { span, node: expr.syntax().index(), kind: deep(|| self.kind(expr, span)) }
    }

    fn boxed(&mut self, expr: ast::Expr<'_>) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn exprs<'t>(&mut self, exprs: impl Iterator<Item = ast::Expr<'t>>) -> Box<[Expr]> {
        exprs.map(|expr| self.expr(expr)).collect()
    }

    fn kind(&mut self, expr: ast::Expr<'_>, span: Span) -> Kind {
        match expr {
            ast::Expr::Undef(_) => Kind::Literal(Value::Undef),
            ast::Expr::Default(_) => Kind::Literal(Value::Default),
            ast::Expr::Boolean(boolean) => Kind::Literal(Value::Boolean(boolean.value())),
            ast::Expr::Number(number) => self.number(number.value(), span),
            ast::Expr::String(string) => Kind::Literal(Value::String(string.value().as_ref().into())),
            ast::Expr::Interpolated(string) => self.interpolation(string.segments()),
            ast::Expr::Heredoc(heredoc) => self.heredoc(heredoc),
            ast::Expr::Regex(regex) => match Regexp::new(&regex.pattern()) {
                Ok(regexp) => Kind::Literal(Value::Regexp(regexp)),
                Err(error) => self.refuse(*error.into_diagnostic(), span),
            },
            ast::Expr::Name(name) => Kind::Name(name.name().into()),
            ast::Expr::Type(name) => self.type_name(name),
            ast::Expr::Variable(name) => variable(name.name()),
            ast::Expr::Reserved(word) => Kind::Reserved(Name::new(word.word())),
            ast::Expr::Array(array) => Kind::Array(self.exprs(array.elements())),
            ast::Expr::Hash(hash) => Kind::Hash(
                hash.entries().map(|entry| (self.expr(entry.key()), self.expr(entry.value()))).collect(),
            ),
            ast::Expr::Assignment(assignment) => self.assignment(assignment),
            ast::Expr::Relationship(relationship) => {
                let arrow = match relationship.operator() {
                    ast::ArrowOp::Before => Arrow::Before,
                    ast::ArrowOp::Notify => Arrow::Notify,
                    ast::ArrowOp::After => Arrow::After,
                    ast::ArrowOp::Subscribe => Arrow::Subscribe,
                };
                Kind::Relationship(arrow, self.pair(relationship.left(), relationship.right()))
            }
            ast::Expr::Binary(binary) => {
                let operands = self.pair(binary.left(), binary.right());
                self.binary(binary.operator(), operands)
            }
            ast::Expr::Not(not) => Kind::Not(self.boxed(not.inner())),
            ast::Expr::Negate(negate) => match negate.literal() {
                Some(number) => self.number(number, span),
                None => Kind::Negate(self.boxed(negate.inner())),
            },
            ast::Expr::Unfold(unfold) => Kind::Unfold(self.boxed(unfold.inner())),
            ast::Expr::Paren(paren) => Kind::Parens(self.boxed(paren.inner())),
            ast::Expr::Selector(selector) => Kind::Selector(Box::new(Selector {
                test: self.expr(selector.left()),
                options: selector
                    .entries()
                    .map(|entry| {
                        let (option, then) = (self.expr(entry.matching()), self.expr(entry.value()));
                        (option, self.way(span, Way::Arm, then.span, then))
                    })
                    .collect(),
            })),
            ast::Expr::Access(access) => self.access(access, span),
            ast::Expr::Call(call) => self.call(call),
            ast::Expr::MethodCall(call) => self.method_call(call),
            ast::Expr::If(test) => self.if_chain(test),
            ast::Expr::Unless(unless) => Kind::If(Box::new(If {
                unless: true,
                test: self.expr(unless.test()),
                then: self.way_block(span, Way::Then, unless.block()),
                otherwise: self.way_block(span, Way::Else, unless.else_block()),
            })),
            ast::Expr::Case(case) => self.case(case, span),
            ast::Expr::Resource(resource) => {
                self.mark(MarkKind::Resource, span);
                self.resource(resource)
            }
            ast::Expr::ResourceDefaults(defaults) => self.defaults(defaults),
            ast::Expr::ResourceOverride(change) => self.overriding(change),
            ast::Expr::Collector(collector) => self.collector(collector),
            ast::Expr::ClassDefinition(class) => {
                self.class(class);
                Kind::Nop
            }
            ast::Expr::DefineDefinition(define) => {
                self.define(define);
                Kind::Nop
            }
            ast::Expr::NodeDefinition(node) => {
                self.node(node);
                Kind::Nop
            }
            ast::Expr::FunctionDefinition(function) => {
                self.function(function);
                Kind::Nop
            }
            ast::Expr::PlanDefinition(plan) => {
                self.plan(plan);
                Kind::Nop
            }
            ast::Expr::TypeAlias(alias) => {
                self.type_alias(alias);
                Kind::Nop
            }
            ast::Expr::Apply(_) => Kind::Apply,
            ast::Expr::RenderText(text) => Kind::RenderText(text.value().into()),
            ast::Expr::Render(render) => Kind::RenderExpr(Box::new(match render.body() {
                ast::RenderBody::Expr(expr) => self.expr(expr),
                ast::RenderBody::Block(block) => self.block(Some(block)),
            })),
            ast::Expr::UntitledResource(resource) => {
                let name = resource.name().syntax().text();
                self.refuse(diagnostic!(RESOURCE_WITHOUT_TITLE { name }), span)
            }
            ast::Expr::TypeDefinition(_) | ast::Expr::Error(_) => self.refuse(diagnostic!(NOT_LOWERED), span),
        }
    }

    fn pair(&mut self, left: ast::Expr<'_>, right: ast::Expr<'_>) -> Box<[Expr; 2]> {
        Box::new([self.expr(left), self.expr(right)])
    }

    fn number(&mut self, number: Number, span: Span) -> Kind {
        match number {
            Number::Float(value) => Kind::Literal(Value::Float(value)),
            Number::Integer { value, .. } => match value.map(i64::try_from) {
                Some(Ok(value)) => Kind::Literal(Value::Integer(value)),
                _ => {
                    let value = value.map_or_else(String::new, |value| format!("{value:#x}"));
                    self.refuse(diagnostic!(NUMERIC_OVERFLOW { value }), span)
                }
            },
        }
    }

    fn binary(&mut self, operator: ast::BinaryOp, operands: Box<[Expr; 2]>) -> Kind {
        match operator {
            ast::BinaryOp::And => Kind::And(operands),
            ast::BinaryOp::Or => Kind::Or(operands),
            ast::BinaryOp::In => Kind::In(operands),
            ast::BinaryOp::Match => Kind::Matches(true, operands),
            ast::BinaryOp::NoMatch => Kind::Matches(false, operands),
            ast::BinaryOp::Add => Kind::Arithmetic(Operator::Add, operands),
            ast::BinaryOp::Subtract => Kind::Arithmetic(Operator::Subtract, operands),
            ast::BinaryOp::Multiply => Kind::Arithmetic(Operator::Multiply, operands),
            ast::BinaryOp::Divide => Kind::Arithmetic(Operator::Divide, operands),
            ast::BinaryOp::Modulo => Kind::Arithmetic(Operator::Modulo, operands),
            ast::BinaryOp::ShiftLeft => Kind::Arithmetic(Operator::ShiftLeft, operands),
            ast::BinaryOp::ShiftRight => Kind::Arithmetic(Operator::ShiftRight, operands),
            ast::BinaryOp::Equal => Kind::Compare(Comparison::Equal, operands),
            ast::BinaryOp::NotEqual => Kind::Compare(Comparison::NotEqual, operands),
            ast::BinaryOp::Less => Kind::Compare(Comparison::Less, operands),
            ast::BinaryOp::LessOrEqual => Kind::Compare(Comparison::LessOrEqual, operands),
            ast::BinaryOp::Greater => Kind::Compare(Comparison::Greater, operands),
            ast::BinaryOp::GreaterOrEqual => Kind::Compare(Comparison::GreaterOrEqual, operands),
        }
    }

    fn interpolation<'t>(&mut self, segments: impl Iterator<Item = ast::Segment<'t>>) -> Kind {
        let mut lowered: Vec<Segment> = segments
            .map(|segment| match segment {
                ast::Segment::Text(text, _) => Segment::Text(text.as_ref().into()),
                ast::Segment::Expr(expr) => Segment::Expr(self.expr(expr)),
            })
            .collect();
        match (lowered.len(), lowered.first_mut()) {
            (0, _) => Kind::Literal("".into()),
            (1, Some(Segment::Text(text))) => Kind::Literal(Value::String(std::mem::take(text))),
            _ => Kind::Interpolate(lowered.into()),
        }
    }

    fn heredoc(&mut self, heredoc: ast::Heredoc<'_>) -> Kind {
        let text = self.interpolation(heredoc.segments());
        let syntax: Str = heredoc.syntax_name().into();
        if syntax.is_empty() {
            return text;
        }
        let span = Span::at(heredoc.text_offset());
        let text = Expr { span, node: heredoc.syntax().index(), kind: text };
        Kind::Heredoc(Box::new(Heredoc { syntax, text }))
    }

    fn assignment(&mut self, assignment: ast::Assignment<'_>) -> Kind {
        let operator = match assignment.operator() {
            ast::AssignOp::Assign => AssignOperator::Set,
            ast::AssignOp::Append => AssignOperator::Append,
            ast::AssignOp::Delete => AssignOperator::Remove,
        };
        let target = self.target(assignment.left());
        Kind::Assign(Box::new(Assign { operator, target, value: self.expr(assignment.right()) }))
    }

    fn target(&mut self, expr: ast::Expr<'_>) -> Target {
        let span = self.span(expr);
        match expr {
            ast::Expr::Variable(name) => match variable(name.name()) {
                Kind::Match(n) => Target::Illegal(span, IllegalTarget::Match(n)),
                Kind::Variable(Variable { target: VariableTarget::Local(name), .. }) => {
                    Target::Variable(span, name)
                }
                _ => Target::Illegal(span, IllegalTarget::OtherScope(Name::new(name.name()))),
            },
            ast::Expr::Array(array) => {
                Target::List(span, array.elements().map(|element| self.target(element)).collect())
            }
            other => {
                let what = label::of_expr(&self.expr(other));
                Target::Illegal(span, IllegalTarget::NotVariable(what.into()))
            }
        }
    }

    fn access(&mut self, access: ast::Access<'_>, span: Span) -> Kind {
        let left = self.expr(access.left());
        let keys = self.exprs(access.keys());
        let constant = matches!(left.kind, Kind::TypeName(_)) && keys.iter().all(is_constant);
        let kind = Kind::Access(Box::new(Access { left, keys }));
        match constant {
            true => {
                let slot = self.questions.ask_type();
                let expr = Expr { span, node: access.syntax().index(), kind };
                Kind::Constant(Box::new(Constant { expr, slot }))
            }
            false => kind,
        }
    }

    fn callee(&mut self, name: &str) -> Callee {
        let slot = self.questions.ask_function();
        Callee::Function(CalleeName { name: Name::new(name.trim_start_matches("::")), slot })
    }

    fn call(&mut self, call: ast::Call<'_>) -> Kind {
        let form = match call.form() {
            ast::CallForm::Parenthesized => CallForm::Prefix,
            ast::CallForm::Statement | ast::CallForm::Bare => CallForm::Statement,
        };
        let callee = match call.function() {
            ast::Expr::Name(name) => self.callee(name.name()),
            ast::Expr::String(word) => self.callee(&word.value()),
            function => {
                let function = self.expr(function);
                match &function.kind {
                    Kind::TypeName(_) | Kind::Constant(_) => Callee::Type(Box::new(function)),
                    Kind::Access(access) if matches!(access.left.kind, Kind::TypeName(_)) => {
                        Callee::Type(Box::new(function))
                    }
                    _ => Callee::Illegal(function.span, label::of_expr(&function).into()),
                }
            }
        };
        let args = self.exprs(call.arguments());
        self.mention_called(&callee, &args);
        let lambda = call.lambda().map(|lambda| self.lambda(lambda));
        Kind::Call(Box::new(Call { form, callee, args, lambda }))
    }

    fn method_call(&mut self, call: ast::MethodCall<'_>) -> Kind {
        let receiver = self.expr(call.receiver());
        let mut args = vec![receiver];
        args.extend(call.arguments().map(|argument| self.expr(argument)));
        let lambda = call.lambda().map(|lambda| self.lambda(lambda));
        let callee = self.callee(call.name());
        self.mention_called(&callee, &args);
        Kind::Call(Box::new(Call { form: CallForm::Method, callee, args: args.into(), lambda }))
    }

    fn case(&mut self, case: ast::Case<'_>, span: Span) -> Kind {
        let test = self.expr(case.test());
        let mut options = Vec::new();
        let mut has_default = false;
        for option in case.options() {
            let values = self.exprs(option.values());
            has_default |= values.iter().any(is_default);
            let then = self.way_block(span, Way::Option, option.block());
            options.push(CaseOption { values, then });
        }
        // A default that only counts changes nothing else.
        if !has_default && let Some(then) = self.mark(branch(span, Way::NoOption), span) {
            let value = Expr { span, node: 0, kind: Kind::Literal(Value::Default) };
            options.push(CaseOption { values: Box::new([value]), then });
        }
        Kind::Case(Box::new(Case { test, options: options.into() }))
    }

    /// The block of a way that a construct can take; it may be missing.
    fn way_block(&mut self, construct: Span, way: Way, block: Option<ast::Block<'_>>) -> Expr {
        let (way, span) = match block {
            Some(block) => (way, block.span()),
            None => (Way::ImplicitElse, construct),
        };
        let expr = self.block(block);
        self.way(construct, way, span, expr)
    }

    fn way(&mut self, construct: Span, way: Way, span: Span, expr: Expr) -> Expr {
        self.marked(branch(construct, way), span, expr)
    }

    fn if_chain(&mut self, test: ast::If<'_>) -> Kind {
        let branches: Vec<_> = test.branches().collect();
        let last = branches.last().map_or(Span::at(0), |branch| branch.span());
        let mut otherwise = self.way_block(last, Way::Else, test.else_block());
        let mut lowered = Kind::Nop;
        for (at, branch) in branches.iter().enumerate().rev() {
            let condition = self.expr(branch.test());
            let then = self.way_block(branch.span(), Way::Then, branch.block());
            lowered = Kind::If(Box::new(If {
                unless: false,
                test: condition,
                then,
                otherwise: std::mem::take(&mut otherwise),
            }));
            if at > 0 {
                let span = branch.span().pointing_at(branch.puppet_offset());
                let kind = std::mem::take(&mut lowered);
                otherwise = Expr { span, node: branch.syntax().index(), kind };
            }
        }
        lowered
    }
}

fn branch(construct: Span, way: Way) -> MarkKind {
    MarkKind::Branch { construct: construct.start, way }
}

fn is_default(expr: &Expr) -> bool {
    matches!(expr.unwrapped().kind, Kind::Literal(Value::Default))
}

fn variable(written: &str) -> Kind {
    if written.starts_with(|c: char| c.is_ascii_digit())
        && let Ok(n) = written.parse()
    {
        return Kind::Match(n);
    }
    let name = Name::new(written);
    let target = match last_segment(written) {
        None => VariableTarget::Local(name),
        Some(("", leaf)) => VariableTarget::Top(Name::new(leaf)),
        Some((class, leaf)) => {
            let class = class.trim_start_matches("::").to_lowercase();
            VariableTarget::Class(Name::new(&class), Name::new(leaf))
        }
    };
    Kind::Variable(Variable { name, target })
}

/// The last segment of a name and the part before it, if it has several.
fn last_segment(name: &str) -> Option<(&str, &str)> {
    let colon = name.rfind(':')?;
    let outer = name[..colon].strip_suffix(':')?;
    Some((outer, &name[colon + 1..]))
}

/// Whether an expression means the same each time.
fn is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Literal(_) | Kind::Name(_) | Kind::TypeName(_) | Kind::Constant(_) => true,
        Kind::Array(elements) => elements.iter().all(is_constant),
        Kind::Hash(entries) => entries.iter().all(|(key, value)| is_constant(key) && is_constant(value)),
        _ => false,
    }
}
