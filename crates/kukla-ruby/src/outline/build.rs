//! Makes outlines of prism's trees.

use std::sync::Arc;

use kukla_syntax::{Span, deep};
use ruby_prism::{self as prism, ConstantId, Location, NodeList, StatementsNode, Visit};

use super::node::{
    Assign, Block, Call, Expr, Method, Namespace, Node, Parameter, ParameterKind, Part, Target,
};
use crate::erb::Translation;
use crate::nesting::dispatch;

/// How deep an outline nests. Expressions further in are left out: no code that people write has them, and code that walks an outline
/// can rely on the limit.
const DEEPEST: usize = 2_000;

/// Makes the nodes of one text.
pub(super) struct Builder<'t> {
    /// For the code of a template, the way back to the template's own positions.
    translation: Option<&'t Translation>,
    /// How many nodes are being made inside of each other.
    depth: usize,
    /// The nodes found in syntax that has no variant of its own.
    found: Vec<Node>,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn name(id: &ConstantId<'_>) -> String {
    text(id.as_slice())
}

/// A regular expression as written, except for the escape that only keeps a slash from ending it.
fn pattern(bytes: &[u8]) -> String {
    text(bytes).replace("\\/", "/")
}

/// Ruby's letters for the options of a regular expression.
fn flags(ignore_case: bool, extended: bool, multi_line: bool) -> &'static str {
    match (multi_line, ignore_case, extended) {
        (false, false, false) => "",
        (true, false, false) => "m",
        (false, true, false) => "i",
        (false, false, true) => "x",
        (true, true, false) => "mi",
        (true, false, true) => "mx",
        (false, true, true) => "ix",
        (true, true, true) => "mix",
    }
}

/// The path of a constant. `None` if it begins with something else than a constant, as in `object::NAME`.
fn constant(node: &prism::Node<'_>) -> Option<String> {
    if let Some(node) = node.as_constant_read_node() {
        return Some(name(&node.name()));
    }
    constant_path(&node.as_constant_path_node()?)
}

fn constant_path(node: &prism::ConstantPathNode<'_>) -> Option<String> {
    let mut names = vec![name(&node.name()?)];
    let mut above = node.parent();
    while let Some(parent) = above {
        if let Some(first) = parent.as_constant_read_node() {
            names.push(name(&first.name()));
            names.reverse();
            return Some(names.join("::"));
        }
        let path = parent.as_constant_path_node()?;
        names.push(name(&path.name()?));
        above = path.parent();
    }
    names.push(String::new());
    names.reverse();
    Some(names.join("::"))
}

