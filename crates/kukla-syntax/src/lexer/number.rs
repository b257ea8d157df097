//! Numbers, and what only begins like one.

use super::Lexer;
use crate::SyntaxKind::*;
use crate::codes::*;
use crate::{Code, Diagnostic, Fact, diagnostic};

impl Lexer<'_> {
    pub(super) fn number(&mut self) {
        let start = self.pos;
        // Nearly all numbers are a few decimal digits with something else behind them.
        let digits = self.digits(start);
        let plain = self.bytes[start] != b'0' || digits == start + 1;
        if plain && !matches!(self.byte(digits), b'.' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | 0x80..) {
            return self.emit_to(Number, digits);
        }
        match self.number_end(start) {
            Some(end) => {
                self.emit_to(Number, end);
                if !self.check_number(start, end) {
                    self.spoil_last();
                }
            }
            None => self.bad_number(start),
        }
    }

    fn spoil_last(&mut self) {
        if let Some(last) = self.out.kinds.last_mut() {
            *last = ErrorToken;
        }
    }

    fn digits(&self, mut at: usize) -> usize {
        while self.byte(at).is_ascii_digit() {
            at += 1;
        }
        at
    }

    /// The longest number from `start` that ends at a word's end: `1.5`, but only `1` of `1.5x`.
    fn number_end(&self, start: usize) -> Option<usize> {
        if self.byte(start) == b'0' && matches!(self.byte(start + 1), b'x' | b'X') {
            let mut end = start + 2;
            while self.byte(end).is_ascii_hexdigit() {
                end += 1;
            }
            return (end > start + 2 && self.word_ends(end)).then_some(end);
        }
        let integer = self.digits(start);
        let fraction = match self.byte(integer) {
            b'.' => Some(self.digits(integer + 1)).filter(|&end| end > integer + 1),
            _ => None,
        };
        let exponent = |from: usize| {
            if !matches!(self.byte(from), b'e' | b'E') {
                return None;
            }
            let digits = from + 1 + usize::from(self.byte(from + 1) == b'-');
            Some(self.digits(digits)).filter(|&end| end > digits)
        };
        let candidates = [fraction.and_then(exponent), fraction, exponent(integer), Some(integer)];
        candidates.into_iter().flatten().find(|&end| self.word_ends(end))
    }

    /// Whether no word goes on at `at`; letters of every script count.
    fn word_ends(&self, at: usize) -> bool {
        match self.byte(at) {
            0x80.. => !self.text[at..].chars().next().is_some_and(char::is_alphanumeric),
            _ => !self.is_word(at),
        }
    }

    /// Whether the digits fit the number's form, which a leading zero or an exponent may spoil.
    fn check_number(&mut self, start: usize, end: usize) -> bool {
        let value = &self.text[start..end];
        let (code, good) = judge(value);
        if !good {
            let wrong = refused(code, value).within_text(self.between(start, end));
            self.report(wrong);
            return false;
        }
        // An exponent can make a number too large, and Puppet refuses to raise zero to one.
        let is_hex = value.starts_with("0x") || value.starts_with("0X");
        if !is_hex && value.contains(['.', 'e', 'E']) {
            let float = value.parse::<f64>().unwrap_or(f64::INFINITY);
            let zero = value.trim_start_matches(['0', '.']).starts_with(['e', 'E']);
            if float.is_infinite() || zero {
                let wrong = diagnostic!(self.between(start, end), ILLEGAL_NUMBER { value }; hint: "the value cannot be represented as a Float");
                self.report(wrong);
                return false;
            }
        }
        true
    }

    /// A token that begins with a digit and is not a number. The whole of `1.5x` is meant, although `1.` has been read.
    fn bad_number(&mut self, start: usize) {
        let mut end = start;
        while self.is_word(end) {
            end += 1;
        }
        let mut from = start;
        if start > 1 && self.bytes[start - 1] == b'.' {
            let digits =
                self.bytes[..start - 1].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            if digits > 0 {
                from = start - 1 - digits;
            }
        }
        let value = &self.text[from..end];
        let (code, good) = judge(value);
        let whole = self.between(from, end);
        let wrong = if good {
            diagnostic!(whole.pointing_at(whole.start + 1), ILLEGAL_NUMBER { value })
        } else {
            refused(code, value).within_text(whole)
        };
        self.report(wrong.hint("quote it if it is meant to be text"));
        while end < self.end && !self.word_ends(end) {
            end += self.text[end..].chars().next().map_or(1, char::len_utf8);
        }
        self.emit_to(ErrorToken, end);
    }
}

/// The rule a number's first characters put it under, and whether it keeps it.
fn judge(value: &str) -> (&'static crate::Code, bool) {
    let bytes = value.as_bytes();
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if value.starts_with("0x") || value.starts_with("0X") {
        (&INVALID_HEX_NUMBER, bytes.len() > 2 && bytes[2..].iter().all(u8::is_ascii_hexdigit))
    } else if bytes.len() > 1 && bytes[0] == b'0' && bytes[1] != b'.' {
        (&INVALID_OCTAL_NUMBER, bytes.iter().all(|byte| matches!(byte, b'0'..=b'7')))
    } else if matches!(bytes.get(digits), Some(b'e' | b'E' | b'.')) {
        (&INVALID_DECIMAL_NUMBER, is_decimal(&bytes[digits..]))
    } else {
        (&ILLEGAL_NUMBER, digits == bytes.len())
    }
}

/// Whether this is an optional fraction and an optional exponent.
fn is_decimal(mut rest: &[u8]) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if let [b'.', fraction @ ..] = rest {
        let len = digits(fraction);
        if len == 0 {
            return false;
        }
        rest = &fraction[len..];
    }
    match rest {
        [] => true,
        [b'e' | b'E', b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] => {
            !exponent.is_empty() && digits(exponent) == exponent.len()
        }
        _ => false,
    }
}

/// The error in a number's digits.
fn refused(code: &'static Code, value: &str) -> Diagnostic {
    Diagnostic::new(code, vec![("value", Fact::of(value))])
}
