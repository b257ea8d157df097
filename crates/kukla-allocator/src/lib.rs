//! Memory from mimalloc, for every process that links this crate.
//!
//! The `mimalloc` crate asks for the alignment of every layout. mimalloc gives what it takes for aligned on purpose in larger pieces, and finds
//! them on a longer way, unless a size is a power of two; but what it gives to those who do not ask is aligned well enough for nearly all layouts.

#![allow(unsafe_code)] // an allocator hands out raw memory

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::c_void;

use mimalloc::MiMalloc;

// SAFETY: this is how mimalloc declares these functions, and any thread may call them at any time. They are linked, since it is the allocator
// of this process. None takes a pointer; `mi_collect` frees nothing that is in use.
unsafe extern "C" {
    safe fn mi_malloc(size: usize) -> *mut c_void;
    safe fn mi_zalloc(size: usize) -> *mut c_void;
    safe fn mi_collect(force: bool);
}

/// Returns free memory to the system.
pub fn collect() {
    mi_collect(true);
}

// Here and not in the binary, so that the functions which the compiler makes of it are optimised like this crate.
#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Gives memory to all of the process.
struct Allocator;

/// Whether every block of this size has the alignment of the layout. On 64-bit targets, mimalloc's blocks of 16 bytes and more begin at
/// multiples of 16 (`MI_MAX_ALIGN_SIZE`), and smaller ones, of which there is one size, at multiples of 8. Other targets have smaller words
/// and more small sizes, so there every layout goes through `MiMalloc`, which asks for its alignment.
const fn is_aligned_anyway(layout: Layout) -> bool {
    let least = if layout.size() >= 16 { 16 } else { 8 };
    cfg!(target_pointer_width = "64") && layout.align() <= least
}

// SAFETY: all memory comes from mimalloc and goes back to it. `MiMalloc` keeps the rules of the trait, and takes back or moves whatever mimalloc
// has given, however it was asked for: `mi_free` and `mi_realloc_aligned` find the size of a block by its address. Memory that is given without
// asking `MiMalloc` has the size that was asked for or is null, as `malloc` has it, and is aligned, see `is_aligned_anyway`; nothing here unwinds.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_aligned_anyway(layout) {
            return mi_malloc(layout.size()).cast();
        }
        // SAFETY: the caller upholds the contract of `GlobalAlloc`.
        unsafe { MiMalloc.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_aligned_anyway(layout) {
            return mi_zalloc(layout.size()).cast();
        }
        // SAFETY: the caller upholds the contract of `GlobalAlloc`.
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract of `GlobalAlloc`.
        unsafe { MiMalloc.dealloc(ptr, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `GlobalAlloc`.
        unsafe { MiMalloc.realloc(ptr, layout, new_size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_is_aligned() {
        for align in [1, 2, 4, 8, 16, 32, 64, 4096] {
            for size in (1..200).chain([1000, 1500, 3000, 10_000, 70_000, 5_000_000]) {
                let layout = Layout::from_size_align(size, align).expect("a layout");
                // SAFETY: the size is not zero, and what is given goes back with the layout it was given for, or moves to one of
                // another size, with which it then goes back.
                let given: Vec<*mut u8> =
                    (0..40).map(|_| unsafe { Allocator.alloc_zeroed(layout) }).collect();
                for at in given {
                    assert!(!at.is_null() && at.addr().is_multiple_of(align), "{layout:?}: {at:?}");
                    // SAFETY: see above.
                    unsafe {
                        let grown = Allocator.realloc(at, layout, size * 3);
                        assert!(
                            !grown.is_null() && grown.addr().is_multiple_of(align),
                            "{layout:?}: {grown:?}"
                        );
                        let larger = Layout::from_size_align(size * 3, align).expect("a layout");
                        Allocator.dealloc(grown, larger);
                    }
                }
            }
        }
    }
}
