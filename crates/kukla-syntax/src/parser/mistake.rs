//! The mistake behind a syntax error.
//!
//! The first token that cannot be part of a program is seldom the mistake: a quote, comma or brace is missing somewhere before it. Each
//! function here knows one way to go wrong, looks at the token, at its neighbours and at the [constructs](Construct) being read, and
//! gives the place to change and the text to write there. The first that recognizes its mistake answers.

use super::Parser;
use super::brackets::{Brackets, closer_of};
use crate::SyntaxKind::{self, *};
use crate::{Diagnostic, Label, Span};

/// A construct between two brackets, while it is being read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Construct {
    Block,
    /// Titles and attributes.
    Resource,
    Hash,
    Array,
    Access,
    Arguments,
    Parameters,
    Paren,
    Interpolation,
    Case,
    Selector,
    Query,
}

impl Construct {
    /// Whether commas separate its elements.
    fn is_list(self) -> bool {
        use Construct::*;
        matches!(self, Resource | Hash | Array | Access | Arguments | Parameters | Selector)
    }
}

/// A mistake: where it is, what is wrong there, and what to write.
#[derive(Default)]
pub(super) struct Mistake {
    /// The text to change; the unexpected token itself if nothing better is known.
    at: Option<Span>,
    /// The problem, beside the underline.
    what: String,
    /// Advice.
    hint: Option<String>,
    /// Other places that explain it.
    related: Vec<(Span, String)>,
    /// Whether the rest of the text cannot be understood.
    is_fatal: bool,
    /// Whether the construct being read counts as closed here.
    pub closes: bool,
    /// Whether an opening brace is missing, so that a closing one will be left over.
    pub lacks_brace: bool,
}

impl Mistake {
    fn new(what: impl Into<String>) -> Mistake {
        Mistake { what: what.into(), ..Mistake::default() }
    }

    fn at(mut self, span: Span) -> Mistake {
        self.at = Some(span);
        self
    }

    fn hint(mut self, hint: impl Into<String>) -> Mistake {
        self.hint = Some(hint.into());
        self
    }

    fn related(mut self, span: Span, says: impl Into<String>) -> Mistake {
        self.related.push((span, says.into()));
        self
    }

    /// The text to change, if it is elsewhere than the unexpected token.
    pub fn place(&self) -> Option<Span> {
        self.at
    }

    /// Explains a syntax error, whose position for Puppet stays as it is. Gives whether the rest of the text makes no sense.
    pub fn explain(self, wrong: &mut Diagnostic) -> bool {
        let token = wrong.span();
        let at = self.at.unwrap_or(token);
        let mut labels = vec![(at, self.what)];
        labels.extend(self.related);
        if at.range() != token.range() {
            wrong.focus = Some(at.into());
            if labels.iter().all(|(span, _)| span.range() != token.range()) {
                labels.push((token, "so this is unexpected".to_owned()));
            }
        }
        labels.retain(|(_, says)| !says.is_empty());
        wrong.labels =
            labels.into_iter().map(|(span, message)| Label { position: span.into(), message }).collect();
        wrong.hints.extend(self.hint);
        self.is_fatal
    }
}

/// How much of a text is quoted in advice.
const LONGEST_QUOTE: usize = 60;

