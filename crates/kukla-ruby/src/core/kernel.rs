//! `Kernel`: functions that are everywhere.

use crate::class::NativeClass;

/// The module `Kernel`.
pub const KERNEL: NativeClass = NativeClass::module("Kernel");
