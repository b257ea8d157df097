//! The arguments of a call.

use std::rc::Rc;

use crate::proc::ProcObject;
use crate::value::{HashObject, Value};

/// The arguments of a call.
#[derive(Clone, Copy, Default)]
pub struct Args<'a> {
    /// The arguments in order. Keywords, if any, are the last one: a hash.
    pub list: &'a [Value],
    /// Whether the last argument holds keywords.
    pub has_keywords: bool,
    /// The block.
    pub block: Option<&'a Rc<ProcObject>>,
}

impl<'a> Args<'a> {
    /// Plain arguments.
    pub fn new(list: &'a [Value]) -> Args<'a> {
        Args { list, has_keywords: false, block: None }
    }

    /// Plain arguments and a block.
    pub fn with_block(list: &'a [Value], block: &'a Rc<ProcObject>) -> Args<'a> {
        Args { list, has_keywords: false, block: Some(block) }
    }

    /// The argument at a position, if it was given.
    pub fn get(&self, index: usize) -> Option<&'a Value> {
        self.list.get(index)
    }

    /// How many arguments there are, keywords counted as one.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The arguments without the keywords, and the keywords.
    pub fn split(&self) -> (&'a [Value], Option<&'a Rc<HashObject>>) {
        match self.list.split_last() {
            Some((Value::Hash(keywords), rest)) if self.has_keywords => (rest, Some(keywords)),
            _ => (self.list, None),
        }
    }
}

impl std::ops::Index<usize> for Args<'_> {
    type Output = Value;
    /// The argument at a position, `nil` if it was not given.
    fn index(&self, index: usize) -> &Value {
        self.list.get(index).unwrap_or(&Value::Nil)
    }
}
