//! Literals and names: the values of tokens.

use std::borrow::Cow;

use super::expr::{Expr, nth_expr};
use super::{position, views};
use crate::SyntaxKind as K;
use crate::lexer::rendered_text;
use crate::tree::Node;
use crate::{Number, Span, decode};

views! {
    /// `true` or `false`
    Boolean = TrueKw | FalseKw;
    /// `42`, `0x2a`, `4.2`
    NumberLiteral = Number;
    /// A string without interpolation, quoted or a bare word; `type` and `function` as elements; the name of a node.
    StringLiteral = SqString | DqString | Word | TypeKw | FunctionKw | HostName;
    /// `"text ${expression}"`
    InterpolatedString = InterpolatedString;
    /// `@(END)` and the text that belongs to it
    Heredoc = HeredocTag;
    /// `/pattern/`
    Regex = Regex;
    /// `name`, `qualified::name`; as a value, a string
    QualifiedName = Name | TypeKw;
    /// `Type`
    TypeReference = TypeName;
    /// `$name`, or `name` in `"${name}"`
    Variable = Variable | VariableName;
    /// A word that is reserved and means nothing
    ReservedWord = AttrKw | PrivateKw;
    /// `[a, b]`
    Array = Array;
    /// `key => value`
    HashEntry = HashEntry | Attribute;
    /// Text of a template
    RenderText = EppText;
}

impl Boolean<'_> {
    /// The value.
    pub fn value(self) -> bool {
        self.0.kind() == K::TrueKw
    }
}

impl NumberLiteral<'_> {
    /// The value; never negative.
    pub fn value(self) -> Number {
        decode::number(self.0.text()).unwrap_or(Number::Float(f64::NAN))
    }
}

impl<'t> StringLiteral<'t> {
    /// The value, with escapes resolved.
    pub fn value(self) -> Cow<'t, str> {
        let text = self.0.text();
        match self.0.kind() {
            K::SqString => decode::single_quoted(unquoted(text)),
            K::DqString => decode::double_quoted(unquoted(text)),
            K::HostName => {
                let parts = self.0.children().map(Node::text);
                Cow::Owned(parts.collect())
            }
            _ => Cow::Borrowed(text),
        }
    }
}

fn unquoted(text: &str) -> &str {
    let inside = text.get(1..).unwrap_or("");
    inside.get(..inside.len().saturating_sub(1)).unwrap_or("")
}

impl<'t> Regex<'t> {
    /// The pattern, without slashes and with `\/` undone.
    pub fn pattern(self) -> Cow<'t, str> {
        decode::regex(self.0.text())
    }
}

impl<'t> QualifiedName<'t> {
    /// The name as it is written, with a leading `::` if it has one.
    pub fn name(self) -> &'t str {
        self.0.text()
    }
}

impl<'t> TypeReference<'t> {
    /// The name as it is written.
    pub fn name(self) -> &'t str {
        self.0.text()
    }
}

impl<'t> Variable<'t> {
    /// The name without `$`, with a leading `::` if it has one; empty for a `$` alone.
    pub fn name(self) -> &'t str {
        let text = self.0.text();
        text.strip_prefix('$').unwrap_or(text)
    }
}

impl<'t> ReservedWord<'t> {
    /// The word.
    pub fn word(self) -> &'t str {
        self.0.text()
    }
}

impl<'t> RenderText<'t> {
    /// The rendered text: comments removed, `<%%` and `%%>` unescaped, blanks next to `-%>` and `<%-` removed.
    pub fn value(self) -> String {
        let span = self.0.span();
        rendered_text(self.0.tree().text(), span.start as usize, span.end as usize)
    }
}

/// A piece of a string with interpolation.
#[derive(Clone, Debug, PartialEq)]
pub enum Segment<'t> {
    /// Text, with escapes resolved; never empty.
    Text(Cow<'t, str>, Span),
    /// An expression whose value is inserted.
    Expr(Expr<'t>),
}

impl<'t> InterpolatedString<'t> {
    /// The pieces, in order. Empty text is left out.
    pub fn segments(self) -> impl Iterator<Item = Segment<'t>> {
        self.0.children().filter_map(|child| {
            let text = child.text();
            let inside = match child.kind() {
                K::DqStart => text.strip_prefix('"').unwrap_or(text),
                K::DqText => text,
                K::DqEnd => text.strip_suffix('"').unwrap_or(text),
                _ => return interpolated(child),
            };
            (!inside.is_empty()).then(|| Segment::Text(decode::double_quoted(inside), child.span()))
        })
    }
}

