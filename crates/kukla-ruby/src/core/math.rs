//! `Math`.

use crate::class::NativeClass;

/// The module `Math`.
pub const MATH: NativeClass = NativeClass::module("Math");
