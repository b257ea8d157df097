//! Memory that is free and still held: an allocator keeps it for the next allocation. A server returns it after a large request.

use std::mem::ManuallyDrop;
use std::sync::OnceLock;

static RELEASE: OnceLock<fn()> = OnceLock::new();

/// Sets the function that returns free memory of this process's allocator to the system.
pub(crate) fn set_release(release: fn()) {
    // Set once, when the process starts.
    let _ = RELEASE.set(release);
}

/// Keeps a value until the process ends: the system reclaims its memory faster than dropping it does.
pub(crate) fn keep_until_exit<T>(value: T) -> ManuallyDrop<T> {
    ManuallyDrop::new(value)
}

/// Returns free memory to the system.
pub(crate) fn release() {
    if let Some(release) = RELEASE.get() {
        release();
    }
}
