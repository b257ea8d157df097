//! A program as it is run: what prism read, with variables numbered, names listed and literals set aside.
//!
//! A `Program` never changes and belongs to nobody: all interpreters of the process share it.

use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock};

use kukla_values::Str;
use kukla_values::regexp::Regexp;
use num_bigint::BigInt;

use crate::nesting::with_stack_for;
use crate::text::Encoding;

/// A program: one file, template or piece of text.
pub struct Program {
    /// The answer of `__FILE__`.
    pub(crate) file: Arc<str>,
    /// All names that occur; nodes hold their places in this list.
    pub(crate) names: Box<[Box<str>]>,
    /// Literals that are made once.
    pub(crate) literals: Box<[Literal]>,
    /// All bodies; the first is the program itself.
    pub(crate) bodies: Box<[Body]>,
    /// How many calls remember the method they found.
    pub(crate) sites: u32,
    /// How many constants remember their value.
    pub(crate) constants: u32,
    /// The text after `__END__`.
    pub(crate) data: Option<Box<[u8]>>,
    /// How deep its text nests.
    pub(crate) nesting: usize,
    /// The findings of an embedding program.
    pub(crate) findings: OnceLock<u32>,
    /// The lines of a program that counts what runs.
    pub(crate) marks: Box<[LineMark]>,
}

/// A statement of a program that counts what runs.
#[derive(Clone, Debug)]
pub struct LineMark {
    /// Its first line.
    pub line: u32,
    /// Its last line.
    pub last: u32,
    /// How often it ran.
    pub count: Arc<AtomicU32>,
}

impl Program {
    /// The statements that count how often they ran, if the program was made for that.
    pub fn marks(&self) -> &[LineMark] {
        &self.marks
    }
}

/// Nodes drop those inside of them, as deep as the text nests.
impl Drop for Program {
    fn drop(&mut self) {
        let bodies = std::mem::take(&mut self.bodies);
        with_stack_for(self.nesting, || drop(bodies));
    }
}

/// The place of a name in the list of a program.
pub(crate) type Name = u32;
/// The number of a body of a program.
pub(crate) type BodyId = u32;

/// A literal that is made once.
pub(crate) enum Literal {
    Text(Str),
    /// Bytes that are not valid UTF-8, or declared to be in another encoding.
    Bytes(Box<[u8]>, Encoding),
    Big(BigInt),
    Regexp(Arc<Regexp>),
    /// A range of integers; an end may be missing.
    Range(Option<i64>, Option<i64>, bool),
    /// A numerator and a denominator.
    Rational(BigInt, BigInt),
}

/// The owner of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyKind {
    Program,
    Method,
    Block,
    Lambda,
    Class,
    Eval,
}

/// Code with variables of its own: a method, a block, a class, a file.
pub(crate) struct Body {
    pub kind: BodyKind,
    /// Its name in backtraces.
    pub name: Name,
    pub params: Params,
    /// How many variables live on the stack.
    pub locals: u32,
    /// The variables that closures share; `None` if there are none and it needs no environment.
    pub env: Option<Box<[Name]>>,
    /// The body around it, whose variables it sees.
    pub parent: Option<BodyId>,
    pub code: Node,
    pub line: u32,
    /// Whether `return`, blocks or the like need this activation to be distinguished from others.
    pub numbered: bool,
}

/// The variables that named groups of a pattern set.
pub(crate) type NamedGroups = Box<[(Name, VariableSlot)]>;

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VariableSlot {
    /// On the stack.
    Local(u32),
    /// In an environment, a number of steps up.
    Env(u16, u16),
    /// Nowhere: the value is dropped.
    Nowhere,
}

/// The parameters of a method or block.
#[derive(Default)]
pub(crate) struct Params {
    pub required: Box<[Param]>,
    pub optional: Box<[(Param, Node)]>,
    pub rest: Option<Param>,
    pub post: Box<[Param]>,
    pub keywords: Box<[Keyword]>,
    pub keyword_rest: Option<Param>,
    /// `**nil`
    pub no_keywords: bool,
    pub block: Option<Param>,
    /// Only required ones, each in the stack slot of its number.
    pub simple: bool,
    /// Required ones that closures share: from which stack slot to which slot of the environment they go.
    pub moves: Box<[(u32, u16)]>,
    /// `|a,|`: takes an array apart as if there were more.
    pub trailing_comma: bool,
    /// `it` is the parameter.
    pub it: bool,
    /// `...`
    pub forwarding: bool,
}

pub(crate) struct Param {
    pub name: Option<Name>,
    pub place: VariableSlot,
    /// `(a, b)`
    pub pattern: Option<Box<MultiTarget>>,
}

pub(crate) struct Keyword {
    pub name: Name,
    pub place: VariableSlot,
    pub default: Option<Node>,
}

/// An operator with a fast way for core classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    ShiftLeft,
    Index,
    And,
    Or,
}

