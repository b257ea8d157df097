//! Stack for what is nested deeply.
//!
//! Programs, values and types are walked by functions that call themselves. On whichever thread of whichever program that
//! happens, a walk that goes on past the end of the stack must find more of it: each of these functions takes the step from
//! one level to the next inside of [`deep`].

/// The stack left at which a new piece is taken. It has to last from one call of [`deep`] to the next, and for all that is
/// called in between and does not nest.
const RED_ZONE: usize = 128 << 10;

/// How large a piece is.
const PIECE: usize = 2 << 20;

/// The same for what is a door to everything else: nothing behind it has to be as thrifty.
const DOOR: usize = 4 << 20;

/// Goes one level deeper, on a new piece of stack if the old one is nearly used up.
#[inline]
pub fn deep<T>(walk: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, PIECE, walk)
}

/// Does something large with enough stack to begin with, whatever thread it runs on.
pub fn roomy<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(DOOR, 4 * DOOR, work)
}

/// Does something that takes up to this number of bytes of stack.
pub fn with_stack<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(bytes, bytes, work)
}
