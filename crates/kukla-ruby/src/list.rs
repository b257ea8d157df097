//! The elements of an array: a vector that also gives up its first element in constant time, as queues want.

use std::ops::{Deref, DerefMut};

use crate::memory::Weighed;
use crate::value::Value;

/// The elements of an array.
#[derive(Clone, Debug, Default)]
pub struct List {
    values: Vec<Value>,
    /// How many at the front were taken away already.
    start: usize,
}

impl List {
    /// No elements.
    pub fn new() -> List {
        List::default()
    }

    /// Appends an element.
    #[inline]
    pub fn push(&mut self, value: Value) {
        if self.start > 0 && self.values.len() == self.values.capacity() {
            self.compact();
        }
        self.values.push(value);
    }

    /// Takes the last element away.
    pub fn pop(&mut self) -> Option<Value> {
        if self.is_empty() { None } else { self.values.pop() }
    }

    /// Takes the first element away.
    pub fn shift(&mut self) -> Option<Value> {
        let first = self.values.get_mut(self.start).map(std::mem::take)?;
        self.start += 1;
        if self.start == self.values.len() {
            self.values.clear();
            self.start = 0;
        }
        Some(first)
    }

    /// Puts an element in front.
    pub fn unshift(&mut self, value: Value) {
        if self.start > 0 {
            self.start -= 1;
            self.values[self.start] = value;
        } else {
            // Room for as many again, so that a queue filled from the front stays linear.
            let room = self.values.len().max(4);
            self.values.splice(0..0, std::iter::repeat_n(Value::Nil, room));
            self.start = room - 1;
            self.values[self.start] = value;
        }
    }

    /// All elements as a plain vector, to change in any way.
    pub fn as_vec(&mut self) -> &mut Vec<Value> {
        self.compact();
        &mut self.values
    }

    /// Takes all elements away.
    pub fn take(&mut self) -> Vec<Value> {
        self.compact();
        std::mem::take(&mut self.values)
    }

    /// Removes all elements.
    pub fn clear(&mut self) {
        *self = List::new();
    }

    /// Puts a value at a position, filling up with `nil` if there is nothing before it.
    pub fn set(&mut self, index: usize, value: Value) {
        let values = self.as_vec();
        if index >= values.len() {
            values.resize(index + 1, Value::Nil);
        }
        values[index] = value;
    }

    fn compact(&mut self) {
        if self.start > 0 {
            self.values.drain(..self.start);
            self.start = 0;
        }
    }
}

impl Weighed for List {
    #[inline]
    fn weight(&self) -> usize {
        self.values.capacity() * size_of::<Value>()
    }
}

impl Deref for List {
    type Target = [Value];
    #[inline]
    fn deref(&self) -> &[Value] {
        &self.values[self.start..]
    }
}

impl DerefMut for List {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Value] {
        &mut self.values[self.start..]
    }
}

impl From<Vec<Value>> for List {
    fn from(values: Vec<Value>) -> List {
        List { values, start: 0 }
    }
}

impl From<&[Value]> for List {
    fn from(values: &[Value]) -> List {
        values.to_vec().into()
    }
}

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> List {
        values.into_iter().collect::<Vec<_>>().into()
    }
}

impl Extend<Value> for List {
    fn extend<I: IntoIterator<Item = Value>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.push(value));
    }
}
