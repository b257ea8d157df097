//! Outlines: Ruby code as data, read without running it.
//!
//! An outline is made once of a text and answers questions about it: what it defines, which names it uses, which calls it makes with
//! which literal arguments, and where. It has a position for every expression, and the comment above a definition.
//!
//! ```
//! use kukla_ruby::outline::Outline;
//!
//! let outline = Outline::new("# Adds one.\ndef increment(n)\n  n + 1\nend\n\nregister :increment,\n  arity: 1\n");
//! let names = outline.names();
//! let definition = &names.definitions[0];
//! assert_eq!((definition.name.as_str(), outline.line(definition.name_span.start)), ("increment", 2));
//! assert_eq!(outline.doc_comment(definition.span).unwrap().text, "Adds one.");
//!
//! let call = outline.body().statements()[1].as_call().unwrap();
//! assert_eq!((call.name.as_str(), call.args[0].literal().as_deref()), ("register", Some("increment")));
//! assert!(call.args[1].entry("arity").is_some());
//! ```

mod build;
mod names;
mod node;

use kukla_syntax::{LineIndex, Span, roomy};
use ruby_prism as prism;

use crate::erb::{self, Trim};
use crate::lower::VERSIONS;
use crate::nesting::{is_endless, parse, with_stack_for};
use build::Builder;
pub use names::{Definition, DefinitionKind, NameUse, Names};
pub use node::{
    Assign, Block, Call, Expr, Method, Namespace, Node, Parameter, ParameterKind, Part, Target, literal,
};

/// The outline of a text: a program, or the code of a template.
#[derive(Debug)]
pub struct Outline {
    body: Node,
    lines: LineIndex,
    /// Comments that have their lines to themselves, in order.
    comments: Vec<DocComment>,
    /// The positions of all comments.
    comment_spans: Vec<Span>,
    has_errors: bool,
    syntax_error: Option<SyntaxError>,
}

/// The first error of a text that no accepted version of Ruby can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The position: of the keyword that is not closed, if the error is that its `end` is missing.
    pub span: Span,
    /// The message of the parser.
    pub message: String,
}

/// A comment of one or more lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocComment {
    /// The position, from the first `#` to the end of the last line.
    pub span: Span,
    /// The text without `#` and the space that follows it.
    pub text: String,
}

impl Outline {
    /// The outline of a program. Of one with syntax errors, as much as can be read.
    pub fn new(text: &str) -> Outline {
        with_stack_for(text.len(), || {
            let result = parse(text.as_bytes());
            Outline {
                body: Builder::new(None).node(&result.node()),
                lines: LineIndex::new(text),
                comments: comments(text, &result),
                comment_spans: result.comments().map(|comment| span(&comment.location())).collect(),
                has_errors: result.errors().next().is_some() || is_endless(text.as_bytes()),
                syntax_error: syntax_error(&result, text.as_bytes(), |offset| offset),
            }
        })
    }

    /// The outline of the code in an ERB template, with positions in the template. The output is collected in the variable `output`.
    pub fn of_template(template: &str, trim: Trim, output: &str) -> Outline {
        with_stack_for(template.len(), || {
            let translation = erb::translate(template, trim, output);
            let code = translation.code.as_bytes();
            let result = parse(code);
            Outline {
                body: Builder::new(Some(&translation)).node(&result.node()),
                lines: LineIndex::new(template),
                comments: Vec::new(),
                comment_spans: Vec::new(),
                has_errors: result.errors().next().is_some() || is_endless(code),
                syntax_error: syntax_error(&result, code, |offset| translation.template_offset(offset)),
            }
        })
    }

    /// The statements of the text.
    pub fn body(&self) -> &Node {
        &self.body
    }

    /// Whether the text has syntax errors, so that parts of it are missing here.
    pub fn has_errors(&self) -> bool {
        self.has_errors
    }

    /// The syntax error because of which the text cannot run at all.
    pub fn syntax_error(&self) -> Option<&SyntaxError> {
        self.syntax_error.as_ref()
    }

