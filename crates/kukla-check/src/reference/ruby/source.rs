//! Ruby code as YARD sees it: the text of expressions, and the comments that belong to statements.
//!
//! puppet-strings prints the text of expressions, not their values, and takes that text from positions that YARD computes. Where these
//! are inexact (after a here-document that begins in the middle of a line), the text is, too; published references have it.

use std::sync::OnceLock;

use kukla::syntax::Span;
use kukla_ruby::outline::{Expr, Node, Outline, Part};
use regex::Regex;
use rustc_hash::FxHashMap;

/// The code of a file.
pub struct Code<'t> {
    /// The text.
    pub text: &'t str,
    /// Its outline.
    pub outline: &'t Outline,
    heredocs: Vec<Heredoc>,
    /// The comments of statements, by the position of the statement.
    comments: FxHashMap<u32, Comment>,
}

/// A comment.
#[derive(Clone, Debug)]
pub struct Comment {
    /// The text without its markers.
    pub text: String,
    /// The line it begins on.
    pub line: u32,
}

struct Heredoc {
    /// The position of `<<-NAME`.
    opening: Span,
    /// The end of the line of the opening.
    line_end: u32,
    /// The length of the body with the line that closes it.
    body: u32,
}

impl<'t> Code<'t> {
    /// Prepares a text.
    pub fn new(text: &'t str, outline: &'t Outline) -> Code<'t> {
        let mut code =
            Code { text, outline, heredocs: heredocs(text, outline), comments: FxHashMap::default() };
        let mut pending = line_comments(text, outline);
        if !pending.is_empty() {
            code.attach(outline.body(), true, &mut pending);
        }
        code
    }

    /// The comment of a statement.
    pub fn comment(&self, statement: &Node) -> Option<&Comment> {
        self.comments.get(&statement.span.start)
    }

    /// The text of an expression.
    pub fn source(&self, node: &Node) -> &'t str {
        let Span { start, end, .. } = node.span;
        if start == end {
            return "";
        }
        let body =
            self.heredocs.iter().find(|heredoc| heredoc.opening == node.span).map_or(0, |one| one.body);
        self.slice(self.place(start) as usize, (self.place(end - 1) + 1 + body) as usize)
    }

    /// A part of the text, cut where characters begin.
    fn slice(&self, start: usize, end: usize) -> &'t str {
        let boundary = |mut at: usize| {
            at = at.min(self.text.len());
            while !self.text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (start, end) = (boundary(start), boundary(end));
        self.text.get(start..end.max(start)).unwrap_or_default()
    }

    /// A position as YARD counts it: the rest of a line follows the here-documents that begin on it.
    fn place(&self, offset: u32) -> u32 {
        let before =
            self.heredocs.iter().filter(|heredoc| heredoc.opening.end <= offset && offset < heredoc.line_end);
        offset + before.map(|heredoc| heredoc.body).sum::<u32>()
    }

    /// The text of a literal; `None` for other expressions.
    pub fn string(&self, node: &Node) -> Option<String> {
        let written = self.text.get(node.span.range())?;
        match &node.expr {
            Expr::Regexp(..) => Some(self.source(node).to_owned()),
            Expr::Symbol(parts) => {
                let (colon, rest) = written.strip_prefix(':').map_or((0, written), |rest| (1, rest));
                if rest.starts_with(['"', '\'']) {
                    let quoted = Span::new(node.span.start + colon, node.span.end);
                    return Some(
                        self.content(quoted, parts)?.unwrap_or_else(|| self.source(node).to_owned()),
                    );
                }
                let mut source = self.source(node).chars();
                if colon == 0 {
                    source.next_back()
                } else {
                    source.next()
                };
                Some(source.as_str().to_owned())
            }
            Expr::Text(parts) if written.starts_with(['"', '\'']) => {
                Some(self.content(node.span, parts)?.unwrap_or_else(|| self.source(node).to_owned()))
            }
            Expr::Text(_) => Some(heredoc_content(self.source(node))),
            _ => None,
        }
    }

    /// The text of a literal, or that of any other expression as it is written.
    pub fn string_or_source(&self, node: &Node) -> String {
        match &node.expr {
            Expr::Splat(list) => self.string_or_source(list),
            _ => self.string(node).unwrap_or_else(|| self.source(node).to_owned()),
        }
    }

    /// The first literal text in a quoted string. `None` for several strings after each other, `Some(None)` without literal text.
    fn content(&self, quoted: Span, parts: &[Part]) -> Option<Option<String>> {
        let source = self.text.get(quoted.range())?.trim_end_matches(':');
        let bytes = source.as_bytes();
        let quote = *bytes.first()?;
        let inner = |end: usize| {
            (end > 1).then(|| {
                let (start, end) = (quoted.start + 1, quoted.start + end as u32);
                self.slice(self.place(start) as usize, self.place(end - 1) as usize + 1).to_owned()
            })
        };
        let mut at = 1;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' => at += 2,
                b'#' if quote == b'"' && matches!(bytes.get(at + 1), Some(b'{' | b'@' | b'$')) => {
                    return Some(inner(at).or_else(|| self.first_text(parts)));
                }
                byte if *byte == quote => return (at + 1 == bytes.len()).then(|| inner(at)),
                _ => at += 1,
            }
        }
        Some(inner(bytes.len()))
    }

    /// The first literal text in the parts of a string, also inside of interpolated code.
    fn first_text(&self, parts: &[Part]) -> Option<String> {
        parts.iter().find_map(|part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::Code(code) => {
                let mut found = None;
                code.walk(|node| {
                    if let (None, Expr::Text(_)) = (&found, &node.expr) {
                        found = self.string(node).filter(|text| *text != self.source(node));
                    }
                    found.is_none()
                });
                found
            }
        })
    }

    /// Attaches comments to what they are above or beside. `is_element`: the node is a statement, an argument or an element of a list.
    fn attach(&mut self, node: &'t Node, is_element: bool, pending: &mut Pending) {
        if pending.is_empty() {
            return;
        }
        if let Expr::Sequence(statements) = &node.expr {
            for statement in statements {
                kukla::syntax::deep(|| self.attach(statement, true, pending));
            }
            return;
        }
        let is_modifier = matches!(&node.expr, Expr::If(test, ..) if test.span.start > node.span.start + 8);
        if is_element && !is_modifier && !matches!(node.expr, Expr::Nil) {
            self.attach_here(node.span, pending);
        }
        let text = self.text;
        let mut visit =
            |node: &'t Node, is_element| kukla::syntax::deep(|| self.attach(node, is_element, pending));
        match &node.expr {
            Expr::Call(call) => {
                call.receiver.iter().for_each(|receiver| visit(receiver, false));
                for argument in &call.args {
                    match &argument.expr {
                        Expr::Hash(pairs) if !text[argument.span.range()].starts_with('{') => {
                            for (key, value) in pairs {
                                visit(key, true);
                                visit(value, false);
                            }
                        }
                        _ => visit(argument, true),
                    }
                }
                call.block_argument.iter().for_each(|argument| visit(argument, false));
                if let Some(block) = &call.block {
                    visit(&block.body, true);
                }
            }
            Expr::Array(elements) => elements.iter().for_each(|element| visit(element, true)),
            Expr::Method(method) => visit(&method.code.body, true),
            Expr::Namespace(namespace) => visit(&namespace.body, true),
            Expr::Singleton(body) => visit(body, true),
            Expr::If(test, yes, no) => {
                let parts =
                    if is_modifier { [(yes, true), (test, false)] } else { [(test, false), (yes, true)] };
                parts.into_iter().for_each(|(node, is_element)| visit(node, is_element));
                visit(no, true);
            }
            Expr::Begin(body, rest) | Expr::Case(body, rest) => {
                visit(body, true);
                rest.iter().for_each(|node| visit(node, true));
            }
            _ => {
                let mut children = Vec::new();
                node.each_child(&mut |child| children.push(child));
                children.into_iter().for_each(|child| visit(child, false));
            }
        }
    }

    fn attach_here(&mut self, span: Span, pending: &mut Pending) {
        let line = self.outline.line(span.start);
        let near = [line.saturating_sub(1), line.saturating_sub(2), line];
        let found = near.into_iter().find(|line| pending.get(line).is_some_and(|one| !one.text.is_empty()));
        if let Some(comment) = found.and_then(|line| pending.remove(&line)) {
            self.comments.entry(span.start).or_insert(comment);
        }
        pending.retain(|last, _| *last >= line);
    }
}

