//! Resources, their defaults and overrides, and collectors.

use super::expression::Reach;
use super::mistake::Construct;
use super::{Parsed, Parser};
use crate::SyntaxKind::*;
use crate::codes::{EXPORTED_NO_RESOURCE, NOT_A_RESOURCE, UNTITLED_WITH_ADDITION, VIRTUAL_NO_RESOURCE};
use crate::diagnostic;

impl Parser<'_> {
    /// An expression, or a resource expression of any form.
    pub(super) fn resource(&mut self) -> Parsed<Reach> {
        let from = self.start();
        match self.current {
            At | AtAt => {
                self.virtual_resource(from)?;
                return Ok(Reach::Wider);
            }
            ClassKw if self.next() == LBrace => {
                self.class_resource(from)?;
                self.braces(from)?;
                return Ok(Reach::Wider);
            }
            _ => self.expression()?,
        }
        if self.current != LBrace {
            return Ok(Reach::Expression);
        }
        self.braces(from)?;
        Ok(Reach::Wider)
    }

    fn virtual_resource(&mut self, from: usize) -> Parsed {
        let sign = self.at;
        let exported = self.current == AtAt;
        self.bump();
        self.nested(Self::resource)?;
        let is_resource =
            matches!(self.builder.last_kind(), Resource | ResourceDefaults | ResourceOverride | Virtual);
        self.complete(from, Virtual);
        if !is_resource {
            let wrong = match exported {
                true => diagnostic!(EXPORTED_NO_RESOURCE),
                false => diagnostic!(VIRTUAL_NO_RESOURCE),
            };
            let tag = self.token_text(self.significant(sign + 1));
            if let Some(quoted) = self.quoted_hint(sign) {
                self.broken_rule(sign, wrong.hint(quoted));
                return Ok(());
            }
            let is_tag = !exported && tag.starts_with(|c: char| c.is_ascii_uppercase());
            self.broken_rule(
                sign,
                match is_tag {
                    true => wrong.hint(format!("a heredoc is written `@({tag})`")),
                    false => wrong,
                },
            );
        }
        Ok(())
    }

    /// `class { 'name': }`
    fn class_resource(&mut self, from: usize) -> Parsed {
        self.bump();
        let opening = self.at;
        self.bump();
        self.braces += 1;
        self.within(Construct::Resource, opening, Self::bodies)?;
        self.braces -= 1;
        self.complete(from, Resource);
        Ok(())
    }

    /// The braces after what began at `from`, which make it a resource, its defaults or an override; any number of them.
    fn braces(&mut self, from: usize) -> Parsed {
        while self.current == LBrace {
            let left = self.builder.last_kind();
            let opening = self.at;
            self.bump();
            self.braces += 1;
            let attributes = match self.current {
                RBrace | Comma => true,
                Name => matches!(self.next(), FatArrow | PlusArrow),
                Star => self.next() == FatArrow,
                InheritsKw | ElseKw | ElsifKw | AndKw | OrKw | InKw => true,
                kind => kind.is_attribute_keyword() && matches!(self.next(), FatArrow | PlusArrow),
            };
            if attributes {
                let inside = self.builder.len();
                self.within(Construct::Resource, opening, Self::closed_attributes)?;
                self.untitled(from, left, opening, inside);
            } else {
                self.within(Construct::Resource, opening, Self::bodies)?;
                self.complete(from, Resource);
            }
            self.braces -= 1;
        }
        Ok(())
    }

    /// Decides by the left-hand side what attributes without a title are.
    fn untitled(&mut self, from: usize, left: crate::SyntaxKind, opening: usize, inside: usize) {
        let kind = match left {
            TypeName => ResourceDefaults,
            Name => UntitledResource,
            // A variable or a list may hold the references to override; Puppet wants to see them written out.
            _ => ResourceOverride,
        };
        self.complete(from, kind);
        if kind == UntitledResource && self.builder.kinds_since(inside).any(|kind| kind == PlusArrow) {
            self.broken_rule(opening, diagnostic!(UNTITLED_WITH_ADDITION));
        }
        if kind == ResourceOverride && !matches!(left, Access | Variable | Array | ErrorToken | Error) {
            self.odd_overrides.push((self.diagnostics.len(), self.tokens.starts[opening]));
            let mut wrong = diagnostic!(NOT_A_RESOURCE);
            wrong.hints.extend(self.elsif_hint());
            if let Some((Construct::Access, bracket)) = self.open.last() {
                wrong = wrong.focus_on(self.tokens.span(*bracket), "this `[` is not closed");
            }
            self.broken_rule(opening, wrong);
        }
    }

    /// `title: attributes; title: attributes }`
    fn bodies(&mut self) -> Parsed {
        loop {
            let body = self.start();
            self.expression()?;
            self.expect(Colon)?;
            self.attributes()?;
            self.complete(body, ResourceBody);
            if !self.eat(Semicolon) || self.current == RBrace {
                break;
            }
        }
        self.expect(RBrace)
    }

    /// `attributes }`
    fn closed_attributes(&mut self) -> Parsed {
        self.attributes()?;
        self.expect(RBrace)
    }

    /// `name => value, name +> value, * => hash`, with a comma more than needed at either end if so wanted.
    pub(super) fn attributes(&mut self) -> Parsed {
        let begins = |kind: crate::SyntaxKind| kind == Name || kind == Star || kind.is_attribute_keyword();
        if begins(self.current) {
            self.attribute()?;
        }
        while self.eat(Comma) {
            if !begins(self.current) {
                break;
            }
            self.attribute()?;
        }
        Ok(())
    }

    fn attribute(&mut self) -> Parsed {
        let from = self.start();
        let splat = self.current == Star;
        self.bump();
        if !(self.current == FatArrow || (self.current == PlusArrow && !splat)) {
            return self.unexpected_instead_of(Some(FatArrow));
        }
        self.bump();
        self.expression()?;
        self.complete(from, if splat { AttributeSplat } else { Attribute });
        Ok(())
    }

    /// `<| query |> { attributes }` after the type that began at `from`.
    pub(super) fn collector(&mut self, from: usize) -> Parsed {
        let query = self.start();
        let close = if self.current == CollectOpen { CollectClose } else { ExportedCollectClose };
        let opening = self.at;
        self.bump();
        self.within(Construct::Query, opening, |parser| {
            if parser.current != close {
                parser.expression()?;
            }
            parser.expect(close)
        })?;
        self.complete(query, Query);
        if self.current == LBrace {
            let opening = self.at;
            self.bump();
            self.braces += 1;
            self.within(Construct::Resource, opening, Self::closed_attributes)?;
            self.braces -= 1;
        }
        self.complete(from, Collector);
        Ok(())
    }
}
