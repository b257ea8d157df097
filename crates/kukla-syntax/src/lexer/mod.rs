//! Text to tokens.
//!
//! The tokens tile the text: each ends where the next begins, blanks and comments included, so two flat arrays hold them
//! all. Nothing is decoded here; a string is a stretch of text until someone asks for its value.
//!
//! Which token a character begins can depend on the token before it (`/` divides or begins a regular expression, `[`
//! accesses or begins an array), and Puppet decides by the tokens its lexer has *returned*, which inside interpolated
//! strings are not the neighbours on the page. [`Context::after`] keeps that memory.

mod epp;
mod heredoc;
mod number;
mod regex;
mod string;

pub(crate) use epp::rendered_text;
pub(crate) use heredoc::{Escapes, Heredoc};

use crate::SyntaxKind::{self, *};
use crate::codes::*;
use crate::tree::MAX_DEPTH;
use crate::{Diagnostic, Span, diagnostic};

/// More diagnostics than this help nobody, and hostile input could ask for millions.
const MAX_DIAGNOSTICS: usize = 500;

/// The tokens of one text.
#[derive(Default)]
pub(crate) struct Tokens {
    /// The kind of each token; the last is `Eof`.
    pub kinds: Vec<SyntaxKind>,
    /// Where each token begins.
    pub starts: Vec<u32>,
    /// The heredocs, in the order of their tags.
    pub heredocs: Vec<Heredoc>,
    /// Errors in the tokens, each with the offset at which Puppet would have noticed.
    pub diagnostics: Vec<(u32, Diagnostic)>,
}

impl Tokens {
    /// The range of text of a token.
    pub fn span(&self, index: usize) -> Span {
        let start = self.starts[index];
        Span::new(start, self.starts.get(index + 1).copied().unwrap_or(start))
    }
}

/// The pending action of a template's code when its tag closes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EppMode {
    /// Not a template.
    None,
    /// In `<% ... %>`
    Code,
    /// In `<%= ... %>`
    Render,
}

/// An interpolation whose `}` has not come yet.
struct OpenInterpolation {
    /// The number of open braces outside of it.
    braces: u32,
    /// The token after its `${`.
    first: usize,
    /// The construct that continues after its `}`.
    within: Within,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    DqString,
    Heredoc,
}

/// The state that the meaning of the next character depends on. The text of a heredoc begins with a fresh one.
struct Context {
    /// The last token returned, in Puppet's sense.
    after: SyntaxKind,
    /// Braces opened and not closed.
    braces: u32,
    /// Where the current line begins, as far as the lexer has noticed (line breaks in strings do not count).
    line_start: usize,
    /// Heredocs whose text begins after the next line break.
    pending: Vec<usize>,
    /// Where the text of the next heredoc on this line begins.
    newline_jump: Option<usize>,
    interpolations: Vec<OpenInterpolation>,
    epp: EppMode,
    /// No regular expression that begins at or after this offset is closed.
    no_regex_from: usize,
    /// No `)` comes at or after this offset.
    no_paren_from: usize,
}

impl Context {
    fn new(start: usize, epp: EppMode) -> Context {
        Context {
            after: Eof,
            braces: 0,
            line_start: start,
            pending: Vec::new(),
            newline_jump: None,
            interpolations: Vec::new(),
            epp,
            no_regex_from: usize::MAX,
            no_paren_from: usize::MAX,
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    pos: usize,
    /// Brackets of all sorts opened and not closed.
    nesting: u32,
    /// Where the text being read ends: the whole of it, or a heredoc's part.
    end: usize,
    tasks: bool,
    out: Tokens,
    context: Context,
    heredoc_depth: u32,
    failed_heredocs: u32,
    /// Where the outermost string or the heredoc being read begins.
    noticed_at: Option<usize>,
}

/// The kind of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Manifest,
    Template,
    Signature,
}

/// Splits a text into tokens. `tasks` makes `plan` and `apply` keywords.
pub(crate) fn lex(text: &str, form: Form, tasks: bool) -> Tokens {
    let capacity = text.len() / 4 + 8;
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        pos: 0,
        end: text.len(),
        tasks,
        nesting: 0,
        out: Tokens {
            kinds: Vec::with_capacity(capacity),
            starts: Vec::with_capacity(capacity),
            ..Tokens::default()
        },
        context: Context::new(0, EppMode::None),
        heredoc_depth: 0,
        failed_heredocs: 0,
        noticed_at: None,
    };
    lexer.byte_order_mark();
    match form {
        Form::Manifest | Form::Signature => {
            lexer.tokens();
        }
        Form::Template => lexer.template(),
    }
    lexer.unclosed_interpolations();
    lexer.out.kinds.push(Eof);
    lexer.out.starts.push(text.len() as u32);
    lexer.out
}

