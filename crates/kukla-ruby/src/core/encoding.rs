//! Encodings.

use crate::class::NativeClass;

/// The class `Encoding`.
pub const ENCODING: NativeClass = NativeClass::class("Encoding", "Object");
