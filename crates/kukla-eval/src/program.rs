//! Programs: what a text is lowered to, shared by every compilation of every environment that uses the text.
//!
//! A program never changes and knows neither the file it was read from nor what the names in it stand for: it gives each such
//! question a number, and the [`Unit`](crate::unit::Unit) of an environment has the answers.
//!
//! An [`Expr`] is a [`Kind`], where it is written, and the node of the syntax tree it was made of. Literals are folded into
//! values, names interned, regular expressions compiled, strings split into segments.

use std::sync::Arc;

pub use kukla_syntax::ast::ResourceForm;
use kukla_syntax::{Diagnostic, Span};
use kukla_values::arithmetic::Operator;
use kukla_values::{Name, Str, Value};
use rustc_hash::FxHashMap;

use crate::coverage::Counter;

/// One text, lowered.
#[derive(Debug, Default)]
pub struct Program {
    /// The text it was read from.
    pub text: Arc<str>,
    /// Every definition of the file, nested ones included, in the order of the text.
    pub definitions: Vec<Definition>,
    /// The statements without the definitions.
    pub main: Expr,
    /// The parameters of a template.
    pub epp: Option<EppHead>,
    /// Warnings about the text.
    pub warnings: Vec<Diagnostic>,
    /// The number of names that an environment has to resolve.
    pub questions: Questions,
    /// The names that other files may define, in the order of the text.
    pub mentions: Box<[Mention]>,
}

/// Something that a text names and another file may define.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mention {
    /// A class, defined type or resource type, in lower case.
    Declared(Name),
    /// A function.
    Function(Name),
    /// A type alias, in lower case.
    Type(Name),
    /// A template, as `ntp/ntp.conf.epp`.
    Template(Name),
}

impl Program {
    /// The types of the parameters of classes and defined types, as far as they mean the same each time.
    pub(crate) fn parameter_types(&self) -> impl Iterator<Item = &TypeExpr> {
        let params = self.definitions.iter().flat_map(|definition| match definition {
            Definition::Class(class) => &class.params[..],
            Definition::Define(define) => &define.params[..],
            _ => &[],
        });
        params.filter_map(|param| param.ty.as_ref()).filter(|ty| ty.slot.is_some())
    }
}

/// How many questions of each sort a program asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Questions {
    pub(crate) types: u32,
    pub(crate) functions: u32,
    pub(crate) signatures: u32,
}

/// The slot for the type that a name or an expression of names means.
#[derive(Clone, Copy, Debug)]
pub struct TypeSlot(pub(crate) u32);

/// The question which function a call names.
#[derive(Clone, Copy, Debug)]
pub struct FunctionSlot(pub(crate) u32);

/// The question which signature a lambda or function has.
#[derive(Clone, Copy, Debug)]
pub struct SignatureSlot(pub(crate) u32);

impl Questions {
    pub(crate) fn ask_type(&mut self) -> TypeSlot {
        TypeSlot(next(&mut self.types))
    }

    pub(crate) fn ask_function(&mut self) -> FunctionSlot {
        FunctionSlot(next(&mut self.functions))
    }

    pub(crate) fn ask_signature(&mut self) -> SignatureSlot {
        SignatureSlot(next(&mut self.signatures))
    }
}

fn next(count: &mut u32) -> u32 {
    let number = *count;
    *count += 1;
    number
}

/// The parameter list of a template.
#[derive(Debug)]
pub struct EppHead {
    /// The parameters between bars.
    pub params: Params,
    /// Whether there was a parameter list, even an empty one: without it the template sees the caller's variables.
    pub specified: bool,
}

/// Something with a name that a file defines.
#[derive(Clone, Debug)]
pub enum Definition {
    /// `class`.
    Class(Arc<Class>),
    /// `define`.
    Define(Arc<Define>),
    /// `function`.
    Function(Arc<PuppetFunction>),
    /// `type Name = ...`.
    TypeAlias(Arc<AliasDefinition>),
    /// `node`.
    Node(Arc<NodeDefinition>),
    /// `plan`, which is read but never run.
    Plan(Arc<PuppetFunction>),
}

/// A parameter list.
#[derive(Debug, Default)]
pub struct Params {
    list: Box<[Param]>,
    /// The index of each name, if there are too many for a linear search.
    places: Option<Arc<FxHashMap<Name, u32>>>,
}

/// The number of parameters up to which comparing pointers beats hashing.
const SEARCHED: usize = 8;

