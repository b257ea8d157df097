//! Lists of statements, calls without parentheses, and finding one's feet after an error.

use super::mistake::Construct;
use super::{Fail, Parsed, Parser, root_kind};
use crate::SyntaxKind::*;
use crate::codes::{ARGUMENTS_WITHOUT_PARENTHESES, STRAY_ARGUMENTS};
use crate::diagnostic;
use crate::lexer::Form;

/// The functions that take their arguments without parentheses.
pub(crate) fn is_statement_function(name: &str) -> bool {
    matches!(
        name,
        "require"
            | "realize"
            | "include"
            | "contain"
            | "tag"
            | "debug"
            | "info"
            | "notice"
            | "warning"
            | "err"
            | "fail"
            | "import"
            | "break"
            | "next"
            | "return"
    )
}

impl Parser<'_> {
    pub(super) fn program(&mut self, form: Form) {
        if form == Form::Template && self.current == Pipe {
            let from = self.start();
            if self.pipe_parameters(from).is_err() {
                self.recover(from);
            }
        }
        loop {
            self.statements();
            if self.current == Eof {
                break;
            }
            // A brace that closes nothing.
            let from = self.start();
            match self.missing_braces.checked_sub(1) {
                Some(rest) if self.current == RBrace => self.missing_braces = rest,
                _ => {
                    let _: Parsed = self.unexpected();
                }
            }
            self.bump();
            self.complete(from, Error);
        }
        self.trivia();
        self.builder.node(root_kind(form), 0, 0);
    }

    /// `{ statements }`
    pub(super) fn block(&mut self) -> Parsed {
        let from = self.start();
        let opening = self.at;
        self.expect(LBrace)?;
        self.block_rest(from, opening)
    }

    /// The rest of a block whose brace has been read.
    pub(super) fn block_rest(&mut self, from: usize, opening: usize) -> Parsed {
        self.within(Construct::Block, opening, |parser| {
            let outer = std::mem::take(&mut parser.braces);
            let result = parser.nested(|parser| {
                parser.statements();
                Ok(())
            });
            parser.braces = outer;
            result?;
            parser.expect(RBrace)
        })?;
        self.complete(from, Block);
        Ok(())
    }

    /// Statements up to a `}` or the end of the text.
    pub(super) fn statements(&mut self) {
        let mut previous_name = None;
        let known = self.diagnostics.len();
        let first_stray = self.strays;
        // After a `;` there must be a statement, and Puppet sees at once if there is none.
        let mut open_end = 0;
        while !matches!(self.current, RBrace | Eof | HeredocText | HeredocEnd) {
            let from = self.start();
            let first = self.at;
            match self.assignment().and_then(|_| self.statement_rest(from, first, previous_name)) {
                Ok(()) => {
                    // In `a b` the argument, too, is a name that Puppet might find in front of a list.
                    previous_name = match self.builder.last_kind() {
                        Name if self.builder.len() == from + 1 => Some(first),
                        BareCall => {
                            let parts = self.builder.kinds_since(from).filter(|kind| !kind.is_trivia());
                            parts.eq([Name, Name, BareCall]).then(|| self.unread - 1)
                        }
                        _ => None,
                    };
                }
                Err(Fail) => {
                    if self.last_error == first && self.strays > first_stray {
                        self.postpone_strays(known, first_stray, self.tokens.starts[first] + open_end);
                    }
                    self.recover(from);
                    previous_name = None;
                    continue;
                }
            }
            open_end = u32::from(self.current == Semicolon);
            if self.current == Semicolon {
                let from = self.start();
                self.bump();
                if matches!(self.current, RBrace | Eof) {
                    let _: Parsed = self.unexpected();
                    self.complete(from, Error);
                }
            }
        }
        if self.strays > first_stray {
            self.postpone_strays(known, first_stray, self.tokens.starts[self.at] + open_end);
        }
    }

    /// Puppet looks for argument lists without a function when it has read all statements of a block.
    #[cold]
    fn postpone_strays(&mut self, known: usize, first_stray: usize, end: u32) {
        let found = self.diagnostics.iter_mut().skip(known);
        for (noticed, _) in
            found.filter(|(_, wrong)| wrong.is(&STRAY_ARGUMENTS) || wrong.is(&ARGUMENTS_WITHOUT_PARENTHESES))
        {
            *noticed = end.max(*noticed);
        }
        self.strays = first_stray;
    }

    /// The continuation of a statement's first expression: the arguments of a call without parentheses.
    pub(super) fn statement_rest(
        &mut self,
        from: usize,
        first: usize,
        previous_name: Option<usize>,
    ) -> Parsed {
        let is_call = self.builder.len() == from + 1
            && self.builder.last_kind() == Name
            && !matches!(self.current, RBrace | Eof | Comma)
            && is_statement_function(self.token_text(first));
        if is_call {
            // Puppet pairs names and arguments after it has read the whole list, so a `;` between them does not matter.
            self.eat(Semicolon);
            self.assignment()?;
            while self.eat(Comma) {
                self.assignment()?;
            }
            self.complete(from, StatementCall);
        } else if self.current == Comma {
            let comma = self.at;
            while self.eat(Comma) {
                self.assignment()?;
            }
            self.complete(from, StrayList);
            let wrong = match previous_name {
                Some(name) => diagnostic!(ARGUMENTS_WITHOUT_PARENTHESES { name: self.token_text(name) }),
                None => diagnostic!(STRAY_ARGUMENTS),
            };
            self.broken_rule(comma, wrong);
            self.strays += 1;
        } else if self.is_bare_call(from) {
            let argument = self.start();
            let (first, name) = (self.at, Some(first));
            self.assignment()?;
            if self.current == Comma {
                return self.statement_rest(argument, first, name);
            }
            self.complete(from, BareCall);
        }
        Ok(())
    }

    /// Whether a name has been read since `from` and an argument follows on the same line. In Puppet that is a name without
    /// effect and then a value, which it always rejects; Kukla calls the function.
    fn is_bare_call(&self, from: usize) -> bool {
        let is_name = self.builder.len() == from + 1 && self.builder.last_kind() == Name;
        let argument = self.current.is_operand() || matches!(self.current, DqStart | ListStart);
        let is_function = self.current == Name && is_statement_function(self.token_text(self.at));
        is_name && argument && self.current != EppText && !is_function && !self.on_new_line()
    }

    /// Makes an error of what has been read since `from` and goes on to something that looks like a new statement.
    pub(super) fn recover(&mut self, from: usize) {
        let mut depth = std::mem::take(&mut self.braces);
        let mut moved = self.at > self.last_error || self.last_error == usize::MAX;
        loop {
            match self.current {
                Eof => break,
                // Heredoc texts end where they end.
                HeredocText | HeredocEnd => break,
                LBrace | SelectorBrace => depth += 1,
                RBrace if depth == 0 => break,
                RBrace => depth -= 1,
                ClassKw | DefineKw | NodeKw | FunctionKw if moved && self.on_new_line() => break,
                _ if depth == 0 && moved && self.on_new_line() && self.begins_statement() => break,
                _ => {}
            }
            moved = true;
            self.bump();
        }
        self.complete(from, Error);
    }

    /// Whether a line break comes before the current token.
    fn on_new_line(&self) -> bool {
        let gap = self.tokens.starts[self.unread.min(self.at)] as usize..self.tokens.starts[self.at] as usize;
        self.text[gap].contains('\n')
    }

    fn begins_statement(&self) -> bool {
        match self.current {
            IfKw | UnlessKw | CaseKw | TypeKw | At | AtAt => true,
            Variable => matches!(self.next(), Equals | Dot | LBracket),
            Name | TypeName => matches!(
                self.next(),
                LBrace | LParen | LBracket | CollectOpen | SqString | DqString | DqStart | Variable | Name
            ),
            _ => false,
        }
    }
}
