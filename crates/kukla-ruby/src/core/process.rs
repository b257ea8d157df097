//! `Process`, `ObjectSpace`, `GC` and `Signal`, as far as programs ask them.

use crate::class::NativeClass;

/// The module `Process`.
pub const PROCESS: NativeClass = NativeClass::module("Process");

/// The module `ObjectSpace`.
pub const OBJECT_SPACE: NativeClass = NativeClass::module("ObjectSpace");

/// The module `GC`.
pub const GC: NativeClass = NativeClass::module("GC");

/// The module `Signal`.
pub const SIGNAL: NativeClass = NativeClass::module("Signal");