/// The expression of `$name` or `${...}`.
fn interpolated(child: Node<'_>) -> Option<Segment<'_>> {
    match child.kind() {
        K::Interpolation => Some(Segment::Expr(nth_expr(child, 0))),
        _ => Expr::cast(child).map(Segment::Expr),
    }
}

impl<'t> Heredoc<'t> {
    /// The syntax the tag names, as in `@(END:json)`; empty if it names none.
    pub fn syntax_name(self) -> &'t str {
        match self.0.heredoc() {
            Some((_, heredoc)) => &self.0.tree().text()[heredoc.syntax.range()],
            None => "",
        }
    }

    /// The node of the text and its end line.
    pub fn body(self) -> Option<Node<'t>> {
        self.0.heredoc().map(|(body, _)| body)
    }

    /// Where the text begins.
    pub fn text_offset(self) -> u32 {
        self.0.heredoc().map_or(self.0.start(), |(_, heredoc)| heredoc.text.start)
    }

    /// Whether there is anything to interpolate.
    pub fn is_interpolated(self) -> bool {
        self.0.heredoc().is_some_and(|(body, _)| {
            body.children().any(|child| !matches!(child.kind(), K::HeredocText | K::HeredocEnd))
        })
    }

    /// The pieces of the text, in order: margin and last line break gone if so asked, escapes resolved, empty text left
    /// out.
    pub fn segments(self) -> impl Iterator<Item = Segment<'t>> {
        let found = self.0.heredoc();
        let children =
            found.into_iter().flat_map(|(body, heredoc)| body.children().map(move |child| (child, heredoc)));
        children.filter_map(|(child, heredoc)| match child.kind() {
            K::HeredocText => {
                let span = child.span();
                let inside = decode::without_margin(child.tree().text(), heredoc, span.start, span.end);
                let value = decode::heredoc_text(inside, heredoc.escapes);
                (!value.is_empty()).then_some(Segment::Text(value, span))
            }
            K::HeredocEnd => None,
            _ => interpolated(child),
        })
    }

    /// The text, if there is nothing to interpolate.
    pub fn value(self) -> Option<Cow<'t, str>> {
        let mut segments = self.segments();
        match (segments.next(), segments.next()) {
            (None, _) => Some(Cow::Borrowed("")),
            (Some(Segment::Text(text, _)), None) => Some(text),
            _ => None,
        }
    }
}

impl<'t> Array<'t> {
    /// The elements; consecutive `key => value` entries make up one hash.
    pub fn elements(self) -> super::Arguments<'t> {
        super::Arguments::of(self.0)
    }
}

/// `{ key => value }`, or the entries `key => value` among arguments or elements, which make up a hash without braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash<'t> {
    /// In braces.
    Braced(Node<'t>),
    /// Without braces.
    Bare(super::BareHash<'t>),
}

impl<'t> Hash<'t> {
    /// The node underneath; without braces, that of the first entry.
    pub fn syntax(self) -> Node<'t> {
        match self {
            Hash::Braced(node) => node,
            Hash::Bare(bare) => bare.first,
        }
    }

    /// Its span.
    pub fn span(self) -> Span {
        match self {
            Hash::Braced(node) => node.span(),
            Hash::Bare(bare) => {
                let last = bare.entries().last().map_or(bare.first, |entry| entry.0);
                bare.first.span().cover(last.span())
            }
        }
    }

    /// The position Puppet reports for this.
    pub fn puppet_offset(self) -> u32 {
        match self {
            Hash::Braced(node) => node.child(K::LBrace).unwrap_or(node).start(),
            Hash::Bare(bare) => position::puppet_offset(bare.first),
        }
    }

    /// The entries.
    pub fn entries(self) -> impl Iterator<Item = HashEntry<'t>> {
        let (braced, bare) = match self {
            Hash::Braced(node) => (Some(node), None),
            Hash::Bare(bare) => (None, Some(bare)),
        };
        let braced = braced.into_iter().flat_map(|node| node.children().filter_map(HashEntry::cast));
        braced.chain(bare.into_iter().flat_map(super::BareHash::entries))
    }
}

impl<'t> HashEntry<'t> {
    /// The key.
    pub fn key(self) -> Expr<'t> {
        match self.0.children().next() {
            // In `notice { a => 1 }` what looks like an attribute is an entry with a string for a key.
            Some(name) if self.0.kind() == K::Attribute => Expr::String(StringLiteral(name)),
            _ => nth_expr(self.0, 0),
        }
    }

    /// The value.
    pub fn value(self) -> Expr<'t> {
        self.0.children().nth(2).and_then(Expr::cast).unwrap_or(Expr::Error(self.0))
    }
}
