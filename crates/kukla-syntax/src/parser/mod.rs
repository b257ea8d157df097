//! Tokens to tree: recursive descent along Puppet's grammar, with precedence climbing for the operators.
//!
//! A function reads one construct and makes one node of what it read. On a token that cannot go on, the error is reported
//! once and [`Fail`] unwinds to the nearest list of statements, which makes an error node of what there is and goes on
//! with the next statement it can recognize.

mod brackets;
mod definition;
mod expression;
mod mistake;
mod resource;
mod statement;

pub(crate) use statement::is_statement_function;

use std::sync::Arc;

use mistake::Construct;

use crate::SyntaxKind::{self, *};
use crate::codes::{
    HEREDOC_WITHOUT_END_TAGGED_LINE, NESTING_TOO_DEEP, SOURCE_TOO_LONG, SYNTAX_ERROR, UNCLOSED_QUOTE,
};
use crate::lexer::{Form, Heredoc, Tokens, lex, rendered_text};
use crate::tree::{Builder, MAX_DEPTH, Tree};
use crate::{Diagnostic, Source, SourcePosition, Span, Stage, decode, diagnostic};

/// After this number of errors the rest of the text is not parsed.
const MAX_ERRORS: usize = 100;

/// The result of parsing: always a tree, and the errors in the text.
#[derive(Clone, Debug)]
pub struct Parse {
    /// The tree; it holds the whole text, right or wrong.
    pub tree: Tree,
    /// Errors and warnings, in the order in which Puppet, were it to go on after the first, would notice them.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parse {
    /// Whether the text is a program or template as far as its grammar goes.
    pub fn is_ok(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Options of the parser.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParseOptions {
    /// Whether `plan` and `apply` are keywords.
    pub tasks: bool,
}

/// Parses a manifest.
pub fn parse(source: &Source) -> Parse {
    parse_with(source, ParseOptions::default())
}

/// Parses a manifest in a particular way.
pub fn parse_with(source: &Source, options: ParseOptions) -> Parse {
    run(source.shared_text(), Form::Manifest, options)
}

/// Parses a template.
pub fn parse_epp(source: &Source) -> Parse {
    run(source.shared_text(), Form::Template, ParseOptions::default())
}

/// Parses the signature of a built-in function: a parameter list without parentheses, in which `&$name` is the lambda that
/// goes with a call, and perhaps the type the function returns.
pub fn parse_signature(source: &Source) -> Parse {
    run(source.shared_text(), Form::Signature, ParseOptions::default())
}

fn run(text: Arc<str>, form: Form, options: ParseOptions) -> Parse {
    if text.len() >= u32::MAX as usize {
        let wrong = diagnostic!(Span::at(0), SOURCE_TOO_LONG { limit: u32::MAX });
        let diagnostics = vec![wrong.in_stage(Stage::Syntax)];
        return Parse { tree: flat(text, form), diagnostics };
    }
    let tokens = lex(&text, form, options.tasks);
    let mut parser = Parser::new(&text, &tokens);
    match form {
        Form::Manifest | Form::Template => parser.program(form),
        Form::Signature => parser.whole_signature(),
    }
    let Parser { builder, mut diagnostics, tags, bodies, odd_overrides, mut senseless_from, .. } = parser;
    let heredocs = join_heredocs(&tokens.heredocs, &tags, &bodies);
    let tree = builder.finish(Arc::clone(&text), heredocs).unwrap_or_else(|| {
        diagnostics.push((0, diagnostic!(Span::at(0), NESTING_TOO_DEEP { limit: MAX_DEPTH })));
        flat(text, form)
    });
    if diagnostics.is_empty() && tokens.diagnostics.is_empty() {
        return Parse { tree, diagnostics: Vec::new() };
    }
    point_at_odd_overrides(&tree, &mut diagnostics, odd_overrides);
    // A missing token at the end is expected if the lexer failed before.
    if tokens.diagnostics.iter().any(|(_, diagnostic)| diagnostic.is_error()) {
        let end = tree.text().len() as u32;
        diagnostics.retain(|(_, wrong)| !(wrong.span().point == end && *wrong.code == SYNTAX_ERROR));
    }
    diagnostics.splice(0..0, tokens.diagnostics);
    diagnostics.sort_by_key(|(noticed, _)| *noticed);
    // What comes after an open quote or heredoc is text, not a program.
    let swallows =
        |wrong: &Diagnostic| wrong.is(&UNCLOSED_QUOTE) || wrong.is(&HEREDOC_WITHOUT_END_TAGGED_LINE);
    let swallowed = diagnostics.iter().find(|(_, wrong)| swallows(wrong)).map(|(noticed, _)| *noticed);
    senseless_from = senseless_from.into_iter().chain(swallowed).min();
    if let Some(from) = senseless_from {
        diagnostics.retain(|(noticed, _)| *noticed <= from);
    }
    Parse {
        tree,
        diagnostics: diagnostics.into_iter().map(|(_, wrong)| wrong.in_stage(Stage::Syntax)).collect(),
    }
}

/// Moves the complaints about what cannot be overridden to the positions Puppet reports, which take a tree to find.
fn point_at_odd_overrides(
    tree: &Tree,
    diagnostics: &mut [(u32, Diagnostic)],
    odd_overrides: Vec<(usize, u32)>,
) {
    for (index, brace) in odd_overrides {
        let overrides = tree.elements().filter(|element| element.kind() == ResourceOverride);
        let found =
            overrides.into_iter().find(|node| node.child(LBrace).is_some_and(|it| it.start() == brace));
        if let (Some(node), Some((_, diagnostic))) = (found, diagnostics.get_mut(index)) {
            let span = diagnostic.span().pointing_at(crate::ast::puppet_offset(node));
            diagnostic.position = Some(span.into());
        }
    }
}

/// A tree of a text that cannot be taken apart.
fn flat(text: Arc<str>, form: Form) -> Tree {
    let mut builder = Builder::default();
    if !text.is_empty() {
        builder.token(ErrorToken, 0);
        builder.node(Error, 0, 0);
    }
    builder.node(root_kind(form), 0, 0);
    match builder.finish(text, Vec::new()) {
        Some(tree) => tree,
        None => unreachable!("a tree of three levels is not too deep"),
    }
}

fn root_kind(form: Form) -> SyntaxKind {
    match form {
        Form::Manifest => Manifest,
        Form::Template => Template,
        Form::Signature => Signature,
    }
}

/// Pairs the places of tags and bodies by the heredoc they belong to.
fn join_heredocs(
    heredocs: &[Heredoc],
    tags: &[(u32, u32)],
    bodies: &[(u32, u32)],
) -> Vec<(u32, u32, Heredoc)> {
    let mut places = vec![(None, None); heredocs.len()];
    for &(token, at) in tags {
        if let Ok(index) = heredocs.binary_search_by_key(&token, |heredoc| heredoc.tag) {
            places[index].0 = Some(at);
        }
    }
    for &(index, at) in bodies {
        places[index as usize].1 = Some(at);
    }
    let joined = heredocs.iter().zip(places);
    joined.filter_map(|(heredoc, (tag, body))| Some((tag?, body?, heredoc.clone()))).collect()
}

/// The error has been reported; go back to where reading can go on.
struct Fail;

type Parsed<T = ()> = Result<T, Fail>;

struct Parser<'t> {
    text: &'t str,
    tokens: &'t Tokens,
    /// The heredocs by their first tokens.
    body_starts: Vec<(u32, u32)>,
    /// The next token of the grammar.
    at: usize,
    /// Its kind.
    current: SyntaxKind,
    /// The first token that is not yet in the tree.
    unread: usize,
    builder: Builder,
    depth: u32,
    /// The constructs being read and the tokens that open them, outermost first.
    open: Vec<(Construct, usize)>,
    /// Opening braces that were missed and may have their closing ones left over.
    missing_braces: u32,
    /// The offset from which on the text makes no sense, since an error before it shifts the meaning of all quotes.
    senseless_from: Option<u32>,
    /// Braces of hashes, resources and the like opened since the list of statements began.
    braces: u32,
    last_error: usize,
    errors: usize,
    gave_up: bool,
    /// Argument lists without a function in the statements being read.
    strays: usize,
    /// The errors, each with the offset of the token at which Puppet would have noticed.
    diagnostics: Vec<(u32, Diagnostic)>,
    /// Complaints about what cannot be overridden: which diagnostics, and where the braces are.
    odd_overrides: Vec<(usize, u32)>,
    /// Tags of heredocs: their tokens and their places.
    tags: Vec<(u32, u32)>,
    /// Bodies of heredocs: which and their places.
    bodies: Vec<(u32, u32)>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, tokens: &'t Tokens) -> Parser<'t> {
        let mut body_starts: Vec<(u32, u32)> = tokens
            .heredocs
            .iter()
            .enumerate()
            .filter(|(_, heredoc)| heredoc.tokens.1 > 0)
            .map(|(index, heredoc)| (heredoc.tokens.0, index as u32))
            .collect();
        body_starts.sort_unstable();
        let mut parser = Parser {
            text,
            tokens,
            body_starts,
            at: 0,
            current: Eof,
            unread: 0,
            builder: Builder::with_capacity(tokens.kinds.len() + tokens.kinds.len() / 3 + 4),
            depth: 0,
            open: Vec::new(),
            missing_braces: 0,
            senseless_from: None,
            braces: 0,
            last_error: usize::MAX,
            errors: 0,
            gave_up: false,
            strays: 0,
            diagnostics: Vec::new(),
            odd_overrides: Vec::new(),
            tags: Vec::new(),
            bodies: Vec::new(),
        };
        parser.go_to(0);
        parser
    }

    /// Makes the first token of the grammar from `index` on the current one.
    #[inline]
    fn go_to(&mut self, index: usize) {
        self.at = self.significant(index);
        self.current = self.tokens.kinds[self.at];
    }

    /// The first token from `index` on that is part of the grammar here.
    #[inline]
    fn significant(&self, mut index: usize) -> usize {
        loop {
            let kind = self.tokens.kinds[index];
            if kind > HeredocStart {
                return index;
            }
            index = if kind == HeredocStart { self.body_end(index) } else { index + 1 };
        }
    }

    /// The token after the heredoc body that begins at `index`.
    #[cold]
    fn body_end(&self, index: usize) -> usize {
        match self.body_at(index) {
            Some(heredoc) => self.tokens.heredocs[heredoc].tokens.1 as usize,
            None => index + 1,
        }
    }

    fn body_at(&self, index: usize) -> Option<usize> {
        let found = self.body_starts.binary_search_by_key(&(index as u32), |&(start, _)| start).ok()?;
        Some(self.body_starts[found].1 as usize)
    }

    /// The kind of the token after the current one.
    #[inline]
    fn next(&self) -> SyntaxKind {
        if self.current == Eof { Eof } else { self.tokens.kinds[self.significant(self.at + 1)] }
    }

    /// Puts blanks, comments and heredoc bodies before the current token into the tree.
    #[inline]
    fn trivia(&mut self) {
        while self.unread < self.at {
            let (kind, start) = (self.tokens.kinds[self.unread], self.tokens.starts[self.unread]);
            if kind == HeredocStart {
                self.heredoc_body(self.unread);
            } else {
                self.builder.token(kind, start);
                self.unread += 1;
            }
        }
    }

    /// The place where a node begins: at the current token.
    #[inline]
    fn start(&mut self) -> usize {
        self.trivia();
        self.builder.len()
    }

    /// Makes a node of everything since `from`.
    #[inline]
    fn complete(&mut self, from: usize, kind: SyntaxKind) {
        self.builder.node(kind, from, self.tokens.starts[self.at]);
    }

    /// Puts the current token into the tree and goes to the next.
    #[inline]
    fn bump(&mut self) {
        if self.current == Eof {
            return;
        }
        self.trivia();
        if self.gave_up {
            return;
        }
        if self.current == HeredocTag {
            self.tags.push((self.at as u32, self.builder.len() as u32));
        }
        self.builder.token(self.current, self.tokens.starts[self.at]);
        self.unread = self.at + 1;
        self.go_to(self.at + 1);
    }

    #[inline]
    fn eat(&mut self, kind: SyntaxKind) -> bool {
        let found = self.current == kind;
        if found {
            self.bump();
        }
        found
    }

    #[inline]
    fn expect(&mut self, kind: SyntaxKind) -> Parsed {
        if self.eat(kind) { Ok(()) } else { self.unexpected_instead_of(Some(kind)) }
    }

    /// Reads a construct that the token `opening` opens, which errors inside of it know.
    #[inline]
    fn within<T>(
        &mut self,
        construct: Construct,
        opening: usize,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        self.open.push((construct, opening));
        let result = read(self);
        self.open.pop();
        result
    }

    /// The current token cannot be here.
    #[cold]
    fn unexpected<T>(&mut self) -> Parsed<T> {
        self.unexpected_instead_of(None)
    }

    /// The current token cannot be here, where only `expected` could be if that is known.
    #[cold]
    fn unexpected_instead_of<T>(&mut self, expected: Option<SyntaxKind>) -> Parsed<T> {
        if self.current == ErrorToken {
            // The lexer has reported the error.
            self.last_error = self.at;
            return Err(Fail);
        }
        if self.last_error == self.at {
            // It has been reported, and everything around fails with it.
            return Err(Fail);
        }
        let (location, span) = match self.current {
            Eof => ("end of input".to_owned(), Span::at(self.text.len() as u32)),
            _ => (format!("'{}'", self.token_value()), self.token_span()),
        };
        let mut wrong = diagnostic!(span, SYNTAX_ERROR { location });
        if let Some(mistake) = self.mistake(expected) {
            if mistake.place().is_some_and(|place| self.is_blamed(place)) {
                self.last_error = self.at;
                return Err(Fail);
            }
            self.missing_braces += u32::from(mistake.lacks_brace);
            if mistake.closes {
                // Reading goes on as if what is open were closed.
                self.braces = 0;
            }
            if mistake.explain(&mut wrong) {
                self.senseless_from.get_or_insert(span.point);
            }
        }
        self.report(wrong)
    }

    /// Whether an error has been reported whose mistake is there.
    fn is_blamed(&self, place: Span) -> bool {
        let blamed = self.diagnostics.iter().filter_map(|(_, wrong)| wrong.focus.as_ref());
        blamed
            .into_iter()
            .any(|focus| matches!(focus, SourcePosition::Within(span) if span.range() == place.range()))
    }

    /// A rule beyond the grammar is broken at `token`; reading goes on.
    #[cold]
    fn broken_rule(&mut self, token: usize, wrong: Diagnostic) {
        let wrong = wrong.within_text(self.tokens.span(token));
        self.diagnostics.push((self.tokens.starts[self.at], wrong));
    }

    fn report<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        if self.last_error != self.at || self.last_error == usize::MAX {
            self.last_error = self.at;
            self.diagnostics.push((self.tokens.starts[self.at], diagnostic));
            self.errors += 1;
            if self.errors > MAX_ERRORS {
                self.give_up();
            }
        }
        Err(Fail)
    }