impl Parser<'_> {
    /// The mistake that makes the current token unexpected; `expected` is the only token that could be here, if there is only one.
    pub(super) fn mistake(&self, expected: Option<SyntaxKind>) -> Option<Mistake> {
        self.foreign_character()
            .or_else(|| self.unclosed_text())
            .or_else(|| self.quote_in_text())
            .or_else(|| self.unquoted_text())
            .or_else(|| self.foreign_keyword())
            .or_else(|| self.foreign_operator())
            .or_else(|| self.blank_before_bracket())
            .or_else(|| self.unclosed_bracket(expected))
            .or_else(|| self.surplus_bracket())
            .or_else(|| self.wrong_sign(expected))
            .or_else(|| self.missing_title_end(expected))
            .or_else(|| self.odd_parameter(expected))
            .or_else(|| self.missing_comma())
            .or_else(|| self.missing_value())
            .or_else(|| self.missing_brace(expected))
            .or_else(|| self.keyword_as_name(expected))
            .or_else(|| self.anything_else(expected))
    }

    fn construct(&self) -> Option<Construct> {
        self.open.last().map(|(construct, _)| *construct)
    }

    /// The last token of the grammar before a token; the text of heredocs does not count.
    pub(super) fn before(&self, mut index: usize) -> Option<usize> {
        loop {
            index = index.checked_sub(1)?;
            match self.tokens.kinds[index] {
                HeredocEnd => {
                    let end = index as u32 + 1;
                    let body = self.tokens.heredocs.iter().find(|heredoc| heredoc.tokens.1 == end)?;
                    index = body.tokens.0 as usize;
                }
                kind if kind > HeredocEnd => return Some(index),
                _ => {}
            }
        }
    }

    fn kind_before(&self) -> Option<SyntaxKind> {
        Some(self.tokens.kinds[self.before(self.at)?])
    }

    fn after_operand(&self) -> bool {
        let before = self.kind_before();
        before.is_some_and(|kind| kind.ends_operand() || matches!(kind, RBrace | UndefKw | DefaultKw))
    }

    /// Just after a token.
    fn behind(&self, token: usize) -> Span {
        Span::at(self.tokens.span(token).end)
    }

    /// A token as messages quote it.
    fn quote(&self, token: usize) -> String {
        match self.tokens.kinds[token] {
            Eof => "the end of the file".to_owned(),
            _ => format!("`{}`", shortened(self.token_text(token))),
        }
    }

    /// The line that holds an offset, up to the offset, without its indentation.
    fn line_before(&self, offset: u32) -> &str {
        let text = &self.text[..offset as usize];
        text[text.rfind('\n').map_or(0, |end| end + 1)..].trim_start()
    }

    /// The indentation of the line that holds a token, and whether the token is its first.
    pub(super) fn indentation(&self, token: usize) -> (usize, bool) {
        let start = self.tokens.starts[token] as usize;
        let line = self.text[..start].rfind('\n').map_or(0, |end| end + 1);
        let blanks = self.text[line..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        (blanks, line + blanks == start)
    }

    fn line_number(&self, offset: u32) -> usize {
        self.text[..offset as usize].matches('\n').count() + 1
    }

    /// A character that begins nothing: from a word processor, or from another language.
    fn foreign_character(&self) -> Option<Mistake> {
        let text = self.token_text(self.at);
        let instead = |what: &str, write: &str| Some(Mistake::new(what).hint(format!("write `{write}`")));
        let next = self.text[self.token_span().end as usize..].chars().next();
        match (self.current, text) {
            (Unknown, "‘" | "’" | "‚" | "‛" | "′" | "`") => {
                instead("this is not the quote of a program, which is `'`", "'")
            }
            (Unknown, "“" | "”" | "„" | "‟" | "″" | "«" | "»") => {
                instead("this is not the quote of a program, which is `\"`", "\"")
            }
            (Unknown, "–" | "—" | "−") => instead("this is a dash, not the sign `-`", "-"),
            (Unknown, "→" | "⇒") => instead("this arrow is one character", "=>"),
            (Unknown, "…") => instead("this is one character, not three dots", "..."),
            (Unknown, "≠") => instead("this is not an operator", "!="),
            (Unknown, "≤") => instead("this is not an operator", "<="),
            (Unknown, "≥") => instead("this is not an operator", ">="),
            (Unknown, "\u{200b}" | "\u{200c}" | "\u{200d}" | "\u{2060}" | "\u{feff}") => {
                Some(Mistake::new("an invisible character is here").hint("delete it"))
            }
            (Ampersand, _) if next == Some('&') => {
                let end = self.token_span().end + 1;
                Some(
                    Mistake::new("Puppet has no `&&`")
                        .at(Span::new(self.token_span().start, end))
                        .hint("write `and`"),
                )
            }
            (Pipe, _) if next == Some('|') && self.after_operand() => {
                let end = self.token_span().end + 1;
                Some(
                    Mistake::new("Puppet has no `||`")
                        .at(Span::new(self.token_span().start, end))
                        .hint("write `or`"),
                )
            }
            (Unknown | Ampersand, text) => {
                let what = format!("the character `{}` begins nothing in Puppet", text.escape_debug());
                match self.bare_text() {
                    Some(span) => Some(self.unquoted(span)),
                    None => Some(Mistake::new(what).hint("quote it if it is text")),
                }
            }
            _ => None,
        }
    }

    /// A quoted text of several lines directly before the token was meant to end on its first line: its closing quote opens another.
    fn unclosed_text(&self) -> Option<Mistake> {
        let before = self.before(self.at)?;
        let opening = match self.tokens.kinds[before] {
            SqString | DqString => before,
            DqEnd => self.string_start(before)?,
            _ => return None,
        };
        let start = self.tokens.starts[opening];
        let text = &self.text[start as usize..self.tokens.span(before).end as usize];
        let (first_line, _) = text.split_once('\n')?;
        // After a text of several lines that is meant, what follows is not glued to its closing quote.
        if self.tokens.span(before).end != self.tokens.starts[self.at] && !self.begins_text() {
            return None;
        }
        let quote = &first_line[..1];
        let closing = Span::new(self.tokens.span(before).end - 1, self.tokens.span(before).end);
        let mistake = Mistake::new(format!("this quote is not closed with `{quote}` on its line"))
            .at(Span::new(start, start + 1))
            .related(closing, "so the text ends here, where another should begin");
        let mut mistake = match quoted_part(&first_line[1..]) {
            Some(part) => mistake.hint(format!("write `{quote}{}{quote}`", shortened(part))),
            None => mistake.hint(format!("add the missing `{quote}`")),
        };
        mistake.is_fatal = true;
        Some(mistake)
    }

    /// Whether the current token could be the beginning of what was meant to be in quotes.
    fn begins_text(&self) -> bool {
        self.current.is_operand() || matches!(self.current, Slash | Percent | Dot | Unknown)
    }

    /// The `DqStart` of a text that ends with the token.
    fn string_start(&self, end: usize) -> Option<usize> {
        let mut depth = 0;
        for index in (0..=end).rev() {
            match self.tokens.kinds[index] {
                DqEnd => depth += 1,
                DqStart => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(index);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// A quote inside of quoted text ends it: `'it's'`.
    fn quote_in_text(&self) -> Option<Mistake> {
        let before = self.before(self.at)?;
        let quote = match self.tokens.kinds[before] {
            SqString => "'",
            DqString | DqEnd => "\"",
            _ => return None,
        };
        let end = self.tokens.span(before).end;
        let is_glued = end == self.tokens.starts[self.at] && (self.begins_text() || self.current == Word);
        if !is_glued {
            return None;
        }
        let other = if quote == "'" { "\"" } else { "'" };
        let rest = self.text[end as usize..].lines().next().unwrap_or("");
        let mistake = Mistake::new(format!("this `{quote}` ends the text"))
            .at(Span::new(end - 1, end))
            .related(self.tokens.span(self.at), "this is outside of the quotes");
        let mut mistake = match rest.contains(quote) {
            true => mistake.hint(format!(
                "write `\\{quote}` for a quote inside of the text, or put the text between `{other}`"
            )),
            false => mistake,
        };
        mistake.is_fatal = true;
        Some(mistake)
    }

    /// Text with signs in it, which only quotes make one value: a path, a version, an address.
    fn unquoted_text(&self) -> Option<Mistake> {
        self.bare_text().map(|span| self.unquoted(span))
    }

    fn unquoted(&self, span: Span) -> Mistake {
        let word = shortened(&self.text[span.range()]);
        Mistake::new("text like this must be quoted").at(span).hint(format!("write `'{word}'`"))
    }

    /// Advice to quote the word that a token is part of.
    pub(super) fn quoted_hint(&self, token: usize) -> Option<String> {
        self.unquoted(self.bare_text_at(token)?).hint
    }

    fn bare_text(&self) -> Option<Span> {
        self.bare_text_at(self.at)
    }

    /// The bare word with signs in it that a token is part of.
    fn bare_text_at(&self, token: usize) -> Option<Span> {
        const STOPS: &[char] =
            &['\'', '"', '{', '}', '(', ')', '[', ']', ',', ';', '$', '=', '|', '<', '>', '?', '!', '#'];
        let is_stop = |c: char| c.is_whitespace() || STOPS.contains(&c);
        let at = self.tokens.starts[token] as usize;
        let before = &self.text[..at];
        let start = before
            .rfind(is_stop)
            .map_or(0, |stop| stop + before[stop..].chars().next().map_or(1, char::len_utf8));
        let rest = &self.text[start..];
        let word = &rest[..rest.find(is_stop).unwrap_or(rest.len())];
        let word = word.trim_end_matches([':', '.', '-', '+', '*', '%', '&', '~', '@']);
        // What is glued to quotes, brackets or a variable is part of another value.
        let is_free = self.text[..start]
            .chars()
            .next_back()
            .is_none_or(|c| c.is_whitespace() || matches!(c, '{' | '(' | '[' | ',' | ';' | '>' | '=' | '|'));
        let goes_on = rest[word.len()..].chars().next();
        let is_whole =
            goes_on.is_none_or(|c| c.is_whitespace() || matches!(c, ',' | ';' | ':' | ')' | ']' | '}'));
        let begins = word.starts_with(|c: char| {
            c.is_alphanumeric() || matches!(c, '/' | '.' | '*' | '~' | '%' | '@' | '\\')
        });
        let has_letter = word.contains(char::is_alphanumeric);
        let sign = word.contains(['/', '.', '-', '@', '\\', '~', '%', '*', '&', '+'])
            || word.contains("::/")
            || { word.starts_with(|c: char| c.is_ascii_digit()) && word.contains(char::is_alphabetic) };
        let inside = at < start + word.len();
        (is_free && is_whole && begins && has_letter && sign && inside)
            .then(|| Span::new(start as u32, (start + word.len()) as u32))
    }

    /// Keywords of other languages.
    fn foreign_keyword(&self) -> Option<Mistake> {
        let opening = self.open.last().map(|(_, opening)| *opening);
        let word = self.misspelt_elsif(self.at).or_else(|| self.misspelt_elsif(opening?));
        if let Some(word) = word {
            let written = self.token_text(word);
            return Some(
                Mistake::new(format!("Puppet has no `{written}`"))
                    .at(self.tokens.span(word))
                    .hint("write `elsif`"),
            );
        }
        let before = self.before(self.at)?;
        if self.current == IfKw && self.tokens.kinds[before] == ElseKw {
            let span = self.tokens.span(before).cover(self.tokens.span(self.at));
            return Some(Mistake::new("another condition is one word").at(span).hint("write `elsif`"));
        }
        match self.current {
            ElsifKw => Some(
                Mistake::new("this does not follow the block of an `if`")
                    .hint("`elsif` follows the block of an `if`; `unless` has only `else`"),
            ),
            ElseKw => Some(
                Mistake::new("no `if` or `unless` is before this")
                    .hint("`else` follows the `}` of an `if` or `unless`, once"),
            ),
            Name if matches!(self.token_text(self.at), "then" | "do" | "begin") && self.after_operand() => {
                let word = self.token_text(self.at);
                Some(
                    Mistake::new(format!("Puppet has no `{word}`"))
                        .hint("write `{` here, and `}` at the end of the block"),
                )
            }
            Pipe if self.token_text(before) == "do" => Some(
                Mistake::new("Puppet has no `do`")
                    .at(self.tokens.span(before))
                    .hint("delete it, and write the block as `|$x| { … }`"),
            ),
            _ if self.tokens.kinds[before] == Name
                && self.token_text(before) == "not"
                && self.begins_text() =>
            {
                let operand = self.token_text(self.at);
                Some(
                    Mistake::new("Puppet has no `not`")
                        .at(self.tokens.span(before))
                        .hint(format!("write `!{operand}`")),
                )
            }
            _ => None,
        }
    }

    /// Operators of other languages, which are two of Puppet's side by side.
    fn foreign_operator(&self) -> Option<Mistake> {
        let before = self.before(self.at)?;
        let span = self.tokens.span(before).cover(self.tokens.span(self.at));
        let operator = &self.text[span.range()];
        let hint = match operator {
            "===" => "write `==`",
            "!==" => "write `!=`",
            "<>" => "write `!=`",
            "=<" => "write `<=`",
            "**" => "multiply as often as needed: `$x * $x`",
            "++" | "--" => "values never change: write `$x + 1`, and give it a new name",
            "*=" | "/=" | "%=" | ".=" | "|=" => {
                "values never change: write the operation, and give its result a new name"
            }
            ":=" => "write `=`",
            _ => return None,
        };
        Some(Mistake::new(format!("Puppet has no `{operator}`")).at(span).hint(hint))
    }

    /// A blank before the bracket of an access or a reference: `File ['/a']` is two expressions.
    fn blank_before_bracket(&self) -> Option<Mistake> {
        let before = self.before(self.at)?;
        let (end, start) = (self.tokens.span(before).end, self.tokens.starts[self.at]);
        let is_blank = start > end && !self.text[end as usize..start as usize].contains(['\n', '#']);
        if self.current != ListStart || !matches!(self.tokens.kinds[before], TypeName | Variable) || !is_blank
        {
            return None;
        }
        let mistake = Mistake::new("after a blank, `[` begins a list");
        Some(mistake.hint(format!("write `{}[` without the blank", self.token_text(before))))
    }

    /// The word that another language spells `elsif`: it follows the brace of a block on the same line.
    fn misspelt_elsif(&self, from: usize) -> Option<usize> {
        let line = self.text[..self.tokens.starts[from] as usize].rfind('\n').map_or(0, |end| end + 1);
        let mut tokens = (0..=from).rev().filter(|index| self.tokens.kinds[*index] > HeredocEnd);
        let on_line = |index: &usize| self.tokens.starts[*index] as usize >= line;
        let word = tokens.by_ref().take_while(on_line).find(|index| {
            self.tokens.kinds[*index] == Name
                && matches!(self.token_text(*index), "elseif" | "elif" | "elsif" | "elsef" | "elseIf")
        })?;
        let is_after_block = tokens.next().is_some_and(|index| self.tokens.kinds[index] == RBrace);
        is_after_block.then_some(word)
    }

    /// The hint for the attributes of something other than a resource, should it be `elseif`.
    pub(super) fn elsif_hint(&self) -> Option<String> {
        self.misspelt_elsif(self.at)
            .map(|word| format!("`{}` is written `elsif` in Puppet", self.token_text(word)))
    }

    /// A bracket that is closed nowhere, or by the bracket of another.
    fn unclosed_bracket(&self, expected: Option<SyntaxKind>) -> Option<Mistake> {
        let brackets = Brackets::scan(self);
        let innermost = *brackets.open.last()?;
        let unclosed = |opening: usize| {
            let sign = self.token_text(opening);
            let closer = closer_of(self.tokens.kinds[opening]);
            let mut mistake = Mistake::new(format!("this `{sign}` is not closed"))
                .at(self.tokens.span(opening))
                .hint(format!("a `{closer}` is missing{}", self.before_line(opening)));
            mistake.closes = true;
            mistake
        };
        let misled = brackets.misled.filter(|(opening, _)| *opening > innermost);
        // What is between the brackets of an access is on one line.
        let line = |offset: u32| self.line_number(offset);
        let access = self.open.iter().rev().find(|(construct, _)| *construct == Construct::Access);
        if let Some((_, opening)) = access
            && brackets.open.contains(opening)
            && line(self.tokens.starts[*opening]) < line(self.tokens.starts[self.at])
        {
            let mut mistake = unclosed(*opening);
            // The brace of a block was read as that of a resource.
            mistake.lacks_brace = self.construct() == Some(Construct::Resource);
            return Some(mistake);
        }
        match self.current {
            Eof => match misled {
                Some((opening, closing)) => {
                    let line = self.line_number(self.tokens.starts[innermost]);
                    let says = format!("by its indentation this closes the bracket of line {line}");
                    Some(unclosed(opening).related(self.tokens.span(closing), says))
                }
                None => Some(unclosed(innermost)),
            },
            RParen | RBracket | RBrace | InterpolationClose => {
                let own = self.tokens.kinds[innermost];
                let closer = closer_of(own);
                if closer == self.token_text(self.at) {
                    return None;
                }
                let is_below = brackets
                    .open
                    .iter()
                    .any(|open| closer_of(self.tokens.kinds[*open]) == self.token_text(self.at));
                if is_below {
                    let (opening, says) = match misled {
                        Some((opening, _)) => (opening, String::new()),
                        None => (innermost, format!("`{closer}` must come before this")),
                    };
                    return Some(unclosed(opening).related(self.tokens.span(self.at), says));
                }
                Some(
                    Mistake::new(format!("expected `{closer}`, got {}", self.quote(self.at)))
                        .related(self.tokens.span(innermost), format!("`{closer}` closes this"))
                        .hint(format!("write `{closer}`")),
                )
            }
            LBrace
                if self.construct() == Some(Construct::Parameters)
                    && self.after_operand()
                    && !self.is_lambda() =>
            {
                Some(unclosed(innermost).related(self.tokens.span(self.at), "the block begins here"))
            }
            _ => {
                // A new statement has begun, at the indentation of the line with the opening bracket or further left.
                let first = match self.indentation(self.at) {
                    (_, true) => self.at,
                    _ => self.before(self.at).filter(|before| self.indentation(*before).1)?,
                };
                let begins = self.tokens.kinds[first].begins_statement();
                let is_block = self.construct() == Some(Construct::Block) || self.open.is_empty();
                let (own, opener) = (self.indentation(first).0, self.indentation(innermost).0);
                if !begins || is_block || own > opener {
                    return None;
                }
                if expected == Some(Colon) && first != self.at {
                    return None;
                }
                let says = "a new statement begins here";
                let opening = misled.map_or(innermost, |(opening, _)| opening);
                Some(unclosed(opening).related(self.tokens.span(first), says))
            }
        }
    }

    /// Where the bracket that closes another is missing, if the indentation tells: before the first line that is not further to the right.
    fn before_line(&self, opening: usize) -> String {
        let (own, _) = self.indentation(opening);
        let start = self.tokens.starts[opening];
        let rest = &self.text[start as usize..];
        let first = self.line_number(start);
        let is_back = |line: &str| {
            let blanks = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let closes = line.trim_start().starts_with(['}', ')', ']']);
            !line.trim().is_empty() && (blanks < own || blanks == own && !closes)
        };
        match rest.lines().enumerate().skip(1).find(|(_, line)| is_back(line)) {
            Some((skipped, _)) => format!(" before line {}", first + skipped),
            None => String::new(),
        }
    }

    /// A closing bracket that closes nothing; by the indentation, one before it closed too much.
    fn surplus_bracket(&self) -> Option<Mistake> {
        if !matches!(self.current, RParen | RBracket | RBrace) {
            return None;
        }
        let brackets = Brackets::scan(self);
        let is_open = |open: &usize| closer_of(self.tokens.kinds[*open]) == self.token_text(self.at);
        if brackets.open.iter().any(is_open) {
            return None;
        }
        let sign = self.token_text(self.at);
        match brackets.early.filter(|(closing, _)| self.tokens.kinds[*closing] == self.current) {
            Some((closing, opening)) => {
                let line = self.line_number(self.tokens.starts[opening]);
                Some(
                    Mistake::new(format!("this `{sign}` closes the bracket of line {line}"))
                        .at(self.tokens.span(closing))
                        .related(self.tokens.span(opening), "this is closed too early")
                        .related(self.tokens.span(self.at), "so nothing is left for this to close")
                        .hint(format!("delete the `{sign}` that is one too many")),
                )
            }
            None => Some(
                Mistake::new(format!("this `{sign}` closes nothing"))
                    .hint(format!("delete it, or write the `{}` it should close", opener_of(self.current))),
            ),
        }
    }

    /// One of `=`, `:`, `=>`, `->` and the like where another of them belongs.
    fn wrong_sign(&self, expected: Option<SyntaxKind>) -> Option<Mistake> {
        let is_sign = matches!(
            self.current,
            Equals
                | Colon
                | FatArrow
                | Before
                | Notify
                | EqualsEquals
                | GreaterEquals
                | PlusArrow
                | Match
                | Question
        );
        if !is_sign {
            return None;
        }
        let before = self.before(self.at)?;
        let (left, sign) = (self.quote(before), self.token_text(self.at));
        let left = left.trim_matches('`');
        let right = self.significant(self.at + 1);
        let right = match self.tokens.kinds[right] {
            kind if kind.is_operand() => self.quote(right).trim_matches('`').to_owned(),
            _ => "…".to_owned(),
        };
        let instead = |wanted: &str, example: String| {
            Some(
                Mistake::new(format!("expected `{wanted}`, got `{sign}`")).hint(format!("write `{example}`")),
            )
        };
        match (self.construct(), self.current) {
            (Some(Construct::Resource), Equals | Before | EqualsEquals | GreaterEquals | Colon | Match)
                if expected == Some(FatArrow) =>
            {
                instead("=>", format!("{left} => {right}"))
            }
            (Some(Construct::Resource), FatArrow | Equals) if expected == Some(Colon) => {
                instead(":", format!("{left}:"))
            }
            (Some(Construct::Hash), Colon | Equals | Before | EqualsEquals | GreaterEquals)
                if expected == Some(FatArrow) =>
            {
                instead("=>", format!("{left} => {right}"))
            }
            (Some(Construct::Selector), Colon | Equals | Before) if expected == Some(FatArrow) => {
                instead("=>", format!("{left} => {right}"))
            }
            (Some(Construct::Case), FatArrow | Equals | Before) if expected == Some(Colon) => {
                instead(":", format!("{left}: {{ … }}"))
            }
            (Some(Construct::Parameters), FatArrow | Colon | EqualsEquals) => {
                instead("=", format!("{left} = {right}"))
            }
            (_, Equals) if self.after_operand() && expected == Some(LBrace) => {
                instead("==", format!("{left} == {right}"))
            }
            (Some(Construct::Paren | Construct::Arguments | Construct::Interpolation), Equals)
                if self.after_operand() =>
            {
                instead("==", format!("{left} == {right}"))
            }
            (Some(Construct::Query), Equals | FatArrow) => instead("==", format!("{left} == {right}")),
            (None | Some(Construct::Block), FatArrow | Colon) if self.tokens.kinds[before] == Variable => {
                instead("=", format!("{left} = {right}"))
            }
            (Some(Construct::Array | Construct::Access | Construct::Arguments), Colon | Equals) => {
                instead("=>", format!("{left} => {right}"))
            }
            (_, FatArrow) if self.tokens.kinds[before].is_keyword() => Some(
                Mistake::new("a keyword cannot be a key as it is")
                    .at(self.tokens.span(before))
                    .hint(format!("write `'{left}' => {right}`")),
            ),
            (None | Some(Construct::Block), Colon)
                if self.before(before).is_some_and(|name| self.tokens.kinds[name] == Name) =>
            {
                let name = self.token_text(self.before(before)?);
                Some(
                    Mistake::new("the title of a resource comes after the `{`")
                        .at(self.tokens.span(before))
                        .hint(format!("write `{name} {{ {left}:`")),
                )
            }
            (_, Colon) if self.before(before).is_some_and(|sign| self.tokens.kinds[sign] == Question) => {
                Some(
                    Mistake::new("expected `=>`, got `:`")
                        .hint(format!("write `? {{ true => {left}, default => {right} }}`")),
                )
            }
            (None | Some(Construct::Block), FatArrow) => Some(
                Mistake::new("`=>` belongs between the braces of a resource or hash")
                    .hint("a brace may be missing before this, or one too many be there"),
            ),
            _ => None,
        }
    }

    /// The title of a resource without its colon.
    fn missing_title_end(&self, expected: Option<SyntaxKind>) -> Option<Mistake> {
        if expected != Some(Colon) || self.construct() != Some(Construct::Resource) {
            return None;
        }
        let title = self.before(self.at)?;
        let start = match self.tokens.kinds[title] {
            DqEnd => self.string_start(title)?,
            _ => title,
        };
        let text = &self.text[self.tokens.starts[start] as usize..self.tokens.span(title).end as usize];
        if self.current == Comma {
            return Some(
                Mistake::new("expected `:` after the title, got `,`")
                    .hint(format!("several titles are a list: `[{}, …]:`", shortened(text))),
            );
        }
        Some(
            Mistake::new("expected `:` after the title")
                .at(self.behind(title))
                .hint(format!("write `{}:`", shortened(text))),
        )
    }

    /// Mistakes in the parameters of a class, define, function or lambda.
    fn odd_parameter(&self, expected: Option<SyntaxKind>) -> Option<Mistake> {
        if self.construct() != Some(Construct::Parameters) {
            return None;
        }
        let before = self.kind_before();
        let text = self.token_text(self.at);
        let begins = matches!(before, Some(LParen | LineLParen | Comma | Pipe));
        match self.current {
            Name if begins && self.next() == Variable => {
                let name = capitalized(text);
                Some(
                    Mistake::new("the name of a type begins with an upper-case letter")
                        .hint(format!("write `{name}`")),
                )
            }
            Name if begins || before == Some(TypeName) || before == Some(RBracket) => {
                Some(Mistake::new("the name of a parameter begins with `$`").hint(format!("write `${text}`")))
            }
            LBrace if self.is_lambda() => {
                let (_, opening) = self.open.last()?;
                let before = self.before(self.at)?;
                Some(
                    Mistake::new("this `|` is not closed")
                        .at(self.tokens.span(*opening))
                        .hint(format!("write `{}|`", self.line_before(self.tokens.span(before).end))),
                )
            }
            Comma | RParen | Pipe if expected == Some(Variable) && !begins => {
                Some(Mistake::new("expected the name of a parameter").hint("a parameter is `Type $name`"))
            }
            _ => None,
        }
    }

    /// Whether the parameters being read are those of a lambda.
    fn is_lambda(&self) -> bool {
        self.open.last().is_some_and(|(_, opening)| self.tokens.kinds[*opening] == Pipe)
    }

    /// Two elements of a list without a comma.
    fn missing_comma(&self) -> Option<Mistake> {
        let construct = self.construct()?;
        let begins = self.current.is_operand()
            || matches!(self.current, DqStart | ListStart | LBrace)
            || self.current.is_attribute_keyword() && self.next() == FatArrow;
        if !construct.is_list() || !self.after_operand() || !begins {
            return None;
        }
        // After the title of a resource and before the value of an attribute there are other signs.
        if construct == Construct::Resource && !matches!(self.next(), FatArrow | PlusArrow) {
            return None;
        }
        let before = self.before(self.at)?;
        let end = self.tokens.span(before).end;
        let line = self.line_before(end);
        let mistake = Mistake::new("expected `,` here").at(Span::at(end));
        let is_own_line = self.indentation(self.at).1;
        Some(match is_own_line && !line.is_empty() && line.chars().count() <= LONGEST_QUOTE {
            true => mistake.hint(format!("write `{line},`")),
            false if self.tokens.kinds[before].is_operand() => {
                let (left, right) = (self.quote(before), self.quote(self.at));
                mistake.hint(format!("write `{}, {}`", left.trim_matches('`'), right.trim_matches('`')))
            }
            false => mistake,
        })
    }

    /// A sign without anything after it.
    fn missing_value(&self) -> Option<Mistake> {
        let before = self.before(self.at)?;
        let sign = self.tokens.kinds[before];
        let ends = matches!(
            self.current,
            RBrace
                | RParen
                | RBracket
                | Comma
                | Semicolon
                | InterpolationClose
                | EppRenderClose
                | Eof
                | FatArrow
                | Colon
        ) || self.indentation(self.at).1;
        let needs_value = matches!(
            sign,
            FatArrow
                | PlusArrow
                | Equals
                | PlusEquals
                | MinusEquals
                | EqualsEquals
                | NotEquals
                | Match
                | NoMatch
                | Less
                | LessEquals
                | Greater
                | GreaterEquals
                | ShiftLeft
                | ShiftRight
                | Plus
                | Minus
                | Star
                | Slash
                | Percent
                | Bang
                | Before
                | Notify
                | After
                | Subscribe
                | AndKw
                | OrKw
                | InKw
                | Question
                | Comma
        );
        if !ends || !needs_value {
            return match (sign, self.current) {
                (Semicolon, RBrace) => Some(
                    Mistake::new("nothing follows this `;`")
                        .at(self.tokens.span(before))
                        .hint("delete the `;`"),
                ),
                (Dot, _) => Some(
                    Mistake::new("expected the name of a function after `.`")
                        .hint("a function that is called on a value is `$value.name`"),
                ),
                _ => None,
            };
        }
        let what = match sign {
            Before | Notify | After | Subscribe => "a resource is missing after",
            _ => "a value is missing after",
        };
        let sign_text = self.token_text(before);
        let mistake = Mistake::new(format!("{what} `{sign_text}`")).at(self.tokens.span(before));
        Some(match sign {
            Comma => mistake.hint("delete the `,`, or write what should follow it"),
            _ => mistake,
        })
    }

    /// A block without its opening brace.
    fn missing_brace(&self, expected: Option<SyntaxKind>) -> Option<Mistake> {
        if expected != Some(LBrace) {
            return None;
        }
        let before = self.before(self.at)?;
        let mistake = match self.current {
            Colon | Semicolon => Mistake::new(format!("expected `{{`, got {}", self.quote(self.at))),
            _ => Mistake::new("expected `{` here").at(self.behind(before)),
        };
        let line = self.line_before(self.tokens.span(before).end);
        let mut mistake = match line.chars().count() <= LONGEST_QUOTE {
            true => mistake.hint(format!("write `{line} {{`")),
            false => mistake,
        };
        mistake.lacks_brace = true;
        Some(mistake)
    }

    /// A keyword where a name belongs.
    fn keyword_as_name(&self, expected: Option<SyntaxKind>) -> Option<Mistake> {
        if !self.current.is_keyword() || self.after_operand() {
            return None;
        }
        let text = self.token_text(self.at);
        let defines = match self.kind_before() {
            Some(ClassKw) => Some("a class"),
            Some(DefineKw) => Some("a defined type"),
            Some(FunctionKw) => Some("a function"),
            Some(PlanKw) => Some("a plan"),
            Some(TypeKw) => Some("a type"),
            _ => None,
        };
        let mistake = Mistake::new(format!("`{text}` is a keyword"));
        Some(match (defines, expected) {
            (Some(what), _) if self.current == DefaultKw => mistake
                .hint(format!("give {what} another name; only a node can be `default`: `node default {{`")),
            (Some(what), _) => mistake.hint(format!("give {what} another name, such as `{text}_`")),
            (None, Some(_)) => mistake,
            (None, None) => mistake.hint(format!("quote it if it is text: `'{text}'`")),
        })
    }

    fn anything_else(&self, expected: Option<SyntaxKind>) -> Option<Mistake> {
        if let (At, TypeName | Name) = (self.kind_before().unwrap_or(Eof), self.current)
            && self.tokens.starts[self.at].checked_sub(1)
                == self.before(self.at).map(|at| self.tokens.starts[at])
        {
            let tag = self.token_text(self.at);
            return Some(
                Mistake::new("the name of a heredoc is between parentheses")
                    .hint(format!("write `@({tag})`")),
            );
        }
        let got = self.quote(self.at);
        let after_operand = self.after_operand();
        let defines = self
            .kind_before()
            .filter(|kind| matches!(kind, ClassKw | DefineKw | FunctionKw | PlanKw | TypeKw | NodeKw));
        if defines.is_some() {
            return Some(Mistake::new(format!("expected a name, got {got}")));
        }
        match (expected, self.current) {
            (Some(EppRenderClose), _) => {
                let before = self.before(self.at)?;
                let mut mistake = Mistake::new("expected `%>` here")
                    .at(self.behind(before))
                    .hint("close what `<%=` opens with `%>`");
                mistake.is_fatal = true;
                Some(mistake)
            }
            (_, Pipe) if !after_operand && self.tokens.kinds[..self.at].contains(&EppText) => {
                Some(Mistake::new("text comes before these parameters").hint(
                    "the parameters of a template are the first thing in it: `<%- | String $name | -%>`",
                ))
            }
            (Some(FatArrow), _) => Some(Mistake::new(format!("expected `=>`, got {got}"))),
            (Some(kind), _) if sign_of(kind).is_some() => {
                Some(Mistake::new(format!("expected `{}`, got {got}", sign_of(kind)?)))
            }
            (_, Colon) if after_operand => Some(
                Mistake::new("nothing here can have a `:` after it")
                    .hint("a `:` follows the title of a resource or the value of a case option"),
            ),
            (_, Equals) if after_operand => Some(
                Mistake::new("this cannot be assigned to")
                    .hint("`==` compares, `=>` gives an attribute its value"),
            ),
            (_, kind)
                if after_operand && (kind.is_operand() || matches!(kind, DqStart | ListStart | LBrace)) =>
            {
                let before = self.before(self.at)?;
                Some(
                    Mistake::new(format!("expected an operator, a comma or a bracket before {got}"))
                        .related(self.tokens.span(before), ""),
                )
            }
            _ => None,
        }
    }
}

impl SyntaxKind {
    /// Whether a statement can begin with it.
    fn begins_statement(self) -> bool {
        matches!(
            self,
            Name | TypeName
                | Variable
                | IfKw
                | UnlessKw
                | CaseKw
                | ClassKw
                | DefineKw
                | NodeKw
                | FunctionKw
                | TypeKw
                | At
                | AtAt
                | PlanKw
                | PrivateKw
        )
    }
}

fn opener_of(closer: SyntaxKind) -> &'static str {
    match closer {
        RParen => "(",
        RBracket => "[",
        _ => "{",
    }
}

/// A token that is always written the same.
fn sign_of(kind: SyntaxKind) -> Option<&'static str> {
    Some(match kind {
        RParen => ")",
        RBracket => "]",
        RBrace | InterpolationClose => "}",
        LBrace => "{",
        Colon => ":",
        Equals => "=",
        Comma => ",",
        Pipe => "|",
        CollectClose => "|>",
        ExportedCollectClose => "|>>",
        EppRenderClose => "%>",
        _ => return None,
    })
}

fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The beginning of a text, on one line.
fn shortened(text: &str) -> &str {
    let line = text.lines().next().unwrap_or("");
    line.char_indices().nth(LONGEST_QUOTE).map_or(line, |(end, _)| &line[..end])
}

/// The part of a line after an opening quote that was probably meant to be in quotes: up to the arrow, comma, colon or bracket that goes
/// on with the program.
fn quoted_part(rest: &str) -> Option<&str> {
    let end = [" =>", ", ", " ? ", " ->", " {"]
        .iter()
        .filter_map(|sign| rest.find(sign))
        .min()
        .unwrap_or(rest.len());
    let part = rest[..end].trim_end().trim_end_matches([',', ';', ':', '{', '}', '(', ')', ']', ' ']);
    (!part.is_empty()).then_some(part)
}
