//! The kinds of tokens and nodes a tree is made of.

/// The kind of a token or a node of the tree.
///
/// Tokens come first, in groups that the predicates below rely on; nodes follow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum SyntaxKind {
    // Trivia: text that no rule of the grammar asks for.
    /// Blanks and line breaks.
    Whitespace,
    /// `# ...` up to the end of the line.
    LineComment,
    /// `/* ... */`
    BlockComment,
    /// `<%` or `<%-`
    EppOpen,
    /// `%>` or `-%>` after `<%`
    EppClose,
    /// Text of a template of which nothing is rendered.
    EppSilentText,

    // Heredoc bodies stand where their lines are, usually in the middle of another construct.
    /// The place where the text of a heredoc begins; it has no text of its own and is not part of trees.
    HeredocStart,
    /// A piece of the text of a heredoc.
    HeredocText,
    /// The line that ends a heredoc.
    HeredocEnd,

    // Operands.
    /// Something the lexer has already complained about.
    ErrorToken,
    /// `$name`
    Variable,
    /// The `name` of `"${name}"`, a variable without its `$`.
    VariableName,
    /// `name`, `qualified::name`
    Name,
    /// A bare word that is not a valid name: `a-b`, `_x`.
    Word,
    /// `Type`, `Qualified::Type`
    TypeName,
    /// `1`, `0x1f`, `017`, `1.5e3`
    Number,
    /// `'text'`
    SqString,
    /// `"text"`, without interpolation.
    DqString,
    /// `@(END)`, whose text is in a `HeredocBody`.
    HeredocTag,
    /// `/pattern/`
    Regex,
    /// `true`
    TrueKw,
    /// `false`
    FalseKw,
    /// `undef`
    UndefKw,
    /// `default`
    DefaultKw,
    /// `attr`, a reserved word
    AttrKw,
    /// `private`, a reserved word in Puppet, a modifier in Kukla
    PrivateKw,
    /// Text of a template.
    EppText,

    // Parts of strings with interpolation.
    /// `"` and the text up to the first interpolation.
    DqStart,
    /// Text between two interpolations.
    DqText,
    /// Text after the last interpolation, and `"`.
    DqEnd,
    /// `${`
    InterpolationOpen,
    /// `}` that matches `${`
    InterpolationClose,

    // Other keywords.
    /// `and`
    AndKw,
    /// `case`
    CaseKw,
    /// `class`
    ClassKw,
    /// `define`
    DefineKw,
    /// `else`
    ElseKw,
    /// `elsif`
    ElsifKw,
    /// `function`
    FunctionKw,
    /// `if`
    IfKw,
    /// `in`
    InKw,
    /// `inherits`
    InheritsKw,
    /// `node`
    NodeKw,
    /// `or`
    OrKw,
    /// `type`
    TypeKw,
    /// `unless`
    UnlessKw,
    /// `plan`, where plans are enabled
    PlanKw,
    /// `apply`, where plans are enabled
    ApplyKw,

    // Punctuation.
    /// `(`
    LParen,
    /// `(` as the first thing on its line, which begins no argument list
    LineLParen,
    /// `)`
    RParen,
    /// `[` right after something, which may be an access
    LBracket,
    /// `[` after a blank, which begins an array
    ListStart,
    /// `]`
    RBracket,
    /// `{`
    LBrace,
    /// `{` after `?`
    SelectorBrace,
    /// `}`
    RBrace,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// `:`
    Colon,
    /// `.`
    Dot,
    /// `?`
    Question,
    /// `|`
    Pipe,
    /// `@`
    At,
    /// `@@`
    AtAt,
    /// `=>`
    FatArrow,
    /// `+>`
    PlusArrow,
    /// `=`
    Equals,
    /// `+=`
    PlusEquals,
    /// `-=`
    MinusEquals,
    /// `==`
    EqualsEquals,
    /// `!=`
    NotEquals,
    /// `=~`
    Match,
    /// `!~`
    NoMatch,
    /// `<`
    Less,
    /// `<=`
    LessEquals,
    /// `>`
    Greater,
    /// `>=`
    GreaterEquals,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `%`
    Percent,
    /// `!`
    Bang,
    /// `~`, which has no meaning of its own
    Tilde,
    /// `->`
    Before,
    /// `~>`
    Notify,
    /// `<-`
    After,
    /// `<~`
    Subscribe,
    /// `<|`
    CollectOpen,
    /// `|>`
    CollectClose,
    /// `<<|`
    ExportedCollectOpen,
    /// `|>>`
    ExportedCollectClose,
    /// `<%=`
    EppRenderOpen,
    /// `%>` or `-%>` after `<%=`
    EppRenderClose,
    /// `&`, which only signatures of built-in functions know.
    Ampersand,
    /// A character that begins no token.
    Unknown,
    /// The end of the input.
    Eof,

    // Nodes.
    /// A whole manifest: statements.
    Manifest,
    /// A whole template: parameters and statements.
    Template,
    /// The whole signature of a built-in function: parameters and the type it returns.
    Signature,
    /// Tokens that form nothing.
    Error,
    /// The text and the interpolations of one heredoc, and its end line.
    HeredocBody,
    /// `{ statements }`
    Block,
    /// `include a, b`: a call without parentheses.
    StatementCall,
    /// `name a`: a call without parentheses of a function that Puppet does not call that way.
    BareCall,
    /// `a, b` where no function takes the list.
    StrayList,
    /// `left = right`, `+=`, `-=`
    Assignment,
    /// `left -> right`
    Relationship,
    /// `left op right`
    Binary,
    /// `!x`
    Not,
    /// `-x`
    Negate,
    /// `*x`
    Unfold,
    /// `(x)`
    Paren,
    /// `left ? { entries }`
    Selector,
    /// `match => value`
    SelectorEntry,
    /// `left[keys]`
    Access,
    /// `left[keys]` on the right side of a type alias
    AliasedAccess,
    /// `function(arguments) lambda`
    Call,
    /// `receiver.name(arguments) lambda`
    MethodCall,
    /// `(arguments)`
    Arguments,
    /// `"text ${expression}"`
    InterpolatedString,
    /// `${expression}`
    Interpolation,
    /// `[a, b]`
    Array,
    /// `{ k => v }`
    Hash,
    /// `k => v`
    HashEntry,
    /// `if test { }`, any number of `elsif`, perhaps `else`
    If,
    /// `elsif test { }`
    Elsif,
    /// `else { }`
    Else,
    /// `unless test { } else { }`
    Unless,
    /// `case test { options }`
    Case,
    /// `a, b: { statements }`
    CaseOption,
    /// `|parameters| >> Type { statements }`
    Lambda,
    /// `(parameters)` or `|parameters|`
    Parameters,
    /// `Type *$name = default`
    Parameter,
    /// `>> Type`
    ReturnType,
    /// `@resource` or `@@resource`
    Virtual,
    /// `type { title: attributes; ... }`
    Resource,
    /// `title: attributes`
    ResourceBody,
    /// `name => value`, `name +> value`
    Attribute,
    /// `* => hash`
    AttributeSplat,
    /// `Type { attributes }`
    ResourceDefaults,
    /// `Type[title] { attributes }`
    ResourceOverride,
    /// `name { attributes }`, which looks like a resource but has no title
    UntitledResource,
    /// `Type <| query |> { attributes }`
    Collector,
    /// `<| query |>` or `<<| query |>>`
    Query,
    /// `class name (parameters) inherits parent { }`
    ClassDefinition,
    /// `define name (parameters) { }`
    DefineDefinition,
    /// `node names { }`
    NodeDefinition,
    /// `name.with.dots` as the name of a node
    HostName,
    /// `function name(parameters) >> Type { }`
    FunctionDefinition,
    /// `plan name(parameters) { }`
    PlanDefinition,
    /// `apply(arguments) { }`
    Apply,
    /// `type Name = Type`, `type Name[...] = Type`
    TypeAlias,
    /// `type Name inherits Parent { }`
    TypeDefinition,
    /// `<%= expression %>`
    EppRender,
}