    /// The line (from 1) of a position.
    pub fn line(&self, offset: u32) -> u32 {
        self.lines.line(offset)
    }

    /// The column (from 0, in bytes) of a position.
    pub fn column(&self, offset: u32) -> u32 {
        let start = self.lines.line_start(self.line(offset)).unwrap_or(0);
        offset.saturating_sub(start)
    }

    /// The positions of all comments of a program, from the first `#` or `=begin`.
    pub fn comments(&self) -> impl Iterator<Item = Span> {
        self.comment_spans.iter().copied()
    }

    /// Calls `visit` for every call in the order of the text.
    pub fn each_call<'o>(&'o self, mut visit: impl FnMut(&'o Node, &'o Call)) {
        self.body.walk(|node| {
            if let Expr::Call(call) = &node.expr {
                visit(node, call);
            }
            true
        });
    }

    /// The comment that ends on the line above a position, as documentation of what begins there.
    pub fn doc_comment(&self, span: Span) -> Option<DocComment> {
        let mut line = self.line(span.start);
        let mut last = self.comments.partition_point(|comment| comment.span.start < span.start);
        let mut lines: Vec<&DocComment> = Vec::new();
        while let Some(comment) = last.checked_sub(1).and_then(|at| self.comments.get(at)) {
            if self.line(comment.span.end) + 1 != line {
                break;
            }
            line = self.line(comment.span.start);
            lines.push(comment);
            last -= 1;
        }
        let (first, end) = (lines.last()?, lines.first()?);
        let texts: Vec<&str> = lines.iter().rev().map(|comment| comment.text.as_str()).collect();
        Some(DocComment { span: Span::new(first.span.start, end.span.end), text: texts.join("\n") })
    }
}

impl Drop for Outline {
    fn drop(&mut self) {
        let body = std::mem::replace(&mut self.body, Node { span: Span::default(), expr: Expr::Nil });
        // Nodes drop the nodes inside of them, as deep as these nest.
        roomy(|| drop(body));
    }
}

fn span(location: &prism::Location<'_>) -> Span {
    Span::new(location.start(), location.end())
}

/// The keys of comments that are meant for Ruby: `# frozen_string_literal: true`.
const MAGIC: &[&str] =
    &["frozen_string_literal:", "encoding:", "coding:", "warn_indent:", "shareable_constant_value:"];

/// The first error of a text that no accepted version of Ruby can read; `place` is the position in the source.
fn syntax_error(
    result: &prism::ParseResult<'_>,
    code: &[u8],
    place: impl Fn(u32) -> u32,
) -> Option<SyntaxError> {
    result.errors().next()?;
    let is_read = VERSIONS.iter().any(|version| {
        let options = prism::Options::default().version(*version).main_script(true).build();
        prism::parse_with_options(code, &options).errors().next().is_none()
    });
    if is_read {
        return None;
    }
    // A missing `end` is an error at the end of the text, and another one at the keyword that lacks it.
    let end = code.trim_ascii_end().len() as u32;
    let is_opening = |error: &prism::Diagnostic<'_>| {
        let says = |words: &[u8]| error.message().windows(words.len()).any(|part| part == words);
        error.location().start() < end && (says(b" to close") || says(b"to end with"))
    };
    let error = result.errors().find(is_opening).or_else(|| result.errors().next())?;
    let (start, stop) = (place(error.location().start()), place(error.location().end()));
    let message = String::from_utf8_lossy(error.message()).into_owned();
    Some(SyntaxError { span: Span::new(start, stop.max(start)), message })
}