/// Comments by their last line.
type Pending = FxHashMap<u32, Comment>;

/// The comments of a text. Lines below each other that begin in the same column are one comment, unless Ruby hands them over
/// [early](is_early).
fn line_comments(text: &str, outline: &Outline) -> Pending {
    let mut pending = Pending::default();
    let mut last_column = None;
    let code_start = outline.body().statements().first().map_or(u32::MAX, |first| first.span.start);
    let mut is_head = true;
    // The line of the last comment, and whether it was early.
    let mut last = None;
    for span in outline.comments() {
        let written = text.get(span.range()).unwrap_or_default();
        if let Some(block) = written.strip_prefix("=begin") {
            let inner = block.split_once('\n').map_or("", |(_, rest)| rest);
            let inner = inner.rfind("=end").map_or(inner, |end| &inner[..end]);
            let last = outline.line(span.start + written.trim_end().len() as u32);
            pending.insert(last, Comment { text: inner.to_owned(), line: outline.line(span.start) + 1 });
            (last_column, is_head) = (None, false);
            continue;
        }
        let written = written.trim_end_matches(['\n', '\r']);
        let (line, column) = (outline.line(span.start), outline.column(span.start));
        let early = match last {
            Some((above, early)) if above + 1 == line => early && column == 0,
            _ => is_early(&text[..span.start as usize]),
        };
        last = Some((line, early));
        is_head &= span.start < code_start;
        if is_head && magic().is_match(written) {
            continue;
        }
        is_head = false;
        let inner = written.trim_start_matches('#');
        let inner = inner.strip_prefix(super::super::docstring::is_space).unwrap_or(inner);
        let before = &text[(span.start - column) as usize..span.start as usize];
        let continues = !early && last_column == Some(column) && before.trim().is_empty();
        last_column = Some(column);
        let above = if continues { pending.remove(&(line - 1)) } else { None };
        let comment = match above {
            Some(above) => Comment { text: format!("{}\n{inner}", above.text), line: above.line },
            None => Comment { text: inner.to_owned(), line },
        };
        pending.insert(line, comment);
    }
    pending
}