use SyntaxKind::*;

impl SyntaxKind {
    /// Whether this is a token, not a node.
    pub const fn is_token(self) -> bool {
        (self as u8) < Manifest as u8
    }

    /// Whether the grammar does not see this token.
    pub const fn is_trivia(self) -> bool {
        (self as u8) <= EppSilentText as u8
    }

    /// Whether this token is an expression all by itself.
    pub const fn is_operand(self) -> bool {
        ErrorToken as u8 <= self as u8 && self as u8 <= EppText as u8
    }

    /// Whether this token can stand for the name of an attribute although it has a meaning of its own.
    pub const fn is_attribute_keyword(self) -> bool {
        (AndKw as u8 <= self as u8 && self as u8 <= ApplyKw as u8)
            || matches!(self, UndefKw | DefaultKw | AttrKw | PrivateKw)
    }

    /// Whether this token is a word with a meaning of its own.
    pub const fn is_keyword(self) -> bool {
        self.is_attribute_keyword() || matches!(self, TrueKw | FalseKw)
    }

    /// Whether a regular expression cannot begin after this token, so that `/` divides.
    pub(crate) const fn ends_operand(self) -> bool {
        matches!(
            self,
            RParen
                | RBracket
                | CollectClose
                | ExportedCollectClose
                | Name
                | TypeName
                | Number
                | SqString
                | DqString
                | DqStart
                | DqEnd
                | HeredocTag
                | TrueKw
                | FalseKw
                | Regex
                | Variable
                | VariableName
                | Word
                | ErrorToken
        )
    }
}
