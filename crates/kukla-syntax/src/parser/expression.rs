//! Expressions: operators by precedence, then what binds tighter than any operator, then the operands.

use super::mistake::Construct;
use super::{Parsed, Parser};
use crate::SyntaxKind::{self, *};

/// How tightly a binary operator binds; `?` counts as one. All of them are left associative.
#[inline]
fn precedence(kind: SyntaxKind) -> u8 {
    match kind {
        InKw => 10,
        Match | NoMatch => 9,
        Star | Slash | Percent => 8,
        Plus | Minus => 7,
        ShiftLeft | ShiftRight => 6,
        EqualsEquals | NotEquals => 5,
        Less | LessEquals | Greater | GreaterEquals => 4,
        Question => 3,
        AndKw => 2,
        OrKw => 1,
        _ => 0,
    }
}

/// Whether something is an expression, or one of the wider things that can stand where an assignment can.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Expression,
    Wider,
}

impl Parser<'_> {
    /// A relationship, perhaps assigned to: the widest thing a value can be.
    pub(super) fn assignment(&mut self) -> Parsed<Reach> {
        let from = self.start();
        let reach = self.relationship(from)?;
        if matches!(self.current, Equals | PlusEquals | MinusEquals) {
            self.bump();
            self.nested(Self::assignment)?;
            self.complete(from, Assignment);
            return Ok(Reach::Wider);
        }
        Ok(reach)
    }

    fn relationship(&mut self, from: usize) -> Parsed<Reach> {
        let mut reach = self.resource()?;
        while matches!(self.current, Before | Notify | After | Subscribe) {
            self.bump();
            self.resource()?;
            self.complete(from, Relationship);
            reach = Reach::Wider;
        }
        Ok(reach)
    }

    pub(super) fn expression(&mut self) -> Parsed {
        self.binary(1)
    }

    /// A value without operators between its parts.
    pub(super) fn plain_value(&mut self) -> Parsed {
        let from = self.start();
        self.unary(from)
    }

    fn binary(&mut self, least: u8) -> Parsed {
        let from = self.start();
        self.nested(|parser| {
            parser.unary(from)?;
            parser.binary_rest(from, least)
        })
    }

    /// The operators that follow an operand and bind at least as tightly as `least`.
    fn binary_rest(&mut self, from: usize, least: u8) -> Parsed {
        loop {
            let precedence = precedence(self.current);
            if precedence < least {
                return Ok(());
            }
            let is_selector = self.current == Question;
            self.bump();
            if is_selector {
                self.selector_entries()?;
                self.complete(from, Selector);
                self.postfix(from)?;
            } else {
                self.binary(precedence + 1)?;
                self.complete(from, Binary);
            }
        }
    }

    fn selector_entries(&mut self) -> Parsed {
        if self.current != SelectorBrace {
            return self.selector_entry();
        }
        let opening = self.at;
        self.bump();
        self.braces += 1;
        self.within(Construct::Selector, opening, |parser| {
            loop {
                parser.selector_entry()?;
                if !parser.eat(Comma) || parser.current == RBrace {
                    return parser.expect(RBrace);
                }
            }
        })?;
        self.braces -= 1;
        Ok(())
    }

    fn selector_entry(&mut self) -> Parsed {
        let from = self.start();
        self.expression()?;
        self.expect(FatArrow)?;
        self.expression()?;
        self.complete(from, SelectorEntry);
        Ok(())
    }

    fn unary(&mut self, from: usize) -> Parsed {
        let kind = match self.current {
            Bang => Not,
            Minus => Negate,
            Star => Unfold,
            _ => {
                self.operand(from)?;
                return self.postfix(from);
            }
        };
        self.bump();
        let inner = self.start();
        self.nested(|parser| parser.unary(inner))?;
        self.complete(from, kind);
        Ok(())
    }

    /// Calls, accesses and collectors, which apply to the expression directly before them.
    fn postfix(&mut self, from: usize) -> Parsed {
        loop {
            match self.current {
                LParen => {
                    self.arguments(true)?;
                    if self.current == Pipe {
                        self.lambda()?;
                    }
                    self.complete(from, Call);
                }
                LBracket => self.access(from, true)?,
                Dot => {
                    self.bump();
                    if !matches!(self.current, Name | TypeKw) {
                        return self.unexpected();
                    }
                    self.bump();
                    if self.current == LParen {
                        self.arguments(false)?;
                    }
                    if self.current == Pipe {
                        self.lambda()?;
                    }
                    self.complete(from, MethodCall);
                }
                CollectOpen | ExportedCollectOpen => self.collector(from)?,
                _ => return Ok(()),
            }
        }
    }

    /// `[keys]` after the thing that began at `from`.
    pub(super) fn access(&mut self, from: usize, trailing_comma: bool) -> Parsed {
        self.access_keys(trailing_comma)?;
        self.complete(from, Access);
        Ok(())
    }

    /// `[keys]`
    pub(super) fn access_keys(&mut self, trailing_comma: bool) -> Parsed {
        let opening = self.at;
        self.bump();
        self.within(Construct::Access, opening, |parser| {
            loop {
                let key = parser.start();
                match parser.entry()? {
                    _ if parser.current == FatArrow => parser.hash_entry_rest(key)?,
                    Reach::Expression => {}
                    Reach::Wider => return parser.unexpected(),
                }
                if !parser.eat(Comma) || (trailing_comma && parser.current == RBracket) {
                    return parser.expect(RBracket);
                }
            }
        })
    }

    /// `(arguments)`
    pub(super) fn arguments(&mut self, trailing_comma: bool) -> Parsed {
        let from = self.start();
        let opening = self.at;
        self.bump();
        self.within(Construct::Arguments, opening, |parser| {
            if parser.current == RParen {
                return parser.expect(RParen);
            }
            loop {
                let argument = parser.start();
                let keyword = parser.is_bare_keyword();
                parser.entry()?;
                if parser.current == FatArrow {
                    parser.hash_entry_rest(argument)?;
                } else if keyword {
                    return parser.unexpected();
                }
                if !parser.eat(Comma) || (trailing_comma && parser.current == RParen) {
                    return parser.expect(RParen);
                }
            }
        })?;
        self.complete(from, Arguments);
        Ok(())
    }

    /// `type` and `function` where they begin nothing and stand for themselves.
    fn is_bare_keyword(&self) -> bool {
        match self.current {
            TypeKw => !matches!(self.next(), LParen | TypeName),
            FunctionKw => !matches!(self.next(), Name | Word | TypeName | ClassKw | SqString | DqString),
            _ => false,
        }
    }

    /// A key or value of a hash, or an element of an array.
    fn entry(&mut self) -> Parsed<Reach> {
        if self.is_bare_keyword() {
            self.bump();
            // In an access only a key may be such a word, and keys may reach wide.
            return Ok(Reach::Wider);
        }
        self.assignment()
    }

    /// `=> value` after a key that began at `from`.
    fn hash_entry_rest(&mut self, from: usize) -> Parsed {
        self.bump();
        self.entry()?;
        self.complete(from, HashEntry);
        Ok(())
    }

    fn operand(&mut self, from: usize) -> Parsed {
        match self.current {
            PrivateKw if matches!(self.next(), ClassKw | DefineKw) => self.definition(from),
            kind if kind.is_operand() => {
                self.bump();
                Ok(())
            }
            DqStart => self.interpolated_string(),
            LBrace => self.hash(),
            LBracket | ListStart => self.array(),
            LParen | LineLParen => {
                let opening = self.at;
                self.bump();
                self.within(Construct::Paren, opening, |parser| {
                    parser.assignment()?;
                    parser.expect(RParen)
                })?;
                self.complete(from, Paren);
                Ok(())
            }
            IfKw => self.if_expression(from),
            UnlessKw => self.unless_expression(from),
            CaseKw => self.case_expression(from),
            TypeKw if self.next() == LParen => {
                self.bump();
                Ok(())
            }
            ClassKw | DefineKw | NodeKw | FunctionKw | TypeKw | PlanKw | ApplyKw => self.definition(from),
            EppRenderOpen => self.epp_render(from),
            _ => self.unexpected(),
        }
    }

    pub(super) fn interpolated_string(&mut self) -> Parsed {
        let from = self.start();
        self.bump();
        loop {
            match self.current {
                DqText | Variable => self.bump(),
                InterpolationOpen => self.interpolation()?,
                DqEnd => {
                    self.bump();
                    break;
                }
                _ => return self.unexpected(),
            }
        }
        self.complete(from, InterpolatedString);
        Ok(())
    }

    /// `${expression}`; in a heredoc the end of the text may stand for the brace.
    pub(super) fn interpolation(&mut self) -> Parsed {
        let from = self.start();
        let opening = self.at;
        self.bump();
        self.within(Construct::Interpolation, opening, |parser| {
            parser.assignment()?;
            match parser.current {
                HeredocText | HeredocEnd => Ok(()),
                _ => parser.expect(InterpolationClose),
            }
        })?;
        self.complete(from, Interpolation);
        Ok(())
    }

    pub(super) fn array(&mut self) -> Parsed {
        let from = self.start();
        let opening = self.at;
        self.bump();
        self.within(Construct::Array, opening, |parser| {
            while parser.current != RBracket {
                let element = parser.start();
                parser.entry()?;
                if parser.current == FatArrow {
                    parser.hash_entry_rest(element)?;
                }
                if !parser.eat(Comma) {
                    break;
                }
            }
            parser.expect(RBracket)
        })?;
        self.complete(from, Array);
        Ok(())
    }

    pub(super) fn hash(&mut self) -> Parsed {
        let from = self.start();
        let opening = self.at;
        self.bump();
        self.braces += 1;
        self.hash_rest(from, opening)
    }

    /// The entries of a hash from the current one on, and its `}`.
    fn hash_rest(&mut self, from: usize, opening: usize) -> Parsed {
        self.within(Construct::Hash, opening, |parser| {
            while parser.current != RBrace {
                let entry = parser.start();
                parser.entry()?;
                if parser.current != FatArrow {
                    return parser.unexpected_instead_of(Some(FatArrow));
                }
                parser.hash_entry_rest(entry)?;
                if !parser.eat(Comma) {
                    break;
                }
            }
            parser.expect(RBrace)
        })?;
        self.braces -= 1;
        self.complete(from, Hash);
        Ok(())
    }

    fn if_expression(&mut self, from: usize) -> Parsed {
        self.bump();
        self.expression()?;
        self.block()?;
        while self.current == ElsifKw {
            let branch = self.start();
            self.bump();
            self.expression()?;
            self.block()?;
            self.complete(branch, Elsif);
        }
        self.else_branch()?;
        self.complete(from, If);
        Ok(())
    }

    fn unless_expression(&mut self, from: usize) -> Parsed {
        self.bump();
        self.expression()?;
        self.block()?;
        self.else_branch()?;
        self.complete(from, Unless);
        Ok(())
    }

    fn else_branch(&mut self) -> Parsed {
        if self.current == ElseKw {
            let branch = self.start();
            self.bump();
            self.block()?;
            self.complete(branch, Else);
        }
        Ok(())
    }

    /// Puppet wants at least one option; Kukla takes a case without any for what it is.
    fn case_expression(&mut self, from: usize) -> Parsed {
        self.bump();
        self.expression()?;
        let opening = self.at;
        self.expect(LBrace)?;
        self.braces += 1;
        self.within(Construct::Case, opening, |parser| {
            while parser.current != RBrace {
                let option = parser.start();
                parser.expression()?;
                while parser.eat(Comma) {
                    parser.expression()?;
                }
                parser.expect(Colon)?;
                parser.block()?;
                parser.complete(option, CaseOption);
            }
            parser.bump();
            Ok(())
        })?;
        self.braces -= 1;
        self.complete(from, Case);
        Ok(())
    }

    /// `<%= expression %>`, or `<%= { statements } %>` where the braces are not a hash.
    fn epp_render(&mut self, from: usize) -> Parsed {
        self.bump();
        if self.current == LBrace {
            let inner = self.start();
            let opening = self.at;
            self.bump();
            let first = self.at;
            let statement = self.start();
            if self.current == RBrace {
                self.braces += 1;
                self.hash_rest(inner, opening)?;
                self.postfix(inner)?;
                self.binary_rest(inner, 1)?;
            } else {
                self.entry()?;
                if self.current == FatArrow {
                    self.hash_entry_rest(statement)?;
                    self.braces += 1;
                    if self.current != RBrace {
                        self.expect(Comma)?;
                    }
                    self.hash_rest(inner, opening)?;
                    self.postfix(inner)?;
                    self.binary_rest(inner, 1)?;
                } else {
                    self.statement_rest(statement, first, None)?;
                    self.block_rest(inner, opening)?;
                }
            }
        } else {
            self.expression()?;
        }
        self.expect(EppRenderClose)?;
        self.complete(from, EppRender);
        Ok(())
    }
}
