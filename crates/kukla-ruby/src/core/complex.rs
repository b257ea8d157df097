//! Complex numbers.

use crate::class::NativeClass;

/// The class `Complex`.
pub const COMPLEX: NativeClass = NativeClass::class("Complex", "Numeric");
