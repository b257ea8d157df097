//! `Comparable`.

use crate::class::NativeClass;

/// The module `Comparable`.
pub const COMPARABLE: NativeClass = NativeClass::module("Comparable");