    /// Leaves the rest of the text unread, as one error.
    #[cold]
    fn give_up(&mut self) {
        if self.gave_up {
            return;
        }
        self.gave_up = true;
        self.unread = self.unread.min(self.at);
        let start = self.tokens.starts[self.unread];
        if (start as usize) < self.text.len() {
            self.builder.token(ErrorToken, start);
        }
        self.at = self.tokens.kinds.len() - 1;
        self.unread = self.at;
        self.current = Eof;
        self.last_error = self.at;
    }

    /// Runs `read` one level deeper, if that is not too deep.
    #[inline]
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        let result = if self.depth > MAX_DEPTH / 2 {
            self.too_deep()
        } else if self.depth.is_multiple_of(16) {
            stacker::maybe_grow(256 * 1024, 2 * 1024 * 1024, || read(self))
        } else {
            read(self)
        };
        self.depth -= 1;
        result
    }

    #[cold]
    fn too_deep<T>(&mut self) -> Parsed<T> {
        let span = self.token_span();
        let already = self.diagnostics.last().is_some_and(|(_, last)| *last.code == NESTING_TOO_DEEP);
        if !already {
            self.diagnostics.push((span.start, diagnostic!(span, NESTING_TOO_DEEP { limit: MAX_DEPTH / 2 })));
        }
        self.give_up();
        Err(Fail)
    }

    fn token_text(&self, token: usize) -> &'t str {
        &self.text[self.tokens.span(token).range()]
    }

    /// The position of the current token. Puppet has no token for the `}` of an interpolation, so the text after it is used.
    fn token_span(&self) -> Span {
        match self.current {
            InterpolationClose => Span::at(self.tokens.span(self.at).end),
            HeredocEnd => Span::at(self.heredoc_text_end()),
            _ => self.tokens.span(self.at),
        }
    }

    /// Where the text of the heredoc ends whose end line is the current token.
    fn heredoc_text_end(&self) -> u32 {
        let found = self.tokens.heredocs.iter().find(|heredoc| heredoc.tokens.1 as usize == self.at + 1);
        let Some(heredoc) = found else { return self.tokens.starts[self.at] };
        let text = &self.text[heredoc.text.range()];
        match text.strip_suffix('\n') {
            Some(line) if heredoc.trim => {
                let trimmed = line.strip_suffix('\r').unwrap_or(line);
                heredoc.text.start + trimmed.len() as u32
            }
            _ => heredoc.text.end,
        }
    }

    /// The value of the current token, as Puppet shows it in messages.
    fn token_value(&self) -> String {
        let text = self.token_text(self.at);
        match self.current {
            Variable => text[1..].to_owned(),
            SqString => decode::single_quoted(&text[1..text.len() - 1]).into_owned(),
            DqString => decode::double_quoted(&text[1..text.len() - 1]).into_owned(),
            DqStart => decode::double_quoted(&text[1..]).into_owned(),
            Regex => format!("(?-mix:{})", decode::regex(text)),
            HeredocTag => match self.tokens.heredocs.iter().find(|heredoc| heredoc.tag as usize == self.at) {
                Some(heredoc) => self.text[heredoc.syntax.range()].to_owned(),
                None => String::new(),
            },
            EppText => {
                let span = self.tokens.span(self.at);
                rendered_text(self.text, span.start as usize, span.end as usize)
            }
            InterpolationClose => match self.tokens.kinds.get(self.at + 1) {
                Some(DqText | HeredocText) => {
                    decode::double_quoted(self.token_text(self.at + 1)).into_owned()
                }
                Some(DqEnd) => {
                    let text = self.token_text(self.at + 1);
                    decode::double_quoted(text.strip_suffix('"').unwrap_or(text)).into_owned()
                }
                _ => String::new(),
            },
            Unknown | Ampersand | EppRenderOpen | HeredocEnd => String::new(),
            _ => text.to_owned(),
        }
    }

    /// The text of a heredoc, which is parsed at its own position, independently of the surrounding construct.
    #[cold]
    fn heredoc_body(&mut self, index: usize) {
        let Some(heredoc) = self.body_at(index) else {
            self.unread += 1;
            return;
        };
        let (outer_at, outer_current, outer_braces) = (self.at, self.current, self.braces);
        let end = self.tokens.heredocs[heredoc].tokens.1 as usize;
        let from = self.builder.len();
        self.unread = index + 1;
        self.go_to(index + 1);
        while self.at < end {
            match self.current {
                HeredocEnd => {
                    self.trivia();
                    self.builder.token(HeredocEnd, self.tokens.starts[self.at]);
                    break;
                }
                HeredocText | Variable => self.bump(),
                InterpolationOpen => {
                    if self.interpolation().is_err() {
                        self.skip_interpolation(end);
                    }
                }
                _ => self.bump(),
            }
        }
        self.builder.node(HeredocBody, from, self.tokens.starts[end]);
        self.bodies.push((heredoc as u32, self.builder.len() as u32 - 1));
        if self.gave_up {
            return;
        }
        self.at = outer_at;
        self.current = outer_current;
        self.braces = outer_braces;
        self.unread = end;
    }

    /// After an error in an interpolation of a heredoc: on to its end.
    fn skip_interpolation(&mut self, end: usize) {
        while self.at + 1 < end && !matches!(self.current, InterpolationClose | HeredocText | HeredocEnd) {
            self.bump();
        }
        self.eat(InterpolationClose);
    }
}
