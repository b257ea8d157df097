//! Bindings.

use crate::class::NativeClass;

/// The class `Binding`.
pub const BINDING: NativeClass = NativeClass::class("Binding", "Object");