impl Params {
    /// The index of the parameter of that name.
    pub fn place(&self, name: Name) -> Option<usize> {
        match &self.places {
            None => self.list.iter().position(|param| param.name == name),
            Some(places) => places.get(&name).map(|&place| place as usize),
        }
    }

    /// The index of each name, if there are many.
    pub(crate) fn places(&self) -> Option<&Arc<FxHashMap<Name, u32>>> {
        self.places.as_ref()
    }
}

impl FromIterator<Param> for Params {
    fn from_iter<I: IntoIterator<Item = Param>>(params: I) -> Params {
        let list: Box<[Param]> = params.into_iter().collect();
        let places = (list.len() > SEARCHED).then(|| {
            let mut places = FxHashMap::with_capacity_and_hasher(list.len(), Default::default());
            for (place, param) in list.iter().enumerate() {
                places.entry(param.name).or_insert(place as u32);
            }
            Arc::new(places)
        });
        Params { list, places }
    }
}

impl std::ops::Deref for Params {
    type Target = [Param];
    fn deref(&self) -> &[Param] {
        &self.list
    }
}

impl<'p> IntoIterator for &'p Params {
    type Item = &'p Param;
    type IntoIter = std::slice::Iter<'p, Param>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

/// One parameter of a class, define, function, lambda or template.
#[derive(Debug)]
pub struct Param {
    /// Its position.
    pub span: Span,
    /// Its name, without `$`.
    pub name: Name,
    /// Its type, if it was given one.
    pub ty: Option<TypeExpr>,
    /// Its default, if it has one.
    pub default: Option<Expr>,
    /// `*$rest`: takes all arguments that are left.
    pub captures_rest: bool,
    /// Usable only from the same module.
    pub private: bool,
}

/// A type written in a program; one that names no variable means the same each time in an environment.
#[derive(Debug)]
pub struct TypeExpr {
    /// As written.
    pub expr: Expr,
    /// The question what it means, if that depends on nothing but the environment's types.
    pub slot: Option<TypeSlot>,
}

/// A class.
#[derive(Debug)]
pub struct Class {
    /// Its full name in lower case, without leading `::`.
    pub name: Name,
    /// Its position.
    pub span: Span,
    /// Its parameters.
    pub params: Params,
    /// The class it inherits, in lower case.
    pub parent: Option<Name>,
    /// Its body.
    pub body: Expr,
    /// Usable only from the same module.
    pub private: bool,
}

/// A resource type written in Puppet.
#[derive(Debug)]
pub struct Define {
    /// Its full name in lower case, without leading `::`.
    pub name: Name,
    /// Its position.
    pub span: Span,
    /// Its parameters.
    pub params: Params,
    /// Its body.
    pub body: Expr,
    /// Usable only from the same module.
    pub private: bool,
}

/// A function (or plan) written in Puppet.
#[derive(Debug)]
pub struct PuppetFunction {
    /// Its full name.
    pub name: Name,
    /// Its position.
    pub span: Span,
    /// Parameters, return type and body.
    pub lambda: Lambda,
}

/// A named type: `type Name = Definition`.
#[derive(Debug)]
pub struct AliasDefinition {
    /// Its name, as written.
    pub name: Name,
    /// Its position.
    pub span: Span,
    /// Its right-hand side.
    pub ty: Expr,
}

/// A node definition.
#[derive(Debug)]
pub struct NodeDefinition {
    /// The nodes that it applies to.
    pub matches: Box<[NodeMatch]>,
    /// Its position.
    pub span: Span,
    /// Its body.
    pub body: Expr,
}

/// The nodes that a definition applies to.
#[derive(Debug)]
pub enum NodeMatch {
    /// One name, in lower case.
    Name(Name),
    /// Names that match.
    Regexp(Arc<kukla_values::regexp::Regexp>),
    /// Names nothing else matches.
    Default,
}

impl NodeMatch {
    /// The name, if it is one.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            NodeMatch::Name(name) => Some(name.as_str()),
            _ => None,
        }
    }

    /// The title of the node's resource, which also identifies the definition.
    pub fn title(&self) -> String {
        match self {
            NodeMatch::Name(name) => name.to_string(),
            NodeMatch::Regexp(regexp) => title_of(regexp.source()),
            NodeMatch::Default => "default".to_owned(),
        }
    }
}

