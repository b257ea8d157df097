//! Entries that are written in Puppet: classes, defined types, functions, plans and type aliases.

use kukla::syntax::ast::{self, Expr};
use kukla::syntax::tree::Node;
use kukla::syntax::{Source, SyntaxKind as K, Tree, deep};

use super::Reference;
use super::docstring::{Docstring, is_space, strip};
use super::entry::{Definition, Function, Origin, Parameter, TypeAlias, Use};
use super::tag::Tag;
use crate::repository::{literal, plain};

/// Reads the entries of a manifest.
pub fn read(file: &str, source: &Source, tree: &Tree, reference: &mut Reference) {
    let reader = Reader { file, source, lines: source.text().split('\n').collect() };
    reader.definitions(tree.root(), &mut Vec::new(), reference);
}

struct Reader<'s> {
    file: &'s str,
    source: &'s Source,
    lines: Vec<&'s str>,
}

impl<'s> Reader<'s> {
    /// Reads the definitions below a node; the names of classes around a definition belong to its name.
    fn definitions<'t>(&self, node: Node<'t>, around: &mut Vec<&'t str>, reference: &mut Reference) {
        for child in node.children().filter(|child| !child.kind().is_token()) {
            match child.kind() {
                K::ClassDefinition => {
                    if let Some(class) = ast::ClassDefinition::cast(child) {
                        if let Some(body) = class.body() {
                            around.push(class.name());
                            deep(|| self.definitions(body.syntax(), around, reference));
                            around.pop();
                        }
                        let name = ast::nested_name(around, class.name());
                        let mut made = self.definition(child, class.name_token(), &name, class.parameters());
                        made.inherits = class.parent().map(|name| name.trim_start_matches("::").to_owned());
                        reference.classes.push(made);
                    }
                }
                K::DefineDefinition => {
                    if let Some(define) = ast::DefineDefinition::cast(child) {
                        let name = ast::nested_name(around, define.name());
                        let made = self.definition(child, define.name_token(), &name, define.parameters());
                        reference.defines.push(made);
                    }
                }
                K::PlanDefinition => {
                    if let Some(plan) = ast::PlanDefinition::cast(child) {
                        let made = self.definition(child, plan.name_token(), plan.name(), plan.parameters());
                        reference.plans.push(made);
                    }
                }
                K::FunctionDefinition => {
                    if let Some(function) = ast::FunctionDefinition::cast(child) {
                        reference.functions.push(self.function(function));
                    }
                }
                K::TypeAlias => {
                    reference.aliases.extend(ast::TypeAlias::cast(child).and_then(|alias| self.alias(alias)));
                }
                _ => deep(|| self.definitions(child, around, reference)),
            }
        }
    }

    fn origin(&self, node: Node<'_>, name: Option<Node<'_>>) -> Origin {
        let span = node.span();
        Origin {
            file: self.file.to_owned(),
            line: self.source.lines().line(span.start),
            name_span: name.map_or(span, Node::span),
        }
    }

    fn definition<'t>(
        &self,
        node: Node<'t>,
        token: Option<Node<'t>>,
        name: &str,
        parameters: impl Iterator<Item = ast::Parameter<'t>>,
    ) -> Definition {
        let origin = self.origin(node, token);
        let written = self.comment_above(origin.line);
        let parameters: Vec<Parameter> = parameters.map(|one| self.parameter(one)).collect();
        let mut docstring = written.clone();
        type_parameters(&mut docstring, &parameters);
        Definition {
            name: name.to_owned(),
            origin,
            docstring,
            written,
            parameters,
            inherits: None,
            uses: self.uses(node),
            source: node.text().to_owned(),
        }
    }

    /// The classes and resource types that a definition declares by literal names.
    fn uses(&self, node: Node<'_>) -> Vec<Use> {
        let mut uses: Vec<Use> = Vec::new();
        let mut add = |name: &str, node: Node<'_>| {
            uses.push(Use {
                name: plain(name).to_string(),
                line: self.source.lines().line(node.span().start),
            });
        };
        for child in node.descendants() {
            match Expr::cast(child) {
                Some(Expr::Call(call)) => {
                    if let Expr::Name(function) = call.function()
                        && matches!(function.name(), "include" | "contain" | "require")
                    {
                        for argument in call.arguments() {
                            let list = match argument {
                                Expr::Array(array) => array.elements().collect(),
                                other => vec![other],
                            };
                            list.into_iter().filter_map(literal::text).for_each(|name| add(&name, child));
                        }
                    }
                }
                Some(Expr::Resource(resource)) if resource.is_class() => {
                    let titles = resource.bodies().filter_map(|body| literal::text(body.title()));
                    titles.for_each(|name| add(&name, child));
                }
                Some(Expr::Resource(resource)) => {
                    if let Some(Expr::Name(kind)) = resource.type_expr() {
                        add(kind.name(), child);
                    }
                }
                _ => {}
            }
        }
        uses
    }

    fn function(&self, function: ast::FunctionDefinition<'_>) -> Function {
        let origin = self.origin(function.syntax(), function.name_token());
        let written = self.comment_above(origin.line);
        let parameters: Vec<Parameter> = function.parameters().map(|one| self.parameter(one)).collect();
        let mut docstring = written.clone();
        type_parameters(&mut docstring, &parameters);
        let returns = function.return_type().map(|ty| self.text(ty).replace(">> ", ""));
        match docstring.tags.iter_mut().find(|tag| tag.name == "return") {
            Some(tag) => {
                let known = tag.types.take().unwrap_or_else(|| vec![Some("Any".into())]);
                tag.types = Some(returns.map_or(known, |ty| vec![Some(ty)]));
            }
            None => {
                let ty = returns.unwrap_or_else(|| "Any".into());
                docstring.tags.push(Tag::of_code("return", None, Some(ty)));
            }
        }
        Function {
            name: function.name().to_owned(),
            origin,
            docstring,
            written,
            parameters,
            source: format_source(function.syntax().text()),
            ..Function::default()
        }
    }

    fn alias(&self, alias: ast::TypeAlias<'_>) -> Option<TypeAlias> {
        let name = alias.name()?.to_owned();
        // With a hash after it, it is a type of its own.
        let alias_of = match alias.right() {
            _ if alias.object_hash().is_some() => return None,
            Expr::Access(access) => {
                let keys = access.keys().map(|key| self.text(key)).collect::<Vec<_>>().join(", ");
                format!("{}[{keys}]", self.text(access.left()))
            }
            other => self.text(other),
        };
        let origin = self.origin(alias.syntax(), Some(alias.left().syntax()));
        let docstring = self.comment_above(origin.line);
        Some(TypeAlias { name, origin, docstring, alias_of })
    }

    fn parameter(&self, parameter: ast::Parameter<'_>) -> Parameter {
        Parameter {
            name: parameter.name().to_owned(),
            ty: parameter.type_expr().map(|ty| self.text(ty)),
            default: parameter.default().map(|default| self.text(default)),
            span: parameter.name_token().map(Node::span).unwrap_or_default(),
        }
    }

    /// The text of an expression as Puppet's parser delimits it.
    fn text(&self, expr: Expr<'_>) -> String {
        let start = expr.span().start as usize;
        self.source.text().get(start..end(expr) as usize).unwrap_or_default().to_owned()
    }

    /// The comment that ends on the line above.
    fn comment_above(&self, line: u32) -> Docstring {
        let above = (line as usize).saturating_sub(1);
        let mut comment: Vec<&str> = self.lines[..above.min(self.lines.len())]
            .iter()
            .rev()
            .map_while(|line| uncommented(line))
            .collect();
        comment.reverse();
        let first = above - comment.len();
        Docstring::read(&comment.join("\n"), first as u32 + 1)
    }
}

