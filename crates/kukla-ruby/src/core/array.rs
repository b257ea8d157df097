//! Arrays.

use crate::class::NativeClass;

/// The class `Array`.
pub const ARRAY: NativeClass =
    NativeClass { includes: &["Enumerable"], ..NativeClass::class("Array", "Object") };
