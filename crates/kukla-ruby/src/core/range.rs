//! Ranges.

use crate::class::NativeClass;

/// The class `Range`.
pub const RANGE: NativeClass =
    NativeClass { includes: &["Enumerable"], ..NativeClass::class("Range", "Object") };