/// A title made of a regular expression: what can stand in a tag is kept, look-around groups are spelled out.
fn title_of(source: &str) -> String {
    let source = source.to_lowercase();
    let mut spelled = String::new();
    let mut rest = source.as_str();
    while let Some(at) = rest.find("(?") {
        let Some(end) = rest[at..].find(')') else { break };
        spelled.push_str(&rest[..at]);
        for c in rest[at..=at + end].chars() {
            match c {
                '(' => spelled.push_str("LP"),
                '?' => spelled.push_str("QU"),
                '<' => spelled.push_str("LT"),
                '>' => spelled.push_str("GT"),
                '!' => spelled.push_str("EX"),
                '=' => spelled.push_str("EQ"),
                ')' => spelled.push_str("RP"),
                other => spelled.push(other),
            }
        }
        rest = &rest[at + end + 1..];
    }
    spelled.push_str(rest);
    let kept = |c: &char| matches!(c, '-' | ':' | '.' | '_') || c.is_ascii_alphanumeric();
    let kept: String = spelled.chars().filter(kept).collect();
    format!("__node_regexp__{}", kept.trim_start_matches('.'))
}

/// Parameters, return type and body.
#[derive(Debug)]
pub struct Lambda {
    /// Its position.
    pub span: Span,
    /// Its parameters.
    pub params: Params,
    /// Its declared return type.
    pub returns: Option<TypeExpr>,
    /// Its body.
    pub body: Expr,
    /// Whether the parameters are all untyped and required, so that calling it needs only a count.
    pub plain: bool,
    /// Whether each parameter takes exactly one argument, so that none has a default.
    pub positional: bool,
    /// The question which signature it has, if every type in it means the same each time.
    pub signature: Option<SignatureSlot>,
}

/// An expression and its position.
#[derive(Debug, Default)]
pub struct Expr {
    /// Its range in the text, and the position Puppet reports.
    pub span: Span,
    /// The node of the syntax tree it was made of, by [index](kukla_syntax::tree::Node::index); for several statements the one around
    /// them, for what is only understood the one that implies it.
    pub node: u32,
    /// Its kind.
    pub kind: Kind,
}

/// Deeply nested expressions are dropped level by level.
impl Drop for Expr {
    #[inline]
    fn drop(&mut self) {
        if !matches!(self.kind, Kind::Nop | Kind::Literal(_) | Kind::Variable(_) | Kind::Name(_)) {
            let kind = std::mem::replace(&mut self.kind, Kind::Nop);
            kukla_syntax::deep(|| drop(kind));
        }
    }
}

/// The kind of an expression.
#[derive(Debug, Default)]
pub enum Kind {
    /// Nothing; also what a definition leaves behind.
    #[default]
    Nop,
    /// A value known before the program runs.
    Literal(Value),
    /// A bare word, which is text except where a name is wanted.
    Name(Str),
    /// `$name`.
    Variable(Variable),
    /// `$0`, `$1`, ...: what the last match found.
    Match(u32),
    /// A double-quoted string, in pieces.
    Interpolate(Box<[Segment]>),
    /// A heredoc whose text is computed and whose syntax must be checked afterwards.
    Heredoc(Box<Heredoc>),
    /// `[a, *b]`.
    Array(Box<[Expr]>),
    /// `{a => b}`.
    Hash(Box<[(Expr, Expr)]>),
    /// `Integer`, `Apache::Vhost`: a type, alias or resource type by name.
    TypeName(Box<TypeName>),
    /// A type with parameters that mean the same each time: computed once.
    Constant(Box<Constant>),
    /// `!a`.
    Not(Box<Expr>),
    /// `-a`.
    Negate(Box<Expr>),
    /// `*a`.
    Unfold(Box<Expr>),
    /// `(a)`; kept because some rules look through parentheses and some do not.
    Parens(Box<Expr>),
    /// `a and b`.
    And(Box<[Expr; 2]>),
    /// `a or b`.
    Or(Box<[Expr; 2]>),
    /// `a + b` and the like.
    Arithmetic(Operator, Box<[Expr; 2]>),
    /// `a == b` and the like.
    Compare(Comparison, Box<[Expr; 2]>),
    /// `a =~ b` (true) and `a !~ b` (false).
    Matches(bool, Box<[Expr; 2]>),
    /// `a in b`.
    In(Box<[Expr; 2]>),
    /// `$a = b`, `[$a, $b] = c`, `$a += b`.
    Assign(Box<Assign>),
    /// `a[b, c]`.
    Access(Box<Access>),
    /// A call of any form.
    Call(Box<Call>),
    /// `if` and `unless`.
    If(Box<If>),
    /// `case`.
    Case(Box<Case>),
    /// `a ? { b => c }`.
    Selector(Box<Selector>),
    /// Several expressions, of which the last gives the value.
    Block(Box<[Expr]>),
    /// A word kept for the future.
    Reserved(Name),
    /// `type { title: ... }`.
    Resource(Box<ResourceExpr>),
    /// `Type { ... }`.
    Defaults(Box<DefaultsExpr>),
    /// `Type[title] { ... }`.
    Override(Box<OverrideExpr>),
    /// `Type <| ... |>`.
    Collect(Box<CollectExpr>),
    /// `a -> b` and the like.
    Relationship(Arrow, Box<[Expr; 2]>),
    /// Text of a template.
    RenderText(Str),
    /// `<%= a %>`.
    RenderExpr(Box<Expr>),
    /// The body of a template.
    Epp(Box<Expr>),
    /// `apply(...) { ... }`, which needs a plan to run in.
    Apply,
    /// Nothing that counts, in a program that is measured.
    Mark(Counter),
}

