//! The memory that values take and the bytes that native code goes through, counted where that happens.
//!
//! An interpreter and its values never leave their thread, so there is one count for each thread, and values need not know to which
//! interpreter they belong: an interpreter remembers what was taken when it began.
//!
//! Counting cannot fail, so that constructors and comparisons need no interpreter. An interpreter looks at the counts at every call and at
//! every [`crate::Ruby::charge`], and ends the program if a limit is exceeded. A native method that goes on making values without looking
//! is unwound once they take more than the limit allows by far: see [`bounded`].

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// How much may be taken or gone through before an interpreter looks whether it is too much.
const UNSEEN: isize = 1 << 20;

/// How much may be taken after that before it is compared with the ceiling.
const OVERDUE: isize = 4 << 20;

/// The counts of one thread.
struct Count {
    taken: Cell<usize>,
    /// The bytes that can be taken or gone through before an interpreter should look; negative when one should.
    room: Cell<isize>,
    /// The bytes gone through since an interpreter looked.
    effort: Cell<usize>,
    /// The most that may be taken.
    ceiling: Cell<usize>,
    /// Whether something is there to be unwound: see [`bounded`].
    is_bounded: Cell<bool>,
}

thread_local! {
    // Every string is counted: one variable of the thread is found once, two would be found twice.
    static COUNT: Count = const {
        Count {
            taken: Cell::new(0),
            room: Cell::new(UNSEEN),
            effort: Cell::new(0),
            ceiling: Cell::new(usize::MAX),
            is_bounded: Cell::new(false),
        }
    };
}

/// Counts memory that is taken.
#[inline]
pub(crate) fn take(bytes: usize) {
    COUNT.with(|count| {
        count.taken.set(count.taken.get().wrapping_add(bytes));
        let room = count.room.get().saturating_sub_unsigned(bytes);
        count.room.set(room);
        if room < -OVERDUE {
            count.compare_with_ceiling();
        }
    });
}

/// Runs code of an embedding program, which is not to be unwound.
pub(crate) fn unbounded(run: impl FnOnce()) {
    let before = COUNT.with(|count| count.is_bounded.replace(false));
    run();
    COUNT.with(|count| count.is_bounded.set(before));
}

/// Counts bytes that native code goes through: compares, hashes, searches, copies.
#[inline]
pub(crate) fn spend(bytes: usize) {
    if bytes >= SMALL {
        COUNT.with(|count| {
            count.effort.set(count.effort.get().saturating_add(bytes));
            count.room.set(count.room.get().saturating_sub_unsigned(bytes));
        });
    }
}

/// Fewer bytes than this take no longer than the call that goes through them.
const SMALL: usize = 64;

/// The bytes gone through since this was last asked.
pub(crate) fn spent() -> usize {
    COUNT.with(|count| count.effort.take())
}

/// Sets the most that the values of this thread may take.
pub(crate) fn set_ceiling(bytes: usize) {
    COUNT.with(|count| count.ceiling.set(bytes));
}

/// The reason for which [`bounded`] ends.
#[derive(Debug)]
pub(crate) struct Exhausted;

impl Count {
    #[cold]
    fn compare_with_ceiling(&self) {
        // Still due, and compared again after as much more.
        self.room.set(-1);
        if self.taken.get() > self.ceiling.get() && self.is_bounded.get() && !std::thread::panicking() {
            resume_unwind(Box::new(Exhausted));
        }
    }
}

/// Runs native code that may make many values, and ends it if they take more than the ceiling. It is the last resort for code that does not
/// look by itself: nothing of the program runs afterwards.
pub(crate) fn bounded<T>(run: impl FnOnce() -> T) -> Result<T, Exhausted> {
    let before = COUNT.with(|count| count.is_bounded.replace(true));
    let result = catch_unwind(AssertUnwindSafe(run));
    COUNT.with(|count| count.is_bounded.set(before));
    result.map_err(|reason| match reason.downcast::<Exhausted>() {
        Ok(exhausted) => *exhausted,
        Err(panic) => resume_unwind(panic),
    })
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
    COUNT.with(|count| count.room.get()) < 0
}

/// Someone looks.
pub(crate) fn looked() {
    COUNT.with(|count| count.room.set(UNSEEN));
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

/// Text that is being made and belongs to no object yet. What is made of others without knowing how long it gets is made in one of these.
#[derive(Debug, Default)]
pub struct Output {
    bytes: Vec<u8>,
    taken: Taken,
}

impl Output {
    /// Nothing yet, and room for some bytes.
    pub fn with_capacity(bytes: usize) -> Output {
        Output { taken: Taken::new(bytes), bytes: Vec::with_capacity(bytes) }
    }

    /// Appends bytes; their memory is counted before it is allocated.
    #[inline]
    pub fn extend_from_slice(&mut self, more: &[u8]) {
        if self.bytes.capacity() - self.bytes.len() < more.len() {
            let wanted = (self.bytes.len() + more.len()).max(2 * self.bytes.capacity());
            self.taken.add(wanted - self.bytes.capacity());
            self.bytes.reserve_exact(wanted - self.bytes.len());
        }
        self.bytes.extend_from_slice(more);
    }

    /// Appends a byte.
    #[inline]
    pub fn push(&mut self, byte: u8) {
        self.extend_from_slice(&[byte]);
    }

    /// Appends text.
    #[inline]
    pub fn push_str(&mut self, text: &str) {
        self.extend_from_slice(text.as_bytes());
    }

    /// All of it.
    pub fn into_vec(self) -> Vec<u8> {
        self.bytes
    }
}

impl Deref for Output {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl std::fmt::Write for Output {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

impl From<Output> for Vec<u8> {
    fn from(output: Output) -> Vec<u8> {
        output.bytes
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

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
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
