//! `Struct` and `Data`.

use crate::class::NativeClass;

/// The class `Struct`.
pub const STRUCT: NativeClass =
    NativeClass { includes: &["Enumerable"], ..NativeClass::class("Struct", "Object") };

/// The class `Data`.
pub const DATA: NativeClass = NativeClass::class("Data", "Object");
