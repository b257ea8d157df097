//! Methods as objects.

use crate::class::NativeClass;

/// The class `Method`.
pub const METHOD: NativeClass = NativeClass::class("Method", "Object");

/// The class `UnboundMethod`.
pub const UNBOUND_METHOD: NativeClass = NativeClass::class("UnboundMethod", "Object");
