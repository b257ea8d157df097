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

/// Keeps the memory of this process, which can hold secrets, out of core files.
pub fn forbid_core_dumps() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Core);
    limit.current = Some(0);
    // Where limits cannot be changed, the user decides about core files.
    let _ = setrlimit(Resource::Core, limit);
}

/// Keeps other processes of the same user from reading the memory of this one, and programs that collect crashes as well, which no limit of
/// core files stops.
#[cfg(feature = "serve")]
pub fn forbid_inspection() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // An old kernel refuses; then the limit of core files is all there is.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}
