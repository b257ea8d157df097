//! Random numbers, bit for bit those of Ruby.

use crate::class::NativeClass;

/// The class `Random`.
pub const RANDOM: NativeClass = NativeClass::class("Random", "Object");
