//! Strings.

use crate::class::NativeClass;

/// The class `String`.
pub const STRING: NativeClass =
    NativeClass { includes: &["Comparable"], ..NativeClass::class("String", "Object") };
