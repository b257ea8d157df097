//! Symbols.

use crate::class::NativeClass;

/// The class `Symbol`.
pub const SYMBOL: NativeClass =
    NativeClass { includes: &["Comparable"], ..NativeClass::class("Symbol", "Object") };
