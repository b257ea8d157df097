//! Expressions as one type, and lists of statements.

use super::*;
use crate::Span;
use crate::SyntaxKind as K;
use crate::tree::{Children, Node, Tree};

/// Any expression. Statements are expressions too.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the variants are named after their views
pub enum Expr<'t> {
    Undef(Node<'t>),
    Default(Node<'t>),
    Boolean(Boolean<'t>),
    Number(NumberLiteral<'t>),
    String(StringLiteral<'t>),
    Interpolated(InterpolatedString<'t>),
    Heredoc(Heredoc<'t>),
    Regex(Regex<'t>),
    Name(QualifiedName<'t>),
    Type(TypeReference<'t>),
    Variable(Variable<'t>),
    Reserved(ReservedWord<'t>),
    Array(Array<'t>),
    Hash(Hash<'t>),
    Assignment(Assignment<'t>),
    Relationship(Relationship<'t>),
    Binary(Binary<'t>),
    Not(Not<'t>),
    Negate(Negate<'t>),
    Unfold(Unfold<'t>),
    Paren(Paren<'t>),
    Selector(Selector<'t>),
    Access(Access<'t>),
    Call(Call<'t>),
    MethodCall(MethodCall<'t>),
    If(If<'t>),
    Unless(Unless<'t>),
    Case(Case<'t>),
    Resource(Resource<'t>),
    ResourceDefaults(ResourceDefaults<'t>),
    ResourceOverride(ResourceOverride<'t>),
    UntitledResource(UntitledResource<'t>),
    Collector(Collector<'t>),
    ClassDefinition(ClassDefinition<'t>),
    DefineDefinition(DefineDefinition<'t>),
    NodeDefinition(NodeDefinition<'t>),
    FunctionDefinition(FunctionDefinition<'t>),
    PlanDefinition(PlanDefinition<'t>),
    Apply(Apply<'t>),
    TypeAlias(TypeAlias<'t>),
    TypeDefinition(TypeDefinition<'t>),
    RenderText(RenderText<'t>),
    Render(Render<'t>),
    /// Something the parser could make no sense of; there is a diagnostic for it.
    Error(Node<'t>),
}

impl<'t> Expr<'t> {
    /// The node as an expression, if it is one.
    #[inline]
    pub fn cast(node: Node<'t>) -> Option<Expr<'t>> {
        // Of all that there is to ask about, most is blanks and comments.
        if node.kind().is_trivia() { None } else { Expr::of_significant(node) }
    }

    fn of_significant(node: Node<'t>) -> Option<Expr<'t>> {
        Some(match node.kind() {
            K::UndefKw => Expr::Undef(node),
            K::DefaultKw => Expr::Default(node),
            K::TrueKw | K::FalseKw => Expr::Boolean(Boolean(node)),
            K::Number => Expr::Number(NumberLiteral(node)),
            K::SqString | K::DqString | K::Word | K::TypeKw | K::FunctionKw | K::HostName => {
                Expr::String(StringLiteral(node))
            }
            K::InterpolatedString => Expr::Interpolated(InterpolatedString(node)),
            K::HeredocTag => Expr::Heredoc(Heredoc(node)),
            K::Regex => Expr::Regex(Regex(node)),
            K::Name => Expr::Name(QualifiedName(node)),
            K::TypeName => Expr::Type(TypeReference(node)),
            K::Variable | K::VariableName => Expr::Variable(Variable(node)),
            K::AttrKw | K::PrivateKw => Expr::Reserved(ReservedWord(node)),
            K::Array => Expr::Array(Array(node)),
            K::Hash => Expr::Hash(Hash::Braced(node)),
            K::Assignment => Expr::Assignment(Assignment(node)),
            K::Relationship => Expr::Relationship(Relationship(node)),
            K::Binary => Expr::Binary(Binary(node)),
            K::Not => Expr::Not(Not(node)),
            K::Negate => Expr::Negate(Negate(node)),
            K::Unfold => Expr::Unfold(Unfold(node)),
            K::Paren => Expr::Paren(Paren(node)),
            K::Selector => Expr::Selector(Selector(node)),
            K::Access | K::AliasedAccess => Expr::Access(Access(node)),
            K::Call | K::StatementCall | K::BareCall => Expr::Call(Call(node)),
            K::MethodCall => Expr::MethodCall(MethodCall(node)),
            K::If => Expr::If(If(node)),
            K::Unless => Expr::Unless(Unless(node)),
            K::Case => Expr::Case(Case(node)),
            K::Resource => Expr::Resource(Resource(node)),
            K::ResourceDefaults => Expr::ResourceDefaults(ResourceDefaults(node)),
            K::ResourceOverride => Expr::ResourceOverride(ResourceOverride(node)),
            K::Virtual => match resource::innermost(node).kind() {
                K::Resource => Expr::Resource(Resource(node)),
                K::ResourceDefaults => Expr::ResourceDefaults(ResourceDefaults(node)),
                K::ResourceOverride => Expr::ResourceOverride(ResourceOverride(node)),
                _ => Expr::Error(node),
            },
            K::UntitledResource => match UntitledResource(node).call() {
                Some(call) => Expr::Call(call),
                None => Expr::UntitledResource(UntitledResource(node)),
            },
            K::Collector => Expr::Collector(Collector(node)),
            K::ClassDefinition => Expr::ClassDefinition(ClassDefinition(node)),
            K::DefineDefinition => Expr::DefineDefinition(DefineDefinition(node)),
            K::NodeDefinition => Expr::NodeDefinition(NodeDefinition(node)),
            K::FunctionDefinition => Expr::FunctionDefinition(FunctionDefinition(node)),
            K::PlanDefinition => Expr::PlanDefinition(PlanDefinition(node)),
            K::Apply => Expr::Apply(Apply(node)),
            K::TypeAlias => Expr::TypeAlias(TypeAlias(node)),
            K::TypeDefinition => Expr::TypeDefinition(TypeDefinition(node)),
            K::EppText => Expr::RenderText(RenderText(node)),
            K::EppRender => Expr::Render(Render(node)),
            K::Error | K::ErrorToken | K::StrayList => Expr::Error(node),
            _ => return None,
        })
    }

    /// The node underneath; for a hash without braces, its first entry.
    pub fn syntax(self) -> Node<'t> {
        match self {
            Expr::Undef(node) | Expr::Default(node) | Expr::Error(node) => node,
            Expr::Boolean(view) => view.0,
            Expr::Number(view) => view.0,
            Expr::String(view) => view.0,
            Expr::Interpolated(view) => view.0,
            Expr::Heredoc(view) => view.0,
            Expr::Regex(view) => view.0,
            Expr::Name(view) => view.0,
            Expr::Type(view) => view.0,
            Expr::Variable(view) => view.0,
            Expr::Reserved(view) => view.0,
            Expr::Array(view) => view.0,
            Expr::Hash(view) => view.syntax(),
            Expr::Assignment(view) => view.0,
            Expr::Relationship(view) => view.0,
            Expr::Binary(view) => view.0,
            Expr::Not(view) => view.0,
            Expr::Negate(view) => view.0,
            Expr::Unfold(view) => view.0,
            Expr::Paren(view) => view.0,
            Expr::Selector(view) => view.0,
            Expr::Access(view) => view.0,
            Expr::Call(view) => view.0,
            Expr::MethodCall(view) => view.0,
            Expr::If(view) => view.0,
            Expr::Unless(view) => view.0,
            Expr::Case(view) => view.0,
            Expr::Resource(view) => view.0,
            Expr::ResourceDefaults(view) => view.0,
            Expr::ResourceOverride(view) => view.0,
            Expr::UntitledResource(view) => view.0,
            Expr::Collector(view) => view.0,
            Expr::ClassDefinition(view) => view.0,
            Expr::DefineDefinition(view) => view.0,
            Expr::NodeDefinition(view) => view.0,
            Expr::FunctionDefinition(view) => view.0,
            Expr::PlanDefinition(view) => view.0,
            Expr::Apply(view) => view.0,
            Expr::TypeAlias(view) => view.0,
            Expr::TypeDefinition(view) => view.0,
            Expr::RenderText(view) => view.0,
            Expr::Render(view) => view.0,
        }
    }

    /// Its span.
    pub fn span(self) -> Span {
        match self {
            Expr::Hash(hash) => hash.span(),
            _ => self.syntax().span(),
        }
    }

    /// The position Puppet reports for this.
    pub fn puppet_offset(self) -> u32 {
        match self {
            Expr::Hash(hash) => hash.puppet_offset(),
            _ => position::puppet_offset(self.syntax()),
        }
    }

    /// The expression without the parentheses around it.
    pub fn unwrap_parens(self) -> Expr<'t> {
        let mut expr = self;
        while let Expr::Paren(paren) = expr {
            expr = paren.inner();
        }
        expr
    }
}

/// The first expression among the children of `node`, or the node itself as an error where one is missing.
pub(super) fn first_expr(node: Node<'_>) -> Expr<'_> {
    nth_expr(node, 0)
}

/// The expression after `n` others among the children of `node`, or the node itself as an error where it is missing.
pub(super) fn nth_expr(node: Node<'_>, n: usize) -> Expr<'_> {
    node.all_children().filter_map(Expr::cast).nth(n).unwrap_or(Expr::Error(node))
}

views! {
    /// A whole manifest.
    Manifest = Manifest;
    /// A whole template.
    Template = Template;
    /// Statements in braces.
    Block = Block;
}

impl<'t> Manifest<'t> {
    /// The manifest a tree is of; `None` if it is a template's.
    pub fn of(tree: &'t Tree) -> Option<Manifest<'t>> {
        Manifest::cast(tree.root())
    }

    /// The statements.
    pub fn statements(self) -> Statements<'t> {
        Statements::of(self.0)
    }
}

impl<'t> Template<'t> {
    /// The template a tree is of; `None` if it is a manifest's.
    pub fn of(tree: &'t Tree) -> Option<Template<'t>> {
        Template::cast(tree.root())
    }

    /// Whether the template declares what parameters it takes, perhaps none.
    pub fn has_parameter_list(self) -> bool {
        self.0.child(K::Parameters).is_some()
    }

    /// The parameters it declares.
    pub fn parameters(self) -> impl Iterator<Item = Parameter<'t>> {
        definition::parameters(self.0)
    }

    /// The statements, text to render among them.
    pub fn statements(self) -> Statements<'t> {
        Statements::of(self.0)
    }
}

impl<'t> Block<'t> {
    /// The statements.
    pub fn statements(self) -> Statements<'t> {
        Statements::of(self.0)
    }

    /// Whether there are no statements.
    pub fn is_empty(self) -> bool {
        self.statements().next().is_none()
    }
}

/// The statements of a block, a manifest or a template.
#[derive(Clone)]
pub struct Statements<'t>(Children<'t>);

impl<'t> Statements<'t> {
    pub(super) fn of(node: Node<'t>) -> Statements<'t> {
        Statements(node.all_children())
    }
}

impl<'t> Iterator for Statements<'t> {
    type Item = Expr<'t>;

    fn next(&mut self) -> Option<Expr<'t>> {
        self.0.by_ref().find_map(Expr::cast)
    }
}
