//! Hashes.

use crate::class::NativeClass;

/// The class `Hash`.
pub const HASH: NativeClass =
    NativeClass { includes: &["Enumerable"], ..NativeClass::class("Hash", "Object") };
