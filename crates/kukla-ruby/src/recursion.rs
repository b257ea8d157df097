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

impl Ruby<'_> {
    /// The hash code of something that may contain itself: the same for all such things of a class, however they are wound up.
    pub fn guarded_hash(&mut self, value: &Value, go: impl FnOnce(&mut Self) -> Result<u64>) -> Result<u64> {
        let outermost = !self.walks.iter().any(|(walk, ..)| *walk == Walk::Hash);
        if outermost {
            self.winds = false;
        }
        match self.guarded(Walk::Hash, value, &Value::Nil, go)? {
            Some(code) if !(outermost && self.winds) => Ok(code),
            Some(_) => Ok(u64::from(self.real_class_of(value).0)),
            None => {
                self.winds = true;
                Ok(0)
            }
        }
    }
}

/// How deep such walks go; Ruby's own stack ends near it.
const MOST: usize = 10_000;