impl<'t> Builder<'t> {
    pub fn new(translation: Option<&'t Translation>) -> Builder<'t> {
        Builder { translation, depth: 0, found: Vec::new() }
    }

    pub fn span(&self, location: &Location<'_>) -> Span {
        let (start, end) = (location.start(), location.end());
        match self.translation {
            None => Span::new(start, end),
            Some(translation) => {
                let start = translation.template_offset(start);
                Span::new(start, translation.template_offset(end).max(start))
            }
        }
    }

    pub fn node(&mut self, node: &prism::Node<'_>) -> Node {
        let span = self.span(&node.location());
        if self.depth == DEEPEST {
            return Node { span, expr: Expr::Other(Vec::new()) };
        }
        self.depth += 1;
        let expr = deep(|| match self.expr(node) {
            Some(expr) => expr,
            None => self.other(|builder| builder.visit(node)),
        });
        self.depth -= 1;
        Node { span, expr }
    }

    /// Syntax without a variant of its own; `visit` finds the nodes inside of it.
    fn other(&mut self, visit: impl FnOnce(&mut Self)) -> Expr {
        let outer = std::mem::take(&mut self.found);
        visit(self);
        Expr::Other(std::mem::replace(&mut self.found, outer))
    }

    fn boxed(&mut self, node: &prism::Node<'_>) -> Box<Node> {
        Box::new(self.node(node))
    }

    /// A body that may be empty, in which case it is at the end of what it belongs to.
    fn body(&mut self, node: Option<prism::Node<'_>>, whole: &Location<'_>) -> Node {
        match node {
            Some(node) => self.node(&node),
            None => self.nil(whole),
        }
    }

    fn nil(&self, whole: &Location<'_>) -> Node {
        let end = self.span(whole).end;
        Node { span: Span::new(end, end), expr: Expr::Nil }
    }

    fn statements(&mut self, node: Option<StatementsNode<'_>>, whole: &Location<'_>) -> Node {
        self.body(node.map(|node| node.as_node()), whole)
    }

    fn list(&mut self, nodes: &NodeList<'_>) -> Vec<Node> {
        nodes.iter().map(|node| self.node(&node)).collect()
    }

    fn pairs(&mut self, nodes: &NodeList<'_>) -> Expr {
        let mut pairs = Vec::new();
        for node in nodes.iter() {
            if let Some(pair) = node.as_assoc_node() {
                pairs.push((self.node(&pair.key()), self.node(&pair.value())));
            } else if let Some(splat) = node.as_assoc_splat_node() {
                let location = splat.location();
                let value = Box::new(self.body(splat.value(), &location));
                let key = Node { span: self.span(&location), expr: Expr::Splat(value) };
                pairs.push((key, self.nil(&location)));
            }
        }
        Expr::Hash(pairs)
    }

    /// The parts of a string; `literal` reads the text of those that are not code.
    fn parts(&mut self, nodes: &NodeList<'_>, literal: fn(&prism::StringNode<'_>) -> String) -> Vec<Part> {
        let part = |node: prism::Node<'_>| match (node.as_string_node(), node.as_embedded_statements_node()) {
            (Some(node), _) => Part::Text(literal(&node)),
            (_, Some(node)) => Part::Code(self.statements(node.statements(), &node.location())),
            _ => Part::Code(self.node(&node)),
        };
        nodes.iter().map(part).collect()
    }

    fn assign(
        &mut self,
        target: Target,
        operator: Option<String>,
        value: Option<prism::Node<'_>>,
    ) -> Option<Expr> {
        let value = value.map(|value| self.node(&value));
        Some(Expr::Assign(Box::new(Assign { target, operator, value })))
    }

    fn block(
        &mut self,
        parameters: Option<prism::Node<'_>>,
        body: Option<prism::Node<'_>>,
        whole: &Location<'_>,
    ) -> Arc<Block> {
        let parameters = self.parameters(parameters);
        Arc::new(Block { parameters, body: self.body(body, whole) })
    }

    fn parameters(&mut self, node: Option<prism::Node<'_>>) -> Vec<Parameter> {
        let Some(node) = node else { return Vec::new() };
        if let Some(node) = node.as_block_parameters_node() {
            return self.parameters(node.parameters().map(|node| node.as_node()));
        }
        let Some(node) = node.as_parameters_node() else { return Vec::new() };
        let mut all = Vec::new();
        let mut add = |name: Option<String>, kind: ParameterKind, default: Option<Node>| {
            all.push(Parameter { name: name.unwrap_or_default(), kind, default });
        };
        let plain = |node: &prism::Node<'_>| node.as_required_parameter_node().map(|node| name(&node.name()));
        node.requireds().iter().for_each(|node| add(plain(&node), ParameterKind::Required, None));
        for optional in node.optionals().iter() {
            if let Some(node) = optional.as_optional_parameter_node() {
                add(Some(name(&node.name())), ParameterKind::Optional, Some(self.node(&node.value())));
            }
        }
        if let Some(rest) = node.rest() {
            let named = rest.as_rest_parameter_node().and_then(|node| node.name());
            add(named.map(|id| name(&id)), ParameterKind::Rest, None);
        }
        node.posts().iter().for_each(|node| add(plain(&node), ParameterKind::Required, None));
        for keyword in node.keywords().iter() {
            if let Some(node) = keyword.as_required_keyword_parameter_node() {
                add(Some(name(&node.name())), ParameterKind::Keyword, None);
            } else if let Some(node) = keyword.as_optional_keyword_parameter_node() {
                add(Some(name(&node.name())), ParameterKind::Keyword, Some(self.node(&node.value())));
            }
        }
        if let Some(rest) = node.keyword_rest() {
            let named = rest.as_keyword_rest_parameter_node().and_then(|node| node.name());
            add(named.map(|id| name(&id)), ParameterKind::KeywordRest, None);
        }
        if let Some(block) = node.block() {
            let named = block.as_block_parameter_node().and_then(|node| node.name());
            add(named.map(|id| name(&id)), ParameterKind::Block, None);
        }
        all
    }

    fn call(&mut self, node: &prism::CallNode<'_>) -> Expr {
        let block = node.block();
        Expr::Call(Box::new(Call {
            receiver: node.receiver().map(|node| self.node(&node)),
            name: name(&node.name()),
            name_span: self.span(&node.message_loc().unwrap_or_else(|| node.location())),
            args: node.arguments().map(|node| self.list(&node.arguments())).unwrap_or_default(),
            has_parentheses: node.opening_loc().is_some(),
            is_safe: node.is_safe_navigation(),
            block_argument: block
                .as_ref()
                .and_then(|node| node.as_block_argument_node()?.expression())
                .map(|node| self.node(&node)),
            block: block
                .and_then(|node| node.as_block_node())
                .map(|node| self.block(node.parameters(), node.body(), &node.location())),
        }))
    }

    fn namespace(
        &mut self,
        path: &prism::Node<'_>,
        superclass: Option<prism::Node<'_>>,
        body: Option<prism::Node<'_>>,
        whole: &Location<'_>,
        is_class: bool,
    ) -> Option<Expr> {
        Some(Expr::Namespace(Arc::new(Namespace {
            is_class,
            name: constant(path).unwrap_or_default(),
            name_span: self.span(&path.location()),
            superclass: superclass.map(|node| self.node(&node)),
            body: self.body(body, whole),
        })))
    }

    /// The expression of a node that has a variant of its own. These are the nodes that [`variants`] lists.
    fn expr(&mut self, node: &prism::Node<'_>) -> Option<Expr> {
        match node {
            prism::Node::ProgramNode { .. } => {
                let node = node.as_program_node()?;
                Some(self.statements(Some(node.statements()), &node.location()).expr)
            }
            prism::Node::StatementsNode { .. } => {
                Some(Expr::Sequence(self.list(&node.as_statements_node()?.body())))
            }
            prism::Node::ParenthesesNode { .. } => {
                let node = node.as_parentheses_node()?;
                Some(self.body(node.body(), &node.location()).expr)
            }
            prism::Node::BeginNode { .. } => self.begin(&node.as_begin_node()?),
            prism::Node::ElseNode { .. } => {
                let node = node.as_else_node()?;
                Some(self.statements(node.statements(), &node.location()).expr)
            }
            prism::Node::ImplicitNode { .. } => Some(self.node(&node.as_implicit_node()?.value()).expr),
            prism::Node::NilNode { .. } => Some(Expr::Nil),
            prism::Node::TrueNode { .. } => Some(Expr::Boolean(true)),
            prism::Node::FalseNode { .. } => Some(Expr::Boolean(false)),
            prism::Node::SelfNode { .. } => Some(Expr::SelfReference),
            prism::Node::SourceFileNode { .. } => Some(Expr::SourceFile),
            prism::Node::IntegerNode { .. } => {
                let value: Option<i32> = node.as_integer_node()?.value().try_into().ok();
                Some(value.map_or_else(|| Expr::Other(Vec::new()), |value| Expr::Integer(value.into())))
            }
            prism::Node::StringNode { .. } => {
                Some(Expr::Text(vec![Part::Text(text(node.as_string_node()?.unescaped()))]))
            }
            prism::Node::InterpolatedStringNode { .. } => {
                let parts = node.as_interpolated_string_node()?.parts();
                Some(Expr::Text(self.parts(&parts, |node| text(node.unescaped()))))
            }
            prism::Node::SymbolNode { .. } => {
                Some(Expr::Symbol(vec![Part::Text(text(node.as_symbol_node()?.unescaped()))]))
            }
            prism::Node::InterpolatedSymbolNode { .. } => {
                let parts = node.as_interpolated_symbol_node()?.parts();
                Some(Expr::Symbol(self.parts(&parts, |node| text(node.unescaped()))))
            }
            // The source of a regular expression is taken as written: escapes belong to the pattern.
            prism::Node::RegularExpressionNode { .. } => {
                let node = node.as_regular_expression_node()?;
                let source = Part::Text(pattern(node.content_loc().as_slice()));
                let flags = flags(node.is_ignore_case(), node.is_extended(), node.is_multi_line());
                Some(Expr::Regexp(vec![source], flags))
            }
            prism::Node::InterpolatedRegularExpressionNode { .. } => {
                let node = node.as_interpolated_regular_expression_node()?;
                let flags = flags(node.is_ignore_case(), node.is_extended(), node.is_multi_line());
                let parts = self.parts(&node.parts(), |node| pattern(node.content_loc().as_slice()));
                Some(Expr::Regexp(parts, flags))
            }
            prism::Node::ArrayNode { .. } => Some(Expr::Array(self.list(&node.as_array_node()?.elements()))),
            prism::Node::HashNode { .. } => Some(self.pairs(&node.as_hash_node()?.elements())),
            prism::Node::KeywordHashNode { .. } => Some(self.pairs(&node.as_keyword_hash_node()?.elements())),
            prism::Node::SplatNode { .. } => {
                let node = node.as_splat_node()?;
                Some(Expr::Splat(Box::new(self.body(node.expression(), &node.location()))))
            }
            prism::Node::ConstantReadNode { .. } => constant(node).map(Expr::Constant),
            prism::Node::ConstantPathNode { .. } => {
                let path = node.as_constant_path_node()?;
                Some(match constant(node) {
                    Some(path) => Expr::Constant(path),
                    None => self.other(|builder| prism::visit_constant_path_node(builder, &path)),
                })
            }
            prism::Node::LocalVariableReadNode { .. } => {
                Some(Expr::Local(name(&node.as_local_variable_read_node()?.name())))
            }
            prism::Node::InstanceVariableReadNode { .. } => {
                Some(Expr::InstanceVariable(name(&node.as_instance_variable_read_node()?.name())))
            }
            prism::Node::LambdaNode { .. } => {
                let node = node.as_lambda_node()?;
                Some(Expr::Call(Box::new(Call {
                    receiver: None,
                    name: "lambda".into(),
                    name_span: self.span(&node.operator_loc()),
                    args: Vec::new(),
                    has_parentheses: false,
                    is_safe: false,
                    block: Some(self.block(node.parameters(), node.body(), &node.location())),
                    block_argument: None,
                })))
            }
            prism::Node::CallNode { .. } => Some(self.call(&node.as_call_node()?)),
            prism::Node::DefNode { .. } => {
                let node = node.as_def_node()?;
                let parameters = node.parameters().map(|node| node.as_node());
                Some(Expr::Method(Arc::new(Method {
                    name: name(&node.name()),
                    name_span: self.span(&node.name_loc()),
                    on_self: node.receiver().is_some(),
                    code: self.block(parameters, node.body(), &node.location()),
                })))
            }
            prism::Node::ModuleNode { .. } => {
                let node = node.as_module_node()?;
                self.namespace(&node.constant_path(), None, node.body(), &node.location(), false)
            }
            prism::Node::ClassNode { .. } => {
                let node = node.as_class_node()?;
                self.namespace(&node.constant_path(), node.superclass(), node.body(), &node.location(), true)
            }
            prism::Node::SingletonClassNode { .. } => {
                let node = node.as_singleton_class_node()?;
                Some(Expr::Singleton(Arc::new(self.body(node.body(), &node.location()))))
            }
            prism::Node::AliasMethodNode { .. } => {
                let node = node.as_alias_method_node()?;
                let word = |node: prism::Node<'_>| node.as_symbol_node().map(|node| text(node.unescaped()));
                Some(match (word(node.new_name()), word(node.old_name())) {
                    (Some(new), Some(old)) => Expr::Alias(new, old),
                    _ => self.other(|builder| prism::visit_alias_method_node(builder, &node)),
                })
            }
            _ => self.flow(node).or_else(|| self.write(node)),
        }
    }

    fn begin(&mut self, node: &prism::BeginNode<'_>) -> Option<Expr> {
        let body = self.statements(node.statements(), &node.location());
        let clauses = [
            node.rescue_clause().map(|node| node.as_node()),
            node.else_clause().map(|node| node.as_node()),
            node.ensure_clause().map(|node| node.as_node()),
        ];
        let clauses: Vec<Node> = clauses.into_iter().flatten().map(|clause| self.node(&clause)).collect();
        Some(if clauses.is_empty() { body.expr } else { Expr::Begin(Box::new(body), clauses) })
    }

    /// Branches and jumps.
    fn flow(&mut self, node: &prism::Node<'_>) -> Option<Expr> {
        match node {
            prism::Node::IfNode { .. } => {
                let (node, location) = (node.as_if_node()?, node.location());
                let test = self.boxed(&node.predicate());
                let yes = Box::new(self.statements(node.statements(), &location));
                Some(Expr::If(test, yes, Box::new(self.body(node.subsequent(), &location))))
            }
            prism::Node::UnlessNode { .. } => {
                let (node, location) = (node.as_unless_node()?, node.location());
                let test = self.boxed(&node.predicate());
                let yes = node.else_clause().map(|node| node.as_node());
                let yes = Box::new(self.body(yes, &location));
                Some(Expr::If(test, yes, Box::new(self.statements(node.statements(), &location))))
            }
            prism::Node::CaseNode { .. } => {
                let node = node.as_case_node()?;
                let subject = Box::new(self.body(node.predicate(), &node.location()));
                let mut rest = self.list(&node.conditions());
                rest.extend(node.else_clause().map(|node| self.node(&node.as_node())));
                Some(Expr::Case(subject, rest))
            }
            prism::Node::CaseMatchNode { .. } => {
                let node = node.as_case_match_node()?;
                let subject = Box::new(self.body(node.predicate(), &node.location()));
                let mut rest = self.list(&node.conditions());
                rest.extend(node.else_clause().map(|node| self.node(&node.as_node())));
                Some(Expr::Case(subject, rest))
            }
            prism::Node::AndNode { .. } => {
                let node = node.as_and_node()?;
                Some(Expr::And(self.boxed(&node.left()), self.boxed(&node.right())))
            }
            prism::Node::OrNode { .. } => {
                let node = node.as_or_node()?;
                Some(Expr::Or(self.boxed(&node.left()), self.boxed(&node.right())))
            }
            prism::Node::ReturnNode { .. } => {
                let (node, location) = (node.as_return_node()?, node.location());
                let mut values =
                    node.arguments().map(|args| self.list(&args.arguments())).unwrap_or_default();
                let value = match (values.len(), values.pop()) {
                    (_, None) => self.nil(&location),
                    (1, Some(only)) => only,
                    (_, Some(last)) => {
                        values.push(last);
                        Node { span: self.span(&location), expr: Expr::Array(values) }
                    }
                };
                Some(Expr::Return(Box::new(value)))
            }
            prism::Node::DefinedNode { .. } => {
                Some(Expr::Defined(self.boxed(&node.as_defined_node()?.value())))
            }
            _ => None,
        }
    }

    /// Assignments.
    fn write(&mut self, node: &prism::Node<'_>) -> Option<Expr> {
        macro_rules! writes {
            ($($target:ident: $write:ident, $operator:ident, $or:ident, $and:ident, $multiple:ident;)*) => {
                $(
                    if let Some(node) = node.$write() {
                        return self.assign(Target::$target(name(&node.name())), None, Some(node.value()));
                    }
                    if let Some(node) = node.$operator() {
                        let operator = Some(name(&node.binary_operator()));
                        return self.assign(Target::$target(name(&node.name())), operator, Some(node.value()));
                    }
                    if let Some(node) = node.$or() {
                        let operator = Some("||".to_owned());
                        return self.assign(Target::$target(name(&node.name())), operator, Some(node.value()));
                    }
                    if let Some(node) = node.$and() {
                        let operator = Some("&&".to_owned());
                        return self.assign(Target::$target(name(&node.name())), operator, Some(node.value()));
                    }
                    if let Some(node) = node.$multiple() {
                        return self.assign(Target::$target(name(&node.name())), None, None);
                    }
                )*
            };
        }
        writes! {
            Local: as_local_variable_write_node, as_local_variable_operator_write_node,
                as_local_variable_or_write_node, as_local_variable_and_write_node, as_local_variable_target_node;
            InstanceVariable: as_instance_variable_write_node, as_instance_variable_operator_write_node,
                as_instance_variable_or_write_node, as_instance_variable_and_write_node,
                as_instance_variable_target_node;
            Constant: as_constant_write_node, as_constant_operator_write_node, as_constant_or_write_node,
                as_constant_and_write_node, as_constant_target_node;
        }
        if let Some(node) = node.as_constant_path_write_node() {
            return match constant_path(&node.target()) {
                Some(path) => self.assign(Target::Constant(path), None, Some(node.value())),
                None => Some(self.other(|builder| prism::visit_constant_path_write_node(builder, &node))),
            };
        }
        None
    }
}

