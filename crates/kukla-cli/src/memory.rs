//! Memory that is free and still held: an allocator keeps it for what may come next. A server gives it back after a request that took much.

use std::mem::ManuallyDrop;
use std::sync::OnceLock;

static GIVE_BACK: OnceLock<fn()> = OnceLock::new();

/// Says how the allocator of this process gives back what is free.
pub(crate) fn is_given_back_by(how: fn()) {
    // Said once, when the process begins.
    let _ = GIVE_BACK.set(how);
}

/// Keeps something until the process ends, which takes it apart faster than anyone.
pub(crate) fn for_good<T>(kept: T) -> ManuallyDrop<T> {
    ManuallyDrop::new(kept)
}

/// Gives back to the system what is free.
pub(crate) fn give_back() {
    if let Some(give_back) = GIVE_BACK.get() {
        give_back();
    }
}
