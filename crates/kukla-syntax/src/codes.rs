//! Errors of the lexer and the parser, under the names Puppet gives these issues.

crate::codes! {
    pub CODES;

    /// The text breaks off or goes on in a way no Puppet program does.
    ///
    /// The place named is the first token that cannot be part of the construct being read; the mistake itself often
    /// is just before it: a missing comma, a quote or brace left open.
    ///
    /// ```puppet
    /// notify { 'a' message => 'b' }    # error
    /// ```
    SYNTAX_ERROR: Error, "Syntax error at {location}";

    /// Several expressions with commas between them stand where one statement is expected. Only a function that can be called as a
    /// statement takes a list of arguments without parentheses.
    ///
    /// ```puppet
    /// 1, 2    # error
    /// ```
    STRAY_ARGUMENTS as PARSE_ERROR: Error, "illegal comma separated argument list";

    /// Only statement functions such as `include`, `notice` and `fail` are called without parentheses.
    ///
    /// ```puppet
    /// join ['a', 'b'], '-'      # error
    /// join(['a', 'b'], '-')     # fine
    /// ```
    ARGUMENTS_WITHOUT_PARENTHESES as PARSE_ERROR: Error, "attempt to pass argument list to the function '{name}' which cannot be called without parentheses";

    /// `class` is a keyword and cannot be the name of what is defined.
    ///
    /// ```puppet
    /// define class { }    # error
    /// ```
    CLASS_KEYWORD_AS_NAME as PARSE_ERROR: Error, "'class' keyword not allowed at this location";

    /// The name of what is defined is a bare word, not a string.
    ///
    /// ```puppet
    /// class 'ntp' { }    # error
    /// class ntp { }      # fine
    /// ```
    QUOTED_NAME as PARSE_ERROR: Error, "A quoted string is not valid as a name here";

    /// `@@` exports resources; what follows it must be a resource.
    ///
    /// ```puppet
    /// @@notice('a')    # error
    /// ```
    EXPORTED_NO_RESOURCE as PARSE_ERROR: Error, "Exported (@@) can only be applied to a Resource Expression";

    /// `@` makes resources virtual; what follows it must be a resource.
    ///
    /// ```puppet
    /// @notice('a')    # error
    /// ```
    VIRTUAL_NO_RESOURCE as PARSE_ERROR: Error, "Virtual (@) can only be applied to a Resource Expression";

    /// `+>` adds to an attribute where a resource is overridden; a new resource begins with its title.
    ///
    /// ```puppet
    /// file { mode +> '0644' }    # error
    /// ```
    UNTITLED_WITH_ADDITION as PARSE_ERROR: Error, "Syntax error resource body without title or hash with +>";

    /// The braces of a resource must follow a resource type, those of an override a reference or a variable.
    ///
    /// ```puppet
    /// 'file' { mode => '0644' }    # error
    /// ```
    NOT_A_RESOURCE as PARSE_ERROR: Error, "Expression is not valid as a resource, resource-default, or resource-override";

    /// A name that begins with an upper-case letter refers to a type; every segment after `::` must then begin with an
    /// upper-case letter too.
    ///
    /// ```puppet
    /// File::mode    # error
    /// Apt::Source   # fine
    /// ```
    ILLEGAL_CLASS_REFERENCE: Error, "Illegal class reference";

    /// As `ILLEGAL_CLASS_REFERENCE`, for a name that begins with `::`.
    ///
    /// ```puppet
    /// ::File::mode    # error
    /// ```
    ILLEGAL_FULLY_QUALIFIED_CLASS_REFERENCE: Error, "Illegal fully qualified class reference";

    /// After `::` a name must go on with a letter or an underscore.
    ///
    /// ```puppet
    /// ::1    # error
    /// ```
    ILLEGAL_FULLY_QUALIFIED_NAME: Error, "Illegal fully qualified name";

    /// Something begins like a number and goes on unlike one. Quote it if it is meant to be text.
    ///
    /// ```puppet
    /// 10h     # error
    /// '10h'   # fine
    /// ```
    ILLEGAL_NUMBER: Error, "Illegal number '{value}'";

    /// `0x` must be followed by hexadecimal digits only.
    ///
    /// ```puppet
    /// notice(0xfg)    # error
    /// ```
    INVALID_HEX_NUMBER: Error, "Not a valid hex number {value}";

    /// A number that begins with `0` is octal, so only the digits 0 to 7 may follow. A file mode is best quoted.
    ///
    /// ```puppet
    /// 0899     # error
    /// '0644'   # the usual way to write a mode
    /// ```
    INVALID_OCTAL_NUMBER: Error, "Not a valid octal number {value}";

    /// A decimal number is digits, then perhaps `.` and digits, then perhaps `e` and an exponent.
    ///
    /// ```puppet
    /// notice(1.2x)    # error
    /// ```
    INVALID_DECIMAL_NUMBER: Error, "Not a valid decimal number {value}";

    /// A string is never closed: the quote that should end it is missing, or preceded by a backslash.
    ///
    /// ```puppet
    /// notice('a)    # error
    /// ```
    UNCLOSED_QUOTE: Error, "Unclosed quote after {after} followed by '{followed_by}'";

    /// A comment that begins with `/*` needs a `*/`.
    ///
    /// ```puppet
    /// /* a    # error
    /// ```
    UNCLOSED_MLCOMMENT: Error, "Unclosed multiline comment";

    /// A backslash in a double-quoted string precedes a character that it cannot escape; both are kept.
    ///
    /// Known are `\n`, `\t`, `\r`, `\s`, `\$`, `\"`, `\'`, `\\`, `\uXXXX`, `\u{X...}` and a line break.
    ///
    /// ```puppet
    /// notice("\d")    # warning
    /// ```
    UNRECOGNIZED_ESCAPE: Warning, "Unrecognized escape sequence '\\{ch}'";

    /// `\u` is followed by neither four hexadecimal digits nor one to six of them in braces.
    ///
    /// ```puppet
    /// notice("\u{1234567}")    # error
    /// ```
    ILLEGAL_UNICODE_ESCAPE: Warning, "Unicode escape '\\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff";

    /// A regular expression literal is not one: a group or class is left open, or the like.
    ///
    /// ```puppet
    /// notice('a' =~ /(/)    # error
    /// ```
    REGEXP_ERROR: Error, "{detail}";

    /// `<%` opens Puppet code in a template and nothing closes it.
    ///
    /// ```epp
    /// <% $x    <%# error %>
    /// ```
    EPP_UNBALANCED_TAG: Error, "Unbalanced epp tag, reached <eof> without closing tag.";

    /// `<%#` opens a comment in a template and no `%>` closes it.
    ///
    /// ```epp
    /// <%# error
    /// ```
    EPP_UNBALANCED_COMMENT: Error, "Reaching end after opening <%# without seeing %>";

    /// A template ends right after `<%`.
    ///
    /// ```epp
    /// a # error <%
    /// ```
    EPP_UNBALANCED_EXPRESSION: Error, "Unbalanced embedded expression - opening <% and reaching end of input";

    /// The parameters of a template come after text has already been rendered, usually a line break before `<%|`.
    ILLEGAL_EPP_PARAMETERS: Error, "Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading whitespace";

    /// `@(` begins a heredoc and no `)` follows.
    ///
    /// ```puppet
    /// notice(@(END    # error
    /// ```
    HEREDOC_UNCLOSED_PARENTHESIS: Error, "Unclosed parenthesis after '@(' followed by '{followed_by}'";

    /// The text of a heredoc goes on to the end of the file, because no line holds its end tag alone.
    ///
    /// ```puppet
    /// notice(@(END))
    /// some text    # error
    /// ```
    HEREDOC_WITHOUT_END_TAGGED_LINE: Error, "Heredoc without end-tagged line";

    /// The escapes of a heredoc (after `/`) are some of `t`, `r`, `n`, `s`, `u`, `L` and `$`.
    ///
    /// ```puppet
    /// notice(@(END/x))    # error
    ///   END
    /// ```
    HEREDOC_INVALID_ESCAPE: Error, "Invalid heredoc escape char. Only t, r, n, s,  u, L, $ allowed. Got '{actual}'";

    /// A heredoc begins with `@(END)`, `@("END")`, `@(END:syntax)`, `@(END/escapes)` or all of these together.
    ///
    /// ```puppet
    /// notice(@(a:b:c:d))    # error
    ///   a
    /// ```
    HEREDOC_INVALID_SYNTAX: Error, "Invalid syntax in heredoc expected @(endtag[:syntax][/escapes])";

    /// The text of a heredoc begins on the next line, and there is none.
    ///
    /// ```puppet
    /// notice(@(END))    # error
    /// ```
    HEREDOC_WITHOUT_TEXT: Error, "Heredoc without any following lines of text";

    /// A heredoc needs the name of the line that ends it, as in `@(END)`.
    ///
    /// ```puppet
    /// notice(@(""))    # error
    ///   a
    /// ```
    HEREDOC_EMPTY_ENDTAG: Error, "Heredoc with an empty endtag";

    /// An escape is named twice after the `/` of a heredoc.
    ///
    /// ```puppet
    /// notice(@(END/nn))    # error
    ///   END
    /// ```
    HEREDOC_MULTIPLE_AT_ESCAPES: Error, "An escape char for @() may only appear once. Got '{escapes}'";

    /// The file begins with a byte order mark. Save it as plain UTF-8.
    ILLEGAL_BOM: Error, "Illegal {format} Byte Order mark at beginning of input: {bom} - remove these from the puppet source";

    /// The program is nested deeper than any reasonable program; it is not read any further.
    NESTING_TOO_DEEP: Error, "Expressions are nested more than {limit} levels deep";

    /// A source text may hold up to 4 GiB.
    SOURCE_TOO_LONG: Error, "The source text is longer than {limit} bytes";
}
