//! `nil`.

use crate::class::NativeClass;

/// The class `NilClass`.
pub const NIL_CLASS: NativeClass = NativeClass::class("NilClass", "Object");
