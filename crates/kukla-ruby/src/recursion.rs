//! Walks through values that may contain themselves.

use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

/// What a walk through a value is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// `inspect`
    Inspect,
    /// `==`
    Equal,
    /// `eql?`
    Eql,
    /// `hash`
    Hash,
    /// `<=>`
    Compare,
    /// `join`
    Join,
    /// `flatten`
    Flatten,
}

impl Ruby<'_> {
    /// Walks into a value (and the one it is held against) unless that very walk is going on already, in which case there is no answer.
    pub fn guarded<T>(
        &mut self,
        walk: Walk,
        value: &Value,
        other: &Value,
        go: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<Option<T>> {
        let known =
            self.walks.iter().any(|(kind, a, b)| *kind == walk && a.is_same(value) && b.is_same(other));
        if known {
            return Ok(None);
        }
        if self.walks.len() >= MOST {
            return Err(self.error(crate::class::ClassId::SYSTEM_STACK_ERROR, "stack level too deep"));
        }
        self.walks.push((walk, value.clone(), other.clone()));
        let result = kukla_syntax::deep(|| go(self));
        self.walks.pop();
        result.map(Some)
    }
}

/// How deep such walks go; Ruby's own stack ends near it.
const MOST: usize = 10_000;
