//! Streams.

use crate::class::NativeClass;

/// The class `IO`.
pub const IO: NativeClass = NativeClass { includes: &["Enumerable"], ..NativeClass::class("IO", "Object") };
