//! Finding where a match may begin.

use super::super::program::{Anchor, First};
use super::{Direction, Machine, Searched, Spans};

impl<const BINARY: bool> Machine<'_, '_, BINARY> {
    pub(super) fn search(&mut self, direction: Direction) -> Searched<Option<Spans>> {
        match direction {
            Direction::Here => Ok(self.attempt(self.from)?),
            Direction::Backward => self.backward(),
            Direction::Forward => {
                let mut at = Some(self.from);
                while let Some(start) = at.and_then(|at| self.candidate(at)) {
                    if let Some(found) = self.attempt(start)? {
                        return Ok(Some(found));
                    }
                    at = (start < self.text.len()).then(|| start + self.length(start));
                }
                Ok(None)
            }
        }
    }

    pub(super) fn backward(&mut self) -> Searched<Option<Spans>> {
        let mut at = self.from;
        loop {
            if self.can_start(at)
                && let Some(found) = self.attempt(at)?
            {
                return Ok(Some(found));
            }
            match self.before(at) {
                Some(before) => at = before,
                None => return Ok(None),
            }
        }
    }

    pub(super) fn can_start(&self, at: usize) -> bool {
        let byte = self.text.get(at);
        match &self.program.start.first {
            First::Anything => true,
            First::Literal(finder) => self.text[at..].starts_with(finder.needle()),
            First::Bytes(bytes) => byte.is_some_and(|byte| bytes.contains(byte)),
            First::Table(table) => byte.is_some_and(|byte| table[usize::from(*byte)]),
        }
    }

    /// The next position at which a match may begin.
    pub(super) fn candidate(&self, at: usize) -> Option<usize> {
        let at = match self.program.start.anchor {
            Anchor::Text => (at == 0).then_some(0)?,
            Anchor::Search => (at == self.from).then_some(at)?,
            Anchor::Line if at > 0 && self.text[at - 1] != b'\n' => {
                at + memchr::memchr(b'\n', &self.text[at..])? + 1
            }
            Anchor::Line | Anchor::None => at,
        };
        let rest = &self.text[at..];
        let ahead = match &self.program.start.first {
            First::Anything => Some(0),
            First::Literal(finder) => finder.find(rest),
            First::Bytes(bytes) => match bytes[..] {
                [a] => memchr::memchr(a, rest),
                [a, b] => memchr::memchr2(a, b, rest),
                [a, b, c] => memchr::memchr3(a, b, c, rest),
                _ => Some(0),
            },
            First::Table(table) => rest.iter().position(|byte| table[usize::from(*byte)]),
        };
        let found = at + ahead?;
        if self.program.start.anchor == Anchor::Line && found > at {
            return self.candidate_line(found);
        }
        Some(found)
    }

    /// The start of a line at or after a position.
    pub(super) fn candidate_line(&self, at: usize) -> Option<usize> {
        if self.text[at - 1] == b'\n' {
            return Some(at);
        }
        memchr::memchr(b'\n', &self.text[at..]).map(|ahead| at + ahead + 1)
    }
}
