//! The nodes of an outline.

use std::sync::Arc;

use kukla_syntax::Span;

/// An expression and its position in the text that the outline was made from.
#[derive(Debug)]
pub struct Node {
    /// The bytes it takes up.
    pub span: Span,
    /// The expression.
    pub expr: Expr,
}

/// An expression. Syntax that has no variant of its own is [`Expr::Other`], with the expressions inside of it.
#[derive(Debug)]
pub enum Expr {
    /// `nil`, or an empty body.
    Nil,
    /// `true` or `false`.
    Boolean(bool),
    /// `self`
    SelfReference,
    /// `__FILE__`
    SourceFile,
    /// An integer that fits 32 bits.
    Integer(i64),
    /// A string, here-document included, split where code is interpolated.
    Text(Vec<Part>),
    /// A symbol, split where code is interpolated.
    Symbol(Vec<Part>),
    /// A regular expression and the letters of its options.
    Regexp(Vec<Part>, &'static str),
    /// `[a, b]`
    Array(Vec<Node>),
    /// A hash or keyword arguments. `**hash` has [`Expr::Splat`] as its key and [`Expr::Nil`] as its value.
    Hash(Vec<(Node, Node)>),
    /// `*list` or `**hash`
    Splat(Box<Node>),
    /// A constant with its path, such as `A::B` or `::A`.
    Constant(String),
    /// A local variable or parameter.
    Local(String),
    /// An instance variable, with its `@`.
    InstanceVariable(String),
    /// An assignment to a variable or constant.
    Assign(Box<Assign>),
    /// A method call.
    Call(Box<Call>),
    /// `def`
    Method(Arc<Method>),
    /// `class` or `module`
    Namespace(Arc<Namespace>),
    /// `class << self`
    Singleton(Arc<Node>),
    /// `alias new old`
    Alias(String, String),
    /// `if`, `unless`, `a ? b : c`: the condition, the branch if it is true, the branch if it is not.
    If(Box<Node>, Box<Node>, Box<Node>),
    /// `case`: the subject, and all that follows.
    Case(Box<Node>, Vec<Node>),
    /// `a && b`
    And(Box<Node>, Box<Node>),
    /// `a || b`
    Or(Box<Node>, Box<Node>),
    /// `begin` with `rescue`, `else` or `ensure`: the body, and the contents of the other clauses.
    Begin(Box<Node>, Vec<Node>),
    /// `return`
    Return(Box<Node>),
    /// `defined?(x)`
    Defined(Box<Node>),
    /// Statements in order.
    Sequence(Vec<Node>),
    /// Any other syntax: the expressions inside of it, in order.
    Other(Vec<Node>),
}

/// A part of a string, symbol or regular expression.
#[derive(Debug)]
pub enum Part {
    /// Literal text.
    Text(String),
    /// Interpolated code.
    Code(Node),
}

/// The left side of an assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A local variable.
    Local(String),
    /// An instance variable, with its `@`.
    InstanceVariable(String),
    /// A constant with its path.
    Constant(String),
}

/// An assignment.
#[derive(Debug)]
pub struct Assign {
    /// The variable or constant that is set.
    pub target: Target,
    /// The operator of `x += 1` or `x ||= 1`.
    pub operator: Option<String>,
    /// The value; absent in a multiple assignment, where it is not known which part of the value it is.
    pub value: Option<Node>,
}

/// A method call.
#[derive(Debug)]
pub struct Call {
    /// The object it is made on, if one is written.
    pub receiver: Option<Node>,
    /// The method.
    pub name: String,
    /// The position of the method's name.
    pub name_span: Span,
    /// The arguments, keyword arguments as one hash.
    pub args: Vec<Node>,
    /// Whether the arguments are in parentheses.
    pub has_parentheses: bool,
    /// Whether it is made with `&.`, and so not on `nil`.
    pub is_safe: bool,
    /// The block written after it.
    pub block: Option<Arc<Block>>,
    /// The block passed as `&block`.
    pub block_argument: Option<Node>,
}

/// A block, lambda or method body with its parameters.
#[derive(Debug)]
pub struct Block {
    /// The parameters in order.
    pub parameters: Vec<Parameter>,
    /// The body.
    pub body: Node,
}

/// A parameter of a block or method.
#[derive(Debug)]
pub struct Parameter {
    /// The name; empty if it has none.
    pub name: String,
    /// How it takes arguments.
    pub kind: ParameterKind,
    /// The default value.
    pub default: Option<Node>,
}

/// The ways in which a parameter takes arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// One argument, always.
    Required,
    /// One argument, or the default.
    Optional,
    /// All remaining arguments: `*args`.
    Rest,
    /// A keyword argument.
    Keyword,
    /// All remaining keyword arguments: `**options`.
    KeywordRest,
    /// The block: `&block`.
    Block,
}

