//! `true` and `false`.

use crate::class::NativeClass;

/// The class `TrueClass`.
pub const TRUE_CLASS: NativeClass = NativeClass::class("TrueClass", "Object");

/// The class `FalseClass`.
pub const FALSE_CLASS: NativeClass = NativeClass::class("FalseClass", "Object");