/// An operator between two operands.
pub(crate) struct Op {
    pub operator: Operator,
    pub left: Node,
    pub right: Node,
    pub name: Name,
    pub site: u32,
    pub line: u32,
}

/// A call.
pub(crate) struct Call {
    pub receiver: Option<Node>,
    pub name: Name,
    pub args: Arguments,
    pub block: Option<BlockArg>,
    pub site: u32,
    pub line: u32,
    /// `a&.b`
    pub safe: bool,
    /// The receiver is written as `self`, or there is none: private methods may be called.
    pub own: bool,
    /// A bare name, which could have been a variable.
    pub variable: bool,
    /// `a.b = c` and `a[b] = c`: the value is that of the last argument.
    pub assignment: bool,
}

pub(crate) enum Arguments {
    Plain(Box<[Node]>),
    Mixed(Box<[Arg]>),
}

pub(crate) enum Arg {
    One(Node),
    Splat(Node),
    Keywords(Box<[Pair]>),
}

pub(crate) enum Pair {
    One(Node, Node),
    Splat(Node),
}

pub(crate) enum BlockArg {
    Literal(BodyId),
    Pass(Node),
}

/// The target of an assignment.
pub(crate) enum Target {
    Variable(VariableSlot),
    Ivar(Name),
    Gvar(Name),
    Cvar(Name),
    Const(Box<ConstTarget>),
    /// `a.b` and `a[b]`: the call that sets it, without the value.
    Call(Box<Call>),
    Multi(Box<MultiTarget>),
}

pub(crate) struct ConstTarget {
    pub parent: ConstParent,
    pub name: Name,
    pub line: u32,
}

pub(crate) enum ConstParent {
    /// In the module around the code.
    Lexical,
    /// `::A`
    Top,
    Of(Node),
}

pub(crate) struct MultiTarget {
    pub lefts: Box<[Target]>,
    pub rest: Option<Target>,
    pub rights: Box<[Target]>,
}

/// How an assignment combines the old value with the new one.
pub(crate) enum Combine {
    /// `||=`
    Or,
    /// `&&=`
    And,
    /// `+=` and the like, with the place where the call remembers its method
    With(Name, u32),
}

/// `a.b += c`, `a[b] ||= c`
pub(crate) struct CallAssign {
    pub receiver: Option<Node>,
    pub args: Arguments,
    pub read: Name,
    pub write: Name,
    pub read_site: u32,
    pub write_site: u32,
    pub combine: Combine,
    pub value: Node,
    pub safe: bool,
    pub own: bool,
    pub line: u32,
}

pub(crate) struct ConstAssign {
    pub target: ConstTarget,
    pub combine: Combine,
    pub value: Node,
}

pub(crate) struct Rescue {
    /// The classes; an empty list means `StandardError`.
    pub classes: Box<[Arg]>,
    pub target: Option<Target>,
    pub code: Node,
}

pub(crate) struct Begin {
    pub code: Node,
    pub rescues: Box<[Rescue]>,
    pub otherwise: Option<Node>,
    pub ensure: Option<Node>,
}

pub(crate) struct While {
    pub condition: Node,
    pub code: Node,
    pub until: bool,
    /// `begin … end while`: the body comes first.
    pub body_first: bool,
}

pub(crate) struct Case {
    pub subject: Option<Node>,
    pub whens: Box<[(Box<[Arg]>, Node)]>,
    pub otherwise: Node,
    pub line: u32,
}

pub(crate) struct Arm {
    pub pattern: Pattern,
    /// The condition, and whether it is `unless`.
    pub guard: Option<(Node, bool)>,
    pub code: Node,
}

pub(crate) struct CaseIn {
    pub subject: Node,
    pub arms: Box<[Arm]>,
    pub otherwise: Option<Node>,
    pub line: u32,
}

pub(crate) enum Pattern {
    /// `===` of an expression.
    Value(Node),
    Bind(Target),
    Capture(Box<Pattern>, Target),
    Alternatives(Box<[Pattern]>),
    Array(Box<ArrayPattern>),
    Find(Box<FindPattern>),
    Hash(Box<HashPattern>),
}

pub(crate) struct ArrayPattern {
    pub constant: Option<Node>,
    pub pre: Box<[Pattern]>,
    /// `*rest`, which may have no name.
    pub rest: Option<Option<Target>>,
    pub post: Box<[Pattern]>,
}

pub(crate) struct FindPattern {
    pub constant: Option<Node>,
    pub left: Option<Target>,
    pub middle: Box<[Pattern]>,
    pub right: Option<Target>,
}

pub(crate) enum HashRest {
    /// Other keys may be there.
    Open,
    /// `**rest`
    Bind(Target),
    /// `**nil`
    Closed,
}

pub(crate) struct HashPattern {
    pub constant: Option<Node>,
    pub pairs: Box<[(Name, Option<Pattern>)]>,
    pub rest: HashRest,
    /// `{}`, which only an empty hash fits.
    pub empty: bool,
}