/// The comments that have their lines to themselves, except for those that are meant for Ruby.
fn comments(text: &str, result: &prism::ParseResult<'_>) -> Vec<DocComment> {
    let comment = |comment: prism::Comment<'_>| {
        let location = comment.location();
        let (start, end) = (location.start() as usize, location.end() as usize);
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let whole = text.get(start..end)?.trim_end();
        let inner = match whole.strip_prefix("=begin") {
            Some(block) => block.strip_suffix("=end").unwrap_or(block).trim_matches('\n').to_owned(),
            None => {
                let inner = whole.trim_start_matches('#');
                inner.strip_prefix(' ').unwrap_or(inner).to_owned()
            }
        };
        let words = inner.trim_start_matches(['-', '*', ' ']);
        let is_magic = MAGIC.iter().any(|key| words.starts_with(key));
        let is_alone = text[line..start].trim().is_empty();
        let span = Span::new(start as u32, (start + whole.len()) as u32);
        (is_alone && !is_magic).then_some(DocComment { span, text: inner })
    };
    result.comments().filter_map(comment).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(outline: &Outline) -> Vec<(String, u32)> {
        let mut found = Vec::new();
        outline.each_call(|_, call| found.push((call.name.clone(), outline.line(call.name_span.start))));
        found
    }

    #[test]
    fn calls_inside_of_any_syntax_are_found() {
        let outline = Outline::new(
            "while a\n  case b\n  when c then d { e }\n  else\n    f\n  end\nend\nbegin\n  g\nrescue H => i\n  j\nensure\n  k\nend\nx = [l, { m => n }, *o, **p]\ndef q(r = s, t: u); yield v; end\n\"#{w}\"; `#{y}`; super(z)\n",
        );
        let names: Vec<String> = calls(&outline).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names.join(" "), "a b c d e f g j k l m n o p s u v w y z");
        assert!(!outline.has_errors());
    }

    #[test]
    fn comments_and_strings_are_not_code() {
        let outline = Outline::new(
            "# a(1)\nx = <<~E\n  b(2) # \"\n  #{c 3}\nE\n=begin\nd(4)\n=end\ne(<<-F,\nf(5)\nF\n  6)\n__END__\ng 7\n",
        );
        assert_eq!(calls(&outline), [("c".into(), 4), ("e".into(), 9)]);
    }

    #[test]
    fn comments_above_belong_to_what_is_below() {
        let outline = Outline::new(
            "# frozen_string_literal: true\n# One\n#   two\n#\n# three\ndef a; end # four\n\n# five\n\ndef b; end\n=begin\nsix\n=end\nc :d\n",
        );
        let docs: Vec<Option<DocComment>> =
            outline.body().statements().iter().map(|node| outline.doc_comment(node.span)).collect();
        let text = |at: usize| docs[at].as_ref().map(|doc| doc.text.as_str());
        assert_eq!((text(0), text(1), text(2)), (Some("One\n  two\n\nthree"), None, Some("six")));
        assert_eq!(docs[0].as_ref().map(|doc| doc.span), Some(Span::new(30, 53)));
    }

    #[test]
    fn positions_in_templates_are_those_of_the_template() {
        let template = "a <%# @no %>\n<%% @no %>\n<% if @b.c('x%%>y') -%>\n<%= @d # @no\n%>\n<% end %>";
        let outline = Outline::of_template(template, Trim::DASH, "_erbout");
        let mut variables = Vec::new();
        outline.body().walk(|node| {
            if let Expr::InstanceVariable(name) = &node.expr {
                variables.push((name.clone(), &template[node.span.range()], outline.line(node.span.start)));
            }
            true
        });
        assert_eq!(variables, [("@b".into(), "@b", 3), ("@d".into(), "@d", 4)]);
    }

    fn depth(outline: &Outline) -> usize {
        let mut deepest = 0;
        let mut open = vec![(outline.body(), 1)];
        while let Some((node, depth)) = open.pop() {
            deepest = deepest.max(depth);
            node.each_child(&mut |child| open.push((child, depth + 1)));
        }
        deepest
    }

    #[test]
    fn depth_has_a_limit() {
        assert_eq!(depth(&Outline::new("x = [[1]]")), 5);
        for (open, close) in
            [("!", ""), ("[", "]"), ("f(", ")"), ("if x\n", "\nend"), ("\"#{", "}\""), ("a + ", "")]
        {
            let text = format!("{}1{}", open.repeat(5_000), close.repeat(5_000));
            assert!(depth(&Outline::new(&text)) <= 2_001, "{open}");
        }
    }
}
