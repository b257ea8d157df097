//! Walks through values that may contain themselves.

use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::{Identity, Value};

/// The purpose of a walk through a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// The walks that are going on.
#[derive(Debug, Default)]
pub(crate) struct Walks {
    /// The values they have entered, which stay alive meanwhile: the walker holds them.
    entered: FxHashSet<(Walk, Identity, Identity)>,
    /// How many of these are for a hash code.
    hashing: usize,
    /// Whether what is being hashed contains itself.
    winds: bool,
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
        let place = (walk, value.identity(), other.identity());
        if !self.walks.entered.insert(place) {
            return Ok(None);
        }
        let result = match self.walks.entered.len() > MOST {
            true => Err(self.error(crate::class::ClassId::SYSTEM_STACK_ERROR, "stack level too deep")),
            false => kukla_syntax::deep(|| go(self)),
        };
        self.walks.entered.remove(&place);
        result.map(Some)
    }
}

impl Ruby<'_> {
    /// The hash code of something that may contain itself: the same for all such things of a class, however they are wound up.
    pub fn guarded_hash(&mut self, value: &Value, go: impl FnOnce(&mut Self) -> Result<u64>) -> Result<u64> {
        let outermost = self.walks.hashing == 0;
        if outermost {
            self.walks.winds = false;
        }
        self.walks.hashing += 1;
        let hashed = self.guarded(Walk::Hash, value, &Value::Nil, go);
        self.walks.hashing -= 1;
        match hashed? {
            Some(code) if !(outermost && self.walks.winds) => Ok(code),
            Some(_) => Ok(u64::from(self.real_class_of(value).0)),
            None => {
                self.walks.winds = true;
                Ok(0)
            }
        }
    }
}

/// How deep such walks go; Ruby's own stack ends near it.
const MOST: usize = 10_000;