/// A method definition.
#[derive(Debug)]
pub struct Method {
    /// The name.
    pub name: String,
    /// The position of the name.
    pub name_span: Span,
    /// Whether it is defined on an object itself: `def self.x`.
    pub on_self: bool,
    /// The parameters and body, shared because a block can become a method.
    pub code: Arc<Block>,
}

/// A class or module definition.
#[derive(Debug)]
pub struct Namespace {
    /// Whether it is a class.
    pub is_class: bool,
    /// The name as written, such as `A::B`.
    pub name: String,
    /// The position of the name.
    pub name_span: Span,
    /// The superclass, if one is written.
    pub superclass: Option<Node>,
    /// The body.
    pub body: Node,
}

impl Node {
    /// The call that this is, if it is one.
    pub fn as_call(&self) -> Option<&Call> {
        match &self.expr {
            Expr::Call(call) => Some(call),
            _ => None,
        }
    }

    /// The text of a string or symbol without interpolation.
    pub fn literal(&self) -> Option<String> {
        match &self.expr {
            Expr::Text(parts) | Expr::Symbol(parts) => literal(parts),
            _ => None,
        }
    }

    /// The value of a key of a hash with literal keys.
    pub fn entry(&self, key: &str) -> Option<&Node> {
        let Expr::Hash(pairs) = &self.expr else { return None };
        pairs.iter().find(|(name, _)| name.literal().as_deref() == Some(key)).map(|(_, value)| value)
    }

    /// The statements of a body, one by one.
    pub fn statements(&self) -> &[Node] {
        match &self.expr {
            Expr::Sequence(all) => all,
            Expr::Nil => &[],
            _ => std::slice::from_ref(self),
        }
    }

    /// Calls `visit` for this node and all below it in the order of the text. Nodes below one for which it returns `false` are
    /// left out.
    pub fn walk<'n>(&'n self, mut visit: impl FnMut(&'n Node) -> bool) {
        let mut open = vec![self];
        let mut children = Vec::new();
        while let Some(node) = open.pop() {
            if visit(node) {
                node.each_child(&mut |child| children.push(child));
                open.extend(children.drain(..).rev());
            }
        }
    }

    /// Calls `visit` for the nodes directly below this one.
    pub fn each_child<'n>(&'n self, visit: &mut dyn FnMut(&'n Node)) {
        match &self.expr {
            Expr::Nil
            | Expr::Boolean(_)
            | Expr::SelfReference
            | Expr::SourceFile
            | Expr::Integer(_)
            | Expr::Constant(_)
            | Expr::Local(_)
            | Expr::InstanceVariable(_)
            | Expr::Alias(..) => {}
            Expr::Text(parts) | Expr::Symbol(parts) | Expr::Regexp(parts, _) => {
                for part in parts {
                    if let Part::Code(code) = part {
                        visit(code);
                    }
                }
            }
            Expr::Array(all) | Expr::Sequence(all) | Expr::Other(all) => all.iter().for_each(visit),
            Expr::Hash(pairs) => pairs.iter().flat_map(|(key, value)| [key, value]).for_each(visit),
            Expr::Splat(one) | Expr::Return(one) | Expr::Defined(one) => visit(one),
            Expr::Assign(assign) => assign.value.iter().for_each(visit),
            Expr::Call(call) => {
                call.receiver.iter().chain(&call.args).chain(&call.block_argument).for_each(&mut *visit);
                if let Some(block) = &call.block {
                    block.each_child(visit);
                }
            }
            Expr::Method(method) => method.code.each_child(visit),
            Expr::Namespace(namespace) => {
                namespace.superclass.iter().for_each(&mut *visit);
                visit(&namespace.body);
            }
            Expr::Singleton(body) => visit(body),
            Expr::If(test, yes, no) => [test, yes, no].into_iter().for_each(|node| visit(node)),
            Expr::And(left, right) | Expr::Or(left, right) => {
                visit(left);
                visit(right);
            }
            Expr::Case(first, rest) | Expr::Begin(first, rest) => {
                visit(first);
                rest.iter().for_each(visit);
            }
        }
    }
}

impl Block {
    fn each_child<'n>(&'n self, visit: &mut dyn FnMut(&'n Node)) {
        self.parameters.iter().filter_map(|parameter| parameter.default.as_ref()).for_each(&mut *visit);
        visit(&self.body);
    }
}

/// The text of parts that hold no code.
pub fn literal(parts: &[Part]) -> Option<String> {
    let text = |part: &'_ Part| match part {
        Part::Text(text) => Some(text.clone()),
        Part::Code(_) => None,
    };
    parts.iter().map(text).collect()
}