/// `\w`: letters, digits and underscore of ASCII.
const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

impl<'t> Lexer<'t> {
    #[inline]
    fn peek(&self, ahead: usize) -> u8 {
        let at = self.pos + ahead;
        if at < self.end { self.bytes[at] } else { 0 }
    }

    #[inline]
    fn byte(&self, at: usize) -> u8 {
        if at < self.end { self.bytes[at] } else { 0 }
    }

    #[inline]
    fn is_word(&self, at: usize) -> bool {
        at < self.end && WORD[self.bytes[at] as usize]
    }

    /// Adds a token that begins at `start` without making it the one the next depends on.
    #[inline]
    fn add(&mut self, kind: SyntaxKind, start: usize) {
        self.out.kinds.push(kind);
        self.out.starts.push(start as u32);
    }

    /// Adds a token of `len` bytes at the current position and moves past it.
    #[inline]
    fn emit(&mut self, kind: SyntaxKind, len: usize) {
        self.add(kind, self.pos);
        self.context.after = kind;
        self.pos += len;
    }

    /// Adds a token from the current position up to `end` and moves there.
    #[inline]
    fn emit_to(&mut self, kind: SyntaxKind, end: usize) {
        self.emit(kind, end - self.pos);
    }

    /// Puppet's lexer reads a string with interpolation, or a heredoc, as a whole before its parser sees any of it.
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.out.diagnostics.len() < MAX_DIAGNOSTICS {
            let noticed = self.noticed_at.map_or(diagnostic.span().start, |start| start as u32);
            self.out.diagnostics.push((noticed, diagnostic));
        }
    }

    fn at(&self, offset: usize) -> Span {
        Span::at(offset.min(self.text.len()) as u32)
    }

    fn between(&self, start: usize, end: usize) -> Span {
        Span::new(start as u32, end as u32)
    }

    /// A byte order mark is reported and then passed over.
    fn byte_order_mark(&mut self) {
        if self.bytes.starts_with(b"\xEF\xBB\xBF") {
            self.report(diagnostic!(Span::new(0, 3), ILLEGAL_BOM { format: "UTF-8", bom: "[EF BB BF]" }));
            self.add(Whitespace, 0);
            self.pos = 3;
        }
    }

    /// Reads tokens to the end of the text; `true` if it stopped at the `}` of an interpolation in a heredoc instead.
    fn tokens(&mut self) -> bool {
        while self.pos < self.end {
            match self.bytes[self.pos] {
                b' ' | b'\t' | b'\r' | b'\n' => self.whitespace(),
                b'a'..=b'z' | b'_' => self.name(),
                b'$' => self.variable(),
                b'\'' => self.single_quoted(),
                b'"' => self.double_quoted(),
                b'0'..=b'9' => self.number(),
                b'A'..=b'Z' => self.type_name(),
                b',' => self.emit(Comma, 1),
                b'#' => {
                    let rest = &self.bytes[self.pos..self.end];
                    let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    self.add(LineComment, self.pos);
                    self.pos += len;
                }
                b'{' => {
                    if self.nests_too_deep() {
                        return false;
                    }
                    self.context.braces += 1;
                    let kind = if self.context.after == Question { SelectorBrace } else { LBrace };
                    self.emit(kind, 1);
                }
                b'}' => {
                    self.nesting = self.nesting.saturating_sub(1);
                    self.context.braces = self.context.braces.saturating_sub(1);
                    if self.closes_interpolation() {
                        if self.close_interpolation() == Within::Heredoc {
                            return true;
                        }
                        self.double_quoted_rest();
                    } else {
                        self.emit(RBrace, 1);
                    }
                }
                b'(' => {
                    if self.nests_too_deep() {
                        return false;
                    }
                    let kind = if self.first_on_line() { LineLParen } else { LParen };
                    self.emit(kind, 1);
                }
                b')' => {
                    self.nesting = self.nesting.saturating_sub(1);
                    self.emit(RParen, 1);
                }
                b'[' => {
                    if self.nests_too_deep() {
                        return false;
                    }
                    let kind = if self.after_blank() { ListStart } else { LBracket };
                    self.emit(kind, 1);
                }
                b']' => {
                    self.nesting = self.nesting.saturating_sub(1);
                    self.emit(RBracket, 1);
                }
                b';' => self.emit(Semicolon, 1),
                b'.' => self.emit(Dot, 1),
                b'?' => self.emit(Question, 1),
                b'*' => self.emit(Star, 1),
                b':' if self.peek(1) == b':' => self.qualified(),
                b':' => self.emit(Colon, 1),
                b'=' => match self.peek(1) {
                    b'>' => self.emit(FatArrow, 2),
                    b'=' => self.emit(EqualsEquals, 2),
                    b'~' => self.emit(Match, 2),
                    _ => self.emit(Equals, 1),
                },
                b'+' => match self.peek(1) {
                    b'=' => self.emit(PlusEquals, 2),
                    b'>' => self.emit(PlusArrow, 2),
                    _ => self.emit(Plus, 1),
                },
                b'-' if self.peek(1) == b'%' && self.peek(2) == b'>' && self.in_template() => {
                    self.epp_close(3)
                }
                b'-' => match self.peek(1) {
                    b'>' => self.emit(Before, 2),
                    b'=' => self.emit(MinusEquals, 2),
                    _ => self.emit(Minus, 1),
                },
                b'!' => match self.peek(1) {
                    b'=' => self.emit(NotEquals, 2),
                    b'~' => self.emit(NoMatch, 2),
                    _ => self.emit(Bang, 1),
                },
                b'~' if self.peek(1) == b'>' => self.emit(Notify, 2),
                b'~' => self.emit(Tilde, 1),
                b'%' if self.peek(1) == b'>' && self.in_template() => self.epp_close(2),
                b'%' => self.emit(Percent, 1),
                b'<' => match (self.peek(1), self.peek(2)) {
                    (b'<', b'|') => self.emit(ExportedCollectOpen, 3),
                    (b'<', _) => self.emit(ShiftLeft, 2),
                    (b'=', _) => self.emit(LessEquals, 2),
                    (b'|', _) => self.emit(CollectOpen, 2),
                    (b'-', _) => self.emit(After, 2),
                    (b'~', _) => self.emit(Subscribe, 2),
                    _ => self.emit(Less, 1),
                },
                b'>' => match self.peek(1) {
                    b'>' => self.emit(ShiftRight, 2),
                    b'=' => self.emit(GreaterEquals, 2),
                    _ => self.emit(Greater, 1),
                },
                b'|' => match (self.peek(1), self.peek(2)) {
                    (b'>', b'>') => self.emit(ExportedCollectClose, 3),
                    (b'>', _) => self.emit(CollectClose, 2),
                    _ => self.emit(Pipe, 1),
                },
                b'@' => match self.peek(1) {
                    b'@' => self.emit(AtAt, 2),
                    b'(' => self.heredoc_tag(),
                    _ => self.emit(At, 1),
                },
                b'/' if self.peek(1) == b'*' => self.block_comment(),
                b'/' => self.slash(),
                _ => self.other(),
            }
        }
        false
    }

    /// Counts an opening bracket. Far beyond what the parser follows, the rest of the text is not worth reading.
    #[inline]
    fn nests_too_deep(&mut self) -> bool {
        self.nesting += 1;
        if self.nesting <= 4 * MAX_DEPTH {
            return false;
        }
        self.report(diagnostic!(self.at(self.pos), NESTING_TOO_DEEP { limit: MAX_DEPTH }));
        self.emit_to(ErrorToken, self.end);
        true
    }

    fn in_template(&self) -> bool {
        self.context.epp != EppMode::None && self.context.interpolations.is_empty()
    }

    /// Blanks and line breaks, and the texts of heredocs that begin after a line break.
    fn whitespace(&mut self) {
        self.add(Whitespace, self.pos);
        while self.pos < self.end {
            match self.bytes[self.pos] {
                b' ' | b'\t' | b'\r' => self.pos += 1,
                b'\n' => {
                    self.pos += 1;
                    self.context.line_start = self.pos;
                    if self.context.newline_jump.take().is_some() {
                        self.heredoc_bodies();
                        return;
                    }
                }
                _ => break,
            }
        }
    }

    /// Puppet's blanks include every space of Unicode; anything else here begins no token.
    fn other(&mut self) {
        let c = self.text[self.pos..].chars().next().unwrap_or('\0');
        if is_blank(c) {
            self.add(Whitespace, self.pos);
            self.pos += c.len_utf8();
        } else {
            self.emit(if c == '&' { Ampersand } else { Unknown }, c.len_utf8());
        }
    }

    /// Whether only blanks stand between the beginning of the line and here.
    fn first_on_line(&self) -> bool {
        let start = self.context.line_start.min(self.pos);
        match self.bytes[start..self.pos].last() {
            None => true,
            Some(b' ' | b'\t' | b'\r' | 0x80..) => {
                self.text[start..self.pos].chars().all(|c| is_blank(c) || c == '\r')
            }
            Some(_) => false,
        }
    }

    /// Whether a blank or the beginning of the text precedes this position.
    fn after_blank(&self) -> bool {
        match self.bytes[..self.pos].last() {
            None | Some(b' ' | b'\t' | b'\r' | b'\n') => true,
            Some(0x80..) => self.text[..self.pos].chars().next_back().is_some_and(is_blank),
            Some(_) => false,
        }
    }

    /// A name, a keyword or a bare word.
    fn name(&mut self) {
        let start = self.pos;
        let (end, is_name) = self.bare_word(start);
        let kind = match &self.bytes[start..end] {
            _ if !is_name => Word,
            b"and" => AndKw,
            b"attr" => AttrKw,
            b"case" => CaseKw,
            b"class" => ClassKw,
            b"default" => DefaultKw,
            b"define" => DefineKw,
            b"else" => ElseKw,
            b"elsif" => ElsifKw,
            b"false" => FalseKw,
            b"function" => FunctionKw,
            b"if" => IfKw,
            b"in" => InKw,
            b"inherits" => InheritsKw,
            b"node" => NodeKw,
            b"or" => OrKw,
            b"private" => PrivateKw,
            b"true" => TrueKw,
            b"type" => TypeKw,
            b"undef" => UndefKw,
            b"unless" => UnlessKw,
            b"plan" if self.tasks => PlanKw,
            b"apply" if self.tasks => ApplyKw,
            _ => Name,
        };
        self.emit_to(kind, end);
    }

    /// The end of the bare word whose first segment begins at `at`, and whether it is a name.
    fn bare_word(&self, mut at: usize) -> (usize, bool) {
        let mut is_name = true;
        loop {
            is_name &= self.bytes[at] != b'_';
            at += 1;
            loop {
                while self.is_word(at) {
                    at += 1;
                }
                if self.byte(at) != b'-' {
                    break;
                }
                let dashes = self.bytes[at..self.end].iter().take_while(|&&byte| byte == b'-').count();
                if !self.is_word(at + dashes) {
                    break;
                }
                is_name = false;
                at += dashes;
            }
            let goes_on = self.byte(at) == b':'
                && self.byte(at + 1) == b':'
                && matches!(self.byte(at + 2), b'a'..=b'z' | b'_');
            if !goes_on {
                return (at, is_name);
            }
            at += 2;
        }
    }

    /// A type name without a leading `::`.
    fn type_name(&mut self) {
        let end = self.type_segments(self.pos);
        if self.byte(end) == b':' && self.byte(end + 1) == b':' {
            self.report(
                diagnostic!(self.at(end + 1), ILLEGAL_CLASS_REFERENCE; hint: "every segment of a type name begins with an upper-case letter"),
            );
            self.skip_bad_name(end);
        } else {
            self.emit_to(TypeName, end);
        }
    }

    fn type_segments(&self, mut at: usize) -> usize {
        loop {
            while self.is_word(at) {
                at += 1;
            }
            if self.byte(at) == b':' && self.byte(at + 1) == b':' && self.byte(at + 2).is_ascii_uppercase() {
                at += 2;
            } else {
                return at;
            }
        }
    }

    /// Something that begins with `::`.
    fn qualified(&mut self) {
        match self.peek(2) {
            b'A'..=b'Z' => {
                let end = self.type_segments(self.pos + 2);
                if self.byte(end) == b':' && self.byte(end + 1) == b':' {
                    self.report(diagnostic!(self.at(end + 3), ILLEGAL_FULLY_QUALIFIED_CLASS_REFERENCE));
                    self.skip_bad_name(end);
                } else {
                    self.emit_to(TypeName, end);
                }
            }
            b'a'..=b'z' | b'_' => {
                let (end, is_name) = self.bare_word(self.pos + 2);
                self.emit_to(if is_name { Name } else { Word }, end);
            }
            _ => {
                self.report(diagnostic!(self.at(self.pos + 2), ILLEGAL_FULLY_QUALIFIED_NAME));
                self.skip_bad_name(self.pos);
            }
        }
    }

    /// Makes one error of everything from here, past `from`, that looks like more of the same name.
    fn skip_bad_name(&mut self, from: usize) {
        let mut at = from;
        while self.is_word(at) || self.byte(at) == b':' {
            at += 1;
        }
        self.emit_to(ErrorToken, at.max(self.pos + 1));
    }

    /// `$name`; a `$` alone is a variable without a name, which the validator objects to.
    fn variable(&mut self) {
        let end = self.variable_end(self.pos + 1).unwrap_or(self.pos + 1);
        self.emit_to(Variable, end);
    }

    /// Where the name of a variable that begins at `at` ends, if one does.
    fn variable_end(&self, at: usize) -> Option<usize> {
        let mut end = if self.byte(at) == b':' && self.byte(at + 1) == b':' { at + 2 } else { at };
        if !self.is_word(end) {
            return None;
        }
        loop {
            while self.is_word(end) {
                end += 1;
            }
            if self.byte(end) == b':' && self.byte(end + 1) == b':' && self.is_word(end + 2) {
                end += 2;
            } else {
                return Some(end);
            }
        }
    }

    fn block_comment(&mut self) {
        let inside = &self.bytes[self.pos + 2..self.end];
        match memchr::memmem::find(inside, b"*/") {
            Some(len) => {
                self.add(BlockComment, self.pos);
                self.pos += len + 4;
            }
            None => {
                self.report(diagnostic!(self.at(self.pos), UNCLOSED_MLCOMMENT));
                self.add(BlockComment, self.pos);
                self.pos = self.end;
            }
        }
    }
}

/// `[[:blank:]]` of Ruby: tab and the space separators of Unicode.
pub(crate) fn is_blank(c: char) -> bool {
    matches!(
        c,
        ' ' | '\t' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}