/// A variable.
#[derive(Debug)]
pub struct Variable {
    /// As written, without `$`.
    pub name: Name,
    /// The scope and name to search.
    pub target: VariableTarget,
}

/// Where a variable is looked for.
#[derive(Clone, Copy, Debug)]
pub enum VariableTarget {
    /// From the current scope outwards.
    Local(Name),
    /// In the top scope: `$::x`.
    Top(Name),
    /// In the scope of a class: `$a::b::x`.
    Class(Name, Name),
}

/// A piece of a double-quoted string.
#[derive(Debug)]
pub enum Segment {
    /// Text.
    Text(Str),
    /// `${a}`.
    Expr(Expr),
}

/// A heredoc with a syntax.
#[derive(Debug)]
pub struct Heredoc {
    /// The syntax it claims to be in.
    pub syntax: Str,
    /// Its text.
    pub text: Expr,
}

/// A capitalised name.
#[derive(Debug)]
pub struct TypeName {
    /// As written, with a leading `::` if it has one.
    pub name: Name,
    /// In lower case.
    pub lower: Name,
    /// The question what it means.
    pub slot: TypeSlot,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// As written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

/// How an assignment joins with what there was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignOperator {
    /// `=`
    Set,
    /// `+=`
    Append,
    /// `-=`
    Remove,
}

/// An assignment.
#[derive(Debug)]
pub struct Assign {
    /// How.
    pub operator: AssignOperator,
    /// The target.
    pub target: Target,
    /// To what.
    pub value: Expr,
}

/// The target of an assignment.
#[derive(Debug)]
pub enum Target {
    /// `$a`.
    Variable(Span, Name),
    /// `[$a, [$b, $c]]`.
    List(Span, Box<[Target]>),
    /// Something that cannot be assigned to.
    Illegal(Span, IllegalTarget),
}

/// Why something cannot be assigned to.
#[derive(Debug)]
pub enum IllegalTarget {
    /// `$a::b`.
    OtherScope(Name),
    /// `$1`.
    Match(u32),
    /// Not a variable.
    NotVariable(Box<str>),
}

/// A type with parameters that means the same each time in an environment.
#[derive(Debug)]
pub struct Constant {
    /// As written.
    pub expr: Expr,
    /// The question what it means.
    pub slot: TypeSlot,
}

/// `a[b, c]`.
#[derive(Debug)]
pub struct Access {
    /// The accessed value.
    pub left: Expr,
    /// Between the brackets.
    pub keys: Box<[Expr]>,
}

/// How a call was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallForm {
    /// `f(a)`.
    Prefix,
    /// `a.f(b)`; the receiver is the first argument.
    Method,
    /// `f a`.
    Statement,
}

/// A call.
#[derive(Debug)]
pub struct Call {
    /// How it was written.
    pub form: CallForm,
    /// The callee.
    pub callee: Callee,
    /// The arguments; some may be unfolded.
    pub args: Box<[Expr]>,
    /// The lambda.
    pub lambda: Option<Arc<Lambda>>,
}

/// The callee.
#[derive(Debug)]
pub enum Callee {
    /// A function by name.
    Function(CalleeName),
    /// `Integer(...)`, `Integer[1, 2](...)`: a new value of the type.
    Type(Box<Expr>),
    /// Something that cannot be called.
    Illegal(Span, Box<str>),
}

