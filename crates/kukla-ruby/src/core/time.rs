//! Points in time.

use crate::class::NativeClass;

/// The class `Time`.
pub const TIME: NativeClass =
    NativeClass { includes: &["Comparable"], ..NativeClass::class("Time", "Object") };
