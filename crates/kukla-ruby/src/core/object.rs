//! What every object can do.

use crate::class::NativeClass;

/// The class `BasicObject`.
pub const BASIC_OBJECT: NativeClass = NativeClass::module("BasicObject");

/// The class `Object`.
pub const OBJECT: NativeClass =
    NativeClass { includes: &["Kernel"], ..NativeClass::class("Object", "BasicObject") };
