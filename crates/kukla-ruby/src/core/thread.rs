//! `Thread` and `Mutex`, as far as code that runs alone needs them.

use crate::class::NativeClass;

/// The class `Thread`.
pub const THREAD: NativeClass = NativeClass::class("Thread", "Object");

/// The class `Thread::Mutex`.
pub const MUTEX: NativeClass = NativeClass::class("Thread::Mutex", "Object");
