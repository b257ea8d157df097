//! Rational numbers.

use crate::class::NativeClass;

/// The class `Rational`.
pub const RATIONAL: NativeClass = NativeClass::class("Rational", "Numeric");