/// The name of a function.
#[derive(Debug)]
pub struct CalleeName {
    /// Its name, without leading `::`.
    pub name: Name,
    /// The question which function that is.
    pub slot: FunctionSlot,
}

/// `if` and `unless`.
#[derive(Debug)]
pub struct If {
    /// Whether it is written `unless`.
    pub unless: bool,
    /// The tested value.
    pub test: Expr,
    /// When the test holds (for `unless`: fails).
    pub then: Expr,
    /// When it does not.
    pub otherwise: Expr,
}

/// `case`.
#[derive(Debug)]
pub struct Case {
    /// The tested value.
    pub test: Expr,
    /// The options, in order.
    pub options: Box<[CaseOption]>,
}

/// `a, b: { ... }`.
#[derive(Debug)]
pub struct CaseOption {
    /// The values it applies to.
    pub values: Box<[Expr]>,
    /// The body.
    pub then: Expr,
}

/// `a ? { b => c }`.
#[derive(Debug)]
pub struct Selector {
    /// The tested value.
    pub test: Expr,
    /// The options, in order.
    pub options: Box<[(Expr, Expr)]>,
}

/// `type { title: ... }`.
#[derive(Debug)]
pub struct ResourceExpr {
    /// How.
    pub form: ResourceForm,
    /// The type.
    pub type_name: Expr,
    /// The bodies, separated by `;`.
    pub bodies: Box<[ResourceBody]>,
    /// Whether somebody may ask for its value, references to the resources.
    pub is_value: bool,
}

/// `title: attributes`.
#[derive(Debug)]
pub struct ResourceBody {
    /// Its position.
    pub span: Span,
    /// The title or titles.
    pub title: Expr,
    /// The attributes.
    pub attributes: Box<[Attribute]>,
}

/// An attribute in a resource expression, default, override or collector.
#[derive(Debug)]
pub struct Attribute {
    /// Its position.
    pub span: Span,
    /// The operator and the value.
    pub operation: AttributeOperation,
}

/// The value of an attribute.
#[derive(Debug)]
pub enum AttributeOperation {
    /// `name => value`
    Set(Name, Expr),
    /// `name +> value`
    Add(Name, Expr),
    /// `* => hash`
    Splat(Expr),
}

/// `Type { ... }`.
#[derive(Debug)]
pub struct DefaultsExpr {
    /// Whether it is written with `@` or `@@`, which has no meaning here.
    pub form: ResourceForm,
    /// The type.
    pub ty: Expr,
    /// The attributes.
    pub attributes: Box<[Attribute]>,
}

/// `Type[title] { ... }`.
#[derive(Debug)]
pub struct OverrideExpr {
    /// Whether it is written with `@` or `@@`, which has no meaning here.
    pub form: ResourceForm,
    /// The overridden resources.
    pub resources: Expr,
    /// The attributes.
    pub attributes: Box<[Attribute]>,
}

/// `Type <| query |> { overrides }`.
#[derive(Debug)]
pub struct CollectExpr {
    /// The type.
    pub ty: Expr,
    /// `<<| |>>`.
    pub exported: bool,
    /// The condition; without one, everything is collected.
    pub query: Option<Query>,
    /// The overrides.
    pub overrides: Box<[Attribute]>,
}

/// A collector's question.
#[derive(Debug)]
pub enum Query {
    /// `a == b`
    Equal(Name, Expr, Span),
    /// `a != b`
    NotEqual(Name, Expr, Span),
    /// `a and b`
    And(Box<[Query; 2]>),
    /// `a or b`
    Or(Box<[Query; 2]>),
    /// Anything else a query can be written as; Puppet accepts some of it without a meaning.
    Other(Expr),
}

/// A relationship operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrow {
    /// `->`
    Before,
    /// `~>`
    Notify,
    /// `<-`
    After,
    /// `<~`
    Subscribe,
}

impl Arrow {
    /// As written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Arrow::Before => "->",
            Arrow::Notify => "~>",
            Arrow::After => "<-",
            Arrow::Subscribe => "<~",
        }
    }
}

impl Expr {
    /// The expression inside any parentheses.
    pub fn unwrapped(&self) -> &Expr {
        let mut expr = self;
        while let Kind::Parens(inner) = &expr.kind {
            expr = inner;
        }
        expr
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn titles_of_regular_expressions() {
        assert_eq!(super::title_of("^local(h.*)t$"), "__node_regexp__localh.t");
        assert_eq!(super::title_of("..Web(?=\\d)x"), "__node_regexp__webLPQUEQdRPx");
    }
}
