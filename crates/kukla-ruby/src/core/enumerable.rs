//! `Enumerable`.

use crate::class::NativeClass;

/// The module `Enumerable`.
pub const ENUMERABLE: NativeClass = NativeClass::module("Enumerable");
