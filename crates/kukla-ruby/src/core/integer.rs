//! Integers of any size.

use crate::class::NativeClass;

/// The class `Integer`.
pub const INTEGER: NativeClass = NativeClass::class("Integer", "Numeric");
