//! The entries of a hash, in the order they were added.
//!
//! A `Table` knows hash codes and positions; the caller decides when two keys are the same, since a program may have defined `eql?` and
//! `hash` itself (see `Ruby::hash_get` and its like in `keys.rs`).

use hashbrown::HashTable;

use crate::memory::{self, Weighed};
use crate::value::Value;

/// Hashes with more entries than this have an index.
const SMALL: usize = 8;

/// One entry.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The hash code of the key.
    pub code: u64,
    /// The key.
    pub key: Value,
    /// The value.
    pub value: Value,
}

/// The entries of a hash.
#[derive(Debug, Default)]
pub struct Table {
    /// Entries by position; a removed one leaves a gap, so that positions hold while something iterates.
    entries: Vec<Option<Entry>>,
    /// How many entries are not gaps.
    live: usize,
    /// Before this position there are only gaps, so that a queue is emptied in linear time.
    front: usize,
    /// Positions by hash code, once there are more than a few.
    index: Option<HashTable<u32>>,
    /// The value for keys that are not there.
    pub default: Value,
    /// The proc that makes values for keys that are not there.
    pub default_proc: Value,
    /// Whether keys are the same only if they are the same object.
    pub by_identity: bool,
    /// Whether it holds keywords that a method marked with `ruby2_keywords` was given: `*args` hands them on as keywords.
    pub keywords: bool,
    /// How many iterations are going on, during which no key may be added.
    pub iterating: u32,
}

impl Clone for Table {
    fn clone(&self) -> Table {
        memory::spend(self.weight());
        Table {
            entries: self.entries.clone(),
            live: self.live,
            front: self.front,
            index: self.index.clone(),
            default: self.default.clone(),
            default_proc: self.default_proc.clone(),
            by_identity: self.by_identity,
            keywords: self.keywords,
            iterating: self.iterating,
        }
    }
}

impl Table {
    /// No entries.
    pub fn new() -> Table {
        Table::default()
    }

    /// How many entries there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// The end of the positions: `0..table.positions()`, with gaps.
    #[inline]
    pub fn positions(&self) -> usize {
        self.entries.len()
    }

    /// The entry at a position, unless there is a gap.
    #[inline]
    pub fn at(&self, position: usize) -> Option<&Entry> {
        self.entries.get(position)?.as_ref()
    }

    /// The value at a position, to change.
    #[inline]
    pub fn value_mut(&mut self, position: usize) -> Option<&mut Value> {
        Some(&mut self.entries.get_mut(position)?.as_mut()?.value)
    }

    /// All entries in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter().flatten()
    }

    /// The position of the key with this code for which `same` holds.
    #[inline]
    pub fn find(&self, code: u64, mut same: impl FnMut(&Value) -> bool) -> Option<usize> {
        let mut is_it = |position: usize| {
            let entry = self.entries[position].as_ref();
            entry.is_some_and(|entry| entry.code == code && same(&entry.key))
        };
        match &self.index {
            None => (0..self.entries.len()).find(|position| is_it(*position)),
            Some(index) => {
                index.find(code, |position| is_it(*position as usize)).map(|position| *position as usize)
            }
        }
    }

    /// The positions of all keys with this code.
    pub fn candidates(&self, code: u64) -> Vec<usize> {
        match &self.index {
            None => (0..self.entries.len())
                .filter(|position| self.entries[*position].as_ref().is_some_and(|entry| entry.code == code))
                .collect(),
            Some(index) => {
                let found = index.iter_hash(code).map(|position| *position as usize);
                found
                    .filter(|position| self.entries[*position].as_ref().is_some_and(|e| e.code == code))
                    .collect()
            }
        }
    }

    /// Adds an entry whose key is known not to be there.
    pub fn add(&mut self, code: u64, key: Value, value: Value) {
        let position = self.entries.len();
        self.entries.push(Some(Entry { code, key, value }));
        self.live += 1;
        match &mut self.index {
            Some(index) => {
                let entries = &self.entries;
                index.insert_unique(code, position as u32, |at| code_at(entries, *at));
            }
            None if position >= SMALL => self.reindex(),
            None => {}
        }
    }

    /// Removes the entry at a position.
    pub fn remove(&mut self, position: usize) -> Option<Entry> {
        let entry = self.entries.get_mut(position)?.take()?;
        self.live -= 1;
        if let Some(index) = &mut self.index
            && let Ok(found) = index.find_entry(entry.code, |at| *at as usize == position)
        {
            found.remove();
        }
        if self.iterating == 0 && self.entries.len() > 2 * SMALL && self.live * 2 < self.entries.len() {
            self.compact();
        }
        Some(entry)
    }

    /// Removes and returns the first entry.
    pub fn shift(&mut self) -> Option<Entry> {
        let position = self.front + self.entries.get(self.front..)?.iter().position(Option::is_some)?;
        self.front = position;
        self.remove(position)
    }

    /// Removes all entries; defaults stay.
    pub fn clear(&mut self) {
        if self.iterating > 0 {
            self.entries.iter_mut().for_each(|entry| *entry = None);
        } else {
            self.entries.clear();
        }
        self.index = None;
        self.live = 0;
        self.front = 0;
        if !self.entries.is_empty() {
            self.reindex();
        }
    }

    /// Closes the gaps.
    fn compact(&mut self) {
        self.entries.retain(Option::is_some);
        self.front = 0;
        self.index = None;
        if self.entries.len() > SMALL {
            self.reindex();
        }
    }

    fn reindex(&mut self) {
        let mut index = HashTable::with_capacity(self.entries.len() + 1);
        for (position, entry) in self.entries.iter().enumerate() {
            if let Some(entry) = entry {
                index.insert_unique(entry.code, position as u32, |at| code_at(&self.entries, *at));
            }
        }
        self.index = Some(index);
    }
}

impl Weighed for Table {
    #[inline]
    fn weight(&self) -> usize {
        let index = self.index.as_ref().map_or(0, |index| index.capacity() * 8);
        self.entries.capacity() * size_of::<Option<Entry>>() + index
    }
}

fn code_at(entries: &[Option<Entry>], position: u32) -> u64 {
    entries[position as usize].as_ref().map_or(0, |entry| entry.code)
}