pub(crate) struct ClassDefinition {
    pub target: ConstTarget,
    pub superclass: Option<Node>,
    pub body: BodyId,
    pub is_module: bool,
}

pub(crate) struct FlipFlop {
    pub state: VariableSlot,
    pub begin: Node,
    pub end: Node,
    pub exclusive: bool,
}

/// How `defined?` looks at an expression.
pub(crate) enum Defined {
    /// Always there: `expression`, `self`, `nil`, `local-variable`, `assignment` …
    Always(&'static str),
    Ivar(Name),
    Gvar(Name),
    Cvar(Name),
    Const(Name),
    ConstPath(Option<(Box<Defined>, Node)>, Name),
    /// A method: the receiver, which must be defined itself, its name, the arguments.
    Call(Option<(Box<Defined>, Node)>, Name, Box<[Defined]>, bool),
    Yield,
    Super,
    /// `$~` groups
    Group(u32),
    BackReference(u8),
    /// All of them, then the word.
    All(Box<[Defined]>, &'static str),
}

pub(crate) struct Range {
    pub begin: Node,
    pub end: Node,
    pub exclusive: bool,
    pub line: u32,
}

pub(crate) struct Regex {
    pub parts: Box<[Node]>,
    pub options: u8,
    /// `/o`: the place of the literal that is made the first time.
    pub once: Option<u32>,
    pub line: u32,
}

pub(crate) struct Super {
    pub args: Arguments,
    pub block: Option<BlockArg>,
    /// `super` without parentheses: the block and arguments of the method itself.
    pub implicit: bool,
    pub line: u32,
}

/// One expression.
pub(crate) enum Node {
    Nil,
    /// Nothing that counts, in a program that is measured.
    Mark(Arc<AtomicU32>),
    True,
    False,
    This,
    Int(i64),
    Float(f64),
    Symbol(Name),
    /// A new string for each evaluation, of a shared text.
    Text(u32),
    /// A value that is made once.
    Literal(u32),
    Imaginary(Box<Node>),
    Interpolated(Box<[Node]>),
    InterpolatedSymbol(Box<[Node]>),
    Regexp(Box<Regex>),
    Command(Box<[Node]>, u32),
    Array(Box<[Node]>),
    ArrayOf(Box<[Arg]>),
    Hash(Box<[Pair]>),
    Range(Box<Range>),
    Local(u32),
    SetLocal(u32, Box<Node>),
    Outer(u16, u16),
    SetOuter(u16, u16, Box<Node>),
    Ivar(Name, u32),
    SetIvar(Name, u32, Box<Node>),
    Gvar(Name),
    SetGvar(Name, Box<Node>),
    /// `$1`
    Group(u32),
    /// `` $& $` $' $+ ``
    BackReference(u8),
    Cvar(Name, u32),
    CvarOrNil(Name),
    SetCvar(Name, u32, Box<Node>),
    /// A name and where its value is remembered.
    Const(Name, u32, u32),
    ConstPath(Box<(Option<Node>, Name, u32, u32)>),
    SetConst(Box<(ConstTarget, Node)>),
    ConstAssign(Box<ConstAssign>),
    CallAssign(Box<CallAssign>),
    MultiAssign(Box<(MultiTarget, Node, bool)>),
    Op(Box<Op>),
    Not(Box<Call>),
    Call(Box<Call>),
    Super(Box<Super>),
    Yield(Box<(Arguments, u32)>),
    And(Box<(Node, Node)>),
    Or(Box<(Node, Node)>),
    If(Box<(Node, Node, Node)>),
    While(Box<While>),
    For(Box<(Node, BodyId, u32)>),
    /// The assignment of each step of `for`, from the arguments of its block.
    ForTarget(Box<(Target, u32)>),
    Case(Box<Case>),
    CaseIn(Box<CaseIn>),
    /// `value => pattern` and `value in pattern`
    Match(Box<(Node, Pattern)>, bool, u32),
    /// `/(?<a>)/ =~ b`, and the variables that it sets
    MatchWrite(Box<(Node, NamedGroups)>),
    FlipFlop(Box<FlipFlop>),
    Begin(Box<Begin>),
    Seq(Box<[Node]>),
    Break(Box<Node>, bool),
    Next(Box<Node>),
    Return(Box<Node>),
    Redo,
    Retry,
    Lambda(BodyId),
    Def(Name, BodyId),
    DefOn(Box<(Node, Name, BodyId)>),
    Class(Box<ClassDefinition>),
    SingletonClass(Box<(Node, BodyId)>),
    Alias(Box<(Node, Node)>),
    AliasGlobal(Name, Name),
    Undef(Box<[Node]>),
    Defined(Box<Defined>),
    /// `END { }`
    AtExit(BodyId, u32),
    /// An expression below many others: it takes a new piece of stack if need be.
    Deep(Box<Node>),
}
