//! The memory that values take, counted where they are made, grow and go.
//!
//! An interpreter and its values never leave their thread, so there is one count for each thread, and values need not know to which
//! interpreter they belong: an interpreter remembers what was taken when it began. What native methods keep besides values is
//! small or charged as work.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

/// How much may be taken before an interpreter looks whether it is too much.
const UNSEEN: usize = 1 << 20;

/// The memory of the values of one thread.
struct Count {
    taken: Cell<usize>,
    /// The bytes allocated, without those freed, since an interpreter looked.
    new: Cell<usize>,
}

thread_local! {
    // Every string is counted: one variable of the thread is found once, two would be found twice.
    static COUNT: Count = const { Count { taken: Cell::new(0), new: Cell::new(0) } };
}

/// Counts memory that is taken.
#[inline]
pub(crate) fn take(bytes: usize) {
    COUNT.with(|count| {
        count.taken.set(count.taken.get().wrapping_add(bytes));
        count.new.set(count.new.get().saturating_add(bytes));
    });
}

/// Counts memory that is given back.
#[inline]
pub(crate) fn give_back(bytes: usize) {
    COUNT.with(|count| count.taken.set(count.taken.get().wrapping_sub(bytes)));
}

/// How many bytes the values of all interpreters of this thread take.
pub fn taken() -> usize {
    COUNT.with(|count| count.taken.get())
}

/// Whether so much was taken that someone should look.
#[inline]
pub(crate) fn is_due() -> bool {
    COUNT.with(|count| count.new.get()) > UNSEEN
}

/// Someone looks.
pub(crate) fn looked() {
    COUNT.with(|count| count.new.set(0));
}

/// Memory that is given back when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Taken(usize);

impl Taken {
    pub(crate) fn new(bytes: usize) -> Taken {
        take(bytes);
        Taken(bytes)
    }

    pub(crate) fn add(&mut self, bytes: usize) {
        take(bytes);
        self.0 += bytes;
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        give_back(self.0);
    }
}

/// A growing value that accounts for its memory.
pub trait Weighed {
    /// Bytes on the heap that belong to it alone.
    fn weight(&self) -> usize;
}

/// Contents that are being changed; what they take is counted again when that is over.
pub struct Changing<'c, T: Weighed> {
    contents: std::cell::RefMut<'c, T>,
    before: usize,
}

impl<'c, T: Weighed> Changing<'c, T> {
    #[inline]
    pub(crate) fn new(contents: std::cell::RefMut<'c, T>) -> Changing<'c, T> {
        let before = contents.weight();
        Changing { contents, before }
    }
}

impl<T: Weighed> Deref for Changing<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.contents
    }
}

impl<T: Weighed> DerefMut for Changing<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.contents
    }
}

impl<T: Weighed> Drop for Changing<'_, T> {
    #[inline]
    fn drop(&mut self) {
        let after = self.contents.weight();
        if after > self.before {
            take(after - self.before);
        } else if after < self.before {
            give_back(self.before - after);
        }
    }
}

/// Values that are being gathered and belong to no object yet.
#[derive(Debug, Default)]
pub struct Gathered {
    values: Vec<crate::value::Value>,
    taken: Taken,
}

impl Gathered {
    /// Nothing yet.
    pub fn new() -> Gathered {
        Gathered::default()
    }

    /// Adds a value.
    #[inline]
    pub fn push(&mut self, value: crate::value::Value) {
        let before = self.values.capacity();
        self.values.push(value);
        let after = self.values.capacity();
        if after > before {
            self.taken.add((after - before) * size_of::<crate::value::Value>());
        }
    }

    /// All of them.
    pub fn into_vec(self) -> Vec<crate::value::Value> {
        self.values
    }
}

impl From<Gathered> for crate::list::List {
    fn from(gathered: Gathered) -> crate::list::List {
        gathered.values.into()
    }
}
