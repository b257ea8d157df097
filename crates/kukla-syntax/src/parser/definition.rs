//! Classes, defines, nodes, functions, types, and the parameters they share with lambdas.

use super::mistake::Construct;
use super::{Parsed, Parser};
use crate::SyntaxKind::*;
use crate::codes::{CLASS_KEYWORD_AS_NAME, QUOTED_NAME};
use crate::diagnostic;

/// The context of a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    /// Between parentheses or pipes.
    Bracketed,
    /// In the signature of a built-in function.
    Signature,
}

impl Parser<'_> {
    /// A definition that begins with the current keyword, perhaps with `private` before it.
    pub(super) fn definition(&mut self, from: usize) -> Parsed {
        self.eat(PrivateKw);
        let keyword = self.current;
        self.bump();
        let kind = match keyword {
            ClassKw => {
                self.definition_name()?;
                self.parameter_list()?;
                if self.eat(InheritsKw) && !self.eat(DefaultKw) {
                    self.definition_name()?;
                }
                ClassDefinition
            }
            DefineKw => {
                self.definition_name()?;
                self.parameter_list()?;
                DefineDefinition
            }
            PlanKw => {
                self.definition_name()?;
                self.parameter_list()?;
                PlanDefinition
            }
            FunctionKw => {
                self.definition_name()?;
                self.parameter_list()?;
                self.return_type()?;
                FunctionDefinition
            }
            NodeKw => {
                self.hosts()?;
                NodeDefinition
            }
            ApplyKw => {
                if self.current != LParen {
                    return self.unexpected();
                }
                self.arguments(true)?;
                Apply
            }
            _ => return self.type_definition(from),
        };
        self.block()?;
        self.complete(from, kind);
        Ok(())
    }

    fn definition_name(&mut self) -> Parsed {
        let wrong = match self.current {
            Name | Word | TypeName => {
                self.bump();
                return Ok(());
            }
            ClassKw => diagnostic!(CLASS_KEYWORD_AS_NAME),
            SqString | DqString => diagnostic!(QUOTED_NAME),
            _ => return self.unexpected(),
        };
        self.broken_rule(self.at, wrong);
        self.bump();
        Ok(())
    }

    fn hosts(&mut self) -> Parsed {
        self.host()?;
        while self.eat(Comma) {
            if matches!(self.current, LBrace | InheritsKw) {
                break;
            }
            self.host()?;
        }
        if self.eat(InheritsKw) {
            self.host()?;
        }
        Ok(())
    }

    fn host(&mut self) -> Parsed {
        match self.current {
            Name | Number => {
                let from = self.start();
                self.bump();
                while self.eat(Dot) {
                    if !matches!(self.current, Name | Number) {
                        return self.unexpected();
                    }
                    self.bump();
                }
                self.complete(from, HostName);
                Ok(())
            }
            SqString | DqString | DqStart | Word | HeredocTag | DefaultKw | Regex | ErrorToken => {
                self.expression_leaf()
            }
            _ => self.unexpected(),
        }
    }

    /// A literal without anything applied to it.
    fn expression_leaf(&mut self) -> Parsed {
        if self.current == DqStart {
            return self.interpolated_string();
        }
        self.bump();
        Ok(())
    }

    /// `type Name = ...` or `type Name { }`, after `type`.
    fn type_definition(&mut self, from: usize) -> Parsed {
        if self.current != TypeName {
            return self.unexpected();
        }
        let name = self.start();
        self.bump();
        if self.current == InheritsKw {
            self.bump();
            self.expect(TypeName)?;
            self.block()?;
            self.complete(from, TypeDefinition);
            return Ok(());
        }
        if self.current == LBrace {
            self.block()?;
            self.complete(from, TypeDefinition);
            return Ok(());
        }
        if self.current == LBracket {
            self.access(name, false)?;
        }
        self.expect(Equals)?;
        match self.current {
            TypeName => {
                let aliased = self.start();
                self.bump();
                match self.current {
                    LBrace => self.hash()?,
                    LBracket => {
                        self.access_keys(true)?;
                        self.complete(aliased, AliasedAccess);
                    }
                    _ => {}
                }
            }
            LBrace => self.hash()?,
            LBracket | ListStart => self.array()?,
            _ => return self.unexpected(),
        }
        self.complete(from, TypeAlias);
        Ok(())
    }

    /// `(parameters)`, if there are any.
    fn parameter_list(&mut self) -> Parsed {
        if !matches!(self.current, LParen | LineLParen) {
            return Ok(());
        }
        let from = self.start();
        let opening = self.at;
        self.bump();
        self.within(Construct::Parameters, opening, |parser| parser.parameters(RParen))?;
        self.complete(from, Parameters);
        Ok(())
    }

    /// `|parameters|`
    pub(super) fn pipe_parameters(&mut self, from: usize) -> Parsed {
        let opening = self.at;
        self.bump();
        self.within(Construct::Parameters, opening, |parser| parser.parameters(Pipe))?;
        self.complete(from, Parameters);
        Ok(())
    }

    fn parameters(&mut self, close: crate::SyntaxKind) -> Parsed {
        while self.current != close {
            self.parameter(List::Bracketed)?;
            if !self.eat(Comma) {
                break;
            }
        }
        self.expect(close)
    }

    /// `Type *$name = default`, or in a signature `Type &$name`.
    fn parameter(&mut self, list: List) -> Parsed {
        let from = self.start();
        self.eat(PrivateKw);
        if self.current == TypeName {
            self.type_reference()?;
        }
        if !(list == List::Signature && self.eat(Ampersand)) {
            self.eat(Star);
        }
        self.expect(Variable)?;
        if self.eat(Equals) {
            match list {
                List::Bracketed => self.expression()?,
                // Nothing closes the list, so the `>>` after it must not become an operator of the last default.
                List::Signature => self.plain_value()?,
            }
        }
        self.complete(from, Parameter);
        Ok(())
    }

    /// A text that is one signature.
    pub(super) fn whole_signature(&mut self) {
        let from = self.start();
        if self.signature().is_err() {
            while self.current != Eof {
                self.bump();
            }
            self.complete(from, Error);
        }
        self.trivia();
        self.builder.node(Signature, 0, 0);
    }

    /// `parameters >> Type`
    fn signature(&mut self) -> Parsed {
        let from = self.start();
        while !matches!(self.current, ShiftRight | Eof) {
            self.parameter(List::Signature)?;
            if !self.eat(Comma) {
                break;
            }
        }
        self.complete(from, Parameters);
        self.return_type()?;
        if self.current == Eof { Ok(()) } else { self.unexpected() }
    }

    /// `Type` or `Type[parameters]`
    fn type_reference(&mut self) -> Parsed {
        let from = self.start();
        self.bump();
        if self.current == LBracket {
            self.access(from, false)?;
        }
        Ok(())
    }

    fn return_type(&mut self) -> Parsed {
        if self.current != ShiftRight {
            return Ok(());
        }
        let from = self.start();
        self.bump();
        if self.current != TypeName {
            return self.unexpected();
        }
        self.type_reference()?;
        self.complete(from, ReturnType);
        Ok(())
    }

    /// `|parameters| >> Type { statements }`
    pub(super) fn lambda(&mut self) -> Parsed {
        let from = self.start();
        self.pipe_parameters(from)?;
        self.return_type()?;
        self.block()?;
        self.complete(from, Lambda);
        Ok(())
    }
}
