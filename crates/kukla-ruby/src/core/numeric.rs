//! What all numbers have in common.

use crate::class::NativeClass;

/// The class `Numeric`.
pub const NUMERIC: NativeClass =
    NativeClass { includes: &["Comparable"], ..NativeClass::class("Numeric", "Object") };
