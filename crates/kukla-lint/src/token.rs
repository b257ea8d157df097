//! The tokens that lint rules are defined over. They have the kinds, texts, lines and columns that puppet-lint's have.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Blanks within a line.
    Whitespace,
    /// Blanks at the beginning of a line.
    Indent,
    /// The end of a line.
    Newline,
    /// `# text`.
    Comment,
    /// `// text`.
    SlashComment,
    /// `/* text */`.
    BlockComment,
    /// The name of a built-in type, and the keyword `type`.
    Type,
    /// A capitalised name.
    Classref,
    /// A number.
    Number,
    /// A name that an opening parenthesis follows.
    FunctionName,
    /// A name.
    Name,
    /// `[`.
    Lbrack,
    /// `]`.
    Rbrack,
    /// `{`.
    Lbrace,
    /// `}`.
    Rbrace,
    /// `(`.
    Lparen,
    /// `)`.
    Rparen,
    /// `==`.
    Isequal,
    /// `=~`.
    Match,
    /// `=>`.
    Farrow,
    /// `=`.
    Equals,
    /// `+=`.
    Appends,
    /// `+>`.
    Parrow,
    /// `+`.
    Plus,
    /// `>=`.
    Greaterequal,
    /// `>>`.
    Rshift,
    /// `>`.
    Greaterthan,
    /// `<=`.
    Lessequal,
    /// `<<|`.
    Llcollect,
    /// `<-`.
    OutEdge,
    /// `<~`.
    OutEdgeSub,
    /// `<|`.
    Lcollect,
    /// `<<`.
    Lshift,
    /// `<`.
    Lessthan,
    /// `!~`.
    Nomatch,
    /// `!=`.
    Notequal,
    /// `!`.
    Not,
    /// `|>>`.
    Rrcollect,
    /// `|>`.
    Rcollect,
    /// `->`.
    InEdge,
    /// `~>`.
    InEdgeSub,
    /// `-`.
    Minus,
    /// `,`.
    Comma,
    /// `.`.
    Dot,
    /// `:`.
    Colon,
    /// `;`.
    Semic,
    /// `?`.
    Qmark,
    /// `\`.
    Backslash,
    /// `*`.
    Times,
    /// `%`.
    Modulo,
    /// `|`.
    Pipe,
    /// `/`.
    Div,
    /// `@`.
    At,
    /// A variable, also one in `${}`.
    Variable,
    /// A variable in a string without braces.
    UnencVariable,
    /// A string in single quotes.
    Sstring,
    /// A string in double quotes without interpolation.
    String,
    /// The text before the first interpolation of a string.
    Dqpre,
    /// The text between two interpolations.
    Dqmid,
    /// The text after the last interpolation.
    Dqpost,
    /// `@(TAG)`.
    HeredocOpen,
    /// A heredoc without interpolation.
    Heredoc,
    /// The text before the first interpolation of a heredoc.
    HeredocPre,
    /// The text between two interpolations of a heredoc.
    HeredocMid,
    /// The text after the last interpolation of a heredoc.
    HeredocPost,
    /// A regular expression.
    Regex,
    /// The keyword `case`.
    Case,
    /// The keyword `class`.
    Class,
    /// The keyword `default`.
    Default,
    /// The keyword `define`.
    Define,
    /// The keyword `import`.
    Import,
    /// The keyword `if`.
    If,
    /// The keyword `elsif`.
    Elsif,
    /// The keyword `else`.
    Else,
    /// The keyword `inherits`.
    Inherits,
    /// The keyword `node`.
    Node,
    /// The keyword `and`.
    And,
    /// The keyword `or`.
    Or,
    /// The keyword `undef`.
    Undef,
    /// The keyword `false`.
    False,
    /// The keyword `true`.
    True,
    /// The keyword `in`.
    In,
    /// The keyword `unless`.
    Unless,
    /// The keyword `function`.
    Function,
    /// The keyword `attr`.
    Attr,
    /// The keyword `private`.
    Private,
}

impl Kind {
    /// The number of kinds.
    pub const COUNT: usize = Kind::Private as usize + 1;

    /// Whether it is layout or a comment, not code.
    pub fn is_formatting(self) -> bool {
        matches!(
            self,
            Kind::Whitespace
                | Kind::Newline
                | Kind::Comment
                | Kind::BlockComment
                | Kind::SlashComment
                | Kind::Indent
        )
    }

    /// Whether it is a comment.
    pub fn is_comment(self) -> bool {
        matches!(self, Kind::Comment | Kind::BlockComment | Kind::SlashComment)
    }

    /// Whether it is a blank or the end of a line.
    pub fn is_blank(self) -> bool {
        matches!(self, Kind::Whitespace | Kind::Indent | Kind::Newline)
    }

    /// Whether it is a variable, in braces or not.
    pub fn is_variable(self) -> bool {
        matches!(self, Kind::Variable | Kind::UnencVariable)
    }

    /// The keyword of that name.
    pub fn of_keyword(name: &str) -> Option<Kind> {
        Some(match name {
            "case" => Kind::Case,
            "class" => Kind::Class,
            "default" => Kind::Default,
            "define" => Kind::Define,
            "import" => Kind::Import,
            "if" => Kind::If,
            "elsif" => Kind::Elsif,
            "else" => Kind::Else,
            "inherits" => Kind::Inherits,
            "node" => Kind::Node,
            "and" => Kind::And,
            "or" => Kind::Or,
            "undef" => Kind::Undef,
            "false" => Kind::False,
            "true" => Kind::True,
            "in" => Kind::In,
            "unless" => Kind::Unless,
            "function" => Kind::Function,
            "type" => Kind::Type,
            "attr" => Kind::Attr,
            "private" => Kind::Private,
            _ => return None,
        })
    }
}

/// The position of a token in its manifest.
pub type At = usize;

/// A token. The spans of all tokens, one after the other, are the text.
#[derive(Clone, Copy, Debug)]
pub struct Token<'t> {
    /// Its kind.
    pub kind: Kind,
    /// Its text without quotes, `$`, `#` and the like.
    pub value: &'t str,
    /// The offset of its first byte.
    pub start: u32,
    /// The offset after its last byte.
    pub end: u32,
    /// Its line, counted from one.
    pub line: u32,
    /// Its column in characters, counted from one.
    pub column: u32,
    /// The code token before it; layout has none.
    pub previous_code: Option<u32>,
    /// The code token after it; layout has none.
    pub next_code: Option<u32>,
}

impl Token<'_> {
    /// The offset of its first byte.
    pub fn start(&self) -> usize {
        self.start as usize
    }

    /// The offset after its last byte.
    pub fn end(&self) -> usize {
        self.end as usize
    }
}