/// Whether Ruby hands over a comment before the line break above it, so that YARD looks for it one character too early and
/// keeps each of its lines apart: the comment begins its line without a blank, and the line above ends a statement.
fn is_early(before: &str) -> bool {
    const OPENING: [&str; 8] = ["do", "then", "else", "begin", "ensure", "and", "or", "not"];
    let Some(lines) = before.strip_suffix('\n') else { return false };
    let above = lines.rsplit('\n').next().unwrap_or(lines).trim_end();
    let word = above.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(above);
    above.ends_with(|c: char| c.is_alphanumeric() || "_)]}'\"`/?!".contains(c))
        && !OPENING.contains(&word)
        && above != "=end"
}

/// Comments at the beginning of a file that are meant for Ruby.
fn magic() -> &'static Regex {
    static MAGIC: OnceLock<Regex> = OnceLock::new();
    #[expect(clippy::expect_used, reason = "the pattern is a constant, and tests use it")]
    MAGIC.get_or_init(|| {
        Regex::new(
            r"(?i)^#!\S|^#+.*coding\s*[:=]{1,2}\s*[a-z\d_\-]+|frozen(-|_)string(-|_)literal:\s+(true|false)",
        )
        .expect("the pattern is valid")
    })
}

/// The here-documents of a text.
fn heredocs(text: &str, outline: &Outline) -> Vec<Heredoc> {
    let mut heredocs: Vec<Heredoc> = Vec::new();
    if !text.contains("<<") {
        return heredocs;
    }
    let mut openings: Vec<Span> = Vec::new();
    outline.body().walk(|node| {
        if matches!(node.expr, Expr::Text(_)) && text[node.span.range()].starts_with("<<") {
            openings.push(node.span);
        }
        true
    });
    openings.sort_by_key(|span| span.start);
    // The end of the last here-document: the next one of the same line follows it.
    let (mut last_line, mut last_end) = (None, 0);
    for opening in openings {
        let head = &text[opening.range()];
        let name = head.trim_start_matches(['<', '-', '~']).trim_matches(['"', '\'', '`']);
        let line_end =
            text[opening.end as usize..].find('\n').map_or(text.len(), |at| opening.end as usize + at);
        let start = if last_line == Some(line_end) { last_end } else { (line_end + 1).min(text.len()) };
        let mut end = start;
        for line in text[start..].split_inclusive('\n') {
            end += line.len();
            let line = line.trim_end_matches(['\n', '\r']);
            if line == name || !head.starts_with("<<\"") && line.trim_start() == name {
                break;
            }
        }
        (last_line, last_end) = (Some(line_end), end);
        heredocs.push(Heredoc { opening, line_end: line_end as u32, body: (end - start) as u32 });
    }
    heredocs
}

/// The lines of a here-document between its first and its last line. Other text stays as it is.
fn heredoc_content(source: &str) -> String {
    static START: OnceLock<Regex> = OnceLock::new();
    #[expect(clippy::expect_used, reason = "the pattern is a constant, and tests use it")]
    let start =
        START.get_or_init(|| Regex::new(r#"(?m)^<?<[-~]?['"]?(\w+)['"]?"#).expect("the pattern is valid"));
    let Some(name) = start.captures(source).and_then(|found| found.get(1)) else {
        return source.to_owned();
    };
    let mut lines: Vec<&str> = source.split('\n').collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    if lines.len() < 2 {
        return source.to_owned();
    }
    let mut most = name.as_str().chars();
    most.next_back();
    if lines.last().is_some_and(|last| last.contains(most.as_str())) {
        lines.pop();
    }
    lines.get(1..).unwrap_or_default().join("\n")
}

/// A text as Puppet cleans descriptions: without the indentation that all its lines but the first have, and without blanks at the ends
/// of lines.
pub fn scrub(text: &str) -> String {
    let inner = ["%Q{", "%q{"].iter().find_map(|open| text.strip_prefix(open)?.strip_suffix('}'));
    let text = inner.unwrap_or(text);
    let stripped = super::super::docstring::strip(text);
    if !stripped.contains('\n') {
        return stripped.to_owned();
    }
    let blanks = |line: &str| line.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
    let is_filled = |line: &&str| line[blanks(line)..].starts_with(|c| !super::super::docstring::is_space(c));
    let indent =
        rest.split('\n').filter(is_filled).map(|line| &line[..blanks(line)]).min().unwrap_or_default();
    let lines = text.split('\n').map(|line| {
        let line = line.strip_prefix(indent).unwrap_or(line);
        line.trim_end_matches(|c| super::super::docstring::is_space(c) || c == '\0')
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    text.trim_end_matches(|c| super::super::docstring::is_space(c) || c == '\0').to_owned()
}