/// A line of a comment without its marker.
fn uncommented(line: &str) -> Option<&str> {
    let rest = strip(line).strip_prefix('#')?.trim_start_matches('#');
    Some(rest.strip_prefix(is_space).unwrap_or(rest))
}

/// The end of an expression. Puppet's parser knows a selector by its value and its entries: the brace that closes it is left out.
fn end(expr: Expr<'_>) -> u32 {
    deep(|| match expr {
        Expr::Selector(selector) => {
            selector.entries().last().map_or_else(|| expr.span().end, |entry| end(entry.value()))
        }
        Expr::Binary(binary) => end(binary.right()),
        Expr::Assignment(assignment) => end(assignment.right()),
        Expr::Relationship(relationship) => end(relationship.right()),
        Expr::Not(not) => end(not.inner()),
        Expr::Negate(negate) => end(negate.inner()),
        Expr::Unfold(unfold) => end(unfold.inner()),
        Expr::MethodCall(call) if call.arguments().next().is_none() && call.lambda().is_none() => {
            let text = expr.syntax().text();
            // Of empty parentheses, it knows the first one.
            let close = text.ends_with(')').then(|| text.rfind('(')).flatten();
            close.map_or(expr.span().end, |open| expr.span().start + open as u32 + 1)
        }
        Expr::Heredoc(heredoc) => heredoc_end(heredoc),
        Expr::If(test) => {
            let mut branches = test.branches().skip(1);
            let last =
                test.else_block().or_else(|| branches.by_ref().last().and_then(|branch| branch.block()));
            last.map_or_else(|| expr.span().end, block_end)
        }
        Expr::Unless(test) => test.else_block().map_or_else(|| expr.span().end, block_end),
        _ => expr.span().end,
    })
}

