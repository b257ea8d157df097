//! Regular expressions.

use crate::class::NativeClass;

/// The class `Regexp`.
pub const REGEXP: NativeClass = NativeClass::class("Regexp", "Object");
