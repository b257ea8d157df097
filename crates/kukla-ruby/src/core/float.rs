//! Floating point numbers.

use crate::class::NativeClass;

/// The class `Float`.
pub const FLOAT: NativeClass = NativeClass::class("Float", "Numeric");