/// The end of a last branch: of one statement, without the brace.
fn block_end(block: ast::Block<'_>) -> u32 {
    let mut statements = block.statements();
    match (statements.next(), statements.next()) {
        (Some(only), None) => end(only),
        _ => block.syntax().span().end,
    }
}

/// The end of a here-document: that of its text. Where nothing is interpolated, the margin of the first line is missing.
fn heredoc_end(heredoc: ast::Heredoc<'_>) -> u32 {
    let Some(body) = heredoc.body() else { return heredoc.span().end };
    let text = body.text().trim_end_matches('\n');
    let last = text.rfind('\n').map_or(0, |at| at + 1);
    let (content, closing) = text.split_at(last);
    let Some(bar) = closing.find('|') else { return body.span().start + content.len() as u32 };
    let trims = closing[bar + 1..].trim_start().starts_with('-');
    let content = if trims { content.strip_suffix('\n').unwrap_or(content) } else { content };
    let margin = content.bytes().take(bar).take_while(|b| matches!(b, b' ' | b'\t')).count();
    let missing = if heredoc.is_interpolated() { 0 } else { margin };
    body.span().start + content.len().saturating_sub(missing) as u32
}

/// Gives each parameter a tag, and each such tag the type that the code declares.
fn type_parameters(docstring: &mut Docstring, parameters: &[Parameter]) {
    for parameter in parameters {
        let any = || Some("Any".to_owned());
        match docstring.parameter_mut(&parameter.name) {
            Some(tag) => match &parameter.ty {
                Some(ty) => tag.types = Some(vec![Some(ty.clone())]),
                None => tag.types = tag.types.take().or_else(|| Some(vec![any()])),
            },
            None => {
                let ty = parameter.ty.clone().or_else(any);
                docstring.tags.push(Tag::of_code("param", Some(&parameter.name), ty));
            }
        }
    }
}

/// Code without the indentation of its last line.
pub fn format_source(source: &str) -> String {
    let source = source.strip_suffix('\n').unwrap_or(source);
    let last = source.rsplit('\n').next().unwrap_or_default();
    let indent = last.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let dedent = |line: &str| {
        let blanks = line.bytes().take(indent).take_while(|b| matches!(b, b' ' | b'\t')).count();
        line.get(if blanks == indent { indent } else { 0 }..).unwrap_or_default().to_owned()
    };
    source.split('\n').map(dedent).collect::<Vec<_>>().join("\n")
}
