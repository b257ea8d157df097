//! Classes and modules.

use crate::class::NativeClass;

/// The class `Module`.
pub const MODULE: NativeClass = NativeClass::class("Module", "Object");

/// The class `Class`.
pub const CLASS: NativeClass = NativeClass::class("Class", "Module");
