//! The part of Ruby's syntax that says something about a resource type, as an owned tree.

use std::rc::Rc;

use ruby_prism::{ConstantId, Node, NodeList, StatementsNode};

/// An expression. What cannot matter to a type's attributes is [`Expr::Other`].
#[derive(Debug)]
pub(super) enum Expr {
    Nil,
    Boolean(bool),
    Itself,
    ThisFile,
    Integer(i64),
    /// Text with expressions between.
    Text(Vec<Part>),
    Symbol(Vec<Part>),
    Regexp(Vec<Part>, &'static str),
    Array(Vec<Expr>),
    Hash(Vec<(Expr, Expr)>),
    Splat(Box<Expr>),
    Constant(String),
    Local(String),
    Assign(Target, Box<Expr>),
    Call(Box<Call>),
    Def(Rc<Def>),
    /// `module A::B`, and `class` likewise.
    Module(String, Rc<Expr>),
    /// `class << self`.
    Singleton(Rc<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Return(Box<Expr>),
    Sequence(Vec<Expr>),
    Other,
}

#[derive(Debug)]
pub(super) enum Part {
    Text(String),
    Code(Expr),
}

#[derive(Debug)]
pub(super) enum Target {
    Local(String),
    Ivar(String),
    Constant(String),
}

#[derive(Debug)]
pub(super) struct Call {
    pub receiver: Option<Expr>,
    pub name: String,
    pub args: Vec<Expr>,
    pub block: Option<Rc<Block>>,
    /// `&block`.
    pub passed: Option<Expr>,
}

#[derive(Debug)]
pub(super) struct Block {
    pub params: Params,
    pub body: Expr,
}

#[derive(Debug)]
pub(super) struct Def {
    pub name: String,
    /// Whether it is defined on a class or module itself: `def self.x`.
    pub on_itself: bool,
    /// Its parameters and body; a method can be made of a block.
    pub code: Rc<Block>,
}

#[derive(Debug, Default)]
pub(super) struct Params {
    pub names: Vec<(String, Option<Expr>)>,
    pub rest: Option<String>,
    pub block: Option<String>,
}

/// Parses a file; what cannot be parsed says nothing.
pub(super) fn parse(source: &str) -> Expr {
    let result = ruby_prism::parse(source.as_bytes());
    expr(&result.node())
}

fn name(id: &ConstantId<'_>) -> String {
    text(id.as_slice())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn boxed(node: Option<Node<'_>>) -> Box<Expr> {
    Box::new(node.map_or(Expr::Nil, |node| expr(&node)))
}

fn list(nodes: &NodeList<'_>) -> Vec<Expr> {
    nodes.iter().map(|node| expr(&node)).collect()
}

fn statements(node: Option<StatementsNode<'_>>) -> Expr {
    node.map_or(Expr::Nil, |node| Expr::Sequence(list(&node.body())))
}

fn pairs(nodes: &NodeList<'_>) -> Expr {
    let pair = |node: Node<'_>| node.as_assoc_node().map(|pair| (expr(&pair.key()), expr(&pair.value())));
    Expr::Hash(nodes.iter().filter_map(pair).collect())
}

fn parts(nodes: &NodeList<'_>) -> Vec<Part> {
    let part = |node: Node<'_>| match (node.as_string_node(), node.as_embedded_statements_node()) {
        (Some(node), _) => Part::Text(text(node.unescaped())),
        (_, Some(node)) => Part::Code(statements(node.statements())),
        _ => Part::Code(expr(&node)),
    };
    nodes.iter().map(part).collect()
}

/// A regular expression as written, but for the escape that only keeps a slash from ending it.
fn written(bytes: &[u8]) -> String {
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

fn constant(node: &Node<'_>) -> String {
    if let Some(node) = node.as_constant_read_node() {
        return name(&node.name());
    }
    let Some(node) = node.as_constant_path_node() else { return String::new() };
    let last = node.name().map(|id| name(&id)).unwrap_or_default();
    match node.parent() {
        Some(parent) => format!("{}::{last}", constant(&parent)),
        None => last,
    }
}

fn params(node: Option<Node<'_>>) -> Params {
    let Some(node) = node else { return Params::default() };
    if let Some(node) = node.as_block_parameters_node() {
        return params(node.parameters().map(|node| node.as_node()));
    }
    let Some(node) = node.as_parameters_node() else { return Params::default() };
    let mut found = Params::default();
    for required in node.requireds().iter().chain(node.posts().iter()) {
        let plain = required.as_required_parameter_node().map(|node| name(&node.name()));
        found.names.push((plain.unwrap_or_default(), None));
    }
    for optional in node.optionals().iter() {
        if let Some(node) = optional.as_optional_parameter_node() {
            found.names.push((name(&node.name()), Some(expr(&node.value()))));
        }
    }
    found.rest = node.rest().and_then(|node| node.as_rest_parameter_node()?.name().map(|id| name(&id)));
    found.block = node.block().and_then(|node| node.as_block_parameter_node()?.name().map(|id| name(&id)));
    found
}

fn call(node: &ruby_prism::CallNode<'_>) -> Expr {
    let block = node.block();
    Expr::Call(Box::new(Call {
        receiver: node.receiver().map(|node| expr(&node)),
        name: name(&node.name()),
        args: node.arguments().map(|node| list(&node.arguments())).unwrap_or_default(),
        passed: block
            .as_ref()
            .and_then(|node| node.as_block_argument_node()?.expression())
            .map(|node| expr(&node)),
        block: block
            .and_then(|node| node.as_block_node())
            .map(|node| Rc::new(Block { params: params(node.parameters()), body: *boxed(node.body()) })),
    }))
}

fn expr(node: &Node<'_>) -> Expr {
    match node {
        Node::ProgramNode { .. } => {
            node.as_program_node().map_or(Expr::Other, |n| statements(Some(n.statements())))
        }
        Node::StatementsNode { .. } => statements(node.as_statements_node()),
        Node::ParenthesesNode { .. } => node.as_parentheses_node().map_or(Expr::Other, |n| *boxed(n.body())),
        Node::BeginNode { .. } => node.as_begin_node().map_or(Expr::Other, |n| statements(n.statements())),
        Node::ElseNode { .. } => node.as_else_node().map_or(Expr::Other, |n| statements(n.statements())),
        Node::NilNode { .. } => Expr::Nil,
        Node::TrueNode { .. } => Expr::Boolean(true),
        Node::FalseNode { .. } => Expr::Boolean(false),
        Node::SelfNode { .. } => Expr::Itself,
        Node::SourceFileNode { .. } => Expr::ThisFile,
        Node::IntegerNode { .. } => {
            let value: Option<i32> = node.as_integer_node().and_then(|n| n.value().try_into().ok());
            value.map_or(Expr::Other, |n| Expr::Integer(n.into()))
        }
        Node::StringNode { .. } => {
            let plain = node.as_string_node().map(|n| text(n.unescaped()));
            Expr::Text(plain.into_iter().map(Part::Text).collect())
        }
        Node::InterpolatedStringNode { .. } => {
            node.as_interpolated_string_node().map_or(Expr::Other, |n| Expr::Text(parts(&n.parts())))
        }
        Node::SymbolNode { .. } => {
            let plain = node.as_symbol_node().map(|n| text(n.unescaped()));
            Expr::Symbol(plain.into_iter().map(Part::Text).collect())
        }
        Node::InterpolatedSymbolNode { .. } => {
            node.as_interpolated_symbol_node().map_or(Expr::Other, |n| Expr::Symbol(parts(&n.parts())))
        }
        Node::RegularExpressionNode { .. } => node.as_regular_expression_node().map_or(Expr::Other, |n| {
            // The source as written: escapes belong to the pattern.
            let source = Part::Text(written(n.content_loc().as_slice()));
            Expr::Regexp(vec![source], flags(n.is_ignore_case(), n.is_extended(), n.is_multi_line()))
        }),
        Node::InterpolatedRegularExpressionNode { .. } => {
            node.as_interpolated_regular_expression_node().map_or(Expr::Other, |n| {
                let part = |node: Node<'_>| match node.as_string_node() {
                    Some(node) => Part::Text(written(node.content_loc().as_slice())),
                    None => Part::Code(
                        node.as_embedded_statements_node()
                            .map_or(Expr::Other, |n| statements(n.statements())),
                    ),
                };
                let parts = n.parts().iter().map(part).collect();
                Expr::Regexp(parts, flags(n.is_ignore_case(), n.is_extended(), n.is_multi_line()))
            })
        }
        Node::ArrayNode { .. } => {
            node.as_array_node().map_or(Expr::Other, |n| Expr::Array(list(&n.elements())))
        }
        Node::HashNode { .. } => node.as_hash_node().map_or(Expr::Other, |n| pairs(&n.elements())),
        Node::KeywordHashNode { .. } => {
            node.as_keyword_hash_node().map_or(Expr::Other, |n| pairs(&n.elements()))
        }
        Node::SplatNode { .. } => {
            node.as_splat_node().map_or(Expr::Other, |n| Expr::Splat(boxed(n.expression())))
        }
        Node::ConstantReadNode { .. } | Node::ConstantPathNode { .. } => Expr::Constant(constant(node)),
        Node::LocalVariableReadNode { .. } => {
            node.as_local_variable_read_node().map_or(Expr::Other, |n| Expr::Local(name(&n.name())))
        }
        Node::LocalVariableWriteNode { .. } => node
            .as_local_variable_write_node()
            .map_or(Expr::Other, |n| Expr::Assign(Target::Local(name(&n.name())), boxed(Some(n.value())))),
        Node::InstanceVariableWriteNode { .. } => node
            .as_instance_variable_write_node()
            .map_or(Expr::Other, |n| Expr::Assign(Target::Ivar(name(&n.name())), boxed(Some(n.value())))),
        Node::ConstantWriteNode { .. } => node
            .as_constant_write_node()
            .map_or(Expr::Other, |n| Expr::Assign(Target::Constant(name(&n.name())), boxed(Some(n.value())))),
        Node::LocalVariableOperatorWriteNode { .. } => {
            node.as_local_variable_operator_write_node().map_or(Expr::Other, |n| {
                let local = name(&n.name());
                let sum = Call {
                    receiver: Some(Expr::Local(local.clone())),
                    name: name(&n.binary_operator()),
                    args: vec![expr(&n.value())],
                    block: None,
                    passed: None,
                };
                Expr::Assign(Target::Local(local), Box::new(Expr::Call(Box::new(sum))))
            })
        }
        Node::LambdaNode { .. } => node.as_lambda_node().map_or(Expr::Other, |n| {
            let block = Block { params: params(n.parameters()), body: *boxed(n.body()) };
            Expr::Call(Box::new(Call {
                receiver: None,
                name: "lambda".into(),
                args: Vec::new(),
                block: Some(Rc::new(block)),
                passed: None,
            }))
        }),
        Node::CallNode { .. } => node.as_call_node().map_or(Expr::Other, |n| call(&n)),
        Node::DefNode { .. } => node.as_def_node().map_or(Expr::Other, |n| {
            Expr::Def(Rc::new(Def {
                name: name(&n.name()),
                on_itself: n.receiver().is_some(),
                code: Rc::new(Block {
                    params: params(n.parameters().map(|node| node.as_node())),
                    body: *boxed(n.body()),
                }),
            }))
        }),
        Node::ModuleNode { .. } => node
            .as_module_node()
            .map_or(Expr::Other, |n| Expr::Module(constant(&n.constant_path()), boxed(n.body()).into())),
        Node::ClassNode { .. } => node
            .as_class_node()
            .map_or(Expr::Other, |n| Expr::Module(constant(&n.constant_path()), boxed(n.body()).into())),
        Node::SingletonClassNode { .. } => {
            node.as_singleton_class_node().map_or(Expr::Other, |n| Expr::Singleton(boxed(n.body()).into()))
        }
        Node::IfNode { .. } => node.as_if_node().map_or(Expr::Other, |n| {
            Expr::If(boxed(Some(n.predicate())), Box::new(statements(n.statements())), boxed(n.subsequent()))
        }),
        Node::UnlessNode { .. } => node.as_unless_node().map_or(Expr::Other, |n| {
            let otherwise = n.else_clause().map(|node| node.as_node());
            Expr::If(boxed(Some(n.predicate())), boxed(otherwise), Box::new(statements(n.statements())))
        }),
        Node::AndNode { .. } => node
            .as_and_node()
            .map_or(Expr::Other, |n| Expr::And(boxed(Some(n.left())), boxed(Some(n.right())))),
        Node::OrNode { .. } => {
            node.as_or_node().map_or(Expr::Other, |n| Expr::Or(boxed(Some(n.left())), boxed(Some(n.right()))))
        }
        Node::ReturnNode { .. } => node.as_return_node().map_or(Expr::Other, |n| {
            Expr::Return(boxed(n.arguments().and_then(|args| args.arguments().iter().next())))
        }),
        _ => Expr::Other,
    }
}