/// Lists the nodes that have a variant of their own: found inside of other syntax, they become nodes of the outline.
macro_rules! variants {
    ($($visit:ident: $node:ident),* $(,)?) => {
        impl<'pr> Visit<'pr> for Builder<'_> {
            /// Levels of syntax that has no variant of its own count like others.
            fn visit(&mut self, node: &prism::Node<'pr>) {
                if self.depth < DEEPEST {
                    self.depth += 1;
                    deep(|| dispatch(self, node));
                    self.depth -= 1;
                }
            }

            /// All clauses of a `begin`, in a loop: there may be many.
            fn visit_rescue_node(&mut self, node: &prism::RescueNode<'pr>) {
                let mut next = node.as_node().as_rescue_node();
                while let Some(clause) = next {
                    clause.exceptions().iter().for_each(|class| self.visit(&class));
                    clause.reference().iter().for_each(|target| self.visit(target));
                    clause.statements().iter().for_each(|code| self.visit_statements_node(code));
                    next = clause.subsequent();
                }
            }

            $(
                fn $visit(&mut self, node: &prism::$node<'pr>) {
                    let node = self.node(&node.as_node());
                    self.found.push(node);
                }
            )*
        }
    };
}

variants! {
    visit_alias_method_node: AliasMethodNode,
    visit_and_node: AndNode,
    visit_array_node: ArrayNode,
    visit_begin_node: BeginNode,
    visit_call_node: CallNode,
    visit_case_match_node: CaseMatchNode,
    visit_case_node: CaseNode,
    visit_class_node: ClassNode,
    visit_constant_and_write_node: ConstantAndWriteNode,
    visit_constant_operator_write_node: ConstantOperatorWriteNode,
    visit_constant_or_write_node: ConstantOrWriteNode,
    visit_constant_path_node: ConstantPathNode,
    visit_constant_path_write_node: ConstantPathWriteNode,
    visit_constant_read_node: ConstantReadNode,
    visit_constant_target_node: ConstantTargetNode,
    visit_constant_write_node: ConstantWriteNode,
    visit_def_node: DefNode,
    visit_defined_node: DefinedNode,
    visit_false_node: FalseNode,
    visit_hash_node: HashNode,
    visit_if_node: IfNode,
    visit_implicit_node: ImplicitNode,
    visit_instance_variable_and_write_node: InstanceVariableAndWriteNode,
    visit_instance_variable_operator_write_node: InstanceVariableOperatorWriteNode,
    visit_instance_variable_or_write_node: InstanceVariableOrWriteNode,
    visit_instance_variable_read_node: InstanceVariableReadNode,
    visit_instance_variable_target_node: InstanceVariableTargetNode,
    visit_instance_variable_write_node: InstanceVariableWriteNode,
    visit_integer_node: IntegerNode,
    visit_interpolated_regular_expression_node: InterpolatedRegularExpressionNode,
    visit_interpolated_string_node: InterpolatedStringNode,
    visit_interpolated_symbol_node: InterpolatedSymbolNode,
    visit_keyword_hash_node: KeywordHashNode,
    visit_lambda_node: LambdaNode,
    visit_local_variable_and_write_node: LocalVariableAndWriteNode,
    visit_local_variable_operator_write_node: LocalVariableOperatorWriteNode,
    visit_local_variable_or_write_node: LocalVariableOrWriteNode,
    visit_local_variable_read_node: LocalVariableReadNode,
    visit_local_variable_target_node: LocalVariableTargetNode,
    visit_local_variable_write_node: LocalVariableWriteNode,
    visit_module_node: ModuleNode,
    visit_nil_node: NilNode,
    visit_or_node: OrNode,
    visit_parentheses_node: ParenthesesNode,
    visit_regular_expression_node: RegularExpressionNode,
    visit_return_node: ReturnNode,
    visit_self_node: SelfNode,
    visit_singleton_class_node: SingletonClassNode,
    visit_source_file_node: SourceFileNode,
    visit_splat_node: SplatNode,
    visit_statements_node: StatementsNode,
    visit_string_node: StringNode,
    visit_symbol_node: SymbolNode,
    visit_true_node: TrueNode,
    visit_unless_node: UnlessNode,
}
